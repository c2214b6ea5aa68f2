#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "smi.txt", options);
}

/// The layout since 530; each argument is the middle of a GPU's second line.
std::string table(const std::string& stamp, const std::string& first, const std::string& second) {
  const auto gpu = [](const std::string& number, const std::string& bus, const std::string& draw) {
    return "|   " + number + "  NVIDIA H200 NVL                On  |   00000000:" + bus +
           ":00.0 Off |                    0 |\n"
           "| N/A   41C    P0             " +
           draw +
           " |    1234MiB / 143771MiB |     57%      Default |\n"
           "|                                         |                        |             Disabled |\n"
           "+-----------------------------------------+------------------------+----------------------+\n";
  };
  return stamp +
         "+-----------------------------------------------------------------------------------------+\n"
         "| NVIDIA-SMI 570.00.01              Driver Version: 570.00.01      CUDA Version: 12.8     |\n"
         "|-----------------------------------------+------------------------+----------------------+\n"
         "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |\n"
         "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |\n"
         "|                                         |                        |               MIG M. |\n"
         "|=========================================+========================+======================|\n" +
         gpu("0", "18", first) + gpu("1", "2A", second) +
         "| Processes:                                                                              |\n"
         "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n"
         "|=========================================================================================|\n"
         "|    0   N/A  N/A            4321      C   python                                 1204MiB |\n"
         "+-----------------------------------------------------------------------------------------+\n";
}

