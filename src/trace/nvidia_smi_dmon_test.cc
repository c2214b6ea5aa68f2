#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>

#include "trace/read.h"
#include "trace/shared_traces_for_test.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "dmon.txt", options);
}

const std::string kTwoGpus =
    "# gpu    pwr  gtemp  mtemp     sm \n"
    "# Idx      W      C      C      % \n"
    "    0    101     40      -      5 \n"
    "    1    202     41      -      6 \n"
    "    0    103     40      -      5 \n"
    "    1      -     41      -      6 \n";

TEST(NvidiaSmiDmon, ReadsOneSecondAPollFromZeroAndSaysSo) {
  const auto t = read(kTwoGpus);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "nvidia-smi-dmon");
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "0");
  EXPECT_EQ(t->series[1].device.name, "1");
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond}));
  EXPECT_EQ(t->series[0].power_w, (Powers{101, 103}));
  EXPECT_EQ(t->series[1].time_ns, (Times{0, kSecond}));
  EXPECT_EQ(t->series[1].power_w[0], 202);
  EXPECT_TRUE(std::isnan(t->series[1].power_w[1]));
  EXPECT_EQ(t->understanding.unknown_power, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_EQ(t->series[0].device.meter, MeterKind::unknown);  // it depends on the model, which dmon does not print
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_EQ(t->understanding.power, "column 'pwr' [W]");
  EXPECT_EQ(t->understanding.clock, "none: 1 s a poll from zero (assumed)");
  EXPECT_TRUE(mentions(*t, "1 s a poll from zero is assumed; --period says otherwise"));
  EXPECT_TRUE(mentions(*t, "whole watts"));
}

TEST(NvidiaSmiDmon, TakesPeriodAndStart) {
  const auto t = read(kTwoGpus, {.period = Nanos(5 * kSecond), .start_unix_ns = 1'790'000'000 * kSecond});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[1].time_ns, (Times{0, 5 * kSecond}));
  EXPECT_EQ(t->start_unix_ns, 1'790'000'000 * kSecond);
  EXPECT_EQ(t->understanding.clock, "none: 5 s a poll (--period)");
  const auto beyond = read(kTwoGpus + kTwoGpus + kTwoGpus, {.period = Nanos(std::int64_t{1} << 62)});
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().kind, ErrorKind::usage);
}

TEST(NvidiaSmiDmon, RepeatedHeadersAreNoDamage) {
  const auto t = read(kTwoGpus + kTwoGpus);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond, 2 * kSecond, 3 * kSecond}));
  EXPECT_EQ(t->understanding.repeated_headers, 1);
  EXPECT_EQ(t->understanding.other_lines, 0);
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(NvidiaSmiDmon, AMissingRowMovesNobodyElse) {
  const auto t = read(
      "# gpu   pwr\n# Idx     W\n"
      "    1    20\n    2    30\n"  // GPU 0 gave no row in the first poll
      "    0    11\n    1    21\n    2    31\n"
      "    0    12\n    2    32\n"
      "    0    13\n    1    23\n    2    33\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 3U);
  EXPECT_EQ(t->series[0].device.name, "1");
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond, 3 * kSecond}));
  EXPECT_EQ(t->series[1].time_ns, (Times{0, kSecond, 2 * kSecond, 3 * kSecond}));
  EXPECT_EQ(t->series[2].device.name, "0");
  EXPECT_EQ(t->series[2].time_ns, (Times{kSecond, 2 * kSecond, 3 * kSecond}));
}

