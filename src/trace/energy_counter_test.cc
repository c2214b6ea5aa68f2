#include "trace/energy_counter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trace/steps.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

TEST(EnergyCounter, DifferencesHoldFromTheEarlierReading) {
  // 70 J in 1 s, 160 J in 2 s, 30 J in 0.5 s; nothing is known behind the last reading.
  const auto trace = read_text(
      "time,gpu,energy_mJ\n1718369824,0,1000000\n1718369825,0,1070000\n"
      "1718369827,0,1230000\n1718369827.5,0,1260000\n");
  ASSERT_TRUE(trace) << trace.error().message();
  const Series& s = trace->series[0];
  EXPECT_TRUE(same(s.power_w, {70, 80, 60, kNaN}));
  EXPECT_EQ(s.device.meter, MeterKind::counter_difference);
  EXPECT_EQ(trace->understanding.power, "energy counter 'energy_mJ' in mJ");
  EXPECT_EQ(trace->understanding.unknown_power, 1);
  EXPECT_TRUE(mentions(*trace, "Power is the difference of the energy counter 'energy_mJ'"));
}

TEST(EnergyCounter, TheIntegralIsTheCountersOwnDifference) {
  std::string log = "time,gpu,energy_j\n";
  double energy = 5000.0;
  std::int64_t ms = 1'718'369'824'000;
  for (int i = 0; i < 200; ++i) {
    energy += 5.0 + 0.25 * ((i * 37) % 11 + 1);  // steps of 0.25 J are no more than 5 % of any
    ms += 50 + (i * 53) % 40;
    log += std::to_string(ms) + ",0," + std::to_string(energy) + "\n";
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  const Series& s = trace->series[0];
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < s.size(); ++i) {
    sum += s.power_w[i] * static_cast<double>(s.time_ns[i + 1] - s.time_ns[i]) * 1e-9;
  }
  const auto& column = s.column(Column::energy_j);
  EXPECT_NEAR(sum, column.back() - column.front(), 1e-9 * sum);
}

