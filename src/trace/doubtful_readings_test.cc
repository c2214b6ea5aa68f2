#include "trace/doubtful_readings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "trace/steps.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

TEST(Doubtful, ZeroAmongReadingsIsAFailedPoll) {
  const std::string log = "time,gpu,power_w\n1718369824,0,70\n1718369825,0,0\n1718369826,0,71\n1718369827,0,0.0\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(same(trace->series[0].power_w, {70, kNaN, 71, kNaN}));
  EXPECT_EQ(trace->understanding.unknown_power, 2);
  EXPECT_EQ(trace->understanding.rows, 4);
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_TRUE(mentions(*trace, "2 readings of 0 W were taken as failed polls; --zeros keep keeps them."));

  const auto kept = read_text(log, {.keep_zeros = true});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->series[0].power_w, (Powers{70, 0, 71, 0}));
  EXPECT_EQ(kept->understanding.unknown_power, 0);
}

TEST(Doubtful, SmallReadingsAreNoZeros) {
  const auto trace = read_text("time,gpu,power_w\n1718369824,0,0.001\n1718369825,0,0.5\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series[0].power_w, (Powers{0.001, 0.5}));
}

TEST(Doubtful, AnAbsentMeterMakesTheSumUnknown) {
  const std::string log = "time,gpu,power_w\n1718369824,0,70\n1718369824,1,0\n1718369825,0,71\n1718369825,1,0\n";
  const auto trace = read_text(log);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71}));
  EXPECT_TRUE(same(trace->series[1].power_w, {kNaN, kNaN}));
  EXPECT_TRUE(mentions(*trace, "Every reading of device 1 is 0 W: its meter seems absent."));
  const auto sum = sum_of(*trace, {});
  ASSERT_TRUE(sum);
  for (const double w : sum->series.power_w) EXPECT_NE(w, w);

  const auto kept = read_text(log, {.keep_zeros = true});
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->series[1].power_w, (Powers{0, 0}));
}

TEST(Doubtful, ALogOfZerosAloneIsRefusedWithTheCure) {
  const std::string error = error_of("time,gpu,power_w\n1718369824,0,0\n1718369825,0,0\n");
  EXPECT_NE(error.find("Every reading of device 0 is 0 W"), std::string::npos) << error;
  EXPECT_NE(error.find("--zeros keep"), std::string::npos) << error;
}

