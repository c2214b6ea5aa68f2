#include "plant/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "analysis/phases.h"
#include "base/text.h"
#include "trace/steps.h"

namespace wattrein::plant {

namespace {

constexpr Nanos kCoarsest = std::chrono::milliseconds(5500);  // a poll every 5 s, with its jitter
constexpr Nanos kBusyNeeded = std::chrono::minutes(5);
constexpr double kLeastSpread = 1e-3;  // of the mean: under it a meter's own digits are all that moves
constexpr double kTellApart = 2.0;     // Ashman's D
constexpr double kIdleBelow = 0.5;     // of the highest level's mean
constexpr double kCoverage = 0.8;      // of a cell, as for every window mean
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Time-weighted means over cells [begin + i * cell, begin + (i + 1) * cell); NaN where too little is known.
std::vector<double> cell_means(const trace::Steps& steps, std::int64_t begin, std::int64_t cell, std::size_t count) {
  std::vector<double> sum(count, 0.0);
  std::vector<double> known(count, 0.0);
  const std::int64_t end = begin + cell * static_cast<std::int64_t>(count);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::isnan(steps.power[i])) continue;
    std::int64_t at = std::max(steps.begin(i), begin);
    const std::int64_t until = std::min(steps.end(i), end);
    while (at < until) {
      const std::int64_t index = (at - begin) / cell;
      const std::int64_t stop = std::min(until, begin + (index + 1) * cell);
      const auto width = static_cast<double>(stop - at);
      sum[static_cast<std::size_t>(index)] += width * steps.power[i];
      known[static_cast<std::size_t>(index)] += width;
      at = stop;
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    sum[i] = known[i] >= kCoverage * static_cast<double>(cell) ? sum[i] / known[i] : kNan;
  }
  return sum;
}

double ashman_d(const analysis::PhaseLevel& a, const analysis::PhaseLevel& b) {
  const double spread = std::hypot(a.sd.value(), b.sd.value());
  const double apart = std::abs((a.mean - b.mean).value());
  if (spread == 0.0) return apart == 0.0 ? 0.0 : std::numeric_limits<double>::infinity();
  return std::sqrt(2.0) * apart / spread;
}

struct Busy {
  std::vector<bool> cells;
  std::size_t levels_seen = 1;
};

/// The cells of the busiest level (fit.h). A cell is busy by the level it belongs to, not by its own height, so
/// that the noise is not cut at a threshold.
Busy busy_cells(const trace::Steps& cells) {
  Busy busy;
  busy.cells.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) busy.cells[i] = !std::isnan(cells.power[i]);
  const analysis::Phases phases = analysis::find_phases(cells, {});
  busy.levels_seen = phases.levels.size();
  if (phases.levels.size() < 2 || phases.of_sample.size() != cells.size()) return busy;
  // Levels ascend in power. A lowest level of more than half the highest is no idling but another kind of work.
  const bool idle = phases.levels.front().mean < kIdleBelow * phases.levels.back().mean;
  std::size_t chosen = idle ? 1 : 0;
  for (std::size_t i = chosen + 1; i < phases.levels.size(); ++i) {
    if (phases.levels[i].time > phases.levels[chosen].time) chosen = i;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::int16_t level = phases.of_sample[i];
    busy.cells[i] = busy.cells[i] && level >= 0 &&
                    ashman_d(phases.levels[static_cast<std::size_t>(level)], phases.levels[chosen]) <= kTellApart;
  }
  return busy;
}

struct Moments {
  std::int64_t n = 0;
  double mean = 0.0;
  double variance = 0.0;
  double lag1 = 0.0;
};

