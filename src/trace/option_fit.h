#pragma once
// Options that name a column or a unit, checked the same way by the readers of formats with fixed columns.

#include <string_view>

#include "base/error.h"
#include "trace/input.h"
#include "trace/read.h"

namespace wattrein::trace {

/// Which of the column options a format has a use for.
struct ColumnOptions {
  bool time = false;
  bool power = false;
  bool device = false;
  bool phase = false;
};

/// Errors, usage: an option that names a column which files of `format` do not have, or that states how its numbers and
/// dates are written.
[[nodiscard]] Result<void> check_column_options(const ReadOptions& options, ColumnOptions usable,
                                                std::string_view format, const Input& input);

/// power_unit() for --unit. Errors: usage.
[[nodiscard]] Result<double> watts_per_unit(std::string_view unit);

}  // namespace wattrein::trace
