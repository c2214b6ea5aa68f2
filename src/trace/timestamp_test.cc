#include "trace/timestamp.h"

#include <gtest/gtest.h>

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
  for (const char* text :
       {"", "N/A", "2025/13/27 00:22:27", "2025/02/30 00:22:27", "2025/07/27 24:00:00", "2025/07/27 00:61:00",
        "2025/07/27", "2025/07/27 00:22:27 CEST", "2025-07/27 00:22:27", "1718369824x", "1.7e9", "-", ".",
        "99999999999999999999", "timestamp", "2025/07/27 00:22:27+99:00"}) {
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

TEST(Stamp, UnitsHaveTheirUsualNames) {
  EXPECT_EQ(parse_time_unit("Us"), TimeUnit::us);
  EXPECT_EQ(parse_time_unit(" seconds "), TimeUnit::s);
  EXPECT_FALSE(parse_time_unit("m"));
}

}  // namespace
}  // namespace wattrein::trace
