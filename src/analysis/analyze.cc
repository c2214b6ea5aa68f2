#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/analysis.h"
#include "analysis/energy.h"
#include "analysis/integral.h"
#include "analysis/notes.h"
#include "analysis/propose.h"
#include "analysis/sampling.h"
#include "analysis/stats.h"
#include "base/parallel.h"
#include "base/text.h"

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
  if (matched != nullptr) *matched = energy.matched;
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

/// The readings that a trace lacks without a sign in its series, in words; empty where there are none. Of damaged rows
/// nobody can say whose they were.
std::string missing_rows(const Trace& trace) {
  const std::int64_t damaged = trace.understanding.damaged;
  if (damaged == 0) return {};
  return fmt::format("{} could not be read", counted(damaged, "row"));
}

/// The same for the sum, which is of the time that its devices have in common.
std::string missing_sum(std::int64_t unread, const std::vector<Steps>& parts, const Steps& sum,
                        const std::vector<std::string>& left_out) {
  if (unread > 0) return fmt::format("the sum is without {} that could not be read", counted(unread, "file"));
  if (!left_out.empty()) {
    return fmt::format("the sum is without {}: too few samples", counted(left_out.size(), "device"));
  }
  if (sum.size() == 0) return {};  // no window of it is known anyway
  std::int64_t begin = sum.span_begin();
  std::int64_t end = sum.span_end();
  for (const Steps& part : parts) {
    if (part.size() == 0) continue;
    begin = std::min(begin, part.span_begin());
    end = std::max(end, part.span_end());
  }
  const Nanos known(sum.span_end() - sum.span_begin());
  const Nanos all(end - begin);
  if (all - known <= 3 * sum.median_period) return {};  // devices are polled one after the other
  return fmt::format("the sum is of the {} that its devices have in common, of {}", format_duration(known),
                     format_duration(all));
}

/// The smallest windows above a limit that its own, of which nothing is known, divide evenly.
std::optional<Nanos> seen_at(const LimitResult& result, Nanos own) {
  std::optional<Nanos> smallest;
  for (const WindowVerdict& w : result.windows) {
    const Nanos size = w.means.spec.window;
    if (w.means.spec.kind == WindowKind::samples || w.verdict != Verdict::violated || size % own != Nanos(0)) continue;
    if (!smallest || size < *smallest) smallest = size;
  }
  return smallest;
}

/// Where blocks comply and windows between them do not, nothing bounds the rate.
void drop_idle_bounds(std::vector<WindowVerdict>& windows) {
  for (WindowVerdict& block : windows) {
    if (block.means.spec.kind != WindowKind::block || !block.upper_95) continue;
    const bool between = std::ranges::any_of(windows, [&](const WindowVerdict& w) {
      return w.means.spec.kind == WindowKind::sliding && w.means.spec.window == block.means.spec.window &&
             w.violating > 0;
    });
    if (!between) continue;
    block.upper_95.reset();
    block.note += fmt::format("{}{}", block.note.empty() ? "" : "; ", kBetweenBlocks);
  }
}

/// The verdict at the limit's own window, out of those at every window.
void conclude(LimitResult& result, const Subject& subject, const std::string& rows_missing) {
  bool shown_compliant = true;
  bool any_known = false;
  bool partly_known = false;
  bool could_exceed = false;
  for (const WindowVerdict& window : result.windows) {
    const WindowSpec& spec = window.means.spec;
    const bool own = result.limit.window ? spec.kind != WindowKind::samples && spec.window == *result.limit.window
                                         : spec.kind == WindowKind::samples;
    if (!own) continue;
    any_known = any_known || window.means.known > 0;
    partly_known = partly_known || window.partly_known;
    could_exceed = could_exceed || window.could_exceed;
    result.violated = result.violated || window.verdict == Verdict::violated;
    // Sliding windows decide; blocks of the clock may not fit into a trace that sliding windows of their size do.
    const bool no_block = spec.kind == WindowKind::block && window.verdict == Verdict::not_available;
    shown_compliant = shown_compliant && (window.verdict == Verdict::compliant || no_block);
  }
  if (result.limit.window && !any_known) {
    result.seen_at = seen_at(result, *result.limit.window);
    result.violated = result.seen_at.has_value();
  }
  std::string missing = rows_missing;
  if (missing.empty() && could_exceed && subject.power.max) {
    missing =
        fmt::format("power is unknown for {}: had it drawn {:.1f} W there, its highest reading, means would be above",
                    format_duration(subject.sampling.span - subject.sampling.known_time), subject.power.max->value());
  }
  if (!result.violated && shown_compliant) result.missing = missing;
  if (!result.violated && shown_compliant && missing.empty() && partly_known)
    result.if_unknown_drew = subject.power.max;
  result.undecided = !result.violated && (!shown_compliant || !missing.empty());
}

