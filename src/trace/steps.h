#pragma once
// Power as a step function of time, with unknown stretches: what every analysis integrates.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// How long a sample is taken to hold (DESIGN "Hold"). A sample holds until the next one, but no longer than
/// `max_gap`; past that, power is unknown. The last one holds one median period, or nothing.
struct HoldRule {
  enum class MaxGap : std::uint8_t { three_periods, none, fixed };
  MaxGap max_gap = MaxGap::three_periods;
  Nanos fixed_gap{0};      ///< used with MaxGap::fixed
  bool last_holds = true;  ///< false: the last sample has no width (`--last none`)
};

inline constexpr std::int64_t kForever = std::numeric_limits<std::int64_t>::max();

/// A non-owning view: the columns must outlive it. Segment i covers [begin(i), end(i)) with power_w(i); a NaN
/// is an unknown segment, and so is the time between end(i) and begin(i+1). Cheap to copy.
struct Steps {
  std::span<const std::int64_t> time_ns;
  std::span<const double> power;  ///< watts, NaN = unknown
  std::int64_t max_hold_ns = kForever;
  std::int64_t last_hold_ns = 0;
  Nanos median_period{0};  ///< of the samples; for a sum, the largest of its parts'
  MeterKind meter = MeterKind::unknown;

  [[nodiscard]] std::size_t size() const { return time_ns.size(); }
  [[nodiscard]] std::int64_t begin(std::size_t i) const { return time_ns[i]; }
  [[nodiscard]] std::int64_t end(std::size_t i) const {
    if (i + 1 == time_ns.size()) return time_ns[i] + last_hold_ns;
    const std::int64_t next = time_ns[i + 1];
    return next - time_ns[i] > max_hold_ns ? time_ns[i] + max_hold_ns : next;
  }
  [[nodiscard]] std::int64_t span_begin() const { return time_ns.empty() ? 0 : time_ns.front(); }
  [[nodiscard]] std::int64_t span_end() const { return time_ns.empty() ? 0 : end(time_ns.size() - 1); }
};

/// Median of the differences of consecutive stamps; zero with fewer than two samples.
[[nodiscard]] Nanos median_period(std::span<const std::int64_t> time_ns);
/// The same, but where most rows repeat the stamp before, that of the different stamps: how far polls are apart.
[[nodiscard]] Nanos usual_period(std::span<const std::int64_t> time_ns);

[[nodiscard]] Steps steps_of(const Series& series, const HoldRule& rule);

/// The sum of devices (DESIGN "Sum"): on the union of their stamps over the common span, which ends with the first of
/// their last holds; unknown where any part is unknown. Owns its columns; where a part's hold ends before its next
/// sample, a NaN stamp marks it.
struct Sum {
  Series series;           ///< device.name = "sum"
  Nanos median_period{0};  ///< largest of the parts'
  std::int64_t last_hold_ns = 0;
  MeterKind meter = MeterKind::unknown;  ///< the parts' where they agree
  [[nodiscard]] Steps steps() const;
};

/// Nothing when there are fewer than two devices with two samples or no common span. Devices with a single
/// sample or none are left out, and `left_out` (when given) receives their names.
[[nodiscard]] std::optional<Sum> sum_of(const Trace& trace, const HoldRule& rule,
                                        std::vector<std::string>* left_out = nullptr);

}  // namespace wattrein::trace
