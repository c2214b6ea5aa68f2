#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/table_layout.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

TEST(ColumnName, ComesApart) {
  EXPECT_EQ(parse_column_name("power.draw [W]").base, "power.draw");
  EXPECT_EQ(parse_column_name("power.draw [W]").power_scale, 1.0);
  EXPECT_EQ(parse_column_name("Power (W)").power_scale, 1.0);
  EXPECT_EQ(parse_column_name("power_mW").power_scale, 1e-3);
  EXPECT_EQ(parse_column_name("Watts").power_scale, 1.0);
  EXPECT_EQ(parse_column_name("energy_mj").energy_scale, 1e-3);
  EXPECT_EQ(parse_column_name("TimeStampUs").time_unit, TimeUnit::us);
  EXPECT_EQ(parse_column_name("TimeStampUs").tokens, (std::vector<std::string>{"time", "stamp"}));
  EXPECT_EQ(parse_column_name("GPUId").tokens, (std::vector<std::string>{"gpu", "id"}));
  EXPECT_EQ(parse_column_name("PowerCap").tokens, (std::vector<std::string>{"power", "cap"}));
  EXPECT_FALSE(parse_column_name("PowerCap").power_scale);
}

TEST(Csv, LabelsAndEnergyCounter) {
  const auto trace = read_text(
      "timestamp,phase,gpu,gpu_model,power_w,temp_c,energy_mj\r\n"
      "1775333003.425,init,0,NVIDIA H100 80GB HBM3,70.2,31,487844063\r\n"
      "1775333003.425,init,1,NVIDIA H100 80GB HBM3,104.9,29,490480545\r\n"
      "1775333003.525,steady,0,NVIDIA H100 80GB HBM3,75.0,31,487851063\r\n"
      "1775333003.525,steady,1,NVIDIA H100 80GB HBM3,106.0,29,490491545\r\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "csv");
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->start_unix_ns, 1'775'333'003'425'000'000);
  EXPECT_EQ(trace->phases, (std::vector<std::string>{"init", "steady"}));
  const Series& s = trace->series[1];
  EXPECT_EQ(s.phase, (std::vector<std::int16_t>{0, 1}));
  EXPECT_EQ(s.power_w, (Powers{104.9, 106.0}));
  EXPECT_EQ(s.column(Column::energy_j), (Powers{490480.545, 490491.545}));
  EXPECT_EQ(s.device.model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(s.time_ns, (std::vector<std::int64_t>{0, 100'000'000}));
}

TEST(Csv, MicrosecondsByName) {
  const auto trace = read_text("GPUId,TimeStampUs,Watts\n0,1718369824263312,71.12\n3,1718369824307450,72.5\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[1].device.name, "3");
  EXPECT_EQ(trace->series[1].time_ns[0], 44'138'000);
  EXPECT_NE(trace->understanding.clock.find("unix epoch in us"), std::string::npos);
}

TEST(Csv, ALimitBesideIsNoPower) {
  const auto trace = read_text(
      "PID,PowerCap,Time,Power (W),Energy "
      "(J)\n0,30000,1740646876.980355,33.154,0.5\n0,30000,1740646878.0443594,38.0,0.7\n"
      "1,35000,1740646879.5,41.5,0.1\n");
  ASSERT_TRUE(trace) << trace.error().message();
  const Series& s = trace->series[0];
  EXPECT_EQ(s.power_w, (Powers{33.154, 38.0, 41.5}));
  EXPECT_EQ(s.column(Column::limit_w), (Powers{30.0, 30.0, 35.0}));
  EXPECT_EQ(s.time_ns[1], 1'064'004'400);
  EXPECT_TRUE(mentions(*trace, "by its size it is the limit in mW"));
  EXPECT_TRUE(s.column(Column::energy_j).empty());  // it falls: no counter
  EXPECT_TRUE(mentions(*trace, "energy counter falls on 1 device"));
}

// Watts that nothing draws: what may be drawn, what is left of it, what it was at the most.
TEST(Csv, APowerThatIsNoDrawIsRefusedWithTheWord) {
  for (const std::string word : {"headroom", "saved", "delta", "rated", "allocated", "available", "cumulative",
                                 "reserved", "nominal", "budget", "limit", "tdp", "peak"}) {
    const std::string log = "time,power_" + word + "_w\n1718369824,70\n1718369825,71\n";
    const std::string error = error_of(log);
    EXPECT_NE(error.find("'power_" + word + "_w' is passed over for the word '" + word + "'"), std::string::npos)
        << error;
    EXPECT_NE(error.find("Name it with --power"), std::string::npos) << error;
    const auto named = read_text(log, {.power_column = "power_" + word + "_w"});
    ASSERT_TRUE(named) << named.error().message();
    EXPECT_EQ(named->series[0].power_w, (Powers{70, 71}));
  }
  const auto beside = read_text("time,reserved_power_w,used_power_w\n1718369824,400,70\n1718369825,400,71\n");
  ASSERT_TRUE(beside) << beside.error().message();
  EXPECT_EQ(beside->series[0].power_w, (Powers{70, 71}));
  const std::string saved = error_of("time,energy_saved_j\n1718369824,70\n1718369825,170\n");
  EXPECT_NE(saved.find("for the word 'saved'"), std::string::npos) << saved;
  const auto counter = read_text("time,cumulative_energy_j\n1718369824,70\n1718369825,170\n");
  ASSERT_TRUE(counter) << "a counter is cumulative";
}

TEST(Csv, AFractionOfAWattIsNoUnit) {
  for (const std::string unit : {"dW", "0.1W", "cW", "10W"}) {
    const std::string error = error_of("time,power_" + unit + "\n1718369824,700\n1718369825,710\n");
    EXPECT_NE(error.find("has no unit"), std::string::npos) << error;
    EXPECT_NE(error.find("'" + unit + "' is neither W, mW nor kW"), std::string::npos) << error;
  }
  EXPECT_EQ(parse_column_name("gpu0W").power_scale, 1.0) << "a numbered device";
  EXPECT_EQ(parse_column_name("powerW").power_scale, 1.0);
}

TEST(Csv, APowerWithoutUnitIsRefusedUntilStated) {
  const std::string log = "Time,Draw\n2022-07-13 02:07:36.708783111,32402\n2022-07-13 02:07:36.761689374,32500\n";
  const std::string error = error_of(log);
  EXPECT_NE(error.find("has no unit"), std::string::npos) << error;
  EXPECT_NE(error.find("--unit mW"), std::string::npos);
  const auto trace = read_text(log, {.power_unit = "mW"});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series[0].power_w, (Powers{32.402, 32.5}));
  EXPECT_EQ(trace->series[0].time_ns[1], 52'906'263);
  EXPECT_NE(error_of(log, {.power_unit = "V"}).find("--unit"), std::string::npos);
}

TEST(Csv, UnitsInCells) {
  const auto trace = read_text("time;gpu;power\n1718369824;0;71.25 W\n1718369825;0;350000 mW\n1718369826;0;1 kW\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.25, 350.0, 1000.0}));
}

TEST(Csv, NamedColumns) {
  const std::string log = "when\twho\tcpu\tdrawn\n1718369824\ta\t5\t71\n1718369825\tb\t6\t72\n1718369826\ta\t7\t73\n";
  const ReadOptions options{.time_column = "WHEN", .power_column = "#4", .device_column = "who", .power_unit = "W"};
  const auto trace = read_text(log, options);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.0, 73.0}));
  ReadOptions wrong = options;
  wrong.time_column = "wen";
  const std::string error = error_of(log, wrong);
  EXPECT_NE(error.find("no column 'wen'"), std::string::npos) << error;
  EXPECT_NE(error.find("Did you mean 'when'? The columns are: when, who, cpu, drawn."), std::string::npos) << error;
  wrong.time_column = "#9";
  EXPECT_NE(error_of(log, wrong).find("has no column #9"), std::string::npos);
}

