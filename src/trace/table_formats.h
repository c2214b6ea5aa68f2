#pragma once
// What only many cells of a column can say of it: where its decimals begin, and whether day or month comes first.

#include <string>
#include <vector>

#include "base/error.h"
#include "trace/input.h"
#include "trace/number_format.h"
#include "trace/read.h"
#include "trace/table_columns.h"
#include "trace/table_layout.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

struct ColumnFormats {
  Decimals time = Decimals::unknown;
  Decimals power = Decimals::unknown;
  Decimals average = Decimals::unknown;
  Decimals limit = Decimals::unknown;
  Decimals nameplate = Decimals::unknown;
  Decimals energy = Decimals::unknown;
  DateOrder date_order = DateOrder::unknown;
  bool spreadsheet_days = false;  ///< stamps are days since 1899-12-30
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

/// From the layout's rows, under what the options state. A column that leaves it open takes the decimals of the others.
/// Errors, bad_input: nothing decides, and it matters ("1,234", "05/01/2025"); names the option. Usage: the option's
/// value.
[[nodiscard]] Result<ColumnFormats> column_formats(const Layout& layout, const ColumnMap& map,
                                                   const ReadOptions& options, const Input& input);

/// The decimals that a column shows by itself.
[[nodiscard]] DecimalsEvidence decimals_of(const Layout& layout, int column);

/// Why a stamp that cannot be read is none, for a row's damage. `map.time_unit` is the header's or the stated one.
[[nodiscard]] std::string why_no_stamp(std::string_view cell, const ColumnMap& map, const ReadOptions& options);

/// Notes where --unit or --time-unit says other than the header, or than the cells, and which of the two was taken.
void note_unit_conflicts(const Layout& layout, const ReadOptions& options, ColumnMap& map);

}  // namespace wattrein::trace
