// Tables whose figures come out wrong by a factor, or twice, where one reads on without asking.
#include <gtest/gtest.h>

#include <string>

#include "trace/steps.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

constexpr int kStart = 1'772'445'600;  // 2026-03-02 10:00:00 UTC

std::string row(int i, const std::string& rest) { return std::to_string(kStart + i) + "," + rest + "\n"; }

// --- Scales and units ------------------------------------------------------------------------------------------

TEST(Scales, WattsAndMilliwattsInOneColumnAreRefused) {
  std::string log = "time,gpu,power_w\n";
  for (int i = 0; i < 10; ++i) log += row(i, "0," + std::to_string(i < 6 ? 300 + i : 301'000 + i));
  const std::string error = error_of(log);
  EXPECT_NE(error.find("reads 305 W and then 301006 W at 2026-03-02 10:00:06"), std::string::npos) << error;
  EXPECT_NE(error.find("Split the file there"), std::string::npos);
  const auto stated = read_text(log, {.power_unit = "W"});
  ASSERT_TRUE(stated) << stated.error().message();
  EXPECT_TRUE(mentions(*stated, "--unit was used throughout"));
}

TEST(Scales, WhatADeviceMayDrawIsNotRefused) {
  // Two odd readings are no second scale, and neither is a device that goes through what lies between.
  std::string odd = "time,gpu,power_w\n";
  std::string ramp = odd;
  for (int i = 0; i < 20; ++i) {
    odd += row(i, "0," + std::to_string(i % 10 == 5 ? 300'000 : 300));
    ramp += row(i, "0," + std::to_string(i < 10 ? 0.3 + i : 10.0 * (i - 9) * (i - 9)));
  }
  EXPECT_TRUE(read_text(odd));
  EXPECT_TRUE(read_text(ramp));
}

TEST(Scales, WordsForNoneInDigits) {
  for (const char* none : {"9999", "6553.5", "32767", "999.9", "99999"}) {
    std::string log = "time,gpu,power_w\n";
    for (int i = 0; i < 12; ++i) log += row(i, std::string("0,") + (i % 4 == 1 ? none : "300"));
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << none;
    EXPECT_EQ(trace->understanding.unknown_power, 3) << none;
    EXPECT_TRUE(mentions(*trace, "3 readings of " + std::string(none) + " W are a full register or a word for none"));
  }
  // Once, or near what the device draws, it is a reading.
  std::string once = "time,gpu,power_w\n";
  std::string near = once;
  for (int i = 0; i < 12; ++i) {
    once += row(i, i == 5 ? "0,999" : "0,300");
    near += row(i, i % 4 == 1 ? "0,999" : "0,500");
  }
  EXPECT_EQ(read_text(once)->understanding.unknown_power, 0);
  EXPECT_EQ(read_text(near)->understanding.unknown_power, 0);
}

TEST(Units, MegaOrMilliIsAskedFor) {
  for (const char* header : {"power_MW", "power (MW)", "power [MW]", "POWER_MW", "powerMW"}) {
    const std::string log = "time,gpu," + std::string(header) + "\n" + row(0, "0,300000") + row(1, "0,301000");
    const std::string error = error_of(log);
    EXPECT_NE(error.find("'M' in capitals is mega"), std::string::npos) << header << error;
    const auto stated = read_text(log, {.power_unit = "mW"});
    ASSERT_TRUE(stated) << header << stated.error().message();
    EXPECT_EQ(stated->series[0].power_w, (Powers{300, 301})) << header;
  }
  const std::string cells = "time,gpu,power\n" + row(0, "0,300 MW") + row(1, "0,301 MW");
  EXPECT_NE(error_of(cells).find("--unit mW"), std::string::npos);
  EXPECT_EQ(read_text(cells, {.power_unit = "W"})->series[0].power_w, (Powers{300, 301}));
  const auto small = read_text("time,gpu,power_mw\n" + row(0, "0,300000") + row(1, "0,301000"));
  EXPECT_EQ(small->series[0].power_w, (Powers{300, 301}));
  EXPECT_NE(error_of("time,gpu,energy_MWh\n" + row(0, "0,1") + row(1, "0,2")).find("log: "), std::string::npos);
}

TEST(Units, MilliwattsThatCanOnlyBeWattsArePointedOut) {
  const auto trace = read_text("time,gpu,power_mw\n" + row(0, "0,301.250") + row(1, "0,302.125"));
  ASSERT_TRUE(trace);
  EXPECT_TRUE(mentions(*trace, "says mW but never reads more than 0.3021 W"));
}

TEST(Units, ReactiveAndApparentPowerIsNotTheDraw) {
  const auto trace = read_text("time,reactive_power_w,apparent_power_va,active_power_w\n" + row(0, "50,310,300") +
                               row(1, "51,311,301"));
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{300, 301}));
  EXPECT_NE(error_of("time,apparent_power_w\n" + row(0, "310") + row(1, "311")), "read");
}

// --- Copies ----------------------------------------------------------------------------------------------------

TEST(Copies, AFileThatHoldsItselfTwice) {
  const std::string header = "time,gpu,power_w\n";
  std::string once;
  std::string twice_each;
  for (int i = 0; i < 20; ++i) {
    for (const int gpu : {0, 1}) once += row(i, std::to_string(gpu) + "," + std::to_string(100 + 10 * gpu + i));
    for (int time = 0; time < 2; ++time) twice_each += row(i, "0," + std::to_string(100 + i));
  }
  for (const std::string& log : {header + once + once, header + once + header + once}) {
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    for (const Series& s : trace->series) {
      EXPECT_EQ(s.size(), 20U);
      EXPECT_EQ(median_period(s.time_ns).count(), 1'000'000'000);
    }
    EXPECT_TRUE(mentions(*trace, "40 samples stand in the file twice"));
    EXPECT_EQ(trace->understanding.rows, 40);
    EXPECT_TRUE(trace->understanding.warnings.empty());
  }
  const auto doubled = read_text(header + twice_each);
  ASSERT_TRUE(doubled);
  EXPECT_EQ(doubled->series[0].size(), 20U);
  EXPECT_EQ(doubled->series[0].duplicate_stamps, 0);  // what is left repeats none
}

TEST(Copies, DoubledRowsOfConstantPowerCountOnce) {
  // Ten seconds of 300 W, an hour of nothing, ten seconds more; every row twice.
  std::string log = "time,gpu,power_w\n";
  for (const int from : {0, 3600}) {
    for (int i = from; i < from + 10; ++i) log += row(i, "0,300") + row(i, "0,300");
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].duplicate_stamps, 20);
  EXPECT_TRUE(mentions(*trace, "20 samples repeat the stamp and the power before, which hardly changes"));
  // Two stretches: 9 s and the hold of 3 s before the hole; 9 s and the last second.
  const Steps steps = steps_of(trace->series[0], {});
  double energy_j = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    energy_j += steps.power[i] * static_cast<double>(steps.end(i) - steps.begin(i)) * 1e-9;
  }
  EXPECT_DOUBLE_EQ(energy_j, 300.0 * (9 + 3 + 9 + 1));
}

TEST(Copies, DoubledRowsWithoutADeviceAreNoDevices) {
  // Without an index two equal rows of a stamp would be two GPUs, and their sum twice the draw.
  for (const bool varies : {false, true}) {
    std::string one = "time_ms,power_w,util\n";
    std::string two = one;
    std::string agree = one;
    for (int i = 0; i < 20; ++i) {
      const std::string at = std::to_string(kStart) + std::to_string(100 + 37 * i % 800) + ",";
      const std::string stamp = std::to_string(kStart + i) + at.substr(std::to_string(kStart).size());
      const std::string a = stamp + std::to_string(varies ? 300 + i : 300) + ",50\n";
      const std::string b = stamp + "250,40\n";
      one += a + a;
      two += a + b + a + b;
      agree += a + stamp + std::to_string(varies ? 300 + i : 300) + ",51\n";
    }
    const auto single = read_text(one);
    ASSERT_TRUE(single) << single.error().message();
    ASSERT_EQ(single->series.size(), 1U);
    EXPECT_EQ(single->series[0].size(), 20U);
    EXPECT_TRUE(mentions(*single, "Every row stands in the file 2 times, byte for byte: 20 copies were left out"));
    EXPECT_EQ(single->understanding.devices, "one device");
    EXPECT_NE(error_of(two).find("its rows come 2 at a time"), std::string::npos);
    const auto stated = read_text(one, {.devices = 2});
    ASSERT_TRUE(stated) << stated.error().message();
    EXPECT_EQ(stated->series.size(), 2U);
    EXPECT_NE(error_of(agree).find("its rows come 2 at a time"), std::string::npos);  // another cell differs
  }
  // With stamps of whole seconds two polls a second look the same: asked for.
  std::string seconds = "time,power_w\n";
  for (int i = 0; i < 20; ++i) seconds += row(i, "300") + row(i, "300");
  EXPECT_NE(error_of(seconds).find("2 devices and one device polled 2 times a stamp look alike"), std::string::npos);
}

TEST(Copies, AFileThatWasSortedByItsPowerHasNoSessions) {
  // Twenty levels, each read every 20 s from a moment of its own on: 19 steps back in 300 rows.
  std::string log = "time,gpu,power_w\n";
  for (int block = 0; block < 20; ++block) {
    for (int i = 0; i < 15; ++i) {
      log += row(block * 7 % 20 + 20 * i, "0," + std::to_string(100 + 15 * block + i));
    }
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].backward_stamps, 19);
  EXPECT_TRUE(trace->understanding.warnings.empty());
}

