#include "experiment/demo.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "experiment/arm_run.h"
#include "plant/plant.h"

namespace wattrein::experiment {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

DemoOptions small() {
  DemoOptions o;
  o.replications = 4;
  o.duration = minutes(10);
  return o;
}

const ArmResult& arm(const DemoResult& r, std::string_view name) {
  const auto it = std::find_if(r.arms.begin(), r.arms.end(), [&](const ArmResult& a) { return a.name == name; });
  EXPECT_NE(it, r.arms.end());
  return *it;
}

/// Bytes of every figure, so that two results can be compared to the last bit.
std::string bytes(const DemoResult& r) {
  std::string out;
  const auto put = [&out](double x) { out.append(reinterpret_cast<const char*>(&x), sizeof x); };
  const auto put_estimate = [&put](const Estimate& e) {
    put(e.mean);
    if (e.interval_95) put(e.interval_95->low), put(e.interval_95->high);
  };
  for (const ArmResult& a : r.arms) {
    out += a.name;
    for (const WindowRate& w : a.windows) {
      put(static_cast<double>(w.violating));
      put_estimate(w.rate);
    }
    for (const Estimate& e : {a.tokens_per_s, a.tokens_vs_uncontrolled, a.tokens_vs_best_static.value_or(Estimate{}),
                              a.mean_power_w, a.peak_power_w, a.energy_j, a.overshoot_j_per_h, a.knob_moves_per_h}) {
      put_estimate(e);
    }
    put(a.removable_share.value_or(-1.0));
  }
  for (const ArmCourse& c : r.courses) {
    for (const double p : c.power_w) put(p);
  }
  return out;
}

TEST(Demo, RunsItsDefaultArmsInOrder) {
  const auto r = run_demo(small());
  ASSERT_TRUE(r);
  ASSERT_EQ(r->arms.size(), 4U);
  EXPECT_EQ(r->arms[0].name, "uncontrolled");
  EXPECT_EQ(r->arms[1].name, "static:4");
  EXPECT_EQ(r->arms[2].name, "hysteresis");
  EXPECT_EQ(r->arms[3].name, "adaptive-threshold");
  EXPECT_EQ(r->plant, "72b-4xa100-occupancy");
  EXPECT_EQ(r->limit_text, "1239 W, sum over 4 GPUs");
  EXPECT_EQ(r->evidence, trace::Evidence::simulated);
  EXPECT_EQ(r->workload, "proxy");
  EXPECT_FALSE(r->fitted_from);
  EXPECT_EQ(r->courses[0].time_s.size(), 1200U);
  EXPECT_EQ(r->facts.size(), plant::param_table().size());
  for (const ArmResult& a : r->arms) {
    ASSERT_EQ(a.windows.size(), 8U);
    EXPECT_EQ(a.windows[0].kind, analysis::WindowKind::samples);
    EXPECT_EQ(a.windows[0].known, 4 * 1200);
    EXPECT_EQ(a.windows[0].violating, a.windows[1].violating);  // a sample is 0.5 s
    EXPECT_EQ(a.windows[5].known, 4 * 20);                      // 30 s
    EXPECT_EQ(a.windows[7].known, 4 * 2);                       // 5 min
  }
}

TEST(Demo, FixedArmsNeverMoveAndTheHighestIsTheUncontrolledOne) {
  DemoOptions o = small();
  o.arms = {"static:8", "static:1", "uncontrolled", "static:08", "static:8"};
  const auto r = run_demo(o);
  ASSERT_TRUE(r) << r.error().message();
  ASSERT_EQ(r->arms.size(), 3U);  // one arm, however often and in however many spellings it is asked for
  for (const ArmResult& a : r->arms) EXPECT_EQ(a.knob_moves_per_h.mean, 0.0);
  EXPECT_EQ(arm(*r, "static:8").tokens_per_s.mean, arm(*r, "uncontrolled").tokens_per_s.mean);
  EXPECT_EQ(arm(*r, "static:8").tokens_vs_uncontrolled.mean, 0.0);
  EXPECT_EQ(arm(*r, "static:8").energy_j.mean, arm(*r, "uncontrolled").energy_j.mean);
  EXPECT_EQ(arm(*r, "static:1").mean_level.mean, 1.0);
  // n / (1 + n/12): 48 tokens/s at 8, 120/13 at 1
  EXPECT_NEAR(arm(*r, "uncontrolled").tokens_per_s.mean, 48.0, 1e-9);
  EXPECT_NEAR(arm(*r, "static:1").tokens_vs_uncontrolled.mean, 120.0 / 13.0 / 48.0 - 1.0, 1e-12);
  // No mix of fixed levels beats the highest where everything may violate as much as it does.
  EXPECT_EQ(arm(*r, "uncontrolled").tokens_vs_best_static->mean, 0.0);
  // Level 1 violates never, and so does level 2, which is the better baseline at rate 0.
  EXPECT_LT(arm(*r, "static:1").tokens_vs_best_static->mean, -0.3);
  EXPECT_FALSE(arm(*r, "static:1").removable_share);  // there is no overshoot of which it could be a share
}

// Level 1 lies 7 sd under the limit and never violates. The bound over 4 * 10 min: for 5-min windows n = 8 windows,
// 3/8; for samples n = 2400 s / (2 correlation times), which for this noise lie between 1.5 s and 30 s each.
TEST(Demo, NoViolationIsGivenWithItsBound) {
  DemoOptions o = small();
  o.arms = {"static:1", "uncontrolled"};
  const auto r = run_demo(o);
  ASSERT_TRUE(r);
  const ArmResult& a = arm(*r, "static:1");
  EXPECT_EQ(a.windows[7].rate.mean, 0.0);
  EXPECT_EQ(a.windows[7].rate.interval_95->low, 0.0);
  EXPECT_DOUBLE_EQ(a.windows[7].rate.interval_95->high, 3.0 / 8.0);
  EXPECT_GT(a.windows[0].rate.interval_95->high, 3.0 / (2400.0 / 3.0));
  EXPECT_LT(a.windows[0].rate.interval_95->high, 3.0 / (2400.0 / 60.0));
  for (const WindowRate& w : arm(*r, "uncontrolled").windows) EXPECT_GE(w.rate.interval_95->low, 0.0);
}

TEST(Demo, ArmsMeetTheSameNoise) {
  const auto r = run_demo(small());
  ASSERT_TRUE(r);
  // Powers at level 8 and 4 differ by (1 - 0.933) * 1200 = 80.4 W in every sample, and by nothing else.
  for (std::size_t i = 0; i < r->courses[0].power_w.size(); ++i) {
    ASSERT_NEAR(r->courses[0].power_w[i] - r->courses[1].power_w[i], 80.4, 1e-9);
  }
}

TEST(Demo, OneSeedGivesOneResult) {
  const auto a = run_demo(small());
  const auto b = run_demo(small());
  DemoOptions other = small();
  other.seed = 2;
  const auto c = run_demo(other);
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(bytes(*a), bytes(*b));
  EXPECT_NE(bytes(*a), bytes(*c));
}

TEST(Demo, CourseAgreesWithTheFigures) {
  DemoOptions o = small();
  o.replications = 1;
  const auto r = run_demo(o);
  ASSERT_TRUE(r);
  for (std::size_t i = 0; i < r->arms.size(); ++i) {
    const ArmResult& a = r->arms[i];
    const ArmCourse& c = r->courses[i];
    double energy = 0.0;
    double overshoot = 0.0;
    std::int64_t over = 0;
    for (const double p : c.power_w) {
      energy += 0.5 * p;
      overshoot += 0.5 * std::max(0.0, p - 1239.0);
      over += p > 1239.0 ? 1 : 0;
    }
    EXPECT_FALSE(a.energy_j.interval_95);  // one replication
    EXPECT_NEAR(a.energy_j.mean, energy, 1e-6 * energy);
    EXPECT_NEAR(a.mean_power_w.mean, energy / 600.0, 1e-6);
    EXPECT_NEAR(a.overshoot_j_per_h.mean, overshoot * 6.0, 1e-3);
    EXPECT_EQ(a.windows[0].violating, over);
    EXPECT_EQ(a.peak_power_w.mean, *std::max_element(c.power_w.begin(), c.power_w.end()));
    EXPECT_NEAR(a.j_per_token.mean, energy / c.tokens.back(), 1e-9);
    EXPECT_NEAR(a.tokens_per_mwh.mean * a.j_per_token.mean, 3.6e9, 1.0);
    // 10-s blocks by hand
    std::int64_t blocks = 0;
    for (std::size_t b = 0; b + 20 <= c.power_w.size(); b += 20) {
      double sum = 0.0;
      for (std::size_t k = b; k < b + 20; ++k) sum += c.power_w[k];
      blocks += sum > 20 * 1239.0 ? 1 : 0;
    }
    EXPECT_EQ(a.windows[4].window, seconds(10));
    EXPECT_EQ(a.windows[4].violating, blocks);
  }
}

TEST(Demo, LeavesWindowsOutThatDoNotFitAndSaysSo) {
  DemoOptions o = small();
  o.duration = seconds(20);
  const auto r = run_demo(o);
  ASSERT_TRUE(r);
  EXPECT_EQ(r->arms[0].windows.back().window, seconds(10));
  EXPECT_TRUE(std::any_of(r->notes.begin(), r->notes.end(),
                          [](const std::string& n) { return n.find("left out") != std::string::npos; }));
}

void expect_usage(DemoOptions o, std::string_view part) {
  const auto r = run_demo(o);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::usage);
  EXPECT_NE(r.error().message().find(part), std::string::npos) << r.error().message();
}

