#include "plant/plant.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace wattrein::plant {

Model prepare(const Params& params) {
  const double k = params.gpus;
  WATTREIN_CHECK(params.gpus >= 1 && params.gpus <= kMaxGpus);
  WATTREIN_CHECK(params.levels >= 1 && params.levels <= kMaxLevels);
  WATTREIN_CHECK(params.ar1 >= 0.0 && params.ar1 < 1.0);
  WATTREIN_CHECK(params.slow_share >= 0.0 && params.slow_share < 1.0);
  WATTREIN_CHECK(params.slow_tau.value() > 0.0 && params.token_knee > 0.0);
  const double fast_sum_factor = 1.0 + (k - 1.0) * params.correlation;
  WATTREIN_CHECK(fast_sum_factor > 0.0 && params.correlation <= 1.0);

  Model m;
  m.params = params;
  m.fast_keep = params.ar1;
  m.fast_new = std::sqrt(1.0 - params.ar1 * params.ar1);
  m.slow_keep = std::exp(-(to_seconds(kSamplePeriod) / params.slow_tau));
  m.slow_new = std::sqrt(1.0 - m.slow_keep * m.slow_keep);
  const double sum_sd = sigma(params).value();
  m.slow_gpu_w = sum_sd * std::sqrt(params.slow_share) / k;
  const double gpu_sd = sum_sd * std::sqrt((1.0 - params.slow_share) / (k * fast_sum_factor));
  m.own_gpu_w = gpu_sd * std::sqrt(1.0 - params.correlation);
  m.shared_gpu_w = gpu_sd * std::sqrt(fast_sum_factor);
  const auto period = kSamplePeriod.count();
  m.delay_samples = static_cast<int>((params.knob_delay.count() + period - 1) / period);
  WATTREIN_CHECK(params.knob_delay.count() >= 0 && m.delay_samples < kMaxDelaySamples);
  for (int level = 1; level <= params.levels; ++level) {
    const auto i = static_cast<std::size_t>(level - 1);
    m.gpu_level_w[i] = mean_at(params, level).value() / k;
    m.level_tokens[i] = tokens_per_s(params, level) * to_seconds(kSamplePeriod).value();
  }
  return m;
}

void draw(const Model& model, Rng& rng, Noise& noise) {
  for (int i = 0; i < model.params.gpus; ++i) noise.fast[static_cast<std::size_t>(i)] = rng.normal();
  noise.slow = rng.normal();
}

State start(const Model& model, int level, const Noise& noise) {
  WATTREIN_CHECK(level >= 1 && level <= model.params.levels);
  State s;
  s.fast = noise.fast;
  s.slow = noise.slow;
  s.commands.fill(static_cast<std::uint8_t>(level));
  s.commanded = level;
  s.level = level;
  return s;
}

void command(const Model& model, State& state, int level) {
  WATTREIN_CHECK(level >= 1 && level <= model.params.levels);
  state.commanded = level;
}

void step(const Model& model, State& state, const Noise& noise) {
  state.commands[static_cast<std::size_t>(state.next)] = static_cast<std::uint8_t>(state.commanded);
  const int at = (state.next + kMaxDelaySamples - model.delay_samples) % kMaxDelaySamples;
  state.level = state.commands[static_cast<std::size_t>(at)];
  state.next = (state.next + 1) % kMaxDelaySamples;

  const auto gpus = static_cast<std::size_t>(model.params.gpus);
  double mean = 0.0;
  for (std::size_t i = 0; i < gpus; ++i) {
    state.fast[i] = model.fast_keep * state.fast[i] + model.fast_new * noise.fast[i];
    mean += state.fast[i];
  }
  mean /= static_cast<double>(gpus);
  state.slow = model.slow_keep * state.slow + model.slow_new * noise.slow;

  const auto level = static_cast<std::size_t>(state.level - 1);
  const double common = model.gpu_level_w[level] + model.slow_gpu_w * state.slow + model.shared_gpu_w * mean;
  state.sum_w = 0.0;
  for (std::size_t i = 0; i < gpus; ++i) {
    state.gpu_w[i] = std::max(0.0, common + model.own_gpu_w * (state.fast[i] - mean));
    state.sum_w += state.gpu_w[i];
  }
  state.tokens += model.level_tokens[level];
  ++state.samples;
}

void step(const Model& model, State& state, Rng& rng) {
  Noise noise;
  draw(model, rng, noise);
  step(model, state, noise);
}

}  // namespace wattrein::plant