/// Over the cells that are busy and known; the autocorrelation over pairs of neighbours.
Moments moments(std::span<const double> x, const std::vector<bool>& busy) {
  Moments m;
  const auto counts = [&](std::size_t i) { return busy[i] && !std::isnan(x[i]); };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!counts(i)) continue;
    ++m.n;
    m.mean += x[i];
  }
  if (m.n < 2) return m;
  m.mean /= static_cast<double>(m.n);
  double products = 0.0;
  std::int64_t pairs = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!counts(i)) continue;
    m.variance += (x[i] - m.mean) * (x[i] - m.mean);
    if (i == 0 || !counts(i - 1)) continue;
    products += (x[i] - m.mean) * (x[i - 1] - m.mean);
    ++pairs;
  }
  m.variance /= static_cast<double>(m.n - 1);
  if (pairs > 0 && m.variance > 0.0) m.lag1 = products / static_cast<double>(pairs) / m.variance;
  return m;
}

constexpr std::size_t kMostCells = 4'000'000;  // three weeks of half seconds

/// The log on a grid: the sum, and each device's own cells.
struct Gridded {
  Nanos cell{0};
  std::vector<std::int64_t> stamps;
  std::vector<double> sum;
  std::vector<std::vector<double>> devices;
  std::vector<std::string> left_out;
};

Result<Gridded> grid(const trace::Trace& log) {
  const trace::HoldRule rule;
  Gridded g;
  std::vector<const trace::Series*> used;
  for (const trace::Series& s : log.series) {
    if (s.size() >= 2)
      used.push_back(&s);
    else
      g.left_out.push_back(s.device.name);
  }
  if (used.empty()) {
    return fail(ErrorKind::bad_input, log.source, "no device has two samples or more, so there is no level to take",
                "a log of at least 5 min of busy time is needed");
  }
  if (used.size() > static_cast<std::size_t>(kMaxGpus)) {
    return fail(ErrorKind::bad_input, log.source,
                fmt::format("the log has {} devices, and a job of one plant has at most {}", used.size(), kMaxGpus),
                "give the log of one job");
  }
  std::optional<trace::Sum> sum;
  if (used.size() > 1) {
    sum = trace::sum_of(log, rule);
    if (!sum) {
      return fail(ErrorKind::bad_input, log.source, "the devices share no stretch of time, so they have no sum",
                  "give a log whose devices run side by side");
    }
  }
  const trace::Steps steps = sum ? sum->steps() : trace::steps_of(*used.front(), rule);
  if (steps.median_period > kCoarsest) {
    return fail(ErrorKind::bad_input, log.source,
                fmt::format("one sample in {} is too coarse to tell how fast power varies",
                            format_duration(steps.median_period)),
                "a log with a sample every 5 s or more often is needed");
  }
  g.cell = std::max(kSamplePeriod, steps.median_period);
  const std::int64_t begin = steps.span_begin();
  const auto count = static_cast<std::size_t>((steps.span_end() - begin) / g.cell.count());
  if (count > kMostCells) {
    return fail(
        ErrorKind::bad_input, log.source,
        fmt::format("the log spans {}, mostly without a sample", format_duration(Nanos(steps.span_end() - begin))),
        "give a log of one run, without far stamps");
  }
  g.sum = cell_means(steps, begin, g.cell.count(), count);
  for (const trace::Series* s : used) {
    g.devices.push_back(cell_means(trace::steps_of(*s, rule), begin, g.cell.count(), count));
  }
  g.stamps.resize(count);
  for (std::size_t i = 0; i < count; ++i) g.stamps[i] = static_cast<std::int64_t>(i) * g.cell.count();
  return g;
}

/// Correlation of the fast noise that makes k GPUs of this mean variance add up to this variance of the sum.
double implied_correlation(double sum_variance, double mean_gpu_variance, double k, double slow_share) {
  if (k < 2.0) return 0.0;
  const double fast_gpu = mean_gpu_variance - slow_share * sum_variance / (k * k);
  const double lowest = -1.0 / (k - 1.0);
  if (fast_gpu <= 0.0) return 0.0;
  const double r = ((1.0 - slow_share) * sum_variance / (k * fast_gpu) - 1.0) / (k - 1.0);
  return std::clamp(r, 0.999 * lowest, 1.0);  // at the bound itself the sum could not vary
}

