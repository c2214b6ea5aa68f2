#include "trace/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPresentBegin = 631'152'000;          // 1990-01-01
constexpr std::int64_t kPresentEnd = 4'000'000'000;          // 2096
constexpr int kLastYear = 2095;                              // a later one is a damaged digit
constexpr std::int64_t kFarthest = 4'000'000'000 * kSecond;  // the difference of any two stamps fits
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr std::int64_t kJitter = 120 * kSecond;
constexpr std::int64_t kCorrection = 600 * kSecond;  // the most that a clock is put right by
constexpr std::int64_t kNight = 3600 * kSecond;      // the longest hole at midnight that needs no word
constexpr std::int64_t kFirstSheetDay = 36'526;      // 2000-01-01, in days since 1899-12-30
constexpr std::int64_t kLastSheetDay = 60'000;
constexpr std::int64_t kSheetDayOf1970 = 25'569;
constexpr std::array<std::int64_t, 4> kScale{kSecond, 1'000'000, 1'000, 1};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool present_day(std::int64_t count, std::int64_t scale) {
  const std::int64_t per_second = kSecond / scale;
  return count / per_second >= kPresentBegin && count / per_second < kPresentEnd;
}

/// Present-day epochs in s, ms, us and ns are a thousand apart, so that one unit fits at most.
std::optional<TimeUnit> epoch_unit(std::int64_t count) {
  const auto fits = std::ranges::find_if(kScale, [count](std::int64_t scale) { return present_day(count, scale); });
  if (fits == kScale.end()) return std::nullopt;
  return static_cast<TimeUnit>(fits - kScale.begin());
}

std::optional<std::int64_t> midnight_of(int year, int month, int day) {
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(std::max(month, 0))},
                            std::chrono::day{static_cast<unsigned>(std::max(day, 0))}};
  if (year < 1970 || year > kLastYear || !date.ok()) return std::nullopt;
  return std::int64_t{sys_days{date}.time_since_epoch().count()} * kDay;
}

}  // namespace

std::optional<TimeUnit> parse_time_unit(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, TimeUnit>, 23> kNames{{
      {"s", TimeUnit::s},
      {"sec", TimeUnit::s},
      {"secs", TimeUnit::s},
      {"second", TimeUnit::s},
      {"seconds", TimeUnit::s},
      {"ms", TimeUnit::ms},
      {"msec", TimeUnit::ms},
      {"millis", TimeUnit::ms},
      {"millisecond", TimeUnit::ms},
      {"milliseconds", TimeUnit::ms},
      {"us", TimeUnit::us},
      {"usec", TimeUnit::us},
      {"micros", TimeUnit::us},
      {"microsecond", TimeUnit::us},
      {"microseconds", TimeUnit::us},
      {"\xc2\xb5s", TimeUnit::us},
      {"\xce\xbcs", TimeUnit::us},
      {"ns", TimeUnit::ns},
      {"nsec", TimeUnit::ns},
      {"nanos", TimeUnit::ns},
      {"nano", TimeUnit::ns},
      {"nanosecond", TimeUnit::ns},
      {"nanoseconds", TimeUnit::ns},
  }};
  const std::string_view wanted = trim(text);
  for (const auto& [known, unit] : kNames) {
    if (equal_ignoring_case(known, wanted)) return unit;
  }
  return std::nullopt;
}

std::string_view name(TimeUnit unit) {
  static constexpr std::array<std::string_view, 4> kNames{"s", "ms", "us", "ns"};
  return kNames[static_cast<std::size_t>(unit)];
}

std::optional<TimeUnit> unit_of_epoch(std::string_view text) {
  const auto number = parse_double(text.substr(0, text.find_first_of(".,")));
  if (!number || !(*number >= 0.0 && *number < 9e18)) return std::nullopt;
  return epoch_unit(static_cast<std::int64_t>(*number));
}

bool is_spreadsheet_day(std::string_view text, Decimals decimals) {
  std::size_t at = 0;
  const int day = stamp_digits(text, at, 6);
  if (day < kFirstSheetDay || day >= kLastSheetDay || at == text.size()) return false;
  if (text[at] != (decimals == Decimals::comma ? ',' : '.')) return false;
  const std::string_view fraction = text.substr(at + 1);
  return !fraction.empty() && std::ranges::all_of(fraction, is_digit);
}

