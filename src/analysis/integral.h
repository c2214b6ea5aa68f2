#pragma once
// Exact integrals of a step function: power in whole microwatts, time in whole nanoseconds, their products in
// 128 bits. Sums that slide over a trace never drift, and a constant load at a limit is exactly at it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/units.h"
#include "trace/steps.h"

namespace wattrein::analysis {

using trace::Steps;

__extension__ typedef __int128 Int128;

inline constexpr std::int64_t kUnknownPower = std::numeric_limits<std::int64_t>::min();

/// Whole microwatts, rounded to the nearest; kUnknownPower for NaN and infinities. Readings beyond 9e12 W, which
/// no meter gives, are held at that, so that no product overflows.
inline std::int64_t to_microwatts(double power_w) {
  if (!std::isfinite(power_w)) return kUnknownPower;
  constexpr double kMost = 9e18;
  return std::llround(std::clamp(power_w * 1e6, -kMost, kMost));
}

/// What a stretch of time holds.
struct Amount {
  Int128 energy_uw_ns = 0;    ///< over the known part
  std::int64_t known_ns = 0;  ///< how long power is known

  Amount operator-(const Amount& o) const { return {energy_uw_ns - o.energy_uw_ns, known_ns - o.known_ns}; }
  [[nodiscard]] double mean_w() const {
    return static_cast<double>(energy_uw_ns) / static_cast<double>(known_ns) * 1e-6;
  }
  [[nodiscard]] bool mean_above(std::int64_t limit_uw) const { return energy_uw_ns > Int128{limit_uw} * known_ns; }
};

inline Joules to_joules(Int128 uw_ns) { return Joules(static_cast<double>(uw_ns) * 1e-15); }

/// The integral from the first sample to t, for instants asked in ascending order: a whole pass is O(samples).
class Integral {
 public:
  explicit Integral(const Steps& steps) : steps_(steps) { load(); }

  /// Requires t no earlier than the instant asked before.
  [[nodiscard]] Amount at(std::int64_t t) {
    if (steps_.size() == 0 || t <= steps_.begin(0)) return {};
    while (i_ + 1 < steps_.size() && steps_.begin(i_ + 1) <= t) {
      add(before_, steps_.end(i_));
      ++i_;
      load();
    }
    Amount amount = before_;
    add(amount, std::min(t, steps_.end(i_)));
    return amount;
  }

  /// Microwatts at the instant asked last, kUnknownPower in a hole, and until when that does not change (past the
  /// trace's end: its end). Requires a sample.
  struct Level {
    std::int64_t power_uw = kUnknownPower;
    std::int64_t until_ns = 0;
  };
  [[nodiscard]] Level level(std::int64_t t) const {
    if (t < steps_.end(i_)) return {power_uw_, steps_.end(i_)};
    return {kUnknownPower, i_ + 1 < steps_.size() ? steps_.begin(i_ + 1) : steps_.end(i_)};
  }

 private:
  void load() { power_uw_ = i_ < steps_.size() ? to_microwatts(steps_.power[i_]) : kUnknownPower; }
  void add(Amount& amount, std::int64_t until) const {
    if (power_uw_ == kUnknownPower) return;
    const std::int64_t duration = until - steps_.begin(i_);
    amount.energy_uw_ns += Int128{power_uw_} * duration;
    amount.known_ns += duration;
  }

  Steps steps_;
  std::size_t i_ = 0;
  std::int64_t power_uw_ = kUnknownPower;
  Amount before_;  // up to the begin of segment i_
};

}  // namespace wattrein::analysis
