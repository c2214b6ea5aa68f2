#include "trace/stamp_form.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

constexpr std::array<std::string_view, 12> kMonths{"january",   "february", "march",    "april",
                                                   "may",       "june",     "july",     "august",
                                                   "september", "october",  "november", "december"};
constexpr std::array<std::string_view, 7> kDays{"monday", "tuesday",  "wednesday", "thursday",
                                                "friday", "saturday", "sunday"};

/// The place of a name, whole or cut ("Nov", "Sept"); -1 when it is none.
int place_of(std::string_view word, std::span<const std::string_view> names) {
  const auto fits = [word](std::string_view name) {
    return word.size() >= 3 && equal_ignoring_case(word, name.substr(0, word.size()));
  };
  const auto at = std::ranges::find_if(names, fits);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<StampForm> scan() {
    while (at_ < text_.size()) {
      if (!step()) return std::nullopt;
    }
    const bool whole = form_.year >= 0 && (form_.order_open() || (form_.month >= 1 && form_.day >= 1));
    const bool none = form_.year < 0 && form_.month < 0 && form_.day < 0 && !form_.order_open();
    if (!clock_ || (!whole && !none)) return std::nullopt;
    // Without a date "12:34" may as well be minutes and seconds.
    if (none && !clock_->seconds) return std::nullopt;
    form_.clock_ns = clock_->ns;
    return form_;
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  bool step() {
    const char c = peek();
    if (is_digit(c)) return number();
    if (is_letter(c)) return word();
    if (c == ' ' || c == '\t' || c == ',' || c == '_') {
      ++at_;
      return true;
    }
    if (clock_) return (c == '+' || c == '-') && offset();
    // "30-Nov-2026", "30/Nov/2026:17:41:14"
    const bool some = form_.year >= 0 || form_.month >= 0 || form_.day >= 0;
    const bool whole = form_.year >= 0 && (form_.order_open() || (form_.month >= 0 && form_.day >= 0));
    const bool between = (c == '-' || c == '/' || c == '.') && some && !whole;
    if (!between && !(c == ':' && form_.year >= 0)) return false;
    ++at_;
    return true;
  }

  bool number() {
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    const std::size_t n = end - at_;
    const char next = end < text_.size() ? text_[end] : '\0';
    const bool more = end + 1 < text_.size() && is_digit(text_[end + 1]);
    if (!clock_ && next == ':' && more && n <= 2) return clock();
    if (clock_ && form_.year >= 0) return false;
    const bool dateless = form_.year < 0 && form_.month < 0 && form_.day < 0;
    if (dateless && !clock_ && n == 8) return basic(next);
    if (dateless && (next == '/' || next == '.' || next == '-') && more) return date(next);
    if (n == 4 && form_.year < 0) {
      form_.year = stamp_digits(text_, at_, 4);
      return true;
    }
    if (n <= 2 && form_.day < 0) {
      form_.day = stamp_digits(text_, at_, 2);
      return true;
    }
    return false;
  }

  bool clock() {
    clock_ = parse_stamp_clock(text_, at_);
    return clock_.has_value();
  }

  /// "20250727T002227.5"; the clock may have colons too.
  bool basic(char next) {
    form_.year = stamp_digits(text_, at_, 4);
    form_.month = stamp_digits(text_, at_, 2);
    form_.day = stamp_digits(text_, at_, 2);
    if (next != 'T' && next != 't' && next != ' ' && next != '_' && next != '-') return false;
    ++at_;
    std::size_t end = at_;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    if (end - at_ != 6) return is_digit(peek());  // with colons: the next step
    const int hour = stamp_digits(text_, at_, 2);
    const int minute = stamp_digits(text_, at_, 2);
    const int second = stamp_digits(text_, at_, 2);
    if (hour > 23 || minute > 59 || second > 60) return false;
    clock_ =
        StampClock{.ns = (hour * std::int64_t{3600} + minute * std::int64_t{60} + second) * kSecond, .seconds = true};
    if ((peek() == '.' || peek() == ',') && is_digit(peek(1))) {
      ++at_;
      clock_->ns += stamp_fraction(text_, at_);
    }
    return true;
  }

  bool date(char separator) {
    std::array<int, 3> part{};
    std::array<std::size_t, 3> width{};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t start = at_;
      part[i] = stamp_digits(text_, at_, 4);
      width[i] = at_ - start;
      if (part[i] < 0 || is_digit(peek())) return false;
      if (i == 2) break;
      // "30-11 Nov" is none, and neither is "1/2-2025".
      if (peek() != separator) return false;
      ++at_;
    }
    if (width[0] == 4 && width[1] <= 2 && width[2] <= 2) {
      form_.year = part[0];
      form_.month = part[1];
      form_.day = part[2];
      return true;
    }
    const bool short_year = width[2] == 2;
    form_.year_open = short_year && separator == '-';
    if (width[0] > 2 || width[1] > 2 || (width[2] != 4 && !short_year)) return false;
    form_.year = short_year ? 2000 + part[2] : part[2];
    if (separator == '.') {
      form_.day = part[0];
      form_.month = part[1];
    } else {
      form_.first = part[0];
      form_.second = part[1];
    }
    return true;
  }

  bool word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_letter(text_[at_])) ++at_;
    const std::string_view word = text_.substr(start, at_ - start);
    if (!clock_ && form_.has_date() && equal_ignoring_case(word, "t")) return is_digit(peek());
    if (clock_ && (equal_ignoring_case(word, "am") || equal_ignoring_case(word, "pm"))) return half_day(word);
    if (place_of(word, kDays) >= 0) {
      if (peek() == '.') ++at_;
      return true;
    }
    if (const int month = place_of(word, kMonths); month >= 0 && form_.month < 0) {
      form_.month = month + 1;
      if (peek() == '.') ++at_;
      return true;
    }
    return clock_ && zone(word);
  }

  bool half_day(std::string_view word) {
    constexpr std::int64_t kHalf = 43'200 * kSecond;
    if (!clock_ || halved_ || clock_->ns < 3600 * kSecond || clock_->ns >= kHalf + 3600 * kSecond) return false;
    halved_ = true;
    clock_->ns = clock_->ns % kHalf + (word[0] == 'p' || word[0] == 'P' ? kHalf : 0);
    return true;
  }

  bool zone(std::string_view word) {
    if (form_.zone.given || !form_.zone_name.empty() || word.size() > 5) return false;
    const auto known = parse_stamp_zone(word);
    if (known) {
      form_.zone = *known;
      return true;
    }
    if (word.size() < 2 || !std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; })) return false;
    form_.zone_name = word;
    return true;
  }

  /// Also behind UTC or GMT.
  bool offset() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (is_digit(text_[end]) || text_[end] == ':')) ++end;
    const auto zone = parse_stamp_zone(text_.substr(at_, end - at_));
    if (!zone || form_.zone.offset_ns != 0) return false;
    form_.zone = *zone;
    at_ = end;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  StampForm form_;
  std::optional<StampClock> clock_;
  bool halved_ = false;
};

}  // namespace

