#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
using Times = std::vector<std::int64_t>;
using Powers = std::vector<double>;

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "amd.log", options);
}

bool has_note(const Trace& t, const std::string& part) {
  return std::ranges::any_of(t.understanding.notes,
                             [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

TEST(AmdSmi, ReadsMetricCsvWithAHeaderEveryPoll) {
  // metric -p -u --csv -w 1: lists are quoted, every poll has its header and a blank line.
  const std::string header = "timestamp,gpu,socket_power,gfx_voltage,jpeg_activity,power_management\r\n";
  const auto t = read("'CTRL' + 'C' to stop watching output:\n" + header +
                      "1796060474,0,171,N/A,\"['N/A', 'N/A']\",ENABLED\r\n"
                      "1796060474,1,172,N/A,\"['N/A', 'N/A']\",ENABLED\r\n\r\n" +
                      header +
                      "1796060475,0,655,N/A,\"[0, 0]\",ENABLED\r\n"
                      "1796060475,1,N/A,N/A,\"[0, 0]\",ENABLED\r\n\r\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "amd-smi");
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "0");
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond}));
  EXPECT_EQ(t->series[0].power_w, (Powers{171, 655}));
  EXPECT_EQ(t->series[1].power_w[0], 172);
  EXPECT_TRUE(std::isnan(t->series[1].power_w[1]));
  EXPECT_EQ(t->start_unix_ns, 1'796'060'474 * kSecond);
  EXPECT_EQ(t->understanding.repeated_headers, 1);
  EXPECT_EQ(t->understanding.other_lines, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_EQ(t->understanding.power, "socket_power [W]");
  EXPECT_EQ(t->series[0].device.meter, MeterKind::unknown);
}

TEST(AmdSmi, ReadsMetricJson) {
  const auto gpu = [](int time, int n, const std::string& power) {
    return "    {\n        \"timestamp\": " + std::to_string(time) + ",\n        \"gpu\": " + std::to_string(n) +
           ",\n        \"usage\": \"N/A\",\n        \"power\": {\n            \"socket_power\": " + power +
           ",\n            \"gfx_voltage\": \"N/A\",\n            \"power_management\": \"ENABLED\"\n        },\n"
           "        \"energy\": {\"total_energy_consumption\": {\"value\": 1000.5, \"unit\": \"J\"}}\n    }";
  };
  const auto w = [](const std::string& n) { return "{\"value\": " + n + ", \"unit\": \"W\"}"; };
  const auto t = read("[\n" + gpu(1796060474, 0, w("171")) + ",\n" + gpu(1796060474, 1, w("172")) + "\n]\n[\n" +
                      gpu(1796060476, 0, w("\"N/A\"")) + ",\n" + gpu(1796060476, 1, "\"N/A\"") + "\n]\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[1].time_ns, (Times{0, 2 * kSecond}));
  EXPECT_EQ(t->series[0].power_w[0], 171);
  EXPECT_EQ(t->understanding.unknown_power, 2);
  EXPECT_EQ(t->series[0].column(Column::energy_j), (Powers{1000.5, 1000.5}));
}

TEST(AmdSmi, ReadsGpuDataAndOlderSocketPowers) {
  const auto t = read(R"({"gpu_data": [
    {"gpu": 0, "power": {"current_socket_power": {"value": 402, "unit": "W"}, "average_socket_power": {"value": 65535, "unit": "W"}}},
    {"gpu": 1, "power": {"current_socket_power": "N/A", "average_socket_power": {"value": 300, "unit": "W"}}},
    {"gpu": 2, "power": {"current_socket_power": 410, "average_socket_power": 390}}
  ]})");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 3U);
  EXPECT_EQ(t->series[0].power_w, Powers{402});
  EXPECT_TRUE(t->series[0].column(Column::average_w).empty());  // 65535 says that there is none
  EXPECT_EQ(t->series[1].power_w, Powers{300});
  EXPECT_EQ(t->series[2].power_w, Powers{410});
  EXPECT_EQ(t->series[2].column(Column::average_w), Powers{390});
  EXPECT_TRUE(has_note(*t, "not over how long"));
  EXPECT_EQ(t->understanding.clock, "none: a snapshot");
}

TEST(AmdSmi, ReadsMonitorAsCsvAndAsItsTable) {
  const auto csv = read(
      "timestamp,gpu,xcp,power_usage,power_cap\n1796060474,0,0,123,750\n1796060474,0,1,N/A,N/A\n"
      "1796060474,1,0,124,750\n");
  ASSERT_TRUE(csv) << csv.error().message();
  ASSERT_EQ(csv->series.size(), 2U);
  EXPECT_EQ(csv->series[0].power_w, Powers{123});  // partitions are never summed, and never a poll of their own
  EXPECT_EQ(csv->series[0].column(Column::limit_w), Powers{750});
  EXPECT_EQ(csv->series[0].device.nameplate, Watts(750));
  EXPECT_TRUE(has_note(*csv, "partitions"));
  const auto table = read(
      "TIMESTAMP  GPU  XCP  POWER  PWR_CAP  GPU_T\n"
      "1796060474    0    0  123 W    750 W  41 \xc2\xb0"
      "C\n"
      "1796060474    1    0  1024 W    750 W  N/A\n"
      "1796060475    0    0  124 W    750 W  41 \xc2\xb0"
      "C\n"
      "1796060475    1    0  N/A    750 W  41 \xc2\xb0"
      "C\n");
  ASSERT_TRUE(table) << table.error().message();
  EXPECT_EQ(table->series[0].power_w, (Powers{123, 124}));
  EXPECT_EQ(table->series[0].time_ns, (Times{0, kSecond}));
  EXPECT_EQ(table->series[1].power_w[0], 1024);
  EXPECT_TRUE(std::isnan(table->series[1].power_w[1]));
}

TEST(AmdSmi, PollsWithoutAClockNeedAPeriod) {
  const std::string poll = "gpu,socket_power\n0,100\n1,200\n\n";
  const auto refused = read(poll + poll);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
  EXPECT_NE(refused.error().cure.find("--period"), std::string::npos);
  const auto t = read(poll + poll, {.period = Nanos(2 * kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[1].time_ns, (Times{0, 2 * kSecond}));
  const auto dated = read("Mon Nov 30 17:41:14 UTC 2026\n" + poll + "Mon Nov 30 17:41:17 UTC 2026\n" + poll);
  ASSERT_TRUE(dated) << dated.error().message();
  EXPECT_EQ(dated->series[1].time_ns, (Times{0, 3 * kSecond}));
  EXPECT_TRUE(dated->start_has_zone);
}

TEST(AmdSmi, DamageIsCountedAndTheRestIsKept) {
  std::string text = "timestamp,gpu,socket_power\n";
  for (int i = 0; i < 60; ++i) text += std::to_string(1796060474 + i) + ",0,100\n";
  const auto t = read(text + "1796060534,0\n1796060535,0,1x0\n1796060536,0,101\n179606053");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 2);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "amd.log:62");
  EXPECT_EQ(t->series[0].size(), 61U);
  EXPECT_TRUE(has_note(*t, "cut while it was written"));
}

TEST(AmdSmi, SaysWhatIsMissing) {
  const auto none = read("gpu,gfx_activity\n0,5\n", {.format = "amd-smi"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().cure.find("-p"), std::string::npos);
  const auto cpu = read("[{\"cpu\": 0, \"power\": 5}]", {.format = "amd-smi"});
  ASSERT_FALSE(cpu);
}

TEST(AmdSmi, ALogThatOnlySharesAWordIsNotItsOwn) {
  // Others write power_usage too, and in milliwatts: the unit has to be asked for.
  EXPECT_FALSE(read("timestamp,gpu,power_usage\n1796060474,0,71000\n"));
}

TEST(AmdSmi, OneOfTwoValuesIsNotChosen) {
  std::string text;
  for (int i = 0; i < 30; ++i) {
    text += R"([{"gpu": 0, "timestamp": )" + std::to_string(1796060474 + i) +
            R"(, "power": {"socket_power": {"value": 171, )" + (i == 3 ? R"("value": 1710, )" : "") +
            R"("unit": "W"}}}])"
            "\n";
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, Powers(29, 171));
  ASSERT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "amd.log:4");
  EXPECT_EQ(t->understanding.first_damaged[0].reason,
            "the key 'value' stands twice in one object, with different values");
}

}  // namespace
}  // namespace wattrein::trace
