// What a column's name says of the power in it: whose it is, in which unit, and whether it is drawn at all.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "trace/read.h"
#include "trace/table_layout.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

std::string stamp(int i) { return std::to_string(1'718'369'824 + i); }

/// Rows of a stamp and these cells; "#" is the row's number.
std::string rows_of(const std::string& header, const std::string& cells, int rows = 8) {
  std::string log = header + "\n";
  for (int i = 0; i < rows; ++i) {
    std::string row = cells;
    for (std::size_t at = row.find('#'); at != std::string::npos; at = row.find('#')) {
      row.replace(at, 1, std::to_string(i));
    }
    log += stamp(i) + "," + row + "\n";
  }
  return log;
}

bool is_warned(const Result<Trace>& trace, const std::string& what) {
  const auto& all = trace->understanding.warnings;
  return std::ranges::any_of(all, [&](const std::string& s) { return s.find(what) != std::string::npos; });
}

TEST(PowerNames, AUnitOfPowerMakesNoIdentity) {
  EXPECT_TRUE(parse_column_name("gpu").is_called("gpu"));
  EXPECT_TRUE(parse_column_name("GPU (index)").is_called("gpu"));
  for (const char* name : {"gpu_w", "gpu_watts", "GPU [W]", "gpu_mW", "gpu_kw", "gpu_joules", "gpu_MW", "gpu (MW)"}) {
    EXPECT_FALSE(parse_column_name(name).is_called("gpu")) << name;
  }
}

// 300 W and 310 W in turn: whole watts look like the numbers of two devices.
TEST(PowerNames, ADeviceInWattsBesideAPowerIsNotTheDevice) {
  for (const std::string name : {"gpu_watts", "gpu_w", "node_watts", "host_w", "server_w", "device_watts"}) {
    std::string log = "time," + name + ",power_w\n";
    for (int i = 0; i < 8; ++i) {
      log += stamp(i) + "," + (i % 2 == 0 ? "300," : "310,") + std::to_string(400 + i) + "\n";
    }
    const std::string error = error_of(log);
    EXPECT_NE(error.find("several columns could be the power: '" + name + "', 'power_w'"), std::string::npos) << error;
    const auto trace = read_text(log, {.power_column = "power_w"});
    ASSERT_TRUE(trace) << trace.error().message();
    ASSERT_EQ(trace->series.size(), 1U) << name;
    EXPECT_EQ(trace->series[0].power_w[7], 407.0);
  }
}

TEST(PowerNames, ADeviceInAUnitOfPowerIsAPower) {
  // gpu_mw: 300001 mW is 300.001 W.
  for (const auto& [name, watts] : {std::pair<std::string, double>{"gpu_watts", 300'001}, {"gpu_mw", 300.001}}) {
    const auto trace = read_text(rows_of("time," + name, "30000#"));
    ASSERT_TRUE(trace) << trace.error().message();
    ASSERT_EQ(trace->series.size(), 1U);
    EXPECT_EQ(trace->series[0].power_w[1], watts) << name;
  }
  const auto named = read_text(rows_of("time,device,gpu_w,cpu_w", "a,30#.5,9#"));
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_EQ(named->series[0].device.name, "a");
  EXPECT_EQ(named->series[0].power_w[2], 302.5);
  EXPECT_TRUE(mentions(*named, "'cpu_w' is passed over for the word 'cpu'"));
  const std::string bare = error_of(rows_of("time,gpu_wattage", "30#"));
  EXPECT_NE(bare.find("column 'gpu_wattage' has no unit"), std::string::npos) << bare;
  const std::string width = error_of(rows_of("time,image_w", "64#"));
  EXPECT_NE(width.find("format"), std::string::npos) << "a width: " << width;
}

TEST(PowerNames, TheGpusPowerIsItsOwnNotItsNodes) {
  const auto trace = read_text(rows_of("time,host,gpu,gpu_watts,node_power_w", "n1,0,30#,70#"));
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].device.name, "n1/0");
  EXPECT_EQ(trace->series[0].power_w[3], 303.0);
  EXPECT_TRUE(mentions(*trace, "'node_power_w' could be it too"));
}

TEST(PowerNames, ReadingsNameNoDeviceAndNoHost) {
  for (const std::string column : {"gpu", "host"}) {
    std::string log = "time," + column + ",power_w\n";
    for (int i = 0; i < 12; ++i)
      log += stamp(i) + "," + std::to_string(200 + 7 * i) + ".25,30" + std::to_string(i) + "\n";
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(trace->series.size(), 1U) << column;
    EXPECT_TRUE(mentions(*trace, "Column '" + column + "' holds readings")) << column;
  }
  // pandas writes an index beside missing rows as 0.0, 1.0.
  std::string floats = "time,gpu,power_w\n";
  for (int i = 0; i < 12; ++i) floats += stamp(i / 2) + "," + (i % 2 == 0 ? "0.0" : "1.0") + ",300\n";
  const auto trace = read_text(floats);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series.size(), 2U);
}

TEST(PowerNames, WhatTheDeviceDoesNotDrawIsNeverTakenInSilence) {
  for (const std::string word : {"idle", "baseline", "fan", "cooling", "nvlink", "disk", "solar", "model", "contract",
                                 "warning", "reserve", "estimated", "battery", "memory"}) {
    for (const std::string& name : {word + "_power_w", "power_" + word + "_w"}) {
      const std::string error = error_of(rows_of("time," + name, "45#"));
      EXPECT_NE(error.find("'" + name + "' is passed over for the word '" + word + "'"), std::string::npos) << error;
      EXPECT_NE(error.find("--power"), std::string::npos) << error;
    }
    for (const std::string measured : {"measured_w", "pdu_w", "consumption_w", "gpu_watts", "draw_w"}) {
      const auto trace = read_text(rows_of("time,device," + word + "_power_w," + measured, "0,45#,30#"));
      ASSERT_TRUE(trace) << trace.error().message();
      EXPECT_EQ(trace->series[0].power_w[4], 304.0) << word << " " << measured;
      EXPECT_TRUE(mentions(*trace, "'" + word + "_power_w' is passed over")) << word;
    }
  }
  for (const std::string draw : {"gpu_power_w", "package_power_w", "total_power_w", "power.draw_w", "board_power_w",
                                 "gpu_power_usage_w", "system_power_w"}) {
    EXPECT_TRUE(read_text(rows_of("time," + draw, "30#"))) << draw;
  }
}

// 300.5 W, 310.5 W, 320.5 W and 330500 mW.
TEST(PowerNames, EachDevicesColumnHasItsOwnUnit) {
  const std::string log =
      rows_of("time,gpu0_power_w,gpu1_power_w,gpu2_power [W],gpu3_power_mw", "300.5,310.5,320.5,33050#");
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 4U);
  EXPECT_EQ(trace->series[2].power_w[1], 320.5);
  EXPECT_EQ(trace->series[3].device.name, "3");
  EXPECT_EQ(trace->series[3].power_w[1], 330.501);
  EXPECT_NE(trace->understanding.power.find("each in the unit of its name"), std::string::npos);
  // What is stated fills in only what no name says.
  const std::string bare = rows_of("time,gpu0_power_mw,gpu1_power", "30050#,31050#");
  EXPECT_NE(error_of(bare).find("column 'gpu1_power' has no unit"), std::string::npos) << error_of(bare);
  const auto stated = read_text(rows_of("time,gpu0_power_mw,gpu1_power", "30050#,31#"), {.power_unit = "W"});
  ASSERT_TRUE(stated) << stated.error().message();
  EXPECT_EQ(stated->series[0].power_w[2], 300.502);
  EXPECT_EQ(stated->series[1].power_w[2], 312.0);
  // The same devices in two units are asked about.
  const std::string twice =
      error_of(rows_of("time,gpu0_power_w,gpu1_power_w,gpu0_power_mw,gpu1_power_mw", "300,310,300000,310000"));
  EXPECT_NE(twice.find("several columns could be the power"), std::string::npos) << twice;
}

