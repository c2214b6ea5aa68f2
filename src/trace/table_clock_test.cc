#include <gtest/gtest.h>

#include <string>

#include "trace/read.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

bool warns(const Trace& t, std::string_view words) {
  for (const std::string& warning : t.understanding.warnings) {
    if (warning.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(TableClock, ZonesInSomeRowsOnlyAreWarnedAbout) {
  const auto t = read_text(
      "stamp,gpu,power_w\n2031-05-17T10:00:00+08:00,0,70\n2031-05-17T10:00:01+08:00,0,71\n2031-05-17T10:00:02,0,72\n"
      "2031-05-17T10:00:03+08:00,0,73\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_TRUE(warns(*t, "log:4: some stamps have a zone and some have none"));
  // Beside UTC nothing moves.
  const auto utc = read_text("stamp,gpu,power_w\n2031-05-17T10:00:00Z,0,70\n2031-05-17T10:00:01,0,71\n");
  ASSERT_TRUE(utc) << utc.error().message();
  EXPECT_TRUE(utc->understanding.warnings.empty());
  EXPECT_TRUE(mentions(*utc, "some have none"));
}

TEST(TableClock, SecondsUnderAHeaderOfMillisecondsAreWarnedAbout) {
  // Polls 0.05 s apart, which as milliseconds are 50 us.
  const auto t =
      read_text("TimeStampMs,GPUId,Watts\n1900000000.100000,0,70\n1900000000.150000,0,71\n1900000000.200000,0,72\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_TRUE(warns(*t, "ms from the log's own zero, as the header says; in s they would be a present-day epoch"));
  // A machine that has run for 22 days: its milliseconds are polls a second apart.
  const auto uptime =
      read_text("uptime_ms,Watts\n1900000000,70\n1900001000,71\n1900002000,72\n", {.time_column = "uptime_ms"});
  ASSERT_TRUE(uptime) << uptime.error().message();
  EXPECT_TRUE(uptime->understanding.warnings.empty());
  EXPECT_TRUE(mentions(*uptime, "--time-unit s says so"));
}

TEST(TableClock, AUnitThatTheSizeContradictsIsNamed) {
  const std::string text = "TimeStampMs,Watts\n1900000000100000,70\n1900000000150000,71\n";
  EXPECT_NE(error_of(text).find("cannot be in ms, as the header says: by its size it is in us (--time-unit us)"),
            std::string::npos)
      << error_of(text);
  const auto t = read_text(text, {.time_unit = "us"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, 50'000'000}));
}

TEST(TableClock, ASpreadsheetsDaysAreRead) {
  // 47985 days after 1899-12-30 is 2031-05-17, and 0.25 of a day 06:00; 0.00001 of a day is 0.864 s.
  const std::string text = "timestamp,power_w\n47985.25000,70\n47985.25001,71\n47985.25002,72\n";
  const auto t = read_text(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, 864'000'000, 1'728'000'000}));
  EXPECT_EQ(t->start_unix_ns, 1'936'764'000 * kSecond);  // date -u -d '2031-05-17 06:00' +%s
  EXPECT_FALSE(t->start_has_zone);
  EXPECT_TRUE(mentions(*t, "days since 1899-12-30"));
  const auto comma = read_text("timestamp;power_w\n47985,25000;70,5\n47985,25001;71,5\n");
  ASSERT_TRUE(comma) << comma.error().message();
  EXPECT_EQ(comma->series[0].time_ns, (Times{0, 864'000'000}));
  const auto stated = read_text(text, {.time_unit = "s", .devices = 1});
  ASSERT_TRUE(stated) << stated.error().message();
  EXPECT_TRUE(warns(*stated, "without --time-unit they are read as days"));
}

TEST(TableClock, SecondsOfThatSizeAreNoDays) {
  // Polls a second apart: as days they would be a day apart.
  const std::string error = error_of("timestamp,power_w\n47985.25,70\n47986.25,71\n47987.25,72\n");
  EXPECT_NE(error.find("whose unit nothing states"), std::string::npos) << error;
  EXPECT_NE(error.find("or a spreadsheet's day"), std::string::npos) << error;
}

TEST(TableClock, RoundedStampsNameTheirCause) {
  const std::string error = error_of("timestamp,power_w\n1.93676E+09,70\n1.93676E+09,71\n");
  EXPECT_NE(error.find("'1.93676E+09' was rounded by a spreadsheet"), std::string::npos) << error;
  EXPECT_EQ(error.find("--time-unit"), std::string::npos) << error;
}

}  // namespace
}  // namespace wattrein::trace
