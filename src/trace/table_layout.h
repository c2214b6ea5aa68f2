#pragma once
// The shape of a table, found from the start of its file: delimiter, header line, how many cells a row has.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/timestamp.h"

namespace wattrein::trace {

/// A header cell taken apart: "power.draw [W]", "Power (W)", "power_mW", "TimeStampUs".
struct ColumnName {
  std::string text;                    ///< as it stands in the file
  std::string base;                    ///< lower case, without a unit in brackets: "power.draw"
  std::vector<std::string> tokens;     ///< its words in lower case, the unit aside: {"time", "stamp"}
  std::string words;                   ///< the tokens with '_' between
  std::optional<double> power_scale;   ///< watts a unit, where the name states one
  std::optional<double> energy_scale;  ///< joules a unit
  std::optional<TimeUnit> time_unit;
  bool states_unit = false;  ///< a unit was taken off, also one that nobody can be sure of ("_MW")

  [[nodiscard]] bool has(std::string_view token) const;
  /// Whether its words are these and it is no quantity: "gpu" names devices, and "gpu_w" says what they draw.
  [[nodiscard]] bool is_called(std::string_view wanted) const { return !states_unit && words == wanted; }
};
[[nodiscard]] ColumnName parse_column_name(std::string_view text);
/// The end of a name in fractions or multiples of a unit that nobody can be sure of: "dW" (tenths, or a difference),
/// "0.1W". Such a name states no unit. Empty where there is none.
[[nodiscard]] std::string_view odd_unit(std::string_view name);

struct Layout {
  char delimiter = ',';
  std::vector<ColumnName> names;  ///< empty without a header
  std::string header;             ///< the header line, trimmed
  std::size_t cells = 0;          ///< what most rows have
  /// Rows from the start of the file, views into it; a missing cell has no data().
  std::vector<std::vector<std::string_view>> rows;

  [[nodiscard]] bool has_header() const { return !names.empty(); }
  [[nodiscard]] std::size_t width() const { return names.empty() ? cells : names.size(); }
  /// For messages: the header's text, or "#3" (counted from 1) without one.
  [[nodiscard]] std::string label(int column) const;
  /// The sample row's cell; one without data() where the row ends before it.
  [[nodiscard]] static std::string_view cell(std::span<const std::string_view> row, int column) {
    return column >= 0 && static_cast<std::size_t>(column) < row.size() ? row[static_cast<std::size_t>(column)]
                                                                        : std::string_view();
  }
};

/// Whether every line starts with '{': JSON lines, which commas cut into cells too.
[[nodiscard]] bool are_json_lines(std::string_view head);

/// How much a header says to a reader; the line that says most is the header.
using HeaderScore = std::function<int(std::span<const ColumnName>)>;

/// Nothing where there is no line at all. `head` must outlive the layout. The delimiter is found where none is given.
[[nodiscard]] std::optional<Layout> find_layout(std::string_view head, const HeaderScore& score,
                                                std::optional<char> delimiter = std::nullopt);

}  // namespace wattrein::trace
