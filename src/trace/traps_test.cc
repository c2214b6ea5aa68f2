// Logs as people have them, read whole: numbers, clocks and sessions that are easily taken for others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/steps.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

Times seconds(std::initializer_list<double> list) {
  Times times;
  for (const double s : list) times.push_back(static_cast<std::int64_t>(s * 1e9));
  return times;
}

// --- Numbers --------------------------------------------------------------------------------------------------

TEST(Numbers, DecimalCommas) {
  const auto trace = read_text(
      "time;gpu;power;energy_j\n1718369824,5;0;71,25 W;1.234,5\n1718369825,5;0;1.071,5 W;1.300,5\n"
      "1718369826,5;0;72 W;2.400,75\n");
  ASSERT_TRUE(trace) << trace.error().message();
  const Series& s = trace->series[0];
  EXPECT_EQ(s.power_w, (Powers{71.25, 1071.5, 72.0}));
  EXPECT_EQ(s.column(Column::energy_j), (Powers{1234.5, 1300.5, 2400.75}));
  EXPECT_EQ(trace->start_unix_ns, 1'718'369'824'500'000'000);
  EXPECT_TRUE(mentions(*trace, "have a decimal comma"));
}

TEST(Numbers, QuotedDecimalCommas) {
  const auto trace = read_text("time,gpu,power_w\n1718369824,0,\"71,25\"\n1718369825,0,\"72,5\"\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.25, 72.5}));
}

TEST(Numbers, Thousands) {
  const auto trace = read_text(
      "time\tgpu\tpower\tpower_limit_w\n1718369824\t0\t71.5 W\t1,200\n1718369825\t0\t1,234.5 W\t1,200\n"
      "1718369826\t0\t1 kW\t1,200\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.5, 1234.5, 1000.0}));
  EXPECT_EQ(trace->series[0].column(Column::limit_w), (Powers{1200.0, 1200.0, 1200.0}));  // as the power column has it
}

TEST(Numbers, WhatNoCellDecidesIsAskedFor) {
  const std::string log = "time;gpu;power_w\n1718369824;0;1,234\n1718369825;0;312\n";
  const std::string error = error_of(log);
  EXPECT_NE(error.find("'1,234' in column 'power_w'"), std::string::npos) << error;
  EXPECT_NE(error.find("--decimal ,"), std::string::npos);
  EXPECT_NE(error.find("--decimal ."), std::string::npos);
  EXPECT_EQ(read_text(log, {.decimal = ","})->series[0].power_w, (Powers{1.234, 312.0}));
  EXPECT_EQ(read_text(log, {.decimal = "."})->series[0].power_w, (Powers{1234.0, 312.0}));
  EXPECT_NE(error_of(log, {.decimal = ";"}).find("is no decimal sign"), std::string::npos);
}

TEST(Numbers, PointsBesideDecimalCommasAreAskedFor) {
  // 4.316 is 4316 W where the temperature is 45,5; where it is 45.5, or all are whole, a program printed three
  // decimals.
  const auto log = [](const std::string& temp, const std::string& watts) {
    return "timestamp;power_w;temp\n2026-05-17 15:38:28;" + watts + ";" + temp + "\n2026-05-17 15:38:30;6.930;" + temp +
           "\n2026-05-17 15:38:32;945;" + temp + "\n";
  };
  const std::string error = error_of(log("45,5", "4.316"));
  EXPECT_NE(error.find("'4.316' in column 'power_w' has a point either between thousands"), std::string::npos) << error;
  EXPECT_EQ(read_text(log("45,5", "4.316"), {.decimal = ","})->series[0].power_w, (Powers{4316, 6930, 945}));
  EXPECT_EQ(read_text(log("45.5", "4.316"))->series[0].power_w, (Powers{4.316, 6.93, 945}));
  EXPECT_EQ(read_text(log("45", "4.316"))->series[0].power_w, (Powers{4.316, 6.93, 945}));
  // "4.31" cannot have thousands: the column decides for itself.
  EXPECT_EQ(read_text(log("45,5", "4.31"))->series[0].power_w, (Powers{4.31, 6.93, 945}));
}

TEST(Numbers, AColumnThatIsNotReadDecides) {
  const auto trace = read_text("time;power_w;temp\n1718369824;100,000;40,1\n1718369825;150,910;40,2\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{100, 150.91}));
  const std::string open = error_of("time;power_w;temp\n1718369824;100,000;40,1\n1718369825;150,910;40.2\n");
  EXPECT_NE(open.find("--decimal"), std::string::npos) << open;
}

TEST(Numbers, ACellThatContradictsItsColumnIsDamaged) {
  std::string log = "time;gpu;power_w\n";
  for (int i = 0; i < 30; ++i) log += std::to_string(1718369824 + i) + ";0;71,5\n";
  const auto trace = read_text(log + "1718369860;0;71.25\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[0].power_w, Powers(30, 71.5));
}

TEST(Numbers, ADecimalCommaThatIsTheDelimiterToo) {
  // "71,5" falls into two cells: what stands under power_w would be 71.
  const std::string error = error_of("time,gpu,power_w\n1718369824,0,71,5\n1718369825,0,72,5\n");
  EXPECT_NE(error.find("4 cells, more than its columns"), std::string::npos) << error;
}

TEST(Numbers, AStatedUnitAgainstHeaderOrCells) {
  const std::string header = "time,gpu,power_mw\n1718369824,0,71250\n1718369825,0,72500\n";
  const auto by_option = read_text(header, {.power_unit = "W"});
  ASSERT_TRUE(by_option);
  EXPECT_EQ(by_option->series[0].power_w, (Powers{71250.0, 72500.0}));
  EXPECT_TRUE(mentions(*by_option, "The header says 'power_mw' and --unit says W: --unit was taken."));
  const std::string cells = "time,gpu,power\n1718369824,0,71 W\n1718369825,0,72 W\n";
  const auto by_cells = read_text(cells, {.power_unit = "mW"});
  ASSERT_TRUE(by_cells);
  EXPECT_EQ(by_cells->series[0].power_w, (Powers{71.0, 72.0}));
  EXPECT_TRUE(mentions(*by_cells, "A cell such as '71 W' carries its own unit"));
  EXPECT_FALSE(mentions(*read_text(cells, {.power_unit = "W"}), "--unit"));
}

TEST(Numbers, AStatedTimeUnitAgainstHeaderOrStamps) {
  const auto header = read_text("time_us,gpu,power_w\n1718369824000,0,71\n1718369825000,0,72\n", {.time_unit = "ms"});
  ASSERT_TRUE(header) << header.error().message();
  EXPECT_EQ(header->series[0].time_ns, seconds({0, 1}));
  EXPECT_TRUE(mentions(*header, "The header says 'time_us' and --time-unit says ms"));
  const auto size = read_text("time,gpu,power_w\n1718369824,0,71\n1718369825,0,72\n", {.time_unit = "ms"});
  ASSERT_TRUE(size);
  EXPECT_EQ(size->series[0].time_ns, seconds({0, 0.001}));
  EXPECT_TRUE(mentions(*size, "in s they would be a present-day epoch"));
  const auto calendar =
      read_text("time,gpu,power_w\n2025/07/27 00:22:27,0,71\n2025/07/27 00:22:28,0,72\n", {.time_unit = "ms"});
  ASSERT_TRUE(calendar);
  EXPECT_TRUE(mentions(*calendar, "--time-unit is not used"));
}

TEST(Numbers, DoubledQuotesInNames) {
  const auto trace = read_text("time,gpu,power_w,phase\n1718369824,\"the \"\"left\"\" one\",71,\"\"\"a\"\"\"\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].device.name, "the \"left\" one");
  EXPECT_EQ(trace->phases, (std::vector<std::string>{"\"a\""}));
}

// --- Clocks ---------------------------------------------------------------------------------------------------

TEST(Clocks, WithoutADateOverMidnight) {
  const auto trace = read_text(
      "time,gpu,power_w\n23:59:59.5,0,70\n23:59:59.9,1,80\n0:00:00.5,0,71\n0:00:00.9,1,81\n00:00:01.500,0,72\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_FALSE(trace->start_unix_ns);
  EXPECT_EQ(trace->series[0].time_ns, seconds({0, 1, 2}));
  EXPECT_EQ(trace->series[1].time_ns, (Times{400'000'000, 1'400'000'000}));
  EXPECT_EQ(trace->series[0].backward_stamps, 0);
  EXPECT_NE(trace->understanding.clock.find("time of day, no date"), std::string::npos);
  EXPECT_EQ(read_text("time,gpu,power_w\n23:59:59.5,0,70\n", {.start_unix_ns = 77})->start_unix_ns, 77);
}

TEST(Clocks, DayOrMonthFirst) {
  const std::string open = "time,gpu,power_w\n05/01/2025 10:00:00,0,70\n05/01/2025 10:00:01,0,71\n";
  const std::string error = error_of(open);
  EXPECT_NE(error.find("'05/01/2025 10:00:00' in column 'time'"), std::string::npos) << error;
  EXPECT_NE(error.find("--date-order dmy"), std::string::npos);
  EXPECT_EQ(read_text(open, {.date_order = "dmy"})->start_unix_ns, 1'736'071'200 * kSecond);  // 5 January
  EXPECT_EQ(read_text(open, {.date_order = "mdy"})->start_unix_ns, 1'746'093'600 * kSecond);  // 1 May
  EXPECT_NE(error_of(open, {.date_order = "ymd"}).find("no order of day and month"), std::string::npos);
  // The next day decides for the whole column: 12/01 to 13/01.
  const auto decided = read_text("time,gpu,power_w\n12/01/2025 23:59:59,0,70\n13/01/2025 00:00:00,0,71\n");
  ASSERT_TRUE(decided) << decided.error().message();
  EXPECT_EQ(decided->series[0].time_ns, seconds({0, 1}));
  EXPECT_TRUE(mentions(*decided, "Its dates have the day first"));
}

TEST(Clocks, OtherWritings) {
  for (const auto& [first, second] : {std::pair{"31.12.2025 23:59:59", "01.01.2026 00:00:00"},
                                      {"Wed Dec 31 23:59:59 2025", "Thu Jan 01 00:00:00 2026"},
                                      {"31-Dec-2025 23:59:59:000", "01-Jan-2026 00:00:00:000"},
                                      {"20251231T235959Z", "20260101T000000Z"}}) {
    const auto trace = read_text("time;gpu;power_w\n" + std::string(first) + ";0;70\n" + second + ";0;71\n");
    ASSERT_TRUE(trace) << first << trace.error().message();
    EXPECT_EQ(trace->start_unix_ns, 1'767'225'599 * kSecond) << first;
    EXPECT_EQ(trace->series[0].time_ns, seconds({0, 1})) << first;
  }
  const auto named = read_text("time,gpu,power_w\n2025/07/27 00:22:27 CET,0,71\n2025/07/27 00:22:28 CET,0,72\n");
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_FALSE(named->start_has_zone);
  EXPECT_TRUE(mentions(*named, "name the zone 'CET'"));
}

/// Two devices, a row each every `period` s; local wall clock from 02:00 on 25 October 2026 in Berlin, whose clocks go
/// from 03:00 back to 02:00, in minutes since local midnight of the old time.
std::string october(int from_minute, int to_minute, int period_minutes, bool second_device = true) {
  std::string log = "time,gpu,power_w\n";
  for (int minute = from_minute; minute <= to_minute; minute += period_minutes) {
    const int shown = minute < 180 ? minute : minute - 60;
    const std::string hour = std::to_string(shown / 60);
    const std::string stamp = "2026-10-25 0" + hour + ":" + (shown % 60 < 10 ? "0" : "") + std::to_string(shown % 60);
    log += stamp + ":00,0," + std::to_string(minute) + "\n";
    if (second_device) log += stamp + ":30,1," + std::to_string(minute) + "\n";
  }
  return log;
}

TEST(Clocks, TheHourThatComesTwiceIsUnfolded) {
  const auto trace = read_text(october(170, 260, 1));
  ASSERT_TRUE(trace) << trace.error().message();
  for (const Series& s : trace->series) {
    ASSERT_EQ(s.size(), 91U);
    EXPECT_EQ(s.backward_stamps, 0);
    for (std::size_t i = 1; i < s.size(); ++i) ASSERT_EQ(s.time_ns[i] - s.time_ns[i - 1], 60 * kSecond) << i;
    EXPECT_EQ(s.power_w[60], 230.0);  // in the file's order
  }
  EXPECT_TRUE(mentions(*trace, "The clock goes back by an hour at 2026-10-25 03:00"));
  EXPECT_FALSE(mentions(*trace, "backwards in time"));
}

TEST(Clocks, SlowRegularPollsAreUnfolded) {
  // 02:00, 02:20, 02:40, and once more; every 30 min: 02:00, 02:30, 02:00, 02:30, 03:00. Two devices 30 s apart.
  for (const auto& [period, last] : {std::pair{20, 220}, std::pair{30, 240}, std::pair{40, 440}}) {
    const auto trace = read_text(october(period == 40 ? 0 : 120, last, period));
    ASSERT_TRUE(trace) << trace.error().message();
    for (const Series& s : trace->series) {
      EXPECT_EQ(s.backward_stamps, 0) << period;
      for (std::size_t i = 1; i < s.size(); ++i) EXPECT_EQ(s.time_ns[i] - s.time_ns[i - 1], period * 60 * kSecond);
    }
    EXPECT_TRUE(mentions(*trace, "The clock goes back by an hour at 2026-10-25 03:00"));
    EXPECT_TRUE(trace->understanding.warnings.empty());
  }
}

TEST(Clocks, ADeviceThatLeavesTheFoldOpenForbidsIt) {
  // A third device was polled between 02:10 and 02:12 only: in which of the two hours is not known.
  std::string log = october(170, 260, 1);
  log += "2026-10-25 02:10:15,2,7\n2026-10-25 02:12:15,2,8\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_FALSE(mentions(*trace, "goes back by an hour"));
  EXPECT_TRUE(mentions(*trace, "2 stamps step backwards"));
  ASSERT_FALSE(trace->understanding.warnings.empty());
  EXPECT_NE(trace->understanding.warnings[0].find("goes back behind 2026-10-25 02:"), std::string::npos)
      << trace->understanding.warnings[0];
}

TEST(Clocks, OtherStepsBackAreNoFold) {
  const auto swap = [](std::string log, std::string_view from, std::string_view to) {
    for (std::size_t at = log.find(from); at != std::string::npos; at = log.find(from, at + to.size())) {
      log.replace(at, from.size(), to);
    }
    return log;
  };
  const std::string fold = october(170, 260, 1, false);
  EXPECT_FALSE(mentions(*read_text(swap(fold, "2026-10", "2026-07")), "goes back"));            // in July
  EXPECT_FALSE(mentions(*read_text(swap(fold, ":00,0,", ":00+02:00,0,")), "goes back"));        // with a zone
  EXPECT_FALSE(mentions(*read_text(swap(fold, "2026-10-25 0", "2026-10-25 1")), "goes back"));  // at noon
}

TEST(Clocks, AnHourThatIsSkippedStaysAHole) {
  const auto trace = read_text(
      "time,gpu,power_w\n2026-03-29 01:59:58,0,70\n2026-03-29 01:59:59,0,71\n2026-03-29 03:00:00,0,72\n"
      "2026-03-29 03:00:01,0,73\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].time_ns, seconds({0, 1, 3602, 3603}));
  EXPECT_TRUE(mentions(*trace, "The clock skips the hour after 2026-03-29 02:00"));
}

// --- Sessions -------------------------------------------------------------------------------------------------

TEST(Sessions, AHoleOfFifteenHoursIsUnknown) {
  const auto trace = read_text(
      "time,gpu,power_w\n2025/07/27 00:00:00,0,100\n2025/07/27 00:00:01,0,100\n2025/07/27 00:00:02,0,100\n"
      "time,gpu,power_w\n2025/07/27 15:00:02,0,200\n2025/07/27 15:00:03,0,200\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.repeated_headers, 1);
  EXPECT_EQ(trace->series[0].time_ns, seconds({0, 1, 2, 54'002, 54'003}));
  // Median period 1 s, so a sample holds 3 s at most: 2 s to 5 s, and nothing is known until 54002 s.
  const Steps steps = steps_of(trace->series[0], {});
  EXPECT_EQ(steps.end(2), 5 * kSecond);
  EXPECT_EQ(steps.begin(3), 54'002 * kSecond);
  EXPECT_EQ(steps.end(3), 54'003 * kSecond);
}

TEST(Sessions, AYearOfAnotherCenturyIsADamagedDigit) {
  for (const char* year : {"2125", "2096", "1869"}) {
    std::string log = "time,gpu,power_w\n";
    for (int i = 10; i < 50; ++i) {
      log += fmt::format("{}-10-26 00:00:{},0,{}\n", i == 30 ? year : "2025", i, i == 30 ? 9999 : 71);
    }
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(trace->series[0].power_w, Powers(39, 71)) << year;
    EXPECT_EQ(trace->understanding.damaged, 1) << year;
  }
}

TEST(Sessions, DuplicatesAndBackwardStepsAreCountedAndSorted) {
  const auto trace = read_text(
      "time,gpu,power_w\n1718369824,0,1\n1718369825,0,2\n1718369825,0,3\n1718369827,0,5\n1718369826,0,4\n"
      "1718369827,0,6\n1718369828,0,7\n");
  ASSERT_TRUE(trace) << trace.error().message();
  const Series& s = trace->series[0];
  EXPECT_EQ(s.power_w, (Powers{1, 2, 3, 4, 5, 6, 7}));  // equal stamps in the file's order
  EXPECT_EQ(s.time_ns, seconds({0, 1, 1, 2, 3, 3, 4}));
  EXPECT_EQ(s.duplicate_stamps, 1);  // neighbours in the file
  EXPECT_EQ(s.backward_stamps, 1);
  EXPECT_TRUE(mentions(*trace, "1 stamp steps backwards"));
}

TEST(Sessions, AnEarlierSessionAppendedIsPutBefore) {
  const auto trace =
      read_text("time,gpu,power_w\n1718369824,0,3\n1718369825,0,4\ntime,gpu,power_w\n1718360000,0,1\n1718360001,0,2\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{1, 2, 3, 4}));
  EXPECT_EQ(trace->series[0].backward_stamps, 1);
}

TEST(Sessions, AClockThatStartsAgainIsNotMerged) {
  std::string log = "time_s,gpu,power_w\n";
  for (int i = 0; i < 10; ++i) log += std::to_string(i) + ".5,0,71\n" + std::to_string(i) + ".6,1,81\n";
  const std::string once = log;
  for (int i = 0; i < 10; ++i) log += std::to_string(i) + ".5,0,72\n";
  const std::string error = error_of(log);
  EXPECT_EQ(error.find("log:22: the clock starts again here"), 0U) << error;  // behind a header and 20 rows
  EXPECT_NE(error.find("Split the file"), std::string::npos);
  ASSERT_TRUE(read_text(once));
  // Sorted by device the clock goes back as well, and no session begins.
  std::string sorted = "time_s,gpu,power_w\n";
  for (const char* gpu : {"0", "1"}) {
    for (int i = 0; i < 10; ++i) sorted += std::to_string(i) + "," + gpu + ",71\n";
  }
  const auto by_device = read_text(sorted);
  ASSERT_TRUE(by_device) << by_device.error().message();
  EXPECT_EQ(by_device->series[1].size(), 10U);
  // A stamp that is a little late is no session either.
  const auto jitter = read_text(once + "9.4,0,71\n9.7,0,70\n");
  ASSERT_TRUE(jitter) << jitter.error().message();
  EXPECT_EQ(jitter->series[0].backward_stamps, 1);
}

}  // namespace
}  // namespace wattrein::trace
