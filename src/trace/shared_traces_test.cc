// Recorded logs, where they are at hand: figures that were worked out by another program, from reference.json.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "net/json.h"
#include "trace/read.h"

namespace wattrein::trace {
namespace {

std::filesystem::path traces() {
  const char* shared = std::getenv("WATTREIN_SHARED");
  return std::filesystem::path(shared != nullptr ? shared : "../shared") / "traces";
}

double mean(const Series& s) {
  double sum = 0.0;
  for (const double p : s.power_w) sum += p;
  return sum / static_cast<double>(s.size());
}

class Recorded : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(traces())) {
      GTEST_SKIP() << "the recorded traces are not at " << traces() << "; set WATTREIN_SHARED to check against them";
    }
  }
  static Result<Trace> read(const std::string& file, const ReadOptions& options = {}) {
    return read_file((traces() / file).string(), options);
  }
  static net::Json reference(const std::string& file) {
    std::ifstream in(traces() / "reference.json");
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const auto all = net::parse_json(text, "reference.json");
    const net::Json* entry = all ? all->find(file) : nullptr;
    return entry != nullptr ? *entry : net::Json();
  }
  static double number(const net::Json& object, std::string_view key) {
    const net::Json* value = object.find(key);
    if (value == nullptr) return std::nan("");
    if (const auto* i = std::get_if<std::int64_t>(&value->value())) return static_cast<double>(*i);
    const auto* d = std::get_if<double>(&value->value());
    return d != nullptr ? *d : std::nan("");
  }
  /// Sample count exactly, mean and largest to rounding, for every device.
  static void expect_reference(const std::string& file, const Result<Trace>& trace) {
    ASSERT_TRUE(trace) << file << ": " << trace.error().message();
    const net::Json entry = reference(file);
    const net::Json* devices = entry.find("dev");
    ASSERT_NE(devices, nullptr) << file;
    ASSERT_EQ(trace->series.size(), devices->object()->size()) << file;
    EXPECT_EQ(trace->understanding.damaged, 0) << file;
    for (const Series& s : trace->series) {
      const net::Json* device = devices->find(s.device.name);
      ASSERT_NE(device, nullptr) << file << " " << s.device.name;
      EXPECT_EQ(static_cast<double>(s.size()), number(*device, "n")) << file << " " << s.device.name;
      EXPECT_NEAR(mean(s), number(*device, "mean"), 1e-9 * mean(s)) << file << " " << s.device.name;
      EXPECT_EQ(std::ranges::max(s.power_w), number(*device, "max")) << file << " " << s.device.name;
      EXPECT_EQ(static_cast<double>(s.duplicate_stamps), number(*device, "dup")) << file << " " << s.device.name;
      const double seconds = static_cast<double>(s.time_ns.back() - s.time_ns.front()) * 1e-9;
      EXPECT_NEAR(seconds, number(*device, "dur"), 1e-6 * seconds + 1e-6) << file << " " << s.device.name;
    }
  }
};

TEST_F(Recorded, File01DevicesByRowOrder) {
  const std::string file = "01_h100x8-train-ckpt1-smi100ms.csv";
  const auto trace = read(file);
  expect_reference(file, trace);
  EXPECT_EQ(trace->understanding.devices, "row order, 8 rows a poll");
}

TEST_F(Recorded, File08WithoutHeader) {
  const std::string file = "08_rtx4000ada-noheader-5s.csv";
  expect_reference(file, read(file));
}

TEST_F(Recorded, File10WithAMislabelledIndex) {
  const std::string file = "10_h100x8-mislabelled-index.csv";
  expect_reference(file, read(file));
}

TEST_F(Recorded, File14InstantAndAverage) {
  const auto trace = read("14_h100mig-allfields-load.csv");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  const Series& s = trace->series[0];
  EXPECT_EQ(s.power_w, std::vector<double>{447.35});
  EXPECT_EQ(s.column(Column::average_w), std::vector<double>{433.78});
  EXPECT_EQ(s.column(Column::limit_w), std::vector<double>{700.0});
  EXPECT_EQ(s.device.nameplate, Watts(700.0));
  EXPECT_EQ(s.device.meter, MeterKind::instantaneous);
}

TEST_F(Recorded, File15WithoutAverage) {
  const auto trace = read("15_win2080s-allfields-load.csv");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, std::vector<double>{97.43});
  EXPECT_TRUE(trace->series[0].column(Column::average_w).empty());
}

TEST_F(Recorded, File26Microseconds) {
  const std::string file = "26_dcgm-instant-us.csv";
  expect_reference(file, read(file));
}

TEST_F(Recorded, File30IsInMilliwatts) {
  const std::string file = "30_zeus-monitor-Time-Power-mW.csv";
  const auto trace = read(file);
  expect_reference(file, trace);
  EXPECT_EQ(trace->understanding.format, "zeus");
}

TEST_F(Recorded, Files32And33AreNoTraces) {
  for (const char* file : {"32_codecarbon-emissions-gpu.csv", "33_codecarbon-emissions-example.csv"}) {
    const auto trace = read(file);
    ASSERT_FALSE(trace) << file;
    EXPECT_EQ(exit_code(trace.error().kind), 3) << file;
    EXPECT_NE(trace.error().what.find("CodeCarbon"), std::string::npos) << file;
  }
}

TEST_F(Recorded, File38WallMeter) {
  const std::string file = "38_acpower-milan.csv";
  const auto trace = read(file);
  expect_reference(file, trace);
  EXPECT_EQ(trace->understanding.other_lines, 1);
}

TEST_F(Recorded, File42WithSeparators) {
  const std::string file = "42_mi300x8-power-5s.csv";
  const auto trace = read(file);
  expect_reference(file, trace);
  EXPECT_EQ(trace->understanding.other_lines, 539);
}

TEST_F(Recorded, File54LabelsAndCounter) {
  const std::string file = "54_h100x8-tp-pp-train-node0-10hz.csv";
  const auto trace = read(file);
  expect_reference(file, trace);
  EXPECT_EQ(trace->phases, (std::vector<std::string>{"init", "warmup", "steady"}));
  const auto& energy = trace->series[0].column(Column::energy_j);
  ASSERT_EQ(energy.size(), 2287U);
  EXPECT_NEAR(energy.back() - energy.front(), 92739.4, 0.05);  // INDEX.md
}

TEST_F(Recorded, File63UnpaddedSeconds) {
  const std::string file = "63_powerjoular-rpi.csv";
  expect_reference(file, read(file));
}

TEST_F(Recorded, File59NamedColumnsAndCap) {
  const std::string file = "59_rtx-dynamic-powercap-mW.csv";
  const auto trace = read(file, {.time_column = "Time", .power_column = "Power (W)"});
  expect_reference(file, trace);
  const auto& limit = trace->series[0].column(Column::limit_w);
  const auto& power = trace->series[0].power_w;
  std::size_t above = 0;
  for (std::size_t i = 0; i < power.size(); ++i) above += power[i] > limit[i] ? 1U : 0U;
  EXPECT_EQ(above, 2643U);  // INDEX.md
}

}  // namespace
}  // namespace wattrein::trace
