#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/fs_root.h"

namespace wattrein {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ManualClock, MovesOnlyWhenToldAndWallTimeFollows) {
  ManualClock clock(1'000);
  EXPECT_EQ(clock.now(), Nanos(0));
  EXPECT_EQ(clock.wall_unix_ns(), 1'000);
  clock.advance(Nanos(5));
  EXPECT_EQ(clock.now(), Nanos(5));
  EXPECT_EQ(clock.wall_unix_ns(), 1'005);
}

TEST(ManualClock, SleepingArrivesAtTheDeadlineAndNeverGoesBack) {
  ManualClock clock;
  clock.sleep_until(seconds(3));
  EXPECT_EQ(clock.now(), seconds(3));
  clock.sleep_until(seconds(1));
  EXPECT_EQ(clock.now(), seconds(3));
}

TEST(AcceleratedClock, StartsAtZeroAndRunsFactorTimesAsFast) {
  ManualClock base(7'000);
  base.advance(seconds(100));
  AcceleratedClock fast(base, 20);
  EXPECT_EQ(fast.now(), Nanos(0));
  EXPECT_EQ(fast.wall_unix_ns(), base.wall_unix_ns());
  base.advance(milliseconds(500));
  EXPECT_EQ(fast.now(), seconds(10));
  EXPECT_EQ(fast.wall_unix_ns(), 7'000 + 110'000'000'000);
}

TEST(AcceleratedClock, SleepsAFactorthOfTheTime) {
  ManualClock base;
  base.advance(seconds(100));
  AcceleratedClock fast(base, 4);
  fast.sleep_until(seconds(8));
  EXPECT_EQ(base.now(), seconds(102));
  EXPECT_EQ(fast.now(), seconds(8));
  fast.sleep_until(seconds(4));  // has passed
  EXPECT_EQ(base.now(), seconds(102));
}

TEST(AcceleratedClock, MayAlsoBeSlower) {
  ManualClock base;
  AcceleratedClock slow(base, 0.5);
  base.advance(seconds(10));
  EXPECT_EQ(slow.now(), seconds(5));
}

TEST(AcceleratedClock, FactorsStandOnEachOther) {
  ManualClock base;
  AcceleratedClock fast(base, 10);
  AcceleratedClock faster(fast, 6);
  base.advance(seconds(1));
  EXPECT_EQ(faster.now(), seconds(60));
}

TEST(AcceleratedClockDeathTest, RefusesAFactorThatIsNoSpeed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  ManualClock base;
  EXPECT_DEATH(AcceleratedClock(base, 0), "internal error: factor > 0 does not hold");
}

TEST(RealClock, NeverGoesBackAndSleepingIntoThePastReturns) {
  RealClock clock;
  const Nanos start = clock.now();
  clock.sleep_until(start);
  EXPECT_GE(clock.now(), start);
  EXPECT_GT(clock.wall_unix_ns(), 1'577'836'800'000'000'000);  // 2020-01-01
}

TEST(FsRoot, StandsForTheSlashOfAbsolutePathsOnly) {
  const FsRoot fake("/tmp/machine");
  EXPECT_EQ(fake.path("/proc/stat"), "/tmp/machine/proc/stat");
  EXPECT_EQ(fake.path("//proc/stat"), "/tmp/machine/proc/stat");
  EXPECT_EQ(fake.path("power.csv"), "power.csv");
  EXPECT_EQ(FsRoot().path("/proc/stat"), "/proc/stat");
}

}  // namespace
}  // namespace wattrein
