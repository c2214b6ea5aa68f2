#pragma once
// One step of the occupancy plant. Pure: everything that moves is in State, everything random is in Noise.

#include <array>
#include <cstdint>

#include "base/rng.h"
#include "plant/params.h"

namespace wattrein::plant {

/// Parameters with what follows from them worked out once.
struct Model {
  Params params;
  double fast_keep = 0.0;     ///< AR(1) coefficient
  double fast_new = 0.0;      ///< sqrt(1 - keep^2): the states stay at unit variance
  double slow_keep = 0.0;     ///< exp(-period / tau)
  double slow_new = 0.0;      ///< sqrt(1 - keep^2)
  double slow_gpu_w = 0.0;    ///< sd of the slow disturbance of one GPU
  double own_gpu_w = 0.0;     ///< weight of z_i - mean(z)
  double shared_gpu_w = 0.0;  ///< weight of mean(z)
  int delay_samples = 0;      ///< knob delay, rounded up to whole samples
  std::array<double, kMaxLevels> gpu_level_w{};
  std::array<double, kMaxLevels> level_tokens{};  ///< tokens of one sample
};

/// Requires parameters inside their domains (checked): 1..kMaxGpus GPUs, correlation above -1/(gpus - 1), AR(1)
/// in [0, 1), shares in [0, 1), a delay of at most kMaxDelaySamples samples.
[[nodiscard]] Model prepare(const Params& params);

/// Fresh standard normals of one step. They do not depend on the knob, so two arms that draw from equal
/// generators meet the same noise.
struct Noise {
  std::array<double, kMaxGpus> fast{};
  double slow = 0.0;
};

struct State {
  std::array<double, kMaxGpus> fast{};                    ///< z_i, unit variance, AR(1)
  double slow = 0.0;                                      ///< unit variance, Ornstein-Uhlenbeck
  std::array<std::uint8_t, kMaxDelaySamples> commands{};  ///< ring of the commands of the last samples
  int next = 0;                                           ///< where the ring is written next
  int commanded = 0;                                      ///< level asked for
  int level = 0;                                          ///< level in force in the last sample
  std::int64_t samples = 0;
  double tokens = 0.0;                   ///< cumulative
  std::array<double, kMaxGpus> gpu_w{};  ///< last sample
  double sum_w = 0.0;                    ///< last sample
};

/// Noise for one step; always the same number of draws for one number of GPUs.
void draw(const Model& model, Rng& rng, Noise& noise);

/// A job in its stationary state that has long run at `level`; `noise` is its first draw.
[[nodiscard]] State start(const Model& model, int level, const Noise& noise);

/// Asks for a level, 1 .. levels (checked). In force `delay_samples` samples later.
void command(const Model& model, State& state, int level);

/// The next sample. With z_i' = keep z_i + sqrt(1 - keep^2) n_i of unit variance and m their mean over k GPUs,
///
///     P_i = P(level) + slow_w d + s ( sqrt(1 - r) (z_i - m) + sqrt(1 + (k - 1) r) m )
///
/// has unit-free fast parts of variance s^2 and correlation r for every pair, exactly: var(z_i - m) = 1 - 1/k,
/// var m = 1/k, the two uncorrelated. The sum's fast variance is k s^2 (1 + (k - 1) r); s is chosen so that fast
/// and slow add up to sigma_of_max. A GPU never draws less than nothing. No allocation.
void step(const Model& model, State& state, const Noise& noise);
void step(const Model& model, State& state, Rng& rng);

}  // namespace wattrein::plant
