#include "trace/table_polls.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxRows = 256;       // devices on one machine
constexpr std::size_t kProbeRows = 20'000;  // enough to find N; the whole file is checked afterwards
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr double kQuickPoll = 25e6;  // rows this close together are one poll without further proof
constexpr double kSlowPoll = 2e9;    // no poll takes longer on average
constexpr double kEnoughPolls = 4;   // that a slower poll has to repeat to be believed
constexpr double kInside = 0.25;
constexpr double kDoubtful = 0.4;
constexpr int kUncleanRun = 3;

using Times = std::span<const std::int64_t>;

std::int64_t positive(std::int64_t t) { return std::max<std::int64_t>(t, 0); }

/// The sum of forward steps up to each row: a clock set back does not hide what came before.
std::vector<double> forward_time(Times time) {
  std::vector<double> sum(time.size(), 0.0);
  for (std::size_t i = 1; i < time.size(); ++i) {
    sum[i] = sum[i - 1] + static_cast<double>(positive(time[i] - time[i - 1]));
  }
  return sum;
}

/// How well polls of n rows fit: time inside them, and all time. A pause counts no longer than three usual ones, so
/// that an hour's break does not make everything between two breaks look like one poll.
struct Fit {
  double inside = 0.0;
  double all = 0.0;
  double polls = 0.0;
};

/// `forward`: the sum of forward steps up to each row.
Fit fit_of(Times time, std::span<const double> forward, std::span<const RowRange> runs, std::size_t n) {
  Fit fit;
  std::vector<std::int64_t> pauses;
  std::size_t probed = 0;
  for (const RowRange& run : runs) {
    const std::size_t end = std::min(run.end, run.begin + kProbeRows);
    for (std::size_t i = run.begin; i < end; i += n) {
      fit.inside += forward[std::min(i + n, end) - 1] - forward[i];
      fit.polls += 1.0;
      if (i > run.begin) pauses.push_back(positive(time[i] - time[i - 1]));
    }
    probed += end - run.begin;
    if (probed >= kProbeRows) break;
  }
  fit.all = fit.inside;
  if (pauses.empty()) return fit;
  const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>(pauses.size() / 2);
  std::ranges::nth_element(pauses, middle);
  const double usual = static_cast<double>(*middle);
  for (const std::int64_t pause : pauses) fit.all += std::min(static_cast<double>(pause), 3.0 * usual);
  return fit;
}

/// The first row that no pause sets apart from the poll before, where that happens too often: then n is a part of the
/// true number, or it changes.
std::optional<std::size_t> pause_missing(Times time, std::span<const RowRange> runs, std::size_t n) {
  std::vector<std::int64_t> pauses;
  for (const RowRange& run : runs) {
    for (std::size_t i = run.begin + n; i < run.end && pauses.size() < kProbeRows; i += n) {
      pauses.push_back(positive(time[i] - time[i - 1]));
    }
  }
  if (pauses.size() < 2) return std::nullopt;
  const auto middle = pauses.begin() + static_cast<std::ptrdiff_t>(pauses.size() / 2);
  std::ranges::nth_element(pauses, middle);
  const std::int64_t least = *middle / 20;
  const auto missing = static_cast<std::size_t>(std::ranges::count_if(pauses, [least](auto p) { return p <= least; }));
  if (missing * 10 <= pauses.size()) return std::nullopt;
  for (const RowRange& run : runs) {
    for (std::size_t i = run.begin + n; i < run.end; i += n) {
      if (positive(time[i] - time[i - 1]) <= least) return i;
    }
  }
  return std::nullopt;
}

