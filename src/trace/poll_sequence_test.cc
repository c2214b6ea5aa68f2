#include "trace/poll_sequence.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

using Polls = std::vector<std::int64_t>;

/// A digit is a row of that device, '|' a mark.
PollSequence::Polls polls_of(std::string_view log, const std::vector<std::string>& names) {
  PollSequence sequence;
  for (const char c : log) {
    if (c == '|') {
      sequence.new_poll();
    } else {
      sequence.row(static_cast<std::size_t>(c - '0'));
    }
  }
  return sequence.polls(names);
}

TEST(PollSequence, FullPollsComeInAnyOrder) {
  EXPECT_EQ(polls_of("011001", {"a", "b"}).of_row, (Polls{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(polls_of("1010", {"0", "1"}).of_row, (Polls{0, 0, 1, 1}));
  EXPECT_TRUE(polls_of("011001", {"a", "b"}).certain);
}

TEST(PollSequence, ADeviceThatMissesAPollMovesNothing) {
  // 0 is missing from the second poll and 2 from the third.
  EXPECT_EQ(polls_of("01212010120", {"0", "1", "2"}).of_row, (Polls{0, 0, 0, 1, 1, 2, 2, 3, 3, 3, 4}));
}

TEST(PollSequence, ADeviceThatComesLateHasNoEarlierPlace) {
  // Number 2 is device "0", which comes first in its polls, from the third on.
  EXPECT_EQ(polls_of("0101201201", {"1", "2", "0"}).of_row, (Polls{0, 0, 1, 1, 2, 2, 2, 3, 3, 3}));
}

TEST(PollSequence, MarksBeginPolls) {
  EXPECT_EQ(polls_of("|01|1|10|0", {"0", "1"}).of_row, (Polls{0, 0, 1, 2, 2, 3}));
  EXPECT_TRUE(polls_of("|01|1|10|0", {"0", "1"}).certain);
}

TEST(PollSequence, WithoutAnOrderItIsNotCertain) {
  const std::vector<std::string> names{"a", "b", "c", "d", "e"};
  EXPECT_FALSE(polls_of("031242013142320443012320143", names).certain);
}

const std::string kMissing =
    "index, power.draw [W]\n0, 50.00 W\n1, 60.00 W\n2, 70.00 W\n1, 61.00 W\n2, 71.00 W\n0, 52.00 W\n1, 62.00 W\n2, "
    "72.00 W\n";

TEST(PollSequence, NvidiaSmiWithoutAClock) {
  const auto trace = read_text(kMissing, {.period = Nanos(1'000'000'000)});
  ASSERT_TRUE(trace) << trace.error().message();
  // Device 0 has polls 0 and 2, the others 0, 1 and 2.
  EXPECT_EQ(trace->series[0].time_ns, (Polls{0, 2'000'000'000}));
  EXPECT_EQ(trace->series[2].time_ns, (Polls{0, 1'000'000'000, 2'000'000'000}));
  EXPECT_TRUE(trace->understanding.warnings.empty());
}

TEST(PollSequence, ADamagedRowHasItsPlaceInTime) {
  std::string log = "index, power.draw [W]\n";
  for (int i = 0; i < 30; ++i) log += i == 3 ? "0, 5#.00 W\n1, 60.00 W\n" : "0, 50.00 W\n1, 60.00 W\n";
  const auto trace = read_text(log, {.period = Nanos(1'000'000'000)});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[0].time_ns[3], 4'000'000'000);  // poll 3 is the damaged one
  EXPECT_EQ(trace->series[0].time_ns.back(), 29'000'000'000);
}

TEST(PollSequence, ScrapesWithoutComments) {
  const std::string a = "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 50\n";
  const std::string b = "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 60\n";
  const auto trace = read_text(a + b + b + a + b, {.period = Nanos(1'000'000'000)});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].time_ns, (Polls{0, 2'000'000'000}));
  EXPECT_EQ(trace->series[1].time_ns, (Polls{0, 1'000'000'000, 2'000'000'000}));
}

TEST(PollSequence, SuppliesOfIpmitool) {
  const std::string a = "PSU1 Input | 100 Watts | ok\n";
  const std::string b = "PSU2 Input | 200 Watts | ok\n";
  const auto trace = read_text(a + b + b + a + b, {.period = Nanos(1'000'000'000)});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].time_ns, (Polls{0, 2'000'000'000}));
  EXPECT_EQ(trace->series[1].time_ns, (Polls{0, 1'000'000'000, 2'000'000'000}));
}

TEST(PollSequence, AmdSmiWithOneHeader) {
  const auto trace = read_text("gpu,socket_power\n0,50\n1,60\n1,61\n0,52\n1,62\n", {.period = Nanos(1'000'000'000)});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].time_ns, (Polls{0, 2'000'000'000}));
  EXPECT_EQ(trace->series[1].time_ns, (Polls{0, 1'000'000'000, 2'000'000'000}));
}

TEST(PollSequence, DcgmiDmonWithALateDevice) {
  const auto trace =
      read_text("#Entity   POWER\nID        W\nGPU 1     60.0 \nGPU 1     61.0 \nGPU 0     50.0 \nGPU 1     62.0 \n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series[0].device.name, "1");
  EXPECT_EQ(trace->series[0].time_ns, (Polls{0, 1'000'000'000, 2'000'000'000}));
  EXPECT_EQ(trace->series[1].time_ns, (Polls{2'000'000'000}));
}

}  // namespace
}  // namespace wattrein::trace
