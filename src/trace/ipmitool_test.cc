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
  return read_memory(text, "sdr.txt", options);
}

std::string sdr(const std::string& stamp, const std::string& watts) {
  return "Timestamp | " + stamp +
         "\n"
         "Inlet Temp       | 21 degrees C      | ok\n"
         "Fan1A            | 6000 RPM          | ok\n"
         "Current 2        | disabled          | ns\n"
         "PSU1 Input Power | 150 Watts         | ok\n"
         "PSU2 Input Power | 140 Watts         | ok\n"
         "Pwr Consumption  | " +
         watts +
         " | ok\n"
         "\n";
}

std::string dcmi(const std::string& watts, const std::string& stamp, const std::string& state = "activated") {
  return "\n    Instantaneous power reading:                   " + watts +
         " Watts\n"
         "    Minimum during sampling period:                 10 Watts\n"
         "    Maximum during sampling period:                900 Watts\n"
         "    Average power reading over sample period:      333 Watts\n"
         "    IPMI timestamp:                           " +
         stamp +
         "    Sampling period:                          00000005 Seconds.\n"
         "    Power reading state is:                   " +
         state + "\n\n";
}

TEST(Ipmitool, TheSensorOfTheWholeNodeComesBeforeItsSupplies) {
  const auto t = read(sdr("1700000000.5", "300 Watts") + sdr("1700000005.75", "320 Watts"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "ipmitool");
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "Pwr Consumption");
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{300, 320}));
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 5'250'000'000}));
  EXPECT_EQ(t->start_unix_ns, 1'700'000'000 * kSecond + kSecond / 2);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_TRUE(mentions(*t, "'PSU1 Input Power' and 'PSU2 Input Power' are also in watts and never added"));
}

TEST(Ipmitool, SuppliesAreDevicesOnlyWhereNothingElseMeasures) {
  const std::string text =
      "Timestamp | 1700000000\nPSU1 Input Power | 150 Watts | ok\nPSU1 Output Power | 140 Watts | ok\n"
      "PSU2 Input Power | 160 Watts | ok\nCPU Power | 90 Watts | ok\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].device.name, "PSU1 Input Power");
  EXPECT_EQ(t->series[1].device.name, "PSU2 Input Power");
  EXPECT_TRUE(mentions(*t, "their sum is the node's power"));
  const auto one = read(text, {.power_column = "cpu power"});
  ASSERT_TRUE(one) << one.error().message();
  ASSERT_EQ(one->series.size(), 1U);
  EXPECT_EQ(one->series[0].power_w, std::vector<double>{90});
}

TEST(Ipmitool, UnknownNamesAreAskedFor) {
  const auto t = read("Timestamp | 1700000000\nAlpha | 150 Watts | ok\nBeta | 90 Watts | ok\n");
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
  EXPECT_NE(t.error().what.find("'Alpha' and 'Beta'"), std::string::npos) << t.error().what;
  EXPECT_NE(t.error().cure.find("--power"), std::string::npos);
}

TEST(Ipmitool, LimitsAndPeaksAreNoDraw) {
  const auto t = read(
      "Timestamp | 1700000000\nSystem Power Limit | 900 Watts | ok\nPeak Power | 800 Watts | ok\n"
      "Sys Power | 410 Watts | ok\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{410});
  const auto only_limit = read("Timestamp | 1700000000\nSystem Power Limit | 900 Watts | ok\n");
  EXPECT_FALSE(only_limit);
}

TEST(Ipmitool, DisabledAndMissingReadingsAreUnknownNeverZero) {
  const auto t = read(sdr("1700000000", "300 Watts") + sdr("1700000005", "disabled") + sdr("1700000010", "no reading") +
                      sdr("1700000015", "305 Watts"));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series[0].size(), 4U);
  EXPECT_TRUE(std::isnan(t->series[0].power_w[1]));
  EXPECT_TRUE(std::isnan(t->series[0].power_w[2]));
  EXPECT_EQ(t->series[0].power_w[3], 305);
  EXPECT_EQ(t->understanding.unknown_power, 2);
}

TEST(Ipmitool, TheLayoutsOfSensorAndElist) {
  const auto sensor = read(
      "Timestamp: 2026-11-30T17:41:14Z\n"
      "System Level     | 168.000    | Watts      | ok    | na | na | na | 917.000 | 966.000 | na\n"
      "PSU2 Power       | na         | Watts      | na    | na | na | na | na | na | na\n");
  ASSERT_TRUE(sensor) << sensor.error().message();
  EXPECT_EQ(sensor->series[0].power_w, std::vector<double>{168});
  const auto elist = read("Timestamp | 1700000000\nPwr Consumption  | 77h | ok  |  7.1 | 140 Watts\n");
  ASSERT_TRUE(elist) << elist.error().message();
  EXPECT_EQ(elist->series[0].power_w, std::vector<double>{140});
}