/// The first row of a place where polls of n rows no longer fit; the run's end where they do throughout.
std::size_t misfit(Times time, const RowRange& run, std::size_t n) {
  int unclean = 0;
  std::size_t i = run.begin;
  for (; i + n < run.end; i += n) {
    const std::int64_t spread = positive(time[i + n - 1] - time[i]);
    const std::int64_t pause = positive(time[i + n] - time[i + n - 1]);
    unclean = spread > pause ? unclean + 1 : 0;
    if (unclean == kUncleanRun) return i - (kUncleanRun - 1) * n;
  }
  // At the end of a run there may be no three polls left to see it by.
  if (unclean > 0 && run.end - i != n) return i - static_cast<std::size_t>(unclean) * n;
  return run.end;
}

struct Group {
  std::size_t begin = 0;
  std::size_t rows = 0;
  std::size_t last = 0;
  std::int64_t pause = 0;  ///< before it
};

/// Where the steps between rows may fall into short and long ones, at most one long for two short and one for
/// kMaxRows: the smallest of the long, at each clear gap between two of them, the
/// clearest first.
std::vector<std::int64_t> least_pauses(std::vector<std::int64_t> steps) {
  constexpr double kClear = 2.0;
  constexpr std::size_t kLeastPauses = 2;
  constexpr std::int64_t kAtOnce = 1'000'000;  // steps below a millisecond are all alike
  std::vector<std::pair<double, std::int64_t>> gaps;
  std::vector<std::int64_t> found;
  if (steps.size() < 2 * kLeastPauses) return found;
  std::ranges::sort(steps);
  // Half of the steps are pauses where polls have two rows, and a few more where rows were lost.
  const std::size_t first = steps.size() * 2 / 5;
  const std::size_t end = steps.size() - std::max(kLeastPauses, steps.size() / (2 * kMaxRows));
  for (std::size_t i = std::max<std::size_t>(first, 1); i <= end; ++i) {
    const auto before = static_cast<double>(std::max(steps[i - 1], kAtOnce));
    if (static_cast<double>(steps[i]) >= kClear * before)
      gaps.emplace_back(static_cast<double>(steps[i]) / before, steps[i]);
  }
  std::ranges::sort(
      gaps, [](const auto& a, const auto& b) { return std::pair(-a.first, a.second) < std::pair(-b.first, b.second); });
  for (const auto& gap : gaps) found.push_back(gap.second);
  return found;
}

/// The size that most groups have, if there is one and the pauses between them are worth the name.
RowGroups usual_groups(Times time, std::span<const Group> groups) {
  constexpr std::size_t kEnough = 3;
  constexpr double kLongestOverPause = 4.0;
  RowGroups found;
  std::vector<std::size_t> count(kMaxRows + 1, 0);
  for (const Group& g : groups) ++count[std::min(g.rows, kMaxRows)];
  const auto most = std::ranges::max_element(count);
  const auto rows = static_cast<std::size_t>(most - count.begin());
  if (groups.size() < kEnough || rows < 2 || rows == kMaxRows || *most * 10 < groups.size() * 6) return found;
  double inside = 0.0;
  double pauses = 0.0;
  for (const Group& g : groups.subspan(1)) {
    inside += static_cast<double>(positive(time[g.last] - time[g.begin]));
    pauses += static_cast<double>(g.pause);
  }
  if (inside > kLongestOverPause * pauses) return found;
  found.rows = rows;
  for (const Group& g : groups.first(groups.size() - 1)) {
    if (g.rows == rows) continue;
    found.odd = g.begin;
    found.odd_rows = g.rows;
    break;
  }
  return found;
}

PollFailure not_one_device(const RowGroups& seen) {
  if (!seen.odd) {
    return {fmt::format("its rows come {} at a time, and {} devices and one device look alike", seen.rows, seen.rows),
            0};
  }
  return {fmt::format("its rows come {} at a time, but {} {}", seen.rows,
                      *seen.odd == 0 ? "its first poll has" : "the poll that begins there has", seen.odd_rows),
          *seen.odd};
}

}  // namespace

