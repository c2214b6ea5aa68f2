#include "analysis/energy.h"

#include <cmath>

#include "analysis/integral.h"

namespace wattrein::analysis {

namespace {

constexpr double kMarkedBeyond = 0.05;

struct Counter {
  double total_j = 0.0;
  std::int64_t readings = 0;
  std::int64_t resets = 0;
};

Counter count(std::span<const double> counter_j) {
  Counter out;
  double before = 0.0;
  for (const double now : counter_j) {
    if (!std::isfinite(now)) continue;
    if (out.readings++ > 0) {
      const bool reset = now < before;
      out.resets += reset ? 1 : 0;
      out.total_j += reset ? now : now - before;
    }
    before = now;
  }
  return out;
}

MatchedEnergy match(const Steps& steps, std::span<const double> counter_j) {
  Int128 integral_uw_ns = 0;
  double counter = 0.0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const std::int64_t power_uw = to_microwatts(steps.power[i]);
    const double delta = counter_j[i + 1] - counter_j[i];  // NaN where either is unknown
    if (power_uw == kUnknownPower || steps.end(i) != steps.begin(i + 1) || !(delta >= 0)) continue;
    integral_uw_ns += Int128{power_uw} * (steps.end(i) - steps.begin(i));
    counter += delta;
  }
  return {to_joules(integral_uw_ns), Joules(counter)};
}

}  // namespace

void compare(Energy& energy, const MatchedEnergy& matched) {
  if (matched.counter.value() <= 0) return;
  energy.disagreement = matched.integral / matched.counter - 1.0;
  energy.marked = std::abs(*energy.disagreement) > kMarkedBeyond;
}

EnergyParts energy_of(const Steps& steps, std::span<const double> counter_j) {
  EnergyParts out;
  const Amount all = whole(steps);
  if (steps.size() >= 2 && all.known_ns > 0) out.energy.integral = to_joules(all.energy_uw_ns);
  if (counter_j.empty()) return out;
  const Counter counter = count(counter_j);
  if (counter.readings < 2) return out;
  out.energy.counter = Joules(counter.total_j);
  out.energy.counter_resets = counter.resets;
  out.matched = match(steps, counter_j);
  compare(out.energy, out.matched);
  return out;
}

}  // namespace wattrein::analysis
