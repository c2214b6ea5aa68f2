#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/energy.h"
#include "analysis/notes.h"
#include "analysis/propose.h"
#include "analysis/sampling.h"
#include "analysis/stats.h"

namespace wattrein::analysis {

namespace {

using trace::Column;
using trace::Series;
using trace::Trace;

bool has_labels(const Series& series) {
  return std::ranges::any_of(series.phase, [](std::int16_t p) { return p >= 0; });
}

std::optional<Error> refuse(const Trace& trace, const AnalysisOptions& options) {
  if (options.align == Align::clock && !trace.start_unix_ns) {
    return Error{ErrorKind::usage, "--align", "block windows cannot start on the clock: this log has none",
                 "Say when it starts (--start), or leave --align at the first sample."};
  }
  if (options.phase_source == AnalysisOptions::PhaseSource::labels && std::ranges::none_of(trace.series, has_labels)) {
    return Error{ErrorKind::usage, "--phases", "this log has no phase labels",
                 "Name the column that holds them (--phase), or have phases found from power."};
  }
  return std::nullopt;
}

/// Samples first, then block and sliding windows of each size.
std::vector<WindowSpec> ladder(const AnalysisOptions& options) {
  std::vector<Nanos> sizes(default_windows().begin(), default_windows().end());
  sizes.insert(sizes.end(), options.extra_windows.begin(), options.extra_windows.end());
  for (const Limit& limit : options.limits) {
    if (limit.window) sizes.push_back(*limit.window);
  }
  std::ranges::sort(sizes);
  const auto duplicates = std::ranges::unique(sizes);
  sizes.erase(duplicates.begin(), duplicates.end());

  std::vector<WindowSpec> specs{{WindowKind::samples, Nanos(0)}};
  for (const Nanos size : sizes) {
    specs.push_back({WindowKind::block, size});
    specs.push_back({WindowKind::sliding, size});
  }
  return specs;
}

/// What of a subject needs no limit and no windows. The counter's matched readings go to `matched` when given.
Subject describe(const Series& series, const Steps& steps, MatchedEnergy* matched) {
  Subject subject;
  subject.name = series.device.name;
  subject.meter = steps.meter;
  subject.sampling = sampling_of(steps, series.duplicate_stamps, series.backward_stamps);
  subject.power = power_stats(steps, series.column(Column::average_w));
  const EnergyParts energy = energy_of(steps, series.column(Column::energy_j));
  subject.energy = energy.energy;
  if (matched != nullptr) {
    matched->integral += energy.matched.integral;
    matched->counter += energy.matched.counter;
  }
  return subject;
}

/// Counters of the devices in the sum add up where each of them has one.
void add_counters(const std::vector<Subject>& devices, const MatchedEnergy& matched, Energy& sum) {
  Joules total;
  for (const Subject& device : devices) {
    if (device.sampling.samples < 2) continue;  // not part of the sum
    if (!device.energy.counter) return;
    total += *device.energy.counter;
    sum.counter_resets += device.energy.counter_resets;
  }
  sum.counter = total;
  compare(sum, matched);
}

/// The sum of a snapshot: one sample, where every device has a known one.
trace::Sum snapshot_sum(const Trace& trace) {
  trace::Sum sum;
  sum.series.device.name = "sum";
  double total = 0.0;
  for (const Series& series : trace.series) total += series.size() == 1 ? series.power_w.front() : std::nan("");
  sum.series.time_ns = {0};
  sum.series.power_w = {total};
  return sum;
}

LimitResult judge(const Steps& steps, const Limit& limit, const std::vector<WindowSpec>& specs,
                  const WindowOptions& window_options, const AnalysisOptions& options) {
  LimitResult result;
  result.limit = limit;
  bool shown_compliant = true;
  for (const WindowSpec& spec : specs) {
    result.windows.push_back(judge_windows(steps, spec, limit.power, window_options));
    const bool own = limit.window ? spec.kind != WindowKind::samples && spec.window == *limit.window
                                  : spec.kind == WindowKind::samples;
    if (!own) continue;
    const Verdict verdict = result.windows.back().verdict;
    result.violated = result.violated || verdict == Verdict::violated;
    // Sliding windows decide; blocks of the clock may not fit into a trace that sliding windows of their size do.
    const bool no_block = spec.kind == WindowKind::block && verdict == Verdict::not_available;
    shown_compliant = shown_compliant && (verdict == Verdict::compliant || no_block);
  }
  result.undecided = !result.violated && !shown_compliant;
  result.excursions = find_excursions(steps, limit.power, options.excursions);
  result.breaker = breaker_state(steps, limit.power, options.breaker);
  return result;
}

/// Windows of a subject, alone and against each limit whose scope it is.
void judge_subject(Subject& subject, const Steps& steps, const std::vector<Limit>& limits,
                   const std::vector<WindowSpec>& specs, WindowOptions window_options, const AnalysisOptions& options,
                   bool only_device) {
  window_options.correlation_time = correlation_time(steps);
  for (const Limit& limit : limits) {
    if (!only_device && (limit.scope == Limit::Scope::sum) != subject.is_sum) continue;
    subject.limits.push_back(judge(steps, limit, specs, window_options, options));
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    subject.windows.push_back(subject.limits.empty() ? window_means(steps, specs[i], window_options)
                                                     : subject.limits.front().windows[i].means);
  }
}

Phases phases_of(const Series& series, const Steps& steps, const Trace& trace, const AnalysisOptions& options) {
  using Source = AnalysisOptions::PhaseSource;
  if (steps.size() < 2) return {};
  if (options.phase_source != Source::power && has_labels(series)) return labelled_phases(series, trace.phases, steps);
  if (options.phase_source == Source::labels) return {};
  return find_phases(steps, options.phases);
}

bool any_violated(const Subject& subject) {
  return std::ranges::any_of(subject.limits, [](const LimitResult& r) { return r.violated; });
}

}  // namespace

bool Analysis::violated() const {
  return !limits_proposed && (std::ranges::any_of(devices, any_violated) || (sum && any_violated(*sum)));
}

Result<Analysis> analyze(const Trace& trace, const AnalysisOptions& options) {
  if (const auto error = refuse(trace, options)) return std::unexpected(*error);
  Analysis out;
  out.snapshot = std::ranges::all_of(trace.series, [](const Series& s) { return s.size() <= 1; });

  std::vector<Steps> steps;
  MatchedEnergy matched;
  for (const Series& series : trace.series) {
    steps.push_back(trace::steps_of(series, options.hold));
    out.devices.push_back(describe(series, steps.back(), &matched));
  }

  std::vector<std::string> left_out;
  std::optional<trace::Sum> sum;
  Steps sum_steps;
  if (trace.series.size() >= 2) {
    sum = out.snapshot ? snapshot_sum(trace) : trace::sum_of(trace, options.hold, &left_out);
    const auto on_sum = [](const Limit& l) { return l.scope == Limit::Scope::sum; };
    if (!sum && std::ranges::any_of(options.limits, on_sum)) {
      sum.emplace();  // a limit that was given is answered: not available
      sum->series.device.name = "sum";
    }
  }
  if (sum) {
    sum_steps = sum->steps();
    out.sum = describe(sum->series, sum_steps, nullptr);
    out.sum->is_sum = true;
    if (sum_steps.size() >= 2) add_counters(out.devices, matched, out.sum->energy);
  }

  out.limits = options.limits;
  if (out.limits.empty()) {
    std::vector<std::optional<Watts>> nameplates;
    for (const Series& series : trace.series) nameplates.push_back(series.device.nameplate);
    out.limits = propose_limits(nameplates, out.devices, out.sum ? &*out.sum : nullptr);
    out.limits_proposed = !out.limits.empty();
  }

  const std::vector<WindowSpec> specs = ladder(options);
  const WindowOptions window_options{.align = options.align,
                                     .origin_unix_ns = trace.start_unix_ns.value_or(0),
                                     .correlation_time = std::nullopt,
                                     .seed = options.seed};
  const bool only_device = trace.series.size() == 1;
  for (std::size_t i = 0; i < out.devices.size(); ++i) {
    judge_subject(out.devices[i], steps[i], out.limits, specs, window_options, options, only_device);
    out.devices[i].phases = phases_of(trace.series[i], steps[i], trace, options);
  }
  if (sum) {
    judge_subject(*out.sum, sum_steps, out.limits, specs, window_options, options, false);
    out.sum->phases = phases_of(sum->series, sum_steps, trace, options);
  }
  if (trace.series.size() >= 2 && !out.snapshot) {
    const Phases& first = out.devices.front().phases;
    out.correlation = pairwise_correlation(trace, options.hold, first.levels.size() > 1 ? &first : nullptr);
  }
  out.notes = notes_of(trace, steps, options, out, left_out);
  return out;
}

}  // namespace wattrein::analysis
