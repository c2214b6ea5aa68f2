#pragma once
// Exact integrals of a step function: power in whole microwatts, time in whole nanoseconds, their products in
// 128 bits. Sums that slide over a trace never drift, and a constant load at a limit is exactly at it.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/large.h"
#include "base/units.h"
#include "trace/steps.h"

namespace wattrein::analysis {

using trace::Steps;

__extension__ typedef __int128 Int128;

inline constexpr std::int64_t kUnknownPower = std::numeric_limits<std::int64_t>::min();

/// Whole microwatts, rounded to the nearest; kUnknownPower for NaN and infinities. Readings beyond 9e12 W, which
/// no meter gives, are held at that, so that no product overflows.
inline std::int64_t to_microwatts(double power_w) {
  constexpr double kMost = 9e18;
  constexpr double kSmall = 1e15;  // below it, half a unit is exact, and the cast needs no library call
  const double power_uw = power_w * 1e6;
  const double half_up = power_uw + 0.5;
  if (power_uw >= 0.0 && power_uw < kSmall) return static_cast<std::int64_t>(half_up);
  if (!std::isfinite(power_w)) return kUnknownPower;
  return std::llround(std::clamp(power_uw, -kMost, kMost));
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

/// What every sample has behind it: the integrals from the first sample to each of the others, built once a trace so
/// that a window of any size costs two look-ups. 24 bytes a sample. The steps' columns must outlive it.
class Prefix {
 public:
  explicit Prefix(const Steps& steps) : steps_(steps) {
    reserve_large(energy_before_, steps.size());
    reserve_large(known_before_, steps.size());
    Amount sum;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      energy_before_.push_back(sum.energy_uw_ns);
      known_before_.push_back(sum.known_ns);
      add(i, steps.end(i), sum);
    }
    total_ = sum;
  }

  [[nodiscard]] const Steps& steps() const { return steps_; }
  [[nodiscard]] std::size_t size() const { return known_before_.size(); }
  /// Up to the begin of segment i.
  [[nodiscard]] Amount before(std::size_t i) const { return {energy_before_[i], known_before_[i]}; }
  /// Up to t, which lies between the begins of segments i and i + 1.
  [[nodiscard]] Amount at(std::size_t i, std::int64_t t) const {
    Amount amount = before(i);
    add(i, std::min(t, steps_.end(i)), amount);
    return amount;
  }
  [[nodiscard]] const Amount& total() const { return total_; }

 private:
  void add(std::size_t i, std::int64_t until, Amount& amount) const {
    const std::int64_t power_uw = to_microwatts(steps_.power[i]);
    if (power_uw == kUnknownPower) return;
    const std::int64_t duration = until - steps_.begin(i);
    amount.energy_uw_ns += Int128{power_uw} * duration;
    amount.known_ns += duration;
  }

  Steps steps_;
  std::vector<Int128> energy_before_;
  std::vector<std::int64_t> known_before_;
  Amount total_;
};

/// The integral from the first sample to t, for instants asked in ascending order.
class Integral {
 public:
  explicit Integral(const Prefix& prefix) : prefix_(prefix), steps_(prefix.steps()) {}

  /// Requires t no earlier than the instant asked before.
  [[nodiscard]] Amount at(std::int64_t t) {
    if (steps_.size() == 0 || t <= steps_.begin(0)) return {};
    while (i_ + 1 < steps_.size() && steps_.begin(i_ + 1) <= t) ++i_;
    return prefix_.at(i_, t);
  }

  /// Microwatts at the instant asked last, kUnknownPower in a hole, and until when that does not change (past the
  /// trace's end: its end). Requires a sample.
  struct Level {
    std::int64_t power_uw = kUnknownPower;
    std::int64_t until_ns = 0;
  };
  [[nodiscard]] Level level(std::int64_t t) const {
    if (t < steps_.end(i_)) return {to_microwatts(steps_.power[i_]), steps_.end(i_)};
    return {kUnknownPower, i_ + 1 < steps_.size() ? steps_.begin(i_ + 1) : steps_.end(i_)};
  }

 private:
  const Prefix& prefix_;
  const Steps& steps_;
  std::size_t i_ = 0;
};

/// The integral over all of a trace, for those who need no windows.
[[nodiscard]] inline Amount whole(const Steps& steps) {
  Amount sum;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t power_uw = to_microwatts(steps.power[i]);
    if (power_uw == kUnknownPower) continue;
    const std::int64_t duration = steps.end(i) - steps.begin(i);
    sum.energy_uw_ns += Int128{power_uw} * duration;
    sum.known_ns += duration;
  }
  return sum;
}

}  // namespace wattrein::analysis
