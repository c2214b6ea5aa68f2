#include "trace/identity.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

std::string stamp(int i, int ms = 0) {
  return "2026-03-02 10:00:" + std::string(i < 10 ? "0" : "") + std::to_string(i) + "." +
         std::string(ms == 0 ? "000" : std::to_string(ms));
}

std::vector<std::string> names_of(const Trace& trace) {
  std::vector<std::string> names;
  for (const Series& s : trace.series) names.push_back(s.device.name);
  return names;
}
using Names = std::vector<std::string>;

TEST(Identity, AnIndexThatMovesWithAReboot) {
  for (const char* power : {"power_w", "power.draw [W]"}) {
    std::string log = "timestamp,index,uuid," + std::string(power) + "\n";
    for (int i = 0; i < 20; ++i) {
      const bool moved = i >= 10;
      log += stamp(i) + ",0," + (moved ? "GPU-bb22" : "GPU-aa11") + "," + (moved ? "310" : "120") + "\n";
      log += stamp(i) + ",1," + (moved ? "GPU-aa11" : "GPU-bb22") + "," + (moved ? "120" : "310") + "\n";
    }
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(names_of(*trace), (Names{"0", "1"}));
    EXPECT_EQ(trace->series[0].power_w, Powers(20, 120.0));
    EXPECT_EQ(trace->series[1].power_w, Powers(20, 310.0));
    EXPECT_EQ(trace->series[0].device.uuid, "GPU-aa11");
    EXPECT_TRUE(mentions(*trace, "'index' 0 stands for several devices"));
    EXPECT_TRUE(mentions(*trace, "A device changes its 'index'"));
  }
}

TEST(Identity, TwoHostsWithoutAHostColumn) {
  for (const int ms : {0, 250}) {
    for (const char* column : {"uuid", "serial"}) {
      std::string log = "timestamp,index," + std::string(column) + ",power_w\n";
      for (int i = 0; i < 10; ++i) log += stamp(i) + ",0,1650123,120\n" + stamp(i, ms) + ",0,1650999,310\n";
      const auto trace = read_text(log);
      ASSERT_TRUE(trace) << trace.error().message();
      ASSERT_EQ(trace->series.size(), 2U) << column << ms;
      EXPECT_EQ(trace->series[0].power_w, Powers(10, 120.0));
      EXPECT_EQ(trace->series[1].power_w, Powers(10, 310.0));
    }
  }
}

TEST(Identity, IndexAndUuidThatAgreeAreCalledByTheIndex) {
  std::string log = "timestamp,index,uuid,power_w\n";
  for (int i = 0; i < 30; ++i) log += stamp(i) + ",4,GPU-aa11,120\n" + stamp(i) + ",7,GPU-bb22,310\n";
  const auto trace = read_text(log + stamp(30) + ",7,,311\n");  // a row that lacks its uuid
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(names_of(*trace), (Names{"4", "7"}));
  EXPECT_EQ(trace->series[1].power_w.back(), 311.0);
  EXPECT_EQ(trace->understanding.devices, "column 'index', told apart by 'uuid'");
}

TEST(Identity, AUuidThatTellsNothingIsNotUsed) {
  for (const char* uuid : {"GPU-00000000-0000", "[N/A]"}) {
    std::string log = "timestamp,index,uuid,power_w\n";
    for (int i = 0; i < 3; ++i) {
      log += stamp(i) + ",0," + uuid + ",120\n" + stamp(i) + ",1," + uuid + ",310\n";
    }
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(trace->understanding.devices, "column 'index'");
    EXPECT_EQ(names_of(*trace), (Names{"0", "1"}));
  }
}

