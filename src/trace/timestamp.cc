#include "trace/timestamp.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kPresentBegin = 631'152'000;          // 1990-01-01
constexpr std::int64_t kPresentEnd = 4'000'000'000;          // 2096
constexpr std::int64_t kFarthest = 4'000'000'000 * kSecond;  // the difference of any two stamps fits
constexpr std::array<std::int64_t, 4> kScale{kSecond, 1'000'000, 1'000, 1};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Up to `max_digits` digits at `at`, which moves behind them; -1 when there is none.
int digits(std::string_view text, std::size_t& at, std::size_t max_digits) {
  int value = 0;
  const std::size_t stop = std::min(text.size(), at + max_digits);
  const std::size_t start = at;
  while (at < stop && is_digit(text[at])) value = value * 10 + (text[at++] - '0');
  return at == start ? -1 : value;
}

/// A fraction's digits behind the separator, as billionths; digits past the ninth are dropped.
std::int64_t fraction(std::string_view text, std::size_t& at) {
  std::int64_t value = 0;
  int taken = 0;
  for (; at < text.size() && is_digit(text[at]); ++at) {
    if (taken < 9) {
      value = value * 10 + (text[at] - '0');
      ++taken;
    }
  }
  for (; taken < 9; ++taken) value *= 10;
  return value;
}

struct Zone {
  bool given = false;
  std::int64_t offset_ns = 0;
};

std::optional<Zone> parse_zone(std::string_view text) {
  text = trim(text);
  if (text.empty()) return Zone{};
  if (text == "Z" || text == "z" || text == "UTC" || text == "GMT") return Zone{.given = true};
  if (text[0] != '+' && text[0] != '-') return std::nullopt;
  std::size_t at = 1;
  const int hours = digits(text, at, 2);
  if (at < text.size() && text[at] == ':') ++at;
  const int minutes = at < text.size() ? digits(text, at, 2) : 0;
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59 || at != text.size()) return std::nullopt;
  const std::int64_t offset = (hours * std::int64_t{3600} + minutes * std::int64_t{60}) * kSecond;
  return Zone{.given = true, .offset_ns = text[0] == '-' ? -offset : offset};
}

bool present_day(std::int64_t count, std::int64_t scale) {
  const std::int64_t per_second = kSecond / scale;
  return count / per_second >= kPresentBegin && count / per_second < kPresentEnd;
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

std::optional<std::int64_t> StampParser::parse(std::string_view text) {
  text = trim(text);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = trim(text.substr(1, text.size() - 2));
  if (text.empty()) return std::nullopt;
  // A calendar stamp has its first separator behind the year.
  if (text.size() >= 14 && (text[4] == '-' || text[4] == '/')) return parse_calendar(text);
  return parse_number(text);
}

std::optional<std::int64_t> StampParser::parse_date(std::string_view text, std::size_t& at) {
  if (text.size() > 10 && std::memcmp(text.data(), date_, sizeof date_) == 0) {
    at = sizeof date_;
    return midnight_ns_;
  }
  const int year = digits(text, at, 4);
  const char separator = text[at];  // parse() has looked at it
  ++at;
  const int month = digits(text, at, 2);
  if (at >= text.size() || text[at] != separator) return std::nullopt;
  ++at;
  const int day = digits(text, at, 2);
  using namespace std::chrono;
  const year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(std::max(month, 0))},
                            std::chrono::day{static_cast<unsigned>(std::max(day, 0))}};
  if (year < 1970 || year > 2261 || !date.ok()) return std::nullopt;
  const std::int64_t midnight = std::int64_t{sys_days{date}.time_since_epoch().count()} * 86'400 * kSecond;
  if (at == sizeof date_) {
    std::memcpy(date_, text.data(), sizeof date_);
    midnight_ns_ = midnight;
  }
  return midnight;
}

std::optional<std::int64_t> StampParser::parse_calendar(std::string_view text) {
  std::size_t at = 0;
  const auto midnight = parse_date(text, at);
  if (!midnight || at >= text.size()) return std::nullopt;
  if (text[at] != ' ' && text[at] != 'T' && text[at] != 't') return std::nullopt;
  while (++at < text.size() && text[at] == ' ') {}
  const int hour = digits(text, at, 2);
  if (hour < 0 || hour > 23 || at >= text.size() || text[at] != ':') return std::nullopt;
  ++at;
  const int minute = digits(text, at, 2);
  if (minute < 0 || minute > 59) return std::nullopt;
  int second = 0;
  std::int64_t part = 0;
  if (at < text.size() && text[at] == ':') {
    ++at;
    second = digits(text, at, 2);
    if (second < 0 || second > 60) return std::nullopt;
    if (at + 1 < text.size() && (text[at] == '.' || text[at] == ',') && is_digit(text[at + 1])) {
      ++at;
      part = fraction(text, at);
    }
  }
  const auto zone = at == text.size() ? Zone{} : parse_zone(text.substr(at));
  if (!zone) return std::nullopt;
  (zone->given ? zone_ : no_zone_) = true;
  return *midnight + (hour * std::int64_t{3600} + minute * std::int64_t{60} + second) * kSecond + part -
         zone->offset_ns;
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
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!any && (at == text.size() || !is_digit(text[at]))) return std::nullopt;
    billionths = fraction(text, at);
  } else if (!any) {
    return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;

  if (!unit_) {
    // Present-day epochs in s, ms, us and ns are a thousand apart, so that one unit fits at most.
    const auto fits = std::ranges::find_if(kScale, [whole](std::int64_t scale) { return present_day(whole, scale); });
    if (negative || fits == kScale.end()) return std::nullopt;
    unit_ = static_cast<TimeUnit>(fits - kScale.begin());
  }
  const std::int64_t scale = kScale[static_cast<std::size_t>(*unit_)];
  const bool epoch = !negative && present_day(whole, scale);
  if (numeric_ == Numeric::none) numeric_ = epoch ? Numeric::epoch : Numeric::relative;
  // On an epoch clock a stamp decades off is a damaged one.
  if (numeric_ == Numeric::epoch && !epoch) return std::nullopt;
  std::int64_t ns = 0;
  if (__builtin_mul_overflow(whole, scale, &ns) || __builtin_add_overflow(ns, billionths / (kSecond / scale), &ns)) {
    return std::nullopt;
  }
  if (ns > kFarthest) return std::nullopt;
  return negative ? -ns : ns;
}

std::string StampParser::describe() const {
  if (numeric_ == Numeric::epoch) return fmt::format("unix epoch in {}", name(*unit_));
  if (numeric_ == Numeric::relative) return fmt::format("{} from the log's own zero", name(*unit_));
  if (mixed_zones()) return "wall clock, with a zone in some rows only";
  return zone_ ? "wall clock with zone" : "wall clock, no zone (taken as UTC)";
}

}  // namespace wattrein::trace
