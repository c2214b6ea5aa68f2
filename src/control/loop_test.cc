#include "control/loop.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <new>
#include <vector>

#include "control/allocation_counter.h"
#include "control/simulated_job.h"

namespace wattrein::control {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<int, 4> kLevels{1, 2, 4, 8};
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A job and meter that do what a test says, and remember what was asked of them.
struct FakeJob : JobPort, PowerMeter {
  std::function<double(int)> power = [](int) { return 900.0; };  ///< of the n-th reading
  bool reachable = true;
  std::vector<int> asked;
  int level = 8;
  int reads = 0;
  KnobSpec knob{"inflight", kLevels, std::nullopt};

  std::span<const KnobSpec> knobs() const override { return {&knob, 1}; }
  Result<void> apply(std::size_t, int to) override {
    asked.push_back(to);
    if (!reachable) return fail(ErrorKind::environment, "job", "the job does not answer");
    level = to;
    return {};
  }
  JobReport report() const override { return {std::nullopt, Phase::generate, Tokens(reads), level}; }
  Watts read() override { return Watts(power(reads++)); }
};

struct Script : Controller {
  std::function<int(const Observation&)> level = [](const Observation& o) { return o.commanded; };
  std::vector<Observation> seen;
  Decision decide(const Observation& o) override {
    seen.push_back(o);
    return {level(o), Reason::hold};
  }
  void reset() override {}
  std::string_view name() const override { return "script"; }
  std::string_view description() const override { return "as the test says"; }
};

struct Sink : EventSink {
  std::vector<LoopSample> samples;
  std::vector<DecisionRecord> decisions;
  std::vector<Event> events;
  void sample(const LoopSample& s) override { samples.push_back(s); }
  void decision(const DecisionRecord& d) override { decisions.push_back(d); }
  void event(const Event& e) override { events.push_back(e); }
};

LoopParams params() {
  LoopParams p;
  p.limit = Watts(1000.0);
  return p;
}

struct LoopTest : testing::Test {
  FakeJob job;
  Script script;
  Sink sink;
  ManualClock clock;
  void run_for(Nanos duration) {
    Loop loop(params(), job, job, script, sink);
    run(loop, clock, milliseconds(500), duration);
  }
};

TEST_F(LoopTest, DecidesBeforeTheFirstSampleAndThenOnceAPeriod) {
  run_for(seconds(60));
  EXPECT_EQ(sink.samples.size(), 120U);
  ASSERT_EQ(sink.decisions.size(), 3U);
  EXPECT_EQ(sink.decisions[0].time, Nanos{0});
  EXPECT_EQ(sink.decisions[1].time, seconds(20));
  EXPECT_EQ(clock.now(), milliseconds(59'500));
  // 900 W under a limit of 1000 W; nothing is known at the first decision, nor before the second one's period.
  EXPECT_TRUE(std::isnan(script.seen[0].power_of_limit[0]) && std::isnan(script.seen[0].headroom));
  EXPECT_DOUBLE_EQ(script.seen[1].power_of_limit[0], 0.9);
  EXPECT_NEAR(script.seen[1].headroom, 0.1, 1e-12);
  EXPECT_EQ(script.seen[1].over_share, 0.0);
  EXPECT_TRUE(std::isnan(script.seen[1].power_of_limit[1]));
  EXPECT_DOUBLE_EQ(script.seen[2].power_of_limit[1], 0.9);
  EXPECT_DOUBLE_EQ(script.seen[1].level_of_max, 1.0);
  EXPECT_EQ(script.seen[1].phase, Phase::generate);
}

TEST_F(LoopTest, ALevelIsInForceFromThePeriodsFirstSample) {
  script.level = [](const Observation& o) { return o.time == Nanos{0} ? 4 : 2; };
  run_for(seconds(30));
  EXPECT_EQ(sink.samples[0].level, 4);
  EXPECT_EQ(sink.samples[39].level, 4);
  EXPECT_EQ(sink.samples[40].level, 2);
  EXPECT_EQ(job.asked, (std::vector<int>{4, 2}));
}

// Periods of 700, 800, 900 W ... newest first; and a period of ten samples at 1200 W, ten at the limit itself, which
// is not above it, and twenty at 800 W: mean 950 W, a quarter above.
TEST_F(LoopTest, ShowsHistoryNewestFirstAndTheShareAboveTheLimit) {
  job.power = [](int n) {
    const int period = n / 40;
    if (period < 6) return 300.0 + 100.0 * period;
    return n % 4 == 0 ? 1200.0 : n % 4 == 1 ? 1000.0 : 800.0;
  };
  run_for(seconds(141));
  const Observation& o = script.seen[7];
  EXPECT_NEAR(o.power_of_limit[0], 0.95, 1e-12);
  EXPECT_DOUBLE_EQ(o.over_share, 0.25);
  for (std::size_t i = 1; i < kHistory; ++i)
    EXPECT_NEAR(o.power_of_limit[i], 0.9 - 0.1 * static_cast<double>(i), 1e-12);
}

TEST_F(LoopTest, TooLittleKnownIsUnknownAndNeverZero) {
  // 1st period: 8 of 40 unknown, 80 % known: the mean is that of the known. 2nd: 9 unknown.
  job.power = [](int n) { return n % 40 < (n < 40 ? 8 : 9) ? kNan : 900.0; };
  run_for(seconds(41));
  EXPECT_DOUBLE_EQ(script.seen[1].power_of_limit[0], 0.9);
  EXPECT_TRUE(std::isnan(script.seen[2].power_of_limit[0]));
  EXPECT_TRUE(std::isnan(script.seen[2].over_share));
  EXPECT_TRUE(std::isnan(sink.samples[0].power.value()));
}

TEST_F(LoopTest, AnIllegalLevelIsHeldAndToldNotClamped) {
  script.level = [](const Observation&) { return 5; };
  run_for(seconds(21));
  EXPECT_TRUE(job.asked.empty());
  EXPECT_EQ(job.level, 8);
  ASSERT_EQ(sink.events.size(), 2U);
  EXPECT_EQ(sink.events[1].kind, EventKind::illegal_level);
  EXPECT_EQ(sink.events[1].level, 5);
  EXPECT_FALSE(sink.decisions[0].applied);
}

TEST_F(LoopTest, AFailedCommandIsToldAndAskedForAgain) {
  job.reachable = false;
  script.level = [](const Observation&) { return 2; };
  run_for(seconds(21));
  EXPECT_EQ(job.asked, (std::vector<int>{2, 2}));
  ASSERT_EQ(sink.events.size(), 2U);
  EXPECT_EQ(sink.events[0].kind, EventKind::apply_failed);
  EXPECT_EQ(script.seen[1].commanded, 8);
}

TEST(SimulatedJob, RefusesAnIllegalLevelAndStaysWhereItWas) {
  const plant::Model model = plant::prepare(plant::Params{});
  SimulatedJob job(model, 1, 0);
  EXPECT_FALSE(job.apply(0, 9));
  (void)job.read();
  EXPECT_EQ(job.report().level_in_force, 8);
  EXPECT_TRUE(job.apply(0, 1));
  (void)job.read();
  EXPECT_EQ(job.report().level_in_force, 1);
  EXPECT_EQ(job.knobs()[0].name, "inflight");
  EXPECT_EQ(job.knobs()[0].highest(), 8);
}

TEST(NoAllocation, InATickOrAPlantStep) {
  const plant::Model model = plant::prepare(plant::Params{});
  for (const char* arm : {"uncontrolled", "static:4", "hysteresis", "adaptive-threshold"}) {
    SimulatedJob job(model, 1, 0);
    const auto controller = make_controller(arm, job.knobs()[0], {});
    ASSERT_TRUE(controller);
    Sink sink;
    sink.samples.reserve(2400);
    sink.decisions.reserve(60);
    LoopParams p;
    p.limit = model.params.limit;
    Loop loop(p, job, job, **controller, sink);
    ManualClock clock;
    const std::int64_t before = allocations();
    run(loop, clock, p.sample_period, std::chrono::minutes(20));
    EXPECT_EQ(allocations() - before, 0) << arm;
    EXPECT_EQ(sink.samples.size(), 2400U);
    EXPECT_TRUE(sink.events.empty());
  }
  const std::int64_t before = allocations();
  ::operator delete(::operator new(1));  // the counter does count: a call of this form may not be optimised away
  EXPECT_GT(allocations(), before);
}

}  // namespace
}  // namespace wattrein::control
