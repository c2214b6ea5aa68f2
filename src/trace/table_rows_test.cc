// Shapes of tables beyond one device's power a row.
#include <gtest/gtest.h>

#include <string>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

TEST(WideTable, ColumnsThatDifferInOneNumberAreDevices) {
  for (const auto& [first, second] :
       {std::pair{"gpu0_power_w", "gpu1_power_w"}, std::pair{"Power GPU 0 (W)", "Power GPU 1 (W)"},
        std::pair{"power_gpu_0 [W]", "power_gpu_1 [W]"}, std::pair{"gpu0_w", "gpu1_w"},
        std::pair{"GPU0 Power [W]", "GPU1 Power [W]"}, std::pair{"power.draw.0 (W)", "power.draw.1 (W)"}}) {
    const auto trace =
        read_text("time," + std::string(first) + "," + second + "\n1718369824,70,300\n1718369825,71,301\n");
    ASSERT_TRUE(trace) << first << " " << trace.error().message();
    ASSERT_EQ(trace->series.size(), 2U) << first;
    EXPECT_EQ(trace->series[0].device.name, "0");
    EXPECT_EQ(trace->series[1].device.name, "1");
    EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71})) << first;
    EXPECT_EQ(trace->series[1].power_w, (Powers{300, 301})) << first;
    EXPECT_TRUE(mentions(*trace, "Each device has a column of its own"));
    EXPECT_EQ(trace->understanding.rows, 4);
    EXPECT_EQ(trace->understanding.devices, "a column each");
  }
}

TEST(WideTable, WithoutUnitItAsks) {
  const std::string log = "time,GPU0_POWER,GPU1_POWER\n1718369824,70000,300000\n1718369825,71000,301000\n";
  EXPECT_NE(error_of(log).find("has no unit"), std::string::npos);
  const auto trace = read_text(log, {.power_unit = "mW"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[1].power_w, (Powers{300, 301}));
}

TEST(WideTable, UnknownAndUnreadableCellsAreTheirDevicesAlone) {
  std::string log = "time,gpu0_power_w,gpu1_power_w\n";
  for (int i = 0; i < 30; ++i) {
    log += std::to_string(1'718'369'824 + i) + ",70," + (i == 3 ? "N/A" : i == 4 ? "x1" : "300") + "\n";
  }
  log += "1718369900,70\n";  // ends before the second device
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].size(), 30U);  // and 70 may be the start of another number
  EXPECT_EQ(trace->series[1].size(), 29U);
  EXPECT_EQ(trace->understanding.unknown_power, 1);
  EXPECT_EQ(trace->understanding.damaged, 3);
  EXPECT_EQ(trace->understanding.first_damaged[0].reason, "the power 'x1' of device 1 cannot be read");
  EXPECT_EQ(trace->understanding.first_damaged[1].reason, "the row ends before the power of device 1");
}