void take(Fit& fit, const Gridded& g, const Busy& busy, const Moments& sum, std::string_view source) {
  Params& p = fit.params;
  const double k = static_cast<double>(g.devices.size());
  p.name = "occupancy, fitted";
  p.gpus = static_cast<int>(g.devices.size());
  p.gpu_mean = Watts(sum.mean / k);
  p.sigma_of_max = std::sqrt(sum.variance) / sum.mean;
  // The sum's own lag-1 mixes the fast noise with the slow share that is assumed to be in it.
  const double lag1 = std::pow(std::max(sum.lag1, 0.0), to_seconds(kSamplePeriod) / to_seconds(g.cell));
  const double slow_lag1 = std::exp(-(to_seconds(kSamplePeriod) / p.slow_tau));
  p.ar1 = std::clamp((lag1 - p.slow_share * slow_lag1) / (1.0 - p.slow_share), 0.0, 0.999);
  double gpu_variance = 0.0;
  for (const auto& device : g.devices) gpu_variance += moments(device, busy.cells).variance / k;
  p.correlation = implied_correlation(sum.variance, gpu_variance, k, p.slow_share);
  p.limit = limit_for_uncontrolled_rate(mean_at_max(p), sigma(p));

  const std::string busy_time = format_duration(g.cell * sum.n);
  fit.sources = {
      {"gpus", fmt::format("taken from {}", source)},
      {"gpu_mean",
       fmt::format("taken from {}: mean of its {} of busy time, read as full occupancy", source, busy_time)},
      {"sigma_of_max", fmt::format("taken from {}: spread of its {} means", source, format_duration(g.cell))},
      {"ar1", fmt::format("taken from {}: lag-1 autocorrelation of the sum {:.3f} at {}, less the assumed slow share",
                          source, sum.lag1, format_duration(g.cell))},
      {"correlation",
       k < 2.0 ? std::string("one GPU has nothing to correlate with")
               : fmt::format("taken from {}: what makes its GPUs' spreads add up to that of their sum", source)},
      {"limit", "set once so that 17.7 % of the fitted job's uncontrolled samples lie above it, then frozen"},
  };
  if (g.cell > kSamplePeriod) {
    fit.notes.push_back(
        fmt::format("the log has a sample every {}: its autocorrelation is converted to 0.5 s, and what "
                    "varies faster than its samples is not in it",
                    format_duration(g.cell)));
  }
  if (busy.levels_seen > 1) {
    fit.notes.push_back(fmt::format("the log shows {} power levels; {} at the busiest are taken, the rest is left out",
                                    busy.levels_seen, busy_time));
  }
  if (!g.left_out.empty()) {
    fit.notes.push_back(fmt::format("{} with fewer than two samples left out: {}",
                                    g.left_out.size() == 1 ? "one device" : "devices", fmt::join(g.left_out, ", ")));
  }
}

}  // namespace

Result<Fit> fit_occupancy(const trace::Trace& log) {
  const auto g = grid(log);
  if (!g) return std::unexpected(g.error());
  trace::Steps cells;
  cells.time_ns = g->stamps;
  cells.power = g->sum;
  cells.last_hold_ns = g->cell.count();
  cells.median_period = g->cell;
  const Busy busy = busy_cells(cells);
  const Moments sum = moments(g->sum, busy.cells);
  const Nanos busy_time = g->cell * sum.n;
  if (busy_time < kBusyNeeded) {
    return fail(ErrorKind::bad_input, log.source,
                fmt::format("the log has {} of busy time at one level, too short to tell spread from drift",
                            busy_time == Nanos{0} ? std::string("nothing") : format_duration(busy_time)),
                "at least 5 min at a steady load are needed");
  }
  if (sum.mean <= 0.0 || std::sqrt(sum.variance) < kLeastSpread * sum.mean) {
    return fail(ErrorKind::bad_input, log.source,
                fmt::format("power does not vary (mean {:.1f} W, spread {:.2f} W), so there is no noise to take",
                            sum.mean, std::sqrt(sum.variance)),
                "a log of a job at work is needed, with a spread of at least 0.1 % of its mean");
  }
  Fit fit;
  take(fit, *g, busy, sum, log.source);
  return fit;
}

}  // namespace wattrein::plant
