#include <gtest/gtest.h>

#include "analysis/test_log.h"
#include "analysis/windows.h"
#include "base/rng.h"

namespace wattrein::analysis {
namespace {

/// Mean 300 W, sd 20 W, coefficient a.
std::vector<double> ar1(double a, std::size_t n, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<double> power(n);
  double x = rng.normal();
  for (double& p : power) {
    p = 300 + 20 * x;
    x = a * x + std::sqrt(1 - a * a) * rng.normal();
  }
  return power;
}

double mean_tau_s(double a, double period_s, std::size_t n, double unknown_share) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<double> power = ar1(a, n, seed);
    Rng rng(seed, 9);
    for (double& p : power) {
      if (rng.uniform() < unknown_share) p = kNotKnown;
    }
    sum += to_seconds(correlation_time(TestLog::regular(period_s, power).steps())).value();
  }
  return sum / 8;
}

// An AR(1) process has rho_k = a^k, so tau = dt (1/2 + a / (1 - a)). One trace's error is about
// sqrt(2 (2 M + 1) / n) with M = 5 tau / dt: 7 % at a = 0.74 and n = 16000, so 2.5 % over eight.
TEST(CorrelationTime, OfAnAutoregressiveProcess) {
  EXPECT_NEAR(mean_tau_s(0.74, 0.5, 16'000, 0), 0.5 * (0.5 + 0.74 / 0.26), 0.13);  // 1.67 s, three errors
  EXPECT_NEAR(mean_tau_s(0.0, 0.5, 16'000, 0), 0.25, 0.02);
  EXPECT_NEAR(mean_tau_s(0.95, 0.1, 16'000, 0), 0.1 * (0.5 + 19), 0.3);
}

TEST(CorrelationTime, LeavesUnknownSamplesOutPairByPair) {
  EXPECT_NEAR(mean_tau_s(0.74, 0.5, 16'000, 0.3), 1.673, 0.17);
}

TEST(CorrelationTime, OfALongTraceIsThatOfItsAverages) {
  // 200 000 periods on 16384 cells of 12: 20.5 periods of correlation time are still seen through them.
  EXPECT_NEAR(mean_tau_s(0.95, 0.1, 200'000, 0), 1.95, 0.15);
  EXPECT_NEAR(mean_tau_s(0.74, 0.1, 200'000, 0), 0.335, 0.03);
}

TEST(CorrelationTime, IsZeroWhereNothingVariesOrIsKnown) {
  EXPECT_EQ(correlation_time(TestLog::regular(0.1, std::vector<double>(1000, 123.4)).steps()).count(), 0);
  EXPECT_EQ(correlation_time(TestLog::regular(0.1, std::vector<double>(1000, kNotKnown)).steps()).count(), 0);
  EXPECT_EQ(correlation_time(TestLog({0}, {5}).steps()).count(), 0);
  EXPECT_EQ(correlation_time(TestLog().steps()).count(), 0);
}

TEST(CorrelationTime, ScalesWithTime) {
  const std::vector<double> power = ar1(0.8, 4000, 3);
  const Nanos fine = correlation_time(TestLog::regular(0.1, power).steps());
  const Nanos coarse = correlation_time(TestLog::regular(1, power).steps());
  EXPECT_NEAR(static_cast<double>(coarse.count()), 10 * static_cast<double>(fine.count()), 20);
}

}  // namespace
}  // namespace wattrein::analysis
