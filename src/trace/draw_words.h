#pragma once
// Words in the name of a column, metric or sensor that make a power no draw of the device or node: limits, ratings,
// estimates, what is left or was saved, statistics of the draw, the draw of something else (fans, disks, solar cells),
// and quantities that are no power at all. All readers that go by names go by this one list.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trace/table_layout.h"

namespace wattrein::trace {

/// "power", "watts", "draw", ...: of a word in lower case, as ColumnName has them.
[[nodiscard]] bool says_power(std::string_view word);
/// The same of what makes it no draw.
[[nodiscard]] bool says_no_draw(std::string_view word);
/// One of those: the power of a part or of what stands beside the machine.
[[nodiscard]] bool is_drawn_elsewhere(std::string_view word);
/// The same of an energy, of which a count that only grows and one in hours are what a counter is.
[[nodiscard]] bool says_no_counter(std::string_view word);

/// The word that makes the power or energy that `name` speaks of no draw; nothing where there is none, or where it
/// speaks of neither.
[[nodiscard]] std::optional<std::string> passed_over_for(const ColumnName& name);

/// ": 'tdp_w' is passed over for the word 'tdp'" for the first few of such names; empty where there is none.
[[nodiscard]] std::string passed_over(std::span<const ColumnName> names);

}  // namespace wattrein::trace
