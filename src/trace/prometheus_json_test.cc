#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/shared_traces_for_test.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "answer.json", options);
}

std::string answer(const std::string& type, const std::string& items) {
  return R"({"status":"success","data":{"resultType":")" + type + R"(","result":[)" + items + "]}}";
}

TEST(PrometheusJson, AVectorIsASnapshotOfTheQuerysMoment) {
  const auto t = read(answer(
      "vector",
      R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"1","Hostname":"n1"},"value":[1773114089.943,"68.3"]},
                   {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"1","Hostname":"n2"},"value":[1773114089.943,"NaN"]})"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "prometheus-json");
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "n1/1");
  EXPECT_EQ(t->series[1].device.name, "n2/1");
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{68.3});
  EXPECT_TRUE(std::isnan(t->series[1].power_w[0]));
  EXPECT_EQ(t->start_unix_ns, 1'773'114'089'943'000'000);  // exact to the millisecond
  EXPECT_TRUE(t->start_has_zone);
}

TEST(PrometheusJson, AMatrixIsASeriesAndMetricsJoinByDevice) {
  const auto t = read(answer("matrix", R"(
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_MGMT_LIMIT","UUID":"a"},"values":[[100,"400"],[115,"300"]]},
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a"},"values":[[100,"1"],[115,"2"],[130,"3"]]},
      {"metric":{"__name__":"DCGM_FI_DEV_GPU_UTIL","UUID":"a"},"values":[[100,"99"]]})"));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  const Series& s = t->series[0];
  EXPECT_EQ(s.time_ns, (std::vector<std::int64_t>{0, 15 * kSecond, 30 * kSecond}));
  EXPECT_EQ(s.power_w, (std::vector<double>{1, 2, 3}));
  const auto& limit = s.column(Column::limit_w);
  EXPECT_EQ(limit[0], 400);
  EXPECT_EQ(limit[1], 300);
  EXPECT_TRUE(std::isnan(limit[2]));
  EXPECT_EQ(s.device.nameplate, Watts(400));
  EXPECT_TRUE(mentions(*t, "repeats the last scrape"));
}

TEST(PrometheusJson, AnswersOneBehindTheOtherAreOneLog) {
  const auto at = [](int second, const std::string& watts) {
    return answer("vector", R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a"},"value":[)" +
                                std::to_string(second) + R"(,")" + watts + R"("]})");
  };
  const std::string none = answer("vector", "");
  // One a line, indented, and the last one cut.
  const auto t = read(at(100, "70") + "\n" + none + "\n{\n  \"note\": \"}\",\n" + at(115, "80").substr(1) + "\n" +
                      at(130, "90") + "\n" + at(145, "95").substr(0, 60));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 15 * kSecond, 30 * kSecond}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{70, 80, 90}));
  EXPECT_TRUE(mentions(*t, "holds 4 answers, which were read one behind the other; 1 of them matched no series"));
  EXPECT_TRUE(mentions(*t, "The last answer was cut"));
  const auto range = [](const std::string& values) {
    return answer("matrix", R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a"},"values":)" + values + "}");
  };
  const auto chunks = read(range(R"([[100,"1"],[115,"2"]])") + "\n" + range(R"([[115,"2"],[130,"3"]])"));
  ASSERT_TRUE(chunks) << chunks.error().message();
  EXPECT_EQ(chunks->series[0].power_w, (std::vector<double>{1, 2, 3}));
}

TEST(PrometheusJson, AnAnswerThatFailedCostsNoOther) {
  const auto at = [](int second, const std::string& watts) {
    return answer("vector", R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a"},"value":[)" +
                                std::to_string(second) + R"(,")" + watts + R"("]})") +
           "\n";
  };
  std::string text;
  for (int i = 0; i < 40; ++i) {
    if (i == 10) text += "<html>503 Service Unavailable</html>\n";
    if (i == 20)
      text += R"({"status":"error","errorType":"timeout","error":"too slow"})"
              "\n";
    // Cut within a string.
    text += i == 30 ? at(i, "7").substr(0, 60) + "\n" : at(i, std::to_string(100 + i));
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].size(), 39U);
  EXPECT_EQ(t->series[0].power_w[30], 131);
  EXPECT_EQ(t->understanding.other_lines, 1);
  EXPECT_EQ(t->understanding.damaged, 1);
  ASSERT_EQ(t->understanding.first_damaged.size(), 1U);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "answer.json:33");
  EXPECT_TRUE(mentions(*t, "One answer holds no power but an error, the first 'too slow'"));
}

