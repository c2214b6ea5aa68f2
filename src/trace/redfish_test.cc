#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "bmc.json", options);
}

bool has_note(const Trace& t, const std::string& part) {
  return std::ranges::any_of(t.understanding.notes,
                             [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

/// A Power resource, indented as `jq .` prints it.
std::string power(const std::string& watts) {
  return R"({
  "@odata.id": "/redfish/v1/Chassis/Self/Power",
  "PowerControl": [
    {
      "MemberId": "0",
      "Name": "System Power Control",
      "PowerConsumedWatts": )" +
         watts + R"(,
      "PowerCapacityWatts": 3000,
      "PowerMetrics": {"AverageConsumedWatts": 111, "MaxConsumedWatts": 999, "IntervalInMin": 1},
      "PowerLimit": {"LimitInWatts": 800, "LimitException": "NoAction"}
    },
    {"MemberId": "1", "Name": "CPU Sub-system Power", "PhysicalContext": "CPU", "PowerConsumedWatts": 120}
  ],
  "PowerSupplies": [{"LastPowerOutputWatts": 200, "PowerCapacityWatts": 1600}]
}
)";
}

TEST(Redfish, OneResourceIsASnapshotOfTheWhole) {
  const auto t = read(power("344"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "redfish");
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "Self");
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{344});  // not 344 + 120 + 200, nor a capacity
  EXPECT_EQ(t->series[0].column(Column::limit_w), std::vector<double>{800});
  EXPECT_FALSE(t->series[0].device.nameplate);
  EXPECT_EQ(t->understanding.clock, "none: a single poll");
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_TRUE(has_note(*t, "'CPU Sub-system Power' is also in watts and never added"));
}

TEST(Redfish, AppendedDocumentsTakeTheStampLinesBetweenThem) {
  const auto t = read("2026-11-30T10:00:00Z\n" + power("300") + "2026-11-30T10:00:05Z\n" + power("null") +
                      "2026-11-30T10:00:10Z\n" + power("310"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond, 10 * kSecond}));
  EXPECT_EQ(t->series[0].power_w[0], 300);
  EXPECT_TRUE(std::isnan(t->series[0].power_w[1]));
  EXPECT_EQ(t->series[0].power_w[2], 310);
  EXPECT_TRUE(t->start_has_zone);
}

TEST(Redfish, AppendedDocumentsWithoutTimeNeedAPeriod) {
  const auto t = read(power("300") + power("310"));
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::usage);
  EXPECT_NE(t.error().cure.find("--period"), std::string::npos);
  const auto given = read(power("300") + power("310"), {.period = Nanos(2 * kSecond)});
  ASSERT_TRUE(given) << given.error().message();
  EXPECT_EQ(given->series[0].time_ns, (std::vector<std::int64_t>{0, 2 * kSecond}));
}

TEST(Redfish, LinesWithTheLoopsStampAndHost) {
  const std::string text =
      R"({"ts": 1700000000.5, "host": "n1", "power": {"PowerControl": [{"PowerConsumedWatts": 500}]}})"
      "\n"
      R"({"ts": 1700000000.5, "host": "n2", "power": {"PowerControl": [{"PowerConsumedWatts": 600}]}})"
      "\n"
      R"({"ts": 1700000002.5, "host": "n1", "power": {"PowerControl": [{"PowerConsumedWatts": 510}]}})"
      "\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "n1/node");
  EXPECT_EQ(t->series[0].device.host, "n1");
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 2 * kSecond}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{500, 510}));
  EXPECT_EQ(t->series[1].power_w, std::vector<double>{600});
}

TEST(Redfish, AnUnusualStampIsNamed) {
  const std::string text = R"({"polled": 1700000000, "PowerControl": [{"PowerConsumedWatts": 500}]})"
                           "\n"
                           R"({"polled": 1700000003, "PowerControl": [{"PowerConsumedWatts": 510}]})"
                           "\n";
  EXPECT_FALSE(read(text));
  EXPECT_FALSE(read(text, {.time_column = "pulled"}));
  const auto t = read(text, {.time_column = "polled"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 3 * kSecond}));
}

TEST(Redfish, EnvironmentMetricsOfProcessorsAreDevices) {
  const auto gpu = [](const char* id, const char* watts) {
    return std::string(R"({"@odata.id": "/redfish/v1/Systems/HGX/Processors/)") + id +
           R"(/EnvironmentMetrics", "time": "2026-11-30T10:00:00Z", "PowerWatts": {"Reading": )" + watts +
           R"(, "DataSourceUri": "/redfish/v1/x"}, "PowerLimitWatts": {"SetPoint": 700, "AllowableMax": 1000}})" + "\n";
  };
  const auto t = read(gpu("GPU_SXM_1", "75.5") + gpu("GPU_SXM_2", "80"));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "GPU_SXM_1");
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{75.5});
  EXPECT_EQ(t->series[0].column(Column::limit_w), std::vector<double>{700});
  EXPECT_EQ(t->series[1].power_w, std::vector<double>{80});
  EXPECT_TRUE(has_note(*t, "a sum over the devices counts it twice"));
}

