#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "pm.txt", options);
}

std::string block(const std::string& stamp, const std::string& elapsed, const std::string& body) {
  return "\n*** Sampled system activity (" + stamp + ") (" + elapsed +
         "ms elapsed) ***\n\n**** Processor usage ****\n\n" + body + "\n";
}
const std::string kFirst =
    "CPU 0 frequency: 1359 MHz\nCPU Power: 800 mW\nGPU Power: 26 mW\nANE Power: 0 mW\n"
    "Combined Power (CPU + GPU + ANE): 826 mW\n\n**** GPU usage ****\n\nGPU Power: 27 mW\n";
const std::string kSecondBody =
    "CPU Power: 1500 mW\nGPU Power: 4000 mW\nANE Power: 0 mW\nCombined Power (CPU + GPU + ANE): 5500 mW\n";
const std::string kMac = "Machine model: Mac99,1\nOS version: 99A1\n";

TEST(PowerMetrics, CombinedPowerStandsWhereItsIntervalBegan) {
  const auto t = read(kMac + block("Mon Nov 30 17:41:14 2026 +0100", "1002.90", kFirst) +
                      block("Mon Nov 30 17:41:15 2026 +0100", "1010.09", kSecondBody));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "powermetrics");
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "soc");
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{0.826, 5.5}));
  // 17:41:14 at +01:00 is 1796056874; the first sample began 1.0029 s before. The second ended 1.01009 s after the
  // first, which its stamp's second allows: it began where the first ended.
  EXPECT_EQ(t->start_unix_ns, 1'796'056'874 * kSecond - 1'002'900'000);
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 1'002'900'000}));
  EXPECT_TRUE(t->start_has_zone);
  EXPECT_TRUE(mentions(*t, "only 'Combined Power' is read"));
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(PowerMetrics, TheGpuIsADeviceAndItsSecondLineNoSecondReading) {
  const auto t = read(block("Mon Nov 30 17:41:14 2026 +0100", "1000", kFirst) +
                          block("Mon Nov 30 17:41:15 2026 +0100", "1000", kSecondBody),
                      {.power_column = "gpu power"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].device.name, "gpu");
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{0.026, 4}));
}

TEST(PowerMetrics, OlderAndIntelMachinesHavePackagePower) {
  const auto m1 = read(block("Mon Nov 30 17:41:14 2026 +0100", "1000", "Package Power: 180 mW\nGPU Power: 5 mW\n"));
  ASSERT_TRUE(m1) << m1.error().message();
  EXPECT_EQ(m1->series[0].device.name, "package");
  EXPECT_EQ(m1->series[0].power_w, std::vector<double>{0.18});
  const auto intel = read(block("Mon Nov 30 17:41:14 2026 +0100", "1000",
                                "Intel energy model derived package power (CPUs+GT+SA): 2.57W\n"));
  ASSERT_TRUE(intel) << intel.error().message();
  EXPECT_EQ(intel->series[0].power_w, std::vector<double>{2.57});
  const auto gpu_only = read(block("Mon Nov 30 17:41:14 2026 +0100", "1000", "GPU Power: 5 mW\n"));
  ASSERT_TRUE(gpu_only) << gpu_only.error().message();
  EXPECT_EQ(gpu_only->series[0].device.name, "gpu");
}

TEST(PowerMetrics, WithinASecondSamplesFollowEachOther) {
  std::string text;
  // 250 ms each from 14.0 s on; stamps are whole seconds.
  for (const char* second : {"14", "14", "14", "14", "15", "15"}) {
    text += block(std::string("Mon Nov 30 17:41:") + second + " 2026 +0000", "250", "CPU Power: 10 mW\n");
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(t->series[0].time_ns[i], static_cast<std::int64_t>(i) * 250'000'000) << i;
  }
}

TEST(PowerMetrics, DamagedBlocksAreCounted) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += block("Mon Nov 30 17:41:" + std::to_string(10 + i) + " 2026 +0100", "1000", "CPU Power: 10 mW\n");
  }
  text += block("some day", "1000", "CPU Power: 10 mW\n");
  text += block("Mon Nov 30 17:42:14 2026 +0100", "1000", "CPU Power: 1x mW\n");
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 40);
  EXPECT_EQ(t->understanding.damaged, 2);
}

TEST(PowerMetrics, APropertyListNamesTheText) {
  const auto t = read(
      "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n<key>is_delta</key><true/>\n"
      "<key>elapsed_ns</key><integer>1000</integer>\n</dict></plist>\n");
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
  EXPECT_NE(t.error().cure.find("--format text"), std::string::npos);
}

TEST(PowerMetrics, WithoutPowerSamplersItSaysSo) {
  const auto t = read(block("Mon Nov 30 17:41:14 2026 +0100", "1000", "CPU 0 frequency: 1359 MHz\n"));
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
}

}  // namespace
}  // namespace wattrein::trace
