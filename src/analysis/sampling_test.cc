#include "analysis/sampling.h"

#include <gtest/gtest.h>

#include "analysis/test_log.h"

namespace wattrein::analysis {
namespace {

using namespace std::chrono_literals;

TEST(Sampling, CountsWhatTheLogHolds) {
  const TestLog log({0, 1, 2, 3, 10, 11, 12}, {5, 5, 6, kNotKnown, 6, 6, 7});
  const Sampling s = sampling_of(log.steps(), 2, 3);
  EXPECT_EQ(s.samples, 7);
  EXPECT_EQ(s.known, 6);
  EXPECT_EQ(s.period, 1s);
  EXPECT_EQ(s.longest_gap, 7s);
  EXPECT_EQ(s.holes, 1);
  EXPECT_EQ(s.span, 13s);       // the last holds to 13 s
  EXPECT_EQ(s.known_time, 6s);  // 0-3 and 10-13 s; the N/A at 3 s is unknown for as long as it would hold
  EXPECT_DOUBLE_EQ(s.coverage, 6.0 / 13);
  EXPECT_DOUBLE_EQ(s.repeated, 2.0 / 4);  // pairs 5-5, 5-6, 6-6, 6-7
  EXPECT_EQ(s.duplicate_stamps, 2);
  EXPECT_EQ(s.backward_stamps, 3);
  EXPECT_EQ(time_in_holes(log.steps()), 4s);  // 6 to 10 s
}

TEST(Sampling, JitterIsHalfTheSpreadOfThePeriods) {
  // 20 gaps: 0.8 s to 1.75 s in steps of 0.05 s. Percentiles at ranks 0.95 and 18.05: 0.8475 and 1.7025 s.
  std::vector<double> at_s{0};
  for (int i = 0; i < 20; ++i) at_s.push_back(at_s.back() + 0.8 + 0.05 * i);
  const Sampling s = sampling_of(TestLog(at_s, std::vector<double>(21, 1.0)).steps(), 0, 0);
  EXPECT_NEAR(static_cast<double>(s.jitter.count()), 0.4275e9, 10);
  EXPECT_EQ(sampling_of(TestLog::regular(1, {1, 2, 3}).steps(), 0, 0).jitter.count(), 0);
}

TEST(Sampling, OfASnapshotHasNoTime) {
  const Sampling s = sampling_of(TestLog({0}, {5}).steps(), 0, 0);
  EXPECT_EQ(s.samples, 1);
  EXPECT_EQ(s.known, 1);
  EXPECT_EQ(s.span.count(), 0);
  EXPECT_EQ(s.coverage, 0.0);
  EXPECT_EQ(sampling_of(TestLog().steps(), 0, 0).samples, 0);
}

}  // namespace
}  // namespace wattrein::analysis
