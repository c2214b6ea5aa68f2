#include <gtest/gtest.h>

#include <string>

#include "trace/read.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

TEST(Thousands, PointsBesideDecimalCommasStandBetweenThousands) {
  // The stamps and the temperatures are a German spreadsheet's; 988 W has no point, 5.120 W would.
  const auto t = read_text(
      "stamp;power_w;temp\n"
      "17.05.2031 10:00:00,5;4.316;45,5\n"
      "17.05.2031 10:00:01,5;988;45,0\n"
      "17.05.2031 10:00:02,5;5.120;46,5\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (Powers{4316, 988, 5120}));
  EXPECT_TRUE(mentions(*t, "stand between thousands, as in '4.316'"));
  EXPECT_TRUE(t->understanding.warnings.empty());
}

TEST(Thousands, OneOfTheTwoIsEnough) {
  const auto stamps = read_text("stamp;power_w\n17.05.2031 10:00:00,5;4.316\n17.05.2031 10:00:01,5;5.120\n");
  ASSERT_TRUE(stamps) << stamps.error().message();
  EXPECT_EQ(stamps->series[0].power_w, (Powers{4316, 5120}));
  const auto cells = read_text("stamp;power_w;temp\n2031-05-17 10:00:00;4.316;45,5\n2031-05-17 10:00:01;5.120;45,0\n");
  ASSERT_TRUE(cells) << cells.error().message();
  EXPECT_EQ(cells->series[0].power_w, (Powers{4316, 5120}));
}

TEST(Thousands, PointsThatComeLateAreReadAsTheOtherColumnsAre) {
  std::string text = "stamp;power_w;temp\n";
  for (int i = 0; i < 4000; ++i) {
    text += "17.05.2031 " + std::to_string(10 + i / 3600) + ":" + std::to_string(i / 60 % 60 + 100).substr(1) + ":" +
            std::to_string(i % 60 + 100).substr(1) + ",5;" + (i < 3990 ? "900" : "4.316") + ";45," +
            std::to_string(i % 10) + "\n";
  }
  const auto t = read_text(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w.back(), 4316);
  EXPECT_TRUE(mentions(*t, "A point in column 'power_w' would stand between thousands"));
}

TEST(Thousands, ANumberThatWouldHaveBeenGroupedKeepsThePoint) {
  const auto t = read_text(
      "stamp;power_w;temp\n2031-05-17 10:00:00;4.316;45,5\n2031-05-17 10:00:01;1250;45,0\n"
      "2031-05-17 10:00:02;4.320;45,5\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (Powers{4.316, 1250, 4.320}));
  EXPECT_TRUE(t->understanding.warnings.empty());
}

TEST(Thousands, WhatIsDoubtfulIsWarnedAbout) {
  // Python's logging has a comma in its stamps in every locale; 0.5 is a decimal point.
  for (const std::string text :
       {"stamp;power_w\n2031-05-17 10:00:00,250;71.316\n2031-05-17 10:00:01,250;71.120\n",
        "stamp;power_w;temp;load\n2031-05-17 10:00:00;71.316;45,5;0.5\n2031-05-17 10:00:01;71.120;45,0;0.75\n"}) {
    const auto t = read_text(text);
    ASSERT_TRUE(t) << t.error().message();
    EXPECT_EQ(t->series[0].power_w, (Powers{71.316, 71.120})) << text;
    ASSERT_EQ(t->understanding.warnings.size(), 1U) << text;
    EXPECT_NE(t->understanding.warnings[0].find("--decimal"), std::string::npos);
    const auto stated = read_text(text, {.decimal = "."});
    ASSERT_TRUE(stated) << stated.error().message();
    EXPECT_TRUE(stated->understanding.warnings.empty());
  }
}

TEST(Thousands, WhatAColumnThatNeverChangesShowsIsAskedFor) {
  // "0,1" may list two GPUs.
  const std::string text = "stamp;power_w;gpus\n2031-05-17 10:00:00;71.316;0,1\n2031-05-17 10:00:01;71.120;0,1\n";
  EXPECT_NE(error_of(text).find("'71.316' in column 'power_w' has a point either between thousands"),
            std::string::npos);
  EXPECT_EQ(read_text(text, {.decimal = "."})->series[0].power_w, (Powers{71.316, 71.120}));
}

TEST(Thousands, CommasBetweenThousandsAreNoDecimalCommas) {
  // Bytes as an English locale writes them, beside watts with three decimals.
  for (const std::string rest : {"12,345;", "1,234,567;"}) {
    const std::string more = rest == "12,345;" ? "12,399;" : "1,234,599;";
    const auto t = read_text("stamp;mem;power_w\n2031-05-17 10:00:00;" + rest + "71.316\n2031-05-17 10:00:01;" + more +
                             "71.120\n");
    ASSERT_TRUE(t) << t.error().message();
    EXPECT_EQ(t->series[0].power_w, (Powers{71.316, 71.120}));
    EXPECT_TRUE(t->understanding.warnings.empty());
  }
}

TEST(Thousands, WhatNoMeterReadsIsDoubtful) {
  // 412316 W are none; 412316 mW are.
  const auto table = [](const std::string& unit) {
    return "stamp;" + unit + ";temp\n17.05.2031 10:00:00,5;412.316;45,5\n17.05.2031 10:00:01,5;71.120;46,5\n";
  };
  const auto watts = read_text(table("power_w"));
  ASSERT_TRUE(watts) << watts.error().message();
  EXPECT_EQ(watts->series[0].power_w, (Powers{412.316, 71.120}));
  EXPECT_EQ(watts->understanding.warnings.size(), 1U);
  const auto milliwatts = read_text(table("power_mw"));
  ASSERT_TRUE(milliwatts) << milliwatts.error().message();
  EXPECT_EQ(milliwatts->series[0].power_w, (Powers{412.316, 71.120}));
  EXPECT_TRUE(milliwatts->understanding.warnings.empty());
}

TEST(Thousands, ADamagedCellDoesNotHideThem) {
  std::string text = "stamp;power_w;temp\n";
  for (int i = 10; i < 50; ++i) {
    text += "17.05.2031 10:00:" + std::to_string(i) + ",5;" + (i == 30 ? "4.3" : "4.3" + std::to_string(i)) + ";45," +
            std::to_string(i) + "\n";
  }
  const auto t = read_text(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.warnings.size(), 1U);
}

TEST(Thousands, CommasBesideDecimalPointsStandBetweenThousands) {
  const auto t = read_text("stamp;power_w;temp\n2031-05-17 10:00:00;4,316;45.5\n2031-05-17 10:00:01;5,120;45.0\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (Powers{4316, 5120}));
  EXPECT_TRUE(mentions(*t, "stand between thousands, as in '4,316'"));
}

TEST(Thousands, JsonsOwnNumbersHaveNone) {
  const auto t = read_text(
      "{\"time\": \"2031-05-17 10:00:00,250\", \"power_w\": 71.316}\n"
      "{\"time\": \"2031-05-17 10:00:01,250\", \"power_w\": 71.120}\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (Powers{71.316, 71.120}));
  EXPECT_TRUE(t->understanding.warnings.empty());
}

}  // namespace
}  // namespace wattrein::trace
