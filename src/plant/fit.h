#pragma once
// A plant whose level, spread and autocorrelation are those of a log; everything else stays as assumed.

#include <string>
#include <vector>

#include "base/error.h"
#include "plant/params.h"
#include "trace/trace.h"

namespace wattrein::plant {

struct Fit {
  Params params;
  std::vector<SourceOverride> sources;  ///< of the parameters that were taken from the log or changed by it
  std::vector<std::string> notes;       ///< a sentence each
};

/// Takes from the log: the number of GPUs, the mean, relative spread and lag-1 autocorrelation of their sum, and
/// how their noise hangs together; on a grid of 0.5 s or of the log's own period where that is longer (the
/// coefficient is then converted: r at 0.5 s = r at T to the power 0.5 s / T). Only the busiest level counts:
/// of the levels that analysis::find_phases sees, the one with the most time (the lowest aside where its mean is
/// under half of the highest's: that is idling), and with it every level that cannot be told from it (Ashman's D =
/// sqrt(2) |a - b| / sqrt(sd_a^2 + sd_b^2) of 2 or less). The log's level is taken as that of full occupancy. A limit
/// is set for it as for the reference plant (params.h).
///
/// Errors, bad_input: no usable device, more than kMaxGpus of them, a period above 5 s (and a tenth of jitter), under 5
/// min of busy time, power that does not vary. Each says what it would need.
[[nodiscard]] Result<Fit> fit_occupancy(const trace::Trace& log);

}  // namespace wattrein::plant