TEST(EnergyCounter, AFallIsUnknownAndNotNegative) {
  std::string log = "time,gpu,energy_j\n";
  for (int i = 0; i < 40; ++i) log += std::to_string(1'718'369'824 + i) + ",0," + std::to_string(i * 70) + "\n";
  for (int i = 40; i < 80; ++i) log += std::to_string(1'718'369'824 + i) + ",0," + std::to_string((i - 40) * 70) + "\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  for (std::size_t i = 0; i < 79; ++i) {
    if (i == 39) {
      EXPECT_NE(trace->series[0].power_w[i], trace->series[0].power_w[i]);
    } else {
      EXPECT_EQ(trace->series[0].power_w[i], 70.0) << i;
    }
  }
  EXPECT_TRUE(mentions(*trace, "The energy counter falls once (a reset or a wrap): power is unknown there."));
  EXPECT_TRUE(trace->series[0].column(Column::energy_j).empty());
}

/// One reading a second: `joules(i)` at second i.
template <class Energy>
std::string every_second(int n, Energy joules, std::string_view column = "energy_j") {
  std::string log = "time,gpu," + std::string(column) + "\n";
  for (int i = 0; i < n; ++i) log += std::to_string(1'718'369'824 + i) + ",0," + std::to_string(joules(i)) + "\n";
  return log;
}

TEST(EnergyCounter, ACounterSlowerThanTheLogIsTakenFromMoveToMove) {
  // 50 W in steps of 1000 J: it moves every 20 s, read once a second, first at 7 s of its own step: moves are seen at
  // 13, 33, ..., 93 s. A move may be a second old when it is read, which is 1/20 of a stretch.
  const auto trace = read_text(every_second(100, [](int i) { return (i + 7) / 20 * 1000; }));
  ASSERT_TRUE(trace) << trace.error().message();
  const Powers& power = trace->series[0].power_w;
  for (int i = 0; i < 100; ++i) {
    const double expected = i < 13 || i >= 93 ? kNaN : 50.0;
    EXPECT_TRUE(same({power[static_cast<std::size_t>(i)]}, {expected})) << i;
  }
  EXPECT_TRUE(mentions(*trace, "has not moved"));
  EXPECT_TRUE(mentions(*trace, "counts in steps of 1000 J"));
}

TEST(EnergyCounter, CoarseStepsAreMergedUntilTheyTell) {
  // 83 J/s in steps of 36 J: 2 or 3 steps a second, which read as 72 and 108 W. Ten steps are 10 %: four or five
  // seconds each, so that the mean is within 10 % of 83 W.
  const auto trace = read_text(every_second(200, [](int i) { return i * 83 / 36 * 36; }));
  ASSERT_TRUE(trace) << trace.error().message();
  int known = 0;
  for (const double w : trace->series[0].power_w) {
    if (std::isnan(w)) continue;
    ++known;
    EXPECT_NEAR(w, 83.0, 8.3);
  }
  EXPECT_GT(known, 190);
  EXPECT_TRUE(mentions(*trace, "counts in steps of 36 J"));
}

TEST(EnergyCounter, AJumpBeyondAnyDeviceIsUnknown) {
  // 300 W, and 500 kJ within one second in between.
  const auto trace = read_text(every_second(30, [](int i) { return i * 300 + (i >= 15 ? 500'000 : 0); }));
  ASSERT_TRUE(trace) << trace.error().message();
  Powers expected(30, 300.0);
  expected[14] = expected[29] = kNaN;
  EXPECT_TRUE(same(trace->series[0].power_w, expected));
  EXPECT_TRUE(mentions(*trace, "jumps once by more than a device can draw (up to 500.3 kW)"));
  // A hall of servers does draw that.
  const auto hall = read_text(every_second(30, [](int i) { return i * 500'000; }));
  ASSERT_TRUE(hall);
  EXPECT_EQ(hall->series[0].power_w[14], 500'000.0);
}

TEST(EnergyCounter, EnergiesPerRowThatRiseArePointedOut) {
  const auto trace = read_text(every_second(30, [](int i) { return 300 + i; }));
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(mentions(*trace, "never give more than 1 W, which no GPU draws"));
}

// 150 kJ a second are 150 kW: 150 W, if the column holds mJ.
TEST(EnergyCounter, PowerOfNoSingleMachineIsPointedOut) {
  const auto trace = read_text("time,energy_j\n1718369824,0\n1718369825,150000\n1718369826,310000\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(mentions(*trace, "never give less than 150 kW, which no single machine draws"));
}

TEST(EnergyCounter, ReadingsTooCloseStartNoIntervalOfTheirOwn) {
  // 1 ms behind the first one, where the counter's own steps would make 500 W of 0.5 J.
  const auto trace = read_text(
      "time,gpu,energy_j\n1718369824.000,0,0\n1718369824.001,0,0.5\n1718369824.200,0,14\n"
      "1718369824.400,0,28\n1718369824.600,0,42\n");
  ASSERT_TRUE(trace) << trace.error().message();
  // 14 J in 200 ms.
  EXPECT_TRUE(same(trace->series[0].power_w, {70, 70, 14 / 0.2, 14 / 0.2, kNaN}));
}

TEST(EnergyCounter, EnergiesPerRowAreNoCounter) {
  std::string log = "time,gpu,energy_j\n";
  for (int i = 0; i < 40; ++i) log += std::to_string(1'718'369'824 + i) + ",0," + std::to_string(70 + i % 3) + "\n";
  const std::string error = error_of(log);
  EXPECT_NE(error.find("it is no running count"), std::string::npos) << error;
  EXPECT_EQ(error_of("time,gpu,energy_per_step_j\n1718369824,0,70\n1718369825,0,71\n").find("not recognised"),
            std::string("log: the format was ").size());
}

TEST(EnergyCounter, OnlyWhereThereIsNoPower) {
  const std::string log = "time,gpu,power_w,energy_j\n1718369824,0,70,0\n1718369825,0,71,100\n1718369826,0,72,200\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71, 72}));
  const auto named = read_text(log, {.power_column = "energy_j"});
  ASSERT_TRUE(named) << named.error().message();
  EXPECT_TRUE(same(named->series[0].power_w, {100, 100, kNaN}));
}

TEST(EnergyCounter, AUnitMayBeStated) {
  const std::string log = "time,gpu,total_energy\n1718369824,0,0\n1718369825,0,70000\n1718369826,0,141000\n";
  EXPECT_NE(error_of(log, {.power_column = "total_energy"}).find("--unit J"), std::string::npos);
  const auto trace = read_text(log, {.power_column = "total_energy", .power_unit = "mJ"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(same(trace->series[0].power_w, {70, 71, kNaN}));
  EXPECT_NE(error_of(log, {.power_column = "total_energy", .power_unit = "W"}).find("energy counter"),
            std::string::npos);
}

TEST(EnergyCounter, ColumnsOfSeveralDevices) {
  const auto trace = read_text(
      "time,gpu0_energy_j,gpu1_energy_j\n1718369824,0,1000\n1718369825,70,1300\n"
      "1718369826,150,1620\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_TRUE(same(trace->series[0].power_w, {70, 80, kNaN}));
  EXPECT_TRUE(same(trace->series[1].power_w, {300, 320, kNaN}));
  EXPECT_EQ(trace->series[1].device.meter, MeterKind::counter_difference);
}

}  // namespace
}  // namespace wattrein::trace