TEST(Csv, SeparatorsThatNameNoDeviceAreNoDamage) {
  const auto trace = read_text(
      "timestamp,device,power_watts,power_cap_watts\n1754585903,card0,152.0\n1754585903,card1,146.0\n1754585903,\n"
      "1754585908,card0,153.0\n1754585908,card1,147.0\n1754585908,\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.other_lines, 2);
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_EQ(trace->series[1].power_w, (Powers{146.0, 147.0}));
}

TEST(Csv, ARowThatEndsBeforeItsPowerIsDamaged) {
  std::string log = "timestamp,device,power_watts\n";
  for (int i = 0; i < 30; ++i) log += std::to_string(1754585903 + i) + ",card0,152.0\n";
  const auto trace = read_text(log + "1754586000,card0\n1754586001,card0,150.0\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[0].size(), 31U);
}

TEST(Csv, RowsLongerThanTheHeaderMayHaveShifted) {
  std::string log = "timestamp,device,power_watts\n";
  for (int i = 0; i < 30; ++i) log += std::to_string(1754585903 + i) + ",card0,152.0\n";
  const auto trace = read_text(log + "1754586000,card0,1,2,3,152.0\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->understanding.damaged, 1);
}

TEST(Csv, QuotedCells) {
  const auto trace = read_text(
      "\"time\",\"gpu\",\"power_w\"\n\"1718369824\",\"node, 1\",\"71.5\"\n\"1718369825\",\"node, 1\",\"72.5\"\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].device.name, "node, 1");
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.5, 72.5}));
}

TEST(Csv, HostsKeepTheirDevicesApart) {
  const auto trace =
      read_text("time,host,gpu,power_w\n1718369824,a,0,71\n1718369824,b,0,81\n1718369825,a,0,72\n1718369825,b,0,82\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].device.name, "b/0");
  EXPECT_EQ(trace->series[1].device.host, "b");
  EXPECT_EQ(trace->series[1].power_w, (Powers{81.0, 82.0}));
  const auto named =
      read_text("time,host,gpu,power_w\n1718369824,a,0,71\n1718369824,b,0,81\n", {.device_column = "gpu"});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->series.size(), 2U);
}

TEST(Csv, SeveralPowersAreAskedAbout) {
  const std::string error = error_of("time,left_power_w,right_power_w\n1718369824,71,60\n1718369825,72,61\n");
  EXPECT_NE(error.find("several columns could be the power"), std::string::npos) << error;
}

TEST(Csv, APowerPassedOverIsNoted) {
  const auto trace = read_text("time,Total Power,GPU Power\n1718369824,71,60\n1718369825,72,61\n", {.power_unit = "W"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{60.0, 61.0}));
  EXPECT_TRUE(mentions(*trace, "'Total Power' could be it too"));
}

TEST(Csv, RowsOfWholeRunsAreNoTrace) {
  const std::string error = error_of(
      "timestamp,run_id,duration,emissions,gpu_power\n2026-03-30T20:08:27,a,48.5,0.01,71\n", {.power_unit = "W"});
  EXPECT_NE(error.find("not a series in time"), std::string::npos) << error;
}

TEST(Csv, ACounterOfRowsIsNoDevice) {
  std::string log = "index,time,power_w\n";
  for (int i = 0; i < 100; ++i) log += std::to_string(i) + "," + std::to_string(1718369824 + i) + ".5,70\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series.size(), 1U);
  EXPECT_TRUE(mentions(*trace, "does not name devices"));
}

TEST(Csv, NegativePowerIsUnknown) {
  std::string log = "time,gpu,power_w\n";
  for (int i = 0; i < 30; ++i) log += std::to_string(1718369824 + i) + ",0," + (i == 3 ? "-1" : "70") + "\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_EQ(trace->understanding.unknown_power, 1);
  EXPECT_EQ(trace->series[0].size(), 30U);
  EXPECT_TRUE(mentions(*trace, "1 reading below zero, or far above any machine, was taken as unknown."));
}

TEST(Csv, UnknownFormatSaysWhatItLookedFor) {
  const std::string error = error_of("hello world\nsecond line\n");
  EXPECT_NE(error.find("hello world"), std::string::npos);
  EXPECT_NE(error.find("nvidia-smi:"), std::string::npos);
  EXPECT_NE(error.find("jsonl:"), std::string::npos);
  EXPECT_NE(error.find("--format"), std::string::npos);
  const std::string format = error_of("a\n", {.format = "nvidia-sm"});
  EXPECT_NE(format.find("Did you mean 'nvidia-smi'?"), std::string::npos) << format;
}

TEST(Jsonl, IsNeverTakenForCommaSeparatedCells) {
  // Keys as nvidia-smi names its columns.
  const auto smi = read_text(
      "{\"timestamp\": \"2025/06/01 10:00:00.000\", \"index\": \"0\", \"power.draw\": \"90.5 W\"}\n"
      "{\"timestamp\": \"2025/06/01 10:00:01.000\", \"index\": \"0\", \"power.draw\": \"91.5 W\"}\n");
  ASSERT_TRUE(smi) << smi.error().message();
  EXPECT_EQ(smi->series[0].power_w, (Powers{90.5, 91.5}));
  EXPECT_EQ(smi->understanding.format, "jsonl");
  // Keys in another order in every line.
  const auto mixed =
      read_text("{\"power_w\": 90, \"timestamp\": 1718369824}\n{\"timestamp\": 1718369825, \"power_w\": 91}\n");
  ASSERT_TRUE(mixed) << mixed.error().message();
  EXPECT_EQ(mixed->series[0].power_w, (Powers{90, 91}));
}

TEST(Jsonl, KeysAreColumns) {
  const auto trace = read_text(
      "{\"ts\": 1718369824.25, \"gpu\": {\"id\": 0, \"power_w\": 71.5}, \"phase\": \"update\"}\n"
      "{\"ts\": 1718369825.25, \"phase\": \"generate\", \"gpu\": {\"id\": 0, \"power_w\": null}}\n"
      "{\"ts\": 1718369826.25, \"gpu\": {\"power_w\": 73, \"id\": 0}}\n"
      "{\"ts\": 17183");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "jsonl");
  const Series& s = trace->series[0];
  EXPECT_EQ(s.time_ns, (std::vector<std::int64_t>{0, 1'000'000'000, 2'000'000'000}));
  EXPECT_EQ(trace->start_unix_ns, 1'718'369'824'250'000'000);
  EXPECT_EQ(s.power_w[0], 71.5);
  EXPECT_TRUE(std::isnan(s.power_w[1]));
  EXPECT_EQ(s.power_w[2], 73.0);
  EXPECT_EQ(s.phase, (std::vector<std::int16_t>{0, 1, -1}));
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_TRUE(mentions(*trace, "The last line is cut"));
}

TEST(Jsonl, NamedKeysAndDamage) {
  std::string log;
  for (int i = 0; i < 30; ++i) log += "{\"w\": " + std::to_string(1718369824 + i) + ", \"d\": {\"p\": 70000}}\n";
  log += "{\"w\": 1718369900, \"d\": \n{\"w\": 1718369901, \"d\": {\"p\": 71000}}\n";
  const auto trace = read_text(log, {.time_column = "w", .power_column = "d.p", .power_unit = "mW"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[0].size(), 31U);
  EXPECT_EQ(trace->series[0].power_w[30], 71.0);
}

}  // namespace
}  // namespace wattrein::trace
