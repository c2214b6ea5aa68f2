#pragma once
// A log of one device, for tests: columns in people's units, viewed as steps.

#include <cmath>
#include <cstdint>
#include <vector>

#include "trace/steps.h"

namespace wattrein::analysis {

inline const double kNotKnown = std::nan("");
/// The reference's rule: a sample holds until the next one, the last has no width.
inline constexpr trace::HoldRule kPlainHold{.max_gap = trace::HoldRule::MaxGap::none, .last_holds = false};

struct TestLog {
  trace::Series series;

  TestLog() = default;
  TestLog(const std::vector<double>& at_s, std::vector<double> power_w) {
    series.time_ns.reserve(at_s.size());
    for (const double t : at_s) series.time_ns.push_back(std::llround(t * 1e9));
    series.power_w = std::move(power_w);
  }
  /// One sample every `period_s` from zero.
  static TestLog regular(double period_s, std::vector<double> power_w) {
    std::vector<double> at_s;
    at_s.reserve(power_w.size());
    for (std::size_t i = 0; i < power_w.size(); ++i) at_s.push_back(static_cast<double>(i) * period_s);
    return {at_s, std::move(power_w)};
  }
  [[nodiscard]] trace::Steps steps(const trace::HoldRule& rule = {}) const { return trace::steps_of(series, rule); }
};

}  // namespace wattrein::analysis