/// Windows of a subject, alone and against each limit whose scope it is.
void judge_subject(Subject& subject, const Steps& steps, const std::vector<Limit>& limits,
                   const std::vector<WindowSpec>& specs, WindowOptions window_options, const AnalysisOptions& options,
                   bool only_device, const std::string& missing) {
  const Prefix prefix(steps);
  window_options.correlation_time = correlation_time(prefix);
  window_options.unknown_draws = subject.power.max;
  std::vector<Watts> powers;
  for (const Limit& limit : limits) {
    if (!only_device && (limit.scope == Limit::Scope::sum) != subject.is_sum) continue;
    powers.push_back(limit.power);
    subject.limits.emplace_back().limit = limit;
  }
  for (const WindowSpec& spec : specs) {
    if (powers.empty()) {
      subject.windows.push_back(window_means(prefix, spec, window_options));
      continue;
    }
    std::vector<WindowVerdict> verdicts = judge_windows(prefix, spec, powers, window_options);
    subject.windows.push_back(verdicts.front().means);
    for (std::size_t i = 0; i < powers.size(); ++i) subject.limits[i].windows.push_back(std::move(verdicts[i]));
  }
  for (LimitResult& result : subject.limits) {
    drop_idle_bounds(result.windows);
    conclude(result, subject, missing);
    result.excursions = find_excursions(prefix, result.limit.power, options.excursions);
    result.breaker = breaker_state(steps, result.limit.power, options.breaker);
  }
}

Phases phases_of(const Series& series, const Steps& steps, const Trace& trace, const AnalysisOptions& options) {
  using Source = AnalysisOptions::PhaseSource;
  if (steps.size() < 2 || options.phase_source == Source::none) return {};
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

  const std::size_t devices = trace.series.size();
  std::vector<Steps> steps(devices);
  std::vector<MatchedEnergy> matched_of(devices);
  out.devices.resize(devices);
  parallel_for(devices, options.threads, [&](std::size_t i) {
    steps[i] = trace::steps_of(trace.series[i], options.hold);
    out.devices[i] = describe(trace.series[i], steps[i], &matched_of[i]);
  });
  MatchedEnergy matched;
  for (const MatchedEnergy& of : matched_of) {
    matched.integral += of.integral;
    matched.counter += of.counter;
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
    nameplates.reserve(trace.series.size());
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
  const std::string in_rows = missing_rows(trace);
  const std::string in_sum =
      sum && !out.snapshot ? missing_sum(trace.understanding.unread_files, steps, sum_steps, left_out) : "";
  parallel_for(devices + (sum ? 1 : 0), options.threads, [&](std::size_t i) {
    const bool is_sum = i == devices;
    Subject& subject = is_sum ? *out.sum : out.devices[i];
    const Steps& of = is_sum ? sum_steps : steps[i];
    judge_subject(subject, of, out.limits, specs, window_options, options, only_device,
                  is_sum && !in_sum.empty() ? in_sum : in_rows);
    subject.phases = phases_of(is_sum ? sum->series : trace.series[i], of, trace, options);
  });
  if (trace.series.size() >= 2 && !out.snapshot) {
    const Phases& first = out.devices.front().phases;
    out.correlation = pairwise_correlation(trace, options.hold, first.levels.size() > 1 ? &first : nullptr);
  }
  out.notes = notes_of(trace, steps, options, out, left_out);
  return out;
}

}  // namespace wattrein::analysis
