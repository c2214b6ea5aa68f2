// The readers of tables that one tool writes.
#include "trace/table_fixed.h"

#include <gtest/gtest.h>

#include <string>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

// --- zeus ---------------------------------------------------------------------------------------------------------

TEST(Zeus, MonitorLogIsInMilliwatts) {
  const auto trace =
      read_text("Time,Power\n2023-05-11 10:00:00.100000001,61250\n2023-05-11 10:00:00.150000001,61375\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "zeus");
  EXPECT_EQ(trace->series[0].power_w, (Powers{61.25, 61.375}));
  EXPECT_EQ(trace->start_unix_ns, 1'683'799'200'100'000'001);
  EXPECT_EQ(trace->series[0].time_ns[1], 50'000'000);
  EXPECT_TRUE(mentions(*trace, "zeus_monitor logs mW"));
  EXPECT_EQ(trace->understanding.devices, "one device");
}

TEST(Zeus, WhatCouldBeWattsIsNotGuessed) {
  const std::string log = "Time,Power\n2023-05-11 10:00:00.100000001,612\n2023-05-11 10:00:00.150000001,613\n";
  const std::string error = error_of(log);
  EXPECT_NE(error.find("--unit mW or --unit W"), std::string::npos) << error;
  const auto trace = read_text(log, {.power_unit = "W"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{612, 613}));
}

TEST(Zeus, OtherTablesOfTimeAndPowerAreNotItsOwn) {
  const std::string error = error_of("Time,Power\n2023-05-11 10:00:00.1,61250\n2023-05-11 10:00:00.2,61375\n");
  EXPECT_NE(error.find("has no unit"), std::string::npos) << error;
}

TEST(Zeus, PowerMonitorHasNoHeader) {
  const std::string log = "1700000000.25,71.125,300.5\n1700000000.35,72.5,301.25\n";
  EXPECT_FALSE(read_text(log));
  const auto trace = read_text(log, {.format = "zeus"});
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].device.name, "1");
  EXPECT_EQ(trace->series[1].power_w, (Powers{300.5, 301.25}));
  EXPECT_EQ(trace->start_unix_ns, 1'700'000'000'250'000'000);
}

TEST(Zeus, TheWindowLogIsNoTrace) {
  const auto trace = read_text(
      "start_time,window_name,elapsed_time,gpu0_energy,gpu1_energy\n"
      "1700000000.5,epoch,12.5,3000.5,3100.25\n");
  ASSERT_FALSE(trace);
  EXPECT_EQ(trace.error().kind, ErrorKind::bad_input);
  EXPECT_NE(trace.error().what.find("ZeusMonitor"), std::string::npos);
}

// --- codecarbon ---------------------------------------------------------------------------------------------------

TEST(CodeCarbon, IsRefusedByName) {
  const auto trace = read_text(
      "timestamp,project_name,run_id,duration,emissions,gpu_power,energy_consumed\n"
      "2026-03-30T20:08:27,x,a1,48.5,0.01,71,0.002\n");
  ASSERT_FALSE(trace);
  EXPECT_EQ(exit_code(trace.error().kind), 3);
  EXPECT_NE(trace.error().what.find("CodeCarbon's emissions file: its rows are whole runs"), std::string::npos)
      << trace.error().what;
}

// --- acmeter ------------------------------------------------------------------------------------------------------