TEST(PrometheusJson, AReplacedExportersLastValueGivesWayToItsSuccessor) {
  // The old pod was last scraped at 130 and is repeated to 175; the new one reports from 145 on.
  const std::string old_pod =
      R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a","pod":"old"},
          "values":[[100,"90"],[115,"110"],[130,"300"],[145,"300"],[160,"300"],[175,"300"]]})";
  const std::string new_pod =
      R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a","pod":"new"},
          "values":[[145,"120"],[160,"130"],[175,"125"],[190,"140"]]})";
  for (const std::string& items : {old_pod + "," + new_pod, new_pod + "," + old_pod}) {
    const auto t = read(answer("matrix", items));
    ASSERT_TRUE(t) << t.error().message();
    ASSERT_EQ(t->series.size(), 1U);
    EXPECT_EQ(t->series[0].power_w, (std::vector<double>{90, 110, 300, 120, 130, 125, 140}));
    EXPECT_TRUE(mentions(*t, "3 readings are dropped where a newer series of the same device reports already"));
    EXPECT_FALSE(mentions(*t, "MIG instances"));
  }
}

TEST(PrometheusJson, WhatLastsLongerThanPrometheusRepeatsIsNoRepeat) {
  // 400 s beside the other series: both are scraped, and the first in the file is kept.
  const auto t = read(answer("matrix", R"(
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a","pod":"x"},
       "values":[[0,"70"],[100,"70"],[200,"70"],[300,"70"],[400,"70"],[500,"70"]]},
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a","pod":"y"},
       "values":[[100,"71"],[200,"72"],[300,"73"],[400,"74"],[500,"75"]]})"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{70, 70, 70, 70, 70, 70}));
  ASSERT_EQ(t->understanding.warnings.size(), 1U);
  EXPECT_NE(t->understanding.warnings[0].find("In 5 the value differs"), std::string::npos);
}

TEST(PrometheusJson, ADeviceWhosePodsChangeIsOneDevice) {
  // The second pod's series comes first in the answer and overlaps by one point.
  const auto t = read(answer("matrix", R"(
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a","pod":"late"},"values":[[115,"2"],[130,"3"]]},
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","UUID":"a","pod":"early"},"values":[[100,"1"],[115,"2.5"]]})"));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(t->series[0].backward_stamps, 0);
  EXPECT_TRUE(mentions(*t, "In 1 the value differs"));
}

