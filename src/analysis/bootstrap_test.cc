#include "analysis/bootstrap.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace wattrein::analysis {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// One window a second; it violates when `violates` says so.
template <class F>
RateBootstrap seconds(std::int64_t n, std::int64_t block_s, const F& violates) {
  RateBootstrap rates(Nanos(0), Nanos(n * kSecond), Nanos(block_s * kSecond));
  for (std::int64_t i = 0; i < n; ++i) rates.add(i * kSecond, kSecond, 1, true, violates(i));
  return rates;
}

TEST(RateBootstrap, HasTheBinomialWidthForIndependentWindows) {
  Rng rng(11);
  const auto interval = seconds(10'000, 30, [&](std::int64_t) { return rng.uniform() < 0.2; }).interval(1, 0);
  ASSERT_TRUE(interval);
  const double width = 2 * 1.96 * std::sqrt(0.2 * 0.8 / 10'000);  // 0.0157
  EXPECT_NEAR(interval->high - interval->low, width, 0.25 * width);
  EXPECT_LT(interval->low, 0.2 + width);
  EXPECT_GT(interval->high, 0.2 - width);
}

TEST(RateBootstrap, IsWiderWhereViolationsComeInRuns) {
  // 20 s at a time: the variance of the mean is 20 times the binomial one, the width sqrt(20) = 4.5 times.
  Rng rng(12);
  bool now = false;
  const auto interval = seconds(20'000, 400, [&](std::int64_t i) {
                          if (i % 20 == 0) now = rng.uniform() < 0.2;
                          return now;
                        }).interval(1, 0);
  ASSERT_TRUE(interval);
  const double width = 2 * 1.96 * std::sqrt(20 * 0.2 * 0.8 / 20'000);
  EXPECT_NEAR(interval->high - interval->low, width, 0.35 * width);
}

TEST(RateBootstrap, CoversTheTrueRateAboutAsOftenAsItSays) {
  int covered = 0;
  constexpr int kTraces = 200;
  for (int trace = 0; trace < kTraces; ++trace) {
    Rng rng(static_cast<std::uint64_t>(trace), 5);
    double x = rng.normal();
    const auto interval = seconds(3000, 30,
                                  [&](std::int64_t) {  // AR(1), above its own 80th percentile
                                    x = 0.6 * x + 0.8 * rng.normal();
                                    return x > 0.8416;
                                  })
                              .interval(1, 0);
    covered += interval->low <= 0.2 && interval->high >= 0.2 ? 1 : 0;
  }
  EXPECT_GE(covered, 176);  // 0.88: a block bootstrap of 100 blocks undercovers a little
  EXPECT_LE(covered, 199);
}

TEST(RateBootstrap, IsCertainWhereEveryWindowIsTheSame) {
  const auto all = seconds(400, 30, [](std::int64_t) { return true; }).interval(1, 0);
  EXPECT_EQ(all->low, 1.0);
  EXPECT_EQ(all->high, 1.0);
}

TEST(RateBootstrap, TakesARunOfWindowsAsItsWindows) {
  RateBootstrap run(Nanos(0), Nanos(1000 * kSecond), Nanos(40 * kSecond));
  RateBootstrap one_by_one = run;
  run.add(3 * kSecond, 2 * kSecond, 200, true, true);
  for (std::int64_t i = 0; i < 200; ++i) one_by_one.add((3 + 2 * i) * kSecond, 2 * kSecond, 1, true, true);
  run.add(403 * kSecond, 3 * kSecond, 150, true, false);
  for (std::int64_t i = 0; i < 150; ++i) one_by_one.add((403 + 3 * i) * kSecond, 3 * kSecond, 1, true, false);
  EXPECT_EQ(run.interval(1, 2)->low, one_by_one.interval(1, 2)->low);
  EXPECT_EQ(run.interval(1, 2)->high, one_by_one.interval(1, 2)->high);
}

TEST(RateBootstrap, IsTheSameForTheSameSeedAndNothingWhereNothingIsKnown) {
  const RateBootstrap rates = seconds(1000, 30, [](std::int64_t i) { return i % 13 == 0; });
  EXPECT_EQ(rates.interval(3, 1)->low, rates.interval(3, 1)->low);
  EXPECT_EQ(rates.interval(3, 1)->high, rates.interval(3, 1)->high);
  RateBootstrap unknown(Nanos(0), Nanos(100), Nanos(10));
  unknown.add(0, 1, 100, false, false);
  EXPECT_FALSE(unknown.interval(1, 1));
}

TEST(RateBootstrap, StaysSmallForATraceOfYears) {
  RateBootstrap rates(Nanos(0), std::chrono::hours(24 * 3650), std::chrono::seconds(30));
  rates.add(0, kSecond, std::int64_t{3650} * 86400, true, true);
  EXPECT_EQ(rates.interval(1, 1)->low, 1.0);
}

}  // namespace
}  // namespace wattrein::analysis
