#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/shared_traces_for_test.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "turbo.txt", options);
}

const std::string kPreamble =
    "turbostat version 2030.01.01 - made up\n"
    "Measurement interval: 2.500 seconds\n"
    "cpu0: MSR_PKG_POWER_INFO: 0x0 (65 W TDP)\n";
const std::string kHeader = "Time_Of_Day_Seconds\tCore\tCPU\tAvg_MHz\tPkgWatt\tCorWatt\n";

std::string block(const std::string& second, const std::string& watts) {
  return second + ".250000\t-\t-\t90\t" + watts + "\t1.00\n" + second + ".240000\t0\t0\t80\t" + watts + "\t1.00\n" +
         second + ".245000\t0\t1\t100\n";
}

TEST(Turbostat, ReadsTheSummaryRowsOfPackagePower) {
  const auto t = read(kPreamble + kHeader + block("1700000000", "20.50") + kHeader + block("1700000005", "31.25"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "turbostat");
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "PkgWatt");
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{20.5, 31.25}));
  EXPECT_EQ(t->series[0].device.meter, MeterKind::counter_difference);
  EXPECT_EQ(t->start_unix_ns, 1'699'999'995 * kSecond + 250 * kMs);
  EXPECT_EQ(t->understanding.repeated_headers, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_TRUE(
      mentions(*t, "the mean over the interval that ends at its stamp: it stands where that began, 5 s before."));
}

TEST(Turbostat, WithoutAClockTheIntervalIsTakenAndSaid) {
  const std::string table =
      "Core\tCPU\tAvg_MHz\tPkgWatt\n-\t-\t9\t10\n0\t0\t9\t10\n"
      "Core\tCPU\tAvg_MHz\tPkgWatt\n-\t-\t9\t12\n0\t0\t9\t12\n";
  const auto stated = read(kPreamble + table);
  ASSERT_TRUE(stated) << stated.error().message();
  EXPECT_EQ(stated->series[0].time_ns, (std::vector<std::int64_t>{0, 2500 * kMs}));
  EXPECT_FALSE(stated->start_unix_ns);
  EXPECT_TRUE(mentions(*stated, "taken from its 'Measurement interval'"));
  const auto assumed = read(table);
  ASSERT_TRUE(assumed) << assumed.error().message();
  EXPECT_EQ(assumed->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond}));
  EXPECT_TRUE(mentions(*assumed, "assumed, turbostat's default"));
  const auto given = read(kPreamble + table, {.period = Nanos(kSecond)});
  ASSERT_TRUE(given) << given.error().message();
  EXPECT_EQ(given->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond}));
  EXPECT_EQ(given->understanding.clock, "none: 1 s a row from zero (--period)");
}

TEST(Turbostat, EveryRunHasItsOwnInterval) {
  const auto table = [](const std::string& watts) { return "CPU\tAvg_MHz\tPkgWatt\n-\t9\t" + watts + "\n0\t9\t1\n"; };
  const std::string first = kPreamble + table("10") + table("20");
  const std::string faster =
      "turbostat version 2030.01.01 - made up\nMeasurement interval: 1.000 seconds\n8 * 100.0 = 800.0 MHz\n";
  const auto t = read(first + faster + table("30") + table("40"));
  ASSERT_TRUE(t) << t.error().message();
  // 2.5 s for each of the first two rows, 1 s for those behind them.
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 2500 * kMs, 5000 * kMs, 6000 * kMs}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{10, 20, 30, 40}));
  EXPECT_EQ(t->understanding.clock, "none: 2.5 s a row from zero, 1 s from line 11 on ('Measurement interval')");
  ASSERT_EQ(t->understanding.warnings.size(), 1U);
  EXPECT_EQ(t->understanding.warnings[0].find("turbo.txt:10: turbostat was started again"), 0U);
  EXPECT_EQ(t->understanding.other_lines, 0);
  EXPECT_EQ(t->understanding.damaged, 0);
  const auto stated = read(first + faster + table("30"), {.period = Nanos(kSecond)});
  ASSERT_TRUE(stated) << stated.error().message();
  EXPECT_EQ(stated->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond, 2 * kSecond}));
  EXPECT_EQ(stated->understanding.clock, "none: 1 s a row from zero (--period)");
}

