#include "analysis/propose.h"

#include <gtest/gtest.h>

namespace wattrein::analysis {
namespace {

Subject subject(std::string name, double p95, double p99) {
  Subject s;
  s.name = std::move(name);
  s.sampling.samples = 100;
  s.power.p95 = Watts(p95);
  s.power.p99 = Watts(p99);
  return s;
}

TEST(ProposedLimits, SayWhatTheyWereTakenFrom) {
  const std::vector<Subject> devices{subject("0", 300, 310.2), subject("1", 320, 345.7)};
  const Subject sum = subject("sum", 600.01, 640);
  const auto limits = propose_limits({Watts(700), std::nullopt}, devices, &sum);
  ASSERT_EQ(limits.size(), 4U);
  EXPECT_EQ(limits[0].text(), "700W");
  EXPECT_EQ(limits[0].origin, "nameplate in the log");
  EXPECT_EQ(limits[1].text(), "346W");  // upwards, of the device where it is highest
  EXPECT_EQ(limits[1].origin, "99th percentile of samples of device 1, the highest");
  EXPECT_EQ(limits[2].text(), "640W:sum");  // a whole number stays
  EXPECT_EQ(limits[2].origin, "99th percentile of samples of the sum");
  EXPECT_EQ(limits[3].text(), "601W:sum");
}

TEST(ProposedLimits, OfOneDeviceOfSeveralNameplatesAndOfEqualFigures) {
  const auto one = propose_limits({std::nullopt}, {subject("0", 300, 310)}, nullptr);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].origin, "99th percentile of samples");
  const Subject sum = subject("sum", 99.5, 100);
  const auto limits = propose_limits({Watts(400), Watts(300)}, {subject("0", 299, 300)}, &sum);
  ASSERT_EQ(limits.size(), 2U);
  EXPECT_EQ(limits[0].text(), "300W");
  EXPECT_EQ(limits[0].origin, "lowest nameplate in the log");
  EXPECT_EQ(limits[1].text(), "100W:sum");
}

TEST(ProposedLimits, OfASnapshotOrOfIdleZeroAreNone) {
  Subject snapshot = subject("0", 300, 310);
  snapshot.sampling.samples = 1;
  EXPECT_TRUE(propose_limits({std::nullopt}, {snapshot}, nullptr).empty());
  EXPECT_TRUE(propose_limits({std::nullopt}, {subject("0", 0, 0)}, nullptr).empty());
}

}  // namespace
}  // namespace wattrein::analysis
