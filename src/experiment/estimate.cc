#include "experiment/estimate.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace wattrein::experiment {

namespace {

/// P(|T| < t).
double within(double t, int df) {
  const double theta = std::atan(t / std::sqrt(static_cast<double>(df)));
  const double c2 = std::cos(theta) * std::cos(theta);
  const bool odd = df % 2 == 1;
  double term = odd ? std::cos(theta) : 1.0;
  double sum = 0.0;
  for (int i = odd ? 3 : 2; i <= df; i += 2) {
    sum += term;
    term *= c2 * static_cast<double>(i - 1) / static_cast<double>(i);
  }
  if (!odd) return std::sin(theta) * sum;
  return 2.0 / std::numbers::pi * (theta + std::sin(theta) * sum);
}

Estimate with_error(double mean, double standard_error, int n) {
  const double half = student_t_95(n - 1) * standard_error;
  return {mean, Interval{mean - half, mean + half}};
}

}  // namespace

double student_t_95(int df) {
  WATTREIN_CHECK(df >= 1);
  double low = 1.9;  // t falls from 12.7 at df = 1 to 1.96
  double high = 13.0;
  for (int i = 0; i < 60; ++i) {
    const double mid = 0.5 * (low + high);
    (within(mid, df) < 0.95 ? low : high) = mid;
  }
  return 0.5 * (low + high);
}

Estimate estimate(std::span<const double> values) {
  WATTREIN_CHECK(!values.empty());
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2 || std::isnan(mean)) return {mean, std::nullopt};
  double squares = 0.0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return with_error(mean, std::sqrt(squares / (n - 1.0) / n), static_cast<int>(values.size()));
}

Estimate jackknife(int n, const std::function<double(int)>& of) {
  WATTREIN_CHECK(n >= 1);
  const double all = of(n);
  if (n < 2 || std::isnan(all)) return {all, std::nullopt};
  std::vector<double> without;
  without.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) without.push_back(of(i));
  const double mean = std::accumulate(without.begin(), without.end(), 0.0) / n;
  double squares = 0.0;
  for (const double v : without) squares += (v - mean) * (v - mean);
  return with_error(all, std::sqrt(squares * (n - 1.0) / n), n);
}

}  // namespace wattrein::experiment
