#pragma once
// Statistics of the samples themselves.

#include <optional>
#include <vector>

#include "analysis/analysis.h"

namespace wattrein::analysis {

/// Linear between order statistics (Hyndman and Fan's type 7, what most tools give). Reorders `values`, which hold
/// no NaN; nothing when there are none. Requires 0 <= q <= 1.
[[nodiscard]] std::optional<double> percentile(std::vector<double>& values, double q);

/// `average_w` is the meter's own 1-s average column, or empty.
[[nodiscard]] PowerStats power_stats(const Steps& steps, std::span<const double> average_w);

}  // namespace wattrein::analysis
