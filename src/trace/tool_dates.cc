#include "trace/tool_dates.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxText = 64;  // no stamp is longer

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  constexpr std::string_view kBlanks = " \t";
  std::size_t at = text.find_first_not_of(kBlanks);
  while (at != std::string_view::npos) {
    const std::size_t end = text.find_first_of(kBlanks, at);
    words.push_back(text.substr(at, end - at));
    at = end == std::string_view::npos ? end : text.find_first_not_of(kBlanks, end);
  }
  return words;
}

std::optional<int> number(std::string_view text, std::size_t min_digits, std::size_t max_digits) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || text.size() < min_digits || text.size() > max_digits) return std::nullopt;
  return static_cast<int>(*parse_int(text));
}

struct Clock {
  int hour = 0;
  int minute = 0;
  std::string_view seconds{};  ///< with their fraction
};

std::optional<Clock> clock_of(std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto hour = number(text.substr(0, first), 1, 2);
  const auto minute = number(text.substr(first + 1, second - first - 1), 1, 2);
  if (!hour || !minute || *hour > 23 || second + 1 == text.size()) return std::nullopt;
  return Clock{.hour = *hour, .minute = *minute, .seconds = text.substr(second + 1)};
}

/// "+0200", "UTC"; a name that is not unique becomes nothing.
std::string zone_of(std::string_view text) {
  if (text == "UTC" || text == "GMT" || text == "Z") return "Z";
  return text.starts_with('+') || text.starts_with('-') ? std::string(text) : std::string();
}

std::string iso(int year, int month, int day, const Clock& clock, std::string_view zone) {
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{}{}", year, month, day, clock.hour, clock.minute, clock.seconds,
                     zone);
}

}  // namespace

std::optional<std::string> iso_of_ctime(std::string_view text) {
  static constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() > kMaxText) return std::nullopt;
  const auto words = words_of(text);
  if (words.size() < 5 || words.size() > 6 || words[0].size() != 3) return std::nullopt;
  const auto month = std::ranges::find(kMonths, words[1]);
  const auto day = number(words[2], 1, 2);
  const auto clock = clock_of(words[3]);
  if (month == kMonths.end() || !day || !clock) return std::nullopt;
  const auto year_here = number(words[4], 4, 4);
  const auto year = year_here || words.size() == 5 ? year_here : number(words[5], 4, 4);
  if (!year) return std::nullopt;
  const std::string zone = words.size() == 5 ? std::string() : zone_of(year_here ? words[5] : words[4]);
  return iso(*year, static_cast<int>(month - kMonths.begin()) + 1, *day, *clock, zone);
}

std::optional<std::string> iso_of_month_first(std::string_view text) {
  if (text.size() > kMaxText) return std::nullopt;
  const auto words = words_of(text);
  if (words.size() < 2 || words.size() > 4) return std::nullopt;
  const std::string_view date = words[0];
  if (date.size() < 8 || (date[2] != '/' && date[2] != '-') || date[5] != date[2]) return std::nullopt;
  const auto month = number(date.substr(0, 2), 2, 2);
  const auto day = number(date.substr(3, 2), 2, 2);
  auto year = number(date.substr(6), 2, 4);
  auto clock = clock_of(words[1]);
  if (!month || !day || !year || date.size() == 9 || !clock) return std::nullopt;
  if (*year < 100) *year += 2000;
  std::size_t next = 2;
  if (next < words.size() && (words[next] == "AM" || words[next] == "PM")) {
    if (clock->hour < 1 || clock->hour > 12) return std::nullopt;
    clock->hour = clock->hour % 12 + (words[next] == "PM" ? 12 : 0);
    ++next;
  }
  const std::string zone = next < words.size() ? zone_of(words[next]) : std::string();
  return iso(*year, *month, *day, *clock, zone);
}

}  // namespace wattrein::trace
