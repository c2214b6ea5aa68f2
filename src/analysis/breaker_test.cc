#include <gtest/gtest.h>

#include "analysis/excursions.h"
#include "analysis/test_log.h"

namespace wattrein::analysis {
namespace {

double trip_s(double load, double period_s, double duration_s) {
  const auto n = static_cast<std::size_t>(duration_s / period_s);
  const TestLog log = TestLog::regular(period_s, std::vector<double>(n, 1000 * load));
  const BreakerState b = breaker_state(log.steps(), Watts(1000), {});
  return b.tripped ? to_seconds(*b.tripped).value() : -1;
}

// t = TMS k / (load^2 - 1) = 2.68 x 80 / 0.21 = 1021 s at 110 %, 260.7 s at 135 %, 71.5 s at 200 %. The points that
// the default was chosen for: 1020 s (Dynamo), within an hour and within two minutes (UL 489).
TEST(Breaker, TripsWhenItsCurveSays) {
  EXPECT_NEAR(trip_s(1.10, 1, 2000), 1020, 0.02 * 1020);
  EXPECT_NEAR(trip_s(1.35, 1, 2000), 261, 0.02 * 261);
  EXPECT_NEAR(trip_s(2.00, 1, 2000), 71, 0.02 * 71);
  EXPECT_EQ(trip_s(1.0, 1, 5000), -1);
  EXPECT_EQ(trip_s(0.9, 1, 5000), -1);
}

TEST(Breaker, DoesNotDependOnTheSamplePeriod) {
  EXPECT_NEAR(trip_s(1.35, 0.1, 400), 2.68 * 80 / (1.35 * 1.35 - 1), 1e-3);
  EXPECT_NEAR(trip_s(1.35, 97, 400), 2.68 * 80 / (1.35 * 1.35 - 1), 1e-3);  // inside the third sample
}

TEST(Breaker, HeatsInAStraightLineAndCoolsExponentially) {
  // 30 s at 200 %: 30 x 3 / 214.4 = 0.4198. Then 600 s, one time constant, at 50 %: x 1/e. Then 30 s at 200 % again.
  const TestLog log({0, 30, 630, 660}, {2000, 500, 2000, 500});
  const BreakerState b = breaker_state(log.steps(kPlainHold), Watts(1000), {});
  const double once = 30 * 3.0 / (2.68 * 80);
  EXPECT_NEAR(b.peak, once * std::exp(-1.0) + once, 1e-12);
  EXPECT_FALSE(b.tripped);
  EXPECT_EQ(b.unknown.count(), 0);
}

TEST(Breaker, HoldsItsStateWhilePowerIsUnknown) {
  const TestLog log({0, 30, 630, 660}, {2000, kNotKnown, 2000, 500});
  const BreakerState b = breaker_state(log.steps(kPlainHold), Watts(1000), {});
  EXPECT_NEAR(b.peak, 2 * 30 * 3.0 / (2.68 * 80), 1e-12);
  EXPECT_EQ(b.unknown, std::chrono::seconds(600));
  // A hole is unknown time too: the sample at 2 s holds to 5 s.
  const TestLog hole({0, 1, 2, 20, 21}, {10, 10, 10, 10, 10});
  EXPECT_EQ(breaker_state(hole.steps(), Watts(1000), {}).unknown, std::chrono::seconds(15));
}

TEST(Breaker, StaysAtItsStateExactlyAtTheRating) {
  const TestLog log({0, 30, 5000, 5030}, {2000, 1000, 2000, 0});
  EXPECT_NEAR(breaker_state(log.steps(kPlainHold), Watts(1000), {}).peak, 2 * 30 * 3.0 / (2.68 * 80), 1e-12);
}

}  // namespace
}  // namespace wattrein::analysis
