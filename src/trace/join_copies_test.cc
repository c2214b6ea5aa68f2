// Files that hold readings of each other: copies, rotations that overlap, parts.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "trace/join.h"
#include "trace/join_for_test.h"

namespace wattrein::trace {
namespace {

using Names = std::vector<std::string>;

std::vector<double> curve(std::size_t from, std::size_t to, double more = 0) {
  std::vector<double> power;
  for (std::size_t i = from; i < to; ++i) power.push_back(200 + more + static_cast<double>(i * i % 17));
  return power;
}

TEST(Join, ACopyMadeWhileTheLogWasWrittenIsTheSameDevices) {
  // 60 s, and a copy of its first 50: 2 x 50 readings are in both.
  const auto node = [](std::string source, std::size_t to) {
    return file(std::move(source), 0, {series("0", curve(0, to)), series("1", curve(0, to, 50))});
  };
  const auto out = join(files(node("n1.csv", 60), node("n1_copy.csv", 50)), {});
  ASSERT_EQ(out->size(), 1u);
  const Trace& t = out->front();
  EXPECT_EQ(names(t), (Names{"0", "1"}));
  EXPECT_EQ(t.series[0].power_w, curve(0, 60));
  EXPECT_TRUE(says(t.understanding.notes, "n1.csv and n1_copy.csv hold equal readings wherever they share time"));
  EXPECT_TRUE(says(t.understanding.notes, "100 readings are in several files"));
  // One GPU's own log beside that of its node.
  const auto part = join(files(node("n1.csv", 60), file("gpu1.csv", 0, {series("1", curve(0, 40, 50))})), {});
  ASSERT_EQ(part->size(), 1u);
  EXPECT_EQ(names(part->front()), (Names{"0", "1"}));
  // Equal throughout may also be a node that lost its own log: both stay, and the sum is in doubt.
  const auto whole = join(files(node("n1.csv", 60), node("n2.csv", 60)), {});
  EXPECT_EQ(whole->front().series.size(), 4u);
  EXPECT_TRUE(says(whole->front().understanding.warnings, "n1.csv and n2.csv hold the same 120 readings"));
}

TEST(Join, ARotationThatOverlapsIsContinued) {
  // 0 to 39 s, 30 to 69 s, 70 to 79 s: the first two share 10 s of three devices, less than half of either.
  const auto part = [](std::string source, std::size_t from, std::size_t to) {
    return file(std::move(source), static_cast<std::int64_t>(from),
                {series("0", curve(from, to)), series("1", curve(from, to, 50)), series("2", curve(from, to, 90))});
  };
  const auto out = join(files(part("g.log", 70, 80), part("g.log.1", 30, 70), part("g.log.2", 0, 40)), {});
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(names(out->front()), (Names{"0", "1", "2"}));
  for (const Series& s : out->front().series) EXPECT_EQ(s.size(), 80u);
  EXPECT_EQ(out->front().series[2].power_w, curve(0, 80, 90));
}

TEST(Join, FilesThatAgreeOnlyInPartAreWarnedOf) {
  // Of 60 readings the last ten differ: 50 are equal.
  std::vector<double> power = curve(0, 60);
  for (std::size_t i = 50; i < 60; ++i) power[i] += 1;
  const auto out =
      join(files(file("a.csv", 0, {series("0", curve(0, 60))}), file("b.csv", 0, {series("0", power)})), {});
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(names(out->front()), (Names{"a/0", "b/0"}));
  ASSERT_EQ(out->front().understanding.warnings.size(), 1u);
  EXPECT_EQ(out->front().understanding.warnings[0],
            "a.csv and b.csv hold equal readings at 50 of 60 shared moments of devices of one name, and differ "
            "elsewhere: a sum may count devices twice.");
}

TEST(Join, IdleDevicesOfTwoNodesAreNoCopies) {
  const std::vector<double> idle(100, 70.0);
  const auto out = join(files(file("a.csv", 0, {series("0", idle)}), file("b.csv", 0, {series("0", idle)})), {});
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(names(out->front()), (Names{"a/0", "b/0"})) << "five changes are needed";
}

}  // namespace
}  // namespace wattrein::trace
