#include "trace/poll_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kLongestStamp = 100;
constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kDays{"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

/// "Nov", "November", "Mon,": the place in `names` of what a word starts with, or -1.
template <std::size_t kCount>
int place_in(const std::array<std::string_view, kCount>& names, std::string_view word) {
  if (word.size() < 3) return -1;
  const std::string start = lower(word.substr(0, 3));
  const auto at = std::ranges::find(names, start);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

bool is_clock(std::string_view word) {
  return word.size() >= 7 && word.find(':') < 3 && word.find_first_not_of("0123456789:.,") == std::string_view::npos;
}

bool is_offset(std::string_view word) {
  return word.size() >= 3 && (word[0] == '+' || word[0] == '-') &&
         word.find_first_not_of("0123456789:", 1) == std::string_view::npos;
}

struct DateWords {
  int year = -1;
  int month = -1;
  int day = -1;
  std::string_view clock;
  std::string_view half;  ///< AM or PM
  std::string_view zone;
  bool zone_dropped = false;

  bool take(std::string_view word);
};

/// One word of a date; false when it is none.
bool DateWords::take(std::string_view word) {
  if (month < 0 && place_in(kMonths, word) >= 0) {
    month = place_in(kMonths, word) + 1;
    return true;
  }
  if (clock.empty() && is_clock(word)) {
    clock = word;
    return true;
  }
  if (const auto number = parse_int(word); number && !is_offset(word)) {
    int& slot = *number > 31 ? year : day;
    if (slot >= 0 || *number < 1 || *number > 9999) return false;
    slot = static_cast<int>(*number);
    return true;
  }
  if (half.empty() && (equal_ignoring_case(word, "AM") || equal_ignoring_case(word, "PM"))) {
    half = word;
    return true;
  }
  const bool known = word == "UTC" || word == "GMT" || word == "Z" || is_offset(word);
  const bool name = word.size() <= 5 && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (!zone.empty() || zone_dropped || (!known && !name)) return false;
  if (known) zone = word;
  zone_dropped = !known;
  return true;
}

struct Iso {
  std::string text;
  bool zone_dropped = false;
};

Iso iso_of(std::string_view text) {
  DateWords words;
  std::size_t count = 0;
  while (true) {
    const std::size_t start = text.find_first_not_of(" \t");
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    if (word.ends_with(',')) word.remove_suffix(1);
    const bool weekday = count++ == 0 && place_in(kDays, word) >= 0;
    if (count > 8 || (!weekday && !words.take(word))) return {};
  }
  if (words.year < 0 || words.month < 0 || words.day < 0 || words.clock.empty()) return {};
  std::string clock(words.clock);
  if (!words.half.empty()) {
    const std::size_t colon = clock.find(':');
    const auto hour = parse_int(std::string_view(clock).substr(0, colon));
    if (!hour || *hour < 1 || *hour > 12) return {};
    clock = fmt::format("{:02}{}", *hour % 12 + (lower(words.half) == "pm" ? 12 : 0), clock.substr(colon));
  }
  return {fmt::format("{:04}-{:02}-{:02} {}{}", words.year, words.month, words.day, clock, words.zone),
          words.zone_dropped};
}

/// Takes off what scripts put around a stamp: "=== ... ===", "[...]", "timestamp: ...".
std::string_view bare_stamp(std::string_view text) {
  constexpr std::string_view kFrame = " \t=#*[]()\"'-,";
  const std::size_t first = text.find_first_not_of(kFrame);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(kFrame) - first + 1);
  for (const std::string_view label : {"timestamp", "time", "date"}) {
    if (text.size() > label.size() && equal_ignoring_case(text.substr(0, label.size()), label) &&
        std::string_view(":= ").find(text[label.size()]) != std::string_view::npos) {
      return text.substr(std::min(text.size(), text.find_first_not_of(":= \t", label.size())));
    }
  }
  return text;
}

}  // namespace

std::string iso_of_date_line(std::string_view text) { return iso_of(text).text; }

bool PollLog::stamp(std::string_view text) {
  if (text.size() > kLongestStamp) return false;
  text = bare_stamp(text);
  Iso iso{std::string(text)};
  if (!StampParser().parse(iso.text)) iso = iso_of(text);
  if (iso.text.empty() || !StampParser().parse(iso.text)) return false;
  pending_ = std::move(iso.text);
  zone_dropped_ = iso.zone_dropped;
  return true;
}

