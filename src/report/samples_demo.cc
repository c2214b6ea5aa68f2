#include <fmt/format.h>
#include <algorithm>

#include <cmath>
#include <limits>

#include "base/rng.h"
#include "report/samples.h"

namespace wattrein::report::samples {

using experiment::ArmCourse;
using experiment::ArmResult;
using experiment::DemoResult;
using experiment::Estimate;

namespace {

Estimate around(double mean, double spread) { return {mean, analysis::Interval{mean - spread, mean + spread}}; }

std::vector<experiment::WindowRate> windows_of(double samples_rate) {
  using std::chrono::milliseconds;
  std::vector<experiment::WindowRate> out;
  out.push_back({analysis::WindowKind::samples, Nanos(0), 72'000, static_cast<std::int64_t>(samples_rate * 72'000),
                 around(samples_rate, samples_rate * 0.1)});
  double rate = samples_rate;
  for (const int ms : {500, 1000, 5000, 10'000, 30'000, 60'000, 300'000}) {
    const auto known = static_cast<std::int64_t>(36'000'000 / ms);
    out.push_back({analysis::WindowKind::block, Nanos(milliseconds(ms)), known,
                   static_cast<std::int64_t>(rate * static_cast<double>(known)), around(rate, rate * 0.15)});
    rate *= 0.6;
  }
  return out;
}

struct Shape {
  const char* name;
  const char* description;
  double rate;
  double level;
  bool moves;
};

constexpr Shape kArms[] = {
    {"uncontrolled", "Eight sequences in flight throughout.", 0.177, 8, false},
    {"static:4", "Four sequences in flight throughout; knows nothing.", 0.0006, 4, false},
    {"hysteresis", "Down above the limit, up under 95 % of it; sees the last period's mean.", 0.041, 6.4, true},
    {"adaptive-threshold", "Sets its own margin from the spread it has seen; sees the last period's samples.", 0.022,
     6.1, true},
};

double throughput(double n) { return 310 * n / (1 + n / 12); }
double relative_power(double n) { return 1 - 0.31 * std::exp(-n / 2.6); }

ArmCourse course_of(const Shape& arm) {
  ArmCourse out;
  out.arm = arm.name;
  Rng noise(3);
  Rng choice(4);
  double slow = 0.0, fast = 0.0, tokens = 0.0, level = arm.level;
  for (int i = 0; i < 2400; ++i) {
    slow = 0.997 * slow + 0.6 * noise.normal();
    fast = 0.74 * fast + 22 * noise.normal();
    if (arm.moves && i % 40 == 0) level = std::round(std::clamp(arm.level + 1.2 * choice.normal(), 3.0, 8.0));
    out.time_s.push_back(i * 0.5);
    out.power_w.push_back(1205 * relative_power(level) + slow + fast);
    out.level.push_back(level);
    out.tokens.push_back(tokens);
    tokens += throughput(level) * 0.5;
  }
  return out;
}

ArmResult result_of(const Shape& arm) {
  const double tps = throughput(arm.level);
  const double watts = 1205 * relative_power(arm.level);
  ArmResult out;
  out.name = arm.name;
  out.description = arm.description;
  out.windows = windows_of(arm.rate);
  out.tokens_per_s = around(tps, 9);
  out.tokens_vs_uncontrolled = around(tps / throughput(8) - 1, 0.004);
  if (arm.moves) out.tokens_vs_best_static = around(0.061, 0.012);
  out.mean_power_w = around(watts, 2.5);
  out.peak_power_w = around(watts + 160, 8);
  out.energy_j = around(watts * 1200, 3000);
  out.j_per_token = around(watts / tps, 0.01);
  out.tokens_per_mwh = around(3.6e9 * tps / watts, 1.1e7);
  out.overshoot_j_per_h = around(arm.rate * 120'000, arm.rate * 9000);
  out.plateaus_per_h = around(arm.rate * 12, arm.rate * 3);
  out.transients_per_h = around(arm.rate * 1800, arm.rate * 80);
  out.knob_moves_per_h = around(arm.moves ? 92 : 0, arm.moves ? 4 : 0);
  if (arm.rate > 0.001) out.removable_share = 0.31;
  out.mean_level = around(arm.level, arm.moves ? 0.1 : 0);
  return out;
}

}  // namespace

DemoResult demo() {
  DemoResult out;
  out.plant = "72b-4xa100-occupancy";
  out.knob = "inflight";
  out.limit_text = "1239 W, sum over 4 GPUs";
  out.limit = Watts(1239);
  out.facts = {"Power of the batch levels 1 to 8, relative: 0.775 to 1 (assumed; plants/72b-4xa100-occupancy.toml)",
               "AR(1) coefficient of half-second samples: 0.74 (consistent with the published windows)"};
  out.notes = {"Everything here is simulated; no GPU took part.",
               "The workload is a generation proxy, not a training job."};
  out.replications = 30;
  out.duration = std::chrono::minutes(20);
  out.decision_period = std::chrono::seconds(20);
  out.seed = 1;
  for (const Shape& arm : kArms) {
    out.arms.push_back(result_of(arm));
    out.courses.push_back(course_of(arm));
  }
  return out;
}

DemoResult hostile_demo() {
  DemoResult out = demo();
  out.plant = out.knob = out.limit_text = out.workload = kAttack;
  out.fitted_from = kAttack;
  out.facts = out.notes = {kAttack};
  out.arms.resize(2);
  out.courses.resize(2);
  out.arms[1].name = out.arms[1].description = out.courses[1].arm = kAttack;
  out.arms[1].j_per_token.mean = std::numeric_limits<double>::quiet_NaN();
  out.arms[1].tokens_per_mwh = {std::numeric_limits<double>::infinity(), std::nullopt};
  out.courses[1].power_w[100] = std::numeric_limits<double>::quiet_NaN();
  return out;
}

}  // namespace wattrein::report::samples
