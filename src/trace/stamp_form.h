#pragma once
// Stamps in the forms that people and tools write: taken apart, not yet put together (that is timestamp.h).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wattrein::trace {

/// Digits at `at`, at most `max_digits`, as a number; `at` moves behind them; -1 when there is none.
int stamp_digits(std::string_view text, std::size_t& at, std::size_t max_digits);
/// A fraction's digits behind the separator, as billionths; digits past the ninth are dropped.
std::int64_t stamp_fraction(std::string_view text, std::size_t& at);

struct StampZone {
  bool given = false;
  std::int64_t offset_ns = 0;
};
/// "Z", "UTC", "GMT", "+08:00", "+0800", "+08" or nothing at all.
[[nodiscard]] std::optional<StampZone> parse_stamp_zone(std::string_view text);

/// "H:M", "H:M:S", "H:M:S.f", "H:M:S,f" or "H:M:S:mmm" at `at`, which moves behind it: nanoseconds since midnight.
struct StampClock {
  std::int64_t ns = 0;
  bool seconds = false;  ///< were given
};
[[nodiscard]] std::optional<StampClock> parse_stamp_clock(std::string_view text, std::size_t& at);

struct StampForm {
  int year = -1;  ///< -1, like month and day: not given
  int month = -1;
  int day = -1;
  int first = -1;  ///< "05/01/2025": day and month in either order
  int second = -1;
  bool year_open = false;  ///< "11-30-26": only who knows the order knows that the year comes last
  std::int64_t clock_ns = 0;
  StampZone zone;
  std::string_view zone_name;  ///< "CET": which zone that is depends on who says it

  [[nodiscard]] bool has_date() const { return year >= 0; }
  [[nodiscard]] bool order_open() const { return first >= 0; }
};

/// "23:59:58.9", "31.12.2025 23:59:59", "05/01/2025 5:41:14 PM", "Mon Nov 30 17:41:14 2026", "30-Nov-2026 17:41:14",
/// "Mon, 30 Nov 2026 17:41:14 +0100", "Mon Nov 30 05:41:14 PM CET 2026", "20250727T002227Z", and what lies between:
/// what `date`, `date -R` and ctime print in any locale's order. A clock is always part of it. Dots mean that the day
/// comes first.
[[nodiscard]] std::optional<StampForm> take_stamp_apart(std::string_view text);

}  // namespace wattrein::trace
