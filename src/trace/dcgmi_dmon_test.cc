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
  return read_memory(text, "dmon.txt", options);
}

const std::string kTwoGpus =
    "#Entity   POWER   SMACT   \n"
    "ID        W               \n"
    "GPU 0     100.5   N/A     \n"
    "GPU 1     200.25  N/A     \n"
    "GPU 0     101     0.5     \n"
    "GPU 1     201     0.5     \n";

TEST(DcgmiDmon, ReadsOneSecondARowFromZeroAndSaysSo) {
  const auto t = read(kTwoGpus);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "dcgmi-dmon");
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "0");
  EXPECT_EQ(t->series[1].device.name, "1");
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{100.5, 101}));
  EXPECT_EQ(t->series[1].power_w, (std::vector<double>{200.25, 201}));
  EXPECT_EQ(t->series[0].device.meter, MeterKind::unknown);
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_EQ(t->understanding.clock, "none: 1 s a row from zero (assumed)");
  EXPECT_TRUE(mentions(*t, "dmon writes no time: 1 s a row from zero is assumed; --period says otherwise."));
  EXPECT_EQ(t->understanding.rows, 4);
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(DcgmiDmon, TakesPeriodAndStart) {
  const auto t = read(kTwoGpus, {.period = Nanos(500'000'000), .start_unix_ns = 1'781'074'352 * kSecond});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[1].time_ns, (std::vector<std::int64_t>{0, kSecond / 2}));
  EXPECT_EQ(t->start_unix_ns, 1'781'074'352 * kSecond);
  EXPECT_EQ(t->understanding.clock, "none: 500 ms a row (--period)");
  EXPECT_FALSE(mentions(*t, "is assumed"));
}

TEST(DcgmiDmon, RefusesAPeriodThatOverflows) {
  std::string text = "#Entity   POWER\n";
  for (int i = 0; i < 4; ++i) text += "GPU 0     100\n";
  const auto t = read(text, {.period = Nanos(std::int64_t{1} << 62)});
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::usage);
}

TEST(DcgmiDmon, FindsPowerInAnyColumnOrder) {
  const auto t = read(
      "#Entity   GPUTL   TOTEC           POWER   EPLMT   \n"
      "ID        %       mJ              W       W       \n"
      "GPU 3     99      1234567         350.5   400.000 \n");
  ASSERT_TRUE(t) << t.error().message();
  const Series& s = t->series[0];
  EXPECT_EQ(s.device.name, "3");
  EXPECT_EQ(s.power_w, std::vector<double>{350.5});
  EXPECT_DOUBLE_EQ(s.column(Column::energy_j)[0], 1234.567);
  EXPECT_EQ(s.column(Column::limit_w), std::vector<double>{400});
  EXPECT_EQ(s.device.nameplate, Watts(400));
}

TEST(DcgmiDmon, PrefersInstantPowerAndKnowsItsKind) {
  const std::string text =
      "#Entity   POWER   POWINST\n"
      "ID        W       W\n"
      "GPU 0     300     310\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{310});
  EXPECT_EQ(t->series[0].device.meter, MeterKind::instantaneous);
  EXPECT_TRUE(mentions(*t, "--power POWER"));
  for (const char* column : {"power", "#2"}) {
    const auto other = read(text, {.power_column = column});
    ASSERT_TRUE(other) << other.error().message();
    EXPECT_EQ(other->series[0].power_w, std::vector<double>{300}) << column;
    EXPECT_EQ(other->series[0].device.meter, MeterKind::unknown);
  }
}

TEST(DcgmiDmon, AGpuWithoutInstantPowerHasItsPlainOne) {
  const auto t = read(
      "#Entity   POWER         POWINST     \n"
      "ID        W             W           \n"
      "GPU 0     100.000       101.000     \n"
      "GPU 1     170.000       N/A         \n"
      "GPU 0     102.000       103.000     \n"
      "GPU 1     171.000       2147483632  \n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{101, 103}));
  EXPECT_EQ(t->series[1].power_w, (std::vector<double>{170, 171}));
  EXPECT_EQ(t->series[1].device.meter, MeterKind::unknown);
  EXPECT_TRUE(mentions(*t, "Device 1 has no reading of 'POWINST': 'POWER' is taken as the power instead."));
}

TEST(DcgmiDmon, ReadsLongNamesAndTheOlderRightAlignedLayout) {
  const auto longer = read("#Entity   DCGM_FI_DEV_POWER_USAGE\nGPU 0     71.5\n");
  ASSERT_TRUE(longer) << longer.error().message();
  EXPECT_EQ(longer->series[0].power_w, std::vector<double>{71.5});
  const auto older = read(
      "#    Entity      POWER    TOTEC\n"
      "         Id          W       mJ\n"
      "      GPU 0     71.500   123000\n");
  ASSERT_TRUE(older) << older.error().message();
  EXPECT_EQ(older->series[0].power_w, std::vector<double>{71.5});
  EXPECT_EQ(older->series[0].column(Column::energy_j), std::vector<double>{123});
}

TEST(DcgmiDmon, CellsWithBlanksAreFoundByPosition) {
  const auto t = read(
      "#Entity   DVNAM                  POWER     \n"
      "ID                               W         \n"
      "GPU 0     NVIDIA H200            95.886    \n"
      "GPU 0                            96        \n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{95.886, 96}));
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(DcgmiDmon, NotAvailableAndBlanksAreUnknownNeverZero) {
  const auto t = read(
      "#Entity   POWER                 TOTEC                EPLMT\n"
      "GPU 0     N/A                   9223372036854775794  140737488355330.000\n"
      "GPU 0     2147483632            N/A                  N/A\n"
      "GPU 0     9223372036854775792   2147483632           300\n"
      "GPU 0     140737488355328.000   2147483999           300\n"
      "GPU 0     99                    2147484000           300\n");
  ASSERT_TRUE(t) << t.error().message();
  const Series& s = t->series[0];
  ASSERT_EQ(s.size(), 5U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(std::isnan(s.power_w[i])) << i;
  EXPECT_EQ(s.power_w[4], 99);
  EXPECT_EQ(t->understanding.unknown_power, 4);
  EXPECT_EQ(t->understanding.damaged, 0);
  // An energy counter passes the 32-bit blanks by right: 2147483632 mJ is 2147.5 kJ.
  const auto& energy = s.column(Column::energy_j);
  EXPECT_TRUE(std::isnan(energy[0]));
  EXPECT_TRUE(std::isnan(energy[1]));
  EXPECT_DOUBLE_EQ(energy[2], 2147483.632);
  EXPECT_DOUBLE_EQ(energy[4], 2147484.0);
  const auto& limit = s.column(Column::limit_w);
  EXPECT_TRUE(std::isnan(limit[0]));
  EXPECT_EQ(limit[2], 300);
}

TEST(DcgmiDmon, RepeatedHeadersAndBannersAreNoDamage) {
  const auto t = read(kTwoGpus + kTwoGpus + "\n\ndmon was stopped do to receiving a signal\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond, 2 * kSecond, 3 * kSecond}));
  EXPECT_EQ(t->understanding.repeated_headers, 1);
  EXPECT_EQ(t->understanding.other_lines, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(DcgmiDmon, OnlyGpusAreDevices) {
  const auto t = read(
      "#Entity   POWER\n"
      "GPU 0     300\n"
      "GPU-I 1   N/A\n"
      "GPU-CI 2  150\n"
      "CPU 0     90\n"
      "GPU 0     310\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{300, 310}));
  EXPECT_EQ(t->understanding.other_lines, 3);
  EXPECT_TRUE(mentions(*t, "3 rows of other entities than GPUs (GPU-I 1 first) were passed over"));
}

TEST(DcgmiDmon, AMissingRowMovesNobodyElse) {
  const auto t = read(
      "#Entity   POWER\n"
      "GPU 0     10\nGPU 1     20\n"
      "GPU 1     21\n"  // GPU 0 gave no row in this poll
      "GPU 0     12\nGPU 1     22\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 2 * kSecond}));
  EXPECT_EQ(t->series[1].time_ns, (std::vector<std::int64_t>{0, kSecond, 2 * kSecond}));
}

TEST(DcgmiDmon, DamagedRowsAreCountedWithTheirPlace) {
  std::string text = "#Entity   POWER   SMACT\n";
  for (int i = 0; i < 40; ++i) text += "GPU 0     100     0.1\n";
  text += "GPU 0     1x0     0.1\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "dmon.txt:42");
  EXPECT_EQ(t->understanding.first_damaged[0].reason, "'1x0' is no power");
}

TEST(DcgmiDmon, ATornLastRowIsLeftOut) {
  // "20" may be the start of "201.5".
  const auto t = read("#Entity   POWER\nGPU 0     200\nGPU 0     20");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{200});
  EXPECT_TRUE(mentions(*t, "cut while it was written"));
}

TEST(DcgmiDmon, SaysWhatIsMissing) {
  const auto none = read("#Entity   SMACT   DRAMA\nGPU 0     0.1     0.2\n");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::bad_input);
  EXPECT_NE(none.error().what.find("SMACT, DRAMA"), std::string::npos);
  EXPECT_NE(none.error().cure.find("155"), std::string::npos);
  const auto misspelt = read(kTwoGpus, {.power_column = "WATTS"});
  ASSERT_FALSE(misspelt);
  EXPECT_EQ(misspelt.error().kind, ErrorKind::usage);
  const auto time = read(kTwoGpus, {.time_column = "t"});
  ASSERT_FALSE(time);
  EXPECT_EQ(time.error().kind, ErrorKind::usage);
  const auto headless = read("GPU 0     100\n", {.format = "dcgmi-dmon"});
  ASSERT_FALSE(headless);
  EXPECT_NE(headless.error().what.find("#Entity"), std::string::npos);
}

struct Expected {
  double mean;
  double max;
};

/// Figures of an independent reading of the same files (reference.json beside them).
void expect_file(const std::string& file, std::size_t n, const std::vector<Expected>& expected) {
  const auto path = shared_trace(file);
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {.period = Nanos(kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), expected.size());
  EXPECT_EQ(t->understanding.damaged, 0);
  for (std::size_t d = 0; d < expected.size(); ++d) {
    const Series& s = t->series[d];
    EXPECT_EQ(s.device.name, std::to_string(d));
    ASSERT_EQ(s.size(), n);
    EXPECT_EQ(s.time_ns.back(), static_cast<std::int64_t>(n - 1) * kSecond);
    double sum = 0;
    for (const double w : s.power_w) sum += w;
    EXPECT_NEAR(sum / static_cast<double>(n), expected[d].mean, 1e-9 * expected[d].mean) << d;
    EXPECT_EQ(std::ranges::max(s.power_w), expected[d].max) << d;
  }
}

TEST(DcgmiDmon, SharedTrace20) {
  expect_file("20_h200x8-kimi-c64-dcgmi-1s.txt", 900,
              {{153.78528111111115, 242.961},
               {158.74715777777791, 248.227},
               {152.00852888888892, 232.198},
               {150.51147666666657, 229.124},
               {154.55137666666673, 240.363},
               {157.2067122222225, 245.044},
               {157.43343888888896, 259.766},
               {156.96460777777781, 246.591}});
}

TEST(DcgmiDmon, SharedTrace22) {
  expect_file("22_h200x8-kimi-ramp-c16r-dcgmi.txt", 743,
              {{123.59824091520854, 187.102},
               {129.3001413189772, 193.527},
               {123.21148990578729, 182.848},
               {124.00423687752357, 180.44},
               {124.40375235531623, 189.599},
               {128.2667092866756, 190.999},
               {126.88369717362043, 190.269},
               {128.93759084791373, 187.109}});
}

}  // namespace
}  // namespace wattrein::trace
