// Which column, or which place in an object, tells devices apart, and what is done where nothing does.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

using Times = std::vector<std::int64_t>;
constexpr std::int64_t kSecond = 1'000'000'000;

std::string stamp(int i) { return std::to_string(1'718'369'824 + i); }

TEST(NewestFirst, OneDeviceIsSorted) {
  for (const int rows : {3, 60, 5000}) {
    std::string log = "time,power_w\n";
    for (int i = rows - 1; i >= 0; --i) log += stamp(i) + ".5," + std::to_string(100 + i % 7) + "\n";
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    ASSERT_EQ(trace->series.size(), 1U) << rows;
    EXPECT_EQ(trace->series[0].size(), static_cast<std::size_t>(rows));
    EXPECT_EQ(trace->series[0].power_w[2], 102.0);
    EXPECT_TRUE(std::ranges::is_sorted(trace->series[0].time_ns));
    EXPECT_TRUE(mentions(*trace, "newest row stands first"));
  }
}

TEST(NewestFirst, SeveralRowsAStampAreAskedAbout) {
  std::string log = "timestamp, power.draw [W]\n";
  for (int i = 9; i >= 0; --i) {
    for (int d = 0; d < 3; ++d)
      log += "2026/04/25 16:06:0" + std::to_string(i) + ".780, 7" + std::to_string(d) + ".50 W\n";
  }
  const std::string error = error_of(log);
  EXPECT_NE(error.find("newest row stands first"), std::string::npos) << error;
  EXPECT_NE(error.find("--devices N"), std::string::npos) << error;
}

TEST(RowOrder, BurstsOfAnyTableMayBeOneDevice) {
  std::string rows;
  for (int i = 0; i < 40; ++i) {
    for (int d = 0; d < 5; ++d) rows += stamp(i) + ".0" + std::to_string(d + 1) + ",7" + std::to_string(d) + "\n";
  }
  const std::string error = error_of("time,power_w\n" + rows);
  EXPECT_NE(error.find("5 devices and one device that is read in bursts"), std::string::npos) << error;
  const auto five = read_text("time,power_w\n" + rows, {.devices = 5});
  ASSERT_TRUE(five) << five.error().message();
  EXPECT_EQ(five->series.size(), 5U);
  EXPECT_TRUE(five->understanding.warnings.empty());
  EXPECT_EQ(read_text("time,power_w\n" + rows, {.devices = 1})->series.size(), 1U);
}

TEST(RowOrder, AStatedNumberWithALostRowIsWarnedAbout) {
  std::string log = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 40; ++i) {
    for (int d = 0; d < 4; ++d) {
      if (i == 20 && d == 1) continue;  // row 82 of the file begins its poll
      log += "2026/04/25 16:06:" + std::to_string(10 + i) + ".78" + std::to_string(d) + ", 7" + std::to_string(d) +
             ".50 W\n";
    }
  }
  const auto found = read_text(log);
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->understanding.warnings.size(), 1U);
  const auto trace = read_text(log, {.devices = 4});
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->understanding.warnings.size(), 1U);
  EXPECT_NE(trace->understanding.warnings[0].find("log:82: this poll has 3 rows, not 4"), std::string::npos)
      << trace->understanding.warnings[0];
}

TEST(TooManyDevices, AreRefusedWhereverTheyComeFrom) {
  std::string rows;
  std::string json;
  std::string smi = "timestamp, power.draw [W]\n";
  for (int i = 0; i < 5000; ++i) {
    const std::string n = std::to_string(i);
    for (int k = 0; k < 2; ++k) rows += stamp(k) + ",g" + n + ",70\n";
    json += "DCGM_FI_DEV_POWER_USAGE{gpu=\"" + n + "\"} 70\n";
    smi += "2026/04/25 16:06:06.780, 70.50 W\n";
  }
  EXPECT_NE(error_of("time,gpu,power_w\n" + rows).find("more than 4096 different values"), std::string::npos);
  EXPECT_NE(error_of(json).find("more than 4096 devices"), std::string::npos) << error_of(json);
  EXPECT_NE(error_of(smi).find("5000 rows share one moment"), std::string::npos) << error_of(smi);
  EXPECT_NE(error_of(smi, {.devices = 5000}).find("more than 4096 devices"), std::string::npos);
}

constexpr std::array<int, 8> kUtilisation{0, 98, 98, 35, 0, 100, 50, 98};

