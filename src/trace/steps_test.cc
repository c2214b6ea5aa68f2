#include "trace/steps.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/rng.h"

namespace wattrein::trace {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

Series series(std::string name, const std::vector<double>& at_s, std::vector<double> power_w) {
  Series s;
  s.device.name = std::move(name);
  for (const double t : at_s) s.time_ns.push_back(static_cast<std::int64_t>(t * 1e9));
  s.power_w = std::move(power_w);
  return s;
}

TEST(MedianPeriod, AveragesTheMiddleTwo) {
  EXPECT_EQ(median_period(std::vector<std::int64_t>{0, 10, 30, 60, 61}).count(), 15);  // gaps 10 20 30 1
  EXPECT_EQ(median_period(std::vector<std::int64_t>{5}).count(), 0);
  EXPECT_EQ(usual_period(std::vector<std::int64_t>{0, 10, 30, 60, 61}).count(), 15);
  EXPECT_EQ(usual_period(std::vector<std::int64_t>{0, 0, 10, 10, 20, 20, 50, 50}).count(), 10);
  EXPECT_EQ(usual_period(std::vector<std::int64_t>{7, 7, 7}).count(), 0);
}

/// The median by its definition.
std::int64_t sorted_median(std::span<const std::int64_t> time_ns) {
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < time_ns.size(); ++i) gaps.push_back(time_ns[i] - time_ns[i - 1]);
  std::ranges::sort(gaps);
  const std::size_t n = gaps.size();
  return n % 2 == 1 ? gaps[n / 2] : gaps[n / 2 - 1] + (gaps[n / 2] - gaps[n / 2 - 1]) / 2;
}

TEST(MedianPeriod, IsExactForManyGaps) {
  Rng rng(3);
  for (int kind = 0; kind < 6; ++kind) {
    for (const std::size_t n : {std::size_t{33'000}, std::size_t{70'001}}) {
      std::vector<std::int64_t> time_ns{0};
      for (std::size_t i = 0; i < n; ++i) {
        std::int64_t gap = 100;
        if (kind == 1) gap = 1 + static_cast<std::int64_t>(rng.below(1'000'000));
        if (kind == 2) gap = rng.below(2) == 0 ? 10 : 1000;  // the median may lie between the two
        if (kind == 3) gap = 99 + static_cast<std::int64_t>(rng.below(3));
        if (kind == 4) gap = i < n / 2 ? 10 : 1000;
        if (kind == 5) gap = i % (n / 4096) == i / (n / 4096) * 7919 % (n / 4096) ? 1 : 50;  // what a sample sees
        time_ns.push_back(time_ns.back() + gap);
      }
      EXPECT_EQ(median_period(time_ns).count(), sorted_median(time_ns)) << kind << " " << n;
    }
  }
}

TEST(Steps, HoldsNoLongerThanThreePeriods) {
  const Series s = series("0", {0, 1, 2, 10, 11}, {1, 2, 3, 4, 5});
  const Steps steps = steps_of(s, {});
  EXPECT_EQ(steps.end(1), 2 * kSecond);
  EXPECT_EQ(steps.end(2), 5 * kSecond);  // 2 + 3 x 1 s, not 10
  EXPECT_EQ(steps.span_end(), 12 * kSecond);
  const Steps plain = steps_of(s, {.max_gap = HoldRule::MaxGap::none, .last_holds = false});
  EXPECT_EQ(plain.end(2), 10 * kSecond);
  EXPECT_EQ(plain.span_end(), 11 * kSecond);
}

TEST(Sum, AddsOnTheUnionOfStampsOverTheCommonSpan) {
  Trace t;
  t.series.push_back(series("a", {0, 1, 2, 3}, {10, 20, 30, 40}));
  t.series.push_back(series("b", {0.5, 1.5, 2.5}, {1, 2, 3}));
  const auto sum = sum_of(t, {.max_gap = HoldRule::MaxGap::none, .last_holds = false});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->series.time_ns,
            (std::vector<std::int64_t>{kSecond / 2, kSecond, 3 * kSecond / 2, 2 * kSecond, 5 * kSecond / 2}));
  EXPECT_EQ(sum->series.power_w, (std::vector<double>{11, 21, 22, 32, 33}));
  EXPECT_EQ(sum->last_hold_ns, 0);
}

