#include "analysis/excursions.h"

#include <gtest/gtest.h>
#include <algorithm>

#include "analysis/test_log.h"

namespace wattrein::analysis {
namespace {

using namespace std::chrono_literals;

TEST(Excursions, AreMaximalRunsAboveTheLimit) {
  //                                      0    1    2    3    4    5    6    7
  const TestLog log = TestLog::regular(1, {90, 110, 130, 100, 120, 90, 90, 150});
  const Excursions e = find_excursions(log.steps(), Watts(100), {});
  ASSERT_EQ(e.list.size(), 3U);  // 100 W is at the limit: it ends the first
  EXPECT_EQ(e.list[0].start, 1s);
  EXPECT_EQ(e.list[0].duration, 2s);
  EXPECT_EQ(e.list[0].peak, Watts(130));
  EXPECT_DOUBLE_EQ(e.list[0].overshoot.value(), 40);  // 10 + 30
  EXPECT_EQ(e.list[1].start, 4s);
  EXPECT_EQ(e.list[1].duration, 1s);
  EXPECT_EQ(e.list[2].start, 7s);
  EXPECT_EQ(e.list[2].duration, 1s);  // the last sample holds one period
  EXPECT_DOUBLE_EQ(e.overshoot.value(), 110);
  EXPECT_EQ(e.time_above, 4s);
  EXPECT_EQ(e.longest, 2s);
  EXPECT_EQ(e.transients, 3);
  EXPECT_EQ(e.plateaus, 0);
  EXPECT_EQ(find_excursions(log.steps(kPlainHold), Watts(100), {}).list.back().duration, 0s);
}

TEST(Excursions, UnknownPowerBreaksARun) {
  const TestLog polls = TestLog::regular(1, {110, 110, kNotKnown, 110, 90});
  EXPECT_EQ(find_excursions(polls.steps(), Watts(100), {}).list.size(), 2U);
  // A hole: the hold at 2 s ends at 5 s, the next sample comes at 9 s.
  const TestLog hole({0, 1, 2, 9, 10}, {90, 110, 110, 110, 110});
  const Excursions e = find_excursions(hole.steps(), Watts(100), {});
  ASSERT_EQ(e.list.size(), 2U);
  EXPECT_EQ(e.list[0].duration, 4s);  // 1 s to 5 s
  EXPECT_EQ(e.list[1].start, 9s);
  EXPECT_EQ(find_excursions(hole.steps(kPlainHold), Watts(100), {}).list.size(), 1U);
}

TEST(Excursions, APlateauLiftsAWindowOfTheInfrastructure) {
  // 100 s at 90 W, 40 s at 130 W, 100 s at 90 W, 2 s at 130 W, 98 s at 90 W; limit 100 W, windows of 30 s.
  std::vector<double> power(340, 90.0);
  std::fill(power.begin() + 100, power.begin() + 140, 130.0);
  std::fill(power.begin() + 240, power.begin() + 242, 130.0);
  const Excursions e = find_excursions(TestLog::regular(1, power).steps(), Watts(100), {});
  ASSERT_EQ(e.list.size(), 2U);
  EXPECT_TRUE(e.list[0].plateau);
  EXPECT_FALSE(e.list[1].plateau);  // (2 x 130 + 28 x 90) / 30 = 92.7 W
  EXPECT_EQ(e.plateaus, 1);
  EXPECT_EQ(e.transients, 1);
  EXPECT_EQ(e.longest, 40s);
}

TEST(Excursions, ARunBesideAPlateauSharesItsWindow) {
  // 22 s at 130 W, 2 s at 90 W, 6 s at 130 W: one window of 30 s holds both runs, mean 127 W.
  std::vector<double> power(200, 90.0);
  std::fill(power.begin() + 80, power.begin() + 102, 130.0);
  std::fill(power.begin() + 104, power.begin() + 110, 130.0);
  power[190] = 130;
  const Excursions e = find_excursions(TestLog::regular(1, power).steps(), Watts(100), {});
  ASSERT_EQ(e.list.size(), 3U);
  EXPECT_TRUE(e.list[0].plateau);
  EXPECT_TRUE(e.list[1].plateau);
  EXPECT_FALSE(e.list[2].plateau);
}

TEST(Excursions, WithoutAWindowThereIsNoPlateau) {
  const TestLog log = TestLog::regular(1, std::vector<double>(20, 130.0));  // shorter than 30 s
  EXPECT_EQ(find_excursions(log.steps(), Watts(100), {}).plateaus, 0);
  EXPECT_EQ(find_excursions(log.steps(), Watts(100), {.infrastructure = 10s}).plateaus, 1);
}

TEST(RemovableShare, IsWhatFallsWhereTheTrailingMeanIsAbove) {
  // Limit 100 W, trailing window 4 s: 20 s at 90 W, then 8 s at 110 W, then 90 W.
  std::vector<double> power(40, 90.0);
  std::fill(power.begin() + 20, power.begin() + 28, 110.0);
  const TestLog log = TestLog::regular(1, power);
  const ExcursionOptions four{.control_period = 3s, .knob_delay = 1s};
  // Ends at 21 s: (110 + 3 x 90)/4 = 95; 22 s: 100, at the limit; 23 s: 105, above; so on to 28 s: 6 of 8 samples.
  EXPECT_DOUBLE_EQ(*find_excursions(log.steps(), Watts(100), four).removable_share, 6.0 / 8);
  // A feedback as slow as the excursion: (8 x 110 + 12 x 90)/20 = 98 W at best. Nothing is removable.
  EXPECT_DOUBLE_EQ(*find_excursions(log.steps(), Watts(100), {.control_period = 20s}).removable_share, 0.0);
}

TEST(RemovableShare, WeighsByOvershootAndKnowsWhatItDoesNotKnow) {
  // 300 W at 10 s, 110 W at 11 s and 12 s; trailing 2 s. Ends at 11 s: (300 + 90)/2 = 195, above; 12 s: 205, above;
  // 13 s: 110, above: all 220 J. With limit 150: 150 J at 195 W.
  std::vector<double> power(20, 90.0);
  power[10] = 300;
  power[11] = power[12] = 110;
  const ExcursionOptions two{.control_period = 2s};
  EXPECT_DOUBLE_EQ(*find_excursions(TestLog::regular(1, power).steps(), Watts(100), two).removable_share, 1.0);
  // Nothing above: no share. Trace shorter than the window: none known.
  EXPECT_FALSE(find_excursions(TestLog::regular(1, power).steps(), Watts(400), two).removable_share);
  EXPECT_FALSE(find_excursions(TestLog::regular(1, {110, 110, 110}).steps(), Watts(100), {.control_period = 20s})
                   .removable_share);
  // The first sample's trailing window reaches back before the trace: it is left out, the other two count.
  EXPECT_DOUBLE_EQ(*find_excursions(TestLog::regular(1, {110, 110, 110}).steps(), Watts(100), two).removable_share,
                   1.0);
}

TEST(Excursions, OvershootScalesWithTimeAndPower) {
  const std::vector<double> power{90, 120, 140, 90, 101, 90, 160};
  const Excursions one = find_excursions(TestLog::regular(1, power).steps(), Watts(100), {});
  const Excursions slow = find_excursions(TestLog::regular(2, power).steps(), Watts(100), {});
  std::vector<double> twice = power;
  for (double& p : twice) p *= 2;
  const Excursions strong = find_excursions(TestLog::regular(1, twice).steps(), Watts(200), {});
  EXPECT_DOUBLE_EQ(one.overshoot.value(), 121);
  EXPECT_DOUBLE_EQ(slow.overshoot.value(), 242);
  EXPECT_DOUBLE_EQ(strong.overshoot.value(), 242);
  EXPECT_EQ(strong.time_above, one.time_above);
}

TEST(Excursions, OfNothing) {
  const Excursions e = find_excursions(TestLog().steps(), Watts(100), {});
  EXPECT_TRUE(e.list.empty());
  EXPECT_FALSE(e.removable_share);
}

}  // namespace
}  // namespace wattrein::analysis
