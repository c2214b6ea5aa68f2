#include "plant/plant.h"

#include <gtest/gtest.h>
#include <algorithm>

#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

namespace wattrein::plant {
namespace {

// The reference plant over 160 simulated hours at each of three levels: 1.15 million samples, about 1 s in all.
struct LongRun {
  double mean = 0.0;
  double sd = 0.0;
  double lag1 = 0.0;
  double over_rate = 0.0;
  double tokens_per_s = 0.0;
  double pair_correlation = 0.0;  ///< of the fast parts, mean over the six pairs
};

LongRun long_run(int level) {
  constexpr int kSamples = 160 * 7200;
  const Model model = prepare(Params{});
  Rng rng(7, static_cast<std::uint64_t>(level));
  Noise noise;
  draw(model, rng, noise);
  State s = start(model, level, noise);
  std::vector<double> x;
  x.reserve(kSamples);
  double squares = 0.0;
  double products = 0.0;
  int over = 0;
  for (int i = 0; i < kSamples; ++i) {
    step(model, s, rng);
    x.push_back(s.sum_w);
    over += s.sum_w > model.params.limit.value() ? 1 : 0;
    const double known = model.gpu_level_w[static_cast<std::size_t>(level - 1)] + model.slow_gpu_w * s.slow;
    for (std::size_t a = 0; a < 4; ++a) {
      squares += (s.gpu_w[a] - known) * (s.gpu_w[a] - known);
      for (std::size_t b = a + 1; b < 4; ++b) products += (s.gpu_w[a] - known) * (s.gpu_w[b] - known);
    }
  }
  LongRun r;
  for (const double v : x) r.mean += v / kSamples;
  double lagged = 0.0;
  double variance = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    variance += (x[i] - r.mean) * (x[i] - r.mean) / kSamples;
    if (i > 0) lagged += (x[i] - r.mean) * (x[i - 1] - r.mean) / kSamples;
  }
  r.sd = std::sqrt(variance);
  r.lag1 = lagged / variance;
  r.over_rate = static_cast<double>(over) / kSamples;
  r.tokens_per_s = s.tokens / (0.5 * kSamples);
  r.pair_correlation = (products / 6.0) / (squares / 4.0);
  return r;
}

const LongRun& at(int level) {
  static const LongRun one = long_run(1);
  static const LongRun four = long_run(4);
  static const LongRun eight = long_run(8);
  return level == 1 ? one : level == 4 ? four : eight;
}

// Monte-Carlo errors: the fast noise has an integrated correlation of (1 + 0.74)/(1 - 0.74) = 6.7 samples, so
// 1.15 M samples are worth 172,000; the slow one 160 h / (2 * 180 s) = 1600. The mean's error is therefore
// 42 sqrt(0.95/172000 + 0.05/1600) = 0.25 W; sd and rate inherit the like. Bounds below are four times that or more.
TEST(ReferencePlant, ViolatesAsThePublishedUncontrolledJobDoes) {
  EXPECT_NEAR(at(8).over_rate, 0.177, 0.015);
  EXPECT_LT(at(4).over_rate, 0.005);
}

TEST(ReferencePlant, HasThePublishedAuthorityOverPowerAndTokens) {
  EXPECT_NEAR(1.0 - at(1).mean / at(8).mean, 0.225, 0.015);
  EXPECT_NEAR(at(8).tokens_per_s / at(1).tokens_per_s, 5.2, 0.3);
}

TEST(ReferencePlant, HasTheAssumedSpreadAndAutocorrelation) {
  EXPECT_NEAR(at(8).mean, 1200.0, 1.0);
  EXPECT_NEAR(at(4).mean, 0.933 * 1200.0, 1.0);
  EXPECT_NEAR(at(8).sd, 42.0, 0.6);
  EXPECT_NEAR(at(1).sd, 42.0, 0.6);  // the noise does not depend on the level
  // 0.95 * 0.74 + 0.05 * exp(-0.5/180) = 0.703 + 0.0499
  EXPECT_NEAR(at(8).lag1, 0.753, 0.004);
}

TEST(ReferencePlant, CorrelatesEveryPairOfGpusAlike) { EXPECT_NEAR(at(8).pair_correlation, -0.13, 0.03); }

TEST(ReferencePlant, LimitIsWhatTheUncontrolledRateAsksFor) {
  const Params p;
  EXPECT_EQ(limit_for_uncontrolled_rate(mean_at_max(p), sigma(p)), p.limit);
  EXPECT_DOUBLE_EQ(limit_for_uncontrolled_rate(Watts(40.0), Watts(5.0)).value(), 44.6);  // 40 + 4.6343
  // P(Z > (1239 - 1200)/42) = P(Z > 0.92857) = erfc(0.92857/sqrt 2)/2 = 0.17656
  EXPECT_NEAR(0.5 * std::erfc((p.limit - mean_at_max(p)) / sigma(p) / std::sqrt(2.0)), 0.177, 0.001);
}

// Two GPUs of 100 W, sum sd 0.1 * 200 = 20 W: slow 0.36 of the variance = 12 W, 6 W a GPU; fast 16 W on the sum, so
// with r = -0.5: s^2 = 256 / (2 * 0.5), s = 16; weights 16 sqrt(1.5) = 19.59592 and 16 sqrt(0.5) = 11.31371. With all
// memories 0.6 (new noise enters with 0.8), z = (1, -1), d = 0.5 and noise (0, 1), 1:
// z' = (0.6, 0.2), m = 0.4, d' = 0.3 + 0.8 = 1.1; P1 = 100 + 6.6 + 4.525483 + 3.919184, P2 = ... - 3.919184.
TEST(Step, MatchesAHandWorkedOne) {
  Params p;
  p.gpus = 2;
  p.gpu_mean = Watts(100.0);
  p.sigma_of_max = 0.1;
  p.slow_share = 0.36;
  p.slow_tau = Seconds(-0.5 / std::log(0.6));
  p.ar1 = 0.6;
  p.correlation = -0.5;
  const Model model = prepare(p);
  Noise noise;
  noise.fast[0] = 1.0;
  noise.fast[1] = -1.0;
  noise.slow = 0.5;
  State s = start(model, 8, noise);
  noise.fast[0] = 0.0;
  noise.fast[1] = 1.0;
  noise.slow = 1.0;
  step(model, s, noise);
  EXPECT_NEAR(s.gpu_w[0], 115.044667, 1e-5);
  EXPECT_NEAR(s.gpu_w[1], 107.206299, 1e-5);
  EXPECT_NEAR(s.sum_w, 222.250966, 1e-5);
  // 10 * 8 / (1 + 8/12) = 48 tokens/s, half a second of it
  EXPECT_DOUBLE_EQ(s.tokens, 24.0);
}

std::vector<int> levels_after_command(Nanos delay) {
  Params p;
  p.knob_delay = delay;
  const Model model = prepare(p);
  State s = start(model, 8, Noise{});
  command(model, s, 3);
  std::vector<int> levels;
  for (int i = 0; i < 4; ++i) {
    step(model, s, Noise{});
    levels.push_back(s.level);
  }
  return levels;
}

TEST(Step, KnobActsFromTheNextSampleOrAfterItsDelay) {
  EXPECT_EQ(levels_after_command(Nanos{0}), (std::vector<int>{3, 3, 3, 3}));
  EXPECT_EQ(levels_after_command(std::chrono::seconds(1)), (std::vector<int>{8, 8, 3, 3}));
  EXPECT_EQ(levels_after_command(std::chrono::milliseconds(700)), (std::vector<int>{8, 8, 3, 3}));  // rounded up
}

TEST(Step, NoiseDoesNotDependOnTheKnob) {
  const Model model = prepare(Params{});
  Rng a(3);
  Rng b(3);
  State x = start(model, 8, Noise{});
  State y = start(model, 2, Noise{});
  for (int i = 0; i < 1000; ++i) {
    if (i == 500) command(model, y, 5);
    step(model, x, a);
    step(model, y, b);
    const double apart = i < 500 ? 1.0 - 0.846 : 1.0 - 0.959;
    ASSERT_NEAR(x.sum_w - y.sum_w, apart * 1200.0, 1e-9);
  }
}

TEST(Step, PowerIsNeverNegative) {
  Params p;
  p.gpus = 1;
  p.sigma_of_max = 2.0;
  const Model model = prepare(p);
  Rng rng(1);
  State s = start(model, 8, Noise{});
  double lowest = 1.0;
  for (int i = 0; i < 1000; ++i) {
    step(model, s, rng);
    lowest = std::min(lowest, s.sum_w);
  }
  EXPECT_EQ(lowest, 0.0);
}

TEST(Params, AreAllInTheDocument) {
  std::ifstream file("docs/plants.md");
  ASSERT_TRUE(file) << "run from the source root";
  std::stringstream text;
  text << file.rdbuf();
  for (const ParamInfo& info : param_table()) {
    EXPECT_NE(text.str().find("`" + std::string(info.name) + "`"), std::string::npos) << info.name;
  }
}

TEST(Params, SourcesCanBeOverridden) {
  const std::vector<SourceOverride> overrides{{"gpu_mean", "taken from x.csv"}};
  const auto lines = describe(Params{}, overrides);
  EXPECT_EQ(lines.size(), param_table().size());
  EXPECT_EQ(lines[2], "gpu_mean = 300 W: taken from x.csv");
  EXPECT_EQ(lines[0], "gpus = 4: published");
}

}  // namespace
}  // namespace wattrein::plant
