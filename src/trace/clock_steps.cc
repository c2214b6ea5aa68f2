#include "trace/clock_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kHour = 3600 * kSecond;
constexpr std::int64_t kPeriods = 3;          // that the clock's change may be away from the samples around it
constexpr std::int64_t kSlack = 2 * kSecond;  // the least, for logs with whole seconds
constexpr std::int64_t kLatest = 4;           // no country changes its clocks later in the night

constexpr std::size_t kNear = 32;  // samples that show the period
constexpr std::int64_t kFarthest = 8'000'000'000 * kSecond;

using Times = std::span<const std::int64_t>;

std::int64_t floor_hour(std::int64_t t) { return t - ((t % kHour) + kHour) % kHour; }

bool at_night(std::int64_t hour) { return ((hour / kHour) % 24 + 24) % 24 <= kLatest; }

unsigned month_of(std::int64_t unix_ns) {
  using namespace std::chrono;
  const sys_days day = floor<days>(sys_seconds(seconds(unix_ns / kSecond)));
  return static_cast<unsigned>(year_month_day(day).month());
}

bool in_month(std::int64_t t, std::initializer_list<unsigned> months) {
  return std::ranges::find(months, month_of(t)) != months.end();
}

/// The last Sunday of October, the first of November (North America), the first of April (the south).
bool is_night_of_fold(std::int64_t unix_ns) {
  using namespace std::chrono;
  // Local midnight may be the hour that comes twice.
  const sys_days day = floor<days>(sys_seconds(seconds(unix_ns / kSecond)) - minutes(1));
  const year_month_day date(day);
  const auto number = static_cast<unsigned>(date.day());
  if (weekday(day) != Sunday && weekday(day + days(1)) != Sunday) return false;
  const unsigned month = static_cast<unsigned>(date.month());
  return (month == 10 && number >= 24) || (month == 11 && number <= 7) || (month == 4 && number <= 7);
}

/// Forward from one stamp to the next; 0 where the two cannot be stamps of one log.
std::int64_t step(std::int64_t from, std::int64_t to) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(to, from, &difference) ? 0 : difference;
}

/// How far from the change of the clock the samples on both sides of t[i - 1] may lie.
std::int64_t slack_at(Times t, std::size_t i) {
  std::vector<std::int64_t> steps;
  for (std::size_t k = i > kNear ? i - kNear : 1; k < i; ++k) {
    if (const std::int64_t forward = step(t[k - 1], t[k]); forward > 0) steps.push_back(forward);
  }
  if (steps.empty()) return kSlack;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return std::max(kSlack, kPeriods * std::min(*middle, kHour / 4 / kPeriods));
}

bool sane(std::int64_t t) { return t > -kFarthest && t < kFarthest; }

/// The full hour at which the clock went back an hour between two samples.
std::optional<std::int64_t> fold_between(std::int64_t before, std::int64_t after, std::int64_t slack) {
  const std::int64_t hour = floor_hour(before + slack);  // the first that the old clock would have shown next
  const bool near = hour - before <= slack && before < hour && after >= hour - kHour && after - (hour - kHour) <= slack;
  if (!near || !at_night(hour) || !is_night_of_fold(hour)) return std::nullopt;
  return hour;
}

std::optional<std::int64_t> skip_between(std::int64_t before, std::int64_t after, std::int64_t slack) {
  const std::int64_t hour = floor_hour(before + slack);
  const bool near = hour - before <= slack && before < hour && after >= hour + kHour && after - (hour + kHour) <= slack;
  if (!near || !at_night(hour) || !in_month(before, {3, 4, 9, 10})) return std::nullopt;
  return hour;
}

/// The same of slow polls: an hour later than it shows, the sample is where the polls around it are.
std::optional<std::int64_t> fold_of_regular_polls(Times t, std::size_t i) {
  constexpr std::int64_t kTolerance = 10;  // a tenth of the period
  std::vector<std::int64_t> steps;
  for (std::size_t k = i > kNear ? i - kNear : 1; k < std::min(i + kNear, t.size()); ++k) {
    if (const std::int64_t forward = k == i ? 0 : step(t[k - 1], t[k]); forward > 0) steps.push_back(forward);
  }
  if (steps.size() < 2) return std::nullopt;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  const std::int64_t period = *middle;
  if (period >= kHour) return std::nullopt;
  const auto fits = [period](std::int64_t s) { return std::abs(s - period) <= period / kTolerance + kSlack; };
  const auto odd = std::ranges::count_if(steps, [&](std::int64_t s) { return !fits(s); });
  if (odd * 4 > std::ssize(steps) || !fits(step(t[i - 1], t[i]) + kHour)) return std::nullopt;
  const std::int64_t hour = floor_hour(t[i - 1]) + kHour;
  if (t[i] < hour - kHour || !at_night(hour) || !is_night_of_fold(hour)) return std::nullopt;
  return hour;
}

