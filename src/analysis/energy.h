#pragma once
// Energy two ways: the integral of power, and the device's own counter.

#include <span>

#include "analysis/analysis.h"

namespace wattrein::analysis {

/// Two readings of the same intervals: those between consecutive samples over which the power's hold is unbroken,
/// the counter is known at both ends, and was not reset.
struct MatchedEnergy {
  Joules integral;
  Joules counter;
};

struct EnergyParts {
  Energy energy;
  MatchedEnergy matched;
};

/// `counter_j` is as long as the steps, NaN where unknown, or empty. A counter that decreases was reset: it counts
/// from zero, so its new value is what it has counted since.
[[nodiscard]] EnergyParts energy_of(const Steps& steps, std::span<const double> counter_j);

/// Fills disagreement and mark from the matched readings; leaves them empty where the counter did not move.
void compare(Energy& energy, const MatchedEnergy& matched);

}  // namespace wattrein::analysis
