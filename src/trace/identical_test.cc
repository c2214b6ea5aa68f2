#include "trace/identical.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/join.h"
#include "trace/join_for_test.h"
#include "trace/read.h"
#include "trace/shared_traces_for_test.h"

namespace wattrein::trace {
namespace {

TEST(Identical, CopiedNodeLogsAreSaidOnceAFile) {
  const std::vector<double> power{300, 310, 320, 305, 300, 310};
  const auto node = [&](std::string source, double more) {
    Series second = series("1", power);
    for (double& p : second.power_w) p += 50 + more;
    return file(std::move(source), 0, {series("0", power), second});
  };
  const auto out = join(files(node("n1.csv", 0), node("n2.csv", 0), node("n3.csv", 1)), {});
  ASSERT_EQ(out->size(), 1u);
  const auto& warnings = out->front().understanding.warnings;
  // n1 and n2 agree in both devices, n3 in its first only.
  ASSERT_EQ(warnings.size(), 2u) << warnings.front();
  EXPECT_EQ(warnings[0], "n1.csv and n2.csv hold the same 12 readings: a sum counts them twice.");
  EXPECT_EQ(warnings[1], "Devices n1/0, n2/0 and n3/0 hold the same 6 readings: a sum counts them 3 times.");
}

TEST(Identical, FilesReadAtTheSameMomentsMayBeOneMachine) {
  std::vector<double> ac(12, 7000.0);
  std::vector<double> dc(12, 6800.0);
  const auto out = join(files(file("ac.csv", 0, {series("node", ac)}), file("dc.csv", 0, {series("node", dc)})), {});
  EXPECT_TRUE(says(out->front().understanding.warnings,
                   "ac.csv and dc.csv were read at the very same moments, and their names say AC and DC"));
  const auto other =
      join(files(file("rack.csv", 0, {series("node", ac)}), file("dc.csv", 0, {series("node", dc)})), {});
  EXPECT_TRUE(other->front().understanding.warnings.empty()) << "'rack' is no AC";
  EXPECT_TRUE(says(other->front().understanding.notes, "rack.csv and dc.csv were read at the very same moments: if"));
  const auto apart = join(files(file("a.csv", 0, {series("node", ac)}), file("b.csv", 1, {series("node", dc)})), {});
  EXPECT_FALSE(says(apart->front().understanding.notes, "very same moments"));
}

TEST(Identical, OneReadingOffIsNotTheSame) {
  std::vector<double> power(500);
  for (std::size_t i = 0; i < power.size(); ++i) power[i] = 300 + static_cast<double>(i % 7);
  auto other = power;
  other[333] += 0.01;
  const auto out = join(files(file("a.csv", 0, {series("0", power)}), file("b.csv", 0, {series("0", other)})), {});
  ASSERT_EQ(out->front().understanding.warnings.size(), 1u);
  EXPECT_TRUE(says(out->front().understanding.warnings, "hold equal readings at 499 of 500 shared moments"));
  const auto late = join(files(file("a.csv", 0, {series("0", power)}), file("b.csv", 1, {series("0", power)})), {});
  EXPECT_TRUE(late->front().understanding.warnings.empty()) << "the same curve at other moments";
}

TEST(Identical, IdleDevicesThatArePolledTogetherMayAgree) {
  EXPECT_TRUE(
      identical_series(
          file("a.csv", 0, {series("0", std::vector<double>(50, 60.0)), series("1", std::vector<double>(50, 60.0))}))
          .empty());
  std::vector<double> power(50);
  for (std::size_t i = 0; i < power.size(); ++i) power[i] = 300 + static_cast<double>(i % 7);
  const auto said = identical_series(file("a.csv", 0, {series("0", power), series("1", power)}));
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0], "Devices 0 and 1 hold the same 50 readings: a sum counts them twice.");
}

TEST(Identical, SuppliesThatShareALoadMayAgree) {
  std::vector<double> power(30);
  for (std::size_t i = 0; i < power.size(); ++i) power[i] = i % 3 == 0 ? 182 : 156;
  auto node = file("sdr.txt", 0, {series("PS1 Input Power", power), series("PS2 Input Power", power)});
  EXPECT_EQ(identical_series(node).size(), 1u);
  node.understanding.format = "ipmitool";
  EXPECT_TRUE(identical_series(node).empty());
  // One supply under two names is counted twice.
  node.series[1].device.name = "PSU1 Pin";
  EXPECT_EQ(identical_series(node).size(), 1u);
}

TEST(Identical, ARealLogBesideItselfIsNoticed) {
  const std::string path = shared_trace("01_h100x8-train-ckpt1-smi100ms.csv");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  auto a = read_file(path, {});
  ASSERT_TRUE(a);
  Trace b = *a;
  b.source = "copy.csv";
  for (Series& s : b.series) s.device.uuid.clear();
  for (Series& s : a->series) s.device.uuid.clear();
  const auto out = join(files(std::move(*a), std::move(b)), {});
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(out->front().series.size(), 16u);
  ASSERT_EQ(out->front().understanding.warnings.size(), 1u);
  EXPECT_NE(out->front().understanding.warnings[0].find("54456 readings"), std::string::npos);
}

}  // namespace
}  // namespace wattrein::trace
