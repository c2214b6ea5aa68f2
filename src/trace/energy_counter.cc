#include "trace/energy_counter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "trace/steps.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kTooClose = 20;         // parts of a period: closer than one, a counter's own steps show
constexpr double kMostUncertain = 0.1;         // of the power of one stretch
constexpr std::size_t kMostlyEqualRises = 16;  // fewer do not show a counter's step
constexpr double kOutlier = 50.0;              // times the usual rise: a jump, or a hole
constexpr double kMostOfADevice = 20e3;        // watts
constexpr double kJump = 10.0;                 // times the usual power
constexpr double kLeastOfAGpu = 2.0;           // watts

/// Whether a counter has been reset somewhere, or is none.
bool falls(const std::vector<double>& energy) {
  double last = -std::numeric_limits<double>::infinity();
  for (const double e : energy) {
    if (e < last) return true;
    if (!std::isnan(e)) last = e;
  }
  return false;
}

struct Counts {
  std::int64_t steps = 0;
  std::int64_t falls = 0;
  std::int64_t unmoved = 0;
  std::int64_t close = 0;
  std::int64_t coarse = 0;  ///< moves that were too small to give a power
  double resolution = 0.0;  ///< the largest of a counter that mattered
  std::int64_t jumps = 0;
  double largest_jump_w = 0.0;
};

/// The step in which a counter counts, from its rises.
struct Rises {
  std::vector<double> joules;
  std::int64_t steps = 0;
  std::int64_t unmoved = 0;
  /// It moves less often than it is read, so that its first reading falls somewhere between two moves.
  [[nodiscard]] bool slow() const { return unmoved * 20 > steps; }
};

Rises rises_of(const std::vector<double>& energy) {
  Rises rises;
  double last = kUnknown;
  for (const double e : energy) {
    if (std::isnan(e)) continue;
    if (!std::isnan(last)) {
      ++rises.steps;
      if (e == last) ++rises.unmoved;
      if (e > last) rises.joules.push_back(e - last);
    }
    last = e;
  }
  return rises;
}

/// The greatest common divisor of all rises, up to the error of doubles; 0 where it is too small to matter, or where
/// the rises do not show it: a steady power gives equal rises whatever the step.
double resolution_of(const Rises& rises) {
  if (rises.joules.empty() || (!rises.slow() && rises.joules.size() < kMostlyEqualRises)) return 0.0;
  std::vector<double> sorted = rises.joules;
  std::ranges::sort(sorted);
  const double least = sorted.front();
  const double middle = sorted[sorted.size() / 2];
  const double error = least * 1e-5;
  double divisor = middle;
  std::int64_t others = 0;
  for (const double rise : sorted) {
    if (rise > kOutlier * middle) break;
    if (std::abs(rise - middle) > error) ++others;
    double a = rise;
    double b = divisor;
    while (b > error) {
      double rest = std::fmod(a, b);
      if (b - rest < error) rest = 0.0;
      a = b;
      b = rest;
    }
    divisor = a;
    if (divisor < kMostUncertain / 2 * least) return 0.0;
  }
  return rises.slow() || others > 1 ? divisor : 0.0;
}

/// No device draws so much beside what it draws otherwise: the counter was set, or is another one's.
void drop_jumps(Series& s, Counts& counts) {
  if (std::ranges::none_of(s.power_w, [](double w) { return w > kMostOfADevice; })) return;
  std::vector<double> known;
  std::ranges::copy_if(s.power_w, std::back_inserter(known), [](double w) { return !std::isnan(w); });
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::ranges::nth_element(known, middle);
  const double most = std::max(kMostOfADevice, kJump * *middle);
  double last = kUnknown;
  for (double& w : s.power_w) {
    if (!(w > most)) {
      last = kUnknown;
      continue;
    }
    if (w != last) ++counts.jumps;
    last = w;
    counts.largest_jump_w = std::max(counts.largest_jump_w, w);
    w = kUnknown;
  }
  if (counts.jumps > 0) s.column(Column::energy_j).clear();  // the whole span is no longer one difference
}

