#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/shared_traces_for_test.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kMs = 1'000'000;

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "node_0.txt", options);
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
  EXPECT_TRUE(mentions(*t, "The last line was cut"));
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

// --- Several nodes in one file ------------------------------------------------------------------------------------

std::vector<std::string> names(const Trace& t) {
  std::vector<std::string> out;
  for (const Series& s : t.series) out.push_back(s.device.name);
  return out;
}
using Names = std::vector<std::string>;

/// The i-th of a node's readings, of 1000, 1001, ... W two seconds apart, and `more` W.
std::string reading(int i, int more = 0, int late_ms = 0) {
  return line(kStart + 2000 * i + late_ms, "power_reading", std::to_string(1000 + i + more));
}

/// `count` readings, one behind the other.
std::string log_of(int count, int more = 0, int from = 0) {
  std::string text = line(kStart + 2000 * from, "power_measurement_start", "null", "INTERVAL_START");
  for (int i = from; i < from + count; ++i) text += reading(i, more);
  return text;
}

/// What the sum of 1000..1009 and 3000..3009 W would be read from.
void expect_two_nodes(const Result<Trace>& t, const Names& expected) {
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(names(*t), expected);
  for (const std::size_t node : {0U, 1U}) {
    const Series& s = t->series[node];
    ASSERT_EQ(s.size(), 10U);
    EXPECT_EQ(s.backward_stamps + s.duplicate_stamps, 0);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(s.power_w[i], 1000.0 + 2000.0 * double(node) + double(i));
  }
  EXPECT_EQ(t->understanding.other_lines, 0);
}

TEST(MlLog, NodesAreToldApartByWhatStandsBeforeTheMark) {
  struct Form {
    std::string a, b;
    Names names;
  };
  for (const Form& form : {Form{"[node3:7] ", "[node4:0] ", {"node3", "node4"}}, Form{"0: ", "1: ", {"0", "1"}},
                           Form{"[1,0]<stdout>: ", "[1,8]<stdout>: ", {"1,0", "1,8"}},
                           Form{"node-a | ", "node-b | ", {"node-a", "node-b"}},
                           Form{"power/node_0.txt:", "power/node_1.txt:", {"power/node_0.txt", "power/node_1.txt"}}}) {
    std::string mixed;
    for (int i = 0; i < 10; ++i) mixed += form.a + reading(i) + form.b + reading(i, 2000);
    const auto t = read(mixed);
    expect_two_nodes(t, form.names);
    EXPECT_TRUE(
        mentions(*t, "The lines of 2 nodes stand in the file: they are told apart by what stands before the mark"));
  }
  // What grep -n puts there changes with every line but for the file's name.
  std::string numbered;
  for (int node = 0; node < 2; ++node) {
    for (int i = 0; i < 10; ++i) {
      numbered += "n" + std::to_string(node) + ".txt:" + std::to_string(i + 2) + ":" + reading(i, 2000 * node);
    }
  }
  expect_two_nodes(read(numbered), {"n0.txt", "n1.txt"});
}

TEST(MlLog, NodesAreToldApartByMembersNamespacesAndHeadings) {
  const auto with = [](std::string text, const std::string& from, const std::string& to) {
    return text.replace(text.find(from), from.size(), to);
  };
  std::string by_member;
  std::string by_metadata;
  std::string by_namespace;
  for (int i = 0; i < 10; ++i) {
    for (const auto& [node, more] : {std::pair{"7", 0}, std::pair{"8", 2000}}) {
      const std::string text = reading(i, more);
      by_member += with(text, "\"namespace\"", std::string("\"node_id\": ") + node + ", \"namespace\"");
      by_metadata += with(text, "\"metadata\": \"\"", std::string("\"metadata\": {\"hostname\": \"") + node + "\"}");
      by_namespace += with(text, "\"namespace\": \"\"", std::string("\"namespace\": \"") + node + "\"");
    }
  }
  for (const std::string& text : {by_member, by_metadata, by_namespace}) expect_two_nodes(read(text), {"7", "8"});
  const std::string headed = "==> node_0.txt <==\n" + log_of(10) + "\n==> node_1.txt <==\n" + log_of(10, 2000);
  expect_two_nodes(read(headed), {"node_0.txt", "node_1.txt"});
}

TEST(MlLog, ATimeOrALevelBeforeTheMarkIsNoNode) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "[INFO] 12:00:0" + std::to_string(i) + ": " + reading(i);
  for (int i = 10; i < 20; ++i) text += "12:00:" + std::to_string(i) + ": " + reading(i);
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(names(*t), Names{"node"});
  EXPECT_TRUE(t->understanding.notes.empty());
}

TEST(MlLog, MarksThatDoNotHoldThroughoutAreSaid) {
  std::string text = log_of(10);
  for (int i = 10; i < 13; ++i) text += "n1: " + reading(i) + "n2: " + reading(i, 0, 500);
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(names(*t), Names{"node"});
  EXPECT_TRUE(mentions(*t, "Some lines name a node ('n1', 'n2')"));
}

TEST(MlLog, LogsOfNodesBehindEachOtherAreToldApartByTheClock) {
  const auto t = read(log_of(10) + log_of(10, 2000));
  expect_two_nodes(t, {"node", "node 2"});
  // The second log's first reading is behind 1 + 10 + 1 lines.
  EXPECT_TRUE(mentions(*t, "At line 13 the clock goes back to times that were read already, with other readings"));
}

TEST(MlLog, SessionsAndCopiesOfOneNodeAreOneNode) {
  const auto sessions = read(log_of(10, 0, 100) + log_of(10));  // the earlier one behind
  ASSERT_TRUE(sessions) << sessions.error().message();
  EXPECT_EQ(names(*sessions), Names{"node"});
  EXPECT_EQ(sessions->series[0].size(), 20U);
  const auto copy = read(log_of(10) + log_of(10, 0, 5));  // 5..9 again, and 10..14
  ASSERT_TRUE(copy) << copy.error().message();
  EXPECT_EQ(names(*copy), Names{"node"});
  EXPECT_EQ(copy->series[0].size(), 15U);
}

TEST(MlLog, MixedLogsThatNothingTellsApartAreRefused) {
  std::string same_moment;
  std::string soon_after;
  std::string an_hour_off;
  std::string in_blocks;
  for (int i = 0; i < 10; ++i) {
    same_moment += reading(i) + reading(i, 2000);
    soon_after += reading(i) + reading(i, 2000, 40);
    an_hour_off += reading(i) + reading(i, 2000, -3'600'000);
  }
  for (int block = 0; block < 4; ++block) in_blocks += log_of(5, 0, 5 * block) + log_of(5, 2000, 5 * block);
  for (const std::string& text : {same_moment, soon_after, an_hour_off, in_blocks}) {
    const auto t = read(text);
    ASSERT_FALSE(t) << text.substr(0, 400);
    EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
    EXPECT_NE(t.error().what.find("nothing says which reading is whose"), std::string::npos) << t.error().what;
    EXPECT_NE(t.error().cure.find("power/node_0.txt"), std::string::npos);
  }
  // A row that is a little late is nobody else's.
  std::string late;
  for (int i = 0; i < 30; ++i) late += i == 7 ? reading(8) + reading(7) : i == 8 ? "" : reading(i);
  const auto t = read(late);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(names(*t), Names{"node"});
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
