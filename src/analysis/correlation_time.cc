#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/integral.h"
#include "analysis/windows.h"

namespace wattrein::analysis {

namespace {

constexpr std::int64_t kMostPoints = 16384;
constexpr double kSokal = 5.0;

struct Grid {
  std::int64_t step_ns = 0;
  bool averaged = false;
  std::vector<double> power_w;  ///< NaN = unknown
};

/// Held power at every median period. A trace of more than 16384 periods is averaged over longer, equal cells
/// instead (unknown where less than half of one is known).
Grid regular_grid(const Prefix& prefix) {
  const Steps& steps = prefix.steps();
  Grid grid;
  const std::int64_t span = steps.span_end() - steps.span_begin();
  const std::int64_t period = steps.median_period.count();
  if (period <= 0 || span <= 0) return grid;
  const std::int64_t points = (span + period - 1) / period;
  grid.averaged = points > kMostPoints;
  grid.step_ns = grid.averaged ? span / kMostPoints : period;

  Integral integral(prefix);
  Amount before;
  for (std::int64_t k = 0; k < std::min(points, kMostPoints); ++k) {
    const std::int64_t begin = steps.span_begin() + k * grid.step_ns;
    double power_w = std::nan("");
    if (grid.averaged) {
      const Amount after = integral.at(begin + grid.step_ns);
      const Amount cell = after - before;
      if (cell.known_ns * 2 >= grid.step_ns) power_w = cell.mean_w();
      before = after;
    } else {
      before = integral.at(begin);
      const std::int64_t power_uw = integral.level(begin).power_uw;
      if (power_uw != kUnknownPower) power_w = static_cast<double>(power_uw) * 1e-6;
    }
    grid.power_w.push_back(power_w);
  }
  return grid;
}

/// Time-weighted variance of the held power.
double held_variance(const Steps& steps, double mean_w) {
  double squares = 0.0;
  double known_ns = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!std::isfinite(steps.power[i])) continue;
    const auto duration = static_cast<double>(steps.end(i) - steps.begin(i));
    const double deviation = steps.power[i] - mean_w;
    squares += deviation * deviation * duration;
    known_ns += duration;
  }
  return known_ns > 0 ? squares / known_ns : 0.0;
}

}  // namespace

// A. D. Sokal, "Monte Carlo methods in statistical mechanics" (1996): tau(M) = 1/2 + sum of the first M
// autocorrelations, at the smallest M >= 5 tau(M). Beyond that lag the sum adds noise and no signal.
Nanos correlation_time(const Prefix& prefix) {
  const Grid grid = regular_grid(prefix);
  const std::size_t n = grid.power_w.size();
  double sum = 0.0;
  std::size_t known = 0;
  for (const double p : grid.power_w) {
    if (std::isfinite(p)) {
      sum += p;
      ++known;
    }
  }
  if (known < 2) return Nanos(0);
  const double mean = sum / static_cast<double>(known);
  std::vector<double> deviation(n);  // zero where unknown: such pairs add nothing to the sum below
  std::vector<double> weight(n);
  for (std::size_t i = 0; i < n; ++i) {
    weight[i] = std::isfinite(grid.power_w[i]) ? 1.0 : 0.0;
    deviation[i] = weight[i] > 0 ? grid.power_w[i] - mean : 0.0;
  }

  const auto covariance = [&](std::size_t lag) {
    double product = 0.0;
    double pairs = 0.0;
    for (std::size_t i = 0; i + lag < n; ++i) {
      product += deviation[i] * deviation[i + lag];
      pairs += weight[i] * weight[i + lag];
    }
    return pairs > 0 ? product / pairs : 0.0;
  };
  const double variance = covariance(0);
  // A constant load has no fluctuation to correlate; rounding of the mean is not one.
  if (variance <= 1e-18 * mean * mean || variance <= 0.0) return Nanos(0);

  double tau = 0.5;
  for (std::size_t lag = 1; lag <= n / 2; ++lag) {
    tau += covariance(lag) / variance;
    if (static_cast<double>(lag) >= kSokal * tau) break;
  }
  tau = std::max(0.0, tau);
  // Averaging lowers the variance and stretches the time by one factor: variance times integrated correlation time
  // is the integral of the autocovariance, which averaging leaves alone.
  if (grid.averaged) tau *= std::min(1.0, variance / held_variance(prefix.steps(), mean));
  return to_nanos(Seconds(tau * static_cast<double>(grid.step_ns) * 1e-9));
}

Nanos correlation_time(const Steps& steps) { return correlation_time(Prefix(steps)); }

}  // namespace wattrein::analysis
