#pragma once
// Two stretches of one device's samples made one. Both series on the same axis of time.

#include <cstdint>
#include <optional>

#include "trace/trace.h"

namespace wattrein::trace {

/// Where two recordings of one device first disagree in the time that they share: the sample of each, as an index;
/// nothing where that side has no more samples in it.
struct Clash {
  std::optional<std::size_t> a;
  std::optional<std::size_t> b;
};

/// Nothing where they share no time, where only one has samples in it (a hole of the other), or where their stamps
/// and power are equal there. A series that begins with the other's last stamp continues it. The shifts are added to
/// the stamps.
[[nodiscard]] std::optional<Clash> clash_of(const Series& a, std::int64_t shift_a, const Series& b,
                                            std::int64_t shift_b);

/// Puts `b` into `a`, sorted by time. Samples of equal stamp and power are one, when both have them; an optional
/// column or phase that only one knows is taken from it. Returns how many were in both. Requires the same axis.
std::int64_t merge_into(Series& a, Series&& b);

}  // namespace wattrein::trace
