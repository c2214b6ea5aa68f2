#pragma once
// Stretches above a limit: how long, how high, how much of it feedback could remove, and what a breaker makes of it.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.h"
#include "trace/steps.h"

namespace wattrein::analysis {

using trace::Steps;
class Prefix;  // integral.h

/// A maximal run of known samples above the limit.
struct Excursion {
  Nanos start{0};
  Nanos duration{0};
  Watts peak{};
  Joules overshoot{};    ///< integral of (P - limit)+
  bool plateau = false;  ///< overlaps a known sliding window of the infrastructure length whose mean is above
};

struct ExcursionOptions {
  Nanos infrastructure{std::chrono::seconds(30)};
  Nanos control_period{std::chrono::seconds(20)};  ///< of the feedback that might remove overshoot
  Nanos knob_delay{0};
};

struct Excursions {
  std::vector<Excursion> list;  ///< in time order
  std::int64_t plateaus = 0;
  std::int64_t transients = 0;
  Nanos time_above{0};
  Nanos longest{0};
  Joules overshoot{};
  /// Part of the overshoot that falls where the trailing mean over control period + knob delay, ending at the
  /// sample's end, is itself above the limit (DESIGN section 1); of the overshoot whose trailing mean is known
  /// (coverage of at least 0.8, wholly inside the trace). Nothing where there is none.
  std::optional<double> removable_share{};
};

[[nodiscard]] Excursions find_excursions(const Steps& steps, Watts limit, const ExcursionOptions& options);
[[nodiscard]] Excursions find_excursions(const Prefix& prefix, Watts limit, const ExcursionOptions& options);

/// Inverse-time trip model, an assumption with its parameters in the open (IEC 60255-151 extremely inverse,
/// t = TMS * 80 / ((P/rating)^2 - 1)); state 1 trips. Default TMS from DOMAIN section 3.
struct BreakerParams {
  double tms_s = 2.68;
  double k = 80.0;
  double alpha = 2.0;
  Seconds cooling{600.0};  ///< time constant under the rating
};
struct BreakerState {
  BreakerParams params;
  double peak = 0.0;               ///< largest state reached; runs on past 1, as if the breaker had not opened
  std::optional<Nanos> tripped{};  ///< when the state reached 1
  Nanos unknown{0};                ///< time of unknown power, over which the state is held, neither heated nor cooled
};
[[nodiscard]] BreakerState breaker_state(const Steps& steps, Watts rating, const BreakerParams& params);

}  // namespace wattrein::analysis