TEST(Redfish, OfSensorsTheTotalIsReadInItsOwnTime) {
  const auto sensor = [](const char* id, const char* context, const char* unit, const char* reading, const char* time) {
    return std::string(R"({"@odata.id": "/redfish/v1/Chassis/1U/Sensors/)") + id + R"(", "Id": ")" + id +
           R"(", "PhysicalContext": ")" + context + R"(", "Reading": )" + reading + R"(, "ReadingUnits": ")" + unit +
           R"(", "ReadingTime": ")" + time + "\"}";
  };
  const std::string text = R"({"Members": [)" + sensor("CPU1Temp", "CPU", "Cel", "44", "2026-11-30T10:00:00Z") + "," +
                           sensor("PS1InputPower", "PowerSupply", "W", "180", "2026-11-30T10:00:00Z") + "," +
                           sensor("TotalPower", "Chassis", "W", "374", "2026-11-30T10:00:01Z") + "]}\n" +
                           R"({"Members": [)" + sensor("TotalPower", "Chassis", "W", "376", "2026-11-30T10:00:03Z") +
                           "]}\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "1U");
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{374, 376}));
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 2 * kSecond}));
  const auto supply = read(text, {.power_column = "PS1InputPower"});
  ASSERT_TRUE(supply) << supply.error().message();
  EXPECT_EQ(supply->series[0].power_w, std::vector<double>{180});
}

TEST(Redfish, SuppliesOfOneChassisStayApart) {
  const auto t = read(R"({"Members": [{"Id": "PS1InputPower", "Reading": 180, "ReadingUnits": "W"},)"
                      R"( {"Id": "PS2InputPower", "Reading": 170, "ReadingUnits": "W"}]})"
                      "\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "node/PS1InputPower");
  EXPECT_EQ(t->series[1].power_w, std::vector<double>{170});
}

TEST(Redfish, OneStarNamesSeveralSensors) {
  const std::string text =
      R"({"MetricValues": [)"
      R"({"MetricProperty": "/redfish/v1/Chassis/GPU_1/Sensors/GPU_1_Power_0", "MetricValue": "75.5"},)"
      R"({"MetricProperty": "/redfish/v1/Chassis/GPU_2/Sensors/GPU_2_Power_0", "MetricValue": "80"}]})"
      "\n";
  const auto open = read(text);
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().what.find("'GPU_1_Power_0' and 'GPU_2_Power_0'"), std::string::npos) << open.error().what;
  const auto t = read(text, {.power_column = "gpu_*_power_0"});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "GPU_1");
  EXPECT_EQ(t->series[1].power_w, std::vector<double>{80});
}

TEST(Redfish, MetricReportsCarryTheirOwnStamps) {
  const auto t = read(R"({"@odata.type": "#MetricReport.v1_4_2.MetricReport", "Timestamp": "2026-11-30T10:00:09Z",
 "MetricValues": [
  {"MetricId": "SystemInputPower", "MetricValue": "412", "Timestamp": "2026-11-30T10:00:00Z"},
  {"MetricId": "SystemInputPower", "MetricValue": "418", "Timestamp": "2026-11-30T10:00:05Z"},
  {"MetricId": "SystemOutputPower", "MetricValue": "390", "Timestamp": "2026-11-30T10:00:00Z"},
  {"MetricId": "TotalCPUPower", "MetricValue": "120", "Timestamp": "2026-11-30T10:00:00Z"},
  {"MetricId": "PowerLimitWatts", "MetricValue": "900", "Timestamp": "2026-11-30T10:00:00Z"}]}
)");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{412, 418}));
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond}));
}

TEST(Redfish, ATornDocumentCostsNoOther) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text +=
        "{\"time\": " + std::to_string(1'700'000'000 + i) + ", \"PowerControl\": [{\"PowerConsumedWatts\": 400}]}\n";
  }
  text.insert(0, "{\"time\": 1700000099, \"PowerControl\": [{\"PowerConsu\n");
  text += "{\"time\": 1700000099, \"PowerControl\": [{\"Power";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 30);
  EXPECT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "bmc.json:1");
  EXPECT_TRUE(has_note(*t, "The last document was cut"));
}

TEST(Redfish, ResourcesWithoutADrawSaySo) {
  const auto t =
      read(R"({"@odata.id": "/redfish/v1/Chassis/1/Power", "PowerSupplies": [{"LastPowerOutputWatts": 200}]})",
           {.format = "redfish"});
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
  EXPECT_NE(t.error().what.find("no sensor in it has a reading in watts"), std::string::npos);
}

TEST(Redfish, AStampInFrontOfTheDocumentIsItsOwn) {
  const std::string text = R"(1700000000 {"PowerControl": [{"PowerConsumedWatts": 500}]})"
                           "\n"
                           R"(1700000004 [{"PowerControl": [{"PowerConsumedWatts": 510}]}, {"Fans": []}])"
                           "\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 4 * kSecond}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{500, 510}));
  EXPECT_EQ(t->understanding.other_lines, 0);
}

TEST(Redfish, DocumentsWithoutAReadingAreOther) {
  const std::string fans = "{\"Fans\": []}\n";
  const auto t = read(fans + "[{\"Fans\": []}, {\"Fans\": []}]\n" + power("300") + fans);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.other_lines, 3);
}

TEST(Redfish, OneOfTwoValuesIsNotChosen) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += "{\"time\": " + std::to_string(1'700'000'000 + i) + R"(, "PowerControl": [{"PowerConsumedWatts": 400)" +
            (i == 3   ? R"(, "PowerConsumedWatts": 40)"
             : i == 7 ? R"(, "PowerConsumedWatts": 400.0)"
                      : "") +
            "}]}\n";
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 29);
  ASSERT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "bmc.json:4");
  EXPECT_EQ(t->understanding.first_damaged[0].reason,
            "the key 'PowerConsumedWatts' stands twice in one object, with different values");
}

TEST(Redfish, APartThatStandsTwiceIsReadOnce) {
  const std::string control = R"("PowerControl": [{"PowerConsumedWatts": 400}])";
  const auto t = read("{" + control + ", " + control + "}");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{400});
}

}  // namespace
}  // namespace wattrein::trace