TEST(Ipmitool, DcmiReadingsCarryTheBmcsTime) {
  const auto t = read(dcmi("250", "Thu Aug 15 09:14:41 2024\n") + dcmi("260", "08/15/2024 09:14:46 AM UTC"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].device.name, "node");
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{250, 260}));
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond}));
  EXPECT_EQ(t->start_unix_ns, 1'723'713'281 * kSecond);  // date -u -d '2024-08-15 09:14:41' +%s
  EXPECT_EQ(t->understanding.other_lines, 0);
  EXPECT_TRUE(mentions(*t, "the BMC's own clock"));
}

TEST(Ipmitool, ADeactivatedMeterIsUnknown) {
  const auto t =
      read(dcmi("250", "Thu Aug 15 09:14:41 2024\n") + dcmi("0", "Thu Aug 15 09:14:46 2024\n", "deactivated"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_TRUE(std::isnan(t->series[0].power_w[1]));
}

TEST(Ipmitool, TheLoopsOwnStampsComeFirst) {
  const auto t = read("Sun Nov 29 10:00:00 UTC 2026\n" + dcmi("250", "Thu Jan  1 00:10:00 1970\n") + "1795946405\n" +
                      dcmi("260", "Thu Jan  1 00:10:05 1970\n"));
  ASSERT_TRUE(t) << t.error().message();
  // 1795946400 is 2026-11-29 10:00:00 UTC.
  EXPECT_EQ(t->start_unix_ns, 1'795'946'400 * kSecond);
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond}));
}

TEST(Ipmitool, AnUnsetBmcClockGivesDurationsOnly) {
  const auto t = read(dcmi("250", "Thu Jan  1 00:10:00 1970\n") + dcmi("260", "Thu Jan  1 00:10:05 1970\n"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond}));
  EXPECT_TRUE(mentions(*t, "clock is not set"));
}

TEST(Ipmitool, WithoutAnyTimeThePeriodIsAskedFor) {
  const std::string text = "Pwr Consumption | 300 Watts | ok\nPwr Consumption | 310 Watts | ok\n";
  const auto t = read(text);
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::usage);
  EXPECT_NE(t.error().cure.find("--period"), std::string::npos);
  const auto given = read(text, {.period = Nanos(5 * kSecond)});
  ASSERT_TRUE(given) << given.error().message();
  EXPECT_EQ(given->series[0].time_ns, (std::vector<std::int64_t>{0, 5 * kSecond}));
  EXPECT_FALSE(given->start_unix_ns);
  const auto snapshot = read("Pwr Consumption | 300 Watts | ok\n");
  ASSERT_TRUE(snapshot) << snapshot.error().message();
  EXPECT_EQ(snapshot->understanding.clock, "none: a single poll");
}

TEST(Ipmitool, AStampCountsForOneReadingOnly) {
  std::string text;
  for (int i = 0; i < 40; ++i) text += sdr(std::to_string(1'700'000'000 + i), "300 Watts");
  text += "Pwr Consumption | 999 Watts | ok\n";  // its stamp is lost
  text += "Timestamp | garbage\nPwr Consumption | 999 Watts | ok\n";
  text += sdr("1700000100", "3x0 Watts");
  const auto t = read(text, {.lenient = true});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 40);
  EXPECT_EQ(t->understanding.damaged, 3);
  EXPECT_EQ(std::ranges::max(t->series[0].power_w), 300);
}

TEST(Ipmitool, AZoneThatIsANameIsSaid) {
  // date -u -d '2024-08-15 09:14:41' +%s
  for (const std::string& text :
       {dcmi("300", "08/15/2024 09:14:41 CEST") + dcmi("310", "08/15/2024 09:14:46 CEST"),
        sdr("Thu Aug 15 09:14:41 CEST 2024", "300 Watts") + sdr("Thu Aug 15 09:14:46 CEST 2024", "310 Watts")}) {
    const auto t = read(text);
    ASSERT_TRUE(t) << t.error().message();
    EXPECT_EQ(t->start_unix_ns, 1'723'713'281 * kSecond) << text;
    EXPECT_FALSE(t->start_has_zone);
    EXPECT_TRUE(mentions(*t, "name the zone 'CEST'")) << text;
  }
}

TEST(Ipmitool, RealLogOfAServer) {
  const std::string path = shared_trace("37_ipmi-inband-genoa.txt");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].size(), 22U);
  EXPECT_EQ(std::ranges::min(t->series[0].power_w), 130);
  EXPECT_EQ(t->understanding.damaged, 0);
}

}  // namespace
}  // namespace wattrein::trace