TEST(WideTable, TotalsAndOtherColumnsAreNotDevices) {
  const auto trace = read_text(
      "time,gpu0_power_w,gpu1_power_w,total_power_w,gpu0_power_limit_w,gpu1_power_limit_w,gpu0_energy_j,gpu1_energy_j\n"
      "1718369824,70,300,370,400,500,10,20\n1718369825,71,301,372,400,500,80,320\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].column(Column::limit_w), (Powers{500, 500}));
  EXPECT_EQ(trace->series[1].column(Column::energy_j), (Powers{20, 320}));
  EXPECT_TRUE(mentions(*trace, "'total_power_w' is not used"));
}

TEST(WideTable, NumbersThatCountOtherThingsAreNoDevices) {
  for (const char* header : {"time,power_1s_w,power_5s_w", "time,power_p50_w,power_p95_w",
                             "time,8-pin #1 power [W],8-pin #2 power [W]", "time,core 0 power_w,core 1 power_w"}) {
    const std::string error = error_of(std::string(header) + "\n1718369824,70,300\n1718369825,71,301\n");
    EXPECT_NE(error.find("several columns could be the power"), std::string::npos) << header << " " << error;
  }
}

TEST(WideTable, RowsThatHaveTheirDeviceAreNotWide) {
  const std::string error = error_of(
      "time,gpu,in1_power_w,in2_power_w\n1718369824,0,70,3\n1718369824,1,71,4\n1718369825,0,70,3\n1718369825,1,72,4\n");
  EXPECT_NE(error.find("several columns could be the power"), std::string::npos) << error;
}

TEST(WideTable, HostsKeepTheirColumnsApart) {
  const auto trace = read_text(
      "time,host,gpu0_power_w,gpu1_power_w\n1718369824,a,70,71\n1718369824,b,80,81\n"
      "1718369825,a,72,73\n1718369825,b,82,83\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 4U);
  EXPECT_EQ(trace->series[2].device.name, "b/0");
  EXPECT_EQ(trace->series[2].device.host, "b");
  EXPECT_EQ(trace->series[2].power_w, (Powers{80, 82}));
}

TEST(WideTable, MoreDevicesThanThereCanBeAreRefused) {
  std::string log = "time,host,gpu0_power_w,gpu1_power_w,gpu2_power_w\n";
  for (int i = 0; i < 2000; ++i) log += std::to_string(1'718'369'824 + i) + ",h" + std::to_string(i) + ",70,71,72\n";
  const std::string error = error_of(log);
  EXPECT_NE(error.find("more than 4096 devices"), std::string::npos) << error;
}

TEST(WideTable, OneColumnMayBeNamedAndAHeaderMayComeAgain) {
  const std::string header = "time,gpu0_power_w,gpu1_power_w\n";
  const auto one = read_text(header + "1718369824,70,300\n1718369825,71,301\n", {.power_column = "gpu1_power_w"});
  ASSERT_TRUE(one) << one.error().message();
  ASSERT_EQ(one->series.size(), 1U);
  EXPECT_EQ(one->series[0].power_w, (Powers{300, 301}));
  const auto again = read_text(header + "1718369824,70,300\n" + header + "1718369825,71,301\n1718369826,7");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->understanding.repeated_headers, 1);
  EXPECT_EQ(again->series[0].power_w, (Powers{70, 71}));
  EXPECT_TRUE(mentions(*again, "The last line is cut"));
}

TEST(WideTable, ThePeriodIsTheClock) {
  std::string log = "gpu0_power_w,gpu1_power_w\n";
  for (int i = 0; i < 30; ++i) log += std::string(i == 2 ? "x" : "70") + ",300\n";
  const auto trace = read_text(log, {.format = "csv", .period = Nanos(500'000'000)});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[0].size(), 29U);
  EXPECT_EQ(trace->series[1].size(), 30U);
  for (const Series& s : trace->series) EXPECT_EQ(s.time_ns.back(), 14'500'000'000);  // 29 periods
}

TEST(WideTable, JsonArraysAreDevices) {
  const auto trace = read_text(
      "{\"ts\": 1718369824.25, \"gpus\": [{\"power_w\": 70}, {\"power_w\": 300}]}\n"
      "{\"ts\": 1718369825.25, \"gpus\": [{\"power_w\": 71}, {\"power_w\": 301}]}\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].power_w, (Powers{300, 301}));
}

TEST(SplitStamp, DateAndTimeOfDayAreOneStamp) {
  for (const char* date : {"2025-10-22", "2025/10/22", "20251022"}) {
    const std::string d = date;
    const auto trace = read_text("Date,Time,gpu,power_w\n" + d + ",23:59:59.5,0,70\n" + d + ",23:59:59.75,0,71\n" +
                                 (d.size() == 8 ? "20251023"
                                  : d[4] == '-' ? "2025-10-23"
                                                : "2025/10/23") +
                                 ",00:00:00.0,0,72\n");
    ASSERT_TRUE(trace) << date << " " << trace.error().message();
    EXPECT_EQ(trace->start_unix_ns, 1'761'177'599'500'000'000) << date;  // 2025-10-22T23:59:59.5Z
    EXPECT_EQ(trace->series[0].time_ns, (std::vector<std::int64_t>{0, 250'000'000, 500'000'000})) << date;
    EXPECT_NE(trace->understanding.clock.find("columns 'Date' and 'Time'"), std::string::npos);
  }
}

TEST(SplitStamp, AWholeStampNeedsNoDateBeside) {
  const auto trace = read_text(
      "Date,Time,gpu,power_w\n2025-10-22,2025-10-22 23:59:59,0,70\n"
      "2025-10-22,2025-10-23 00:00:00,0,71\n",
      {.time_column = "Time"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].time_ns.back(), 1'000'000'000);
}

TEST(Duplicates, ANeededNameThatStandsTwiceIsAskedAbout) {
  const std::string log = "time,gpu,power_w,note,power_w\n1718369824,0,70,a,400\n1718369825,0,71,a,400\n";
  EXPECT_NE(error_of(log).find("several columns could be the power"), std::string::npos) << error_of(log);
  const std::string named = error_of(log, {.power_column = "power_w"});
  EXPECT_NE(named.find("columns #3 and #5"), std::string::npos) << named;
  const auto trace = read_text(log, {.power_column = "#3"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71}));
  const std::string times = error_of("time,time,gpu,power_w\n1718369824,5,0,70\n1718369825,6,0,71\n");
  EXPECT_NE(times.find("columns #1 and #2"), std::string::npos) << times;
  // The same column twice is no question.
  EXPECT_TRUE(read_text("time,time,gpu,power_w\n1718369824,1718369824,0,70\n1718369825,1718369825,0,71\n"));
}

TEST(Instances, RowsOfMigInstancesAreNeverSummed) {
  const auto trace = read_text(
      "time,gpu,gi_id,power_w\n1718369824,0,,400\n1718369824,0,1,400\n1718369824,0,2,400\n1718369824,1,,300\n"
      "1718369825,0,,410\n1718369825,0,1,410\n1718369825,0,2,410\n1718369825,1,,310\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{400, 410}));
  EXPECT_EQ(trace->series[1].power_w, (Powers{300, 310}));
  EXPECT_TRUE(mentions(*trace, "4 rows of MIG instances were passed over"));
}

TEST(Instances, WithoutTheGpusOwnRowsOneInstanceStandsForIt) {
  const auto trace = read_text(
      "time,gpu,gi_id,power_w\n1718369824,0,3,400\n1718369824,0,4,400\n1718369824,1,N/A,300\n"
      "1718369825,0,3,410\n1718369825,0,4,410\n1718369825,1,N/A,310\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{400, 410}));
  EXPECT_EQ(trace->series[1].power_w, (Powers{300, 310}));
}

TEST(Instances, UuidsTellThem) {
  const std::string header = "time,uuid,power_w\n";
  const auto trace = read_text(header +
                               "1718369824,GPU-aaaa0001,400\n1718369824,MIG-bbbb0001,400\n"
                               "1718369825,GPU-aaaa0001,410\n1718369825,MIG-bbbb0001,410\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{400, 410}));
  EXPECT_TRUE(mentions(*trace, "2 rows of MIG instances"));
  const std::string error = error_of(header + "1718369824,MIG-bbbb0001,400\n1718369824,MIG-bbbb0002,400\n");
  EXPECT_NE(error.find("repeat the power of their GPU"), std::string::npos) << error;
  const auto indexed = read_text(
      "time,index,uuid,power_w\n1718369824,0,MIG-bbbb0001,400\n1718369824,0,MIG-bbbb0002,400\n"
      "1718369825,0,MIG-bbbb0001,410\n1718369825,0,MIG-bbbb0002,410\n");
  ASSERT_TRUE(indexed) << indexed.error().message();
  EXPECT_EQ(indexed->series[0].power_w, (Powers{400, 410}));
}

TEST(Hosts, TheSameIndexOnTwoHostsIsTwoDevices) {
  const auto json = read_text(
      "{\"ts\": 1718369824, \"host\": \"a\", \"gpu\": 0, \"power_w\": 70}\n"
      "{\"ts\": 1718369824, \"host\": \"b\", \"gpu\": 0, \"power_w\": 80}\n");
  ASSERT_TRUE(json) << json.error().message();
  ASSERT_EQ(json->series.size(), 2U);
  EXPECT_EQ(json->series[1].device.name, "b/0");
  const auto smi = read_text(
      "timestamp, hostname, index, power.draw [W]\n2025/07/27 00:22:27.858, a, 0, 71.25 W\n"
      "2025/07/27 00:22:27.858, b, 0, 81.25 W\n2025/07/27 00:22:28.858, a, 0, 72.25 W\n"
      "2025/07/27 00:22:28.858, b, 0, 82.25 W\n");
  ASSERT_TRUE(smi) << smi.error().message();
  ASSERT_EQ(smi->series.size(), 2U);
  EXPECT_EQ(smi->series[1].power_w, (Powers{81.25, 82.25}));
}

TEST(Hosts, SeveralRowsAHostNeedADevice) {
  const std::string rows =
      "1718369824,a,70\n1718369824,a,80\n1718369824,b,71\n1718369824,b,81\n"
      "1718369825,a,70\n1718369825,a,80\n1718369825,b,71\n1718369825,b,81\n";
  const std::string error = error_of("time,host,power_w\n" + rows);
  EXPECT_NE(error.find("no column tells the devices of a host apart"), std::string::npos) << error;
}

TEST(Limits, AreNeverTheDraw) {
  for (const char* limit :
       {"Power Limit (W)", "gpu_power_limit_w", "PowerCap", "max_power_w", "tdp_w", "power_cap_watts",
        "enforced_power_limit_w", "default_power_limit_w", "power_budget_w", "target_power_w"}) {
    const std::string log = "time,gpu," + std::string(limit) + ",power_w\n1718369824,0,400,70\n1718369825,0,400,71\n";
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << limit << " " << trace.error().message();
    EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71})) << limit;
    const auto alone = read_text("time,gpu," + std::string(limit) + "\n1718369824,0,400\n1718369825,0,400\n");
    EXPECT_FALSE(alone) << limit;
  }
}

TEST(Tables, BannersBeforeAndSummariesBehindAreNoDamage) {
  const auto trace = read_text(
      "GPU logger 1.4 started\nHost: rack 7\ntime,gpu,power_w\n1718369824,0,70\n1718369825,0,71\n"
      "\nMean power: 70.5 W\nDone.\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71}));
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_EQ(trace->understanding.other_lines, 4);
}

}  // namespace
}  // namespace wattrein::trace
