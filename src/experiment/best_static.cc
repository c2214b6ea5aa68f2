#include "experiment/best_static.h"

#include <algorithm>

namespace wattrein::experiment {

std::optional<double> best_mix(std::span<const StaticPoint> points, double rate) {
  // With a handful of levels, every pair is tried: each level alone that keeps to the rate, and each mix of one that
  // does with one that does not, in the shares that just meet it.
  std::optional<double> best;
  for (const StaticPoint& low : points) {
    if (low.rate > rate) continue;
    best = std::max(best.value_or(low.tokens), low.tokens);
    for (const StaticPoint& high : points) {
      if (high.rate <= rate) continue;
      const double share = (rate - low.rate) / (high.rate - low.rate);
      best = std::max(*best, low.tokens + share * (high.tokens - low.tokens));
    }
  }
  return best;
}

}  // namespace wattrein::experiment
