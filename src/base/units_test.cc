#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace wattrein {
namespace {

TEST(Quantity, AddsSubtractsAndScalesWithinItsUnit) {
  Watts p(300);
  p += Watts(50);
  p -= Watts(100);
  EXPECT_EQ(p, Watts(250));
  EXPECT_EQ(p + Watts(1) - Watts(2), Watts(249));
  EXPECT_EQ(p * 2, Watts(500));
  EXPECT_EQ(2 * p, Watts(500));
  EXPECT_EQ(p / 2, Watts(125));
  EXPECT_EQ(-p, Watts(-250));
  EXPECT_EQ(Watts(), Watts(0));
}

TEST(Quantity, RatioOfTheSameUnitIsANumber) {
  const double ratio = Watts(300) / Watts(400);
  EXPECT_EQ(ratio, 0.75);
}

TEST(Quantity, UnknownIsNeitherAboveNorBelowNorEqual) {
  const Watts unknown(std::numeric_limits<double>::quiet_NaN());
  EXPECT_FALSE(unknown > Watts(400));
  EXPECT_FALSE(unknown < Watts(400));
  EXPECT_FALSE(unknown == unknown);
  EXPECT_TRUE(std::isnan((unknown + Watts(1)).value()));
}

TEST(Quantity, PowerTimesTimeIsEnergy) {
  EXPECT_EQ(Watts(250) * Seconds(8), Joules(2000));
  EXPECT_EQ(Seconds(8) * Watts(250), Joules(2000));
  EXPECT_EQ(Joules(2000) / Seconds(8), Watts(250));
  EXPECT_EQ(to_kwh(Watts(1000) * Seconds(3600)), 1.0);  // a kilowatt for an hour
}

TEST(Quantity, NanosRoundToTheNearest) {
  EXPECT_EQ(to_nanos(Seconds(1.5)).count(), 1'500'000'000);
  EXPECT_EQ(to_nanos(Seconds(0.1)).count(), 100'000'000);  // 0.1 is a little more than a tenth in binary
  EXPECT_EQ(to_nanos(Seconds(1.6e-9)).count(), 2);
  EXPECT_EQ(to_nanos(Seconds(1.4e-9)).count(), 1);
  EXPECT_EQ(to_nanos(Seconds(-1.6e-9)).count(), -2);
  EXPECT_EQ(to_nanos(Seconds(-1.5)).count(), -1'500'000'000);
  EXPECT_EQ(to_seconds(Nanos(500'000'000)), Seconds(0.5));
}

}  // namespace
}  // namespace wattrein
