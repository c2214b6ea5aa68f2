#include "trace/same_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "trace/join.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

const std::string kUuid = "1a2b3c4d-0000-1111-2222-333344445555";

bool warned(const Trace& trace, std::string_view words) {
  for (const std::string& sentence : trace.understanding.warnings) {
    if (sentence.find(words) != std::string::npos) return true;
  }
  return false;
}

TEST(SameNames, AUuidIsOneWithAndWithoutItsPrefix) {
  EXPECT_EQ(plain_id("GPU-" + kUuid), kUuid);
  EXPECT_EQ(plain_id("gpu-1A2B3C4D-0000-1111-2222-333344445555"), kUuid);
  EXPECT_EQ(plain_id("MIG-" + kUuid), kUuid);
  EXPECT_EQ(plain_id("GPU-1a2b3c4d"), "");
  EXPECT_EQ(plain_id("0"), "");
  EXPECT_TRUE(same_uuid("GPU-" + kUuid, kUuid));
  EXPECT_FALSE(same_uuid("GPU-" + kUuid, "GPU-1a2b3c4d-0000-1111-2222-333344445556"));
  EXPECT_TRUE(same_uuid("0x5a", "0x5a"));
  EXPECT_FALSE(same_uuid("0x5a", "0x5A"));  // no uuid: as it is written
}

TEST(SameNames, ABusIdIsOneWhateverItsDomainsLength) {
  EXPECT_EQ(plain_id("00000000:C3:00.0"), "0000:c3:00.0");
  EXPECT_EQ(plain_id("0000:c3:00.0"), "0000:c3:00.0");
  EXPECT_EQ(plain_id("c3:00.0"), "0000:c3:00.0");
  EXPECT_EQ(plain_id("00010000:C3:00.0"), "10000:c3:00.0");
  EXPECT_EQ(plain_id("10:c3:00.0"), "");
}

TEST(SameNames, AMaskedUuidTellsNothing) {
  EXPECT_FALSE(tells_devices("GPU-00000000-0000-0000-0000-000000000000"));
  EXPECT_FALSE(tells_devices("GPU-xxxxxxxx-xxxx"));
  EXPECT_FALSE(tells_devices(""));
  EXPECT_TRUE(tells_devices("0"));
  EXPECT_EQ(uuid_key("GPU-xxxxxxxx"), "");
}

TEST(SameNames, AShortHostIsItsOnlyFullName) {
  const std::vector<std::string> hosts{"node1",   "NODE1",   "node1.cluster.local", "node2", "node2.a",
                                       "node2.b", "10.0.0.1"};
  const std::vector<std::string> keys = host_keys(hosts);
  EXPECT_EQ(keys[0], keys[2]);
  EXPECT_EQ(keys[1], keys[2]);
  EXPECT_NE(keys[4], keys[5]);
  EXPECT_NE(keys[3], keys[4]);  // of which of the two is not known
  EXPECT_NE(keys[3], keys[5]);
  EXPECT_EQ(keys[6], "10.0.0.1");
}

/// `rows` seconds of one device, from `first` on: base + second watts.
std::string rows_of(const std::string& device, int first, int rows, int base) {
  std::string text;
  for (int i = first; i < first + rows; ++i) {
    text += std::to_string(1943000000 + i) + "," + device + "," + std::to_string(base + i) + "\n";
  }
  return text;
}

TEST(SameNames, HostsOfOneFileAreOneMachine) {
  // Ten seconds under either name, one behind the other: 20 samples of one device, none of a second.
  const std::string text =
      "time,hostname,gpu,power_w\n" + rows_of("box7,0", 0, 10, 300) + rows_of("BOX7.lab.example,0", 10, 10, 300);
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].device.name, "box7/0");
  ASSERT_EQ(trace->series[0].size(), 20U);
  EXPECT_EQ(trace->series[0].power_w.front(), 300.0);
  EXPECT_EQ(trace->series[0].power_w.back(), 319.0);
  EXPECT_TRUE(mentions(*trace, "Hosts 'box7' and 'BOX7.lab.example' are taken for one machine"));
  EXPECT_TRUE(trace->understanding.warnings.empty());
}

