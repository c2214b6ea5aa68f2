#include "analysis/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/test_cycles.h"
#include "base/rng.h"
#include "base/text.h"

namespace wattrein::analysis {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

trace::Series half_second_series(std::vector<double> power_w) {
  trace::Series s;
  s.power_w = std::move(power_w);
  for (std::size_t i = 0; i < s.power_w.size(); ++i) s.time_ns.push_back(static_cast<std::int64_t>(i) * kSecond / 2);
  return s;
}

Phases found_in(const trace::Series& series, const PhaseOptions& options = {}) {
  return find_phases(steps_of(series, {}), options);
}

// Separations of the nearest levels, in noise sds while generating: 12, 5, 3 (update above), 10, 4, 2.6 (below).
TEST(FindPhases, MatchLabelsOfCyclesAtThreeNoiseLevels) {
  for (const double update_w : {377.0, 150.0}) {
    for (const double noise_sd_w : {10.0, 25.0, 40.0}) {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        const trace::Series series = cycle_trace({.update_w = update_w, .noise_sd_w = noise_sd_w}, seed);
        const Phases phases = found_in(series);
        EXPECT_EQ(phases.levels.size(), 3U) << update_w << " W, noise " << noise_sd_w << " W, seed " << seed;
        EXPECT_GE(balanced_accuracy(series.phase, phases.of_sample, 3), 0.90)
            << update_w << " W, noise " << noise_sd_w << " W, seed " << seed;
      }
    }
  }
}

TEST(FindPhases, MatchLabelsWhateverThePeriod) {
  for (const double period_s : {0.1, 1.0}) {
    const trace::Series series = cycle_trace({.period_s = period_s, .noise_sd_w = 25.0}, 21);
    EXPECT_GE(balanced_accuracy(series.phase, found_in(series).of_sample, 3), 0.95) << period_s;
  }
}

TEST(FindPhases, TakeANoisyLevelForOne) {
  for (const double correlation : {0.0, 0.74, 0.9, 0.97}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Rng rng(seed);
      std::vector<double> power_w;
      double noise = rng.normal();
      for (int i = 0; i < 4000; ++i) {
        noise = correlation * noise + std::sqrt(1.0 - correlation * correlation) * rng.normal();
        power_w.push_back(253.0 + 40.0 * noise);
      }
      EXPECT_EQ(found_in(half_second_series(power_w)).levels.size(), 1U) << correlation << ", seed " << seed;
    }
  }
}

TEST(FindPhases, TakeASlowDriftOfSomePerCentForOneLevel) {
  Rng rng(5);
  std::vector<double> power_w;
  for (int i = 0; i < 4000; ++i) power_w.push_back(400.0 + 32.0 * i / 4000.0 + 5.0 * rng.normal());  // 8 %
  EXPECT_EQ(found_in(half_second_series(power_w)).levels.size(), 1U);
}

TEST(FindPhases, MakeNoLevelOfSpikes) {
  Rng rng(6);
  std::vector<double> power_w;
  for (int i = 0; i < 2000; ++i) power_w.push_back(250.0 + 10.0 * rng.normal());
  for (std::size_t i = 37; i < power_w.size(); i += 97) power_w[i] = 600.0;
  EXPECT_EQ(found_in(half_second_series(power_w)).levels.size(), 1U);

  // Beside real levels they neither make one nor end a stay.
  for (std::size_t i = 0; i < power_w.size(); ++i)
    if (i / 100 % 2 == 1) power_w[i] -= 150.0;
  const Phases phases = found_in(half_second_series(power_w));
  ASSERT_EQ(phases.levels.size(), 2U);
  EXPECT_EQ(phases.stretches.size(), 20U);
}

TEST(FindPhases, PutAChangeHalfwayUpARamp) {
  std::vector<double> power_w(200, 100.0);
  for (int i = 0; i < 20; ++i) power_w.push_back(100.0 + 300.0 * (i + 1) / 21.0);
  power_w.insert(power_w.end(), 200, 400.0);
  Rng rng(4);
  for (std::size_t i = 0; i < power_w.size(); ++i) power_w[i] += (i < 200 ? 0.5 : 8.0) * rng.normal();
  trace::Series series = half_second_series(power_w);
  for (auto& t : series.time_ns) t /= 5;  // 10 Hz: the ramp is from 20 s to 22 s
  const Phases phases = found_in(series);
  ASSERT_EQ(phases.levels.size(), 2U);  // the ramp is no level
  ASSERT_EQ(phases.stretches.size(), 2U);
  EXPECT_NEAR(static_cast<double>(phases.stretches[1].start.count()) * 1e-9, 21.0, 0.2);
}