TEST(Utilisation, IsNoDevice) {
  std::string plain = "time,power_w,gpu\n";
  std::string header = "time,power_w,gpu [%]\n";
  std::string cells = "time,power_w,gpu\n";
  for (int i = 0; i < 40; ++i) {
    const std::string util = std::to_string(kUtilisation[static_cast<std::size_t>(i * i + i / 8) % 8]);
    plain += stamp(i) + ",70," + util + "\n";
    header += stamp(i) + ",70," + util + "\n";
    cells += stamp(i) + ",70," + util + " %\n";
  }
  for (const std::string& log : {header, cells}) {
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(trace->series.size(), 1U);
    EXPECT_TRUE(mentions(*trace, "is in percent"));
  }
  const std::string error = error_of(plain);
  EXPECT_NE(error.find("column 'gpu' may name devices or hold their utilisation"), std::string::npos) << error;
  EXPECT_NE(error.find("--device gpu"), std::string::npos) << error;
  EXPECT_EQ(read_text(plain, {.devices = 1})->series.size(), 1U);
}

TEST(Utilisation, AnIndexBesideItIsTheDevice) {
  std::string log = "time,index,power_w,gpu\n";
  for (int i = 0; i < 40; ++i) {
    for (int d = 0; d < 2; ++d) {
      log += stamp(i) + "," + std::to_string(d) + ",7" + std::to_string(d) + "," +
             std::to_string(kUtilisation[static_cast<std::size_t>(i * 3 + d * 5) % 8]) + "\n";
    }
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].power_w, Powers(40, 71.0));
}

TEST(Utilisation, DevicesAreStillDevices) {
  // In turn, one a stamp; one behind the other; and two of a larger machine.
  std::string turns = "time,gpu,power_w\n";
  std::string blocks = "time,gpu,power_w\n";
  for (int i = 0; i < 40; ++i) {
    turns += stamp(i) + "." + std::to_string(i % 4 + 1) + "," + std::to_string(i % 4) + ",70\n";
    blocks += stamp(i % 10) + "," + std::to_string(i / 10) + ",70\n";
  }
  EXPECT_EQ(read_text(turns)->series.size(), 4U);
  EXPECT_EQ(read_text(blocks)->series.size(), 4U);
}

TEST(RowCounters, ThatStartAgainAreNoDevices) {
  std::string log = "index,time,power_w\n";
  for (int i = 0; i < 120; ++i)
    log += std::to_string(i % 60) + "," + stamp(i + i / 60 * 40) + ".5," + std::to_string(70 + i % 9) + "\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].size(), 120U);
  EXPECT_TRUE(mentions(*trace, "'index' counts rows"));
}

TEST(RowCounters, AnIndexOfManyDevicesIsNone) {
  std::string log = "index,time,power_w\n";
  for (int i = 0; i < 32 * 5; ++i) log += std::to_string(i % 32) + "," + stamp(i / 32) + ".5,70\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series.size(), 32U);
}

TEST(EmptyDevice, IsADamagedRow) {
  std::string log = "time,gpu,power_w\n";
  for (int i = 0; i < 60; ++i) log += stamp(i) + (i == 7 ? ",,500\n" : ",0,70\n");
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->understanding.first_damaged[0].where, "log:9");
  EXPECT_EQ(trace->understanding.first_damaged[0].reason, "it has a power and names no device");
}