std::optional<DateOrder> parse_date_order(std::string_view text) {
  if (equal_ignoring_case(text, "dmy")) return DateOrder::dmy;
  if (equal_ignoring_case(text, "mdy")) return DateOrder::mdy;
  return std::nullopt;
}

DateOrderSample sample_date_order(std::span<const std::string_view> cells) {
  DateOrderSample sample;
  std::size_t day_first = 0;
  std::size_t month_first = 0;
  for (const std::string_view cell : cells) {
    const auto form = take_stamp_apart(cell);
    if (!form || !form->order_open() || form->year_open) continue;
    if (sample.example.empty()) sample.example = cell;
    if (form->first > 12) ++day_first;
    if (form->second > 12) ++month_first;
  }
  // A few that contradict are damaged rows; more of them are a column of two minds.
  if (day_first > 0 && month_first * 20 <= day_first) sample.order = DateOrder::dmy;
  if (month_first > 0 && day_first * 20 <= month_first) sample.order = DateOrder::mdy;
  return sample;
}

std::optional<std::int64_t> StampParser::parse(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = trim(text.substr(1, text.size() - 2));
  if (text.empty()) return std::nullopt;
  // A calendar stamp has its first separator behind the year.
  if (text.size() >= 14 && (text[4] == '-' || text[4] == '/')) {
    if (const auto ns = parse_calendar(text)) return ns;
  } else if (const auto ns = parse_number(text)) {
    return ns;
  }
  return parse_free(text);
}

std::optional<std::int64_t> StampParser::parse_free(std::string_view text) {
  const auto form = take_stamp_apart(text);
  if (!form) return std::nullopt;
  if (!form->has_date()) return form->zone.offset_ns != 0 ? std::nullopt : roll_over(form->clock_ns);
  int day = form->day;
  int month = form->month;
  if (form->order_open()) {
    if (order_ == DateOrder::unknown) return std::nullopt;
    day = order_ == DateOrder::dmy ? form->first : form->second;
    month = order_ == DateOrder::dmy ? form->second : form->first;
  }
  const auto midnight = midnight_of(form->year, month, day);
  if (!midnight || dateless_) return std::nullopt;
  dated_ = true;
  (form->zone.given ? zone_ : no_zone_) = true;
  if (zone_name_.empty()) zone_name_ = form->zone_name;
  away_ = away_ || form->zone.offset_ns != 0;
  return *midnight + form->clock_ns - form->zone.offset_ns;
}

/// A time of day on the day that it must be: rows are in order but for a jitter.
std::optional<std::int64_t> StampParser::roll_over(std::int64_t clock_ns) {
  if (dated_) return std::nullopt;
  dateless_ = true;
  const std::int64_t step = last_clock_ns_ < 0 ? 0 : clock_ns - last_clock_ns_;
  std::int64_t day = day_;
  back_step_ = Nanos(0);
  if (step < -(in_order_ ? kCorrection : kDay / 2)) {
    ++day;
    if (step > kNight - kDay) back_step_ = Nanos(-step);
  } else if (step > kDay - kJitter && day_ > 0) {
    --day;  // a row that is a little late, just past midnight
  }
  if (day >= kFarthest / kDay) return std::nullopt;
  day_ = day;
  last_clock_ns_ = clock_ns;
  return day * kDay + clock_ns;
}

std::optional<std::int64_t> StampParser::parse_date(std::string_view text, std::size_t& at) {
  if (text.size() > 10 && std::memcmp(text.data(), date_, sizeof date_) == 0) {
    at = sizeof date_;
    return midnight_ns_;
  }
  const int year = stamp_digits(text, at, 4);
  const char separator = text[at];  // parse() has looked at it
  ++at;
  const int month = stamp_digits(text, at, 2);
  if (at >= text.size() || text[at] != separator) return std::nullopt;
  ++at;
  const int day = stamp_digits(text, at, 2);
  const auto midnight = midnight_of(year, month, day);
  if (!midnight) return std::nullopt;
  if (at == sizeof date_) {
    std::memcpy(date_, text.data(), sizeof date_);
    midnight_ns_ = *midnight;
  }
  return midnight;
}