TEST(Doubtful, OwnFilesMeanTheirZeros) {
  const auto trace = read_text("# wattrein trace 1\n# device=a\ntime_s,device,power_w\n0,a,0\n1,a,5\n2,a,nan\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(same(trace->series[0].power_w, {0, 5, kNaN}));
}

// 2147483632 to 2147483635 are DCGM's int32 blanks, 140737488355328 and up its doubles, 9223372036854775794 int64.
TEST(Doubtful, BlanksOfDcgmAreUnknown) {
  for (const char* blank : {"2147483632", "2147483635", "140737488355328.000", "140737488355330", "9223372036854775794",
                            "-1", "-99.5", "65535", "2147483647", "4294967295", "N/A", "[N/A]", "n/a", "<NA>"}) {
    const std::string log =
        "time,gpu,power_w\n1718369824,0,70\n1718369825,0," + std::string(blank) + "\n1718369826,0,72\n";
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << blank << " " << trace.error().message();
    EXPECT_TRUE(same(trace->series[0].power_w, {70, kNaN, 72})) << blank;
    EXPECT_EQ(trace->understanding.unknown_power, 1) << blank;
    EXPECT_EQ(trace->understanding.damaged, 0) << blank;
    if (std::string(blank).find_first_of("Nn") == std::string::npos) {
      EXPECT_FALSE(trace->understanding.notes.empty()) << blank;
    }
  }
}

TEST(Doubtful, BlanksInMilliwattsAreUnknown) {
  // 0xFFFFFFFF mW = 4294967.295 W, 0x7FFFFFFF mW = 2147483.647 W, 0x7FFFFFF2 mW = 2147483.634 W.
  for (const char* blank : {"4294967295", "2147483647", "2147483634"}) {
    const std::string log =
        "time,gpu,power_mW\n1718369824,0,70000\n1718369825,0," + std::string(blank) + "\n1718369826,0,72000\n";
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << blank << " " << trace.error().message();
    EXPECT_TRUE(same(trace->series[0].power_w, {70, kNaN, 72})) << blank;
    EXPECT_TRUE(mentions(*trace, "a full register")) << blank;
  }
}

// 4294967.295 W with two decimals is .29 cut off and .30 rounded; 2147483.647 W is .64 or .65.
TEST(Doubtful, FullRegistersWithTwoDecimalsAreUnknown) {
  for (const char* blank : {"4294967.29", "4294967.30", "2147483.63", "2147483.64", "2147483.65"}) {
    const std::string log =
        "time,gpu,power_w\n1718369824,0,70\n1718369825,0," + std::string(blank) + "\n1718369826,0,72\n";
    const auto trace = read_text(log);
    ASSERT_TRUE(trace) << blank << " " << trace.error().message();
    EXPECT_TRUE(same(trace->series[0].power_w, {70, kNaN, 72})) << blank;
    EXPECT_TRUE(mentions(*trace, "a full register")) << blank;
  }
  const auto beside = read_text("time,gpu,power_w\n1718369824,0,70\n1718369825,0,4294967.2\n1718369826,0,72\n");
  ASSERT_TRUE(beside);
  EXPECT_EQ(beside->series[0].power_w[1], 4294967.2) << "a tenth of a watt beside it is none";
}

TEST(Doubtful, AGpuFarAboveAnyIsWarnedOf) {
  const auto warned = [](const Result<Trace>& trace, const std::string& what) {
    const auto& all = trace->understanding.warnings;
    return std::ranges::any_of(all, [&](const std::string& s) { return s.find(what) != std::string::npos; });
  };
  const auto gpu = read_text("time,gpu,power_w\n1718369824,0,150000\n1718369825,0,170000\n");
  ASSERT_TRUE(gpu) << gpu.error().message();
  EXPECT_TRUE(warned(gpu, "Device 0 draws up to 170000 W, more than any single GPU"));
  // 150 W and 171000 W, 1140 times apart: 171 W would be a GPU too.
  const auto mixed =
      read_text("time,device,power_w\n1718369824,a,140\n1718369824,b,160000\n1718369825,a,150\n1718369825,b,171000\n");
  ASSERT_TRUE(mixed) << mixed.error().message();
  EXPECT_TRUE(warned(mixed, "Device b draws up to 171000 W and device a up to 150 W, about a thousand times apart"));
  // A node beside an idle part of it: 5.3 W would be no GPU.
  const auto node =
      read_text("time,device,power_w\n1718369824,a,5100\n1718369824,b,5\n1718369825,a,5300\n1718369825,b,6\n");
  ASSERT_TRUE(node) << node.error().message();
  EXPECT_TRUE(node->understanding.warnings.empty());
  const auto facility = read_text("time,power_kw\n1718369824,150\n1718369825,170\n");
  ASSERT_TRUE(facility) << facility.error().message();
  EXPECT_TRUE(facility->understanding.warnings.empty());
  EXPECT_TRUE(mentions(*facility, "says kW but never reads less than 150 kW: if its numbers are W, say --unit W."));
}

TEST(Doubtful, AFacilityMayDrawWhatARegisterHolds) {
  const auto facility = read_text("time,power_w\n1718369824,64000\n1718369825,65535\n1718369826,66100\n");
  ASSERT_TRUE(facility) << facility.error().message();
  EXPECT_EQ(facility->series[0].power_w, (Powers{64000, 65535, 66100}));
  // Nothing beside it that would show that it can be: one reading of one device.
  const auto single = read_text("time,gpu,power_w\n1718369824,0,65535\n1718369824,1,71\n");
  ASSERT_TRUE(single) << single.error().message();
  EXPECT_TRUE(same(single->series[0].power_w, {kNaN}));
  EXPECT_TRUE(mentions(*single, "1 reading of 65535 W is a full register"));
}

TEST(Doubtful, BlanksBesideThePowerAreUnknownToo) {
  const auto trace = read_text(
      "time,gpu,power_w,power_limit_w,energy_mj\n1718369824,0,70,2147483632,1000\n"
      "1718369825,0,71,-1,9223372036854775792\n1718369826,0,72,400,3000\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(same(trace->series[0].column(Column::limit_w), {kNaN, kNaN, 400}));
  EXPECT_TRUE(same(trace->series[0].column(Column::energy_j), {1, kNaN, 3}));
}

TEST(Doubtful, AUnitThatCannotBeIsSaidAndNotConverted) {
  const auto trace = read_text("time,gpu,power_w\n1718369824,0,32402\n1718369825,0,32500\n");
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series[0].power_w, (Powers{32402, 32500}));
  EXPECT_TRUE(
      mentions(*trace, "Column 'power_w' says W but never reads less than 32402: if that is mW, say --unit mW."));
  const auto kilo = read_text("time,gpu,power_w\n1718369824,0,0.31\n1718369825,0,0.68\n");
  ASSERT_TRUE(kilo);
  EXPECT_TRUE(mentions(*kilo, "never reads more than 0.68: if that is kW, say --unit kW."));
  // One reading in the usual range shows that the unit is right.
  const auto mixed = read_text("time,gpu,power_w\n1718369824,0,71\n1718369825,0,32500\n");
  ASSERT_TRUE(mixed);
  EXPECT_FALSE(mentions(*mixed, "says W"));
}

TEST(Doubtful, AStatedUnitGoesBeforeTheHeader) {
  const auto trace = read_text("time,gpu,power_w\n1718369824,0,32402\n1718369825,0,32500\n", {.power_unit = "mW"});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series[0].power_w, (Powers{32.402, 32.5}));
  EXPECT_TRUE(mentions(*trace, "The header says 'power_w' and --unit says mW: --unit was taken."));
}

}  // namespace
}  // namespace wattrein::trace