TEST(Demo, RefusesWhatCannotBe) {
  DemoOptions o = small();
  o.replications = 0;
  expect_usage(o, "--replications");
  o = small();
  o.duration = seconds(19);
  expect_usage(o, "give 20 s or more");
  o.duration = seconds(-5);
  expect_usage(o, "--duration");
  o.duration = std::chrono::hours(24 * 365);
  expect_usage(o, "or less");
  o = small();
  o.arms = {"uncontroled"};
  expect_usage(o, "'uncontrolled'");
  o.arms = {"static:12"};
  expect_usage(o, "its levels are 1, 2");
}

trace::Trace made_log(int samples) {
  plant::Params p;
  p.gpus = 2;
  p.gpu_mean = Watts(500.0);
  p.ar1 = 0.5;
  p.correlation = 0.0;
  const plant::Model model = plant::prepare(p);
  Rng rng(5);
  plant::State s = plant::start(model, 8, {});
  trace::Trace log;
  log.source = "job.csv";
  log.series.resize(2);
  log.series[0].device.name = "0";
  log.series[1].device.name = "1";
  for (int i = 0; i < samples; ++i) {
    plant::step(model, s, rng);
    for (std::size_t g = 0; g < 2; ++g) {
      log.series[g].time_ns.push_back(i * plant::kSamplePeriod.count());
      log.series[g].power_w.push_back(s.gpu_w[g]);
    }
  }
  return log;
}

TEST(DemoOnALog, TakesItsLevelAndSaysWhatWasTaken) {
  const auto r = run_demo_on(made_log(14'400), small());
  ASSERT_TRUE(r) << r.error().message();
  EXPECT_EQ(r->fitted_from, "job.csv");
  // 1000 W mean and 35 W sd: limit about 1032 W; sampling error of the mean over 2 h about 2 W.
  EXPECT_NEAR(r->limit.value(), 1032.4, 8.0);
  EXPECT_NEAR(arm(*r, "uncontrolled").mean_power_w.mean, 1000.0, 10.0);
  EXPECT_NE(r->limit_text.find("2 GPUs"), std::string::npos);
  EXPECT_TRUE(std::any_of(r->facts.begin(), r->facts.end(), [](const std::string& f) {
    return f.find("gpu_mean") == 0 && f.find("taken from job.csv") != std::string::npos;
  }));
  EXPECT_EQ(r->evidence, trace::Evidence::simulated);
}

TEST(DemoOnALog, RefusesAShortOne) {
  const auto r = run_demo_on(made_log(300), small());
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().kind, ErrorKind::bad_input);
  EXPECT_NE(r.error().message().find("5 min"), std::string::npos);
}

}  // namespace
}  // namespace wattrein::experiment