TEST(SameNames, MachinesThatNameTheDeviceAreUnitedToo) {
  // Two meters, one of which changes its spelling in turn: 3 + 3 readings of box1, 6 of box2.
  std::string text = "time,node,power_w\n";
  for (int i = 0; i < 6; ++i) {
    text += rows_of(i % 2 == 0 ? "box1" : "BOX1", i, 1, 900) + rows_of("box2", i, 1, 800);
  }
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_TRUE(same(trace->series[0].power_w, {900, 901, 902, 903, 904, 905}));
  EXPECT_EQ(trace->series[0].backward_stamps, 0);
}

TEST(SameNames, ACopyUnderTheOtherNameCountsOnce) {
  const std::string text =
      "time,hostname,gpu,power_w\n" + rows_of("box7,0", 0, 40, 300) + rows_of("BOX7,0", 0, 40, 300);
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].size(), 40U);
}

TEST(SameNames, HostsWhoseReadingsContradictStayApart) {
  // 300 W and 600 W over the same 40 s: by name one machine, by its draw not.
  const std::string text =
      "time,hostname,gpu,power_w\n" + rows_of("box7,0", 0, 40, 300) + rows_of("box7.lab.example,0", 0, 40, 600);
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series.size(), 2U);
  EXPECT_TRUE(warned(*trace, "they are taken for two"));
}

TEST(SameNames, TwoFullNamesAreTwoMachines) {
  const std::string text =
      "time,hostname,gpu,power_w\n" + rows_of("box7.a,0", 0, 10, 300) + rows_of("box7.b,0", 0, 10, 300);
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series.size(), 2U);
}

TEST(SameNames, FilesThatSpellAHostOtherwiseContinueEachOther) {
  std::vector<Trace> traces;
  for (const std::string& text : {rows_of("box7,0", 0, 20, 300), rows_of("box7.lab.example,0", 20, 20, 300)}) {
    auto trace = read_text("time,hostname,gpu,power_w\n" + text);
    ASSERT_TRUE(trace) << trace.error().message();
    traces.push_back(std::move(*trace));
  }
  const auto joined = join(std::move(traces), {});
  ASSERT_TRUE(joined) << joined.error().message();
  ASSERT_EQ(joined->size(), 1U);
  ASSERT_EQ(joined->front().series.size(), 1U);
  EXPECT_EQ(joined->front().series[0].size(), 40U);
}

TEST(SameNames, TwoExportersOfOneGpuAreOneDevice) {
  std::string text;
  for (int i = 0; i < 4; ++i) {
    const std::string stamp = " " + std::to_string(1943000000 + i) + "000\n";
    text +=
        "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\",UUID=\"GPU-" + kUuid + "\",Hostname=\"n1\"} 40" + std::to_string(i) + stamp;
    text += "nvidia_smi_power_draw_instant_watts{uuid=\"" + kUuid + "\"} 50" + std::to_string(i) + stamp;
  }
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_TRUE(same(trace->series[0].power_w, {500, 501, 502, 503}));
  EXPECT_TRUE(mentions(*trace, "DCGM_FI_DEV_POWER_USAGE is in the file too"));
}

TEST(SameNames, OneUuidForAllGpusIsNoIdentity) {
  for (const std::string& uuid : {std::string("GPU-00000000-0000-0000-0000-000000000000"), "GPU-" + kUuid}) {
    std::string text;
    for (int i = 0; i < 4; ++i) {
      for (int gpu = 0; gpu < 2; ++gpu) {
        text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"" + std::to_string(gpu) + "\",UUID=\"" + uuid + "\",Hostname=\"n1\"} " +
                std::to_string(400 + 100 * gpu + i) + " " + std::to_string(1943000000 + i) + "000\n";
      }
    }
    const auto trace = read_text(text);
    ASSERT_TRUE(trace) << trace.error().message();
    ASSERT_EQ(trace->series.size(), 2U) << uuid;
    EXPECT_TRUE(same(trace->series[0].power_w, {400, 401, 402, 403}));
    EXPECT_TRUE(same(trace->series[1].power_w, {500, 501, 502, 503}));
  }
}

