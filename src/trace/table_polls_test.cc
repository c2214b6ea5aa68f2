#include "trace/table_polls.h"

#include <gtest/gtest.h>

#include <vector>

namespace wattrein::trace {
namespace {

constexpr std::int64_t kMs = 1'000'000;
using Times = std::vector<std::int64_t>;

/// `polls` polls of n rows every 100 ms; every tenth poll spreads over 2 ms a row, the others share a stamp; every
/// fiftieth is followed by a stall of a second.
Times polls(std::size_t n, std::size_t count, std::int64_t start = 7 * kMs) {
  Times times;
  std::int64_t t = start;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < n; ++d) times.push_back(t + (i % 10 == 0 ? static_cast<std::int64_t>(d) * 2 * kMs : 0));
    t += i % 50 == 49 ? 1060 * kMs : 100 * kMs;
  }
  return times;
}

std::size_t found(const Times& times) {
  const std::vector<RowRange> runs{{0, times.size()}};
  return rows_per_poll(times, runs).value_or(0);
}

TEST(RowsPerPoll, FindsTheDevices) {
  for (const std::size_t n : {1U, 2U, 3U, 4U, 7U, 8U, 16U, 40U}) EXPECT_EQ(found(polls(n, 200)), n) << n;
}

TEST(RowsPerPoll, FindsThemInShortLogs) {
  EXPECT_EQ(found(polls(8, 2)), 8U);
  EXPECT_EQ(found({5}), 1U);
  EXPECT_EQ(found({5, 5, 5, 6 * kMs}), 4U);  // one poll
  EXPECT_EQ(found({0, 90 * kMs}), 1U);
}

TEST(RowsPerPoll, ABreakMakesNoPoll) {
  Times times;
  for (std::int64_t i = 0; i < 60; ++i) times.push_back(5 + i * 1000 * kMs + (i >= 30 ? 3'600'000 * kMs : 0));
  EXPECT_EQ(found(times), 1U);
  times.resize(31);  // one row behind the break
  EXPECT_EQ(found(times), 1U);
  times = polls(8, 60);
  for (std::size_t i = 8 * 33; i < times.size(); ++i) times[i] += 3'600'000 * kMs;
  EXPECT_EQ(found(times), 8U);
}

TEST(RowsPerPoll, TooFewSlowRowsDecideNothing) {
  // Two devices asked 100 ms apart, or one at odd times?
  EXPECT_EQ(found({5, 100 * kMs, 1000 * kMs, 1100 * kMs}), 0U);
}

TEST(RowsPerPoll, AnIncompleteLastPollIsNoObstacle) {
  Times times = polls(8, 50);
  times.resize(times.size() - 5);
  EXPECT_EQ(found(times), 8U);
}

TEST(RowsPerPoll, SeesThatADeviceWasLost) {
  Times times = polls(8, 100);
  const Times rest = polls(7, 20, times.back() + 100 * kMs);
  times.insert(times.end(), rest.begin(), rest.end());
  const std::vector<RowRange> runs{{0, times.size()}};
  const auto n = rows_per_poll(times, runs);
  ASSERT_FALSE(n);
  EXPECT_GE(n.error().row, 800U);
  EXPECT_LT(n.error().row, 830U);
}

TEST(RowsPerPoll, SeesThatOneRowIsMissing) {
  Times times = polls(4, 100);
  times.erase(times.begin() + 201);
  EXPECT_EQ(found(times), 0U);
}

TEST(RowsPerPoll, WholeSecondsDecideNothing) {
  Times times;
  for (std::int64_t i = 0; i < 400; ++i) times.push_back(i / 8 * 1000 * kMs);
  EXPECT_EQ(found(times), 0U);
}

/// `count` polls of n rows, `apart` between rows and `period` between polls.
Times spread(std::size_t n, std::size_t count, std::int64_t apart, std::int64_t period) {
  Times times;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < n; ++d) {
      times.push_back(5 + static_cast<std::int64_t>(i) * period + static_cast<std::int64_t>(d) * apart);
    }
  }
  return times;
}

TEST(RowsPerPoll, ALostRowDoesNotMakeOneDevice) {
  for (const std::size_t lost : {std::size_t{0}, std::size_t{2}, std::size_t{202}, std::size_t{395}}) {
    Times times = spread(4, 100, 3 * kMs, 1000 * kMs);  // no two rows share a stamp
    times.erase(times.begin() + static_cast<std::ptrdiff_t>(lost));
    const std::vector<RowRange> runs{{0, times.size()}};
    const auto n = rows_per_poll(times, runs);
    ASSERT_FALSE(n) << lost;
    EXPECT_NE(n.error().reason.find(" come 4 a"), std::string::npos) << n.error().reason;
    EXPECT_EQ(n.error().row, lost / 4 * 4) << lost;  // where the poll begins
  }
}

TEST(RowsPerPoll, PollsThatTakeMostOfThePeriodAreAskedAbout) {
  EXPECT_EQ(found(spread(8, 100, 15 * kMs, 200 * kMs)), 0U);  // 105 ms inside, 95 ms between
  EXPECT_EQ(found(spread(8, 100, 10 * kMs, 100 * kMs)), 0U);  // 70 ms inside, 30 ms between
}

TEST(RowsPerPoll, OneDeviceWithJitterAndHolesStaysOne) {
  Times times;
  std::int64_t t = 5;
  for (std::int64_t i = 0; i < 400; ++i) {
    times.push_back(t);
    t += (i * 7919 % 13 == 0 ? 3000 : 1000 + i * 31 % 40) * kMs;  // 1 to 1.04 s, every thirteenth pause 3 s
    if (i * 104'729 % 17 == 3) t += 2000 * kMs;
  }
  EXPECT_EQ(found(times), 1U);
}

TEST(RowsPerPoll, ASnapshotOfTooManyRowsIsNone) {
  EXPECT_EQ(found(Times(5000, 7)), 0U);
  EXPECT_EQ(found(Times(8, 1000 * kMs)), 0U);  // a whole second: one device polled 8 times looks the same
}

TEST(NewestFirst, StampsThatFallThroughout) {
  const auto falls = [](const Times& times) {
    const std::vector<RowRange> runs{{0, times.size()}};
    return newest_first(times, runs);
  };
  EXPECT_TRUE(falls({30, 20, 10}));
  EXPECT_TRUE(falls({30, 30, 20, 20, 10, 10}));
  EXPECT_FALSE(falls({10, 20, 30}));
  EXPECT_FALSE(falls({10, 10}));
  EXPECT_FALSE(falls({10, 20, 30, 5, 40}));       // a clock set back
  EXPECT_FALSE(falls({10, 20, 15, 25, 20, 30}));  // rows that are a little late
}

TEST(RowsPerPoll, RunsStartAnew) {
  Times times = polls(8, 20);
  times.resize(8 * 20 - 5);
  const std::size_t cut = times.size();
  const Times more = polls(8, 20, times.back() + 5000 * kMs);
  times.insert(times.end(), more.begin(), more.end());
  EXPECT_EQ(found(times), 0U);
  const std::vector<RowRange> runs{{0, cut}, {cut, times.size()}};
  EXPECT_EQ(rows_per_poll(times, runs).value_or(0), 8U);
}

}  // namespace
}  // namespace wattrein::trace