TEST(PowerNames, PandasCopiesOfANameAreDevices) {
  const auto trace = read_text(rows_of("time,power_w,power_w.1,power_w.2", "30#,41#,52#"));
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 3U);
  EXPECT_EQ(trace->series[0].device.name, "0");
  EXPECT_EQ(trace->series[0].power_w[1], 301.0);
  EXPECT_EQ(trace->series[2].power_w[1], 521.0);
  std::string smi = "timestamp, index, power.draw [W], index.1, power.draw [W].1\n";
  for (int i = 0; i < 6; ++i) {
    smi += "2026/04/25 16:06:0" + std::to_string(i) + ".780, 0, 30" + std::to_string(i) + ".50, 1, 410.50\n";
  }
  const auto beside = read_text(smi);
  ASSERT_TRUE(beside) << beside.error().message();
  ASSERT_EQ(beside->series.size(), 2U);
  EXPECT_EQ(beside->series[0].power_w[2], 302.5);
  EXPECT_EQ(beside->series[1].power_w[2], 410.5);
  // One of them was dropped on the way.
  const auto gap = read_text(rows_of("time,power_w,power_w.1,power_w.3", "30#,41#,52#"));
  ASSERT_TRUE(gap) << gap.error().message();
  ASSERT_EQ(gap->series.size(), 3U);
  EXPECT_EQ(gap->series[2].device.name, "3");
  const auto same = read_text(rows_of("time,power_w,power_w.1", "30#,30#"));
  ASSERT_TRUE(same) << same.error().message();
  EXPECT_EQ(same->series.size(), 1U);
  EXPECT_TRUE(mentions(*same, "'power_w.1' repeats 'power_w'"));
  // 720 is 300 + 420: a total. Stamps of its own: another log, put beside the first by row.
  const std::string total = error_of(rows_of("time,power_w,power_w.1,power_w.2", "720,300,420"));
  EXPECT_NE(total.find("several columns could be the power"), std::string::npos) << total;
  const std::string clocks = error_of(rows_of("time,power_w,time.1,power_w.1", "30#,171836990#,41#"));
  EXPECT_NE(clocks.find("several columns could be the power"), std::string::npos) << clocks;
}

