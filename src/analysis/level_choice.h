#pragma once
// How many levels a power series has, and which.
// Internal to analysis. A pure function; no errors; any thread.

#include <span>

#include "analysis/hmm.h"
#include "analysis/phases.h"
#include "trace/steps.h"

namespace wattrein::analysis {

/// The model with as many levels, at most options.max_states, as raise the penalised likelihood and are levels
/// at all: far enough apart, stepped between where they are near, stayed at rather than passed through on a
/// ramp. Requires a known sample.
[[nodiscard]] LevelModel choose_levels(const trace::Steps& steps, std::span<const Run> runs,
                                       const PhaseOptions& options);

}  // namespace wattrein::analysis
