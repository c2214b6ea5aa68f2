#pragma once
// A cumulative counter that falls was reset, or is none: its differences are not energy.

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "trace/builder.h"

namespace wattrein::trace {

/// Takes the energy column from every device on which it falls, and notes how many those are.
inline void drop_falling_counters(Builder& builder) {
  int dropped = 0;
  for (std::size_t d = 0; d < builder.device_count(); ++d) {
    auto& energy = builder.series(d).column(Column::energy_j);
    double last = -std::numeric_limits<double>::infinity();
    bool falls = false;
    for (const double e : energy) {
      falls = falls || e < last;
      if (!std::isnan(e)) last = e;
    }
    if (!falls) continue;
    energy.clear();
    ++dropped;
  }
  if (dropped == 0) return;
  builder.note(fmt::format("The energy counter falls on {} device{} (a reset, or joined runs) and is left out there.",
                           dropped, dropped == 1 ? "" : "s"));
}

}  // namespace wattrein::trace
