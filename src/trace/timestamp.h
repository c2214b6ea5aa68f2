#pragma once
// Stamps of logs into unix nanoseconds: exact, independent of locale and time zone database.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wattrein::trace {

enum class TimeUnit : std::uint8_t { s, ms, us, ns };
[[nodiscard]] std::optional<TimeUnit> parse_time_unit(std::string_view name);  // "s", "ms", "us", "ns" and long forms
[[nodiscard]] std::string_view name(TimeUnit unit);

/// Reads one column's stamps. Calendar stamps: "2025/07/27 00:22:27.858", ISO 8601 with 'T' or a blank, one- or
/// two-digit fields, a fraction of up to nine digits, a zone of Z, UTC, +08:00, +0800, +08 or none (taken as UTC).
/// Numbers: counted in `unit`, decimal digits to nanoseconds without a double between. Without a unit the first
/// number decides: a present-day epoch (1990 to 2096) fits one unit only; any other number is then unreadable.
/// With a unit, numbers that are no present-day epoch count from an origin of their own (wall() false).
/// Threads: one.
class StampParser {
 public:
  explicit StampParser(std::optional<TimeUnit> unit = {}) : unit_(unit), stated_(unit.has_value()) {}

  /// Nanoseconds since 1970 UTC, or since the clock's own zero; nothing when it is no stamp.
  [[nodiscard]] std::optional<std::int64_t> parse(std::string_view text);

  [[nodiscard]] bool wall() const { return numeric_ != Numeric::relative; }
  [[nodiscard]] bool has_zone() const { return !no_zone_; }
  [[nodiscard]] bool mixed_zones() const { return zone_ && no_zone_; }
  /// The unit of a numeric clock was found from its size.
  [[nodiscard]] bool inferred() const { return numeric_ == Numeric::epoch && !stated_; }
  /// As in Understanding::clock: "wall clock, no zone", "unix epoch in us", "seconds from the log's own zero".
  [[nodiscard]] std::string describe() const;

 private:
  enum class Numeric : std::uint8_t { none, epoch, relative };
  std::optional<std::int64_t> parse_calendar(std::string_view text);
  std::optional<std::int64_t> parse_number(std::string_view text);
  std::optional<std::int64_t> parse_date(std::string_view text, std::size_t& at);

  std::optional<TimeUnit> unit_;
  bool stated_;
  Numeric numeric_ = Numeric::none;
  bool zone_ = false;
  bool no_zone_ = false;
  char date_[10] = {};  ///< the last ten-character date and its midnight: logs repeat it for hours
  std::int64_t midnight_ns_ = 0;
};

}  // namespace wattrein::trace
