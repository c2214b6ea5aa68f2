#include "trace/clock_polls.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wattrein::trace {

namespace {

using Times = std::span<const std::int64_t>;

constexpr std::size_t kMaxRows = 256;       // devices on one machine
constexpr std::size_t kProbeRows = 20'000;  // enough to find the pauses; all rows are looked at afterwards
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kShortestPause = 10'000;
constexpr double kQuickPoll = 25e6;      // polls that last as long need no further proof
constexpr double kSlowPoll = 2e9;        // no poll takes longer on average
constexpr std::size_t kEnoughPolls = 4;  // that a slower poll has to repeat to be believed
constexpr double kInside = 0.25;         // of all time
constexpr double kInsideIfStated = 0.8;
constexpr double kMost = 0.6;
constexpr double kRegular = 0.9;

/// How far apart a row and the one before it are: a clock set back is a pause too.
double step_before(Times time, std::size_t row) {
  return std::abs(static_cast<double>(time[row]) - static_cast<double>(time[row - 1]));
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t run = 0;
  double pause = 0.0;  ///< before it; 0 at the start of a run

  [[nodiscard]] std::size_t rows() const { return end - begin; }
};

/// Rows set apart by steps of at least `least`, up to so many rows.
std::vector<Group> groups_by(Times time, std::span<const RowRange> runs, std::span<const std::uint8_t> unreadable,
                             double least, std::size_t most_rows) {
  std::vector<Group> groups;
  std::size_t seen = 0;
  for (std::size_t r = 0; r < runs.size() && seen < most_rows; ++r) {
    bool any_readable = false;
    const std::size_t end = std::min(runs[r].end, runs[r].begin + (most_rows - seen));
    for (std::size_t i = runs[r].begin; i < end; ++i) {
      const bool first = i == runs[r].begin;
      const double step = first ? 0.0 : step_before(time, i);
      // Rows without a stamp at the start of a run belong to what follows.
      if (first || (step >= least && any_readable)) groups.push_back({i, i, r, step});
      groups.back().end = i + 1;
      any_readable = any_readable || unreadable[i] == 0;
    }
    seen += end - runs[r].begin;
  }
  return groups;
}

/// What a least pause makes of the rows.
struct Assessment {
  double inside = 1.0;       ///< share of the time that passes within groups
  double regular = 0.0;      ///< share of the steps from group to group that are no shorter than half the usual one
  double mean_inside = 0.0;  ///< nanoseconds
  double usual_pause = 0.0;
  std::size_t groups = 0;
  std::size_t usual = 1;  ///< rows of most groups; 0 where that is more than a machine's devices
  std::size_t with_usual = 0;
  std::size_t with_stated = 0;
};

Assessment assess(Times time, std::span<const Group> groups, std::size_t stated) {
  Assessment a;
  a.groups = groups.size();
  std::vector<double> pauses;
  std::vector<double> steps;
  std::vector<std::size_t> count(std::max(kMaxRows, stated) + 2, 0);
  double inside = 0.0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    inside += std::abs(static_cast<double>(time[group.end - 1]) - static_cast<double>(time[group.begin]));
    ++count[std::min(group.rows(), count.size() - 1)];
    if (g == 0 || groups[g - 1].run != group.run) continue;
    pauses.push_back(group.pause);
    steps.push_back(std::abs(static_cast<double>(time[group.begin]) - static_cast<double>(time[groups[g - 1].begin])));
  }
  if (pauses.empty()) return a;
  a.mean_inside = inside / static_cast<double>(groups.size());
  a.usual_pause = median(pauses);
  // An hour's break must not make everything between two breaks look like one poll.
  double all = inside;
  for (const double pause : pauses) all += std::min(pause, 3.0 * a.usual_pause);
  a.inside = inside / all;
  const double half = 0.5 * median(steps);
  a.regular = static_cast<double>(std::ranges::count_if(steps, [half](double s) { return s >= half; })) /
              static_cast<double>(steps.size());
  for (std::size_t n = 1; n < count.size(); ++n) {
    if (count[n] >= a.with_usual && count[n] > 0) {
      a.usual = n;
      a.with_usual = count[n];
    }
  }
  if (a.usual + 1 == count.size()) a.usual = 0;
  if (stated > 0) a.with_stated = count[stated];
  return a;
}

bool shows_polls(const Assessment& a) {
  return a.groups >= 2 && a.usual > 0 && a.inside <= kInside && a.regular >= kRegular && a.mean_inside <= kSlowPoll &&
         (a.mean_inside <= kQuickPoll || a.groups >= kEnoughPolls);
}

