#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/shared_traces_for_test.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
using Times = std::vector<std::int64_t>;
using Powers = std::vector<double>;

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "rocm.log", options);
}

bool has_note(const Trace& t, const std::string& part) {
  return std::ranges::any_of(t.understanding.notes,
                             [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

std::string json(const std::string& first, const std::string& second) {
  return R"j({"card0": {"Unique ID": "0xabc", "Card Series": "Instinct MI250", "Max Graphics Package Power (W)": "560.0", )j"
         R"j("Average Graphics Package Power (W)": ")j" +
         first + R"j("}, "card1": {"Average Graphics Package Power (W)": ")j" + second +
         R"j("}, "system": {"Driver version": "6.8.0"}})j"
         "\n";
}

TEST(RocmSmi, ASnapshotHasNoClock) {
  const auto t = read(json("171.0", "93.5"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "rocm-smi");
  ASSERT_EQ(t->series.size(), 2U);  // "system" is no card
  const Series& s = t->series[0];
  EXPECT_EQ(s.device.name, "card0");
  EXPECT_EQ(s.device.uuid, "0xabc");
  EXPECT_EQ(s.device.model, "Instinct MI250");
  EXPECT_EQ(s.power_w, Powers{171});
  EXPECT_EQ(s.column(Column::limit_w), Powers{560});
  EXPECT_EQ(s.device.nameplate, Watts(560));
  EXPECT_EQ(s.device.meter, MeterKind::unknown);
  EXPECT_TRUE(t->series[1].column(Column::limit_w).empty());
  EXPECT_EQ(t->understanding.clock, "none: a snapshot");
  EXPECT_TRUE(has_note(*t, "not over how long"));
  EXPECT_FALSE(t->start_unix_ns);
}

TEST(RocmSmi, AppendedDocumentsNeedAPeriodOrStamps) {
  const std::string loop = json("171.0", "93.5") + json("172.0", "94.5") + json("173.0", "95.5");
  const auto refused = read(loop);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().cure.find("--period"), std::string::npos);
  const auto t = read(loop, {.period = Nanos(kSecond / 2)});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond / 2, kSecond}));
  EXPECT_EQ(t->series[0].power_w, (Powers{171, 172, 173}));
  const auto stamped = read("1796060474.250\n" + json("171.0", "93.5") + "1796060475.750\n" + json("172.0", "94.5"));
  ASSERT_TRUE(stamped) << stamped.error().message();
  EXPECT_EQ(stamped->series[1].time_ns, (Times{0, 3 * kSecond / 2}));
  EXPECT_EQ(stamped->start_unix_ns, 1'796'060'474'250'000'000);
}

TEST(RocmSmi, PollsWithoutAStampAmongOthersAreDamaged) {
  std::string text;
  for (int i = 10; i < 50; ++i) text += "2026-11-30 17:41:" + std::to_string(i) + "\n" + json("171.0", "93.5");
  const auto t = read(text + json("500.0", "500.0"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 2);
  EXPECT_EQ(t->series[0].size(), 40U);
}

TEST(RocmSmi, CurrentPowerGoesBeforeAverageAndTheSecondDieIsUnknown) {
  const auto t = read(
      R"j({"card0": {"Current Socket Graphics Package Power (W)": 550.0, "Average Graphics Package Power (W)": 540},)j"
      R"j( "card1": {"Average Graphics Package Power (W)": "N/A (Secondary die)"}})j");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, Powers{550});
  EXPECT_EQ(t->series[0].column(Column::average_w), Powers{540});
  EXPECT_TRUE(std::isnan(t->series[1].power_w[0]));
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_EQ(t->understanding.unknown_power, 1);
}

TEST(RocmSmi, ReadsCsvBlocks) {
  const std::string header = "device,Average Graphics Package Power (W),Max Graphics Package Power (W),GPU use (%)\n";
  const auto t = read("=== 2026-11-30T17:41:14+01:00 ===\n" + header +
                      "card0,171.0,300.0,5\ncard1,N/A (Secondary die),300.0,6\n\n"
                      "=== 2026-11-30T17:41:16+01:00 ===\n" +
                      header + "card0,299.0,300.0,99\ncard1,180.0,300.0,98\n\n");
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].time_ns, (Times{0, 2 * kSecond}));
  EXPECT_EQ(t->series[0].power_w, (Powers{171, 299}));
  EXPECT_EQ(t->series[0].column(Column::limit_w), (Powers{300, 300}));
  EXPECT_TRUE(std::isnan(t->series[1].power_w[0]));
  EXPECT_EQ(t->start_unix_ns, (1'796'060'474 - 3600) * kSecond);
  EXPECT_EQ(t->understanding.repeated_headers, 1);
  EXPECT_EQ(t->understanding.other_lines, 0);
}

TEST(RocmSmi, BlocksOfOtherFiguresAreNoPolls) {
  const std::string poll = "device,GPU use (%)\ncard0,42\n\ndevice,Average Graphics Package Power (W)\ncard0,210.0\n\n";
  const auto t = read(poll + poll, {.period = Nanos(kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (Powers{210, 210}));
  EXPECT_EQ(t->series[0].time_ns, (Times{0, kSecond}));
}

TEST(RocmSmi, ALimitAloneIsNoDraw) {
  const auto json_only = read(R"j({"card0": {"Max Graphics Package Power (W)": "290.0"}})j");
  ASSERT_FALSE(json_only);
  EXPECT_NE(json_only.error().cure.find("--showpower"), std::string::npos);
  EXPECT_FALSE(read("device,Max Graphics Package Power (W)\ncard0,290.0\n"));
}

TEST(RocmSmi, ATornEndIsLeftOut) {
  const std::string whole = json("171.0", "93.5");
  const auto t = read(whole + whole.substr(0, whole.find("93.5") + 1), {.period = Nanos(kSecond)});
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, Powers{171});
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_TRUE(has_note(*t, "cut while it was written"));
  const auto csv = read("device,Average Graphics Package Power (W)\ncard0,171.0\ncard1,17");
  ASSERT_TRUE(csv) << csv.error().message();
  EXPECT_EQ(csv->series.size(), 1U);
}

TEST(RocmSmi, SharedTrace43) {
  const auto path = shared_trace("43_rocm-smi-mi100.json");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 4U);
  const Powers expected{36, 44, 43, 39};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(t->series[i].power_w, Powers{expected[i]});
    EXPECT_EQ(t->series[i].column(Column::limit_w), Powers{290});
  }
}

TEST(RocmSmi, OneOfTwoValuesIsNotChosen) {
  std::string text;
  for (int i = 10; i < 50; ++i) {
    text += "2026-11-30 17:41:" + std::to_string(i) + " ";  // in the same line
    text += json(i == 12   ? "17.0\", \"Average Graphics Package Power (W)\": \"171.0"
                 : i == 13 ? "171.0\", \"Average Graphics Package Power (W)\": \"171.0"
                           : "171.0",
                 "93.5");
  }
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, Powers(39, 171));
  EXPECT_EQ(t->series[0].time_ns[2], 3 * kSecond);
  ASSERT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "rocm.log:3");
  EXPECT_EQ(t->understanding.first_damaged[0].reason,
            "the key 'Average Graphics Package Power (W)' stands twice in one object, with different values");
}

}  // namespace
}  // namespace wattrein::trace
