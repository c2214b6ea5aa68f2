#include <algorithm>
#include <cmath>

#include "analysis/excursions.h"

namespace wattrein::analysis {

// In each stretch of constant power the state is exact: above the rating it rises in a straight line, at 1/t_trip
// a second; below, it decays exponentially; at the rating, it stays.
BreakerState breaker_state(const Steps& steps, Watts rating, const BreakerParams& params) {
  BreakerState out{.params = params};
  double state = 0.0;
  std::int64_t known_ns = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!std::isfinite(steps.power[i])) continue;
    const Nanos duration(steps.end(i) - steps.begin(i));
    const double dt_s = to_seconds(duration).value();
    known_ns += duration.count();
    const double load = std::max(0.0, Watts(steps.power[i]) / rating);
    if (load < 1.0) {
      state *= std::exp(-dt_s / params.cooling.value());
      continue;
    }
    const double rate_per_s = (std::pow(load, params.alpha) - 1.0) / (params.tms_s * params.k);
    const double after = state + rate_per_s * dt_s;
    if (!out.tripped && after >= 1.0) {
      out.tripped = Nanos(steps.begin(i)) + to_nanos(Seconds((1.0 - state) / rate_per_s));
    }
    state = after;
    out.peak = std::max(out.peak, state);
  }
  out.unknown = Nanos(steps.span_end() - steps.span_begin() - known_ns);
  return out;
}

}  // namespace wattrein::analysis
