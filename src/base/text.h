#pragma once
// Small pure helpers for text that comes from outside or goes to people. Locale-independent throughout.

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"

namespace wattrein {

[[nodiscard]] std::string_view trim(std::string_view s);
[[nodiscard]] std::string lower(std::string_view s);  // ASCII only
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b);

/// The whole of `s` (blanks around it aside) as a finite number; nothing on anything else.
[[nodiscard]] std::optional<double> parse_double(std::string_view s);
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view s);

/// "400W", "3.2kW", "500mW", "1MW". A unit is required and power must be above zero: what an option takes.
[[nodiscard]] Result<Watts> parse_watts(std::string_view s, std::string_view where);
/// "500ms", "30s", "5min", "3h". A unit is required and time must be above zero.
[[nodiscard]] Result<Nanos> parse_duration(std::string_view s, std::string_view where);

/// The name nearest to `unknown` by edit distance, or empty when none is near enough to be meant.
[[nodiscard]] std::string_view nearest(std::string_view unknown, std::span<const std::string_view> known);

/// "500 ms", "30 s", "5 min", "3 h", "1 min 12 s": rounded, for people.
[[nodiscard]] std::string format_duration(Nanos t);
/// As format_duration where that is exact, else with all digits: "1.001 s", "1 h 0 min 1 s". For windows and limits,
/// of which different ones must look different.
[[nodiscard]] std::string exact_duration(Nanos t);
/// Exact, as an option would take it and JSON keys carry it: "500ms", "30s", "5min", "1500ms".
[[nodiscard]] std::string duration_key(Nanos t);
/// As exact_duration, rounded to the millisecond where that still shows which of the two is the longer.
[[nodiscard]] std::string duration_beside(Nanos t, Nanos other);
/// "2025-07-27 00:22:27.858" in UTC.
[[nodiscard]] std::string format_unix_ns(std::int64_t unix_ns);

/// "1 row", "4 rows".
template <std::integral T>
[[nodiscard]] std::string counted(T n, std::string_view noun) {
  return std::to_string(n).append(" ").append(noun).append(n == 1 ? "" : "s");
}
/// "once", "twice", "3 times".
[[nodiscard]] std::string times(std::int64_t n);

/// Bytes of the valid UTF-8 character at the start of `s`; 0 where there is none.
[[nodiscard]] std::size_t utf8_length(std::string_view s);

/// A line of an outside file made safe to print: control characters and bytes that are no UTF-8 escaped, cut to
/// `max` characters with dots.
[[nodiscard]] std::string printable(std::string_view s, std::size_t max = 78);
/// The same, with the dots in the middle: names of a kind differ at their end ("52_mlp...-ac/node").
[[nodiscard]] std::string printable_ends(std::string_view s, std::size_t max);

}  // namespace wattrein
