#include "analysis/energy.h"

#include <gtest/gtest.h>

#include "analysis/test_log.h"

namespace wattrein::analysis {
namespace {

TEST(Energy, IntegralIsOverKnownTime) {
  const TestLog log = TestLog::regular(2, {100, kNotKnown, 300, 50});
  EXPECT_DOUBLE_EQ(energy_of(log.steps(kPlainHold), {}).energy.integral->value(), 800);  // 2 x 100 + 2 x 300
  EXPECT_DOUBLE_EQ(energy_of(log.steps(), {}).energy.integral->value(), 900);            // and 2 x 50
  EXPECT_FALSE(energy_of(log.steps(), {}).energy.counter);
}

TEST(Energy, OfASnapshotOrOfNothingKnownIsUnknown) {
  EXPECT_FALSE(energy_of(TestLog({0}, {100}).steps(), std::vector<double>{5000}).energy.integral);
  EXPECT_FALSE(energy_of(TestLog({0}, {100}).steps(), std::vector<double>{5000}).energy.counter);
  EXPECT_FALSE(energy_of(TestLog::regular(1, {kNotKnown, kNotKnown}).steps(), {}).energy.integral);
  EXPECT_FALSE(energy_of(TestLog().steps(), {}).energy.integral);
}

TEST(Energy, CounterIsLastMinusFirstWithResetsBridged) {
  const TestLog log = TestLog::regular(1, {100, 100, 100, 100, 100});
  // 1000 1100 | reset | 40 140 240: 100 + 40 + 100 + 100.
  const Energy e = energy_of(log.steps(), std::vector<double>{1000, 1100, 40, 140, 240}).energy;
  EXPECT_DOUBLE_EQ(e.counter->value(), 340);
  EXPECT_EQ(e.counter_resets, 1);
  // The interval of the reset is compared by neither: 3 x 100 J on both sides.
  EXPECT_DOUBLE_EQ(*e.disagreement, 0.0);
  // Unknown readings are passed over.
  const Energy gaps = energy_of(log.steps(), std::vector<double>{kNotKnown, 1000, kNotKnown, 1200, kNotKnown}).energy;
  EXPECT_DOUBLE_EQ(gaps.counter->value(), 200);
  EXPECT_FALSE(gaps.disagreement) << "no two neighbours are known";
  EXPECT_FALSE(energy_of(log.steps(), std::vector<double>(5, kNotKnown)).energy.counter);
}

TEST(Energy, IsMarkedWhereTheTwoDifferByMoreThanFivePercent) {
  const TestLog log = TestLog::regular(1, {100, 100, 100, 100});
  const auto at = [&](double step) {
    return energy_of(log.steps(), std::vector<double>{0, step, 2 * step, 3 * step}).energy;
  };
  EXPECT_NEAR(*at(96).disagreement, 100.0 / 96 - 1, 1e-12);
  EXPECT_FALSE(at(96).marked);
  EXPECT_NEAR(*at(95).disagreement, 100.0 / 95 - 1, 1e-12);  // 5.3 %
  EXPECT_TRUE(at(95).marked);
  EXPECT_NEAR(*at(106).disagreement, 100.0 / 106 - 1, 1e-12);  // -5.7 %
  EXPECT_TRUE(at(106).marked);
  EXPECT_FALSE(at(0).disagreement) << "a counter that does not move compares with nothing";
}

TEST(Energy, ComparesOnlyWhatBothKnow) {
  // The hold of the sample at 2 s ends at 5 s; the counter runs on to 10 s. Integral 2 + 3 + ... is not its match.
  const TestLog log({0, 1, 2, 10, 11}, {100, 100, 100, 100, 100});
  const Energy e = energy_of(log.steps(), std::vector<double>{0, 100, 200, 1000, 1100}).energy;
  EXPECT_DOUBLE_EQ(e.counter->value(), 1100);
  EXPECT_DOUBLE_EQ(e.integral->value(), 700);  // 0 to 5 s and 10 to 12 s
  EXPECT_DOUBLE_EQ(*e.disagreement, 0.0);      // 0-1, 1-2 and 10-11 s: 300 J each
  EXPECT_FALSE(e.marked);
}

}  // namespace
}  // namespace wattrein::analysis
