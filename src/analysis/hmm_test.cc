#include "analysis/hmm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"

namespace wattrein::analysis {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

struct Log {
  std::vector<std::int64_t> time_ns;
  std::vector<double> power_w;
  [[nodiscard]] trace::Steps steps() const {
    return {.time_ns = time_ns, .power = power_w, .last_hold_ns = kSecond, .median_period = Nanos(kSecond)};
  }
};

LevelModel some_model(std::size_t states) {
  LevelModel model;
  model.scale = {.wide_sd_w = 60.0, .floor_sd_w = 0.1};
  for (std::size_t k = 0; k < states; ++k) {
    const auto d = static_cast<double>(k);
    model.states.push_back(
        {.mean_w = 100.0 + 25.0 * d, .sd_w = 12.0 - 3.0 * d, .step_sd_w = 9.0 - 2.0 * d, .correlation = 0.6 - 0.3 * d});
  }
  for (std::size_t i = 0; i < states * states; ++i) model.log_switch.push_back(-1.0 - 0.3 * static_cast<double>(i));
  for (std::size_t k = 0; k < states; ++k) model.log_start.push_back(-0.5 * static_cast<double>(k));
  return model;
}

/// The model of hmm.h written out term by term, for one given path.
double score(const Log& log, const LevelModel& model, const std::vector<std::int16_t>& path) {
  const auto density = [&](double u, double sd) {
    const double wide = model.scale.wide_sd_w;
    return std::max(std::log(0.99 / sd) - u * u / (2 * sd * sd), std::log(0.01 / wide) - u * u / (2 * wide * wide));
  };
  double total = 0.0;
  for (std::size_t t = 0; t < path.size(); ++t) {
    const auto k = static_cast<std::size_t>(path[t]);
    const LevelState& s = model.states[k];
    const double e = log.power_w[t] - s.mean_w;
    if (t > 0 && path[t] == path[t - 1]) {
      total += density(e - s.correlation * (log.power_w[t - 1] - s.mean_w), s.step_sd_w);
      continue;
    }
    total += density(e, s.sd_w);
    total += t == 0 ? model.log_start[k] : model.log_switch[static_cast<std::size_t>(path[t - 1]) * model.size() + k];
  }
  return total;
}

bool dwells(const trace::Steps& steps, const std::vector<std::int16_t>& path, std::int64_t dwell) {
  std::size_t first = 0;
  for (std::size_t t = 1; t <= path.size(); ++t) {
    if (t < path.size() && path[t] == path[first]) continue;
    if (steps.end(t - 1) - steps.begin(first) < dwell) return false;
    first = t;
  }
  return true;
}

TEST(BestPath, IsTheBestOfAllPathsThatKeepTheDwell) {
  Rng rng(11);
  int changes = 0;
  for (int round = 0; round < 200; ++round) {
    const std::size_t states = 2 + rng.below(2);
    const std::size_t n = 1 + rng.below(8);
    Log log;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      log.time_ns.push_back(at);
      log.power_w.push_back(90.0 + 70.0 * rng.uniform());
      at += static_cast<std::int64_t>(rng.below(4)) * kSecond / 2;  // irregular, with equal stamps
    }
    const auto steps = log.steps();
    const std::int64_t dwell = static_cast<std::int64_t>(rng.below(4)) * kSecond;
    const LevelModel model = some_model(states);

    double best = -std::numeric_limits<double>::infinity();
    std::vector<std::int16_t> path(n, 0);
    std::vector<std::int16_t> best_of_all;
    const auto paths = static_cast<std::size_t>(std::pow(states, n) + 0.5);
    for (std::size_t code = 0; code < paths; ++code) {
      std::size_t rest = code;
      for (auto& k : path) {
        k = static_cast<std::int16_t>(rest % states);
        rest /= states;
      }
      const bool one_stay = std::ranges::all_of(path, [&](std::int16_t k) { return k == path.front(); });
      if (!one_stay && !dwells(steps, path, dwell)) continue;
      if (const double s = score(log, model, path); s > best) {
        best = s;
        best_of_all = path;
      }
    }
    const auto runs = known_runs(steps);
    ASSERT_EQ(runs.size(), 1U);
    const Path found = best_path(steps, runs, model, Nanos(dwell));
    EXPECT_NEAR(found.log_likelihood, best, 1e-9) << round;
    EXPECT_EQ(found.state, best_of_all) << round;
    for (std::size_t t = 1; t < n; ++t) changes += best_of_all[t] != best_of_all[t - 1] ? 1 : 0;
  }
  EXPECT_GT(changes, 50);  // the rounds do exercise changes of state
}

TEST(KnownRuns, EndAtUnknownSamplesAndWhereTheHoldRunsOut) {
  Log log{.time_ns = {0, kSecond, 2 * kSecond, 9 * kSecond, 10 * kSecond, 11 * kSecond},
          .power_w = {1, 2, 3, 4, std::nan(""), 5}};
  trace::Steps steps = log.steps();
  steps.max_hold_ns = 3 * kSecond;
  const auto runs = known_runs(steps);
  ASSERT_EQ(runs.size(), 3U);
  EXPECT_EQ(runs[0].first, 0U);
  EXPECT_EQ(runs[0].last, 3U);
  EXPECT_EQ(runs[1].first, 3U);
  EXPECT_EQ(runs[1].last, 4U);
  EXPECT_EQ(runs[2].first, 5U);
  EXPECT_EQ(runs[2].last, 6U);
}

TEST(FitLevels, RecoversLevelsAndNoise) {
  Rng rng(3);
  Log log;
  double noise = rng.normal();
  for (int i = 0; i < 20'000; ++i) {
    noise = 0.74 * noise + std::sqrt(1.0 - 0.74 * 0.74) * rng.normal();
    log.time_ns.push_back(i * kSecond / 2);
    log.power_w.push_back((i / 50 % 2 == 0 ? 100.0 : 300.0) + 20.0 * noise);
  }
  trace::Steps steps = log.steps();
  steps.median_period = Nanos(kSecond / 2);
  const auto runs = known_runs(steps);
  const auto fit = fit_levels(steps, runs, {50.0, 400.0}, noise_scale(steps, runs), Nanos(2 * kSecond));
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->model.states[0].mean_w, 100.0, 3.0);
  EXPECT_NEAR(fit->model.states[1].mean_w, 300.0, 3.0);
  for (const LevelState& state : fit->model.states) {
    EXPECT_NEAR(state.sd_w, 20.0, 1.0);
    EXPECT_NEAR(state.correlation, 0.74, 0.03);
    EXPECT_NEAR(state.step_sd_w, 20.0 * std::sqrt(1.0 - 0.74 * 0.74), 0.7);
  }
}

}  // namespace
}  // namespace wattrein::analysis