/// Where a series' clock goes back.
struct Fold {
  std::size_t at = 0;  ///< the first sample after it
  std::int64_t hour = 0;
};

/// The one hour at which all clocks went back; nothing where they disagree or a device leaves it open.
std::optional<std::int64_t> common_fold(const std::vector<Series>& series, std::vector<std::optional<Fold>>& folds) {
  std::optional<std::int64_t> common;
  folds.assign(series.size(), std::nullopt);
  for (std::size_t s = 0; s < series.size(); ++s) {
    const Times t = series[s].time_ns;
    if (series[s].backward_stamps == 0) continue;
    if (!std::ranges::all_of(t, sane)) return std::nullopt;
    for (std::size_t i = 1; i < t.size(); ++i) {
      const std::int64_t back = step(t[i - 1], t[i]);
      if (back >= 0) continue;
      auto hour = back < -kHour / 2 ? fold_between(t[i - 1], t[i], slack_at(t, i)) : std::nullopt;
      if (!hour) hour = fold_of_regular_polls(t, i);
      if (!hour && back >= -kHour / 2) continue;
      if (!hour || folds[s] || (common && *common != *hour)) return std::nullopt;
      folds[s] = Fold{i, *hour};
      common = hour;
    }
  }
  if (!common) return std::nullopt;
  for (std::size_t s = 0; s < series.size(); ++s) {
    const Times t = series[s].time_ns;
    if (folds[s] || t.empty()) continue;
    if (!std::ranges::all_of(t, sane)) return std::nullopt;
    const auto [least, most] = std::ranges::minmax(t);
    if (least >= *common) {
      folds[s] = Fold{0, *common};
    } else if (most >= *common - kHour) {
      return std::nullopt;  // it may lie in either of the two hours
    }
  }
  return common;
}

/// A step back by up to an hour in the night in which clocks go back, that no fold explains.
std::optional<std::int64_t> doubtful_fold(const std::vector<Series>& series) {
  constexpr std::int64_t kLeast = kHour / 6;
  for (const Series& s : series) {
    const Times t = s.time_ns;
    for (std::size_t i = 1; i < t.size() && s.backward_stamps > 0; ++i) {
      const std::int64_t back = -step(t[i - 1], t[i]);
      if (back < kLeast || back > kHour + kSlack || !sane(t[i - 1])) continue;
      const std::int64_t hour = floor_hour(t[i - 1]) + kHour;
      if (at_night(hour) && is_night_of_fold(hour)) return t[i - 1];
    }
  }
  return std::nullopt;
}

}  // namespace

void unfold_daylight_saving(std::vector<Series>& series, std::vector<std::string>& notes,
                            std::vector<std::string>& warnings) {
  std::vector<std::optional<Fold>> folds;
  if (const auto hour = common_fold(series, folds)) {
    for (std::size_t s = 0; s < series.size(); ++s) {
      const std::optional<Fold>& fold = folds[s];
      if (!fold) continue;
      std::vector<std::int64_t>& t = series[s].time_ns;
      for (std::size_t i = fold->at; i < t.size(); ++i) t[i] += kHour;
      if (fold->at > 0) --series[s].backward_stamps;
    }
    notes.push_back(fmt::format(
        "The clock goes back by an hour at {}, as at the end of daylight saving time: the stamps after that "
        "were moved up by an hour.",
        format_unix_ns(*hour)));
  } else if (const auto at = doubtful_fold(series)) {
    warnings.push_back(
        fmt::format("The clock goes back behind {}, in a night in which daylight saving time ends, and its polls do "
                    "not show where: "
                    "it was sorted as it stands, and an hour of energy may be missing. Give the stamps a zone.",
                    format_unix_ns(*at)));
  }
  std::optional<std::int64_t> skipped;
  for (const Series& s : series) {
    const Times t = s.time_ns;
    for (std::size_t i = 1; i < t.size() && !skipped; ++i) {
      if (step(t[i - 1], t[i]) > kHour / 2 && sane(t[i - 1])) skipped = skip_between(t[i - 1], t[i], slack_at(t, i));
    }
  }
  if (skipped) {
    notes.push_back(
        fmt::format("The clock skips the hour after {}: daylight saving time may have begun, or the log has a "
                    "hole; it was kept as a hole.",
                    format_unix_ns(*skipped)));
  }
}

}  // namespace wattrein::trace
