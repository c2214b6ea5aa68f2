#include "analysis/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/sampling.h"
#include "base/text.h"

namespace wattrein::analysis {

namespace {

using trace::HoldRule;

/// "0", "0 and 3", "0, 3, 4 and 5 more": names of devices for a sentence.
std::string list(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 3;
  if (names.size() > kMost + 1) {
    return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "), names.size() - kMost);
  }
  if (names.size() < 2) return names.empty() ? "" : names.front();
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string devices(const std::vector<std::string>& names) {
  return (names.size() == 1 ? "device " : "devices ") + list(names);
}

/// A figure of each device, and the device where it is largest.
struct PerDevice {
  std::vector<std::string> names;  // where it is above zero
  std::int64_t largest = 0;
  std::int64_t total = 0;
  std::string where;

  void add(const std::string& name, std::int64_t figure) {
    if (figure <= 0) return;
    names.push_back(name);
    total += figure;
    if (figure > largest) {
      largest = figure;
      where = name;
    }
  }
  /// "12 s on device 0", "at most 12 s on each of 8 devices (device 3)".
  [[nodiscard]] std::string durations() const {
    const std::string most = format_duration(Nanos(largest));
    if (names.size() == 1) return most + " on device " + where;
    return fmt::format("up to {} on each of {} devices (most on device {})", most, names.size(), where);
  }
};

void note_holds(const std::vector<Steps>& steps, const AnalysisOptions& options, const Analysis& analysis,
                std::vector<std::string>& notes) {
  PerDevice holes;
  PerDevice last;
  PerDevice unknown;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].size() < 2) continue;
    const Subject& subject = analysis.devices[i];
    const Nanos in_holes = time_in_holes(steps[i]);
    holes.add(subject.name, in_holes.count());
    last.add(subject.name, steps[i].last_hold_ns);
    unknown.add(subject.name, (subject.sampling.span - subject.sampling.known_time - in_holes).count());
  }
  if (!holes.names.empty()) {
    const std::string rule = options.hold.max_gap == HoldRule::MaxGap::fixed ? format_duration(options.hold.fixed_gap)
                                                                             : std::string("3 sample periods");
    notes.push_back(
        fmt::format("Power is unknown for {}: a reading holds for {} at most, and holes in the log are "
                    "longer. --max-gap none lets it hold until the next one.",
                    holes.durations(), rule));
  }
  if (!unknown.names.empty()) {
    notes.push_back(fmt::format("The log gives no power (N/A) for {}; that time is unknown.", unknown.durations()));
  }
  if (!last.names.empty()) {
    notes.push_back(
        fmt::format("The last reading of a device is taken to hold for one sample period ({}); "
                    "--last none gives it no width.",
                    format_duration(Nanos(last.largest))));
  }
}

void note_stamps(const Analysis& analysis, std::vector<std::string>& notes) {
  PerDevice duplicate;
  PerDevice backward;
  std::vector<std::string> single;
  std::vector<std::string> dark;
  for (const Subject& subject : analysis.devices) {
    duplicate.add(subject.name, subject.sampling.duplicate_stamps);
    backward.add(subject.name, subject.sampling.backward_stamps);
    if (subject.sampling.samples == 1 && !analysis.snapshot) single.push_back(subject.name);
    if (subject.sampling.samples > 0 && subject.sampling.known == 0) dark.push_back(subject.name);
  }
  if (!duplicate.names.empty()) {
    notes.push_back(fmt::format(
        "{} of {} {} the stamp before: of such samples the last one counts in means over time, the others only as "
        "samples.",
        counted(duplicate.total, "sample"), devices(duplicate.names), duplicate.total == 1 ? "repeats" : "repeat"));
  }
  if (!backward.names.empty()) {
    notes.push_back(fmt::format("The clock steps back {} on {}: samples were sorted by time.", times(backward.total),
                                devices(backward.names)));
  }
  if (!single.empty()) {
    notes.push_back(fmt::format("A single sample of {}: energy and windows are unknown there.", devices(single)));
  }
  if (!dark.empty()) notes.push_back(fmt::format("No power at all is known of {}.", devices(dark)));
}

/// Whether the devices' energies add up to over 2 % more than their sum has.
bool lacks_energy(const Analysis& analysis) {
  if (!analysis.sum || !analysis.sum->energy.integral) return false;
  double all_j = 0.0;
  for (const Subject& device : analysis.devices) all_j += device.energy.integral.value_or(Joules(0)).value();
  return analysis.sum->energy.integral->value() < 0.98 * all_j;
}

void note_sum(const trace::Trace& trace, const Analysis& analysis, const std::vector<std::string>& left_out,
              std::vector<std::string>& notes) {
  if (trace.series.size() < 2) return;
  if (analysis.snapshot) {
    if (analysis.sum && analysis.sum->sampling.known == 0) {
      notes.emplace_back("The sum is unknown, since a device's power is.");
    }
    return;
  }
  if (!left_out.empty()) {
    notes.push_back(fmt::format("The sum is without {}: fewer than two samples.", devices(left_out)));
  }
  if (!analysis.sum || analysis.sum->sampling.samples == 0) {
    notes.emplace_back("There is no sum: fewer than two devices have samples at the same time.");
    return;
  }
  const Sampling& sampling = analysis.sum->sampling;
  Nanos longest{0};
  for (const Subject& device : analysis.devices) longest = std::max(longest, device.sampling.span);
  const Nanos unknown = sampling.span - sampling.known_time;
  if (unknown.count() > 0) {
    notes.push_back(fmt::format("The sum is unknown for {} of {}, while any of its devices is.",
                                format_duration(unknown), format_duration(sampling.span)));
  }
  // Of a short log one poll that was not ended is enough to be asked about.
  if (sampling.span + 3 * sampling.period < longest || (unknown.count() == 0 && lacks_energy(analysis))) {
    notes.push_back(fmt::format("The sum covers the {} that its devices have in common; the longest of them has {}.",
                                format_duration(sampling.span), format_duration(longest)));
  }
}

