#pragma once
// Stamps that are coarser than the readings: whole seconds at ten readings a second, minutes from a spreadsheet.

#include <optional>

#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// Where a third and more of a device's readings repeat the stamp before, and not always its power: spreads the
/// readings of each stamp evenly over the time to the next one, or over one usual step where that is later. Of a first
/// stamp with fewer readings than usual, the earlier ones are taken to be missing. Returns the usual step between
/// stamps; nothing where the stamps are left as they are. Requires that the series is sorted by time.
std::optional<Nanos> spread_coarse_stamps(Series& series);

}  // namespace wattrein::trace
