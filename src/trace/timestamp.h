#pragma once
// Stamps of logs into unix nanoseconds: exact, independent of locale and time zone database.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/units.h"
#include "trace/number_format.h"
#include "trace/stamp_form.h"

namespace wattrein::trace {

enum class TimeUnit : std::uint8_t { s, ms, us, ns };
[[nodiscard]] std::optional<TimeUnit> parse_time_unit(std::string_view name);  // "s", "ms", "us", "ns" and long forms
[[nodiscard]] std::string_view name(TimeUnit unit);

/// The unit in which a number is a present-day epoch (1990 to 2096); nothing where none is, or it is no number.
[[nodiscard]] std::optional<TimeUnit> unit_of_epoch(std::string_view text);
/// A moment of 2000 to 2064 as spreadsheets count it: days since 1899-12-30, with a fraction.
[[nodiscard]] bool is_spreadsheet_day(std::string_view text, Decimals decimals);

/// Which of "05/01/2025" is the day. Dates with dots have the day first, those with the year first need no order.
enum class DateOrder : std::uint8_t { unknown, dmy, mdy };
[[nodiscard]] std::optional<DateOrder> parse_date_order(std::string_view name);  // "dmy", "mdy"

/// What a column's dates show of their order: a number above 12 is no month.
struct DateOrderSample {
  DateOrder order = DateOrder::unknown;
  std::string_view example{};  ///< a date that needs an order; empty where none does
};
[[nodiscard]] DateOrderSample sample_date_order(std::span<const std::string_view> cells);

/// Reads one column's stamps. Calendar stamps: "2025/07/27 00:22:27.858", ISO 8601 with 'T' or a blank, one- or
/// two-digit fields, a fraction of up to nine digits, a zone of Z, UTC, +08:00, +0800, +08 or none (taken as UTC).
/// Other forms are those of stamp_form.h; a zone that is a name ("CET") is taken as none (zone_note()). Clocks without
/// a date count from the first one's midnight, and a step back by more than 12 h is the next day's (wall() false).
/// Numbers: counted in `unit`, decimal digits to nanoseconds without a double between. Without a unit the first
/// number decides: a present-day epoch (1990 to 2096) fits one unit only; any other number is then unreadable.
/// With a unit, numbers that are no present-day epoch count from an origin of their own (wall() false).
/// Threads: one.
class StampParser {
 public:
  explicit StampParser(std::optional<TimeUnit> unit = {}) : unit_(unit), stated_(unit.has_value()) {}
  /// Dates with their year last and without dots are unreadable while the order is unknown. To be set where a tool is
  /// known to write one, where a column shows it (sample_date_order) or where it was stated.
  void set_date_order(DateOrder order) { order_ = order; }
  /// The stamps come in the order in which they were written, as those of polls do and those of tables need not: of a
  /// clock without a date every step back is the next day's that is larger than a clock that is put right makes.
  void set_in_order() { in_order_ = true; }
  /// Numbers are days since 1899-12-30 of a wall clock without a zone, as spreadsheets keep a moment.
  void set_spreadsheet_days() { spreadsheet_ = true; }
  /// Numbers with a comma are unreadable unless that is where their decimals begin.
  void set_decimals(Decimals decimals) { comma_ = decimals == Decimals::comma; }

  /// Nanoseconds since 1970 UTC, or since the clock's own zero; nothing when it is no stamp.
  [[nodiscard]] std::optional<std::int64_t> parse(std::string_view text);

  [[nodiscard]] bool wall() const { return numeric_ != Numeric::relative && !dateless_; }
  [[nodiscard]] bool has_zone() const { return !no_zone_; }
  [[nodiscard]] bool mixed_zones() const { return zone_ && no_zone_; }
  /// A zone was other than UTC.
  [[nodiscard]] bool away_from_utc() const { return away_; }
  [[nodiscard]] bool calendar() const { return dated_ || dateless_; }
  /// Every stamp so far had a date and no zone of any kind.
  [[nodiscard]] bool plain_calendar() const {
    return dated_ && no_zone_ && !zone_ && zone_name_.empty() && numeric_ == Numeric::none;
  }
  /// For the reader's notes: names of zones ("CET", "IST") are not unique, so that the first one was not looked up;
  /// empty where there is none.
  [[nodiscard]] std::string zone_note() const;
  /// The last stamp was put on the next day though its clock went back by only so much, which is no midnight that the
  /// log ran over; else zero. BackSteps (back_steps.h) makes a note of it.
  [[nodiscard]] Nanos back_step() const { return back_step_; }
  /// The clock was read in the unit stated, and would be a present-day epoch in this one.
  [[nodiscard]] std::optional<TimeUnit> epoch_otherwise() const { return epoch_otherwise_; }
  /// The unit of a numeric clock was found from its size.
  [[nodiscard]] bool inferred() const { return numeric_ == Numeric::epoch && !stated_ && !spreadsheet_; }
  /// As in Understanding::clock: "wall clock, no zone", "unix epoch in us", "seconds from the log's own zero".
  [[nodiscard]] std::string describe() const;

 private:
  enum class Numeric : std::uint8_t { none, epoch, relative };
  std::optional<std::int64_t> parse_calendar(std::string_view text);
  std::optional<std::int64_t> parse_number(std::string_view text);
  std::optional<std::int64_t> parse_free(std::string_view text);
  std::optional<std::int64_t> roll_over(std::int64_t clock_ns);
  std::optional<std::int64_t> parse_date(std::string_view text, std::size_t& at);

  std::optional<TimeUnit> unit_;
  bool stated_;
  Numeric numeric_ = Numeric::none;
  bool zone_ = false;
  bool no_zone_ = false;
  bool dated_ = false;     ///< calendar stamps with a date, or
  bool dateless_ = false;  ///< without one: never both
  bool comma_ = false;
  bool away_ = false;
  bool spreadsheet_ = false;
  bool in_order_ = false;
  DateOrder order_ = DateOrder::unknown;
  std::optional<TimeUnit> epoch_otherwise_;
  std::string zone_name_;
  std::int64_t day_ = 0;  ///< of a clock without dates
  std::int64_t last_clock_ns_ = -1;
  Nanos back_step_{0};
  char date_[10] = {};  ///< the last ten-character date and its midnight: logs repeat it for hours
  std::int64_t midnight_ns_ = 0;
};

}  // namespace wattrein::trace