std::expected<std::size_t, PollFailure> rows_per_poll(Times time, std::span<const RowRange> runs) {
  if (time.empty()) return std::size_t{1};
  const std::vector<double> forward = forward_time(time);
  if (runs.size() == 1 && forward.back() <= kQuickPoll) {
    if (time.size() > kMaxRows) {
      return std::unexpected(PollFailure{fmt::format("its {} rows share one moment", time.size()), 0});
    }
    if (const auto hidden = hidden_by_whole_seconds(time, time.size())) return std::unexpected(*hidden);
    return time.size();
  }

  std::size_t longest = 0;
  for (const RowRange& run : runs) longest = std::max(longest, run.end - run.begin);
  std::size_t best = 1;
  std::size_t doubtful = 0;
  for (std::size_t n = 2; n <= std::min(kMaxRows, longest / 2); ++n) {
    const Fit fit = fit_of(time, forward, runs, n);
    const double poll = fit.inside / fit.polls;
    if (fit.inside > kDoubtful * fit.all || poll > kSlowPoll) continue;
    const bool clear = fit.inside <= kInside * fit.all && (poll <= kQuickPoll || fit.polls >= kEnoughPolls);
    (clear ? best : doubtful) = n;
  }
  if (doubtful > best) {
    return std::unexpected(
        PollFailure{fmt::format("its stamps fit {} and {} rows a poll about as well", best, doubtful), 0});
  }
  if (const auto hidden = hidden_by_whole_seconds(time, best)) return std::unexpected(*hidden);
  for (const RowRange& run : runs) {
    if (best == 1) break;
    if (const std::size_t row = misfit(time, run, best); row < run.end) {
      return std::unexpected(PollFailure{fmt::format("from there on its rows no longer come {} a poll", best), row});
    }
  }
  if (const auto row = pause_missing(time, runs, best)) {
    return std::unexpected(PollFailure{"no number of rows a poll fits the whole log", *row});
  }
  if (best == 1) {
    if (const RowGroups seen = row_groups(time, runs); seen.rows > 1) return std::unexpected(not_one_device(seen));
  }
  return best;
}

std::optional<PollFailure> hidden_by_whole_seconds(Times time, std::size_t n) {
  if (n < 2 || !std::ranges::all_of(time, [](std::int64_t t) { return t % kSecond == 0; })) return std::nullopt;
  return PollFailure{
      fmt::format("with stamps of whole seconds, {} devices and one device polled {} times a stamp look alike", n, n),
      0};
}

RowGroups row_groups(Times time, std::span<const RowRange> runs) {
  std::vector<std::int64_t> steps;
  for (const RowRange& run : runs) {
    for (std::size_t i = run.begin + 1; i < run.end; ++i) steps.push_back(positive(time[i] - time[i - 1]));
  }
  for (const std::int64_t least : least_pauses(std::move(steps))) {
    std::vector<Group> groups;
    for (const RowRange& run : runs) {
      for (std::size_t i = run.begin; i < run.end; ++i) {
        const std::int64_t step = i == run.begin ? 0 : positive(time[i] - time[i - 1]);
        if (i == run.begin || step >= least) groups.push_back({.begin = i, .pause = step});
        ++groups.back().rows;
        groups.back().last = i;
      }
    }
    if (const RowGroups found = usual_groups(time, groups); found.rows > 1) return found;
  }
  return {};
}

bool newest_first(Times time, std::span<const RowRange> runs) {
  std::size_t forward = 0;
  std::size_t backward = 0;
  double up = 0.0;
  double down = 0.0;
  for (const RowRange& run : runs) {
    for (std::size_t i = run.begin + 1; i < run.end; ++i) {
      const double step = static_cast<double>(time[i]) - static_cast<double>(time[i - 1]);
      (step > 0.0 ? up : down) += std::abs(step);
      forward += step > 0.0 ? 1 : 0;
      backward += step < 0.0 ? 1 : 0;
    }
  }
  return backward > 4 * forward && down > up;
}

}  // namespace wattrein::trace
