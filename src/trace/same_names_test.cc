#include "trace/same_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/join.h"
#include "trace/join_for_test.h"
#include "trace/read.h"

namespace wattrein::trace {
namespace {

using Keys = std::vector<std::string>;

TEST(PlainId, OneGpuUnderSeveralSpellings) {
  EXPECT_EQ(plain_id("GPU-C4520D0B-1111-2222-3333-0123456789ab"), "c4520d0b-1111-2222-3333-0123456789ab");
  EXPECT_EQ(plain_id("c4520d0b-1111-2222-3333-0123456789ab"), "c4520d0b-1111-2222-3333-0123456789ab");
  EXPECT_EQ(plain_id("00000000:53:00.0"), "0000:53:00.0");
  EXPECT_EQ(plain_id("0000:53:00.0"), "0000:53:00.0");
  EXPECT_EQ(plain_id("53:00.0"), "0000:53:00.0");
  EXPECT_EQ(plain_id("00010000:53:00.0"), "10000:53:00.0") << "another domain";
  EXPECT_EQ(plain_id("node1"), "");
  EXPECT_EQ(plain_id("12:30:15"), "");
  EXPECT_EQ(plain_id("c4520d0b-1111-2222-3333-0123456789"), "") << "too short";
}

TEST(Uuid, MaskedOnesTellNothing) {
  EXPECT_FALSE(tells_devices("GPU-00000000-0000-0000-0000-000000000000"));
  EXPECT_FALSE(tells_devices("xxxxxxxx-xxxx"));
  EXPECT_FALSE(tells_devices(""));
  EXPECT_TRUE(tells_devices("a"));
  EXPECT_TRUE(same_uuid("GPU-C4520D0B-1111-2222-3333-0123456789ab", "c4520d0b-1111-2222-3333-0123456789AB"));
  EXPECT_FALSE(same_uuid("", ""));
}

TEST(HostKeys, AShortNameIsTheOneFullNameThatBeginsSo) {
  EXPECT_EQ(host_keys(Keys{"node1", "NODE1", "node1.cluster.local"}),
            (Keys{"node1.cluster.local", "node1.cluster.local", "node1.cluster.local"}));
  // Two full names begin so: the short one is neither.
  EXPECT_EQ(host_keys(Keys{"node1", "node1.a.local", "node1.b.local"}),
            (Keys{"node1", "node1.a.local", "node1.b.local"}));
  EXPECT_EQ(host_keys(Keys{"10.0.0.1", "10", "10.0.0.2"}), (Keys{"10.0.0.1", "10", "10.0.0.2"})) << "addresses";
  EXPECT_EQ(host_keys(Keys{"node1.cluster.local.", "node1.cluster.local"}),
            (Keys{"node1.cluster.local", "node1.cluster.local"}));
}

Series of_host(const std::string& host, const std::vector<double>& power, double from_s = 0) {
  Series s = series(host + "/0", power, from_s);
  s.device.host = host;
  return s;
}

TEST(Hosts, TwoFilesOfOneMachineUnderShortAndFullNameAreOneDevice) {
  // The second logger goes on where the first ended.
  const std::vector<double> power(30, 300.0);
  const std::vector<double> more(30, 310.0);
  const auto one = join(
      files(file("a.csv", 0, {of_host("node1", power)}), file("b.csv", 0, {of_host("node1.cluster.local", more, 30)})),
      {});
  ASSERT_EQ(one->size(), 1U) << one->front().understanding.notes.back();
  ASSERT_EQ(one->front().series.size(), 1U);
  EXPECT_EQ(one->front().series[0].device.name, "node1/0");
  EXPECT_EQ(one->front().series[0].size(), 60U);
  EXPECT_TRUE(says(one->front().understanding.notes, "Host 'node1.cluster.local' is called 'node1'"));
  const auto two = join(files(file("a.csv", 0, {of_host("node1.a.local", power)}),
                              file("b.csv", 0, {of_host("node1.b.local", more, 30)})),
                        {});
  EXPECT_EQ(two->front().series.size(), 2U);
}

TEST(Hosts, WithinAFileTheyAreOneDeviceAndSaid) {
  std::string text = "time,hostname,gpu,power_w\n";
  for (int i = 0; i < 20; ++i) {
    text += std::to_string(1'700'000'000 + i) + (i % 2 == 0 ? ",node1" : ",NODE1.cluster.local") + ",0," +
            std::to_string(300 + i) + "\n";
  }
  const auto t = read_memory(text, "log.csv", {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].size(), 20U);
  EXPECT_EQ(t->series[0].power_w[3], 303);
  EXPECT_TRUE(mentions(*t, "are taken for one machine"));
}

TEST(Hosts, NamesThatAreLikeWithPowersThatAreNotStayTwoAndAreWarnedAbout) {
  std::string text = "time,hostname,gpu,power_w\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(1'700'000'000 + i) + ",node1,0,300\n";
    text += std::to_string(1'700'000'000 + i) + ".5,node1.cluster.local,0,600\n";
  }
  const auto t = read_memory(text, "log.csv", {});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series.size(), 2U);
  ASSERT_FALSE(t->understanding.warnings.empty());
  EXPECT_NE(t->understanding.warnings[0].find("300.0 W and 600.0 W"), std::string::npos);
}

TEST(BusIds, OfTwoFormsAreOneDevice) {
  std::string text = "timestamp, pci.bus_id, power.draw [W]\n";
  for (int i = 0; i < 10; ++i) {
    text += "2026/03/02 09:15:" + std::to_string(10 + i) + ".000, " +
            (i < 5 ? "00000000:53:00.0, " : "0000:53:00.0, ") + std::to_string(300 + i) + ".00 W\n";
  }
  const auto t = read_memory(text, "smi.csv", {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].size(), 10U);
  EXPECT_TRUE(mentions(*t, "its uuid or bus id in two spellings"));
}

std::string dcgm(const std::string& labels, int second, double power) {
  return "DCGM_FI_DEV_POWER_USAGE{" + labels + "} " + std::to_string(power) + " " +
         std::to_string((1'700'000'000LL + second) * 1000) + "\n";
}

TEST(Exporters, OneGpuSeenByTwoIsCountedOnce) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    text += dcgm(R"(gpu="0",UUID="GPU-c4520d0b-1111-2222-3333-0123456789ab")", i, 300 + i);
    text += "nvidia_smi_power_draw_watts{uuid=\"c4520d0b-1111-2222-3333-0123456789ab\"} " + std::to_string(301 + i) +
            " " + std::to_string((1'700'000'000LL + i) * 1000) + "\n";
  }
  const auto t = read_memory(text, "federate.prom", {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].size(), 10U);
}

TEST(Exporters, MaskedUuidsLeaveHostAndNumber) {
  std::string text;
  for (int i = 0; i < 10; ++i) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      for (const char* host : {"n1", "n2"}) {
        text += dcgm("gpu=\"" + std::to_string(gpu) + "\",Hostname=\"" + host +
                         "\",UUID=\"GPU-00000000-0000-0000-0000-000000000000\"",
                     i, 300 + 10 * gpu + (host[1] == '2' ? 100 : 0));
      }
    }
  }
  const auto t = read_memory(text, "masked.prom", {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 4U);
  std::vector<double> first;
  for (const Series& s : t->series) {
    EXPECT_EQ(s.size(), 10U);
    first.push_back(s.power_w.front());
  }
  EXPECT_EQ(first, (std::vector<double>{300, 400, 310, 410}));
  EXPECT_TRUE(mentions(*t, "The UUIDs are masked"));
}

}  // namespace
}  // namespace wattrein::trace