TEST(PrometheusJson, TheOnlyMetricIsPowerWhenItsNameAllowsIt) {
  const auto sum = read(answer("vector", R"({"metric":{},"value":[100,"3200"]})"));
  ASSERT_TRUE(sum) << sum.error().message();
  EXPECT_EQ(sum->series[0].power_w, std::vector<double>{3200});
  EXPECT_EQ(sum->series[0].device.name, "0");
  EXPECT_TRUE(mentions(*sum, "watts are assumed"));

  const auto other =
      read(answer("vector", R"({"metric":{"__name__":"ipmi_power_watts","instance":"n1:9290"},"value":[100,"1"]},
                   {"metric":{"__name__":"ipmi_power_watts","instance":"n2:9290"},"value":[100,"2"]})"));
  ASSERT_TRUE(other) << other.error().message();
  EXPECT_EQ(other->series[0].device.name, "n1:9290");
  EXPECT_EQ(other->series[1].device.name, "n2:9290");

  for (const char* name : {"DCGM_FI_DEV_GPU_UTIL", "DCGM_FI_DEV_POWER_MGMT_LIMIT"}) {
    const auto wrong =
        read(answer("vector", R"({"metric":{"__name__":")" + std::string(name) + R"("},"value":[100,"99"]})"));
    ASSERT_FALSE(wrong) << name;
    EXPECT_EQ(wrong.error().kind, ErrorKind::bad_input);
    EXPECT_NE(wrong.error().what.find(name), std::string::npos);
  }
}

// One metric alone is the power only where no word in its name says otherwise.
TEST(PrometheusJson, AMetricWhoseNameSaysThatItIsNoDrawIsRefusedWithTheWord) {
  const auto of = [](const std::string& name, const ReadOptions& options) {
    return read(answer("vector", R"({"metric":{"__name__":")" + name + R"("},"value":[100,"30"]})"), options);
  };
  for (const auto& [name, word] :
       std::vector<std::pair<std::string, std::string>>{{"rack_power_percent", "'percent'"},
                                                        {"outlet_watt_hours_total", "'hours'"},
                                                        {"supply_rated_power_watts", "'rated'"},
                                                        {"chassis_power_max_consumed_watts", "'max'"},
                                                        {"node_power_budget_watts", "'budget'"}}) {
    const auto wrong = of(name, {});
    ASSERT_FALSE(wrong) << name;
    EXPECT_NE(wrong.error().what.find("is passed over for the word " + word), std::string::npos) << wrong.error().what;
  }
  const auto named = of("supply_rated_power_watts", {.power_column = "supply_rated_power_watts"});
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_EQ(named->series[0].power_w, std::vector<double>{30});
  const auto hours = of("outlet_watt_hours_total", {.power_column = "outlet_watt_hours_total"});
  ASSERT_FALSE(hours);
  EXPECT_NE(hours.error().cure.find("* 3600"), std::string::npos) << hours.error().cure;
  EXPECT_FALSE(of("rack_power_percent", {.power_column = "rack_power_percent"}));
  EXPECT_TRUE(of("rack_power_percent", {.power_column = "rack_power_percent", .power_unit = "W"}));
}

TEST(PrometheusJson, PowerCanBeNamed) {
  const std::string text = answer(
      "vector", R"({"metric":{"__name__":"x_mw"},"value":[100,"500"]},{"metric":{"__name__":"y"},"value":[100,"7"]})");
  const auto t = read(text, {.power_column = "x_mw"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{0.5});
  const auto none = read(text, {.power_column = "z"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::usage);
  EXPECT_NE(none.error().cure.find("x_mw, y"), std::string::npos);
}

TEST(PrometheusJson, PromtoolsBareArrayIsRead) {
  const auto t = read(R"([{"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0"},"value":[100,"5"]}])");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{5});
}

TEST(PrometheusJson, WhatIsNoSeriesIsASentence) {
  struct Case {
    std::string text;
    std::string part;
  };
  for (const Case& c : {
           Case{R"({"status":"error","errorType":"bad_data","error":"parse error at char 3"})",
                "parse error at char 3"},
           Case{R"({"status":"success","data":{"resultType":"scalar","result":[100,"5"]}})", "scalar"},
           Case{R"({"status":"success","data":{"resultType":"string","result":[100,"5"]}})", "string"},
           Case{answer("vector", ""), "matched no series"},
           Case{R"({"status":"success","data":{"resultType":"vector"}})", "\"result\""},
           Case{R"({"status":"success","data":{"resultType":"vector","result":[)", "JSON"},
       }) {
    const auto t = read(c.text);
    ASSERT_FALSE(t) << c.text;
    EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
    EXPECT_NE(t.error().what.find(c.part), std::string::npos) << t.error().message();
    EXPECT_FALSE(t.error().cure.empty());
  }
}

TEST(PrometheusJson, DamagedPointsAreCountedWithTheirSeries) {
  std::string points;
  for (int i = 0; i < 60; ++i) points += "[" + std::to_string(100 + i) + ",\"5\"],";
  points += R"([160,"x"],[161],["t","5"])";
  const auto t = read(
      answer("matrix", R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0"},"values":[)" + points + "]}"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].size(), 60U);
  EXPECT_EQ(t->understanding.damaged, 3);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "answer.json: series 1");
}

TEST(PrometheusJson, HistogramsAreNoPowerAndWarningsArePassedOn) {
  const auto t = read(R"({"status":"success","warnings":["partial response"],"data":{"resultType":"vector","result":[
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"0"},"histogram":[100,{}]},
      {"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"1"},"value":[100,"5"]}]}})");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->understanding.other_lines, 1);
  EXPECT_TRUE(mentions(*t, "The server warns: partial response."));
}

TEST(PrometheusJson, SharedTrace28) {
  const auto path = shared_trace("28_h100x8-prometheus-instant-power.json");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 16U);
  double sum = 0;
  double most = 0;
  std::string hottest;
  for (const Series& s : t->series) {
    ASSERT_EQ(s.size(), 1U);
    sum += s.power_w[0];
    if (s.power_w[0] > most) hottest = s.device.name;
    most = std::max(most, s.power_w[0]);
  }
  EXPECT_NEAR(sum, 1129.212, 1e-9);
  EXPECT_EQ(most, 113.611);
  EXPECT_EQ(hottest, "gpu-node-1/0");
  EXPECT_EQ(t->series[0].device.name, "gpu-node-1/1");
  EXPECT_EQ(t->start_unix_ns, 1'773'114'089'943'000'000);
}

TEST(PrometheusJson, OneOfTwoValuesIsNotChosen) {
  const auto item = [](const std::string& more) {
    return R"({"metric":{"__name__":"DCGM_FI_DEV_POWER_USAGE","gpu":"1")" + more +
           R"(},"values":[[100,"71"],[115,"72"]]})";
  };
  const auto refused = read(answer("matrix", item(R"(,"gpu":"2")")));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
  EXPECT_TRUE(refused.error().where.starts_with("answer.json: byte ")) << refused.error().where;
  EXPECT_EQ(refused.error().what, "the key 'gpu' stands twice in one object, with different values");
  const auto same = read(answer("matrix", item(R"(,"gpu":"1")")));
  ASSERT_TRUE(same) << same.error().message();
  EXPECT_EQ(same->series[0].power_w, (std::vector<double>{71, 72}));
}

}  // namespace
}  // namespace wattrein::trace
