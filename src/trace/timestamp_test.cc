#include "trace/timestamp.h"

#include <gtest/gtest.h>

#include <vector>

namespace wattrein::trace {
namespace {

// Oracles: `date -u -d '...' +%s%N`.
constexpr std::int64_t kSmi = 1'753'575'747'858'000'000;  // 2025-07-27 00:22:27.858 UTC

std::int64_t at(std::string_view text, std::optional<TimeUnit> unit = {}) {
  StampParser parser(unit);
  return parser.parse(text).value_or(-1);
}

TEST(Stamp, ReadsCalendarForms) {
  EXPECT_EQ(at("2025/07/27 00:22:27.858"), kSmi);
  EXPECT_EQ(at(" 2025-07-27T00:22:27.858 "), kSmi);
  EXPECT_EQ(at("\"2025-07-27 00:22:27,858\""), kSmi);
  EXPECT_EQ(at("2025-07-27 00:22:27.858000001"), kSmi + 1);
  EXPECT_EQ(at("2025-07-27 00:22:27.8580000019"), kSmi + 1);        // past nanoseconds: dropped
  EXPECT_EQ(at("2025-07-27 0:22:7.5"), kSmi - 20'358'000'000);      // 27.858 - 7.5 = 20.358 s, fields unpadded
  EXPECT_EQ(at("2024-02-29 23:59:60"), 1'709'251'200'000'000'000);  // leap day, leap second = next midnight
}

TEST(Stamp, ReadsZones) {
  for (const char* text :
       {"2025-07-27T00:22:27.858Z", "2025-07-27T08:22:27.858+08:00", "2025-07-27T08:22:27.858+0800",
        "2025-07-26T20:22:27.858-04", "2025-07-27 00:22:27.858 UTC", "2025-07-27 05:52:27.858 +05:30"}) {
    StampParser parser;
    EXPECT_EQ(parser.parse(text).value_or(-1), kSmi) << text;
    EXPECT_TRUE(parser.has_zone()) << text;
  }
  StampParser parser;
  EXPECT_TRUE(parser.parse("2025-07-27 00:22:27"));
  EXPECT_FALSE(parser.has_zone());
  EXPECT_TRUE(parser.parse("2025-07-27 00:22:27Z"));
  EXPECT_TRUE(parser.mixed_zones());
}

TEST(Stamp, TheDateCacheFollowsTheDate) {
  StampParser parser;
  EXPECT_EQ(parser.parse("2025/07/26 23:59:59.999").value_or(0), kSmi - 1347'859'000'000);
  EXPECT_EQ(parser.parse("2025/07/27 00:00:00.000").value_or(0), kSmi - 1347'858'000'000);
  EXPECT_EQ(parser.parse("2025/07/26 23:59:59.999").value_or(0), kSmi - 1347'859'000'000);
}

TEST(Stamp, RefusesWhatIsNone) {
  for (const char* text : {"",
                           "N/A",
                           "2025/13/27 00:22:27",
                           "2025/02/30 00:22:27",
                           "2025/07/27 24:00:00",
                           "2025/07/27 00:61:00",
                           "2025/07/27",
                           "2025-07/27 00:22:27",
                           "1718369824x",
                           "1.7e9",
                           "-",
                           ".",
                           "99999999999999999999",
                           "timestamp",
                           "12:34",
                           "24:00:00",
                           "12:00:00:1234",
                           "31.13.2025 12:00:00",
                           "05/01/2025 12:00:00",
                           "Nov 30 17:41:14",
                           "30 Now 2026 17:41:14",
                           "Nov 30, 2026 13:41:14 PM",
                           "13/2025/01 1:2:3",
                           "20251327T002227",
                           "20250727T002227+0200+0100",
                           "2025/07/27 00:22:27 local",
                           "2025/07/27 00:22:27+99:00"}) {
    EXPECT_EQ(at(text), -1) << text;
  }
}

TEST(Stamp, EpochsAreExactDecimals) {
  EXPECT_EQ(at("1740646878.0443594"), 1'740'646'878'044'359'400);  // a double would end in ...359375
  EXPECT_EQ(at("1718369824263312"), 1'718'369'824'263'312'000);
  EXPECT_EQ(at("1718369824263"), 1'718'369'824'263'000'000);
  EXPECT_EQ(at("1718369824263.5"), 1'718'369'824'263'500'000);
  EXPECT_EQ(at("1718369824263312001"), 1'718'369'824'263'312'001);
  EXPECT_EQ(at("1718369824.123456789", TimeUnit::s), 1'718'369'824'123'456'789);
}

TEST(Stamp, TheFirstNumberDecidesTheUnit) {
  StampParser parser;
  EXPECT_TRUE(parser.parse("1718369824263312"));
  EXPECT_TRUE(parser.inferred());
  EXPECT_EQ(parser.describe(), "unix epoch in us");
  EXPECT_FALSE(parser.parse("1718369824"));         // seconds: decades off in microseconds
  EXPECT_FALSE(parser.parse("17183698242633121"));  // a digit too many
}

TEST(Stamp, SmallNumbersNeedAUnit) {
  EXPECT_EQ(at("12.5"), -1);
  StampParser parser(TimeUnit::ms);
  EXPECT_EQ(parser.parse("12.5").value_or(0), 12'500'000);
  EXPECT_EQ(parser.parse("-0.5").value_or(0), -500'000);
  EXPECT_FALSE(parser.wall());
  EXPECT_EQ(parser.describe(), "ms from the log's own zero");
}

// 2026-11-30 17:41:14 UTC
constexpr std::int64_t kNovember = 1'796'060'474'000'000'000;

TEST(Stamp, ReadsNamesOfMonths) {
  for (const char* text :
       {"Mon Nov 30 17:41:14 2026", "Mon Nov 30 17:41:14 UTC 2026", "Mon 30 Nov 2026 05:41:14 PM UTC",
        "30-Nov-2026 17:41:14", "2026-Nov-30 17:41:14", "30/Nov/2026:17:41:14 +0000", "Nov 30, 2026 5:41:14 PM",
        "Monday, November 30, 2026 5:41:14 PM", "30 nov. 2026 17:41:14", "Mon, 30 Nov 2026 18:41:14 +0100"}) {
    EXPECT_EQ(at(text), kNovember) << text;
  }
}

TEST(Stamp, HalvesOfTheDay) {
  constexpr std::int64_t kHour = 3'600'000'000'000;
  constexpr std::int64_t kMidnight = kNovember - (17 * 3600 + 41 * 60 + 14) * std::int64_t{1'000'000'000};
  EXPECT_EQ(at("2026-11-30 12:00:00 AM"), kMidnight);
  EXPECT_EQ(at("2026-11-30 1:00:00 am"), kMidnight + kHour);
  EXPECT_EQ(at("2026-11-30 12:00:00 PM"), kMidnight + 12 * kHour);
  EXPECT_EQ(at("2026-11-30 11:00:00.5 PM"), kMidnight + 23 * kHour + 500'000'000);
}

TEST(Stamp, ReadsBasicAndDottedDates) {
  EXPECT_EQ(at("20250727T002227Z"), kSmi - 858'000'000);
  EXPECT_EQ(at("20250727T002227.858"), kSmi);
  EXPECT_EQ(at("20250727 00:22:27,858"), kSmi);
  EXPECT_EQ(at("27.07.2025 00:22:27.858"), kSmi);
  EXPECT_EQ(at("27.7.25 0:22:27,858"), kSmi);
  EXPECT_EQ(at("2025.07.27 00:22:27.858"), kSmi);
  EXPECT_EQ(at("2025-07-27_00:22:27.858"), kSmi);
  EXPECT_EQ(at("2025-1-5 3:4:5"), 1'736'046'245'000'000'000);
}

TEST(Stamp, MillisecondsMayStandBehindAColon) {
  EXPECT_EQ(at("2025/07/27 00:22:27:858"), kSmi);
  EXPECT_EQ(at("2025-07-27T00:22:27:858Z"), kSmi);
  EXPECT_EQ(at("2025/07/27 00:22:27:5"), kSmi - 853'000'000);  // 5 ms
  EXPECT_EQ(at("00:22:27:858"), 1'347'858'000'000);
}

TEST(Stamp, DayAndMonthNeedAnOrder) {
  StampParser parser;
  EXPECT_FALSE(parser.parse("05/01/2025 12:00:00"));
  parser.set_date_order(DateOrder::dmy);
  EXPECT_EQ(parser.parse("05/01/2025 12:00:00").value_or(0), 1'736'078'400'000'000'000);  // 5 January
  parser.set_date_order(DateOrder::mdy);
  EXPECT_EQ(parser.parse("05/01/2025 12:00:00").value_or(0), 1'746'100'800'000'000'000);  // 1 May
  EXPECT_EQ(parser.parse("5-1-2025 12:00:00").value_or(0), 1'746'100'800'000'000'000);
  EXPECT_FALSE(parser.parse("31/01/2025 12:00:00"));
}

TEST(Stamp, ANumberAboveTwelveIsNoMonth) {
  using Cells = std::vector<std::string_view>;
  EXPECT_EQ(sample_date_order(Cells{"05/01/2025 1:00:00", "31/01/2025 1:00:00"}).order, DateOrder::dmy);
  EXPECT_EQ(sample_date_order(Cells{"05/01/2025 1:00:00", "05/13/2025 1:00:00"}).order, DateOrder::mdy);
  const DateOrderSample open = sample_date_order(Cells{"N/A", "05/01/2025 1:00:00", "06/01/2025 1:00:00"});
  EXPECT_EQ(open.order, DateOrder::unknown);
  EXPECT_EQ(open.example, "05/01/2025 1:00:00");
  EXPECT_EQ(sample_date_order(Cells{"31/01/2025 1:00:00", "01/31/2025 1:00:00"}).order, DateOrder::unknown);
  EXPECT_TRUE(sample_date_order(Cells{"2025/01/05 1:00:00", "05.01.2025 1:00:00", "1718369824"}).example.empty());
}

TEST(Stamp, ClocksWithoutADateRollOverAtMidnight) {
  constexpr std::int64_t kTenth = 100'000'000;
  constexpr std::int64_t kDay = 864'000 * kTenth;
  StampParser parser;
  EXPECT_EQ(parser.parse("23:59:58.9").value_or(0), kDay - 11 * kTenth);
  EXPECT_EQ(parser.parse("0:00:00.1").value_or(0), kDay + kTenth);
  EXPECT_EQ(parser.parse("23:59:59.9").value_or(0), kDay - kTenth);  // late by 0.2 s
  EXPECT_EQ(parser.parse("00:00:00.2").value_or(0), kDay + 2 * kTenth);
  EXPECT_EQ(parser.parse("15:00:00").value_or(0), kDay + 540'000 * kTenth);  // a hole of 15 hours
  EXPECT_EQ(parser.parse("14:59:59").value_or(0), kDay + 539'990 * kTenth);  // backward stays backward
  EXPECT_EQ(parser.parse("01:00:00").value_or(0), 2 * kDay + 36'000 * kTenth);
  EXPECT_FALSE(parser.wall());
  EXPECT_EQ(parser.describe(), "time of day, no date");
  EXPECT_FALSE(parser.parse("2025/07/27 00:22:27"));  // the two kinds do not mix
}

TEST(Stamp, ANameIsNoZone) {
  StampParser parser;
  EXPECT_EQ(parser.parse("2025/07/27 00:22:27.858 CET").value_or(0), kSmi);
  EXPECT_FALSE(parser.has_zone());
  EXPECT_EQ(parser.zone_note(), "The stamps name the zone 'CET', which says no offset: they were taken as UTC.");
}

TEST(Stamp, AUnitThatSizeContradictsIsRemembered) {
  StampParser parser(TimeUnit::ms);
  EXPECT_EQ(parser.parse("1718369824").value_or(0), 1'718'369'824'000'000);
  EXPECT_EQ(parser.epoch_otherwise(), TimeUnit::s);
}

TEST(Stamp, ADecimalCommaWhereTheColumnHasOne) {
  StampParser parser;
  EXPECT_FALSE(parser.parse("1718369824,25"));
  parser.set_decimals(Decimals::comma);
  EXPECT_EQ(parser.parse("1718369824,25").value_or(0), 1'718'369'824'250'000'000);
  EXPECT_FALSE(parser.parse("1718369824.25"));
}

TEST(Stamp, UnitsHaveTheirUsualNames) {
  EXPECT_EQ(parse_time_unit("Us"), TimeUnit::us);
  EXPECT_EQ(parse_time_unit(" seconds "), TimeUnit::s);
  EXPECT_FALSE(parse_time_unit("m"));
}

}  // namespace
}  // namespace wattrein::trace
