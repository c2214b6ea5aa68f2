#include "control/controller.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

namespace wattrein::control {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<int, 8> kLevels{1, 2, 3, 4, 5, 6, 7, 8};
constexpr std::array<int, 3> kGaps{3, 6, 12};  // as where a trainer's divisibility rule leaves holes

Observation seen(double power, int level, double over = 0.0) {
  Observation o;
  o.power_of_limit.fill(kNan);
  o.power_of_limit[0] = power;
  o.headroom = 1.0 - power;
  o.over_share = over;
  o.commanded = level;
  o.knob = {"inflight", kLevels, std::nullopt};
  return o;
}

TEST(Knob, MasksWhatIsNotLegal) {
  const KnobSpec knob{"group", kGaps, std::nullopt};
  EXPECT_EQ(knob.above(3), 6);
  EXPECT_EQ(knob.above(4), 6);
  EXPECT_EQ(knob.below(12), 6);
  EXPECT_EQ(knob.below(3), std::nullopt);
  EXPECT_EQ(knob.above(12), std::nullopt);
  EXPECT_TRUE(knob.allows(6));
  EXPECT_FALSE(knob.allows(4));
}

TEST(Fixed, NeverLook) {
  UncontrolledState u;
  StaticState s;
  for (const double power : {0.5, 1.5, kNan}) {
    EXPECT_EQ(decide(UncontrolledParams{}, u, seen(power, 3)), (Decision{8, Reason::fixed}));
    EXPECT_EQ(decide(StaticParams{5}, s, seen(power, 3)), (Decision{5, Reason::fixed}));
  }
}

TEST(Hysteresis, MovesOneLevelOutsideItsBands) {
  const HysteresisParams p;  // 0.92, 0.87
  HysteresisState s;
  EXPECT_EQ(decide(p, s, seen(kNan, 8)), (Decision{4, Reason::start}));
  EXPECT_EQ(decide(p, s, seen(0.921, 4)), (Decision{3, Reason::lower}));
  EXPECT_EQ(decide(p, s, seen(0.92, 4)), (Decision{4, Reason::hold}));
  EXPECT_EQ(decide(p, s, seen(0.87, 4)), (Decision{4, Reason::hold}));
  EXPECT_EQ(decide(p, s, seen(0.869, 4)), (Decision{5, Reason::raise}));
  EXPECT_EQ(decide(p, s, seen(1.1, 1)), (Decision{1, Reason::at_edge}));
  EXPECT_EQ(decide(p, s, seen(0.5, 8)), (Decision{8, Reason::at_edge}));
  EXPECT_EQ(decide(p, s, seen(kNan, 4)), (Decision{4, Reason::no_data}));
}

TEST(AdaptiveThreshold, LearnsItsMarginFromTheShareOverTheLimit) {
  const AdaptiveThresholdParams p;
  AdaptiveThresholdState s;
  EXPECT_EQ(decide(p, s, seen(kNan, 8)), (Decision{4, Reason::start}));
  EXPECT_DOUBLE_EQ(s.margin, 0.079);
  // 4 of 40 samples over: 0.079 + 0.05 (0.10 - 0.01) = 0.0835
  (void)decide(p, s, seen(0.90, 4, 0.10));
  EXPECT_NEAR(s.margin, 0.0835, 1e-12);
  // a clean period: 0.0835 - 0.05 * 0.01 = 0.083
  (void)decide(p, s, seen(0.90, 4, 0.0));
  EXPECT_NEAR(s.margin, 0.083, 1e-12);
  // exactly at the bar it stands still; unknown, too
  (void)decide(p, s, seen(0.90, 4, 0.01));
  (void)decide(p, s, seen(kNan, 4, kNan));
  EXPECT_NEAR(s.margin, 0.083, 1e-12);
}

TEST(AdaptiveThreshold, AveragesThePeriodsAtThePresentLevel) {
  AdaptiveThresholdParams p;
  p.gain = 0.0;  // margin stays 0.079: threshold 0.921, and 0.891 to rise
  AdaptiveThresholdState s;
  (void)decide(p, s, seen(kNan, 8));
  Observation o = seen(0.95, 4);
  o.power_of_limit = {0.95, 0.80, 0.80, 0.80, 0.80};
  // first period at this level: 0.95 alone counts
  EXPECT_EQ(decide(p, s, o), (Decision{3, Reason::lower}));
  // after the move the older ones do not count again: 0.90 alone
  o.commanded = 3;
  o.power_of_limit = {0.90, 0.95, 0.80, 0.80, 0.80};
  EXPECT_EQ(decide(p, s, o), (Decision{3, Reason::hold}));
  // two periods at this level: (0.90 + 0.87) / 2 = 0.885 < 0.891
  o.power_of_limit = {0.87, 0.90, 0.95, 0.80, 0.80};
  EXPECT_EQ(decide(p, s, o), (Decision{4, Reason::raise}));
}

TEST(AdaptiveThreshold, MovingAverageIsNoLongerThanItsPeriodsAndPassesOverUnknownOnes) {
  AdaptiveThresholdParams p;
  p.gain = 0.0;
  AdaptiveThresholdState s{true, 0.079, 10};
  Observation o = seen(0.90, 4);
  o.power_of_limit = {0.90, kNan, 0.91, 2.0, 2.0};  // (0.90 + 0.91) / 2
  EXPECT_EQ(decide(p, s, o), (Decision{4, Reason::hold}));
  o.power_of_limit = {0.90, 0.90, 0.97, 0.0, 0.0};  // 0.9233 > 0.921
  EXPECT_EQ(decide(p, s, o), (Decision{3, Reason::lower}));
}

TEST(AdaptiveThreshold, AnEdgeIsNoMove) {
  AdaptiveThresholdParams p;
  AdaptiveThresholdState s{true, 0.079, 5};
  EXPECT_EQ(decide(p, s, seen(0.99, 1, 0.0)), (Decision{1, Reason::at_edge}));
  EXPECT_EQ(s.periods_at_level, 6);
}

// Against a job whose share over the limit is 0.2 at high levels and 0 at low ones, the long-run share must come to
// the bar of 1 % from either side, whatever the margin starts at: the integral rule's one promise. With levels of power
// 0.80 and 0.98 and threshold 1 - margin, the margin moves until the higher one is visited 5 % of the time.
TEST(AdaptiveThreshold, LongRunShareApproachesTheBar) {
  constexpr std::array<int, 2> kTwo{1, 2};
  for (const double start : {0.0, 0.4}) {
    AdaptiveThresholdParams p;
    p.start_margin = start;
    p.start_level = 1;
    AdaptiveThresholdState s;
    Observation o = seen(kNan, 2);
    o.knob.legal = kTwo;
    o.commanded = decide(p, s, o).level;
    double share = 0.0;
    constexpr int kPeriods = 20'000;
    for (int i = 0; i < kPeriods; ++i) {
      const bool high = o.commanded == 2;
      std::copy_backward(o.power_of_limit.begin(), o.power_of_limit.end() - 1, o.power_of_limit.end());
      o.power_of_limit[0] = high ? 0.98 : 0.80;
      o.over_share = high ? 0.2 : 0.0;
      share += o.over_share / kPeriods;
      o.commanded = decide(p, s, o).level;
    }
    // |share - bar| <= (range of the margin + one step) / (gain * periods) = 0.51 / 1000, as in the paper's proof
    EXPECT_NEAR(share, 0.01, 0.00051) << start;
  }
}

TEST(ArmParams, FollowFromTheUncontrolledSpread) {
  const ArmParams p = arm_params_for_spread(0.034);  // 2.326 * 0.034 = 0.079084
  EXPECT_NEAR(p.hysteresis.upper, 0.920916, 1e-12);
  EXPECT_NEAR(p.hysteresis.lower, 0.870916, 1e-12);
  EXPECT_NEAR(p.adaptive.start_margin, 0.079084, 1e-12);
}

TEST(MakeController, TakesEveryNameItLists) {
  const KnobSpec knob{"inflight", kLevels, std::nullopt};
  for (const std::string& name : arm_names(knob)) {
    const auto made = make_controller(name, knob, {});
    ASSERT_TRUE(made) << name;
    EXPECT_EQ((*made)->name(), name);
    EXPECT_FALSE((*made)->description().empty());
  }
}

TEST(MakeController, ResetIsAsNewlyMade) {
  const KnobSpec knob{"inflight", kLevels, std::nullopt};
  const auto made = make_controller("hysteresis", knob, {});
  ASSERT_TRUE(made);
  EXPECT_EQ((*made)->decide(seen(kNan, 8)).reason, Reason::start);
  EXPECT_EQ((*made)->decide(seen(0.9, 4)).reason, Reason::hold);
  (*made)->reset();
  EXPECT_EQ((*made)->decide(seen(0.9, 4)).reason, Reason::start);
}

TEST(MakeController, RefusesWithTheNearestNameAndTheList) {
  const KnobSpec knob{"inflight", kLevels, std::nullopt};
  const auto typo = make_controller("hysterisis", knob, {});
  ASSERT_FALSE(typo);
  EXPECT_EQ(typo.error().kind, ErrorKind::usage);
  EXPECT_NE(typo.error().what.find("'hysteresis'"), std::string::npos);
  EXPECT_NE(typo.error().cure.find("static:1..8"), std::string::npos);
  for (const char* illegal : {"static:9", "static:0", "static:", "static:four", "static:99999999999999"}) {
    const auto made = make_controller(illegal, knob, {});
    ASSERT_FALSE(made) << illegal;
    EXPECT_EQ(made.error().cure, "its levels are 1, 2, 3, 4, 5, 6, 7, 8");
  }
  EXPECT_FALSE(make_controller("static:4", {"group", kGaps, std::nullopt}, {}));
}

}  // namespace
}  // namespace wattrein::control
