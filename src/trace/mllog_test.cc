#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/shared_traces_for_test.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "node_0.txt", options);
}

bool has_note(const Trace& t, const std::string& part) {
  return std::ranges::any_of(t.understanding.notes,
                             [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

/// A line as mllog writes it.
std::string line(std::int64_t ms, const std::string& key, const std::string& value,
                 const std::string& event = "POINT_IN_TIME") {
  return ":::MLLOG {\"namespace\": \"\", \"time_ms\": " + std::to_string(ms) + ", \"event_type\": \"" + event +
         "\", \"key\": \"" + key + "\", \"value\": " + value + ", \"metadata\": \"\"}\r\n";
}

constexpr std::int64_t kStart = 1'700'000'000'000;

TEST(MlLog, ReadsPowerReadingsAsOneNode) {
  const auto t = read(line(kStart, "power_measurement_start", "null", "INTERVAL_START") +
                      line(kStart, "power_reading", "4100") + line(kStart + 2005, "power_reading", "6900.5") +
                      line(kStart, "power_measurement_stop", "\"null\"", "INTERVAL_END"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "mllog");
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].device.name, "node");
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 2005 * kMs}));
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{4100, 6900.5}));
  EXPECT_EQ(t->start_unix_ns, kStart * kMs);
  EXPECT_TRUE(t->start_has_zone);
  EXPECT_EQ(t->understanding.power, "key 'power_reading' [W]");
  EXPECT_EQ(t->understanding.damaged, 0);
  // The end of the interval carries the start's time: it is no reading and moves nothing.
  EXPECT_EQ(t->series[0].backward_stamps, 0);
}

TEST(MlLog, PrefixesOfLaunchersAndOtherLinesAreNoTrouble) {
  const auto t = read("Starting the run\n[node3:7] " + line(kStart, "power_reading", "100") + "2: " +
                      line(kStart + 1000, "power_reading", "\"200\"") + line(kStart + 1500, "eval_accuracy", "0.7"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (std::vector<double>{100, 200}));
  EXPECT_EQ(t->understanding.other_lines, 1);
}

TEST(MlLog, NullIsUnknownAndNeverZero) {
  const auto t = read(line(kStart, "power_reading", "100") + line(kStart + 1, "power_reading", "null") +
                      line(kStart + 2, "power_reading", "\"null\""));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series[0].size(), 3U);
  EXPECT_TRUE(std::isnan(t->series[0].power_w[1]));
  EXPECT_TRUE(std::isnan(t->series[0].power_w[2]));
  EXPECT_EQ(t->understanding.unknown_power, 2);
  EXPECT_EQ(t->understanding.damaged, 0);
}

TEST(MlLog, DuplicateStampsAreCounted) {
  const auto t = read(line(kStart, "power_reading", "100") + line(kStart, "power_reading", "110"));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].duplicate_stamps, 1);
}

TEST(MlLog, DamagedReadingsAreCountedWithTheirPlace) {
  std::string text;
  for (int i = 0; i < 80; ++i) text += line(kStart + i, "power_reading", "100");
  text += ":::MLLOG {\"key\": \"power_reading\", \"time_ms\": 17000\r\n";
  text += line(kStart + 90, "power_reading", "\"much\"");
  text += ":::MLLOG {\"key\": \"power_reading\", \"time_ms\": \"noon\", \"value\": 3}\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 80);
  EXPECT_EQ(t->understanding.damaged, 3);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "node_0.txt:81");
  EXPECT_EQ(t->understanding.first_damaged[1].reason, "'value' is no power");
  EXPECT_EQ(t->understanding.first_damaged[2].reason, "'time_ms' is no time");
}

TEST(MlLog, OneOfTwoValuesIsNotChosen) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += line(kStart + i, "power_reading", i == 3 ? "100, \"value\": 700" : "100");
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>(29, 100));
  ASSERT_EQ(t->understanding.damaged, 1);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "node_0.txt:4");
  EXPECT_EQ(t->understanding.first_damaged[0].reason,
            "behind :::MLLOG: the key 'value' stands twice in one object, with different values");
}

TEST(MlLog, ACutLastLineIsLeftOutAndSaid) {
  const std::string whole = line(kStart, "power_reading", "100");
  const auto t = read(whole + line(kStart + 1, "power_reading", "200").substr(0, 90));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.rows, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_TRUE(has_note(*t, "The last line was cut"));
}

TEST(MlLog, ATrainingLogWithoutPowerSaysSo) {
  const auto t = read(line(kStart, "run_start", "null") + line(kStart, "train_loss", "2.5"));
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
  EXPECT_NE(t.error().what.find("2 :::MLLOG lines hold no power_reading"), std::string::npos) << t.error().what;
}

TEST(MlLog, OptionsThatDoNotFitAreRefused) {
  const auto t = read(line(kStart, "power_reading", "100"), {.power_column = "value"});
  ASSERT_FALSE(t);
  EXPECT_EQ(t.error().kind, ErrorKind::usage);
}

TEST(MlLog, RealLogOfANode) {
  const std::string path = shared_trace("67_mlperf-llama2-lora-1node-ac.txt");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].size(), 847U);
  EXPECT_EQ(t->series[0].duplicate_stamps, 1);
  EXPECT_EQ(t->understanding.damaged, 0);
}

}  // namespace
}  // namespace wattrein::trace
