#pragma once
// Statistics of the samples themselves.

#include <array>
#include <optional>
#include <vector>

#include "analysis/analysis.h"

namespace wattrein::analysis {

/// One of percentiles(): `values` below rank `sorted` are no larger than the rest. Moves `sorted` up to the rank of q.
[[nodiscard]] double next_percentile(std::vector<double>& values, double q, std::size_t& sorted);

/// Linear between order statistics (Hyndman and Fan's type 7, what most tools give). Reorders `values`, which hold
/// no NaN; nothing when there are none. Requires 0 <= q <= 1.
[[nodiscard]] std::optional<double> percentile(std::vector<double>& values, double q);
/// Several at once, for less than one by one. Requires ascending `qs`, and at least one value.
template <std::size_t N>
[[nodiscard]] std::array<double, N> percentiles(std::vector<double>& values, const std::array<double, N>& qs) {
  std::array<double, N> out{};
  std::size_t sorted = 0;  // ranks below it are settled: what follows lies behind them
  for (std::size_t i = 0; i < N; ++i) out[i] = next_percentile(values, qs[i], sorted);
  return out;
}

/// `average_w` is the meter's own 1-s average column, or empty.
[[nodiscard]] PowerStats power_stats(const Steps& steps, std::span<const double> average_w);

}  // namespace wattrein::analysis
