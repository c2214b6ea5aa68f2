#include "report/html_format.h"

#include <gtest/gtest.h>

#include <limits>

namespace wattrein::report::html {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(HtmlFormat, EscapesEveryCharacterThatHtmlReads) {
  EXPECT_EQ(escape("<a href=\"x\" id='y'>&"), "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;");
  EXPECT_EQ(escape("tab\tline\nend"), "tab\tline\nend");
  EXPECT_EQ(escape(std::string_view("a\0b\x1b\x7f", 5)), "a\ufffdb\ufffd\ufffd");
  EXPECT_EQ(escape("Größe 3 µW"), "Größe 3 µW");
}

TEST(HtmlFormat, ThousandsAreThinAndMinusIsMinus) {
  EXPECT_EQ(number(std::int64_t{999}), "999");
  EXPECT_EQ(number(std::int64_t{1000}), "1\u202f000");
  EXPECT_EQ(number(std::int64_t{-1234567}), "\u22121\u202f234\u202f567");
  EXPECT_EQ(number(1234.56, 1), "1\u202f234.6");
  EXPECT_EQ(number(-0.04, 1), "0.0") << "what rounds to zero has no sign";
}

TEST(HtmlFormat, UnknownIsAWordNeverANumber) {
  for (const double v : {kNan, kInfinity, -kInfinity}) {
    for (const std::string& text : {number(v, 1), significant(v, 3), watts(v), watts_beside(v, 400),
                                    watts_beside(400.5, v).empty() ? "" : watts(v), percent(v), percent_signed(v)}) {
      EXPECT_EQ(text, unknown());
    }
  }
  EXPECT_EQ(watts(std::nullopt), unknown());
  EXPECT_NE(unknown().find(">unknown<"), std::string::npos);
}

TEST(HtmlFormat, SignificantDigits) {
  EXPECT_EQ(significant(0.012345, 3), "0.0123");
  EXPECT_EQ(significant(12345.6, 3), "12\u202f346");
  EXPECT_EQ(significant(0, 3), "0");
  EXPECT_EQ(trimmed(0.1 + 0.2, 6), "0.3");
  EXPECT_EQ(trimmed(8, 4), "8");
  EXPECT_EQ(trimmed(1200, 2), "1\u202f200") << "zeros before the point stay";
  EXPECT_EQ(percent(0.1772), "17.7\u202f%");
  EXPECT_EQ(percent_signed(0.181), "+18.1\u202f%");
  EXPECT_EQ(percent_signed(-0.065), "\u22126.50\u202f%");
}

TEST(HtmlFormat, AMeanJustAboveItsLimitDoesNotReadAsTheLimit) {
  EXPECT_EQ(watts_beside(412.34, 400), "412.3");
  EXPECT_EQ(watts_beside(400.04, 400), "400.04");
  EXPECT_EQ(watts_beside(400, 400), "400.0");
  EXPECT_EQ(watts_beside(3200.3, 3200), "3\u202f200.3");
}

TEST(HtmlFormat, ClockCountsOnPastADay) {
  EXPECT_EQ(clock(seconds(151)), "00:02:31");
  EXPECT_EQ(clock(milliseconds(151'500)), "00:02:31.5");
  EXPECT_EQ(clock(milliseconds(59'960)), "00:01:00") << "rounded once, not digit by digit";
  EXPECT_EQ(clock(seconds(100 * 3600)), "100:00:00");
}

TEST(HtmlFormat, PluralsAndEstimates) {
  EXPECT_EQ(plural(1, "excursion"), "1 excursion");
  EXPECT_EQ(plural(0, "excursion"), "0 excursions");
  EXPECT_EQ(estimate({0.5, std::nullopt}, percent), "50.0\u202f%");
  EXPECT_EQ(estimate({0.5, analysis::Interval{0.4, 0.6}}, percent),
            "50.0\u202f%<span class=\"interval\">40.0\u202f% to 60.0\u202f%</span>");
}

}  // namespace
}  // namespace wattrein::report::html
