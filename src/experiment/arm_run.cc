#include "experiment/arm_run.h"

#include <algorithm>
#include <array>

#include "analysis/excursions.h"
#include "analysis/integral.h"
#include "analysis/window_scan.h"
#include "base/clock.h"
#include "control/simulated_job.h"

namespace wattrein::experiment {

Recording::Recording(std::size_t samples) {
  time_ns.reserve(samples);
  for (auto* column : {&power_w, &level, &tokens}) column->reserve(samples);
}

void Recording::clear() {
  time_ns.clear();
  for (auto* column : {&power_w, &level, &tokens}) column->clear();
  moves = events = 0;
}

void Recording::sample(const control::LoopSample& s) {
  time_ns.push_back(s.time.count());
  power_w.push_back(s.power.value());
  level.push_back(s.level);
  tokens.push_back(s.tokens.value());
}

void Recording::decision(const control::DecisionRecord& record) {
  if (record.applied && record.time > Nanos{0}) ++moves;
}

trace::Steps Recording::steps() const {
  trace::Steps steps;
  steps.time_ns = time_ns;
  steps.power = power_w;
  steps.last_hold_ns = plant::kSamplePeriod.count();
  steps.median_period = plant::kSamplePeriod;
  return steps;
}

double Measured::sample_rate() const {
  return static_cast<double>(windows.front().violating) / static_cast<double>(windows.front().known);
}

std::vector<WindowCount> windows_for(Nanos duration) {
  using std::chrono::milliseconds;
  using std::chrono::minutes;
  using std::chrono::seconds;
  std::vector<WindowCount> windows{{analysis::WindowKind::samples, Nanos{0}}};
  for (const Nanos w : std::array<Nanos, 7>{milliseconds(500), seconds(1), seconds(5), seconds(10), seconds(30),
                                            minutes(1), minutes(5)}) {
    if (w <= duration) windows.push_back({analysis::WindowKind::block, w});
  }
  return windows;
}

void run_arm(control::Controller& controller, const plant::Model& model, std::uint64_t seed, std::uint64_t stream,
             Nanos duration, Recording& recording) {
  recording.clear();
  controller.reset();
  control::SimulatedJob job(model, seed, stream);
  control::LoopParams params;
  params.limit = model.params.limit;
  params.sample_period = plant::kSamplePeriod;
  params.decision_period = kDecisionPeriod;
  control::Loop loop(params, job, job, controller, recording);
  ManualClock clock;
  control::run(loop, clock, params.sample_period, duration);
}

Measured measure(const Recording& recording, Watts limit, Nanos knob_delay) {
  const trace::Steps steps = recording.steps();
  Measured m;
  m.seconds = to_seconds(Nanos(steps.span_end() - steps.span_begin())).value();
  m.windows = windows_for(Nanos(steps.span_end() - steps.span_begin()));
  const analysis::Prefix prefix(steps);
  const std::int64_t limit_uw = analysis::to_microwatts(limit.value());
  for (WindowCount& count : m.windows) {
    analysis::scan_windows(prefix, {count.kind, count.window}, {}, [&](const analysis::Window& w) {
      if (!w.known()) return;
      count.known += w.count;
      if (w.amount.mean_above(limit_uw)) count.violating += w.count;
    });
  }
  analysis::ExcursionOptions options;
  options.control_period = kDecisionPeriod;
  options.knob_delay = knob_delay;
  const analysis::Excursions excursions = analysis::find_excursions(prefix, limit, options);
  m.overshoot_j = excursions.overshoot.value();
  m.removable_j = excursions.removable_share.value_or(0.0) * m.overshoot_j;
  m.plateaus = static_cast<double>(excursions.plateaus);
  m.transients = static_cast<double>(excursions.transients);

  const double period_s = to_seconds(plant::kSamplePeriod).value();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    m.energy_j += steps.power[i] * period_s;
    m.peak_w = std::max(m.peak_w, steps.power[i]);
    m.mean_level += recording.level[i];
  }
  m.mean_level /= static_cast<double>(steps.size());
  m.tokens = recording.tokens.back();
  m.moves = static_cast<double>(recording.moves);
  return m;
}

}  // namespace wattrein::experiment
