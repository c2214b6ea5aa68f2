#include "trace/builder.h"

#include <gtest/gtest.h>

#include <cmath>

#include "trace/steps.h"

namespace wattrein::trace {
namespace {

Input input() { return std::move(*Input::from_memory("x\n", "f.csv")); }

TEST(Builder, SortsAndCountsBeforeSorting) {
  Builder b("f.csv", "test");
  const std::size_t d = b.device("0");
  for (const auto& [t, p] : {std::pair{1000, 1.0}, {3000, 3.0}, {2000, 2.0}, {2000, 2.5}, {4000, 4.0}}) {
    b.add(d, t, p);
    b.set(d, Column::limit_w, 10 * p);
  }
  b.add(b.device("1"), 500, 9.0);
  const auto trace = b.finish(input(), {});
  ASSERT_TRUE(trace);
  const Series& s = trace->series[0];
  EXPECT_EQ(trace->start_unix_ns, 500);
  EXPECT_EQ(s.time_ns, (std::vector<std::int64_t>{500, 1500, 1500, 2500, 3500}));
  EXPECT_EQ(s.power_w, (std::vector<double>{1.0, 2.0, 2.5, 3.0, 4.0}));
  EXPECT_EQ(s.column(Column::limit_w), (std::vector<double>{10.0, 20.0, 25.0, 30.0, 40.0}));
  EXPECT_EQ(s.backward_stamps, 1);
  EXPECT_EQ(s.duplicate_stamps, 1);
  EXPECT_EQ(trace->understanding.notes.size(), 1U);
}

TEST(Builder, FindsCopiesThatTheLogsOrderHides) {
  Builder b("f.csv", "test");
  const std::size_t d = b.device("0");
  for (const auto& [t, p] : {std::pair{2, 10.0}, {5, 6.0}, {3, 11.0}, {5, 6.0}, {4, 12.0}, {5, 6.0}, {5, 6.0}}) {
    b.add(d, t, p);
  }
  b.add(d, 3, 11.0);
  const auto trace = b.finish(input(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series[0].power_w, (std::vector<double>{10.0, 11.0, 12.0, 6.0}));
  EXPECT_EQ(trace->understanding.notes.size(), 2U);  // samples twice, stamps that go back
}

TEST(Builder, OptionalColumnsStayAligned) {
  Builder b("f.csv", "test");
  const std::size_t d = b.device("0");
  b.add(d, 1, 1.0);
  b.add(d, 2, std::nan(""));
  b.set(d, Column::energy_j, 5.0);
  b.set_phase(d, b.phase("train"));
  b.add(d, 3, 3.0);
  const auto trace = b.finish(input(), {});
  ASSERT_TRUE(trace);
  const Series& s = trace->series[0];
  const auto& energy = s.column(Column::energy_j);
  ASSERT_EQ(energy.size(), 3U);
  EXPECT_TRUE(std::isnan(energy[0]) && energy[1] == 5.0 && std::isnan(energy[2]));
  EXPECT_EQ(s.phase, (std::vector<std::int16_t>{-1, 0, -1}));
  EXPECT_TRUE(s.column(Column::tokens).empty());
  EXPECT_EQ(trace->understanding.unknown_power, 1);
}

Result<Trace> with_damage(int good, int damaged, bool lenient) {
  Builder b("f.csv", "test");
  const std::size_t d = b.device("0");
  for (int i = 0; i < good; ++i) b.add(d, i, 1.0);
  for (int i = 0; i < damaged; ++i) b.damaged("f.csv:" + std::to_string(i + 1), "the power 'x' cannot be read");
  return b.finish(input(), {.lenient = lenient});
}

TEST(Builder, RefusesMoreThanFivePercentDamage) {
  EXPECT_TRUE(with_damage(95, 5, false));  // 5 of 100
  const auto refused = with_damage(94, 5, false);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
  EXPECT_NE(refused.error().what.find("5 of 99"), std::string::npos);
  EXPECT_NE(refused.error().what.find("f.csv:3"), std::string::npos);
  EXPECT_EQ(refused.error().what.find("f.csv:4"), std::string::npos);  // the first three only
  const auto lenient = with_damage(94, 5, true);
  ASSERT_TRUE(lenient);
  EXPECT_EQ(lenient->understanding.damaged, 5);
  EXPECT_FALSE(with_damage(0, 5, true));
  EXPECT_FALSE(with_damage(0, 0, true));
}

TEST(Builder, RefusesALogWithoutAnyKnownPower) {
  Builder b("f.csv", "test");
  b.add(b.device("0"), 1, std::nan(""));
  const auto trace = b.finish(input(), {});
  ASSERT_FALSE(trace);
  EXPECT_NE(trace.error().what.find("not available"), std::string::npos);
}

TEST(Builder, LeavesOutDevicesWithoutARow) {
  Builder b("f.csv", "test");
  b.device("silent");
  b.add(b.device("0"), 1, 1.0);
  const auto trace = b.finish(input(), {});
  ASSERT_TRUE(trace);
  EXPECT_EQ(trace->series.size(), 1U);
}

TEST(Builder, AStartIsForLogsWithoutAClock) {
  const ReadOptions options{.start_unix_ns = 77};
  Builder without("f.csv", "test");
  without.clock(false, false);
  without.add(without.device("0"), 10, 1.0);
  EXPECT_EQ(without.finish(input(), options)->start_unix_ns, 77);
  Builder with("f.csv", "test");
  with.add(with.device("0"), 10, 1.0);
  EXPECT_EQ(with.finish(input(), options)->start_unix_ns, 10);
}

TEST(Builder, RefusesStampsThatDoNotFitTogether) {
  Builder b("f.csv", "test");
  b.add(b.device("0"), std::numeric_limits<std::int64_t>::min() + 1, 1.0);
  b.add(b.device("0"), std::numeric_limits<std::int64_t>::max(), 1.0);
  EXPECT_FALSE(b.finish(input(), {}));
}

TEST(Builder, ThreePeriodsOfAnyTraceFit64Bits) {
  // As few samples as make a trace: the period is the span. 3 x 3e18 ns is below 2^63 - 1 = 9.22e18 ns, and a
  // nanosecond more is refused.
  for (const std::int64_t beyond : {0, 1}) {
    Builder b("f.csv", "test");
    b.add(b.device("0"), -1'500'000'000'000'000'000, 100.0);
    b.add(b.device("0"), 1'500'000'000'000'000'000 + beyond, 200.0);
    const auto trace = b.finish(input(), {});
    ASSERT_EQ(trace.has_value(), beyond == 0);
    if (!trace) {
      EXPECT_NE(trace.error().message().find("95 years"), std::string::npos);
      continue;
    }
    const Steps steps = steps_of(trace->series[0], {});
    EXPECT_EQ(steps.max_hold_ns, 9'000'000'000'000'000'000);
    EXPECT_EQ(steps.span_end(), 6'000'000'000'000'000'000);
  }
}

}  // namespace
}  // namespace wattrein::trace
