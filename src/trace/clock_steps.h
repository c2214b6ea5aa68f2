#pragma once
// Local wall clocks twice a year: what daylight saving time does to stamps without a zone.

#include <string>
#include <vector>

#include "trace/trace.h"

namespace wattrein::trace {

/// Series in file order, their stamps in unix nanoseconds of a wall clock of unknown zone. Where that is set back by
/// one whole hour in the night of the last Sunday of October, the first of November or the first of April, once, at a
/// full hour in the night and on every device that was polled across it, the stamps after it are moved up by that hour,
/// and the step no longer counts as backward. An hour that is skipped in March, April, September or October stays as it
/// is: it may as well be a hole. The notes say either. Polls up to an hour apart are enough where they are regular. A
/// step back in such a night that is left as it is, is warned about.
void unfold_daylight_saving(std::vector<Series>& series, std::vector<std::string>& notes,
                            std::vector<std::string>& warnings);

}  // namespace wattrein::trace
