#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trace/nvidia_smi.h"
#include "trace/read.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

TEST(NvidiaSmi, ReadsIndexAndUnits) {
  const auto trace = read_text(
      "timestamp, index, uuid, name, power.draw [W], power.limit [W]\r\n"
      "2025/07/27 00:22:27.858, 0, GPU-aaaaaaaa-1, NVIDIA H100 80GB HBM3, 71.25 W, 700.00 W\r\n"
      "2025/07/27 00:22:27.861, 1, GPU-aaaaaaaa-2, NVIDIA H100 80GB HBM3, 72.48 W, 700.00 W\r\n"
      "2025/07/27 00:22:28.858, 0, GPU-aaaaaaaa-1, NVIDIA H100 80GB HBM3, 80.00 W, 500.00 W\r\n"
      "2025/07/27 00:22:28.861, 1, GPU-aaaaaaaa-2, NVIDIA H100 80GB HBM3, [N/A], 700.00 W\r\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "nvidia-smi");
  EXPECT_EQ(trace->start_unix_ns, 1'753'575'747'858'000'000);
  EXPECT_FALSE(trace->start_has_zone);
  ASSERT_EQ(trace->series.size(), 2U);
  const Series& a = trace->series[0];
  EXPECT_EQ(a.device.name, "0");
  EXPECT_EQ(a.device.uuid, "GPU-aaaaaaaa-1");
  EXPECT_EQ(a.device.model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(a.device.meter, MeterKind::average_1s);
  EXPECT_EQ(a.power_w, (Powers{71.25, 80.0}));
  EXPECT_EQ(a.time_ns, (std::vector<std::int64_t>{0, kSecond}));
  EXPECT_EQ(a.column(Column::limit_w), (Powers{700.0, 500.0}));
  const Series& b = trace->series[1];
  EXPECT_EQ(b.time_ns[0], 3'000'000);
  EXPECT_TRUE(std::isnan(b.power_w[1]));
  EXPECT_EQ(trace->understanding.unknown_power, 1);
  EXPECT_EQ(trace->understanding.damaged, 0);
}

TEST(NvidiaSmi, InstantIsThePowerAndAverageStandsBesideIt) {
  const auto trace = read_text(
      "timestamp, index, power.draw [W], power.draw.average [W], power.draw.instant [W], power.max_limit [W]\n"
      "2025/07/27 00:22:27.858, 0, 433.78 W, 433.78 W, 447.35 W, 700.00 W\n");
  ASSERT_TRUE(trace) << trace.error().message();
  const Series& s = trace->series[0];
  EXPECT_EQ(s.power_w, (Powers{447.35}));
  EXPECT_EQ(s.column(Column::average_w), (Powers{433.78}));
  EXPECT_EQ(s.device.nameplate, Watts(700.0));
  EXPECT_EQ(s.device.meter, MeterKind::instantaneous);
  EXPECT_TRUE(s.column(Column::limit_w).empty());
  EXPECT_NE(trace->understanding.power.find("power.draw.instant"), std::string::npos);
  EXPECT_TRUE(mentions(*trace, "'power.draw.average [W]' is kept beside it"));
  EXPECT_TRUE(mentions(*trace, "'power.draw [W]' is not used"));
}

TEST(NvidiaSmi, PlainDrawWhereInstantIsNotAvailable) {
  const auto trace = read_text(
      "timestamp, index, power.draw.instant [W], power.draw [W], name\n"
      "2025/07/27 00:22:27.858, 0, [N/A], 97.43 W, NVIDIA A100-SXM4-80GB\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{97.43}));
  EXPECT_EQ(trace->series[0].device.meter, MeterKind::instantaneous);
  EXPECT_TRUE(mentions(*trace, "'power.draw.instant [W]' holds no value"));
}

TEST(NvidiaSmi, ADeviceWithoutInstantDrawHasItsPlainOne) {
  const std::string head = "timestamp, index, power.draw [W], power.draw.instant [W]\n";
  const auto trace = read_text(head +
                               "2025/06/01 10:00:00.000, 0, 90.00 W, 95.00 W\n"
                               "2025/06/01 10:00:00.000, 1, 170.00 W, [N/A]\n"
                               "2025/06/01 10:00:01.000, 0, 91.00 W, 96.00 W\n"
                               "2025/06/01 10:00:01.000, 1, 171.00 W, [N/A]\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (std::vector<double>{95, 96}));
  EXPECT_EQ(trace->series[1].power_w, (std::vector<double>{170, 171}));
  EXPECT_EQ(trace->series[0].device.meter, MeterKind::instantaneous);
  EXPECT_EQ(trace->series[1].device.meter, MeterKind::unknown);
  EXPECT_EQ(trace->understanding.unknown_power, 0);
  EXPECT_TRUE(mentions(*trace, "Device 1 has no reading of 'power.draw.instant [W]': 'power.draw [W]' is taken"));
  // Where only half of a device's time has it, the two meters are not mixed.
  const auto half = read_text(head +
                              "2025/06/01 10:00:00.000, 0, 90.00 W, [N/A]\n"
                              "2025/06/01 10:00:01.000, 0, 91.00 W, 96.00 W\n");
  ASSERT_TRUE(half) << half.error().message();
  EXPECT_TRUE(std::isnan(half->series[0].power_w[0]));
  EXPECT_EQ(half->series[0].power_w[1], 96);
  EXPECT_TRUE(mentions(*half, "At 1 reading 'power.draw.instant [W]' has no value and 'power.draw [W]' has"));
}

TEST(NvidiaSmi, AStampThatALoopPutInFrontIsTheTime) {
  const auto trace = read_text("time, index, power.draw [W]\n1748772000, 0, 90.00 W\n1748772001, 0, 91.00 W\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (std::vector<double>{90, 91}));
  EXPECT_EQ(trace->series[0].time_ns[1], 1'000'000'000);
}

TEST(NvidiaSmi, TheOptionNamesAnotherColumn) {
  const std::string log =
      "timestamp, index, power.draw.instant [W], power.draw.average [W]\n2025/07/27 00:22:27.858, 0, 97.43 W, 90.00 "
      "W\n";
  EXPECT_EQ(read_text(log, {.power_column = "power.draw.average"})->series[0].power_w, (Powers{90.0}));
  EXPECT_EQ(read_text(log, {.power_column = "#4"})->series[0].device.meter, MeterKind::average_1s);
  const std::string error = error_of(log, {.power_column = "power.draw.averge"});
  EXPECT_NE(error.find("Did you mean 'power.draw.average"), std::string::npos) << error;
  EXPECT_NE(error.find("index"), std::string::npos);
}

TEST(NvidiaSmi, ALimitIsNeverTheDraw) {
  const std::string error =
      error_of("timestamp, index, power.limit [W]\n2025/07/27 00:22:27.858, 0, 700.00 W\n", {.format = "nvidia-smi"});
  EXPECT_NE(error.find("no column was recognised as power"), std::string::npos) << error;
}

TEST(NvidiaSmi, EveryWordForUnknownIsAPoll) {
  std::string log = "timestamp, index, power.draw [W]\n2025/07/27 00:22:00.000, 0, 50.00 W\n";
  const std::vector<std::string> words{"N/A",
                                       "[N/A]",
                                       "[Not Supported]",
                                       "[Unknown Error]",
                                       "ERR!",
                                       "[GPU requires reset]",
                                       "[Requested functionality has been deprecated]",
                                       "nan",
                                       "-",
                                       "null",
                                       ""};
  for (std::size_t i = 0; i < words.size(); ++i) {
    log += "2025/07/27 00:22:" + std::to_string(10 + i) + ".000, 0, " + words[i] + "\n";
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.unknown_power, 11);
  EXPECT_EQ(trace->understanding.rows, 12);
  EXPECT_EQ(trace->understanding.damaged, 0);
}

TEST(NvidiaSmi, HeadersMayComeAgain) {
  const std::string header = "timestamp, index, power.draw [W]\n";
  const auto trace = read_text("Sun Jul 27 log started\n" + header + "2025/07/27 00:22:27.858, 0, 50.00 W\n\n" +
                               header + "2025/07/27 00:22:28.858, 0, 51.00 W\nInterrupted, exiting\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{50.0, 51.0}));
  EXPECT_EQ(trace->understanding.repeated_headers, 1);
  EXPECT_EQ(trace->understanding.other_lines, 2);
  EXPECT_EQ(trace->understanding.damaged, 0);
}

TEST(NvidiaSmi, OtherColumnsMidFileAreRefused) {
  const std::string error = error_of(
      "timestamp, index, power.draw [W]\n2025/07/27 00:22:27.858, 0, 50.00 W\n"
      "timestamp, power.draw [W], index\n2025/07/27 00:22:28.858, 51.00 W, 0\n");
  EXPECT_NE(error.find("log:3: the columns change here"), std::string::npos) << error;
}

TEST(NvidiaSmi, ASecondSessionWithOtherColumnsAndNoHeaderIsNotRead) {
  for (const int n : {10, 20'000}) {  // the latter by blocks
    std::string text = "timestamp, index, power.draw [W], temperature.gpu\n";
    const auto at = [](int i) {
      return fmt::format("2025/07/27 {:02}:{:02}:{:02}.858", i / 3600, i / 60 % 60, i % 60);
    };
    for (int i = 0; i < n; ++i) text += fmt::format("{}, 0, {}.31 W, 61\n", at(i), 300 + i % 7);
    for (int i = n; i < 2 * n; ++i) text += fmt::format("{}, 0, 61, {}.31 W\n", at(i), 300 + i % 7);
    EXPECT_NE(error_of(text).find("the power '61' has no unit, as those before it have, and another cell has"),
              std::string::npos)
        << error_of(text);
  }
}

TEST(NvidiaSmi, ATornLastLineIsNoDamage) {
  for (const char* tail :
       {"2025/07/27 00:2", "2025/07/27 00:22:29.858", "2025/07/27 00:22:29.858, 0, 5", "2025/07/27 00:22:29.858, 0"}) {
    const auto trace =
        read_text(std::string("timestamp, index, power.draw [W]\n2025/07/27 00:22:27.858, 0, 50.00 W\n") + tail);
    ASSERT_TRUE(trace) << tail << trace.error().message();
    EXPECT_EQ(trace->series[0].power_w, (Powers{50.0})) << tail;
    EXPECT_EQ(trace->understanding.damaged, 0) << tail;
    EXPECT_TRUE(mentions(*trace, "The last line is cut")) << tail;
  }
  const auto whole = read_text("timestamp, index, power.draw [W]\n2025/07/27 00:22:27.858, 0, 50.00 W");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->series[0].power_w, (Powers{50.0}));
}

TEST(NvidiaSmi, DamagedRowsAreCountedAndNamed) {
  std::string log = "timestamp, index, power.draw [W]\n";
  for (int i = 0; i < 40; ++i) {
    const std::string stamp = "2025/07/27 00:22:" + std::to_string(10 + i) + ".000, 0, ";
    log += stamp + (i == 7 ? "5x.0 W" : "50.00 W") + "\n";
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  ASSERT_EQ(trace->understanding.first_damaged.size(), 1U);
  EXPECT_EQ(trace->understanding.first_damaged[0].where, "log:9");
  EXPECT_NE(trace->understanding.first_damaged[0].reason.find("5x.0 W"), std::string::npos);
}

/// Rows without an identity: the device's number is in its power.
std::string by_order(int devices, int polls) {
  std::string log = "timestamp, power.draw [W]\n";
  char line[80];
  for (int i = 0; i < polls; ++i) {
    for (int d = 0; d < devices; ++d) {
      const int ms = i * 100 + (i % 5 == 0 ? 3 * d : 0);
      std::snprintf(line, sizeof line, "2025/07/27 00:%02d:%02d.%03d, %d.%02d W\n", ms / 60'000, ms / 1000 % 60,
                    ms % 1000, 100 + d, i % 100);
      log += line;
    }
  }
  return log;
}

TEST(NvidiaSmi, RowOrderTellsDevicesApart) {
  const auto trace = read_text(by_order(8, 50));
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 8U);
  for (std::size_t d = 0; d < 8; ++d) {
    ASSERT_EQ(trace->series[d].size(), 50U);
    EXPECT_EQ(trace->series[d].device.name, std::to_string(d));
    EXPECT_DOUBLE_EQ(trace->series[d].power_w[49], 100.0 + static_cast<double>(d) + 0.49);
  }
  EXPECT_EQ(trace->understanding.devices, "row order, 8 rows a poll");
}

TEST(NvidiaSmi, AnIncompleteLastPollIsNoted) {
  std::string log = by_order(4, 50);
  for (int i = 0; i < 3; ++i) log.erase(log.rfind('\n', log.size() - 2) + 1);
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].size(), 49U);
  EXPECT_EQ(trace->series[3].size(), 49U);
  EXPECT_TRUE(mentions(*trace, "One poll is incomplete and left out (log:198: 1 of 4 rows)"));
}

TEST(NvidiaSmi, ADamagedRowKeepsItsPlaceInThePoll) {
  std::string log = by_order(4, 50);
  log.replace(log.find("102.07 W"), 8, "1@2.07 W");
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[2].size(), 49U);
  EXPECT_DOUBLE_EQ(trace->series[3].power_w[49], 103.49);
}

TEST(NvidiaSmi, APollWithAMissingRowIsUnknown) {
  std::string log = by_order(4, 50);
  const std::size_t row = log.find("2025", log.find("102.24 W") - 30);
  log.erase(row, log.find('\n', row) + 1 - row);
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(std::isnan(trace->series[0].power_w[24]));
  EXPECT_DOUBLE_EQ(trace->series[3].power_w[25], 103.25);
  ASSERT_EQ(trace->understanding.warnings.size(), 1U);
  EXPECT_EQ(trace->understanding.warnings[0].find("log:98: this poll has 3 rows, not 4"), 0U);
  EXPECT_TRUE(read_text(log, {.devices = 4}));
  EXPECT_FALSE(read_text(log, {.devices = 0}));
}

TEST(NvidiaSmi, NamesServeWhereEachDeviceHasItsOwn) {
  const auto two = read_text(
      "timestamp, name, power.draw [W]\n"
      "2025/07/27 00:22:27.000, NVIDIA A40, 50.00 W\n2025/07/27 00:22:27.000, Tesla T4, 20.00 W\n"
      "2025/07/27 00:22:28.000, NVIDIA A40, 51.00 W\n2025/07/27 00:22:28.000, Tesla T4, 21.00 W\n");
  ASSERT_TRUE(two) << two.error().message();
  ASSERT_EQ(two->series.size(), 2U);
  EXPECT_EQ(two->series[1].device.name, "Tesla T4");
  EXPECT_EQ(two->series[1].device.meter, MeterKind::instantaneous);
  EXPECT_EQ(two->series[0].device.meter, MeterKind::average_1s);
}

TEST(NvidiaSmi, AnIndexThatRepeatsWithinAStampIsPassedOver) {
  std::string log = "timestamp,gpu,index,power.draw\n";
  for (int i = 0; i < 3; ++i) {
    for (int d = 0; d < 4; ++d) {
      log += "2025-09-08T17:26:5" + std::to_string(i) + "+08:00," + std::to_string(d) + ", 0, 7" + std::to_string(d) +
             ".5\n";
    }
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series.size(), 4U);
  EXPECT_EQ(trace->series[2].power_w, (Powers{72.5, 72.5, 72.5}));
  EXPECT_TRUE(trace->start_has_zone);
  EXPECT_TRUE(mentions(*trace, "'index' is passed over"));
}

TEST(NvidiaSmi, OneDeviceWithCoarseStampsKeepsItsIndex) {
  const auto trace = read_text(
      "timestamp, index, power.draw\n2025-09-08T17:26:50, 0, 74.0\n2025-09-08T17:26:50, 0, 75.0\n2025-09-08T17:26:51, "
      "0, 76.0\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].time_ns, (std::vector<std::int64_t>{0, 500'000'000, 1'000'000'000}));
  EXPECT_EQ(trace->understanding.warnings.size(), 1U);
}

TEST(NvidiaSmi, WithoutAHeaderUnitsShowTheColumns) {
  const auto trace = read_text(
      "2026/04/25 16:06:06.780, 0 %, 20146 MiB, 27, 11.64 W\n2026/04/25 16:06:11.788, 0 %, 20146 MiB, 27, 11.36 W\n"
      "2026/04/25 16:06:16.805, 9 %, 20146 MiB, 28, 31.51 W\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{11.64, 11.36, 31.51}));
  EXPECT_TRUE(mentions(*trace, "The log has no header"));
}

TEST(NvidiaSmi, WithoutAHeaderTheDrawIsTheOneThatVaries) {
  const std::string log =
      "2026/04/25 16:06:06.780, 0, 700.00 W, 11.64 W\n2026/04/25 16:06:06.780, 1, 700.00 W, 12.00 W\n"
      "2026/04/25 16:06:07.780, 0, 700.00 W, 11.36 W\n2026/04/25 16:06:07.780, 1, 700.00 W, 13.00 W\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].power_w, (Powers{12.0, 13.0}));
  std::string two = log;
  two.replace(two.find("700"), 3, "600");
  const std::string error = error_of(two);
  EXPECT_NE(error.find("columns #3, #4 are all watts"), std::string::npos) << error;
  EXPECT_NE(error.find("--power \"#7\""), std::string::npos);
  EXPECT_EQ(read_text(two, {.power_column = "#4"})->series[0].power_w, (Powers{11.64, 11.36}));
}

TEST(NvidiaSmi, WithoutHeaderAndUnitsItAsks) {
  const std::string log = "2026/04/25 16:06:06.780, 0, 11.64\n2026/04/25 16:06:07.780, 0, 12.64\n";
  EXPECT_NE(error_of(log).find("no column is marked as watts"), std::string::npos);
  EXPECT_EQ(read_text(log, {.power_column = "#3"})->series[0].power_w, (Powers{11.64, 12.64}));
}

TEST(NvidiaSmi, WithoutAClockThePeriodMakesOne) {
  const std::string log = "index, power.draw [W]\n0, 50.00 W\n1, 60.00 W\n0, 51.00 W\n1, 61.00 W\n";
  EXPECT_NE(error_of(log).find("--period"), std::string::npos);
  const auto trace = read_text(log, {.period = Nanos(kSecond / 2), .start_unix_ns = 99});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[1].time_ns, (std::vector<std::int64_t>{0, kSecond / 2}));
  EXPECT_EQ(trace->start_unix_ns, 99);
  const std::string single = "power.draw [W]\n50.00 W\n60.00 W\n51.00 W\n61.00 W\n";
  EXPECT_NE(error_of(single, {.period = Nanos(kSecond)}).find("--devices"), std::string::npos);
  const auto two = read_text(single, {.period = Nanos(kSecond), .devices = 2});
  ASSERT_TRUE(two) << two.error().message();
  EXPECT_EQ(two->series[1].power_w, (Powers{60.0, 61.0}));
  EXPECT_EQ(two->series[1].time_ns, (std::vector<std::int64_t>{0, kSecond}));
}

TEST(NvidiaSmi, MetersByModel) {
  for (const char* model : {"NVIDIA A100-SXM4-80GB", "NVIDIA A30", "Tesla V100-SXM2-32GB",
                            "NVIDIA GeForce RTX 2080 SUPER", "NVIDIA GeForce GTX 1080 Ti"}) {
    EXPECT_EQ(meter_of_model(model), MeterKind::instantaneous) << model;
  }
  for (const char* model : {"NVIDIA H100 80GB HBM3", "NVIDIA H200 NVL", "NVIDIA B200", "NVIDIA L40S",
                            "NVIDIA GeForce RTX 3090", "NVIDIA RTX 4000 Ada Generation", "NVIDIA RTX A6000"}) {
    EXPECT_EQ(meter_of_model(model), MeterKind::average_1s) << model;
  }
  for (const char* model : {"", "NVIDIA RTX 4000", "NVIDIA GeForce RTX 9999"}) {
    EXPECT_EQ(meter_of_model(model), MeterKind::unknown) << model;
  }
}

}  // namespace
}  // namespace wattrein::trace