bool shows_stated_polls(const Assessment& a) {
  return a.groups >= kEnoughPolls && a.inside <= kInsideIfStated && a.mean_inside <= kSlowPoll &&
         static_cast<double>(a.with_stated) >= kMost * static_cast<double>(a.groups);
}

struct Threshold {
  double least = 0.0;
  Assessment assessed;
};

/// Of the thresholds that `fits` takes, the one by which most polls have the size that `count` counts; the middle of
/// those that agree.
template <typename Fits, typename Count>
std::optional<Threshold> best_of(std::span<const Threshold> all, const Fits& fits, const Count& count) {
  std::size_t best = 0;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!fits(all[i].assessed)) continue;
    // Polls that one threshold leaves in two pieces and another puts together are as many of the right size in both.
    const std::size_t value = count(all[i].assessed);
    if (at.empty() || value > best) {
      best = value;
      at.clear();
    }
    if (value == best) at.push_back(i);
  }
  if (at.empty()) return std::nullopt;
  return all[at[at.size() / 2]];
}

std::optional<Threshold> find_threshold(std::span<const Threshold> all, std::optional<std::size_t> stated) {
  if (stated) {
    const auto count = [](const Assessment& a) { return a.with_stated; };
    if (auto found = best_of(all, shows_stated_polls, count)) return found;
    const auto shows_some = [](const Assessment& a) { return shows_polls(a) && a.with_stated > 0; };
    if (auto found = best_of(all, shows_some, count)) return found;
  }
  // The largest pauses decide: within a poll rows may come in even steps too.
  std::size_t usual = 0;
  for (const Threshold& t : all) {
    if (shows_polls(t.assessed)) usual = t.assessed.usual;
  }
  return best_of(
      all, [usual](const Assessment& a) { return shows_polls(a) && a.usual == usual; },
      [](const Assessment& a) { return a.with_usual; });
}

/// Rows without a stamp between two polls belong to the one that lacks them. Where that leaves either with another
/// number of rows, both are doubtful.
std::vector<bool> settle_unreadable(std::vector<Group>& groups, std::span<const std::uint8_t> unreadable,
                                    std::size_t n) {
  std::vector<std::size_t> between(groups.size(), 0);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    if (groups[g].run != groups[g + 1].run) continue;
    std::size_t trailing = 0;
    while (trailing < groups[g].rows() && unreadable[groups[g].end - 1 - trailing] != 0) ++trailing;
    between[g] = trailing;
    if (groups[g].rows() <= n) continue;
    const std::size_t moved = std::min(trailing, groups[g].rows() - n);
    groups[g].end -= moved;
    groups[g + 1].begin -= moved;
  }
  std::vector<bool> doubtful(groups.size(), false);
  for (std::size_t g = 0; g + 1 < groups.size(); ++g) {
    if (between[g] == 0 || (groups[g].rows() == n && groups[g + 1].rows() == n)) continue;
    doubtful[g] = doubtful[g + 1] = true;
  }
  return doubtful;
}

/// Takes apart what several polls of n rows have become where one came late: by pauses that are clear even so, or
/// (`by_count`) where the stamps are too coarse to show them.
bool comes_apart(Times time, const Group& group, std::size_t n, bool by_count) {
  if (n < 1 || group.rows() <= n || group.rows() % n != 0) return false;
  if (n == 1 || by_count) return true;
  double within = 1e6;
  double between = std::numeric_limits<double>::infinity();
  for (std::size_t i = group.begin + 1; i < group.end; ++i) {
    const double step = step_before(time, i);
    if ((i - group.begin) % n == 0) {
      between = std::min(between, step);
    } else {
      within = std::max(within, step);
    }
  }
  return between >= 2.0 * within;
}

/// How long polls lie apart as a rule.
struct Band {
  double least = 0.0;
  double most = 0.0;
  [[nodiscard]] bool holds(double pause) const { return pause >= least && pause <= most; }
};

Band usual_pauses(std::span<const Group> groups, std::size_t n, double usual_pause) {
  constexpr std::size_t kEnough = 8;
  std::vector<double> pauses;
  for (std::size_t g = 1; g < groups.size(); ++g) {
    const bool in_run = groups[g].run == groups[g - 1].run;
    if (in_run && groups[g].rows() == n && groups[g - 1].rows() == n) pauses.push_back(groups[g].pause);
  }
  if (pauses.size() < kEnough) return {0.5 * usual_pause, 1.5 * usual_pause};
  std::ranges::sort(pauses);
  return {0.95 * pauses[pauses.size() / 50], 1.05 * pauses[pauses.size() - 1 - pauses.size() / 50]};
}