TEST(FindPhases, KeepTheDwell) {
  const Phases phases = found_in(cycle_trace({.noise_sd_w = 40.0}, 8), {.min_dwell = std::chrono::seconds(4)});
  ASSERT_GT(phases.stretches.size(), 10U);
  for (const PhaseStretch& s : phases.stretches) EXPECT_GE((s.end - s.start).count(), 4 * kSecond);
}

TEST(FindPhases, SayWhatALevelAmountsTo) {
  std::vector<double> power_w;
  for (int i = 0; i < 120; ++i) power_w.push_back((i / 20 % 2 == 0 ? 300.0 : 100.0) + (i % 2 == 0 ? 1.0 : -1.0));
  const Phases phases = found_in(half_second_series(power_w));
  EXPECT_FALSE(phases.from_labels);
  ASSERT_EQ(phases.levels.size(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    const PhaseLevel& level = phases.levels[k];
    EXPECT_EQ(level.name, k == 0 ? "level 1" : "level 2");
    EXPECT_DOUBLE_EQ(level.mean.value(), k == 0 ? 100.0 : 300.0);
    EXPECT_DOUBLE_EQ(level.sd.value(), 1.0);
    EXPECT_EQ(level.time.count(), 30 * kSecond);
    EXPECT_DOUBLE_EQ(level.share, 0.5);
    EXPECT_EQ(level.visits, 3);
  }
  EXPECT_EQ(phases.stretches.size(), 6U);
  EXPECT_EQ(phases.stretches[1].start.count(), 10 * kSecond);
  EXPECT_EQ(phases.stretches[1].level, 0);
}

TEST(FindPhases, LeaveUnknownTimeOut) {
  std::vector<double> power_w(100, 200.0);
  power_w[50] = std::nan("");
  trace::Series series = half_second_series(power_w);
  for (std::size_t i = 80; i < 100; ++i) series.time_ns[i] += 100 * kSecond;  // holds 1.5 s after 39.5 s
  const Phases phases = found_in(series);
  ASSERT_EQ(phases.levels.size(), 1U);
  EXPECT_EQ(phases.of_sample[50], -1);
  EXPECT_EQ(phases.of_sample[51], 0);
  ASSERT_EQ(phases.stretches.size(), 3U);
  EXPECT_EQ(phases.stretches[0].end.count(), 25 * kSecond);
  EXPECT_EQ(phases.stretches[1].end.count(), 41 * kSecond);
  EXPECT_EQ(phases.levels[0].time.count(), (25 * 2 + 31 + 20) * kSecond / 2);
  EXPECT_DOUBLE_EQ(phases.levels[0].share, 1.0);
}

TEST(FindPhases, SurviveDegenerateInput) {
  const double unknown = std::nan("");
  EXPECT_TRUE(found_in(half_second_series({})).levels.empty());

  const Phases none = found_in(half_second_series({unknown, unknown, unknown}));
  EXPECT_TRUE(none.levels.empty());
  EXPECT_TRUE(none.stretches.empty());
  EXPECT_EQ(none.of_sample, (std::vector<std::int16_t>{-1, -1, -1}));

  std::vector<double> spike(100, 100.0);
  spike[40] = 400.0;
  const std::vector<std::vector<double>> one_level{{250.0},
                                                   {250.0, 260.0},
                                                   {0.0, 0.0, 0.0},
                                                   {unknown, 80.0},
                                                   {80.0, unknown},
                                                   spike,
                                                   std::vector<double>(1000, 86.0)};
  for (const auto& power_w : one_level) {
    const Phases phases = found_in(half_second_series(power_w));
    ASSERT_EQ(phases.levels.size(), 1U) << power_w.size();
    EXPECT_TRUE(std::isfinite(phases.levels[0].mean.value()));
    EXPECT_TRUE(std::isfinite(phases.levels[0].sd.value()));
    EXPECT_DOUBLE_EQ(phases.levels[0].share, 1.0);
  }
  trace::Series same_stamp = half_second_series({100.0, 300.0, 100.0, 300.0});
  std::ranges::fill(same_stamp.time_ns, 0);
  EXPECT_FALSE(found_in(same_stamp).levels.empty());
  const trace::Series cycles = cycle_trace({.steps = 5}, 1);
  EXPECT_EQ(found_in(cycles, {.max_states = 0}).levels.size(), 1U);
  EXPECT_EQ(found_in(cycles, {.min_dwell = Nanos::max()}).levels.size(), 1U);
  EXPECT_FALSE(found_in(cycles, {.min_dwell = Nanos(0)}).levels.empty());
}

TEST(FindPhases, AreTheSameEachTime) {
  const trace::Series series = cycle_trace({.noise_sd_w = 40.0}, 9);
  EXPECT_EQ(found_in(series).of_sample, found_in(series).of_sample);
}

TEST(FindPhases, ApplyWhatPiecesOfALongTraceShow) {
  const trace::Series series = cycle_trace({.steps = 3000, .noise_sd_w = 25.0}, 2);
  ASSERT_GT(series.size(), 250'000U);
  EXPECT_GE(balanced_accuracy(series.phase, found_in(series).of_sample, 3), 0.98);
}

TEST(LabelledPhases, FollowTheLabels) {
  trace::Series series = half_second_series({100, 110, 300, 310, std::nan(""), 90, 95, 400});
  series.phase = {2, 2, 0, 0, 0, 2, 2, -1};
  const Phases phases = labelled_phases(series, {"update", "never", "idle"}, steps_of(series, {}));
  EXPECT_TRUE(phases.from_labels);
  EXPECT_EQ(phases.of_sample, (std::vector<std::int16_t>{1, 1, 0, 0, -1, 1, 1, -1}));
  ASSERT_EQ(phases.levels.size(), 2U);
  EXPECT_EQ(phases.levels[0].name, "update");
  EXPECT_DOUBLE_EQ(phases.levels[0].mean.value(), 305.0);
  EXPECT_DOUBLE_EQ(phases.levels[0].sd.value(), 5.0);
  EXPECT_EQ(phases.levels[1].name, "idle");
  EXPECT_DOUBLE_EQ(phases.levels[1].mean.value(), 98.75);  // (100 + 110 + 90 + 95) / 4
  EXPECT_EQ(phases.levels[1].visits, 2);
  EXPECT_DOUBLE_EQ(phases.levels[1].share, 2.0 / 3.0);
  EXPECT_EQ(phases.stretches.size(), 3U);
}

std::filesystem::path shared_trace(const std::string& name) {
  const char* const root = std::getenv("WATTREIN_SHARED");
  return std::filesystem::path(root != nullptr ? root : "../shared") / "traces" / name;
}

// Loading ends between 15 s and 17 s after the first sample: power climbs from 118 W at 15.1 s to 410 W at 17.3 s.
TEST(FindPhases, FindTheStartOfComputingInARealLog) {
  std::ifstream file(shared_trace("54_h100x8-tp-pp-train-node0-10hz.csv"));
  if (!file) GTEST_SKIP() << "the real log is not here (../shared/traces, or $WATTREIN_SHARED/traces)";
  std::map<std::string, trace::Series> devices;
  std::string line;
  std::optional<double> origin_s;
  while (std::getline(file, line)) {  // timestamp,phase,gpu,gpu_model,power_w,...
    std::vector<std::string> cells;
    for (std::size_t at = 0; at <= line.size() && cells.size() < 5;) {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      cells.push_back(line.substr(at, comma - at));
      at = comma + 1;
    }
    const auto at_s = cells.size() == 5 ? parse_double(cells[0]) : std::nullopt;
    const auto power_w = cells.size() == 5 ? parse_double(cells[4]) : std::nullopt;
    if (!at_s || !power_w) continue;
    if (!origin_s) origin_s = at_s;
    devices[cells[2]].time_ns.push_back(std::llround((*at_s - *origin_s) * 1e9));
    devices[cells[2]].power_w.push_back(*power_w);
  }
  ASSERT_EQ(devices.size(), 8U);
  for (const auto& [name, series] : devices) {
    const Phases phases = found_in(series);
    ASSERT_GE(phases.levels.size(), 2U) << name;
    const PhaseStretch& computing = phases.stretches.back();
    EXPECT_EQ(computing.level, static_cast<int>(phases.levels.size()) - 1) << name;
    EXPECT_NEAR(static_cast<double>(computing.start.count()) * 1e-9, 16.0, 1.0) << name;
  }
}

}  // namespace
}  // namespace wattrein::analysis
