#include "trace/aggregate_rows.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

std::string second(int i) { return std::to_string(1'718'369'824 + i); }

/// Two GPUs of 110 W and 230 W, and a third row a poll.
std::string with_third(const std::string& name, int watts) {
  std::string log = "time,device,power_w\n";
  for (int i = 0; i < 5; ++i) {
    log +=
        second(i) + ",0,110\n" + second(i) + ",1,230\n" + second(i) + "," + name + "," + std::to_string(watts) + "\n";
  }
  return log;
}

TEST(AggregateRows, TotalsAndAveragesAreNoDevices) {
  for (const char* name :
       {"Total",    "sum",       "avg",           "ALL", "mean", "Sum:", "Average", "MAX",  "*",    "Summe",
        "\xce\xa3", "Total GPU", "total_power_w", "-1",  "node", "cpu",  "cpu0",    "dram", "psys", "package-0"}) {
    const auto trace = read_text(with_third(name, 340));
    ASSERT_TRUE(trace) << name << trace.error().message();
    ASSERT_EQ(trace->series.size(), 2U) << name;
    EXPECT_EQ(trace->series[1].power_w, Powers(5, 230.0)) << name;
    EXPECT_EQ(trace->understanding.rows, 10) << name;
    EXPECT_TRUE(mentions(*trace, "5 rows of '" + std::string(name) + "' were passed over")) << name;
  }
}

TEST(AggregateRows, NamesThatOnlyHoldSuchAWordAreDevices) {
  for (const char* name : {"2", "gpu2", "Max-Q", "node7", "summit-3", "allgpu", "1:0"}) {
    const auto trace = read_text(with_third(name, 340));
    ASSERT_TRUE(trace) << name << trace.error().message();
    EXPECT_EQ(trace->series.size(), 3U) << name;
  }
}

TEST(AggregateRows, WhatStandsAloneIsRead) {
  const auto total = read_text("time,device,power_w\n" + second(0) + ",Total,340\n" + second(1) + ",Total,350\n");
  ASSERT_TRUE(total) << total.error().message();
  EXPECT_EQ(total->series[0].power_w, (Powers{340, 350}));
  std::string parts = "time,device,power_w\n";
  for (int i = 0; i < 3; ++i) parts += second(i) + ",cpu,90\n" + second(i) + ",dram,20\n" + second(i) + ",psys,150\n";
  const auto rapl = read_text(parts);
  ASSERT_TRUE(rapl);
  EXPECT_EQ(rapl->series.size(), 3U);
  EXPECT_TRUE(mentions(*rapl, "'psys' is the power of the whole platform"));
  // Each host by itself: b has nothing but its total.
  const auto hosts = read_text("time,host,gpu,power_w\n" + second(0) + ",a,0,70\n" + second(0) + ",a,total,70\n" +
                               second(0) + ",b,total,80\n");
  ASSERT_TRUE(hosts) << hosts.error().message();
  ASSERT_EQ(hosts->series.size(), 2U);
  EXPECT_EQ(hosts->series[1].device.name, "b/total");
}

TEST(AggregateRows, TheNamedColumnIsReadWhole) {
  const auto trace = read_text(with_third("Total", 340), {.device_column = "device"});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series.size(), 3U);
}

TEST(AggregateRows, InstancesByName) {
  for (const auto& [gpu, instance] : {std::pair{"GPU 0", "GPU 0 MIG 1"}, {"0", "0:1"}, {"gpu0", "gpu0/mig-2"}}) {
    std::string log = "time,device,power_w\n";
    for (int i = 0; i < 4; ++i) {
      const std::string watts = std::to_string(300 + i);
      for (const char* name : {gpu, instance})
        log.append(second(i)).append(",").append(name).append("," + watts + "\n");
    }
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << gpu << trace.error().message();
    ASSERT_EQ(trace->series.size(), 1U) << gpu;
    EXPECT_TRUE(mentions(*trace, "4 rows of '" + std::string(instance) + "' were passed over"));
  }
  // A power of its own: another device, whatever it is called.
  const auto other = read_text("time,device,power_w\n" + second(0) + ",0,300\n" + second(0) + ",0:1,120\n");
  ASSERT_TRUE(other);
  EXPECT_EQ(other->series.size(), 2U);
}

TEST(AggregateRows, TheSumOfTheOthersIsPointedOut) {
  std::string log = "time,device,power_w\n";
  std::string alike = log;
  for (int i = 0; i < 20; ++i) {
    const int a = 100 + i * 7 % 50;
    const int b = 300 - i * 3;
    log += second(i) + ",left," + std::to_string(a) + "\n" + second(i) + ",right," + std::to_string(b) + "\n" +
           second(i) + ",x," + std::to_string(a + b) + "\n";
    for (const char* name : {"left", "right", "x"}) alike += second(i) + "," + name + "," + std::to_string(a) + "\n";
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->series.size(), 3U);  // pointed out, and not taken away
  ASSERT_EQ(trace->understanding.warnings.size(), 1U);
  EXPECT_EQ(trace->understanding.warnings[0].find("Device 'x' reads the sum of all others"), 0U);
  const auto equal = read_text(alike);  // each is the mean of the others, and says nothing
  ASSERT_TRUE(equal);
  EXPECT_TRUE(aggregates_by_value(equal->series).empty());
}

TEST(AggregateRows, AMachinesOwnMeterIsPointedOutWhateverItsName) {
  const auto log = [](const char* name, int watts) {
    std::string text = "time,device,power_w\n";
    for (int i = 0; i < 20; ++i) {
      text += second(i) + ",gpu0," + std::to_string(300 + i % 7) + "\n" + second(i) + ",gpu1," +
              std::to_string(290 + i % 5) + "\n" + second(i) + "," + name + "," + std::to_string(watts + i % 3) + "\n";
    }
    return text;
  };
  const auto trace = read_text(log("wall", 770));
  ASSERT_TRUE(trace);
  ASSERT_EQ(trace->understanding.warnings.size(), 1U);
  EXPECT_EQ(trace->understanding.warnings[0].find("Device 'wall' is named unlike the others and draws as much"), 0U);
  for (const std::string& other : {log("gpu2", 770), log("npu", 310)}) {
    const auto fine = read_text(other);
    ASSERT_TRUE(fine);
    EXPECT_TRUE(fine->understanding.warnings.empty()) << other.substr(0, 120);
  }
}

TEST(AggregateRows, SeriesWithoutAGpuInAnAnswerOfPrometheus) {
  const auto trace = read_text(R"({"status":"success","data":{"resultType":"matrix","result":[)"
                               R"({"metric":{"gpu":"0"},"values":[[1718369824,"70"],[1718369839,"71"]]},)"
                               R"({"metric":{"gpu":"1"},"values":[[1718369824,"80"],[1718369839,"81"]]},)"
                               R"({"metric":{},"values":[[1718369824,"150"],[1718369839,"152"]]}]}})");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_TRUE(mentions(*trace, "2 readings of 1 series that names no GPU were passed over"));
}

}  // namespace
}  // namespace wattrein::trace
