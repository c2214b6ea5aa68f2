#include "trace/clock_polls.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// `count` polls of n rows, `apart` between rows and `period` from poll to poll, without the rows that are lost.
Times polled(std::size_t n, std::size_t count, std::int64_t apart, std::int64_t period,
             const std::function<bool(std::size_t, std::size_t)>& lost = {}) {
  Times times;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < n; ++d) {
      if (lost && lost(i, d)) continue;
      times.push_back(5 * kMs + static_cast<std::int64_t>(i) * period + static_cast<std::int64_t>(d) * apart);
    }
  }
  return times;
}

std::optional<ClockPolls> found(const Times& times, std::optional<std::size_t> stated = {}) {
  const std::vector<RowRange> runs{{0, times.size()}};
  return clock_polls(times, runs, std::vector<std::uint8_t>(times.size(), 0), stated);
}

TEST(ClockPolls, AreSeenByTheirPauses) {
  for (const std::size_t n : {2U, 3U, 8U, 40U}) {
    for (const std::int64_t apart : {std::int64_t{0}, std::int64_t{3}}) {
      const auto polls = found(polled(n, 100, apart * kMs, 1000 * kMs));
      ASSERT_TRUE(polls) << n;
      EXPECT_EQ(polls->devices, n);
      EXPECT_EQ(polls->whole, 100U);
      EXPECT_EQ(polls->odd, 0U);
    }
  }
}

TEST(ClockPolls, APollThatLacksARowMovesNoOther) {
  const auto polls = found(polled(4, 100, 3 * kMs, 1000 * kMs, [](auto i, auto d) { return i == 40 && d == 1; }));
  ASSERT_TRUE(polls);
  EXPECT_EQ(polls->devices, 4U);
  EXPECT_EQ(polls->whole, 99U);
  ASSERT_EQ(polls->first_odd, 40U);
  EXPECT_EQ(polls->polls[40].begin, 160U);
  EXPECT_EQ(polls->polls[40].rows(), 3U);
  EXPECT_EQ(polls->polls[41].begin, 163U);
  EXPECT_EQ(polls->polls[41].kind, Poll::Kind::whole);
}

TEST(ClockPolls, ShortPollsAtTheEndsOfARunAreCut) {
  const auto polls =
      found(polled(4, 50, 0, 1000 * kMs, [](auto i, auto d) { return (i == 0 && d < 3) || (i == 49 && d > 1); }));
  ASSERT_TRUE(polls);
  EXPECT_EQ(polls->whole, 48U);
  EXPECT_EQ(polls->odd, 0U);
  EXPECT_EQ(polls->polls.front().kind, Poll::Kind::cut);
  EXPECT_EQ(polls->polls.back().kind, Poll::Kind::cut);
}

TEST(ClockPolls, TwoPollsThatLackHalfOfTheirRowsAreNotOne) {
  for (const std::size_t n : {2U, 4U}) {
    const auto polls =
        found(polled(n, 100, 0, 1000 * kMs, [n](auto i, auto d) { return (i == 40 || i == 41) && d < n / 2; }));
    ASSERT_TRUE(polls);
    EXPECT_EQ(polls->devices, n);
    EXPECT_EQ(polls->odd, 2U);
    EXPECT_EQ(polls->whole, 98U);
  }
}

/// Fifty polls of n; the logger then stalls for `stall` behind the first `rows` rows of number 25 and goes on from
/// there.
Times stalled(std::size_t n, std::size_t rows, std::int64_t stall) {
  Times times = polled(n, 50, 0, 100 * kMs);
  for (std::size_t i = 25 * n + rows; i < times.size(); ++i) times[i] += stall;
  return times;
}

