#include "trace/sensor_log.h"

#include <gtest/gtest.h>

#include "trace/whole_second_clock.h"

namespace wattrein::trace {
namespace {

TEST(SensorScope, JudgesByTheWordsOfTheName) {
  using enum SensorScope;
  const std::vector<std::pair<const char*, SensorScope>> names{
      {"Pwr Consumption", node},
      {"PW Consumption", node},
      {"System Level", node},
      {"Power Meter", node},
      {"Total_Power", node},
      {"PSU_Total_Power", node},
      {"SYS_POWER", node},
      {"SystemInputPower", node},
      {"PowerConsumedWatts", node},
      {"SystemOutputPower", node_output},
      {"PSU1 Input Power", supply_input},
      {"PSU2_PIN", supply_input},
      {"PS1InputPower", supply_input},
      {"PSU1_POUT", supply_output},
      {"Power Supply 1", supply},
      {"CPU1 Power", part},
      {"TotalCPUPower", part},
      {"HGX_GPU_SXM_1_Power_0", part},
      {"System Power Limit", no_draw},
      {"Power Peak", no_draw},
      {"PowerCapacityWatts", no_draw},
      {"MaxConsumedWatts", no_draw},
      {"Aux", other},
  };
  for (const auto& [name, scope] : names) EXPECT_EQ(scope_of(name), scope) << name;
}

TEST(WholeSecondClock, KeepsTheCountWithinTheStampsSecond) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  WholeSecondClock clock;
  EXPECT_EQ(clock.next(10 * kSecond, 400'000'000), 10 * kSecond);
  EXPECT_EQ(clock.next(10 * kSecond, 400'000'000), 10 * kSecond + 400'000'000);
  EXPECT_EQ(clock.next(10 * kSecond, 400'000'000), 10 * kSecond + 800'000'000);
  EXPECT_EQ(clock.next(10 * kSecond, 400'000'000), 11 * kSecond - 1);  // no later than its second
  EXPECT_EQ(clock.next(15 * kSecond, 400'000'000), 15 * kSecond);      // a gap
  EXPECT_EQ(clock.next(3 * kSecond, 400'000'000), 4 * kSecond - 1);    // a clock set back
}

}  // namespace
}  // namespace wattrein::trace
