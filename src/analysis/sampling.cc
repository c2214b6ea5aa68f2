#include "analysis/sampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/integral.h"
#include "analysis/stats.h"

namespace wattrein::analysis {

namespace {

/// Share of samples that equal the one before, among those where both are known.
double repeated_share(std::span<const double> power) {
  std::int64_t pairs = 0;
  std::int64_t equal = 0;
  for (std::size_t i = 1; i < power.size(); ++i) {
    if (!std::isfinite(power[i - 1]) || !std::isfinite(power[i])) continue;
    ++pairs;
    if (power[i - 1] == power[i]) ++equal;
  }
  return pairs == 0 ? 0.0 : static_cast<double>(equal) / static_cast<double>(pairs);
}

}  // namespace

Sampling sampling_of(const Steps& steps, std::int64_t duplicate_stamps, std::int64_t backward_stamps) {
  Sampling out;
  out.samples = static_cast<std::int64_t>(steps.size());
  out.known = std::ranges::count_if(steps.power, [](double p) { return std::isfinite(p); });
  out.duplicate_stamps = duplicate_stamps;
  out.backward_stamps = backward_stamps;
  if (steps.size() < 2) return out;

  out.span = Nanos(steps.span_end() - steps.span_begin());
  out.known_time = Nanos(whole(steps).known_ns);
  if (out.span.count() > 0) out.coverage = to_seconds(out.known_time) / to_seconds(out.span);
  out.period = steps.median_period;
  out.repeated = repeated_share(steps.power);

  std::vector<double> gaps_ns;
  gaps_ns.reserve(steps.size() - 1);
  for (std::size_t i = 1; i < steps.size(); ++i) {
    const Nanos gap(steps.begin(i) - steps.begin(i - 1));
    out.longest_gap = std::max(out.longest_gap, gap);
    if (out.period.count() > 0 && gap > 3 * out.period) ++out.holes;
    gaps_ns.push_back(static_cast<double>(gap.count()));
  }
  const auto [low_ns, high_ns] = percentiles<2>(gaps_ns, {0.05, 0.95});
  out.jitter = Nanos(static_cast<std::int64_t>((high_ns - low_ns) / 2 + 0.5));
  return out;
}

Nanos time_in_holes(const Steps& steps) {
  Nanos holes{0};
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) holes += Nanos(steps.begin(i + 1) - steps.end(i));
  return holes;
}

}  // namespace wattrein::analysis