TEST(PowerNames, AUnitStandsBeforeTheDevicesNumber) {
  EXPECT_EQ(parse_column_name("gpu_power_w.0").power_scale, 1.0);
  EXPECT_EQ(parse_column_name("power_mw.gpu3").power_scale, 1e-3);
  EXPECT_EQ(parse_column_name("energy_mj_2").energy_scale, 1e-3);
  EXPECT_FALSE(parse_column_name("power_MW.0").power_scale) << "milli or mega";
  EXPECT_FALSE(parse_column_name("power_0.5").power_scale);
  EXPECT_FALSE(parse_column_name("power_w.limit").power_scale);
  std::string list;
  std::string object;
  for (int i = 0; i < 4; ++i) {
    list += "{\"timestamp\": " + stamp(i) + ", \"gpu_power_w\": [30" + std::to_string(i) + ", 410.5]}\n";
    object += "{\"timestamp\": " + stamp(i) + ", \"gpu_power_mw\": {\"gpu0\": 30" + std::to_string(i) +
              "000, \"gpu1\": 410500}}\n";
  }
  for (const std::string& log : {list, object}) {
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    ASSERT_EQ(trace->series.size(), 2U);
    EXPECT_EQ(trace->series[0].power_w[3], 303.0);
    EXPECT_EQ(trace->series[1].power_w[3], 410.5);
  }
}

TEST(PowerNames, NoSingleGpuDrawsTwoKilowatts) {
  // "3.619" W whose point was lost.
  std::string log = "timestamp, index, power.draw [W]\n";
  for (int i = 0; i < 6; ++i)
    log += "2026/04/25 16:06:0" + std::to_string(i) + ".780, 0, 361" + std::to_string(i) + "\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(is_warned(trace, "Device 0 draws up to 3615 W, more than any single GPU"));
  const auto board = read_text(rows_of("time,gpu,power_w", "0,140#"));
  ASSERT_TRUE(board) << board.error().message();
  EXPECT_TRUE(board->understanding.warnings.empty()) << "a board of 1.4 kW";
  // A machine is often called after its GPUs.
  for (const std::string host : {"gpu-node-1", "gpu1"}) {
    const auto node = read_text(rows_of("time,host,power_w", host + ",610#"));
    ASSERT_TRUE(node) << node.error().message();
    EXPECT_TRUE(node->understanding.warnings.empty()) << host;
  }
  const auto by_device = read_text(rows_of("time,device,power_w", "gpu-node-1,610#"));
  ASSERT_TRUE(by_device) << by_device.error().message();
  EXPECT_TRUE(by_device->understanding.warnings.empty());
  const auto card = read_text(rows_of("time,device,power_w", "gpu1,310#"));
  ASSERT_TRUE(card) << card.error().message();
  EXPECT_TRUE(is_warned(card, "Device gpu1 draws up to 3107 W"));
}

TEST(PowerNames, NoGpuDrawsTwiceItsLimitMostOfTheTime) {
  const auto trace = read_text(rows_of("time,gpu,power_w,power_limit_w", "0,70#,70"));
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(is_warned(trace, "Device 0 draws more than twice its own power limit in most readings"));
  // A peak is none, and neither is what the log does not call a GPU.
  std::string peak = "time,gpu,power_w,power_limit_w\n";
  for (int i = 0; i < 8; ++i) peak += stamp(i) + ",0," + (i == 3 ? "190" : "69") + ",70\n";
  const auto once = read_text(peak);
  ASSERT_TRUE(once) << once.error().message();
  EXPECT_TRUE(once->understanding.warnings.empty());
  const auto node = read_text(rows_of("time,host,power_w,power_limit_w", "a,70#,70"));
  ASSERT_TRUE(node) << node.error().message();
  EXPECT_TRUE(node->understanding.warnings.empty());
}

}  // namespace
}  // namespace wattrein::trace