TEST(Sum, GoesOnWhileTheLastReadingHolds) {
  Trace t;
  t.series.push_back(series("slow", {0, 60, 120}, {1000, 1000, 1000}));
  std::vector<double> at;
  std::vector<double> power;
  for (int i = 0; i < 180; ++i) {
    at.push_back(i);
    power.push_back(i < 125 ? 100 : 500);
  }
  t.series.push_back(series("fast", at, power));
  // The slow one's last reading holds from 120 to 180 s, and the fast one rises at 125 s.
  const auto sum = sum_of(t, {});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->series.time_ns.back(), 179 * kSecond);
  EXPECT_EQ(sum->last_hold_ns, kSecond);
  EXPECT_EQ(std::ranges::count(sum->series.power_w, 1500.0), 55);
  // Where the last reading has no width, the sum ends with it.
  EXPECT_EQ(sum_of(t, {.last_holds = false})->series.time_ns.back(), 120 * kSecond);
}

TEST(Sum, IsUnknownWhereAnyPartIs) {
  Trace t;
  t.series.push_back(series("a", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, std::vector<double>(11, 100.0)));
  t.series.push_back(series("b", {0, 1, 2, 8, 9, 10}, {1, 1, 1, 1, std::nan(""), 1}));
  const auto sum = sum_of(t, {});
  ASSERT_TRUE(sum);
  for (std::size_t i = 0; i < sum->series.size(); ++i) {
    const double at_s = static_cast<double>(sum->series.time_ns[i]) * 1e-9;
    const bool known = at_s < 5 || at_s == 8 || at_s == 10;  // b holds to 2 + 3 x 1 s; its poll at 9 says N/A
    EXPECT_EQ(std::isfinite(sum->series.power_w[i]), known) << at_s;
  }
  EXPECT_EQ(sum->last_hold_ns, kSecond);
}

TEST(Sum, NeedsTwoDevicesWithACommonSpan) {
  Trace t;
  t.series.push_back(series("a", {0, 1}, {1, 1}));
  t.series.push_back(series("b", {5}, {1}));
  std::vector<std::string> left_out;
  EXPECT_FALSE(sum_of(t, {}, &left_out));
  EXPECT_EQ(left_out, std::vector<std::string>{"b"});
  t.series.push_back(series("c", {7, 8}, {1, 1}));
  EXPECT_FALSE(sum_of(t, {}));
}

TEST(Sum, HasThePollsThatShareAStamp) {
  Trace trace;
  trace.series.resize(2);
  for (std::size_t d = 0; d < 2; ++d) {
    trace.series[d].device.name = std::to_string(d);
    trace.series[d].time_ns = {0, 1'000, 1'000, 3'000, 4'000};
    trace.series[d].power_w = {10, 20, 30, 40, 50};
  }
  const auto sum = sum_of(trace, {});
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->series.time_ns, (std::vector<std::int64_t>{0, 1'000, 1'000, 3'000, 4'000}));
  EXPECT_EQ(sum->series.power_w, (std::vector<double>{20, 40, 60, 80, 100}));
  EXPECT_EQ(sum->series.duplicate_stamps, 1);
  // Of a poll that one device lacks there is no sum.
  trace.series[1].time_ns = {0, 1'000, 2'000, 3'000, 4'000};
  const auto uneven = sum_of(trace, {});
  ASSERT_TRUE(uneven);
  EXPECT_EQ(uneven->series.power_w, (std::vector<double>{20, 50, 60, 80, 100}));
}

}  // namespace
}  // namespace wattrein::trace
