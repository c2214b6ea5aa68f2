#include "report/chart.h"

#include <gtest/gtest.h>

#include <limits>

#include "net/json.h"
#include "report/chart_svg.h"

namespace wattrein::report::chart {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

net::Json data_of(const std::string& figure) {
  const std::string open = "class=\"chart-data\">";
  const std::size_t begin = figure.find(open) + open.size();
  const std::size_t end = figure.find("</script>", begin);
  auto json = net::parse_json(figure.substr(begin, end - begin), "chart");
  EXPECT_TRUE(json.has_value());
  return json.value_or(net::Json());
}

std::int64_t whole(const net::Json& j) { return std::get<std::int64_t>(j.value()); }

TEST(Chart, DataAreDifferencesOfTimeAndNullForUnknown) {
  PowerChart chart{.id = "p", .title = "Power", .courses = {}, .group = {}, .low = {}, .high = {}};
  PowerCourse course;
  course.name = "GPU <3>";
  course.power.points = {{Nanos(0), 1, 1, 1}, {Nanos(500'000'000), kNan, kNan, kNan}, {Nanos(2'000'000'000), 7, 7, 7}};
  course.limits = {{"400 W", 400, {{Nanos(1'000'000), Nanos(9'000'000), true}}}};
  chart.courses = {course};
  const std::string html = figure(chart);
  const net::Json data = data_of(html);
  const net::Json& c = data.find("courses")->array()->front();
  const auto& dt = *c.find("dt")->array();
  ASSERT_EQ(dt.size(), 3U);
  EXPECT_EQ(whole(dt[1]), 500);
  EXPECT_EQ(whole(dt[2]), 1500);
  EXPECT_TRUE((*c.find("mid")->array())[1].is_null());
  EXPECT_EQ(*c.find("name")->string(), "GPU <3>");
  const auto& band = *c.find("limits")->array()->front().find("bands")->array()->front().array();
  EXPECT_EQ(whole(band[1]), 9);
  EXPECT_EQ(whole(band[2]), 1) << "a plateau";
  EXPECT_EQ(html.find("GPU <3>"), std::string::npos) << "a name is escaped, in the data and out of them";
}

TEST(Chart, OneCourseNeedsNoSelectorSeveralDo) {
  PowerChart chart{.id = "p", .title = "Power", .courses = {PowerCourse{}}, .group = {}, .low = {}, .high = {}};
  EXPECT_EQ(figure(chart).find("<select"), std::string::npos);
  chart.courses.resize(2);
  EXPECT_NE(figure(chart).find("<select id=\"p-course\""), std::string::npos);
  chart.courses.clear();
  EXPECT_EQ(figure(chart), "");
}

TEST(Chart, JoinedKeepsPlateausAndWhatLiesApart) {
  const std::vector<Band> bands{
      {Nanos(0), Nanos(10), false}, {Nanos(12), Nanos(20), true}, {Nanos(100), Nanos(110), false}};
  const auto out = joined(bands, Nanos(5));
  ASSERT_EQ(out.size(), 2U);
  EXPECT_EQ(out[0].end, Nanos(20));
  EXPECT_TRUE(out[0].plateau);
  EXPECT_EQ(out[1].start, Nanos(100));
  EXPECT_FALSE(out[1].plateau);
}

TEST(ChartSvg, TicksAreRoundAndSpanTheRange) {
  EXPECT_EQ(ticks(0, 10, 5), (std::vector<double>{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(ticks(312, 388, 5), (std::vector<double>{300, 320, 340, 360, 380, 400}));
  const auto flat = ticks(5, 5, 5);
  EXPECT_GE(flat.size(), 2U);
}

TEST(ChartSvg, UnknownPointsBreakTheLine) {
  CategoryChart chart;
  chart.title = "t";
  chart.categories = {"a", "b", "c"};
  chart.lines = {{"x", {{1.0, {}}, {std::nullopt, {}}, {kNan, {}}}}};
  chart.levels = {{"limit <1>", 2.0}};
  const std::string svg = figure(chart);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("limit &lt;1&gt;"), std::string::npos);
  const std::size_t at = svg.find("class=\"line\" d=\"M");
  ASSERT_NE(at, std::string::npos);
  EXPECT_EQ(svg.substr(at, 60).find('L'), std::string::npos) << "one known point draws no line";
}

TEST(ChartSvg, SparklineOfNothingIsNothing) {
  EXPECT_EQ(sparkline(Envelope{}, 400.0), "");
  Envelope e;
  e.points = {{Nanos(0), kNan, kNan, kNan}, {Nanos(5), kNan, kNan, kNan}};
  EXPECT_EQ(sparkline(e, std::nullopt), "");
}

}  // namespace
}  // namespace wattrein::report::chart