std::optional<std::int64_t> StampParser::parse_calendar(std::string_view text) {
  std::size_t at = 0;
  const auto midnight = parse_date(text, at);
  if (!midnight || at >= text.size()) return std::nullopt;
  if (text[at] != ' ' && text[at] != 'T' && text[at] != 't') return std::nullopt;
  do ++at;
  while (at < text.size() && text[at] == ' ');
  const auto clock = parse_stamp_clock(text, at);
  if (!clock) return std::nullopt;
  const auto zone = at == text.size() ? StampZone{} : parse_stamp_zone(text.substr(at));
  if (!zone || dateless_) return std::nullopt;
  dated_ = true;
  (zone->given ? zone_ : no_zone_) = true;
  away_ = away_ || zone->offset_ns != 0;
  return *midnight + clock->ns - zone->offset_ns;
}

std::optional<std::int64_t> StampParser::parse_number(std::string_view text) {
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  std::size_t at = 0;
  std::int64_t whole = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (__builtin_mul_overflow(whole, std::int64_t{10}, &whole) ||
        __builtin_add_overflow(whole, std::int64_t{text[at] - '0'}, &whole)) {
      return std::nullopt;
    }
  }
  const bool any = at > 0;
  std::int64_t billionths = 0;
  const std::size_t whole_end = at;
  if (at < text.size() && (text[at] == '.' ? !comma_ : text[at] == ',' && comma_)) {
    ++at;
    if (!any && (at == text.size() || !is_digit(text[at]))) return std::nullopt;
    billionths = stamp_fraction(text, at);
  } else if (!any) {
    return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;

  if (spreadsheet_) {
    if (negative || whole < kFirstSheetDay || whole >= kLastSheetDay) return std::nullopt;
    numeric_ = Numeric::epoch;
    no_zone_ = true;
    // To the microsecond, since a spreadsheet's number holds no more.
    const auto fraction = parse_double(fmt::format("0.{}", text.substr(std::min(whole_end + 1, text.size()))));
    return (whole - kSheetDayOf1970) * kDay +
           std::llround(fraction.value_or(0.0) * static_cast<double>(kDay / 1000)) * 1000;
  }
  if (!unit_) {
    unit_ = negative ? std::nullopt : epoch_unit(whole);
    if (!unit_) return std::nullopt;
  }
  const std::int64_t scale = kScale[static_cast<std::size_t>(*unit_)];
  const bool epoch = !negative && present_day(whole, scale);
  if (numeric_ == Numeric::none) {
    numeric_ = epoch ? Numeric::epoch : Numeric::relative;
    if (!epoch && !negative) epoch_otherwise_ = epoch_unit(whole);
  }
  // On an epoch clock a stamp decades off is a damaged one.
  if (numeric_ == Numeric::epoch && !epoch) return std::nullopt;
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(whole, scale, &ns) || __builtin_add_overflow(ns, billionths / (kSecond / scale), &ns)) {
    return std::nullopt;
  }
  if (ns > kFarthest) return std::nullopt;
  return negative ? -ns : ns;
}

std::string StampParser::zone_note() const {
  if (zone_name_.empty()) return {};
  return fmt::format("The stamps name the zone '{}', which says no offset: they were taken as UTC.",
                     printable(zone_name_, 10));
}

std::string StampParser::describe() const {
  const std::string_view unit = name(unit_.value_or(TimeUnit::s));  // known where stamps are numbers
  if (spreadsheet_ && numeric_ == Numeric::epoch) return "a spreadsheet's days since 1899-12-30 (taken as UTC)";
  if (numeric_ == Numeric::epoch) return fmt::format("unix epoch in {}", unit);
  if (numeric_ == Numeric::relative) return fmt::format("{} from the log's own zero", unit);
  if (dateless_) return "time of day, no date";
  if (mixed_zones()) return "wall clock, with a zone in some rows only";
  return zone_ ? "wall clock with zone" : "wall clock, no zone (taken as UTC)";
}

}  // namespace wattrein::trace