TEST(AcMeter, ReadsActivePower) {
  const auto trace = read_text(
      "T,P,I,V,S,Q\n1700000000.0059, 244.5, 1.09, 229.2, 251.7, -60.1\n"
      "1700000001.0058, 220.25, 0.99, 229.3,  227.2, -56.6\nInterrupted, exiting\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "acmeter");
  EXPECT_EQ(trace->series[0].power_w, (Powers{244.5, 220.25}));
  EXPECT_EQ(trace->series[0].time_ns[1], 999'900'000);
  EXPECT_EQ(trace->understanding.other_lines, 1);
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_NE(error_of("T,P,I,V\n1700000000, 244, 1, 229\n", {.device_column = "V"}).find("--device"), std::string::npos);
}

TEST(AcMeter, AnotherHeaderIsRefusedByName) {
  const std::string error = error_of("T,P,V,I\n1700000000, 244, 229, 1\n", {.format = "acmeter"});
  EXPECT_NE(error.find("there is no header 'T,P,I,V,...'"), std::string::npos) << error;
}

// --- powerjoular --------------------------------------------------------------------------------------------------

TEST(PowerJoular, TotalIsThePower) {
  const auto trace = read_text(
      "Date,CPU Utilization,Total Power,CPU Power,GPU Power\n"
      "2025-03-02 23:49:9.25,0.5,12.5,12.5,0.0\n2025-03-02 23:49:10.5,0.25,10.5,10.5,0.0\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "powerjoular");
  EXPECT_EQ(trace->series[0].power_w, (Powers{12.5, 10.5}));
  EXPECT_EQ(trace->series[0].time_ns[1], 1'250'000'000);
  EXPECT_TRUE(mentions(*trace, "found no GPU to read"));
}

TEST(PowerJoular, AGpuIsPartOfTheTotal) {
  const auto trace = read_text(
      "Date,CPU Utilization,Total Power,CPU Power,GPU Power\n"
      "2025-03-02 23:49:09.25,0.5,82.5,12.5,70.0\n2025-03-02 23:49:10.5,0.25,80.5,10.5,70.0\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{82.5, 80.5}));
  EXPECT_TRUE(mentions(*trace, "the CPU's and the GPU's together"));
}

TEST(PowerJoular, TheFileOfAProcessIsNoMeter) {
  const std::string log = "Date,CPU Utilization,CPU Power\n2025-03-02 23:49:09,0.5,2.5\n2025-03-02 23:49:10,0.5,3\n";
  EXPECT_NE(error_of(log).find("file of one process"), std::string::npos) << error_of(log);
  const auto trace = read_text(log, {.power_column = "CPU Power"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{2.5, 3}));
}

// --- energibridge -------------------------------------------------------------------------------------------------

TEST(EnergiBridge, GpusAreTheDevices) {
  const auto trace = read_text(
      "Delta,Time,CPU_ENERGY (J),CPU_USAGE_0,GPU0_POWER (mWatts),GPU0_USAGE,GPU1_POWER (mWatts),USED_MEMORY\n"
      "0,1700000000000,10.5,5,70125,1,300500,7\n200,1700000000001,10.5,5,70125,1,300500,7\n"
      "200,1700000000201,21,5,71250,1,301500,7\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "energibridge");
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].device.name, "0");
  EXPECT_EQ(trace->series[0].power_w, (Powers{70.125, 70.125, 71.25}));
  EXPECT_EQ(trace->series[1].power_w, (Powers{300.5, 300.5, 301.5}));
  EXPECT_EQ(trace->series[1].time_ns.back(), 201'000'000);
}

TEST(EnergiBridge, ElseTheMachinesPower) {
  const auto trace = read_text(
      "Delta,Time,CPU_USAGE_0,SYSTEM_POWER (Watts),USED_MEMORY\n"
      "0,1700000000000,46.5,11.5,1\n104,1700000000200,46.5,12.5,1\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{11.5, 12.5}));
}

TEST(EnergiBridge, ElseTheCounterOfTheCpu) {
  // Core energies are parts of the package's. 20 J in 200 ms; the second row lies 1 ms behind the first.
  const auto trace = read_text(
      "Delta;Time;CORE0_ENERGY (J);CPU_ENERGY (J);CPU_USAGE_0;USED_MEMORY\n"
      "0;1700000000000;1;100;5;1\n200;1700000000001;1;100.25;5;1\n"
      "200;1700000000200;3;120;5;1\n200;1700000000400;5;140;5;1\n"
      "200;1700000000600;5;160;5;1\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_TRUE(same(trace->series[0].power_w, {20 / 0.2, 20 / 0.2, 20 / 0.2, 20 / 0.2, kNaN}));
  EXPECT_EQ(trace->series[0].device.meter, MeterKind::counter_difference);
  EXPECT_TRUE(mentions(*trace, "'CPU_ENERGY (J)'"));
}

TEST(EnergiBridge, WithoutAnyPowerItSaysSo) {
  const std::string error = error_of("Delta,Time,CPU_USAGE_0,USED_MEMORY\n0,1700000000000,46.5,1\n");
  EXPECT_NE(error.find("neither a power nor the energy"), std::string::npos) << error;
}

// --- gpu-z --------------------------------------------------------------------------------------------------------

TEST(GpuZ, ReadsBoardPower) {
  const std::string header =
      "        Date        , GPU Clock [MHz] , GPU Temperature [\xb0"
      "C] , Board Power Draw [W] , GPU Chip Power Draw [W] , "
      "8-Pin #1 Power [W] , 8-Pin #2 Power [W] , Power Consumption (%) [% TDP] ,\n";
  const auto trace = read_text(
      header +
      "2024-01-14 18:41:07 ,    1785.0   ,   48.7   ,    114.3   ,   28.2   ,  41.1 ,  48.7 , 33.6 ,\n"
      "2024-01-14 18:41:08 ,    1785.0   ,   48.7   ,    115.5   ,   28.2   ,  41.1 ,  48.7 , 33.6 ,\n" +
      header + "2024-01-14 18:50:00 ,    1785.0   ,   48.7   ,    116.5   ,   28.2   ,  41.1 ,  48.7 , 33.6 ,\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "gpu-z");
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{114.3, 115.5, 116.5}));
  EXPECT_EQ(trace->series[0].time_ns.back(), 533'000'000'000);
  EXPECT_EQ(trace->understanding.repeated_headers, 1);
  EXPECT_EQ(trace->understanding.damaged, 0);
}

// GPU-Z always appends, and another choice of sensors moves the columns.
TEST(GpuZ, OtherSensorsFurtherOnAreRefusedWithTheLine) {
  const std::string error = error_of(
      "Date , GPU Clock [MHz] , Memory Clock [MHz] , Board Power Draw [W] ,\n"
      "2024-01-14 18:41:07 , 1785.0 , 900.0 , 114.3 ,\n2024-01-14 18:41:08 , 1785.0 , 900.0 , 115.3 ,\n"
      "Date , GPU Clock [MHz] , Board Power Draw [W] ,\n"
      "2024-01-14 18:50:07 , 1785.0 , 116.3 ,\n2024-01-14 18:50:08 , 1785.0 , 117.3 ,\n");
  EXPECT_NE(error.find(":4: the columns change here"), std::string::npos) << error;
}

TEST(GpuZ, ChipPowerIsSaidAndPercentagesAreNone) {
  const auto chip = read_text(
      "Date , GPU Clock [MHz] , GPU Chip Power Draw [W] ,\n2024-01-14 18:41:07 , 1785.0 , 28.5 ,\n"
      "2024-01-14 18:41:08 , 1785.0 , 29.5 ,\n");
  ASSERT_TRUE(chip) << chip.error().message();
  EXPECT_EQ(chip->series[0].power_w, (Powers{28.5, 29.5}));
  EXPECT_TRUE(mentions(*chip, "that of the chip"));
  const std::string none =
      error_of("Date , GPU Clock [MHz] , Power Consumption (%) [% TDP] ,\n2024-01-14 18:41:07 , 1785.0 , 28.5 ,\n");
  EXPECT_NE(none.find("no power in W"), std::string::npos) << none;
}

}  // namespace
}  // namespace wattrein::trace