TEST(Identity, WordsForAHost) {
  for (const char* column : {"server", "machine", "nodename", "computer", "host_id", "chassis", "ip", "instance",
                             "worker", "pod", "job", "source", "rank"}) {
    std::string log = "timestamp," + std::string(column) + ",gpu,power_w\n";
    for (int i = 0; i < 5; ++i) {
      log += stamp(i) + ",a,0,120\n" + stamp(i) + ",a,1,130\n" + stamp(i, 300) + ",b,0,310\n" + stamp(i, 300) +
             ",b,1,320\n";
    }
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << column << trace.error().message();
    EXPECT_EQ(names_of(*trace), (Names{"a/0", "a/1", "b/0", "b/1"})) << column;
  }
  // Pods that follow each other on one GPU are not two machines.
  std::string pods = "timestamp,pod,gpu,power_w\n";
  for (int i = 0; i < 10; ++i) pods += stamp(i) + (i < 5 ? ",first" : ",second") + ",0,120\n";
  const auto one = read_text(pods);
  ASSERT_TRUE(one);
  EXPECT_EQ(names_of(*one), (Names{"0"}));
}

TEST(Identity, OneIndexAndTwoModelsAreTwoDevices) {
  // Logs of two machines behind each other; far more rows of the first than are looked at before reading.
  const auto rows = [](int from, int count, const std::string& name, int watts) {
    std::string text;
    for (int i = from; i < from + count; ++i) {
      for (const int gpu : {0, 1}) {
        text += "2026/03/02 " + std::to_string(10 + i / 3600) + ":" + std::to_string(i / 60 % 60 + 100).substr(1) +
                ":" + std::to_string(i % 60 + 100).substr(1) + ".000, " + std::to_string(gpu) + ", " + name + ", " +
                std::to_string(watts + gpu) + ".00 W\n";
      }
    }
    return text;
  };
  const std::string header = "timestamp, index, name, power.draw [W]\n";
  const std::string first = header + rows(0, 2000, "NVIDIA H100 80GB HBM3", 600);
  const auto one = read_text(first + rows(2000, 3, "[Unknown Error]", 600));
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(names_of(*one), (Names{"0", "1"}));
  EXPECT_FALSE(mentions(*one, "several names"));
  // The second machine's log covers the same time, or a later one.
  for (const int from : {0, 5000}) {
    const auto two = read_text(first + header + rows(from, 10, "NVIDIA A100-SXM4-80GB", 300));
    ASSERT_TRUE(two) << two.error().message();
    EXPECT_EQ(names_of(*two), (Names{"0 (NVIDIA H100 80GB HBM3)", "1 (NVIDIA H100 80GB HBM3)",
                                     "0 (NVIDIA A100-SXM4-80GB)", "1 (NVIDIA A100-SXM4-80GB)"}));
    EXPECT_EQ(two->series[0].size(), 2000U);
    EXPECT_EQ(two->series[3].size(), 10U);
    EXPECT_EQ(two->series[3].power_w.back(), 301.0);
    EXPECT_EQ(two->series[3].device.model, "NVIDIA A100-SXM4-80GB");
    EXPECT_TRUE(mentions(*two, "'index' 0 stands for GPUs of several names, 'NVIDIA H100 80GB HBM3' among them"));
    EXPECT_TRUE(two->understanding.warnings.empty());
  }
  // Who names the column of devices has decided.
  const auto stated = read_text(first + rows(5000, 10, "NVIDIA A100-SXM4-80GB", 300), {.device_column = "index"});
  ASSERT_TRUE(stated) << stated.error().message();
  EXPECT_EQ(names_of(*stated), (Names{"0", "1"}));
}

TEST(Identity, ModelsOfOtherTablesTellDevicesOnlyWhereTheyAreOfGpus) {
  for (const auto& [column, devices] : {std::pair{"gpu_name", 2U}, {"gpu_model", 2U}, {"model", 1U}, {"name", 1U}}) {
    std::string log = std::string("timestamp,gpu,") + column + ",power_w\n";
    for (int i = 0; i < 6; ++i) log += stamp(i) + ",0," + (i < 3 ? "small" : "large") + ",300\n";
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(trace->series.size(), devices) << column;
  }
}

}  // namespace
}  // namespace wattrein::trace