TEST(NvidiaSmiTable, ReadsALoop) {
  const auto t = read(table("Mon Nov 30 17:41:14 2026       \n", "   171W /  600W", "  70W /  600W") +
                      table("Mon Nov 30 17:41:16 2026       \n", "   583W /  600W", "  71W /  600W"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "nvidia-smi-table");
  ASSERT_EQ(t->series.size(), 2U);
  const Series& s = t->series[0];
  EXPECT_EQ(s.device.name, "0");
  EXPECT_EQ(s.device.model, "NVIDIA H200 NVL");
  EXPECT_EQ(s.device.meter, MeterKind::average_1s);  // power.draw of Hopper
  EXPECT_EQ(s.device.nameplate, Watts(600));
  EXPECT_EQ(s.time_ns, (Times{0, 2 * kSecond}));
  EXPECT_EQ(s.power_w, (Powers{171, 583}));
  EXPECT_EQ(s.column(Column::limit_w), (Powers{600, 600}));
  EXPECT_EQ(t->series[1].power_w, (Powers{70, 71}));
  EXPECT_EQ(t->start_unix_ns, 1'796'060'474 * kSecond);  // date -u -d '2026-11-30 17:41:14' +%s
  EXPECT_FALSE(t->start_has_zone);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_EQ(t->understanding.rows, 4);
  EXPECT_EQ(t->understanding.repeated_headers, 1);
  EXPECT_EQ(t->understanding.other_lines, 0);
  EXPECT_TRUE(mentions(*t, "whole watts"));
}

TEST(NvidiaSmiTable, ReadsTheLayoutBefore530AndPassesOverMigAndProcesses) {
  const auto t = read(
      "Mon Nov 30 17:41:14 2026       \n"
      "+-----------------------------------------------------------------------------+\n"
      "| NVIDIA-SMI 515.00.01    Driver Version: 515.00.01    CUDA Version: 11.7     |\n"
      "|-------------------------------+----------------------+----------------------+\n"
      "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |\n"
      "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |\n"
      "|                               |                      |               MIG M. |\n"
      "|===============================+======================+======================|\n"
      "|   3  NVIDIA A100-SXM...  On   | 00000000:07:00.0 Off |                   On |\n"
      "| N/A   34C    P0    71W / 400W |   1234MiB / 81920MiB |     N/A      Default |\n"
      "|                               |                      |              Enabled |\n"
      "+-------------------------------+----------------------+----------------------+\n"
      "| MIG devices:                                                                |\n"
      "|------------------+----------------------+-----------+-----------------------+\n"
      "| GPU  GI  CI  MIG |         Memory-Usage |        Vol|         Shared        |\n"
      "|      ID  ID  Dev |           BAR1-Usage | SM     Unc| CE  ENC  DEC  OFA  JPG|\n"
      "|==================+======================+===========+=======================|\n"
      "|  3    7   0   0  |     12MiB / 19968MiB | 14      0 |  1   0    0    0    0 |\n"
      "|                  |      0MiB / 32767MiB |           |                       |\n"
      "+------------------+----------------------+-----------+-----------------------+\n"
      "|    3    7    0      5555      C   /usr/bin/python3                   990MiB |\n"
      "+-----------------------------------------------------------------------------+\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "3");
  EXPECT_EQ(t->series[0].device.meter, MeterKind::instantaneous);  // GA100
  EXPECT_EQ(t->series[0].power_w, Powers{71});
  EXPECT_EQ(t->series[0].column(Column::limit_w), Powers{400});
  EXPECT_EQ(t->understanding.rows, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(NvidiaSmiTable, NotAvailableAndErrorsAreUnknownNeverZero) {
  const auto t = read(table("Mon Nov 30 17:41:14 2026\n", "   171W /  600W", "N/A / N/A") +
                      table("Mon Nov 30 17:41:15 2026\n", "   ERR! / ERR!", "  N/A /   75W") +
                      table("Mon Nov 30 17:41:16 2026\n", "   172W / N/A", " 75W /   75W"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_EQ(t->understanding.unknown_power, 3);
  const Series& a = t->series[0];
  EXPECT_EQ(a.power_w[0], 171);
  EXPECT_TRUE(std::isnan(a.power_w[1]));
  EXPECT_EQ(a.power_w[2], 172);
  EXPECT_TRUE(std::isnan(a.column(Column::limit_w)[1]));
  const Series& b = t->series[1];
  EXPECT_TRUE(std::isnan(b.power_w[0]));
  EXPECT_TRUE(std::isnan(b.power_w[1]));
  EXPECT_EQ(b.power_w[2], 75);
  EXPECT_EQ(b.column(Column::limit_w)[1], 75);
}

TEST(NvidiaSmiTable, TheTablesOwnStampGoesBeforeTheLoops) {
  const auto t =
      read("Mon Nov 30 06:41:13 PM CET 2026\n" + table("Mon Nov 30 18:41:14 2026\n", "1W / 600W", "2W / 600W"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->start_unix_ns, (1'796'060'474 + 3600) * kSecond);
  EXPECT_FALSE(mentions(*t, "zone"));
}

TEST(NvidiaSmiTable, TakesALoopsStampOrAPeriodWhereTheTableHasNone) {
  const auto stamped = read("2026-11-30T17:41:14Z\n" + table("", "1W / 600W", "2W / 600W") + "2026-11-30T17:41:24Z\n" +
                            table("", "3W / 600W", "4W / 600W"));
  ASSERT_TRUE(stamped) << stamped.error().message();
  EXPECT_EQ(stamped->series[1].time_ns, (Times{0, 10 * kSecond}));
  EXPECT_TRUE(stamped->start_has_zone);
  const std::string bare = table("", "1W / 600W", "2W / 600W") + table("", "3W / 600W", "4W / 600W");
  const auto refused = read(bare);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().cure.find("--period"), std::string::npos);
  const auto t = read(bare, {.period = Nanos(3 * kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, 3 * kSecond}));
  const auto snapshot = read(table("", "1W / 600W", "2W / 600W"));
  ASSERT_TRUE(snapshot) << snapshot.error().message();
  EXPECT_EQ(snapshot->understanding.clock, "none: a snapshot");
}

TEST(NvidiaSmiTable, StampsBehindTheirPolls) {
  const auto t = read(table("", "1W / 600W", "2W / 600W") + "Mon Nov 30 17:41:14 2026\n" +
                      table("", "3W / 600W", "4W / 600W") + "Mon Nov 30 17:41:15 2026\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond}));
  EXPECT_EQ(t->start_unix_ns, 1'796'060'474 * kSecond);
  EXPECT_TRUE(mentions(*t, "behind its poll"));
}

TEST(NvidiaSmiTable, AGpuThatFellOffTheBusMovesNobodyElse) {
  std::string lost = table("Mon Nov 30 17:41:15 2026\n", "1W / 600W", "22W / 600W");
  const std::size_t from = lost.find("|   0  NVIDIA");
  lost.erase(from, lost.find("|   1  NVIDIA") - from);
  const auto t = read(table("Mon Nov 30 17:41:14 2026\n", "10W / 600W", "21W / 600W") +
                      "Unable to determine the device handle for GPU 0000:18:00.0: GPU is lost.\n" + lost +
                      table("Mon Nov 30 17:41:16 2026\n", "12W / 600W", "23W / 600W"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, 2 * kSecond}));
  EXPECT_EQ(t->series[1].power_w, (Powers{21, 22, 23}));
  EXPECT_EQ(t->understanding.other_lines, 1);
}

TEST(NvidiaSmiTable, ATornEndIsLeftOut) {
  const std::string whole = table("Mon Nov 30 17:41:14 2026\n", "10W / 600W", "21W / 600W");
  const std::string next = table("Mon Nov 30 17:41:15 2026\n", "11W / 600W", "22W / 600W");
  for (const char* cut : {"11W / 6", "P0             11W", "|   0  NVIDIA", "22W"}) {
    const auto t = read(whole + next.substr(0, next.find(cut) + 3));
    ASSERT_TRUE(t) << t.error().message();
    EXPECT_EQ(t->understanding.damaged, 0) << cut;
    EXPECT_EQ(t->series[1].power_w, Powers{21}) << cut;
    EXPECT_TRUE(mentions(*t, "cut while it was written")) << cut;
  }
}

TEST(NvidiaSmiTable, AMissingSecondLineIsDamage) {
  std::string text;
  for (int i = 10; i < 40; ++i) {
    text += table("Mon Nov 30 17:41:" + std::to_string(i) + " 2026\n", "10W / 600W", "21W / 600W");
  }
  const std::size_t row = text.find("| N/A   41C");
  text.erase(row, text.find('\n', row) + 1 - row);
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "smi.txt:9");
  EXPECT_EQ(t->understanding.rows, 59);
}

}  // namespace
}  // namespace wattrein::trace
