#include "report/downsample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"

namespace wattrein::report {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Columns {
  std::vector<std::int64_t> time_ns;
  std::vector<double> power_w;
  [[nodiscard]] trace::Steps steps(std::int64_t max_hold = trace::kForever, std::int64_t last_hold = 1) const {
    trace::Steps s;
    s.time_ns = time_ns;
    s.power = power_w;
    s.max_hold_ns = max_hold;
    s.last_hold_ns = last_hold;
    return s;
  }
};

bool is_gap(const EnvelopePoint& p) { return std::isnan(p.mean) && std::isnan(p.min) && std::isnan(p.max); }

TEST(Downsample, FewSamplesStayAsTheyAre) {
  const Columns c{{0, 10, 20}, {5, kNan, 7}};
  const Envelope e = envelope(c.steps(trace::kForever, 10), 100);
  EXPECT_EQ(e.bucket, Nanos(0));
  ASSERT_EQ(e.points.size(), 4U);
  EXPECT_EQ(e.points[0].mean, 5);
  EXPECT_TRUE(is_gap(e.points[1]));
  EXPECT_EQ(e.points[2].max, 7);
  EXPECT_EQ(e.points[3].at, Nanos(30)) << "the last sample's hold is drawn";
  EXPECT_EQ(e.points[3].mean, 7);
}

TEST(Downsample, EndOfAHoldIsAGap) {
  const Columns c{{0, 10, 100}, {5, 6, 7}};
  const Envelope e = envelope(c.steps(30), 100);
  ASSERT_GE(e.points.size(), 4U);
  EXPECT_TRUE(is_gap(e.points[2]));
  EXPECT_EQ(e.points[2].at, Nanos(40)) << "10 + the longest hold, 30";
  EXPECT_EQ(e.points[3].at, Nanos(100));
}

TEST(Downsample, BucketsHoldMinMeanAndMax) {
  // Four samples of 10 ns in two buckets of 20: {1, 3} and {10, 2}.
  const Columns c{{0, 10, 20, 30}, {1, 3, 10, 2}};
  const Envelope e = envelope(c.steps(trace::kForever, 10), 2);
  EXPECT_EQ(e.bucket, Nanos(20));
  ASSERT_EQ(e.points.size(), 3U);
  EXPECT_EQ(e.points[0].min, 1);
  EXPECT_EQ(e.points[0].mean, 2);
  EXPECT_EQ(e.points[0].max, 3);
  EXPECT_EQ(e.points[1].min, 2);
  EXPECT_EQ(e.points[1].mean, 6);
  EXPECT_EQ(e.points[1].max, 10);
}

TEST(Downsample, EveryPeakAndDipSurvivesAtItsPlace) {
  Columns c;
  Rng rng(11);
  for (int i = 0; i < 50'000; ++i) {
    c.time_ns.push_back(i * 1000);
    c.power_w.push_back(300 + rng.normal());
  }
  c.power_w[31'337] = 900;
  c.power_w[4242] = 3;
  const Envelope e = envelope(c.steps(trace::kForever, 1000), 2000);
  EXPECT_LE(e.points.size(), 2001U);
  const auto high = std::ranges::max_element(e.points, {}, &EnvelopePoint::max);
  const auto low = std::ranges::min_element(e.points, {}, &EnvelopePoint::min);
  EXPECT_EQ(high->max, 900);
  EXPECT_EQ(low->min, 3);
  EXPECT_LE(high->at, Nanos(31'337'000));
  EXPECT_GT(high->at + e.bucket, Nanos(31'337'000));
  for (const EnvelopePoint& p : e.points) {
    EXPECT_LE(p.min, p.mean);
    EXPECT_LE(p.mean, p.max);
  }
}

TEST(Downsample, APeakOfNoLengthSurvives) {
  Columns c;
  for (int i = 0; i < 100; ++i) {
    c.time_ns.push_back(i);
    c.power_w.push_back(1);
  }
  c.time_ns[50] = c.time_ns[51];  // equal stamps: the first holds for nothing
  c.power_w[50] = 99;
  const Envelope e = envelope(c.steps(), 10);
  EXPECT_EQ(std::ranges::max_element(e.points, {}, &EnvelopePoint::max)->max, 99);
}

TEST(Downsample, AGapShorterThanABucketIsStillDrawn) {
  Columns c;
  for (int i = 0; i < 1000; ++i) {
    c.time_ns.push_back(i * 10);
    c.power_w.push_back(i == 500 ? kNan : 250);
  }
  const Envelope e = envelope(c.steps(trace::kForever, 10), 10);
  EXPECT_EQ(std::ranges::count_if(e.points, is_gap), 1);
  for (const EnvelopePoint& p : e.points) {
    if (!is_gap(p)) {
      EXPECT_EQ(p.min, 250) << "unknown is not zero";
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(e.points, {}, &EnvelopePoint::at));
}

TEST(Downsample, ALongGapCoversItsBuckets) {
  Columns c;
  for (int i = 0; i < 1000; ++i) {
    if (i >= 300 && i < 700) continue;
    c.time_ns.push_back(i * 10);
    c.power_w.push_back(250);
  }
  const Envelope e = envelope(c.steps(30, 10), 100);
  for (const EnvelopePoint& p : e.points) {
    if (p.at >= Nanos(3100) && p.at < Nanos(6900)) {
      EXPECT_TRUE(is_gap(p)) << p.at.count();
    }
    if (p.at < Nanos(2900) || p.at > Nanos(7100)) {
      EXPECT_FALSE(is_gap(p)) << p.at.count();
    }
  }
}

TEST(Downsample, NothingAndNoTime) {
  EXPECT_TRUE(envelope(Columns{}.steps(), 10).points.empty());
  const Columns same{{7, 7, 7}, {1, 2, 3}};
  EXPECT_EQ(envelope(same.steps(trace::kForever, 0), 2).points.size(), 3U);
}

}  // namespace
}  // namespace wattrein::report
