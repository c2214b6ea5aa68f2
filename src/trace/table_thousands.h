#pragma once
// Points that stand between thousands: "4.316" is 4316 where decimals have a comma, and no cell of its column may say
// so.

#include <string>
#include <vector>

#include "trace/table_layout.h"

namespace wattrein::trace {

struct GroupedPoints {
  enum class Verdict : unsigned char {
    none,      ///< nothing suggests it
    grouped,   ///< each number fits, and other cells of the file have decimal commas beyond doubt
    open,      ///< each number fits, and a column that never changes has a decimal comma, if it is one
    doubtful,  ///< something suggests it, and something else is against it
  };
  Verdict verdict = Verdict::none;
  std::string example{};   ///< a cell that is read otherwise; empty where there is none in the layout's rows
  std::string shown_by{};  ///< a cell elsewhere that has a decimal comma
};

/// Whether the points of these columns (alike: powers of several devices) stand between thousands. `time` is the column
/// of stamps, or -1; a number above `largest` is none that the columns would hold. JSON's own numbers never have them.
[[nodiscard]] GroupedPoints grouped_points(const Layout& layout, const std::vector<int>& columns, int time,
                                           double largest);

}  // namespace wattrein::trace