TEST(SameNames, MaskedUuidsLeaveHostAndNumber) {
  const std::string uuid = "GPU-00000000-0000-0000-0000-000000000000";
  std::string text;
  for (int i = 0; i < 10; ++i) {
    for (int gpu = 0; gpu < 2; ++gpu) {
      for (const std::string host : {"n1", "n2"}) {
        text += "DCGM_FI_DEV_POWER_USAGE{gpu=\"" + std::to_string(gpu) + "\",Hostname=\"" + host + "\",UUID=\"" + uuid +
                "\"} " + std::to_string(300 + 10 * gpu + (host == "n2" ? 100 : 0)) + " " +
                std::to_string(1943000000 + i) + "000\n";
      }
    }
  }
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 4U);
  std::vector<double> first;
  for (const Series& s : trace->series) {
    EXPECT_EQ(s.size(), 10U);
    first.push_back(s.power_w.front());
  }
  EXPECT_EQ(first, (std::vector<double>{300, 400, 310, 410}));
  EXPECT_TRUE(mentions(*trace, "The UUIDs are masked"));
}

TEST(SameNames, BusIdsInTwoSpellingsAreOneDevice) {
  const std::string text =
      "timestamp, index, pci.bus_id, power.draw [W]\n2031/07/27 00:23:30.720, 0, 00000000:C3:00.0, 69.49 W\n"
      "2031/07/27 00:23:31.720, 0, 00000000:C3:00.0, 70.49 W\n2031/07/27 00:23:32.720, 0, 0000:c3:00.0, 71.49 W\n";
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].device.name, "0");
  EXPECT_TRUE(same(trace->series[0].power_w, {69.49, 70.49, 71.49}));
}

TEST(SameNames, OneMachineInKilowattsIsWarnedOf) {
  // Medians 1602, 1702 and 1.602 W: 1000 times apart; 0.1 W against 1602 W is 16000 times, which no unit explains.
  for (const bool kilowatts : {true, false}) {
    std::string text = "time,node,power_w\n";
    for (int i = 0; i < 5; ++i) {
      const std::string stamp = std::to_string(1943000000 + i) + ",";
      text += stamp + "n0,160" + std::to_string(i) + "\n" + stamp + "n1,170" + std::to_string(i) + "\n" + stamp +
              "n2," + (kilowatts ? "1.60" : "0.10") + std::to_string(i) + "\n";
    }
    const auto trace = read_text(text);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(warned(*trace, "Device n2 reads 1.602 W in the median"), kilowatts);
    EXPECT_EQ(trace->understanding.warnings.size(), kilowatts ? 1U : 0U);
  }
}

TEST(SameNames, LinesOfSeveralNodesAreRefusedWithTheCommandThatSplitsThem) {
  const std::string text =
      "Sun Jul 27 00:22:27 UTC 2031\nbox1: Pwr Consumption  | 413 Watts  | ok\nbox2: Pwr Consumption  | 394 Watts  | "
      "ok\n"
      "Sun Jul 27 00:22:37 UTC 2031\nbox1: Pwr Consumption  | 396 Watts  | ok\nbox2: Pwr Consumption  | 409 Watts  | "
      "ok\n";
  const std::string error = error_of(text);
  EXPECT_NE(error.find("of several nodes, 'box1' and 'box2' first"), std::string::npos) << error;
  EXPECT_NE(error.find("sed -E -n -e 's/^box1: ?//p;t'"), std::string::npos) << error;
  const std::string dcmi =
      "box1:     Instantaneous power reading:                   413 Watts\nbox1:     IPMI timestamp:   Sun Jul 27 "
      "00:22:27 "
      "2031\nbox2:     Instantaneous power reading:                   394 Watts\n";
  EXPECT_NE(error_of(dcmi).find("of several nodes"), std::string::npos);
}

}  // namespace
}  // namespace wattrein::trace
