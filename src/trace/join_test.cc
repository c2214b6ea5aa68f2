#include "trace/join.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "trace/join_for_test.h"
#include "trace/read.h"
#include "trace/series_merge.h"
#include "trace/steps.h"
#include "trace/write.h"

namespace wattrein::trace {
namespace {

using namespace std::chrono_literals;

using Names = std::vector<std::string>;

TEST(Join, NodesOfOneJobAreOneTraceAndCalledAfterTheirFiles) {
  // Node b starts half a second later: the sum is known from there.
  Trace b = file("logs/b.csv", 0, {series("0", {10, 20, 30}), series("1", {1, 2, 3})});
  *b.start_unix_ns += kSecond / 2;
  const auto out = join(files(file("logs/a.csv", 0, {series("0", {100, 200, 300}), series("1", {5, 6, 7})}), b), {});
  ASSERT_TRUE(out);
  ASSERT_EQ(out->size(), 1u);
  const Trace& t = out->front();
  EXPECT_EQ(names(t), (Names{"a/0", "a/1", "b/0", "b/1"}));
  EXPECT_EQ(t.source, "logs/a.csv, logs/b.csv");
  EXPECT_EQ(t.start_unix_ns, kNine);
  EXPECT_EQ(t.series[2].time_ns.front(), kSecond / 2);
  EXPECT_EQ(t.understanding.rows, 12);
  EXPECT_EQ(t.understanding.parts.size(), 2u);
  EXPECT_TRUE(says(t.understanding.notes, "--join no"));
  EXPECT_TRUE(says(t.understanding.notes, "skew"));
  EXPECT_TRUE(t.understanding.warnings.empty());
  const auto sum = sum_of(t, {});
  ASSERT_TRUE(sum);
  // At 0.5 s: a holds 100 + 5, b begins with 10 + 1; at 1 s a/0 and a/1 step to 200 + 6.
  EXPECT_DOUBLE_EQ(sum->series.power_w[0], 116);
  EXPECT_DOUBLE_EQ(sum->series.power_w[1], 217);
}

TEST(Join, RunsOfTwoDaysStayApartAndSayWhy) {
  const auto out = join(
      files(file("monday.csv", 0, {series("0", {1, 2, 3})}), file("tuesday.csv", 86'400, {series("0", {1, 2, 3})})),
      {});
  ASSERT_TRUE(out);
  ASSERT_EQ(out->size(), 2u);
  for (const Trace& t : *out) {
    EXPECT_EQ(names(t), Names{"0"});
    EXPECT_TRUE(says(t.understanding.notes, "no other file overlaps it in time"));
    EXPECT_TRUE(t.understanding.parts.empty());
  }
}

TEST(Join, ARotatedLogIsOneDeviceWithTheHoleUnknown) {
  // Given the wrong way round; the first ends at 2 s, the second begins at 10 s.
  const auto out =
      join(files(file("gpu.log", 10, {series("0", {4, 5, 6})}), file("gpu.log.1", 0, {series("0", {1, 2, 3})})), {});
  ASSERT_TRUE(out);
  ASSERT_EQ(out->size(), 1u);
  const Series& s = out->front().series.at(0);
  EXPECT_EQ(out->front().series.size(), 1u);
  EXPECT_EQ(s.device.name, "0");
  EXPECT_EQ(s.power_w, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(s.time_ns[3], 10 * kSecond);
  const Steps steps = steps_of(s, {});
  EXPECT_EQ(steps.end(2), 5 * kSecond) << "holds three periods, then unknown";
  EXPECT_TRUE(says(out->front().understanding.notes, "continued"));
}

TEST(Join, DifferentFormatsOverlappingStayApartUnlessAsked) {
  Trace b = file("b.csv", 0, {series("0", {1, 2, 3})});
  b.understanding.power = "ac_w";
  const auto apart = join(files(file("a.csv", 0, {series("0", {1, 2, 4})}), b), {});
  ASSERT_EQ(apart->size(), 2u);
  EXPECT_TRUE(says(apart->front().understanding.notes, "b.csv overlaps it in time, but differs in format"));
  const auto joined = join(files(file("a.csv", 0, {series("0", {1, 2, 4})}), b), {.mode = Join::clock});
  ASSERT_EQ(joined->size(), 1u);
  EXPECT_EQ(joined->front().understanding.power, "power_w, ac_w");
}

TEST(Join, UuidsDecideBeforeNames) {
  Series a = series("0", {1, 2, 3});
  Series b = series("3", {4, 5, 6});
  a.device.uuid = b.device.uuid = "GPU-1";
  b.device.model = "H100";
  const auto out = join(files(file("a.csv", 0, {a}), file("b.csv", 20, {b})), {});
  ASSERT_EQ(out->size(), 1u);
  ASSERT_EQ(out->front().series.size(), 1u);
  EXPECT_EQ(out->front().series[0].device.name, "0");
  EXPECT_EQ(out->front().series[0].device.model, "H100");

  Series c = series("0", {4, 5, 6});
  c.device.uuid = "GPU-2";
  const auto two = join(files(file("a.csv", 0, {a}), file("b.csv", 3, {c})), {.mode = Join::clock});
  EXPECT_EQ(names(two->front()), (Names{"a/0", "b/0"})) << "one behind the other, but not the same uuid";
}

TEST(Join, TheSameRecordingTwiceIsKeptOnce) {
  const auto node = [](std::vector<double> power_w, double from_s) {
    Series s = series("n1/0", std::move(power_w), from_s);
    s.device.host = "n1";
    return s;
  };
  // b repeats 2 s and 3 s and goes on to 5 s.
  Series b = node({3, 4, 5, 6}, 0);
  b.column(Column::limit_w) = {700, 700, 700, 700};
  const auto out = join(files(file("a.csv", 0, {node({1, 2, 3, 4}, 0)}), file("b.csv", 2, {b})), {});
  ASSERT_EQ(out->size(), 1u);
  const Series& s = out->front().series.at(0);
  EXPECT_EQ(s.power_w, (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(s.duplicate_stamps, 0);
  EXPECT_TRUE(std::isnan(s.column(Column::limit_w)[1]));
  EXPECT_EQ(s.column(Column::limit_w)[2], 700) << "known to one of the two";
  EXPECT_TRUE(says(out->front().understanding.notes, "2 readings are in several files"));
}

TEST(Join, TwoRecordingsOfOneDeviceThatDisagreeAreNamedWithTheFirstClash) {
  Series a = series("0", {1, 2, 3, 4});
  Series b = series("0", {3, 9, 5});
  a.device.uuid = b.device.uuid = "GPU-1";
  const auto input = files(file("a.csv", 0, {a}), file("b.csv", 2, {b}));
  const auto out = join(input, {.mode = Join::clock});
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(out.error().where, "b.csv");
  EXPECT_NE(out.error().what.find("a.csv says 4 W at 2026-03-02 09:00:03"), std::string::npos) << out.error().what;
  EXPECT_NE(out.error().what.find("b.csv says 9 W at 2026-03-02 09:00:03"), std::string::npos) << out.error().what;
  EXPECT_FALSE(out.error().cure.empty());
  const auto apart = join(input, {});
  ASSERT_TRUE(apart) << "what nobody asked for is no error";
  ASSERT_EQ(apart->size(), 2u);
  EXPECT_TRUE(says((*apart)[0].understanding.notes, "with other readings"));
  EXPECT_EQ((*apart)[1].series[0].power_w, b.power_w) << "nothing was moved away";
}

TEST(Join, ASessionWithinAHoleOfAnotherIsPutThere) {
  Series a = series("0", {1, 2});
  a.time_ns = {0, 100 * kSecond};
  Series b = series("0", {7, 8});
  a.device.uuid = b.device.uuid = "GPU-1";
  const auto out = join(files(file("a.csv", 0, {a}), file("b.csv", 50, {b})), {});
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(out->front().series[0].power_w, (std::vector<double>{1, 7, 8, 2}));
}

TEST(Join, AFileWithoutAClockNeedsAWord) {
  const auto input =
      files(file("a.csv", 0, {series("0", {1, 2, 3, 4})}), file("dmon.txt", {}, {series("1", {5, 6, 7})}));
  const auto refused = join(input, {.mode = Join::clock});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::usage);
  EXPECT_EQ(refused.error().where, "dmon.txt");
  EXPECT_NE(refused.error().cure.find("--offset"), std::string::npos);

  const auto apart = join(input, {});
  ASSERT_EQ(apart->size(), 2u);
  EXPECT_TRUE(says((*apart)[1].understanding.notes, "has no clock"));

  const auto offset = join(input, {.offsets = {std::nullopt, 1500ms}});
  ASSERT_EQ(offset->size(), 1u);
  EXPECT_EQ(offset->front().series[1].time_ns.front(), 3 * kSecond / 2);
}

TEST(Join, AnOffsetCountsFromTheEarliestStartOfAllFiles) {
  // The log without a clock ran on the second day, beside b.
  const auto out =
      join(files(file("a.csv", 0, {series("0", {1, 2, 3})}), file("b.csv", 86'400, {series("0", {1, 2, 4})}),
                 file("dmon.txt", {}, {series("0", {5, 6, 7})})),
           {.offsets = {std::nullopt, std::nullopt, 24h}});
  ASSERT_EQ(out->size(), 2u);
  EXPECT_EQ(names((*out)[1]), (Names{"b/0", "dmon/0"}));
  EXPECT_EQ((*out)[1].series[1].time_ns.front(), 0);
}

TEST(Join, LogsWithoutClocksBeginTogetherOrFollow) {
  const auto input =
      files(file("dmon.1", {}, {series("0", {1, 2, 3}, 0, 2)}), file("dmon.2", {}, {series("0", {4, 5})}));
  const auto together = join(input, {.mode = Join::same_start});
  ASSERT_TRUE(together);
  EXPECT_EQ(names(together->front()), (Names{"dmon/0", "dmon#2/0"})) << "both stems are dmon";
  EXPECT_FALSE(together->front().start_unix_ns);

  const auto behind = join(input, {.mode = Join::append});
  ASSERT_TRUE(behind);
  const Series& s = behind->front().series.at(0);
  EXPECT_EQ(s.power_w, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(s.time_ns[3], 6 * kSecond) << "last at 4 s, a period of 2 s";
  EXPECT_TRUE(says(behind->front().understanding.notes, "one sample period after"));

  const auto later = join(input, {.mode = Join::append, .offsets = {std::nullopt, 30s}});
  EXPECT_EQ(later->front().series.at(0).time_ns[3], 36 * kSecond);
}

TEST(Join, AppendedClocksThatOverlapAreRefused) {
  const auto out = join(files(file("a.csv", 0, {series("0", {1, 2, 3, 4})}), file("b.csv", 1, {series("0", {9, 9})})),
                        {.mode = Join::append});
  ASSERT_FALSE(out);
  EXPECT_NE(out.error().what.find("a.csv"), std::string::npos);
}

TEST(Join, OffsetsShiftAClock) {
  // b's clock is an hour off: shifted, the two overlap.
  const auto out =
      join(files(file("a.csv", 0, {series("0", {1, 2, 3})}), file("b.csv", 3600, {series("0", {4, 5, 6})})),
           {.offsets = {std::nullopt, -1h}});
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(out->front().series[1].time_ns.front(), 0);
}

TEST(Join, ZonesAreNotMixedInSilence) {
  Trace b = file("b.csv", 0, {series("0", {1, 2, 3})});
  b.start_has_zone = false;
  const auto input = files(file("a.csv", 0, {series("0", {1, 2, 3})}), b);
  EXPECT_EQ(join(input, {})->size(), 2u);
  const auto joined = join(input, {.mode = Join::clock});
  ASSERT_TRUE(joined);
  EXPECT_FALSE(joined->front().start_has_zone);
  EXPECT_TRUE(says(joined->front().understanding.notes, "b.csv states no zone"));
}

TEST(Join, PhasesAndColumnsSurvive) {
  Series a = series("0", {1, 2});
  a.phase = {0, 1};
  a.column(Column::tokens) = {10, 20};
  Series b = series("0", {3, 4});
  b.phase = {0, -1};
  Trace first = file("a.csv", 0, {a});
  first.phases = {"generate", "train"};
  Trace second = file("b.csv", 2, {b});
  second.phases = {"train"};
  first.workload = second.workload = "training";
  const auto out = join(files(first, second), {});
  ASSERT_EQ(out->size(), 1u);
  const Trace& t = out->front();
  EXPECT_EQ(t.phases, (Names{"generate", "train"}));
  EXPECT_EQ(t.series[0].phase, (std::vector<std::int16_t>{0, 1, 1, -1}));
  EXPECT_EQ(t.series[0].column(Column::tokens).size(), 4u);
  EXPECT_TRUE(std::isnan(t.series[0].column(Column::tokens)[3]));
  EXPECT_EQ(t.workload, "training");
}

TEST(Join, KindsOfEvidenceAreNeverAdded) {
  Trace b = file("b.csv", 0, {series("0", {1, 2, 3})});
  b.evidence = Evidence::simulated;
  const auto input = files(file("a.csv", 0, {series("0", {1, 2, 3})}), b);
  ASSERT_FALSE(join(input, {.mode = Join::clock}));
  EXPECT_EQ(join(input, {})->size(), 2u);
}

TEST(Join, NothingIsDoneWhereNobodyAskedForIt) {
  const auto one = join(files(file("a.csv", 0, {series("0", {1, 2, 3})})), {});
  EXPECT_TRUE(one->front().understanding.notes.empty());
  const auto none = join(files(file("a.csv", 0, {series("0", {1, 2})}), file("b.csv", 0, {series("1", {1, 2})})),
                         {.mode = Join::none});
  ASSERT_EQ(none->size(), 2u);
  EXPECT_TRUE((*none)[0].understanding.notes.empty());
  EXPECT_TRUE(join({}, {})->empty());
}

TEST(Join, ClocksBeyondWhatFitsAreRefused) {
  Trace b = file("b.csv", 0, {series("0", {1, 2})});
  b.start_unix_ns = std::numeric_limits<std::int64_t>::min() + 5;
  ASSERT_FALSE(join(files(file("a.csv", 0, {series("0", {1, 2})}), b), {.mode = Join::clock}));
  EXPECT_EQ(join(files(file("a.csv", 0, {series("0", {1, 2})}), b), {})->size(), 2u);
}

TEST(Join, OneUuidForSeveralDevicesOfAFileIsNoIdentity) {
  Series a = series("x", {1, 2, 3});
  Series b = series("y", {4, 5, 6});
  a.device.uuid = b.device.uuid = "GPU-1";
  const auto out = join(files(file("a.csv", 0, {a, b}), file("b.csv", 3, {a, b})), {});
  ASSERT_EQ(out->size(), 1u);
  EXPECT_EQ(names(out->front()), (Names{"x", "y"}));
  EXPECT_EQ(out->front().series[1].power_w, (std::vector<double>{4, 5, 6, 4, 5, 6}));
}

TEST(Join, WritesAndReadsBackTheSame) {
  Series a = series("0", {1.25, std::nan(""), 3});
  a.column(Column::limit_w) = {700, 700, 600};
  Trace first = file("a.csv", 0, {a});
  first.phases = {"p"};
  first.series[0].phase = {0, -1, 0};
  const auto out = join(files(first, file("b,b.csv", 1, {series("0", {4, 5, 6})})), {});
  ASSERT_EQ(out->size(), 1u);
  std::string text;
  ASSERT_TRUE(write_native(out->front(), [&](std::string_view piece) {
    text += piece;
    return true;
  }));
  const auto again = read_memory(text, "joined.csv", {});
  ASSERT_TRUE(again) << again.error().message();
  ASSERT_EQ(names(*again), names(out->front()));
  EXPECT_EQ(again->start_unix_ns, out->front().start_unix_ns);
  EXPECT_EQ(again->start_has_zone, out->front().start_has_zone);
  for (std::size_t i = 0; i < again->series.size(); ++i) {
    const Series& x = again->series[i];
    const Series& y = out->front().series[i];
    EXPECT_EQ(x.time_ns, y.time_ns);
    EXPECT_FALSE(clash_of(x, 0, y, 0));
    EXPECT_EQ(x.phase, y.phase);
    EXPECT_EQ(x.column(Column::limit_w).size(), y.column(Column::limit_w).size());
  }
}

TEST(FileLabel, IsTheStem) {
  EXPECT_EQ(file_label("logs/power.csv.gz"), "power");
  EXPECT_EQ(file_label("power"), "power");
  EXPECT_EQ(file_label(".hidden"), ".hidden");
  EXPECT_EQ(file_label("-"), "-");
}

}  // namespace
}  // namespace wattrein::trace