/// Polls that a stall broke into pieces, which add up to n rows.
struct BrokenPolls {
  std::vector<std::size_t> pieces;  ///< of the poll that begins with this group: 1 where it is whole or stands alone
  std::vector<std::size_t> alike;   ///< groups that begin a broken poll whose pieces lie apart as polls do
  std::vector<std::size_t> halves;  ///< the same of pieces of one size that lie further apart than polls
  std::size_t clear = 0;
  bool rest = false;  ///< there are groups of another size that add up to nothing
};

/// Of a stretch of groups with fewer rows than n, from `begin` to `end`. `may_end_short`: the last one may be cut.
bool join_stretch(std::span<const Group> groups, std::size_t begin, std::size_t end, std::size_t n, bool may_end_short,
                  const Band& band, BrokenPolls& broken) {
  constexpr std::size_t kMostInARow = 2;
  std::vector<std::size_t> starts;
  std::size_t at = begin;
  while (at < end) {
    std::size_t rows = 0;
    std::size_t next = at;
    while (next < end && rows < n) rows += groups[next++].rows();
    if (rows > n || (rows < n && (!may_end_short || next - at > 1))) return false;
    if (rows == n) starts.push_back(at);
    broken.pieces[at] = rows == n ? next - at : 1;
    at = next;
  }
  if (starts.size() > kMostInARow) return false;
  for (const std::size_t start : starts) {
    bool as_polls = false;
    bool longer = false;
    bool one_size = true;
    for (std::size_t g = start + 1; g < start + broken.pieces[start]; ++g) {
      as_polls = as_polls || band.holds(groups[g].pause);
      longer = longer || groups[g].pause > band.most;
      one_size = one_size && groups[g].rows() == groups[start].rows();
    }
    if (as_polls) {
      broken.alike.push_back(start);
    } else if (longer && one_size) {
      broken.halves.push_back(start);
    } else {
      ++broken.clear;
    }
  }
  return true;
}

BrokenPolls find_broken(std::span<const Group> groups, const std::vector<bool>& doubtful, std::size_t n,
                        const Band& band) {
  BrokenPolls broken;
  broken.pieces.assign(groups.size(), 1);
  const auto is_piece = [&](std::size_t g) { return groups[g].rows() < n && !doubtful[g]; };
  for (std::size_t g = 0; g < groups.size();) {
    if (!is_piece(g)) {
      broken.rest = broken.rest || doubtful[g] || groups[g].rows() % n != 0;
      ++g;
      continue;
    }
    std::size_t end = g + 1;
    while (end < groups.size() && is_piece(end) && groups[end].run == groups[g].run) ++end;
    const bool first = g == 0 || groups[g - 1].run != groups[g].run;
    const bool last = end == groups.size() || groups[end].run != groups[g].run;
    if (!join_stretch(groups, g, end, n, last, band, broken)) {
      std::fill(broken.pieces.begin() + static_cast<std::ptrdiff_t>(g),
                broken.pieces.begin() + static_cast<std::ptrdiff_t>(end), std::size_t{1});
      const bool only_cut = end - g == 1 && (first || last);
      broken.rest = broken.rest || !only_cut;
    }
    g = end;
  }
  // Pieces that lie apart as polls do, or further and of one size, may be two polls that lack rows: they are joined
  // only where nothing else in the log does so and stalls that are clear show that its polls do break.
  const bool alike = !broken.rest && broken.alike.size() * 4 <= broken.clear;
  for (const std::size_t start : broken.alike) {
    if (!alike || groups[start].rows() == groups[start + 1].rows()) broken.pieces[start] = 1;
  }
  const bool halves = !broken.rest && broken.halves.size() <= 4 * broken.clear;
  for (const std::size_t start : broken.halves) {
    if (!halves) broken.pieces[start] = 1;
  }
  return broken;
}

struct Shape {
  bool coarse = false;    ///< stamps of whole seconds
  bool multiple = false;  ///< several polls to a stamp, as a rule
};

Poll::Kind kind_of(std::span<const Group> groups, std::size_t g, std::size_t n, bool doubtful) {
  const bool first = g == 0 || groups[g - 1].run != groups[g].run;
  const bool last = g + 1 == groups.size() || groups[g + 1].run != groups[g].run;
  if ((first || last) && groups[g].rows() < n) return Poll::Kind::cut;
  return groups[g].rows() == n && !doubtful ? Poll::Kind::whole : Poll::Kind::odd;
}

