#pragma once
// Words in the name of a column or metric that make a power no draw: limits, ratings, what is left or was saved,
// statistics of the draw, and quantities that are no power at all. Tables and metrics go by the same words.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trace/table_layout.h"

namespace wattrein::trace {

/// Of a word in lower case, as ColumnName has them.
[[nodiscard]] bool says_no_draw(std::string_view word);
/// The same of an energy, of which a count that only grows and one in hours are what a counter is.
[[nodiscard]] bool says_no_counter(std::string_view word);

/// The word that makes the power or energy that `name` speaks of no draw; nothing where there is none, or where it
/// speaks of neither.
[[nodiscard]] std::optional<std::string> passed_over_for(const ColumnName& name);

/// ": 'tdp_w' is passed over for the word 'tdp'" for the first few of such names; empty where there is none.
[[nodiscard]] std::string passed_over(std::span<const ColumnName> names);

}  // namespace wattrein::trace
