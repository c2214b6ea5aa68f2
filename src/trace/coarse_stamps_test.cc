#include "trace/coarse_stamps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "trace/read.h"
#include "trace/steps.h"

namespace wattrein::trace {
namespace {

Series series(std::vector<std::int64_t> time_ns) {
  Series s;
  for (std::size_t i = 0; i < time_ns.size(); ++i) s.power_w.push_back(static_cast<double>(100 + i));
  for (std::size_t i = 1; i < time_ns.size(); ++i) s.duplicate_stamps += time_ns[i] == time_ns[i - 1] ? 1 : 0;
  s.time_ns = std::move(time_ns);
  return s;
}

TEST(CoarseStamps, SpreadOverTheTimeToTheNext) {
  Series s = series({0, 0, 10, 10, 20, 20});
  EXPECT_EQ(spread_coarse_stamps(s), Nanos(10));
  EXPECT_EQ(s.time_ns, (std::vector<std::int64_t>{0, 5, 10, 15, 20, 25}));
  EXPECT_EQ(s.duplicate_stamps, 0);
}

TEST(CoarseStamps, AHoleIsNotSpreadOver) {
  Series s = series({0, 0, 10, 10, 1000, 1000, 1010, 1010});
  ASSERT_TRUE(spread_coarse_stamps(s));
  EXPECT_EQ(s.time_ns, (std::vector<std::int64_t>{0, 5, 10, 15, 1000, 1005, 1010, 1015}));
}

TEST(CoarseStamps, ALogBeginsAndEndsWithinAStep) {
  // Four readings a stamp; the log begins at its last quarter and ends behind its first.
  Series s = series({0, 100, 100, 100, 100, 200, 200, 200, 200, 300});
  ASSERT_TRUE(spread_coarse_stamps(s));
  EXPECT_EQ(s.time_ns, (std::vector<std::int64_t>{75, 100, 125, 150, 175, 200, 225, 250, 275, 300}));
}

TEST(CoarseStamps, FewRepeatsAndSnapshotsAreLeft) {
  Series few = series({0, 10, 10, 20, 30, 40});
  const std::vector<std::int64_t> before = few.time_ns;
  EXPECT_FALSE(spread_coarse_stamps(few));
  EXPECT_EQ(few.time_ns, before);
  Series one = series({7, 7, 7});
  EXPECT_FALSE(spread_coarse_stamps(one));
  Series doubled = series({0, 0, 10, 10});
  doubled.power_w = {70, 70, 80, 80};
  EXPECT_FALSE(spread_coarse_stamps(doubled));
  Series none = series({});
  EXPECT_FALSE(spread_coarse_stamps(none));
}

TEST(CoarseStamps, ReadersSpreadAndWarn) {
  // Ten readings a second under whole seconds: 100 W, and 500 W in the last two of each.
  std::string text = "time,gpu,power_w\n";
  for (int i = 0; i < 600; ++i) text += fmt::format("{},0,{}\n", 1'753'610'400 + i / 10, i % 10 < 8 ? 100 : 500);
  const auto t = read_memory(text, "log.csv", {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(median_period(t->series[0].time_ns).count(), 100'000'000);
  const auto& warnings = t->understanding.warnings;
  EXPECT_TRUE(std::ranges::any_of(warnings, [](const std::string& w) { return w.find("coarser") != w.npos; }));
}

}  // namespace
}  // namespace wattrein::trace