/// Only a stamp that is used may say what kind of clock this is: `date; nvidia-smi` prints two.
std::int64_t PollLog::take_pending() {
  if (pending_.empty()) return kNoStamp;
  if (zone_dropped_) builder_.note("The clock's zone has a name that is not unique; its time is taken as UTC.");
  return stamps_.parse(std::exchange(pending_, {})).value_or(kNoStamp);
}

void PollLog::next_poll() { polls_.push_back(take_pending()); }

void PollLog::row(std::size_t device, std::int64_t time_ns, double power_w) {
  if (polls_.empty()) next_poll();
  own_stamps_ = own_stamps_ || time_ns != kNoStamp;
  rows_.push_back(
      {time_ns, power_w, static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(polls_.size() - 1)});
}

void PollLog::set(Column column, double value) {
  auto& values = extra_[static_cast<std::size_t>(column)];
  values.resize(rows_.size(), std::numeric_limits<double>::quiet_NaN());
  values.back() = value;
}

void PollLog::own_clock(std::string text, bool wall, bool has_zone) {
  own_clock_ = std::move(text);
  wall_ = wall;
  has_zone_ = has_zone;
}

void PollLog::give(std::size_t row) {
  const Row& r = rows_[row];
  builder_.add(r.device, r.time_ns, r.power_w);
  for (const ColumnSpec& spec : kColumns) {
    const auto& values = extra_[static_cast<std::size_t>(spec.column)];
    if (row < values.size() && !std::isnan(values[row])) builder_.set(r.device, spec.column, values[row]);
  }
}

Result<void> PollLog::place_without_clock(std::optional<Nanos> assumed) {
  const auto period = options_.period ? options_.period : assumed;
  if (!period && polls_.size() > 1) {
    return fail(ErrorKind::bad_input, input_.name(),
                fmt::format("it holds {} polls and no stamp, so that their times are not known", polls_.size()),
                "Say how far apart they are, as in --period 1s.");
  }
  builder_.clock(false, false);
  builder_.understanding().clock = !period ? "none: a snapshot"
                                           : fmt::format("none: {} a poll {}", format_duration(*period),
                                                         options_.period ? "(--period)" : "from zero (assumed)");
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (__builtin_mul_overflow(std::int64_t{rows_[i].poll}, period.value_or(Nanos(0)).count(), &rows_[i].time_ns)) {
      return fail(ErrorKind::usage, "--period", "the rows would span more than 292 years", "Give a shorter period.");
    }
    give(i);
  }
  return {};
}

void PollLog::place_by_stamps() {
  const auto stamped = static_cast<std::size_t>(std::ranges::count_if(polls_, [](auto t) { return t != kNoStamp; }));
  // `tool >> log; date >> log` puts each stamp behind its poll.
  if (!own_stamps_ && polls_.front() == kNoStamp && !pending_.empty() && stamped + 1 == polls_.size()) {
    polls_.erase(polls_.begin());
    polls_.push_back(take_pending());
    builder_.note("Each stamp stands behind its poll, since the first poll has none before it.");
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].time_ns == kNoStamp) rows_[i].time_ns = polls_[rows_[i].poll];
    if (rows_[i].time_ns != kNoStamp) {
      give(i);
    } else {
      builder_.damaged(fmt::format("{}: poll {}", input_.name(), rows_[i].poll + 1),
                       "it has no stamp, and others have");
    }
  }
  if (own_clock_.empty()) own_clock(stamps_.describe(), stamps_.wall(), stamps_.has_zone());
  builder_.clock(wall_, has_zone_);
  builder_.understanding().clock = own_clock_;
  if (options_.period) builder_.note("--period is not used: the log has a clock of its own.");
}

Result<void> PollLog::close(std::optional<Nanos> assumed) {
  const bool stamped = own_stamps_ || (!pending_.empty() && polls_.size() == 1) ||
                       std::ranges::any_of(polls_, [](auto t) { return t != kNoStamp; });
  if (!stamped || polls_.empty()) return place_without_clock(assumed);
  place_by_stamps();
  return {};
}

}  // namespace wattrein::trace
