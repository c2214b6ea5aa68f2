#include "analysis/excursions.h"

#include <algorithm>

#include "analysis/window_scan.h"

namespace wattrein::analysis {

namespace {

/// Half-open stretches of time, ascending and disjoint.
struct Stretch {
  std::int64_t begin;
  std::int64_t end;
};

/// Union of the known sliding windows whose mean is above the limit.
std::vector<Stretch> violating_stretches(const Prefix& prefix, Nanos window, std::int64_t limit_uw) {
  std::vector<Stretch> stretches;
  const WindowSpec spec{WindowKind::sliding, window};
  if (!unavailable_reason(prefix.steps(), spec, {}).empty()) return stretches;
  scan_sliding(prefix, window.count(), [&](const Window& w) {
    if (!w.known() || !w.amount.mean_above(limit_uw)) return;
    const std::int64_t end = w.begin_ns + w.width_ns;
    if (stretches.empty() || stretches.back().end < w.begin_ns) {
      stretches.push_back({w.begin_ns, end});
    } else {
      stretches.back().end = end;
    }
  });
  return stretches;
}

/// Runs of samples above the limit; what does not touch in time does not belong together.
std::vector<Excursion> runs_above(const Steps& steps, std::int64_t limit_uw, Excursions& totals) {
  std::vector<Excursion> list;
  Int128 all_uw_ns = 0;
  Int128 run_uw_ns = 0;
  std::int64_t end_of_run = 0;
  bool in_run = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t power_uw = to_microwatts(steps.power[i]);
    if (power_uw == kUnknownPower || power_uw <= limit_uw) {
      in_run = false;
      continue;
    }
    if (!in_run || end_of_run != steps.begin(i)) {
      list.push_back({.start = Nanos(steps.begin(i)), .peak = Watts(steps.power[i])});
      run_uw_ns = 0;
    }
    in_run = true;
    end_of_run = steps.end(i);
    const Int128 over = Int128{power_uw - limit_uw} * (steps.end(i) - steps.begin(i));
    run_uw_ns += over;
    all_uw_ns += over;
    Excursion& run = list.back();
    run.duration = Nanos(end_of_run) - run.start;
    run.peak = std::max(run.peak, Watts(steps.power[i]));
    run.overshoot = to_joules(run_uw_ns);
  }
  totals.overshoot = to_joules(all_uw_ns);
  return list;
}

void mark_plateaus(std::vector<Excursion>& list, const std::vector<Stretch>& stretches) {
  std::size_t s = 0;
  for (Excursion& run : list) {
    const std::int64_t begin = run.start.count();
    const std::int64_t end = begin + std::max<std::int64_t>(run.duration.count(), 1);  // a point counts as itself
    while (s < stretches.size() && stretches[s].end <= begin) ++s;
    run.plateau = s < stretches.size() && stretches[s].begin < end;
  }
}

std::optional<double> removable_share(const Prefix& prefix, std::int64_t limit_uw, Nanos trailing) {
  const Steps& steps = prefix.steps();
  Int128 judged = 0;
  Int128 removable = 0;
  Integral head(prefix);
  Integral tail(prefix);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t power_uw = to_microwatts(steps.power[i]);
    if (power_uw == kUnknownPower || power_uw <= limit_uw) continue;
    const std::int64_t end = steps.end(i);
    if (end - steps.span_begin() < trailing.count()) continue;
    const std::int64_t begin = end - trailing.count();
    const Window window{begin, trailing.count(), head.at(end) - tail.at(begin), 1};
    if (!window.known()) continue;
    const Int128 over = Int128{power_uw - limit_uw} * (end - steps.begin(i));
    judged += over;
    if (window.amount.mean_above(limit_uw)) removable += over;
  }
  if (judged <= 0) return std::nullopt;
  return static_cast<double>(removable) / static_cast<double>(judged);
}

}  // namespace

Excursions find_excursions(const Steps& steps, Watts limit, const ExcursionOptions& options) {
  return find_excursions(Prefix(steps), limit, options);
}

Excursions find_excursions(const Prefix& prefix, Watts limit, const ExcursionOptions& options) {
  const Steps& steps = prefix.steps();
  Excursions out;
  const std::int64_t limit_uw = to_microwatts(limit.value());
  out.list = runs_above(steps, limit_uw, out);
  mark_plateaus(out.list, violating_stretches(prefix, options.infrastructure, limit_uw));
  for (const Excursion& run : out.list) {
    ++(run.plateau ? out.plateaus : out.transients);
    out.time_above += run.duration;
    out.longest = std::max(out.longest, run.duration);
  }
  const Nanos trailing = options.control_period + options.knob_delay;
  if (trailing.count() > 0) out.removable_share = removable_share(prefix, limit_uw, trailing);
  return out;
}

}  // namespace wattrein::analysis