TEST(ClockPolls, AStallBreaksNoPoll) {
  for (const std::int64_t stall : {40 * kMs, 745 * kMs}) {
    const auto polls = found(stalled(8, 1, stall));
    ASSERT_TRUE(polls);
    EXPECT_EQ(polls->whole, 50U) << stall;
    EXPECT_EQ(polls->odd, 0U) << stall;
  }
  EXPECT_EQ(found(stalled(8, 1, 745 * kMs))->broken, 1U);
  // 4 and 4 rows as far apart as polls, or further: two polls that lost half of their rows look the same.
  EXPECT_EQ(found(stalled(8, 4, 100 * kMs))->odd, 2U);
  EXPECT_EQ(found(stalled(8, 4, 745 * kMs))->odd, 2U);
  EXPECT_EQ(found(stalled(8, 4, 50 * kMs))->odd, 0U);
}

TEST(ClockPolls, TheStatedNumberShowsPollsThatFillTheirPeriod) {
  const Times times = polled(8, 60, 10 * kMs, 100 * kMs, [](auto i, auto d) { return i == 30 && d == 7; });
  const auto polls = found(times, 8);
  ASSERT_TRUE(polls);
  EXPECT_EQ(polls->whole, 59U);
  ASSERT_EQ(polls->odd, 1U);
  EXPECT_EQ(polls->polls[*polls->first_odd].begin, 240U);
}

TEST(ClockPolls, EvenStepsShowNone) {
  const auto polls = found(polled(2, 100, 500 * kMs, 1000 * kMs), 2);
  EXPECT_TRUE(!polls || polls->whole == 0);
}

TEST(ClockPolls, ARowWithoutAStampGoesWhereOneIsMissing) {
  Times times = polled(4, 50, 0, 1000 * kMs);
  std::vector<std::uint8_t> unreadable(times.size(), 0);
  const std::vector<RowRange> runs{{0, times.size()}};
  times[80] = times[79];  // the first of the poll that begins there
  unreadable[80] = 1;
  const auto polls = clock_polls(times, runs, unreadable);
  ASSERT_TRUE(polls);
  EXPECT_EQ(polls->whole, 50U);
  // With a row lost in the poll before, it may be either's.
  times.erase(times.begin() + 77);
  unreadable.erase(unreadable.begin() + 77);
  const std::vector<RowRange> fewer{{0, times.size()}};
  const auto either = clock_polls(times, fewer, unreadable);
  ASSERT_TRUE(either);
  EXPECT_EQ(either->whole, 48U);
  EXPECT_EQ(either->odd, 2U);
}

TEST(RowsInPairs, ASecondDeviceThatWasLostEarly) {
  const auto pair = [](const Times& times) { return rows_in_pairs(times, std::vector<RowRange>{{0, times.size()}}); };
  EXPECT_EQ(pair(polled(2, 200, 3 * kMs, 1000 * kMs, [](auto i, auto d) { return i >= 4 && d == 1; })), 1U);
  EXPECT_FALSE(pair(polled(1, 200, 0, 1000 * kMs)));
  Times stall = polled(1, 200, 0, 1000 * kMs);  // two stalls of 0.997 s, each caught up at once
  stall[50] += 997 * kMs;
  stall[90] += 997 * kMs;
  EXPECT_FALSE(pair(stall));
}

/// A log of nvidia-smi without an index; device d draws 100 * (d + 1) W and as many hundredths as it has seen polls.
std::string smi(std::size_t n, std::size_t count, bool newest_first,
                const std::function<bool(std::size_t, std::size_t)>& lost) {
  std::vector<std::string> rows;
  char line[80];
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t d = 0; d < n; ++d) {
      if (lost && lost(i, d)) continue;
      std::snprintf(line, sizeof line, "2026/04/25 16:%02zu:%02zu.%03zu, %zu.%02zu W\n", i / 60, i % 60, 7 + 3 * d,
                    100 * (d + 1), i % 100);
      rows.emplace_back(line);
    }
  }
  if (newest_first) rows = {rows.rbegin(), rows.rend()};
  std::string log = "timestamp, power.draw [W]\n";
  for (const std::string& row : rows) log += row;
  return log;
}

/// Every known power is its device's.
void expect_own_power(const Trace& trace) {
  for (std::size_t d = 0; d < trace.series.size(); ++d) {
    for (const double w : trace.series[d].power_w) {
      if (w == w) {
        EXPECT_EQ(static_cast<std::size_t>(w), 100 * (d + 1));
      }
    }
  }
}

