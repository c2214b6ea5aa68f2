#include <gtest/gtest.h>

#include <cmath>

#include "analysis/phases.h"
#include "base/rng.h"

namespace wattrein::analysis {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

trace::Series series(const std::vector<double>& power_w, double period_s = 1.0, double start_s = 0.0) {
  trace::Series s;
  s.power_w = power_w;
  for (std::size_t i = 0; i < power_w.size(); ++i)
    s.time_ns.push_back(std::llround((start_s + static_cast<double>(i) * period_s) * 1e9));
  return s;
}

Correlation correlation_of(std::vector<trace::Series> all, const Phases* phases = nullptr) {
  trace::Trace trace;
  trace.series = std::move(all);
  return pairwise_correlation(trace, {}, phases);
}

TEST(PairwiseCorrelation, OfIdenticalOpposedAndConstant) {
  const std::vector<double> up{1, 4, 2, 8, 5, 7};
  std::vector<double> down;
  for (const double p : up) down.push_back(100.0 - 3.0 * p);
  const Correlation c = correlation_of({series(up), series(up), series(down), series(std::vector<double>(6, 80.1))});
  ASSERT_EQ(c.pairs.size(), 6U);  // 01 02 03 12 13 23
  EXPECT_NEAR(*c.pairs[0].r, 1.0, 1e-12);
  EXPECT_NEAR(*c.pairs[1].r, -1.0, 1e-12);
  EXPECT_NEAR(*c.pairs[3].r, -1.0, 1e-12);
  for (const std::size_t constant : {2U, 4U, 5U}) EXPECT_FALSE(c.pairs[constant].r) << constant;
  EXPECT_EQ(c.pairs[5].a, 2U);
  EXPECT_EQ(c.pairs[5].b, 3U);
  EXPECT_NEAR(*c.min, -1.0, 1e-12);
  EXPECT_NEAR(*c.max, 1.0, 1e-12);
  EXPECT_NEAR(*c.mean, -1.0 / 3.0, 1e-12);
  EXPECT_FALSE(c.within_phase);
}

TEST(PairwiseCorrelation, ByHand) {
  // Deviations (-2 -1 0 1 2) and (-1 -2 1 0 2): 2 + 2 + 0 + 0 + 4 = 8 over sqrt(10 x 10).
  const Correlation c = correlation_of({series({1, 2, 3, 4, 5}), series({2, 1, 4, 3, 5})});
  EXPECT_NEAR(*c.pairs[0].r, 0.8, 1e-12);
}

TEST(PairwiseCorrelation, AcrossClocks) {
  // The faster device's means over whole seconds are 1 2 3 4 5.
  const Correlation c = correlation_of({series({2, 1, 4, 3, 5}), series({0, 2, 1, 3, 2, 4, 3, 5, 4, 6}, 0.5)});
  EXPECT_NEAR(*c.pairs[0].r, 0.8, 1e-12);
  // Half a second late: the grid starts at 0.5 s, and each cell of the first device is half of two samples:
  // 1.5 2.5 3.5 3.5 against 2 1 4 3: deviations (-1.25 -.25 .75 .75), (-.5 -1.5 1.5 .5): 2.5 / sqrt(2.75 x 5).
  const Correlation late = correlation_of({series({1, 2, 3, 4, 3}), series({2, 1, 4, 3, 5}, 1.0, 0.5)});
  EXPECT_NEAR(*late.pairs[0].r, 2.5 / std::sqrt(2.75 * 5.0), 1e-12);
}

TEST(PairwiseCorrelation, LeavesOutWhatAnyDeviceDoesNotKnow) {
  const double unknown = std::nan("");
  const Correlation c = correlation_of({series({1, 2, 900, 3, 4, 5}), series({2, 1, unknown, 4, 3, 5})});
  EXPECT_NEAR(*c.pairs[0].r, 0.8, 1e-12);

  // The second device holds 4 W from 2 s to 5 s, three periods, and is unknown until 7 s.
  trace::Series holed = series({2, 1, 4, 3, 5, 6});
  for (std::size_t i = 3; i < 6; ++i) holed.time_ns[i] += 4 * kSecond;
  const trace::Series longer = series({1, 2, 3, 3, 3, 900, 900, 4, 5, 6});
  const std::vector<double> a{1, 2, 3, 3, 3, 4, 5, 6};  // over cells 0 to 4 and 7 to 9
  const std::vector<double> b{2, 1, 4, 4, 4, 3, 5, 6};
  const Correlation plain = correlation_of({series(a), series(b)});
  EXPECT_NEAR(*correlation_of({longer, holed}).pairs[0].r, *plain.pairs[0].r, 1e-12);
}

TEST(PairwiseCorrelation, IsNothingWhereTooLittleIsShared) {
  EXPECT_TRUE(correlation_of({}).pairs.empty());
  EXPECT_TRUE(correlation_of({series({1, 2, 3})}).pairs.empty());
  EXPECT_FALSE(correlation_of({series({1}), series({2})}).pairs[0].r);
  EXPECT_FALSE(correlation_of({series({1, 2}), series({2, 1})}).pairs[0].r);
  EXPECT_FALSE(correlation_of({series({1, 2, 3, 4, 5}), series({1, 2, 3, 4, 5}, 1.0, 100.0)}).pairs[0].r);
  // A device that knows nothing does not stand between the others.
  const Correlation c = correlation_of(
      {series({1, 2, 3, 4, 5}), series(std::vector<double>(5, std::nan(""))), series({7}), series({2, 1, 4, 3, 5})});
  ASSERT_EQ(c.pairs.size(), 6U);
  EXPECT_NEAR(*c.pairs[2].r, 0.8, 1e-12);
  EXPECT_FALSE(c.pairs[0].r);
  EXPECT_FALSE(c.pairs[1].r);
  EXPECT_NEAR(*c.mean, 0.8, 1e-12);
}

TEST(PairwiseCorrelation, OfManyDevicesTakesSomeEvenly) {
  trace::Trace trace;
  const std::size_t n = 3 * kMostCorrelated;
  for (std::size_t d = 0; d < n; ++d) {  // every third is the opposite of the others
    const double sign = d % 3 == 0 ? -1.0 : 1.0;
    trace.series.push_back({});
    trace::Series& s = trace.series.back();
    for (int i = 0; i < 20; ++i) {
      s.time_ns.push_back(std::int64_t{1'000'000'000} * i);
      s.power_w.push_back(300.0 + sign * (i % 4));
    }
  }
  const Correlation c = pairwise_correlation(trace, {}, nullptr);
  EXPECT_EQ(c.devices, kMostCorrelated);
  EXPECT_EQ(c.pairs.size(), kMostCorrelated * (kMostCorrelated - 1) / 2);
  EXPECT_EQ(c.pairs.back().b, n - 3);
  EXPECT_NEAR(c.min.value_or(0.0), 1.0, 1e-12);  // 0, 3, 6, ...: all alike
}

TEST(PairwiseCorrelation, WithinPhaseTakesTheCommonSwingOut) {
  Rng rng(17);
  std::vector<double> a;
  std::vector<double> b;
  for (int i = 0; i < 4000; ++i) {
    const double level_w = i / 20 % 2 == 0 ? 100.0 : 350.0;
    a.push_back(level_w + 10.0 * rng.normal());
    b.push_back(level_w + 10.0 * rng.normal());
  }
  const trace::Series first = series(a, 0.5);
  const Phases phases = find_phases(steps_of(first, {}), {});
  ASSERT_EQ(phases.levels.size(), 2U);
  EXPECT_GT(*correlation_of({first, series(b, 0.5)}).pairs[0].r, 0.98);
  const Correlation within = correlation_of({first, series(b, 0.5)}, &phases);
  EXPECT_TRUE(within.within_phase);
  EXPECT_NEAR(*within.pairs[0].r, 0.0, 0.05);  // 3 / sqrt(4000)
}

TEST(PairwiseCorrelation, WithinPhaseByHand) {
  // Means 2 and 12, 20 and 60 taken out: (-1 0 1 | -1 0 1) and (1 0 -1 | -2 0 2): -2 + 4 over sqrt(4 x 10).
  // Cells that straddle a change are left out: the second stretch starts at 3.5 s.
  Phases phases;
  phases.levels.resize(2);
  phases.stretches = {{.start = Nanos(0), .end = Nanos(7 * kSecond / 2), .level = 0},
                      {.start = Nanos(7 * kSecond / 2), .end = Nanos(7 * kSecond), .level = 1}};
  const Correlation c =
      correlation_of({series({1, 2, 3, 500, 11, 12, 13}), series({21, 20, 19, 900, 58, 60, 62})}, &phases);
  EXPECT_NEAR(*c.pairs[0].r, 2.0 / std::sqrt(40.0), 1e-12);
}

}  // namespace
}  // namespace wattrein::analysis
