#include "analysis/stats.h"

#include <gtest/gtest.h>

#include "analysis/test_log.h"

namespace wattrein::analysis {
namespace {

TEST(Percentile, IsLinearBetweenOrderStatistics) {
  std::vector<double> v{40, 10, 30, 20, 50};
  EXPECT_DOUBLE_EQ(*percentile(v, 0.0), 10);
  EXPECT_DOUBLE_EQ(*percentile(v, 0.5), 30);
  EXPECT_DOUBLE_EQ(*percentile(v, 0.95), 48);  // rank 3.8
  EXPECT_DOUBLE_EQ(*percentile(v, 1.0), 50);
  std::vector<double> none;
  EXPECT_FALSE(percentile(none, 0.5));
  std::vector<double> one{7};
  EXPECT_DOUBLE_EQ(*percentile(one, 0.99), 7);
}

TEST(PowerStats, PlainAndTimeWeightedMeansDiffer) {
  const TestLog log({0, 1, 4}, {100, 400, 100});
  const PowerStats s = power_stats(log.steps(kPlainHold), {});
  EXPECT_DOUBLE_EQ(s.mean->value(), 200);
  EXPECT_DOUBLE_EQ(s.tmean->value(), 325);  // (1 x 100 + 3 x 400) / 4
  EXPECT_EQ(s.min, Watts(100));
  EXPECT_EQ(s.max, Watts(400));
  EXPECT_EQ(s.p50, Watts(100));
  EXPECT_FALSE(s.average_meter_mean);
}

TEST(PowerStats, LeaveUnknownReadingsOut) {
  const TestLog log = TestLog::regular(1, {kNotKnown, 100, 300, kNotKnown});
  const PowerStats s = power_stats(log.steps(), std::vector<double>{50, kNotKnown, 70, kNotKnown});
  EXPECT_DOUBLE_EQ(s.mean->value(), 200);
  EXPECT_DOUBLE_EQ(s.tmean->value(), 200);
  EXPECT_EQ(s.min, Watts(100));
  EXPECT_DOUBLE_EQ(s.average_meter_mean->value(), 60);
}

TEST(PowerStats, OfOneReadingAndOfNone) {
  const PowerStats one = power_stats(TestLog({0}, {68.347}).steps(), {});
  EXPECT_EQ(one.mean, Watts(68.347));
  EXPECT_EQ(one.max, Watts(68.347));
  EXPECT_FALSE(one.tmean);
  const PowerStats none = power_stats(TestLog({0}, {kNotKnown}).steps(), {});
  EXPECT_FALSE(none.mean || none.min || none.max || none.p99 || none.tmean);
}

}  // namespace
}  // namespace wattrein::analysis