TEST(Copies, EqualStampsWithOtherPowerStay) {
  std::string log = "time,gpu,power_w\n";
  for (int i = 0; i < 20; ++i) log += row(i, "0," + std::to_string(100 + i));
  for (int i = 10; i < 30; ++i) log += row(i, "0," + std::to_string(200 + i));
  const auto trace = read_text(log);
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series[0].size(), 40U);
  ASSERT_EQ(trace->understanding.warnings.size(), 1U);
  EXPECT_EQ(trace->understanding.warnings[0].find("Two sessions of device '0' cover the same time"), 0U);
  // Two polls a second are no copies of each other, though some agree.
  std::string polls = "time,gpu,power_w\n";
  for (int i = 0; i < 20; ++i) polls += row(i, "0,100") + row(i, i == 7 ? "0,130" : "0,100");
  EXPECT_EQ(read_text(polls)->series[0].size(), 40U);
}

// --- Lines -----------------------------------------------------------------------------------------------------

TEST(Lines, ALastLineThatMayHaveLostDigitsIsLeftOut) {
  const std::string log = "time,gpu,power_w\n" + row(0, "0,300.25") + row(1, "0,298.50");
  for (const char* tail : {"0,3", "0,301", "0,301.", "0,301.2"}) {
    const auto trace = read_text(log + std::to_string(kStart + 2) + "," + tail);
    ASSERT_TRUE(trace) << tail;
    EXPECT_EQ(trace->series[0].power_w, (Powers{300.25, 298.5})) << tail;
    EXPECT_TRUE(mentions(*trace, "The last line is cut")) << tail;
  }
  EXPECT_EQ(read_text(log + std::to_string(kStart + 2) + ",0,301.25")->series[0].size(), 3U);
  EXPECT_EQ(read_text(log + std::to_string(kStart + 2) + ",0,99.75")->series[0].size(), 3U);
  const std::string device_last = "time,power_w,gpu\n" + row(0, "300,1") + row(0, "310,10");
  EXPECT_EQ(read_text(device_last + std::to_string(kStart + 1) + ",311,1")->series[0].size(), 1U);
  EXPECT_EQ(read_text(device_last + std::to_string(kStart + 1) + ",311,10")->series[1].size(), 2U);
}