void differentiate(Series& s, Counts& counts) {
  const std::vector<double>& energy = s.column(Column::energy_j);
  const std::size_t n = s.size();
  s.power_w.assign(n, kUnknown);
  s.device.meter = MeterKind::counter_difference;
  if (energy.empty()) return;
  const Rises rises = rises_of(energy);
  const double resolution = resolution_of(rises);
  counts.steps += rises.steps;
  counts.unmoved += rises.unmoved;
  const std::int64_t least = median_period(s.time_ns).count() / kTooClose;
  std::size_t from = 0;
  while (from < n && std::isnan(energy[from])) ++from;
  std::size_t last = from;      // the reading before
  std::int64_t from_late = -1;  // how long before `from` the counter may have moved; -1: it is no move
  std::int64_t coarse = 0;
  for (std::size_t i = from + 1; i < n; ++i) {
    if (std::isnan(energy[i])) continue;
    const std::int64_t late = s.time_ns[i] - s.time_ns[std::exchange(last, i)];
    const double before = energy[from];
    const std::int64_t elapsed = s.time_ns[i] - s.time_ns[from];
    if (energy[i] < before) {
      ++counts.falls;
      from = i;
      from_late = -1;
    } else if (energy[i] == before) {
      continue;
    } else if (rises.slow() && from_late < 0) {
      from = i;
      from_late = late;
    } else if (elapsed <= least) {
      ++counts.close;
    } else {
      const double joules = energy[i] - before;
      const double by_step = resolution / joules;
      const double by_time =
          from_late < 0 ? 1.0 : static_cast<double>(std::max(late, from_late)) / static_cast<double>(elapsed);
      if (std::min(by_step, by_time) > kMostUncertain) {
        ++coarse;
        continue;
      }
      const double mean = joules / (static_cast<double>(elapsed) * 1e-9);
      std::fill(s.power_w.begin() + static_cast<std::ptrdiff_t>(from),
                s.power_w.begin() + static_cast<std::ptrdiff_t>(i), mean);
      from = i;
      from_late = late;
    }
  }
  counts.coarse += coarse;
  if (resolution > 0.0) counts.resolution = std::max(counts.resolution, resolution);
  drop_jumps(s, counts);
}

/// Rows that hold the energy of their own interval, and happen to rise, give next to no power.
std::optional<double> most_below_any_gpu(const Trace& trace) {
  double most = 0.0;
  for (const Series& s : trace.series) {
    for (const double w : s.power_w) most = w > most ? w : most;
  }
  return most > 0.0 && most <= kLeastOfAGpu ? std::optional(most) : std::nullopt;
}

/// A count in thousandths of its unit gives what no single machine draws.
std::optional<double> least_above_any_node(const Trace& trace) {
  double least = std::numeric_limits<double>::infinity();
  for (const Series& s : trace.series) {
    for (const double w : s.power_w) least = w > 0.0 && w < least ? w : least;
  }
  return std::isfinite(least) && least > kMostOfADevice ? std::optional(least) : std::nullopt;
}

}  // namespace

void drop_falling_counters(Builder& builder) {
  int dropped = 0;
  for (std::size_t d = 0; d < builder.device_count(); ++d) {
    auto& energy = builder.series(d).column(Column::energy_j);
    if (!falls(energy)) continue;
    energy.clear();
    ++dropped;
  }
  if (dropped == 0) return;
  builder.note(fmt::format("The energy counter falls on {} (a reset, or joined runs) and is left out there.",
                           counted(dropped, "device")));
}

Result<std::vector<std::string>> power_from_energy(Trace& trace, const std::string& where) {
  Counts counts;
  for (Series& s : trace.series) differentiate(s, counts);
  if (counts.falls > 1 && counts.falls * 20 > counts.steps) {
    return fail(ErrorKind::bad_input, where,
                fmt::format("the energy falls in {} of {} steps, so that it is no running count and gives no power",
                            counts.falls, counts.steps),
                "Log the power itself, or the cumulative counter of the device.");
  }
  std::vector<std::string> sentences;
  if (counts.falls > 0) {
    sentences.push_back(
        fmt::format("The energy counter falls {} (a reset or a wrap): power is unknown there.", times(counts.falls)));
    for (Series& s : trace.series) {
      // The whole span is no longer one difference.
      if (falls(s.column(Column::energy_j))) s.column(Column::energy_j).clear();
    }
  }
  if (counts.unmoved > 0) {
    sentences.push_back(
        fmt::format("At {} of {} the energy counter has not moved: where it is slower than the log, power is "
                    "the mean from one move to another, and unknown before the first and behind the last.",
                    counts.unmoved, counted(counts.steps, "reading")));
  }
  if (counts.resolution > 0.0) {
    sentences.push_back(fmt::format(
        "The energy counter counts in steps of {:g} J: power is the mean over stretches that are long enough to know "
        "it to 10 %, and unknown where there is none.",
        counts.resolution));
  }
  if (counts.jumps > 0) {
    sentences.push_back(
        fmt::format("The energy counter jumps {} by more than a device can draw (up to {:.4g} kW): power is unknown "
                    "there.",
                    times(counts.jumps), counts.largest_jump_w * 1e-3));
  }
  if (const auto most = most_below_any_gpu(trace)) {
    sentences.push_back(
        fmt::format("The energy's differences never give more than {:.3g} W, which no GPU draws: if each row holds the "
                    "energy of its own interval, the column is no running count and this is not the power.",
                    *most));
  }
  if (const auto least = least_above_any_node(trace)) {
    sentences.push_back(
        fmt::format("The energy's differences never give less than {:.4g} kW, which no single machine draws: if the "
                    "column counts mJ, say --unit mJ.",
                    *least * 1e-3));
  }
  if (counts.close > 0) {
    sentences.push_back(
        fmt::format("{} {} within a twentieth of a period of the one before, too close for a difference.",
                    counted(counts.close, "reading"), counts.close == 1 ? "lies" : "lie"));
  }
  return sentences;
}

}  // namespace wattrein::trace
