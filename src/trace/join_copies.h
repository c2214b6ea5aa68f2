#pragma once
// Files that repeat some of each other's readings: a log that was copied while it was written, a rotation that
// overlaps, one GPU's own log beside that of its node.

#include <cstdint>

#include "trace/trace.h"

namespace wattrein::trace {

/// How far devices that nothing but their name connects have the same readings at the same moments.
struct Agreement {
  std::int64_t shared = 0;   ///< stamps that both have, with known power
  std::int64_t equal = 0;    ///< of these with equal power
  std::int64_t changes = 0;  ///< of power, among the equal ones
  bool differs = false;      ///< somewhere in the time that two devices share
  bool whole = false;        ///< both have the same devices over the same time: named as two logs, not parts of one

  /// Twenty readings that change five times: two meters do not agree so by chance.
  [[nodiscard]] bool tells() const { return equal >= 20 && changes >= 5; }
  [[nodiscard]] bool copies() const { return tells() && !differs && !whole; }
};

/// Of all devices of one name in both; the shifts are added to the stamps. Behind the first difference only a few
/// hundred readings are looked at. n log n in the devices, linear in the samples.
[[nodiscard]] Agreement agreement_of(const Trace& a, std::int64_t shift_a, const Trace& b, std::int64_t shift_b);

}  // namespace wattrein::trace
