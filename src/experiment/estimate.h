#pragma once
// Means over replications with Student-t intervals.

#include <functional>
#include <span>

#include "experiment/demo.h"

namespace wattrein::experiment {

/// t with P(|T| < t) = 0.95 for `df` degrees of freedom, df >= 1. From the finite series of Abramowitz and Stegun,
/// 26.7.3 and 26.7.4.
[[nodiscard]] double student_t_95(int df);

/// Mean and interval of independent values. NaN where one of them is.
[[nodiscard]] Estimate estimate(std::span<const double> values);

/// Estimate of a figure that is worked out from means over `n` replications and not from any single one: `of(skip)`
/// is that figure without replication `skip`, `of(n)` with all. Interval from the jackknife's standard error
/// (Tukey 1958), Student's t with n - 1 degrees of freedom.
[[nodiscard]] Estimate jackknife(int n, const std::function<double(int)>& of);

}  // namespace wattrein::experiment
