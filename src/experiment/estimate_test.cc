#include "experiment/estimate.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "experiment/best_static.h"

namespace wattrein::experiment {
namespace {

TEST(StudentT, MatchesTheTables) {
  // Any statistics book, two-sided 95 %.
  EXPECT_NEAR(student_t_95(1), 12.7062, 5e-5);
  EXPECT_NEAR(student_t_95(2), 4.30265, 5e-6);
  EXPECT_NEAR(student_t_95(3), 3.18245, 5e-6);
  EXPECT_NEAR(student_t_95(4), 2.77645, 5e-6);
  EXPECT_NEAR(student_t_95(29), 2.04523, 5e-6);
  EXPECT_NEAR(student_t_95(1000), 1.96234, 5e-6);
}

// 1, 2, 3, 4, 5: mean 3, sd sqrt(2.5) = 1.581139, standard error 0.707107, times 2.776445 = 1.963243.
TEST(Estimate, MatchesAWorkedInterval) {
  const std::array<double, 5> values{1, 2, 3, 4, 5};
  const Estimate e = estimate(values);
  EXPECT_DOUBLE_EQ(e.mean, 3.0);
  ASSERT_TRUE(e.interval_95);
  EXPECT_NEAR(e.interval_95->low, 3.0 - 1.963243, 1e-6);
  EXPECT_NEAR(e.interval_95->high, 3.0 + 1.963243, 1e-6);
}

TEST(Estimate, OneValueHasNoIntervalAndUnknownStaysUnknown) {
  EXPECT_FALSE(estimate(std::array<double, 1>{2.0}).interval_95);
  const Estimate e = estimate(std::array<double, 2>{2.0, std::nan("")});
  EXPECT_TRUE(std::isnan(e.mean));
  EXPECT_FALSE(e.interval_95);
}

// For a plain mean the jackknife is the textbook interval, exactly.
TEST(Jackknife, IsTheTextbookIntervalForAMean) {
  const std::vector<double> values{1, 2, 3, 4, 5};
  const Estimate e = jackknife(5, [&](int skip) {
    const double all = std::accumulate(values.begin(), values.end(), 0.0);
    return skip == 5 ? all / 5.0 : (all - values[static_cast<std::size_t>(skip)]) / 4.0;
  });
  EXPECT_DOUBLE_EQ(e.mean, 3.0);
  ASSERT_TRUE(e.interval_95);
  EXPECT_NEAR(e.interval_95->high, 3.0 + 1.963243, 1e-6);
}

// (0, 10), (0.01, 20), (0.03, 22), (0.05, 30): the third lies under the chord from the second to the fourth, which
// is at 20 + 10/2 = 25 there.
constexpr std::array<StaticPoint, 4> kPoints{{{0.0, 10.0}, {0.01, 20.0}, {0.03, 22.0}, {0.05, 30.0}}};

TEST(BestMix, IsTheConcaveEnvelope) {
  EXPECT_DOUBLE_EQ(*best_mix(kPoints, 0.0), 10.0);
  EXPECT_DOUBLE_EQ(*best_mix(kPoints, 0.005), 15.0);
  EXPECT_DOUBLE_EQ(*best_mix(kPoints, 0.01), 20.0);
  EXPECT_DOUBLE_EQ(*best_mix(kPoints, 0.03), 25.0);
  EXPECT_DOUBLE_EQ(*best_mix(kPoints, 0.02), 22.5);
  EXPECT_DOUBLE_EQ(*best_mix(kPoints, 0.05), 30.0);
  EXPECT_DOUBLE_EQ(*best_mix(kPoints, 0.5), 30.0);
}

TEST(BestMix, TakesTheBestOfSeveralAtOneRateAndNothingWhereNoneReaches) {
  const std::array<StaticPoint, 3> zeros{{{0.0, 1.0}, {0.0, 3.0}, {0.1, 5.0}}};
  EXPECT_DOUBLE_EQ(*best_mix(zeros, 0.0), 3.0);
  EXPECT_DOUBLE_EQ(*best_mix(zeros, 0.05), 4.0);
  EXPECT_FALSE(best_mix(std::span(kPoints).subspan(1), 0.005));
  EXPECT_FALSE(best_mix({}, 1.0));
}

}  // namespace
}  // namespace wattrein::experiment