TEST(Lines, AMissingCellBetweenBlanksMovesNothing) {
  std::string log = "timestamp            temp_c  power_w  power_limit_w\n";
  for (int i = 0; i < 30; ++i) {
    log += std::to_string(kStart + i) + (i == 9 ? "            300    700\n" : "  50    300    700\n");
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[0].power_w, Powers(29, 300.0));
}

TEST(Lines, ADmonRowThatEndsEarlyIsDamaged) {
  std::string log = "#Entity         POWER             PMLMT\nID               W                 W\n";
  for (int i = 0; i < 30; ++i) log += i == 9 ? "GPU 0           700.0\n" : "GPU 0           300.0             700.0\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->series[0].power_w, Powers(29, 300.0));
}

TEST(Lines, AKeyThatStandsTwiceInAnObject) {
  std::string log;
  for (int i = 0; i < 30; ++i) {
    log += "{\"time\":" + std::to_string(kStart + i) + ",\"gpu\":0,\"power_w\":300" +
           (i == 9    ? ",\"power_w\":500}\n"
            : i == 12 ? ",\"power_w\":300}\n"
                      : "}\n");
  }
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->understanding.first_damaged[0].where, "log:10");
  EXPECT_EQ(trace->understanding.first_damaged[0].reason,
            "its key 'power_w' stands there twice, with different values");
  EXPECT_EQ(trace->series[0].size(), 29U);
}