void note_meter(const Analysis& analysis, std::vector<std::string>& notes) {
  std::vector<std::string> averaging;
  for (const Subject& device : analysis.devices) {
    if (device.meter == trace::MeterKind::average_1s && device.sampling.period < std::chrono::seconds(1)) {
      averaging.push_back(device.name);
    }
  }
  if (averaging.empty()) return;
  notes.push_back(
      fmt::format("The meter of {} averages over 1 s: windows shorter than that are a lower bound, and never "
                  "called compliant.",
                  devices(averaging)));
}

/// Windows that are shorter than the sample period by a hair, and judged all the same.
void note_hairs(const Analysis& analysis, std::vector<std::string>& notes) {
  std::vector<std::string> names;
  const Subject* shown = nullptr;
  Nanos window{0};
  const auto look = [&](const Subject& subject) {
    for (const LimitResult& limit : subject.limits) {
      const auto hair = std::ranges::find_if(limit.windows, [&](const WindowVerdict& w) {
        return w.means.available && w.means.spec.kind != WindowKind::samples &&
               w.means.spec.window < subject.sampling.period;
      });
      if (hair == limit.windows.end()) continue;
      names.push_back(subject.name);
      if (shown == nullptr) window = hair->means.spec.window;
      if (shown == nullptr) shown = &subject;
      return;
    }
  };
  for (const Subject& device : analysis.devices) look(device);
  if (names.empty()) return;
  notes.push_back(
      fmt::format("A window of {} is shorter than the sample period of {} ({}) by a hair: it was judged as "
                  "one period.",
                  format_duration(window), devices(names), duration_beside(shown->sampling.period, window)));
}

/// A limit in another unit than was meant is held by anything, or by nothing.
void note_far_limits(const Analysis& analysis, std::vector<std::string>& notes) {
  constexpr double kFar = 100.0;
  for (const Limit& limit : analysis.limits) {
    double highest = 0.0;
    const auto look = [&highest](const Subject& subject) {
      if (subject.power.max) highest = std::max(highest, subject.power.max->value());
    };
    if (limit.scope == Limit::Scope::sum && analysis.sum) {
      look(*analysis.sum);
    } else {
      for (const Subject& device : analysis.devices) look(device);
    }
    const double watts = limit.power.value();
    if (highest <= 0.0 || watts <= 0.0) continue;
    if (watts > kFar * highest) {
      notes.push_back(
          fmt::format("The limit {} is {:.3g} times the highest reading ({:.6g} W): check its unit, as MW is "
                      "not mW.",
                      limit.text(), watts / highest, highest));
    } else if (highest > kFar * watts) {
      notes.push_back(
          fmt::format("The highest reading ({:.6g} W) is {:.3g} times the limit {}: check its unit, as mW is "
                      "not MW.",
                      highest, highest / watts, limit.text()));
    }
  }
}

void note_energy(const Analysis& analysis, std::vector<std::string>& notes) {
  PerDevice resets;
  for (const Subject& device : analysis.devices) {
    resets.add(device.name, device.energy.counter_resets);
    if (!device.energy.marked || !device.energy.disagreement) continue;
    notes.push_back(
        fmt::format("The integral of power of device {} is {:+.1f} % off its energy counter over the time "
                    "that both know.",
                    device.name, *device.energy.disagreement * 100));
  }
  if (!resets.names.empty()) {
    notes.push_back(fmt::format("The energy counter of {} was reset {}; it was taken to count on from zero.",
                                devices(resets.names), times(resets.total)));
  }
}

}  // namespace

std::vector<std::string> notes_of(const trace::Trace& trace, const std::vector<Steps>& steps,
                                  const AnalysisOptions& options, const Analysis& analysis,
                                  const std::vector<std::string>& left_out) {
  std::vector<std::string> notes;
  if (analysis.snapshot) {
    notes.emplace_back("One sample a device: this is a snapshot, so energy and windows are unknown.");
  }
  if (analysis.limits_proposed) {
    notes.emplace_back("No limit was given: those shown were proposed from the log itself. Give yours with --limit.");
  }
  const auto sum_limit = [](const Limit& l) { return l.scope == Limit::Scope::sum; };
  if (trace.series.size() == 1 && std::ranges::any_of(analysis.limits, sum_limit)) {
    notes.emplace_back("The log has one device: a limit on the sum is a limit on that device.");
  }
  if (options.align == Align::clock && !trace.start_has_zone) {
    notes.emplace_back("The log's clock states no zone: block windows start at multiples of its own time.");
  }
  if (!analysis.limits_proposed) note_far_limits(analysis, notes);
  note_holds(steps, options, analysis, notes);
  note_stamps(analysis, notes);
  note_sum(trace, analysis, left_out, notes);
  note_meter(analysis, notes);
  note_hairs(analysis, notes);
  note_energy(analysis, notes);
  return notes;
}

}  // namespace wattrein::analysis
