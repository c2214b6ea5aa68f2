#pragma once
// Limits for somebody who gave none: taken from the log, and said to be.

#include <optional>
#include <vector>

#include "analysis/analysis.h"

namespace wattrein::analysis {

/// The nameplate where the log knows it (the lowest of the devices'), the 99th percentile of samples of the device
/// where it is highest, and the 99th and 95th of the sum; in whole watts, rounded upwards. `sum` may be null.
/// Percentiles need a series, so a snapshot only has its nameplate. Equal limits are proposed once.
[[nodiscard]] std::vector<Limit> propose_limits(const std::vector<std::optional<Watts>>& nameplates,
                                                const std::vector<Subject>& devices, const Subject* sum);

}  // namespace wattrein::analysis
