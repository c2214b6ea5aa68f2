#pragma once
// What columns of logs that belong to no one tool are called: shared by CSV and JSON lines.

#include <span>

#include "base/error.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/table_columns.h"
#include "trace/table_layout.h"

namespace wattrein::trace {

/// Points for a header: above zero when it names what a trace needs (docs/formats/readers.md lists the words).
[[nodiscard]] int vocabulary_score(std::span<const ColumnName> names);
/// True when time and power were both found by name.
[[nodiscard]] bool vocabulary_suffices(std::span<const ColumnName> names);

/// The options' columns, and by vocabulary those that they do not name. Checked as by check_map().
/// Errors: bad_input (no or several possible power columns), usage (an option that does not fit).
[[nodiscard]] Result<ColumnMap> map_columns(const Layout& layout, const ReadOptions& options, const Input& input);

}  // namespace wattrein::trace
