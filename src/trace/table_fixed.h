#pragma once
// Tables of one tool, whose columns mean what the tool's own source says.

#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/reader.h"
#include "trace/table_columns.h"
#include "trace/table_layout.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// A table that is known by its header.
struct FixedTable {
  int (*score)(std::span<const ColumnName> names);  ///< above zero for the tool's header
  std::string_view header;                          ///< for "there is no header ...": "'T,P,I,V,...'"
  std::string_view cure;                            ///< where there is none
  std::optional<char> delimiter{};                  ///< found where it is not given

  /// `sure` where the header is there.
  [[nodiscard]] Match recognise(std::string_view head) const;
  /// Views into the start of `input`. Errors, bad_input: no such header.
  [[nodiscard]] Result<Layout> layout(const Input& input) const;
};

/// The column of this exact name (blanks around it aside, any case); -1 where there is none.
[[nodiscard]] int exact_column(const Layout& layout, std::string_view text);
/// The same without a unit in brackets: "power" for "Power [W]".
[[nodiscard]] int based_column(const Layout& layout, std::string_view base);

/// Makes `column`, in units of `scale` watts (joules, with from_counter), the power of the only device, "0".
void take_one_device(ColumnMap& map, int column, double scale);

/// Puts --time, --power, --unit and --phase over `map`, checks it and reads the rest of `input`.
/// Errors: as apply_options(), check_map() and Table::finish(); usage for --device, where the columns are the devices.
[[nodiscard]] Result<Trace> read_fixed(Input& input, const Layout& layout, ColumnMap map, const ReadOptions& options,
                                       std::string_view format);

}  // namespace wattrein::trace