TEST(Turbostat, AValueStandsWhereItsIntervalBegan) {
  // One row: the stated interval, which is 2.5 s. Two runs: each its own.
  EXPECT_EQ(read(kPreamble + kHeader + block("1700000000", "20"))->start_unix_ns, 1'699'999'997 * kSecond + 750 * kMs);
  const std::string other = "turbostat version 1\nMeasurement interval: 1.000000 sec\n";
  const auto t = read(kPreamble + kHeader + block("1700000000", "20") + block("1700000003", "21") + other + kHeader +
                      block("1700000100", "30") + block("1700000101", "31"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->start_unix_ns, 1'699'999'997 * kSecond + 250 * kMs);
  EXPECT_TRUE(mentions(*t, "it stands where that began, 3 s before."));
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 3 * kSecond, 102 * kSecond, 103 * kSecond}));
}

TEST(Turbostat, WithoutTheRowOfTheWholeMachineTheCauseIsSaid) {
  const auto t = read("Package\tCPU\tAvg_MHz\tPkgWatt\n0\t0\t9\t99.5\n1\t1\t9\t149.5\n");
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().where, "turbo.txt:2");
  EXPECT_NE(t.error().what.find("2 rows of packages, cores and CPUs, and no row of the whole machine"),
            std::string::npos);
  EXPECT_NE(t.error().cure.find("--Summary"), std::string::npos);
}

TEST(Turbostat, StartedAgainWithoutAClockIsWarnedAbout) {
  const std::string table = "Core\tCPU\tAvg_MHz\tPkgWatt\n-\t-\t9\t10\n0\t0\t9\t10\n-\t-\t9\t12\n";
  const std::string second = "turbostat version 2030.01.01 - made up\nMeasurement interval: 1.000 seconds\n";
  // The first had turbostat's own five seconds.
  const auto later = read(table + second + table);
  ASSERT_TRUE(later) << later.error().message();
  EXPECT_EQ(later->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond, 10 * kSecond, 11 * kSecond}));
  EXPECT_EQ(later->understanding.clock, "none: 5 s a row from zero, 1 s from line 6 on ('Measurement interval')");
  // Twice alike: read on, but how long it stood still is not known.
  const auto alike = read(kPreamble + table + kPreamble + table);
  ASSERT_TRUE(alike) << alike.error().message();
  EXPECT_EQ(alike->series[0].power_w, (std::vector<double>{10, 12, 10, 12}));
  ASSERT_EQ(alike->understanding.warnings.size(), 1U);
  EXPECT_EQ(alike->understanding.warnings[0].find("turbo.txt:8: turbostat was started again"), 0U);
  // A start that came to nothing counts for nothing, and a clock says all.
  const auto empty = read(kPreamble + second + table);
  ASSERT_TRUE(empty) << empty.error().message();
  EXPECT_EQ(empty->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond}));
  EXPECT_TRUE(empty->understanding.warnings.empty());
  const auto clock =
      read(kPreamble + kHeader + block("1700000000", "20.50") + second + kHeader + block("1700000005", "31.25"));
  ASSERT_TRUE(clock) << clock.error().message();
  EXPECT_TRUE(clock->understanding.warnings.empty());
}

