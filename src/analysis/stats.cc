#include "analysis/stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/integral.h"

namespace wattrein::analysis {

namespace {

std::vector<double> known_of(std::span<const double> values) {
  std::vector<double> known;
  known.reserve(values.size());
  std::ranges::copy_if(values, std::back_inserter(known), [](double v) { return std::isfinite(v); });
  return known;
}

std::optional<Watts> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return Watts(std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()));
}

}  // namespace

double next_percentile(std::vector<double>& values, double q, std::size_t& sorted) {
  const double rank = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(values.begin() + static_cast<std::ptrdiff_t>(std::min(sorted, below)), at, values.end());
  sorted = below;
  const double fraction = rank - static_cast<double>(below);
  if (fraction == 0.0) return *at;
  const double next = *std::min_element(at + 1, values.end());
  return *at + fraction * (next - *at);
}

std::optional<double> percentile(std::vector<double>& values, double q) {
  if (values.empty()) return std::nullopt;
  std::size_t sorted = 0;
  return next_percentile(values, q, sorted);
}

PowerStats power_stats(const Steps& steps, std::span<const double> average_w) {
  PowerStats stats;
  std::vector<double> known = known_of(steps.power);
  stats.average_meter_mean = mean_of(known_of(average_w));
  stats.mean = mean_of(known);
  if (known.empty()) return stats;
  const auto [min, max] = std::ranges::minmax_element(known);
  stats.min = Watts(*min);
  stats.max = Watts(*max);
  const auto [p50, p95, p99] = percentiles<3>(known, {0.50, 0.95, 0.99});
  stats.p50 = Watts(p50);
  stats.p95 = Watts(p95);
  stats.p99 = Watts(p99);
  const Amount all = whole(steps);
  if (all.known_ns > 0) stats.tmean = Watts(all.mean_w());
  return stats;
}

}  // namespace wattrein::analysis