void add_poll(ClockPolls& found, std::size_t begin, std::size_t end, Poll::Kind kind) {
  if (kind == Poll::Kind::whole) ++found.whole;
  if (kind == Poll::Kind::odd) {
    if (!found.first_odd) found.first_odd = found.polls.size();
    ++found.odd;
    if (end - begin > found.devices) ++found.larger;
  }
  found.polls.push_back({begin, end, kind});
}

void classify(ClockPolls& found, std::span<const Group> groups, const std::vector<bool>& doubtful, Times time,
              double usual_pause) {
  const std::size_t n = found.devices;
  const Shape shape{.coarse = std::ranges::all_of(time, [](std::int64_t t) { return t % kSecond == 0; }),
                    .multiple = found.usual > n && found.usual % n == 0};
  const BrokenPolls broken = find_broken(groups, doubtful, n, usual_pauses(groups, n, usual_pause));
  std::size_t together = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const Group& group = groups[g];
    const bool by_count =
        (shape.multiple && (shape.coarse || group.rows() == found.usual)) || (shape.coarse && group.rows() == 2 * n);
    if (!doubtful[g] && comes_apart(time, group, n, by_count)) {
      if (by_count && n > 1) ++together;
      for (std::size_t i = group.begin; i < group.end; i += n) add_poll(found, i, i + n, Poll::Kind::whole);
      continue;
    }
    if (const std::size_t pieces = broken.pieces[g]; pieces > 1) {
      add_poll(found, group.begin, groups[g + pieces - 1].end, Poll::Kind::whole);
      ++found.broken;
      g += pieces - 1;
      continue;
    }
    add_poll(found, group.begin, group.end, kind_of(groups, g, n, doubtful[g]));
  }
  found.shared_stamps = together * 20 > groups.size();
}

}  // namespace

std::optional<ClockPolls> clock_polls(Times time, std::span<const RowRange> runs,
                                      std::span<const std::uint8_t> unreadable, std::optional<std::size_t> stated) {
  std::vector<Threshold> thresholds;
  double longest = 0.0;
  for (const RowRange& run : runs) {
    for (std::size_t i = run.begin + 1; i < run.end; ++i) longest = std::max(longest, step_before(time, i));
  }
  double least = kShortestPause;
  while (least <= longest) {
    const std::vector<Group> groups = groups_by(time, runs, unreadable, least, kProbeRows);
    thresholds.push_back({least, assess(time, groups, stated.value_or(0))});
    least *= 1.4;
  }
  const auto threshold = find_threshold(thresholds, stated);
  if (!threshold) return std::nullopt;
  ClockPolls found;
  std::vector<Group> groups =
      groups_by(time, runs, unreadable, threshold->least, std::numeric_limits<std::size_t>::max());
  const Assessment all = assess(time, groups, stated.value_or(0));
  found.usual = all.usual == 0 ? threshold->assessed.usual : all.usual;
  found.devices = stated.value_or(found.usual);
  const std::vector<bool> doubtful =
      settle_unreadable(groups, unreadable, found.usual % found.devices == 0 ? found.usual : found.devices);
  classify(found, groups, doubtful, time, all.usual_pause);
  return found;
}

std::optional<std::size_t> rows_in_pairs(Times time, std::span<const RowRange> runs) {
  constexpr double kAtOnce = 0.05;
  std::vector<double> steps;
  for (const RowRange& run : runs) {
    for (std::size_t i = run.begin + 1; i < run.end; ++i) steps.push_back(step_before(time, i));
  }
  const double usual = median(steps);
  // Stamps may be too coarse to say: two polls of one device then share one.
  std::int64_t unit = kSecond;
  while (unit > 1 && !std::ranges::all_of(time, [unit](std::int64_t t) { return t % unit == 0; })) unit /= 10;
  if (static_cast<double>(unit) > kAtOnce * usual) return std::nullopt;
  const auto is_usual = [usual](double step) { return step >= 0.5 * usual && step <= 1.5 * usual; };
  std::optional<std::size_t> first;
  std::size_t pairs = 0;
  for (const RowRange& run : runs) {
    for (std::size_t i = run.begin + 1; i < run.end; ++i) {
      if (step_before(time, i) > kAtOnce * usual) continue;
      if (i > run.begin + 1 && !is_usual(step_before(time, i - 1))) continue;
      if (i + 1 < run.end && !is_usual(step_before(time, i + 1))) continue;
      if (!first) first = i;
      ++pairs;
    }
  }
  return pairs > 1 ? first : std::nullopt;
}

}  // namespace wattrein::trace
