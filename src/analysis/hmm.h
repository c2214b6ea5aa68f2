#pragma once
// The model behind find_phases: power levels with autocorrelated noise, a hidden state and a minimum dwell.
//
// While in level k,   x_t = m_k + e_t,   e_t = r_k e_{t-1} + s_k w_t,   w_t ~ N(0, 1),
// where m, s are in watts and r has no unit; on entering a level e ~ N(0, sd_k^2). Modelling the noise's own
// correlation, rather than taking samples for independent, is what keeps one noisy level from being read as
// several: a slow wander is paid for by r, a jump is not.
// Either normal density is contaminated: with a small probability a sample comes from a wide normal around the
// same level. A spike then costs a fixed price instead of a level, and on a ramp, where every sample is far
// from both levels, the nearer level wins, so that the change is put halfway.
// Changes of level are a Poisson process. The parameters are found by alternating the best path under the
// minimum dwell (segmental Viterbi) and robust estimates along that path, which, unlike forward-backward
// without a dwell, cannot give a level to spikes.
//
// Internal to analysis. Pure functions; no errors; any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "trace/steps.h"

namespace wattrein::analysis {

/// Consecutive known samples [first, last) without a hole between them.
struct Run {
  std::size_t first = 0;
  std::size_t last = 0;
};
[[nodiscard]] std::vector<Run> known_runs(const trace::Steps& steps);

struct LevelState {
  double mean_w = 0.0;       ///< m: median of the samples in it
  double sd_w = 0.0;         ///< of a sample around the level
  double step_sd_w = 0.0;    ///< s: of a sample given the one before
  double correlation = 0.0;  ///< r: of consecutive samples
};

/// Of the whole series, the same for every number of levels, so that their likelihoods compare.
struct NoiseScale {
  double wide_sd_w = 1.0;   ///< of contaminated samples: the series' 1st to 99th percentile
  double floor_sd_w = 1.0;  ///< smallest sd of a level: a hundredth of that and a thousandth of the power
};
[[nodiscard]] NoiseScale noise_scale(const trace::Steps& steps, std::span<const Run> runs);

struct LevelModel {
  NoiseScale scale;
  std::vector<LevelState> states;
  std::vector<double> log_switch;  ///< [from * states + to], nats; the diagonal is unused
  std::vector<double> log_start;   ///< at the start of a run

  [[nodiscard]] std::size_t size() const { return states.size(); }
};

/// The best path: the state of each sample, -1 outside the runs. Each stay in a state lasts at least min_dwell,
/// unless the run is shorter, which is then one stay. Time O(n K^2), memory O(n K) of 2 bytes.
struct Path {
  std::vector<std::int16_t> state;
  double log_likelihood = 0.0;  ///< of samples and path together, nats, up to a constant per sample
};
[[nodiscard]] Path best_path(const trace::Steps& steps, std::span<const Run> runs, const LevelModel& model,
                             Nanos min_dwell);

struct LevelFit {
  LevelModel model;  ///< states in ascending order
  Path path;
};
/// From starting levels in watts. Nothing when a level loses all its samples on the way.
[[nodiscard]] std::optional<LevelFit> fit_levels(const trace::Steps& steps, std::span<const Run> runs,
                                                 std::vector<double> start_w, const NoiseScale& scale, Nanos min_dwell);

/// One stay along a path, with the states before and after it in the same run (-1: none).
struct Stay {
  std::size_t first = 0;
  std::size_t last = 0;
  int before = -1;
  int state = -1;
  int after = -1;
};

[[nodiscard]] std::vector<Stay> stays_of(std::span<const Run> runs, const std::vector<std::int16_t>& state);

[[nodiscard]] std::vector<double> means_of(const LevelModel& model);

/// Element at fraction q of the sorted order; reorders `values`, which must not be empty.
[[nodiscard]] double take_quantile(std::vector<double>& values, double q);

}  // namespace wattrein::analysis
