#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "tegra.txt", options);
}

std::string orin_nx(const std::string& stamp, const std::string& input) {
  return stamp + "RAM 2000/15600MB (lfb 4x4MB) SWAP 0/7800MB (cached 0MB) CPU [1%@729,off] EMC_FREQ 0% GR3D_FREQ 0% " +
         "gpu@45.1C VDD_IN " + input + " VDD_CPU_GPU_CV 700mW/700mW VDD_SOC 1300mW/1300mW\n";
}

TEST(Tegrastats, TheModulesInputIsReadAndItsPartsAreNot) {
  const auto t =
      read(orin_nx("11-30-2026 17:41:14 ", "5000mW/4900mW") + orin_nx("11-30-2026 17:41:15 ", "6500mW/4950mW"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "tegrastats");
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "VDD_IN");
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{5, 6.5}));
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond}));
  EXPECT_EQ(t->start_unix_ns, 1'796'060'474 * kSecond);  // date -u -d '2026-11-30 17:41:14' +%s
  EXPECT_FALSE(t->start_has_zone);
  EXPECT_TRUE(mentions(*t, "VDD_IN is the input of the whole module"));
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(Tegrastats, AnotherRailIsReadByName) {
  const std::string text = orin_nx("11-30-2026 17:41:14 ", "5000mW/4900mW");
  const auto t = read(text, {.power_column = "VDD_SOC"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{1.3});
  const auto missing = read(text, {.power_column = "VDD_GPU"});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::usage);
}

TEST(Tegrastats, OlderLinesHaveNeitherUnitNorStamp) {
  const std::string poll =
      "RAM 1766/3964MB (lfb 197x4MB) IRAM 0/252kB(lfb 252kB) CPU [24%@1224,15%@1224] EMC_FREQ 0% GR3D_FREQ 0% "
      "PLL@21C POM_5V_IN 2545/2547 POM_5V_GPU 0/0 POM_5V_CPU 549/529\n";
  const auto t = read(poll + poll);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].device.name, "POM_5V_IN");
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{2.545, 2.545}));
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond}));
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_TRUE(mentions(*t, "1 s a poll from zero is assumed"));
  const auto given = read(poll + poll, {.period = Nanos(kSecond / 10)});
  ASSERT_TRUE(given) << given.error().message();
  EXPECT_EQ(given->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond / 10}));
}

TEST(Tegrastats, ModulesWithoutAnInputRailGiveTheirSuppliesAsDevices) {
  const auto t = read(
      "11-30-2026 17:41:14 RAM 10/60000MB CPU [0%@1] GR3D_FREQ 0% VDD_GPU_SOC 8000mW/8000mW VDD_CPU_CV 2000mW/2000mW "
      "VIN_SYS_5V0 5000mW/4900mW VDDQ_VDD2_1V8AO 1500mW/1500mW\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 3U);  // the memory's rail is inside VIN_SYS_5V0
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{8});
  EXPECT_EQ(t->series[2].device.name, "VIN_SYS_5V0");
  EXPECT_TRUE(mentions(*t, "their sum is the module's draw"));
}

TEST(Tegrastats, UnknownRailsAreAskedFor) {
  const auto t = read("RAM 10/60000MB CPU [0%@1] VDD_A 8mW/8mW VDD_B 2mW/2mW\n");
  ASSERT_FALSE(t);
  EXPECT_NE(t.error().what.find("'VDD_A' and 'VDD_B'"), std::string::npos) << t.error().what;
}

TEST(Tegrastats, ManyPollsASecondNeedTheirInterval) {
  std::string text;
  for (int i = 0; i < 8; ++i) {
    text += orin_nx(i < 4 ? "11-30-2026 17:41:14 " : "11-30-2026 17:41:15 ", std::to_string(1000 * (i + 1)) + "mW/1mW");
  }
  const auto refused = read(text);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_NE(refused.error().cure.find("--period"), std::string::npos);
  const auto t = read(text, {.period = Nanos(250'000'000)});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns[3], 750'000'000);
  EXPECT_EQ(t->series[0].time_ns[7], 1'750'000'000);
  EXPECT_FALSE(mentions(*t, "--period is not used"));
}

TEST(Tegrastats, StampsOfOtherProgramsInFrontAreRead) {
  const auto t = read("2026-11-30T17:41:14+00:00 " + orin_nx("", "5000mW/4900mW") + "2026-11-30T17:41:16+00:00 " +
                      orin_nx("", "5100mW/4900mW"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 2 * kSecond}));
  EXPECT_TRUE(t->start_has_zone);
}

TEST(Tegrastats, DamageAndCutsAreSaid) {
  std::string text = "tegrastats started\n";
  for (int i = 0; i < 40; ++i) text += orin_nx("11-30-2026 17:41:" + std::to_string(10 + i) + " ", "5000mW/1mW");
  text += orin_nx("99-99-2026 17:42:00 ", "9000mW/1mW");  // no such day
  text += orin_nx("11-30-2026 17:42:01 ", "9000mW/1mW").substr(0, 150);
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 40);
  EXPECT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.other_lines, 1);
  EXPECT_TRUE(mentions(*t, "The last line was cut"));
}

TEST(Tegrastats, WithoutRailsItSaysSo) {
  const auto t = read("RAM 10/60000MB CPU [0%@1] GR3D_FREQ 0%\n");
  ASSERT_FALSE(t);
  EXPECT_NE(t.error().what.find("no power rails"), std::string::npos);
}

}  // namespace
}  // namespace wattrein::trace