TEST(RowOrder, PollsWithLostRowsAreUnknownAndWarnedAbout) {
  // Device 0 of two is missing from 5 of 100 polls, the first of which stands in line 62.
  const std::string log = smi(2, 100, false, [](auto i, auto d) { return i >= 30 && i < 35 && d == 0; });
  for (const auto& options : {ReadOptions{}, ReadOptions{.devices = 2}}) {
    const auto trace = read_text(log, options);
    ASSERT_TRUE(trace) << trace.error().message();
    ASSERT_EQ(trace->series.size(), 2U);
    expect_own_power(*trace);
    EXPECT_EQ(trace->understanding.unknown_power, 10);
    EXPECT_EQ(trace->series[1].size(), 100U);
    ASSERT_EQ(trace->understanding.warnings.size(), 1U);
    EXPECT_EQ(trace->understanding.warnings[0],
              "log:62: this poll has 1 row, not 2: nothing shows which device each is of, so that all devices are "
              "unknown there, and in 4 more such polls.");
  }
}

TEST(RowOrder, ADeviceLostForGoodIsRefusedOrUnknown) {
  const std::string log = smi(4, 100, false, [](auto i, auto d) { return i >= 60 && d == 1; });
  const std::string error = error_of(log);
  EXPECT_NE(error.find("log:242"), std::string::npos) << error;
  EXPECT_NE(error.find("4 at a time up to there, and 3 at a time from there on"), std::string::npos) << error;
  const auto trace = read_text(log, {.devices = 4});
  ASSERT_TRUE(trace) << trace.error().message();
  expect_own_power(*trace);
  EXPECT_EQ(trace->understanding.unknown_power, 39 * 4);  // the last poll is left out
  ASSERT_EQ(trace->understanding.warnings.size(), 1U);
  EXPECT_EQ(trace->understanding.warnings[0].find("log:242: "), 0U);
  // Lost nearly at once: neither number fits.
  const std::string early = smi(2, 100, false, [](auto i, auto d) { return i >= 4 && d == 1; });
  EXPECT_NE(error_of(early).find("rows come one at a time, but"), std::string::npos) << error_of(early);
  EXPECT_NE(error_of(early, {.devices = 2}).find("log:10"), std::string::npos) << error_of(early, {.devices = 2});
}

TEST(RowOrder, NewestFirstIsNumberedFromTheEnd) {
  const auto trace = read_text(smi(4, 100, true, {}), {.devices = 4});
  ASSERT_TRUE(trace) << trace.error().message();
  expect_own_power(*trace);
  EXPECT_TRUE(mentions(*trace, "devices are numbered from the last row"));
  EXPECT_TRUE(trace->understanding.warnings.empty());
  std::string one_stamp = "timestamp, power.draw [W]\n";
  for (int i = 59; i >= 10; --i) {
    for (int d = 0; d < 2; ++d)
      one_stamp += "2026/04/25 16:06:" + std::to_string(i) + ".780, 7" + std::to_string(d) + ".50 W\n";
  }
  const auto either = read_text(one_stamp, {.devices = 2});
  ASSERT_TRUE(either) << either.error().message();
  ASSERT_EQ(either->understanding.warnings.size(), 1U);
  EXPECT_NE(either->understanding.warnings[0].find("wrong end"), std::string::npos);
}

TEST(RowOrder, WhereStampsShowNoPollsItIsSaid) {
  std::string even = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 50; ++i) even += "2026/04/25 16:06:" + std::to_string(10 + i) + ".780, 70.50 W\n";
  const auto trace = read_text(even, {.devices = 2});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(mentions(*trace, "The stamps do not show where a poll begins"));
  const auto clockless =
      read_text("power.draw [W]\n50.00 W\n60.00 W\n51.00 W\n61.00 W\n", {.period = Nanos(kSecond), .devices = 2});
  ASSERT_TRUE(clockless) << clockless.error().message();
  EXPECT_TRUE(mentions(*clockless, "Without a clock nothing shows where a poll begins"));
}

}  // namespace
}  // namespace wattrein::trace
