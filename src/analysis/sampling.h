#pragma once

#include "analysis/analysis.h"

namespace wattrein::analysis {

/// How well the power was sampled. Duplicate and backward stamps are the series' own counts, taken before sorting.
[[nodiscard]] Sampling sampling_of(const Steps& steps, std::int64_t duplicate_stamps, std::int64_t backward_stamps);

/// Median of the periods alone says nothing of a log whose devices are polled in bursts; see Sampling's other
/// members. Time of unknown power that stands in holes: between the end of a hold and the next sample.
[[nodiscard]] Nanos time_in_holes(const Steps& steps);

}  // namespace wattrein::analysis