TEST(Lines, AKeyWithTwoValuesInEveryObjectIsTheReasonGiven) {
  std::string log;
  for (int i = 0; i < 5; ++i) {
    log += "{\"time\":" + std::to_string(kStart + i) + ",\"gpu\":{\"power_w\":300,\"power_w\":500}}\n";
  }
  const std::string error = error_of(log);
  EXPECT_NE(error.find("log:1: its key 'power_w' stands there twice, with different values"), std::string::npos)
      << error;
  // The same column under two names of it.
  log.clear();
  for (int i = 0; i < 5; ++i) {
    log += "{\"time\":" + std::to_string(kStart + i) + ",\"gpu.power_w\":300,\"gpu\":{\"power_w\":500}}\n";
  }
  EXPECT_NE(error_of(log).find("its key 'gpu.power_w' stands there twice"), std::string::npos) << error_of(log);
}

TEST(Lines, DamageIsNamedWhereRowOrderDoesNotDecide) {
  std::string log = "time,power_w\n";
  for (int i = 0; i < 30; ++i) log += row(i, i % 4 == 1 ? "(300)" : "300");
  const std::string error = error_of(log);
  EXPECT_NE(error.find("log:3: the power '(300)' cannot be read"), std::string::npos) << error;
}

TEST(Lines, ANumberedProcessorIsNoGpu) {
  const auto trace =
      read_text("time,cpu0_power_w,cpu1_power_w,gpu0_power_w\n" + row(0, "90,95,400") + row(1, "91,96,401"));
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{400, 401}));
}

// --- Clocks ----------------------------------------------------------------------------------------------------

TEST(Stamps, AnHourBackIsDaylightSavingOnlyInItsNight) {
  // 2025-10-26 is the last Sunday of October, 2025-10-07 a Tuesday.
  for (const bool sunday : {true, false}) {
    const std::string day = sunday ? "2025-10-26" : "2025-10-07";
    std::string log = "time,gpu,power_w\n";
    for (const int hour : {2, 2, 3}) {
      for (int m = 0; m < 60; m += 5) {
        log += day + " 0" + std::to_string(hour) + ":" + (m < 10 ? "0" : "") + std::to_string(m) + ":00,0," +
               std::to_string(100 + m) + "\n";
      }
    }
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << trace.error().message();
    EXPECT_EQ(mentions(*trace, "as at the end of daylight saving time"), sunday);
  }
}

TEST(Stamps, ATimeOfDayThatGoesBackIsANewSession) {
  std::string log = "time,gpu,power_w\n";
  for (int hour = 10; hour < 16; ++hour) log += std::to_string(hour) + ":00:00,0,300\n";
  ASSERT_TRUE(read_text(log));
  const std::string error = error_of(log + "09:00:00,0,310\n10:00:00,0,311\n");  // of the next day, or of any
  EXPECT_EQ(error.find("log:8: the clock starts again here"), 0U) << error;
  EXPECT_TRUE(read_text(log + "14:59:58,0,310\n"));  // a clock that was put right
}

TEST(Stamps, ATimeOfDayThatGoesBackByMoreThanHalfADayIsTheNextAndSaid) {
  const std::string log = "time,gpu,power_w\n22:00:00,0,300\n22:00:01,0,301\n";
  const auto trace = read_text(log + "08:00:00,0,310\n08:00:01,0,311\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].time_ns[2], 36'000'000'000'000);  // ten hours on
  EXPECT_TRUE(mentions(*trace, "At log:4 the clock, which has no date, goes back by 14 h"));
  const auto midnight = read_text(log + "00:00:01,0,310\n");
  ASSERT_TRUE(midnight) << midnight.error().message();
  EXPECT_TRUE(mentions(*midnight, "goes back by 22 h")) << "a pause of two hours";
  const auto plain = read_text("time,gpu,power_w\n23:59:59,0,300\n00:00:01,0,310\n");
  ASSERT_TRUE(plain) << plain.error().message();
  EXPECT_FALSE(mentions(*plain, "goes back"));
}

TEST(Stamps, AClockThatStandsStillBesideOneThatRuns) {
  std::string log = "timestamp,elapsed_s,power_w\n";
  for (int i = 0; i < 20; ++i) log += "2026-03-02 10:00:00," + std::to_string(i) + "," + std::to_string(300 + i) + "\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 1U);
  EXPECT_EQ(trace->series[0].time_ns.back(), 19'000'000'000);
  EXPECT_TRUE(mentions(*trace, "The clock 'timestamp' stands still: 'elapsed_s' is read."));
}

TEST(Stamps, BeginAndEndOfARowAreNamed) {
  const std::string error =
      error_of("start_time,end_time,power_w\n" + row(0, "1772445605,300") + row(10, "1772445615,1"));
  EXPECT_NE(error.find("Name it with --time"), std::string::npos) << error;
  EXPECT_NE(error.find("start_time, end_time, power_w"), std::string::npos);
}

}  // namespace
}  // namespace wattrein::trace