TEST(Turbostat, OfSeveralPackagesTheSumIsReadOnce) {
  const auto t = read(
      "Time_Of_Day_Seconds\tPackage\tCore\tCPU\tBusy%\tPkgWatt\tRAMWatt\n"
      "1700000000.5\t-\t-\t-\t5\t300\t40\n"
      "1700000000.4\t0\t0\t0\t5\t140\t20\n"
      "1700000000.4\t1\t0\t8\t5\t160\t20\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{300});
  EXPECT_TRUE(mentions(*t, "it is the sum of the packages"));
  EXPECT_TRUE(mentions(*t, "RAMWatt is drawn beside the packages and is not in PkgWatt"));
}

TEST(Turbostat, AnotherColumnIsReadByName) {
  const std::string text = kHeader + block("1700000000", "20.50");
  const auto t = read(text, {.power_column = "corwatt"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{1});
  EXPECT_EQ(t->series[0].device.name, "CorWatt");
  const auto missing = read(text, {.power_column = "GFXWatt"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::usage);
  EXPECT_NE(missing.error().cure.find("PkgWatt"), std::string::npos);
  EXPECT_FALSE(read(text, {.power_column = "Avg_MHz"}));
}

TEST(Turbostat, SummaryOnlyAndTheOlderLayoutOfBlanks) {
  const auto summary = read("Avg_MHz\tBusy%\tPkgWatt\n9\t0.5\t10\n9\t0.5\t11\n");
  ASSERT_TRUE(summary) << summary.error().message();
  EXPECT_EQ(summary->series[0].power_w, (std::vector<double>{10, 11}));
  const auto older = read(
      "    Core     CPU Avg_MHz   Pkg_W   Cor_W\n"
      "       -       -       4    9.50    1.20\n"
      "       0       0       4    9.50    1.20\n"
      "       0       1       4\n");
  ASSERT_TRUE(older) << older.error().message();
  EXPECT_EQ(older->series[0].power_w, std::vector<double>{9.5});
  EXPECT_EQ(older->understanding.damaged, 0);
}

TEST(Turbostat, ADamagedHeaderNeverShiftsColumns) {
  // The first header's time column has rubbish glued to it: where the time is, is not certain there.
  std::string text =
      kPreamble + "#?xTime_Of_Day_Seconds\tCore\tCPU\tAvg_MHz\tPkgWatt\tCorWatt\n" + block("1700000000", "99.00");
  for (int i = 1; i <= 20; ++i) text += kHeader + block(std::to_string(1'700'000'000 + 5 * i), "20.00");
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 20);
  EXPECT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "turbo.txt:5");
  EXPECT_NE(t->understanding.first_damaged[0].reason.find("line 4"), std::string::npos);
  EXPECT_EQ(std::ranges::max(t->series[0].power_w), 20);
  EXPECT_TRUE(mentions(*t, "differs from that at line"));
}

TEST(Turbostat, ADamagedNameElsewhereCostsNothing) {
  const auto t = read("Time_Of_Day_Seconds\tCore\tCPU\t;;Avg_MHz\tPkgWatt\tCorWatt\n" + block("1700000000", "30") +
                      kHeader + block("1700000005", "40"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{30, 40}));
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(Turbostat, ALostCellOrHeaderNameIsDamageNotAShift) {
  std::string text = kHeader + "1700000000.25\t-\t-\t20.50\t1.00\n";  // Avg_MHz is missing
  for (int i = 1; i <= 40; ++i) text += block(std::to_string(1'700'000'000 + 5 * i), "20.00");
  text += "Time_Of_Day_Seconds\tCore\tCPU\tPkgWatt\tCorWatt\n" + block("1700000900", "77");  // a name is missing
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 40);
  EXPECT_EQ(t->understanding.damaged, 2);
  EXPECT_EQ(std::ranges::min(t->series[0].power_w), 20);
  EXPECT_EQ(std::ranges::max(t->series[0].power_w), 20);
}

TEST(Turbostat, JoulesAndMissingPowerAreSentences) {
  const auto joules = read("Core\tCPU\tAvg_MHz\tPkg_J\n-\t-\t9\t50\n");
  ASSERT_FALSE(joules);
  EXPECT_NE(joules.error().cure.find("--Joules"), std::string::npos);
  const auto none = read("Core\tCPU\tAvg_MHz\tBusy%\n-\t-\t9\t50\n");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("no column PkgWatt, only Core, CPU, Avg_MHz, Busy%"), std::string::npos);
  const auto preamble = read(kPreamble);
  ASSERT_FALSE(preamble);
  EXPECT_EQ(preamble.error().kind, ErrorKind::bad_input);
}

TEST(Turbostat, ACutLastLineIsLeftOutAndSaid) {
  const auto t = read(kHeader + block("1700000000", "20.50") + "1700000005.25\t-\t-\t90\t2");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_TRUE(mentions(*t, "The last line was cut"));
}

TEST(Turbostat, RefusesAPeriodThatOverflows) {
  const auto t = read("Avg_MHz\tPkgWatt\n9\t10\n9\t10\n9\t10\n", {.period = Nanos(std::int64_t{1} << 62)});
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::usage);
}

TEST(Turbostat, RealLogWithADamagedHeader) {
  const std::string path = shared_trace("36_turbostat-bdw-corrupted.txt");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 22);  // of 23: the first block stands under the damaged header
  EXPECT_EQ(t->understanding.damaged, 1);
  EXPECT_TRUE(mentions(*t, "The header at line 64 differs"));
}

}  // namespace
}  // namespace wattrein::trace