TEST(NvidiaSmiDmon, GpusInAnyOrderOfDashI) {
  const auto t = read("# gpu pwr\n 3 10\n 1 20\n 3 11\n 1 21\n 3 12\n 1 22\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond, 2 * kSecond}));
  EXPECT_EQ(t->series[1].time_ns, (Times{0, kSecond, 2 * kSecond}));
}

TEST(NvidiaSmiDmon, DateAndTimeColumnsAreTheClock) {
  const auto t = read(
      "#Date       Time        gpu    pwr  gtemp \n"
      "#YYYYMMDD   HH:MM:SS    Idx      W      C \n"
      " 20261130   23:59:59      0    300     50 \n"
      " 20261201   00:00:01      0    310     50 \n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, 2 * kSecond}));
  // date -u -d '2026-11-30 23:59:59' +%s
  EXPECT_EQ(t->start_unix_ns, 1'796'083'199 * kSecond);
  EXPECT_FALSE(t->start_has_zone);
  EXPECT_EQ(t->understanding.clock, "wall clock, no zone (taken as UTC)");
  EXPECT_FALSE(mentions(*t, "--period"));
}

TEST(NvidiaSmiDmon, TimeOfDayRollsOverMidnight) {
  const std::string text =
      "#Time        gpu   pwr\n#HH:MM:SS    Idx     W\n"
      " 23:59:58      0   100\n 23:59:59      0   101\n 00:00:00      0   102\n 00:00:01      0   103\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond, 2 * kSecond, 3 * kSecond}));
  EXPECT_EQ(t->series[0].backward_stamps, 0);
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_EQ(t->understanding.clock, "time of day, no date and no zone");
  EXPECT_TRUE(mentions(*t, "midnight"));
  const auto started = read(text, {.start_unix_ns = 42 * kSecond});
  ASSERT_TRUE(started) << started.error().message();
  EXPECT_EQ(started->start_unix_ns, 42 * kSecond);
}

TEST(NvidiaSmiDmon, AnAppendedSessionIsOfTheNextDayAndSaid) {
  const std::string header = "#Time        gpu   pwr\n#HH:MM:SS    Idx     W\n";
  // Two hours back is 22 on; fourteen back (a night's pause) is ten on.
  for (const auto& [from, to, hours, back] :
       {std::tuple{"15:00:0", "13:00:0", 22, "2 h"}, std::tuple{"22:00:0", "08:00:0", 10, "14 h"}}) {
    std::string text = header;
    for (const char* hour : {from, to}) {
      for (const char* second : {"0", "1", "2"}) {
        for (const char* gpu : {"0", "1"}) text += std::string(" ") + hour + second + "  " + gpu + "  100\n";
      }
    }
    const auto t = read(text);
    ASSERT_TRUE(t) << t.error().message();
    for (const Series& s : t->series) {
      const std::int64_t next = hours * 3600 * kSecond;
      EXPECT_EQ(s.time_ns, (Times{0, kSecond, 2 * kSecond, next, next + kSecond, next + 2 * kSecond}));
      EXPECT_EQ(s.backward_stamps, 0);
    }
    EXPECT_TRUE(mentions(*t, std::string("At dmon.txt:9 the clock, which has no date, goes back by ") + back)) << from;
  }
  // A row that is a little late is no session, and midnight with a pause of some minutes needs no word.
  const auto late = read(header + " 15:00:05 0 100\n 15:00:03 0 101\n 15:00:07 0 102\n");
  ASSERT_TRUE(late) << late.error().message();
  EXPECT_EQ(late->series[0].backward_stamps, 1);
  EXPECT_FALSE(mentions(*late, "goes back by"));
  const auto pause = read(header + " 23:50:00 0 100\n 00:10:00 0 101\n");
  ASSERT_TRUE(pause) << pause.error().message();
  EXPECT_EQ(pause->series[0].time_ns, (Times{0, 1200 * kSecond}));
  EXPECT_FALSE(mentions(*pause, "goes back by"));
}

TEST(NvidiaSmiDmon, TwoLogsInEachOtherWithoutDatesAreRefused) {
  std::string text = "#Time gpu pwr\n";
  for (const char* second : {"0", "1", "2", "3"}) {
    for (const char* hour : {" 10:00:0", " 15:00:0"}) {
      for (const char* gpu : {"0", "1", "2", "3"}) text += hour + std::string(second) + " " + gpu + " 100\n";
    }
  }
  const auto t = read(text);
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
  EXPECT_NE(t.error().what.find("goes back 3 times in 8 stamps, first at dmon.txt:10"), std::string::npos)
      << t.error().what;
}

TEST(NvidiaSmiDmon, ADateAloneIsNoClock) {
  const auto t = read("#Date       gpu   pwr\n#YYYYMMDD   Idx     W\n 20261130      0   100\n 20261130      0   101\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond}));
  EXPECT_TRUE(mentions(*t, "--period says otherwise"));
}

TEST(NvidiaSmiDmon, ReadsCsvWithAndWithoutUnits) {
  for (const char* text :
       {"# gpu, pwr, gtemp\n# Idx, W, C\n0, 25, 45\n1, 26, 45\n", "#gpu,pwr,gtemp\n0,25,45\n1,26,45\n"}) {
    const auto t = read(text);
    ASSERT_TRUE(t) << t.error().message();
    EXPECT_EQ(t->series[0].power_w, Powers{25}) << text;
    EXPECT_EQ(t->series[1].power_w, Powers{26}) << text;
  }
}

TEST(NvidiaSmiDmon, WithoutAHeaderPowerMustBeNamedByPlace) {
  const std::string text = "20261130, 17:41:14, 0, 71, 34\n20261130, 17:41:15, 0, 72, 34\n";
  const auto t = read(text, {.format = "nvidia-smi-dmon", .power_column = "#4"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (Powers{71, 72}));
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond}));
  const auto unnamed = read(text, {.format = "nvidia-smi-dmon"});
  ASSERT_FALSE(unnamed);
  EXPECT_NE(unnamed.error().cure.find("--power"), std::string::npos);
}

TEST(NvidiaSmiDmon, DamagedRowsAreCountedWithTheirPlace) {
  std::string text = "# gpu   pwr   sm\n";
  for (int i = 0; i < 60; ++i) text += "    0   100    1\n";
  const auto t = read(text + "    0   1x0    1\n    0   100\n    0   100    1\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 2);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "dmon.txt:62");
  EXPECT_EQ(t->understanding.first_damaged[0].reason, "'1x0' is no power");
  EXPECT_EQ(t->understanding.first_damaged[1].reason, "the cells do not match the header");
}

TEST(NvidiaSmiDmon, ATornLastRowIsLeftOut) {
  const auto t = read("# gpu   pwr\n    0   200\n    0   20");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, Powers{200});
  EXPECT_TRUE(mentions(*t, "cut while it was written"));
}

TEST(NvidiaSmiDmon, SaysWhatIsMissing) {
  const auto none = read("# gpu     sm    mem\n# Idx      %      %\n    0      5      6\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::bad_input);
  EXPECT_NE(none.error().cure.find("-s"), std::string::npos);
  const auto pmon = read("# gpu        pid  type    sm\n# Idx          #   C/G     %\n    0       1234     C     5\n");
  ASSERT_FALSE(pmon);
  EXPECT_NE(pmon.error().what.find("pmon"), std::string::npos);
  const auto misspelt = read(kTwoGpus, {.power_column = "watts"});
  ASSERT_FALSE(misspelt);
  EXPECT_EQ(misspelt.error().kind, ErrorKind::usage);
}

TEST(NvidiaSmiDmon, OtherTablesThatStartWithAGpuAreNotItsOwn) { EXPECT_FALSE(read("# gpu watts\n0 100\n")); }

struct Snapshot {
  const char* file;
  double mean;
  double max;
};

TEST(NvidiaSmiDmon, SharedTraces) {
  for (const auto& [file, mean, max] :
       {Snapshot{"16_h100-dmon-load.txt", 633.6, 636}, Snapshot{"17_h100mig-dmon-load.txt", 438.6, 440},
        Snapshot{"18_win2080s-dmon-load.txt", 97, 97}}) {
    const auto path = shared_trace(file);
    if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
    const auto t = read_file(path, {});
    ASSERT_TRUE(t) << t.error().message();
    ASSERT_EQ(t->series.size(), 1U);
    const Powers& p = t->series[0].power_w;
    ASSERT_EQ(p.size(), 5U);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0) / 5, mean, 1e-9) << file;
    EXPECT_EQ(std::ranges::max(p), max) << file;
  }
}

}  // namespace
}  // namespace wattrein::trace