TEST(JsonLists, AnObjectsOwnIndexIsItsDevice) {
  // Device 0 is missing first, then the order changes, and device 3 comes once.
  const auto trace = read_text(
      "{\"ts\": 1718369824, \"total_power_w\": 1, \"gpus\": [{\"index\": 1, \"power_w\": 81}]}\n"
      "{\"ts\": 1718369825, \"total_power_w\": 1, \"gpus\": [{\"index\": 1, \"power_w\": 82}, {\"index\": 0, "
      "\"power_w\": "
      "72}]}\n"
      "{\"ts\": 1718369826, \"total_power_w\": 1, \"gpus\": [{\"index\": 0, \"power_w\": 73}, {\"index\": 1, "
      "\"power_w\": 83}, "
      "{\"index\": 3, \"power_w\": 93}]}\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 3U);
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_EQ(trace->series[0].device.name, "1");
  EXPECT_EQ(trace->series[0].power_w, (Powers{81, 82, 83}));
  EXPECT_EQ(trace->series[1].device.name, "0");
  EXPECT_EQ(trace->series[1].time_ns, (Times{kSecond, 2 * kSecond}));
  EXPECT_EQ(trace->series[2].device.name, "3");
}

TEST(JsonLists, AUuidKeepsADeviceOverChangesOfPlace) {
  const auto trace = read_text(
      "{\"ts\": 1718369824, \"gpus\": [{\"uuid\": \"GPU-aaaa0001\", \"power\": {\"draw_w\": 71}}, "
      "{\"uuid\": \"GPU-bbbb0001\", \"power\": {\"draw_w\": 81}}]}\n"
      "{\"ts\": 1718369825, \"gpus\": [{\"uuid\": \"GPU-bbbb0001\", \"power\": {\"draw_w\": 82}}, "
      "{\"uuid\": \"GPU-aaaa0001\", \"power\": {\"draw_w\": 72}}]}\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{71, 72}));
  EXPECT_EQ(trace->series[0].device.uuid, "GPU-aaaa0001");
}

TEST(JsonLists, GpustatsPowersAreWatts) {
  const auto line = [](const std::string& second, const std::string& a, const std::string& b) {
    return R"({"hostname": "n1", "query_time": "2031-04-04T20:03:)" + second +
           R"(.500000", "gpus": [{"index": 0, "uuid": "GPU-a", "name": "X", "power.draw": )" + a +
           R"(, "enforced.power.limit": 700}, {"index": 1, "uuid": "GPU-b", "name": "X", "power.draw": )" + b +
           R"(, "enforced.power.limit": 700}]})" + "\n";
  };
  const auto t = read_text(line("20", "70", "104") + line("21", "71", "105"));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].power_w, (Powers{70, 71}));
  EXPECT_EQ(t->series[1].time_ns, (Times{0, kSecond}));
  EXPECT_EQ(t->series[1].column(Column::limit_w), (Powers{700, 700}));
  EXPECT_TRUE(mentions(*t, "gpustat"));
}

TEST(JsonLists, WithoutANameThePlaceIs) {
  const auto trace = read_text(
      "{\"ts\": 1718369824, \"power_w\": 999, \"gpus\": [{\"power_w\": 70}, {\"power_w\": 300}]}\n"
      "{\"ts\": 1718369825, \"power_w\": 999, \"gpus\": [{\"power_w\": 71}, {\"power_w\": 301}]}\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71}));
  EXPECT_EQ(trace->series[1].device.name, "1");
}

TEST(DecimalCommas, WithoutAHeaderAreRefused) {
  std::string log;
  for (int i = 0; i < 20; ++i) {
    const std::string n = std::to_string(10 + i);
    log += "2026/04/25 16:06:" + n + ".780, 0, 171," + n + " W\n2026/04/25 16:06:" + n + ".780, 1, 170,0" +
           std::to_string(i % 10) + " W\n";
  }
  EXPECT_NE(error_of(log).find("decimal commas"), std::string::npos) << error_of(log);
  // Watts without decimals behind an index are no decimals.
  std::string whole;
  for (int i = 0; i < 20; ++i)
    whole += "2026/04/25 16:06:" + std::to_string(10 + i) + ".780, 0, " + std::to_string(60 + i) + " W\n";
  EXPECT_TRUE(read_text(whole)) << error_of(whole);
}

TEST(MissingIdentity, SeveralValuesAtEveryStampAreWarnedAbout) {
  std::string log = "time,cluster,gpu,power_w\n";
  for (int i = 0; i < 20; ++i) {
    for (const char* cluster : {"c0", "c1"}) {
      for (int d = 0; d < 2; ++d) {
        log += stamp(i) + "," + cluster + "," + std::to_string(d) + "," + (cluster[1] == '0' ? "7" : "8") +
               std::to_string(d) + "\n";
      }
    }
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->understanding.warnings.size(), 1U);
  EXPECT_NE(trace->understanding.warnings[0].find("2 devices, '0' first, have several readings at each stamp"),
            std::string::npos)
      << trace->understanding.warnings[0];
}

TEST(BusIds, TellDevicesApartWhoseIndexChanges) {
  std::string log = "timestamp, index, pci.bus_id, power.draw [W]\n";
  for (int i = 0; i < 20; ++i) {
    for (int d = 0; d < 2; ++d) {
      const bool first = (d == 0) == (i < 10);  // the two change places
      log += "2026/04/25 16:06:" + std::to_string(10 + i) + ".780, " + std::to_string(d) +
             ", 00000000:" + (first ? "18" : "2A") + ":00.0, " + (first ? "70.00 W\n" : "90.00 W\n");
    }
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].power_w, Powers(20, 70.0));
  EXPECT_EQ(trace->series[1].power_w, Powers(20, 90.0));
  EXPECT_TRUE(mentions(*trace, "told apart by 'pci.bus_id'"));
}

}  // namespace
}  // namespace wattrein::trace