int stamp_digits(std::string_view text, std::size_t& at, std::size_t max_digits) {
  int value = 0;
  const std::size_t stop = std::min(text.size(), at + max_digits);
  const std::size_t start = at;
  while (at < stop && is_digit(text[at])) value = value * 10 + (text[at++] - '0');
  return at == start ? -1 : value;
}

std::int64_t stamp_fraction(std::string_view text, std::size_t& at) {
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

std::optional<StampZone> parse_stamp_zone(std::string_view text) {
  text = trim(text);
  if (text.empty()) return StampZone{};
  if (text == "Z" || text == "z" || text == "UTC" || text == "GMT") return StampZone{.given = true};
  if (text[0] != '+' && text[0] != '-') return std::nullopt;
  std::size_t at = 1;
  const int hours = stamp_digits(text, at, 2);
  if (at < text.size() && text[at] == ':') ++at;
  const int minutes = at < text.size() ? stamp_digits(text, at, 2) : 0;
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59 || at != text.size()) return std::nullopt;
  const std::int64_t offset = (hours * std::int64_t{3600} + minutes * std::int64_t{60}) * kSecond;
  return StampZone{.given = true, .offset_ns = text[0] == '-' ? -offset : offset};
}

std::optional<StampClock> parse_stamp_clock(std::string_view text, std::size_t& at) {
  const int hour = stamp_digits(text, at, 2);
  if (hour < 0 || hour > 23 || at >= text.size() || text[at] != ':') return std::nullopt;
  ++at;
  const int minute = stamp_digits(text, at, 2);
  if (minute < 0 || minute > 59) return std::nullopt;
  StampClock clock{.ns = (hour * std::int64_t{3600} + minute * std::int64_t{60}) * kSecond};
  if (at >= text.size() || text[at] != ':') return clock;
  ++at;
  const int second = stamp_digits(text, at, 2);
  if (second < 0 || second > 60) return std::nullopt;
  clock.ns += second * kSecond;
  clock.seconds = true;
  if (at + 1 >= text.size() || !is_digit(text[at + 1])) return clock;
  if (text[at] == '.' || text[at] == ',') {
    ++at;
    clock.ns += stamp_fraction(text, at);
  } else if (text[at] == ':') {
    // A count of milliseconds: 5 is 0.005 s, and four digits are none.
    ++at;
    const int milliseconds = stamp_digits(text, at, 4);
    if (milliseconds > 999 || (at < text.size() && is_digit(text[at]))) return std::nullopt;
    clock.ns += milliseconds * std::int64_t{1'000'000};
  }
  return clock;
}

std::optional<StampForm> take_stamp_apart(std::string_view text) { return Scanner(trim(text)).scan(); }

}  // namespace wattrein::trace
