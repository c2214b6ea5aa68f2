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
  return read_memory(text, "scrape.prom", options);
}

TEST(PrometheusText, OneScrapeIsASnapshotWithoutAClock) {
  const auto t = read(
      "# HELP DCGM_FI_DEV_POWER_USAGE Power draw (in W).\n"
      "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-a\",modelName=\"NVIDIA H100\",Hostname=\"n1\"} 113.611000\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"GPU-b\",modelName=\"NVIDIA H100\",Hostname=\"n1\"} 6.8347e1\n"
      "# TYPE DCGM_FI_DEV_GPU_TEMP gauge\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-a\"} 30\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "prometheus-text");
  ASSERT_EQ(t->series.size(), 2U);
  const Device& d = t->series[0].device;
  EXPECT_EQ(d.name, "0");
  EXPECT_EQ(d.uuid, "GPU-a");
  EXPECT_EQ(d.model, "NVIDIA H100");
  EXPECT_EQ(d.host, "n1");
  EXPECT_EQ(d.meter, MeterKind::average_1s);  // nvml.h: Ampere and newer, except GA100
  EXPECT_FALSE(d.nameplate);
  EXPECT_EQ(t->series[0].time_ns, std::vector<std::int64_t>{0});
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{113.611});
  EXPECT_EQ(t->series[1].power_w, std::vector<double>{68.347});
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_EQ(t->understanding.clock, "none: a single scrape");
  EXPECT_EQ(t->understanding.power, "DCGM_FI_DEV_POWER_USAGE [W]");
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(PrometheusText, LimitsAndEnergyAreNeverTheDraw) {
  const auto t = read(
      "DCGM_FI_DEV_POWER_MGMT_LIMIT{gpu=\"0\"} 400\n"
      "DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF{gpu=\"0\"} 700\n"
      "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\"} 1234567\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 350\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  const Series& s = t->series[0];
  EXPECT_EQ(s.power_w, std::vector<double>{350});
  EXPECT_EQ(s.column(Column::limit_w), std::vector<double>{400});
  EXPECT_DOUBLE_EQ(s.column(Column::energy_j)[0], 1234.567);
  EXPECT_EQ(s.device.nameplate, Watts(700));
  EXPECT_FALSE(mentions(*t, "nameplate"));
}

TEST(PrometheusText, ALimitInForceStandsInForTheNameplateAndSaysSo) {
  const auto t = read("DCGM_FI_DEV_POWER_MGMT_LIMIT{gpu=\"0\"} 400\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 350\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].device.nameplate, Watts(400));
  EXPECT_TRUE(mentions(*t, "may be rated higher"));
}

TEST(PrometheusText, InstantGoesBeforeTheAverageWhichStaysBesideIt) {
  const auto t = read(
      "nvidia_smi_index{uuid=\"u-5\"} 5\n"
      "nvidia_smi_gpu_info{uuid=\"u-5\",name=\"Some GPU\"} 1\n"
      "nvidia_smi_power_draw_average_watts{uuid=\"u-5\"} 300\n"
      "nvidia_smi_power_draw_instant_watts{uuid=\"u-5\"} 310\n"
      "nvidia_smi_power_draw_watts{uuid=\"u-5\"} 301\n"
      "nvidia_smi_power_limit_watts{uuid=\"u-5\"} 500\n"
      "nvidia_smi_enforced_power_limit_watts{uuid=\"u-5\"} 450\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  const Series& s = t->series[0];
  EXPECT_EQ(s.device.name, "5");
  EXPECT_EQ(s.device.model, "Some GPU");
  EXPECT_EQ(s.device.meter, MeterKind::instantaneous);
  EXPECT_EQ(s.power_w, std::vector<double>{310});
  EXPECT_EQ(s.column(Column::average_w), std::vector<double>{300});
  EXPECT_EQ(s.column(Column::limit_w), std::vector<double>{450});
  EXPECT_TRUE(mentions(*t, "nvidia_smi_power_draw_watts is in the file too"));
}

TEST(PrometheusText, AnInstantMetricThatIsAlwaysNanGivesWay) {
  const auto t = read(
      "nvidia_smi_power_draw_instant_watts{uuid=\"u\"} NaN\n"
      "nvidia_smi_power_draw_watts{uuid=\"u\"} 301\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{301});
  EXPECT_EQ(t->series[0].device.meter, MeterKind::unknown);
}

TEST(PrometheusText, UnderstandsEscapesBlanksAndSpecialValues) {
  const auto t = read(
      "DCGM_FI_DEV_POWER_USAGE { gpu = \"0\" , UUID=\"a\\\\b\\\"c\\nd\",} 1.5e2\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"}, {\"}\t+Inf\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"2\",UUID=\"u2\"} NaN\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"3\",UUID=\"u3\"} 9.223372036854775794e18\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 4U);
  EXPECT_EQ(t->series[0].device.uuid, "a\\b\"c\nd");
  EXPECT_EQ(t->series[0].power_w[0], 150);
  EXPECT_EQ(t->series[1].device.uuid, "}, {");
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(std::isnan(t->series[i].power_w[0])) << i;
  EXPECT_EQ(t->understanding.unknown_power, 3);
}

TEST(PrometheusText, StampsMakeAppendedScrapesASeries) {
  std::string text;
  for (int k = 0; k < 3; ++k) {
    const std::string stamp = std::to_string(1'773'114'089'943 + 15'000 * k);
    text += "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\n";
    text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} " + std::to_string(100 + k) + " " + stamp + "\n";
    text += "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\"} " + std::to_string(1000 * k) + " " + stamp + "\n";
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 15 * kSecond, 30 * kSecond}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{100, 101, 102}));
  EXPECT_EQ(t->series[0].column(Column::energy_j), (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(t->start_unix_ns, 1'773'114'089'943'000'000);
  EXPECT_TRUE(t->start_has_zone);
  EXPECT_EQ(t->understanding.clock, "unix epoch in ms");
}

TEST(PrometheusText, OpenMetricsStampsAreSeconds) {
  const auto t = read(
      "nv_gpu_power_usage{gpu_uuid=\"a\"} 100 1773114089.943 # {trace=\"x\"} 1\n"
      "nv_gpu_power_usage{gpu_uuid=\"a\"} 101 1773114090\n"
      "# EOF\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->start_unix_ns, 1'773'114'089'943'000'000);
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 57'000'000}));
}

TEST(PrometheusText, AppendedScrapesWithoutStampsNeedAPeriod) {
  std::string text;
  for (int k = 0; k < 3; ++k) {
    text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} " + std::to_string(100 + k) + "\n";
    text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} " + std::to_string(200 + k) + "\n";
  }
  const auto without = read(text);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().kind, ErrorKind::usage);
  EXPECT_NE(without.error().what.find("3 scrapes"), std::string::npos);
  EXPECT_NE(without.error().cure.find("--period"), std::string::npos);

  const auto t = read(text, {.period = Nanos(15 * kSecond), .start_unix_ns = 1'700'000'000 * kSecond});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[1].time_ns, (std::vector<std::int64_t>{0, 15 * kSecond, 30 * kSecond}));
  EXPECT_EQ(t->series[1].power_w, (std::vector<double>{200, 201, 202}));
  EXPECT_EQ(t->start_unix_ns, 1'700'000'000 * kSecond);
}

TEST(PrometheusText, ALabelThatEndsWithinAScrapeCostsNoCertainty) {
  // GPU 0's pod ends between the two metrics of the third scrape.
  std::string text;
  for (int k = 0; k < 5; ++k) {
    const std::string power = std::to_string(100 + k) + "\n";
    text += std::string("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"") + (k < 3 ? ",pod=\"x\"" : "") + "} 40\n";
    text += "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\"} 41\n";
    text += std::string("DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"") + (k < 2 ? ",pod=\"x\"" : "") + "} " + power;
    text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} " + power;
  }
  const auto t = read(text, {.period = Nanos(kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  for (const Series& s : t->series) {
    EXPECT_EQ(s.power_w, (std::vector<double>{100, 101, 102, 103, 104}));
    EXPECT_EQ(s.time_ns.back(), 4 * kSecond);
  }
  EXPECT_TRUE(t->understanding.warnings.empty());
}

TEST(PrometheusText, ANewScrapeIsSeenByItsCommentsToo) {
  // The only series changes its labels when the pod does; TYPE comes once a scrape all the same.
  const auto t = read(
      "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\nDCGM_FI_DEV_POWER_USAGE{UUID=\"a\",pod=\"x\"} 100\n"
      "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\nDCGM_FI_DEV_POWER_USAGE{UUID=\"a\",pod=\"y\"} 200\n",
      {.period = Nanos(kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{100, 200}));
}

TEST(PrometheusText, ScrapesOfSeveralHostsAreOneSnapshot) {
  std::string text;
  for (const char* host : {"a", "b"}) {
    text += "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\",Hostname=\"" + std::string(host) +
            "\"} 100\nup 1\n";
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].time_ns, std::vector<std::int64_t>{0});
  EXPECT_EQ(t->series[1].time_ns, std::vector<std::int64_t>{0});
  EXPECT_TRUE(mentions(*t, "taken as one moment"));
}

TEST(PrometheusText, MigInstancesRepeatTheirGpuAndCountOnce) {
  const auto t = read(
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"a\",GPU_I_ID=\"1\"} 250\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"a\",GPU_I_ID=\"2\"} 250\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"b\"} 80\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{250});
  EXPECT_TRUE(mentions(*t, "1 reading of the same device and moment is dropped"));
  EXPECT_FALSE(mentions(*t, "differs"));
}

TEST(PrometheusText, HostsPrefixNamesWhenThereAreSeveral) {
  const auto t = read(
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",Hostname=\"a\"} 1\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",Hostname=\"b\"} 2\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "a/0");
  EXPECT_EQ(t->series[1].device.name, "b/0");
}

TEST(PrometheusText, AnotherMetricIsNamedAndBringsItsUnit) {
  const std::string text =
      "board_power_milliwatts{card=\"left\",bus=\"1\"} 71500\n"
      "board_power_milliwatts{card=\"right\",bus=\"1\"} 72500\n"
      "board_heat{card=\"left\",bus=\"1\"} 2\n";
  const auto none = read(text, {.format = "prometheus-text"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::bad_input);
  EXPECT_NE(none.error().cure.find("board_power_milliwatts"), std::string::npos);

  const auto t = read(text, {.power_column = "board_power_milliwatts"});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "left");
  EXPECT_EQ(t->series[1].device.name, "right");
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{71.5});

  const auto heat = read(text, {.power_column = "board_heat", .power_unit = "kW"});
  ASSERT_TRUE(heat) << heat.error().message();
  EXPECT_EQ(heat->series[0].power_w, std::vector<double>{2000});
  const auto bare = read(text, {.power_column = "board_heat"});
  ASSERT_TRUE(bare) << bare.error().message();
  EXPECT_EQ(bare->series[0].power_w, std::vector<double>{2});
  EXPECT_TRUE(mentions(*bare, "watts are assumed"));
}

TEST(PrometheusText, TheMeterOfPlainPowerFollowsFromTheModel) {
  const auto t = read(
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",modelName=\"NVIDIA A100-SXM4-80GB\"} 1\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 2\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].device.meter, MeterKind::instantaneous);
  EXPECT_EQ(t->series[1].device.meter, MeterKind::unknown);
  const auto named = read("x_watts{gpu=\"0\",modelName=\"NVIDIA A100-SXM4-80GB\"} 1\n", {.power_column = "x_watts"});
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_EQ(named->series[0].device.meter, MeterKind::unknown);
}

TEST(PrometheusText, AnEnergyCounterThatFallsIsLeftOut) {
  std::string text;
  for (int k = 0; k < 3; ++k) {
    const std::string stamp = " " + std::to_string(1'773'114'089'000 + 1000 * k) + "\n";
    text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 100" + stamp + "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\"} 100" + stamp;
    text += "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"0\"} " + std::to_string(k == 1 ? 9000 : 1000) + stamp;
    text += "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu=\"1\"} " + std::to_string(1000 + k) + stamp;
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_TRUE(t->series[0].column(Column::energy_j).empty());
  EXPECT_DOUBLE_EQ(t->series[1].column(Column::energy_j)[2], 1.002);
  EXPECT_TRUE(mentions(*t, "The energy counter falls on 1 device"));
}

TEST(PrometheusText, ALabelCanBeNamedAsTheDevice) {
  const auto t = read(
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"a\",slot=\"top\"} 1\n"
      "DCGM_FI_DEV_POWER_USAGE{gpu=\"1\",UUID=\"b\",slot=\"low\"} 2\n",
      {.device_column = "slot"});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].device.name, "top");
  EXPECT_EQ(t->series[1].device.name, "low");
}

TEST(PrometheusText, OptionsThatDoNotFitAreRefused) {
  const std::string text = "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 1\n";
  for (const ReadOptions& options :
       {ReadOptions{.time_column = "t"}, ReadOptions{.phase_column = "p"}, ReadOptions{.power_unit = "mW"},
        ReadOptions{.power_column = "DCGM_FI_DEV_POWER_USAG"},
        ReadOptions{.power_column = "DCGM_FI_DEV_POWER_USAGE", .power_unit = "VA"},
        ReadOptions{.power_column = "node_rapl_joules_total"}}) {
    const auto t = read(text, options);
    ASSERT_FALSE(t);
    EXPECT_EQ(t.error().kind, ErrorKind::usage) << t.error().message();
  }
}

TEST(PrometheusText, DamagedAndTornLinesAreCounted) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"" + std::to_string(i) + "\"} 100\n";
  }
  const auto t = read(text +
                      "DCGM_FI_DEV_POWER_USAGE{gpu=\"40\" 100\nDCGM_FI_DEV_POWER_USAGE{gpu=\"41\"} 1x\nbroken{\n"
                      "DCGM_FI_DEV_POWER_USAGE{gpu=\"42\"} 1");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series.size(), 40U);
  EXPECT_EQ(t->understanding.damaged, 2);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "scrape.prom:41");
  EXPECT_EQ(t->understanding.first_damaged[1].reason, "'1x' is no power");
  EXPECT_EQ(t->understanding.other_lines, 1);
  EXPECT_TRUE(mentions(*t, "cut while it was written"));
}

TEST(PrometheusText, AReadingWithoutAStampAmongStampedOnesIsDamage) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 100 " + std::to_string(1'773'114'000'000 + 1000 * i) + "\n";
  }
  const auto t = read(text + "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 100\n", {.period = Nanos(kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "scrape.prom:41");
  EXPECT_EQ(t->series[0].size(), 40U);
}

TEST(PrometheusText, SharedTrace19) {
  const auto path = shared_trace("19_h100-nvidia_gpu_exporter-load.metrics");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  const Series& s = t->series[0];
  EXPECT_EQ(s.power_w, std::vector<double>{625.68});
  EXPECT_EQ(s.column(Column::average_w), std::vector<double>{631.95});
  EXPECT_EQ(s.column(Column::limit_w), std::vector<double>{700});
  EXPECT_EQ(s.device.nameplate, Watts(700));
  EXPECT_EQ(s.device.meter, MeterKind::instantaneous);
  EXPECT_EQ(s.device.name, "0");
  EXPECT_EQ(s.device.uuid, "");
  EXPECT_EQ(s.device.model, "NVIDIA H100 80GB HBM3");
}

TEST(PrometheusText, SharedTrace29) {
  const auto path = shared_trace("29_h100x8-dcgm-exporter-k8s.prom");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 8U);
  double sum = 0;
  double most = 0;
  for (const Series& s : t->series) {
    ASSERT_EQ(s.size(), 1U);
    sum += s.power_w[0];
    most = std::max(most, s.power_w[0]);
  }
  EXPECT_NEAR(sum, 583.767, 1e-9);
  EXPECT_EQ(most, 113.611);
  EXPECT_EQ(t->series[0].device.name, "0");
  EXPECT_EQ(t->series[0].power_w[0], 113.611);
}

}  // namespace
}  // namespace wattrein::trace
