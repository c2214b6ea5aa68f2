#pragma once
// The fair baseline: the best that fixed levels can do at a given violation rate.

#include <optional>
#include <span>

namespace wattrein::experiment {

/// What a fixed level did.
struct StaticPoint {
  double rate = 0.0;    ///< of samples above the limit
  double tokens = 0.0;  ///< a second
};

/// Most tokens of any mix in time of two fixed levels whose violation rate is at most `rate`: the upper concave
/// envelope of the points, at `rate`. A mix of shares w and 1 - w has the same shares of both figures. Nothing where
/// every level has a higher rate, or without points.
[[nodiscard]] std::optional<double> best_mix(std::span<const StaticPoint> points, double rate);

}  // namespace wattrein::experiment
