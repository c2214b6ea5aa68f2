#include "trace/interleaved.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"

namespace wattrein::trace {
namespace {

/// `n` readings: source i % levels.size() at its level with `spread` of uniform noise, at `offsets_ns` within each
/// second.
Series turns(std::size_t n, const std::vector<double>& levels, double spread,
             const std::vector<std::int64_t>& offsets_ns) {
  Rng rng(3);
  Series s;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t source = i % levels.size();
    s.time_ns.push_back(static_cast<std::int64_t>(i / levels.size()) * 1'000'000'000 + offsets_ns[source]);
    s.power_w.push_back(levels[source] + spread * (rng.uniform() - 0.5));
  }
  return s;
}

TEST(Interleaved, SeesMachinesThatTakeTurns) {
  const auto two = interleaved(turns(120, {300, 200}, 30, {0, 400'000'000}));
  ASSERT_TRUE(two);
  EXPECT_EQ(two->sources, 2);
  EXPECT_NEAR(two->first.value(), 300, 10);
  EXPECT_NEAR(two->second.value(), 200, 10);
  const auto three = interleaved(turns(300, {300, 200, 700}, 30, {0, 100'000'000, 500'000'000}));
  ASSERT_TRUE(three);
  EXPECT_EQ(three->sources, 3);
  EXPECT_TRUE(interleaved(turns(400'000, {300, 200}, 20, {0, 500'000'000}))) << "evenly, and far apart";
}

TEST(Interleaved, SeesThemBehindReadingsThatWereLost) {
  Series s = turns(120, {300, 200}, 30, {0, 400'000'000});
  for (const int lost : {100, 71, 30}) {
    s.time_ns.erase(s.time_ns.begin() + lost);
    s.power_w.erase(s.power_w.begin() + lost);
  }
  s.power_w[50] = std::nan("");
  EXPECT_TRUE(interleaved(s));
}

TEST(Interleaved, LeavesOneDeviceAlone) {
  EXPECT_FALSE(interleaved(turns(120, {300}, 100, {0}))) << "noise";
  EXPECT_FALSE(interleaved(turns(120, {300, 302}, 1, {0, 400'000'000}))) << "a little pattern";
  EXPECT_FALSE(interleaved(turns(120, {300, 260}, 50, {0, 500'000'000}))) << "hidden in noise, at even stamps";
  EXPECT_FALSE(interleaved(turns(20, {300, 200}, 30, {0, 400'000'000}))) << "too few to tell";
  Series cycle;  // 10 s of work and 10 s of rest, a reading a second
  for (int i = 0; i < 400; ++i) {
    cycle.time_ns.push_back(i * std::int64_t{1'000'000'000});
    cycle.power_w.push_back(i / 10 % 2 == 0 ? 300 : 100);
  }
  EXPECT_FALSE(interleaved(cycle));
  EXPECT_FALSE(interleaved(turns(400, {300, 100, 200}, 5, {0, 333'333'333, 666'666'667}))) << "a load's own cycle";
  EXPECT_FALSE(interleaved(Series{}));
}

TEST(Interleaved, IsSaidOnceForAllDevices) {
  Series a = turns(120, {300, 200}, 30, {0, 400'000'000});
  a.device.name = "gpu0";
  const auto said = interleaved_warning({turns(120, {300}, 30, {0}), a, a, a});
  ASSERT_TRUE(said);
  EXPECT_EQ(said->find("Readings of device 'gpu0' and of 2 others come in turns of 2 (30"), 0U) << *said;
  EXPECT_FALSE(interleaved_warning({turns(120, {300}, 30, {0})}));
}

}  // namespace
}  // namespace wattrein::trace
