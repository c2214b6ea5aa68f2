#include "control/loop.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace wattrein::control {

namespace {
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
}

std::string_view name(EventKind kind) {
  switch (kind) {
    case EventKind::illegal_level: return "illegal-level";
    case EventKind::apply_failed: return "apply-failed";
  }
  return "illegal-level";
}

Loop::Loop(const LoopParams& params, JobPort& job, PowerMeter& meter, Controller& controller, EventSink& sink)
    : params_(params), job_(job), meter_(meter), controller_(controller), sink_(sink) {
  WATTREIN_CHECK(params.limit.value() > 0.0 && params.sample_period.count() > 0);
  WATTREIN_CHECK(params.decision_period.count() > 0);
  WATTREIN_CHECK(params.decision_period.count() % params.sample_period.count() == 0);
  WATTREIN_CHECK(params.knob < job.knobs().size());
  knob_ = job.knobs()[params.knob];
  WATTREIN_CHECK(!knob_.legal.empty());
  samples_per_period_ = params.decision_period.count() / params.sample_period.count();
  observation_.power_of_limit.fill(kNan);
  observation_.headroom = kNan;
  observation_.over_share = kNan;
  observation_.commanded = job.report().level_in_force;
  observation_.knob = knob_;
  samples_ = samples_per_period_;  // the first tick decides
}

void Loop::close_period() {
  auto& history = observation_.power_of_limit;
  std::copy_backward(history.begin(), history.end() - 1, history.end());
  const bool enough =
      known_ > 0 && static_cast<double>(known_) >= params_.least_known * static_cast<double>(samples_per_period_);
  const auto n = static_cast<double>(known_);
  history.front() = enough ? sum_w_ / n / params_.limit.value() : kNan;
  observation_.headroom = 1.0 - history.front();
  observation_.over_share = enough ? static_cast<double>(over_) / n : kNan;
}

void Loop::decide(Nanos now) {
  const JobReport report = job_.report();
  observation_.time = now;
  observation_.phase = report.phase;
  observation_.level_of_max = static_cast<double>(report.level_in_force) / knob_.highest();
  DecisionRecord record{now, observation_, controller_.decide(observation_), false};
  const int level = record.decision.level;
  if (!knob_.allows(level)) {
    sink_.event({now, EventKind::illegal_level, level});
  } else if (level != observation_.commanded) {
    record.applied = job_.apply(params_.knob, level).has_value();
    if (record.applied)
      observation_.commanded = level;
    else
      sink_.event({now, EventKind::apply_failed, level});
  }
  sink_.decision(record);
}

void Loop::tick(Nanos now) {
  if (samples_ == samples_per_period_) {
    if (now > Nanos{0}) close_period();
    decide(now);
    samples_ = known_ = over_ = 0;
    sum_w_ = 0.0;
  }
  const Watts power = meter_.read();
  ++samples_;
  if (!std::isnan(power.value())) {
    ++known_;
    sum_w_ += power.value();
    if (power > params_.limit) ++over_;
  }
  const JobReport report = job_.report();
  sink_.sample({now, power, report.level_in_force, report.tokens});
}

void run(Loop& loop, Clock& clock, Nanos sample_period, Nanos duration) {
  const Nanos start = clock.now();
  for (Nanos due{0}; due < duration; due += sample_period) {
    clock.sleep_until(start + due);
    loop.tick(due);
  }
}

}  // namespace wattrein::control
