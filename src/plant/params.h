#pragma once
// The occupancy plant: a job that keeps a bounded number of sequences in flight on its GPUs, and what its power
// and its tokens make of that bound. Every number says where it comes from; docs/plants.md has the same list.

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace wattrein::plant {

inline constexpr int kMaxLevels = 8;
inline constexpr int kMaxGpus = 64;
/// One step of the plant is one telemetry period of the study that it stands for.
inline constexpr Nanos kSamplePeriod{500'000'000};
/// Longest knob delay that a state can hold: 64 s.
inline constexpr int kMaxDelaySamples = 128;

/// Defaults: the plant `72b-4xa100-occupancy`. "published": a figure of the study. "assumed": fixed before any
/// controller ran. Never fitted to a controlled result.
struct Params {
  std::string name = "72b-4xa100-occupancy";
  int gpus = 4;           // published
  int levels = 8;         // knob `inflight`: 1 .. levels, published range of the sweep
  Watts gpu_mean{300.0};  // of one GPU at the highest level; assumed, inside the published 250 to 315 W
  /// Mean power by level, of that at the highest; assumed, meets the published authority of 22.5 %.
  std::array<double, kMaxLevels> power_of_max{0.775, 0.846, 0.896, 0.933, 0.959, 0.977, 0.991, 1.0};
  /// Tokens/s at level n = token_scale * n / (1 + n / token_knee). The knee is assumed (published ratio 5.2 over
  /// 1..8); the scale only sets the unit: no absolute rate is published.
  double token_knee = 12.0;
  double token_scale = 10.0;
  double sigma_of_max = 0.035;  // sd of a 0.5-s sample of the sum, of its mean at the highest level; assumed
  double slow_share = 0.05;     // of the variance of the sum: slow disturbance, common to the GPUs; assumed
  Seconds slow_tau{180.0};      // of the slow disturbance; assumed
  double ar1 = 0.74;            // of the fast noise from one 0.5-s sample to the next; follows from published rates
  double correlation = -0.13;   // of the fast noise between any two GPUs; published
  Nanos knob_delay{0};          // from a command to its effect; 0 = from the next sample; assumed
  /// Power limit on the sum. Worked out once, from the published uncontrolled rate of 17.7 % of samples above it:
  /// 4 * 300 W + 0.9269 * (0.035 * 1200 W) = 1238.9 W with 0.9269 = normal quantile of 1 - 0.177; frozen at the
  /// whole watt. Not recomputed when another parameter changes.
  Watts limit{1239.0};
};

/// One parameter for people: what it is, its unit, and where its value comes from.
struct ParamInfo {
  std::string_view name;
  std::string_view unit;  ///< "1" for a plain number
  std::string_view source;
  std::string (*value)(const Params&);
};
[[nodiscard]] std::span<const ParamInfo> param_table();

/// A parameter whose source is another than the table's: what a fit has taken from a log.
struct SourceOverride {
  std::string_view name;  ///< as in the table
  std::string source;
};

/// "gpu_mean = 300 W: assumed, ...", a line each.
[[nodiscard]] std::vector<std::string> describe(const Params& params, std::span<const SourceOverride> overrides = {});

/// Mean of the sum at the highest level.
[[nodiscard]] inline Watts mean_at_max(const Params& p) { return static_cast<double>(p.gpus) * p.gpu_mean; }
/// Mean of the sum at `level`, 1 .. levels.
[[nodiscard]] Watts mean_at(const Params& p, int level);
[[nodiscard]] double tokens_per_s(const Params& p, int level);
/// Standard deviation of a sample of the sum.
[[nodiscard]] inline Watts sigma(const Params& p) { return p.sigma_of_max * mean_at_max(p); }

/// The limit that a job with this mean and spread would cross in 17.7 % of its samples (normal quantile): how the
/// limit above was found, and how one is set for a plant fitted to a log. Whole
/// watts, tenths where the spread is under 20 W.
[[nodiscard]] Watts limit_for_uncontrolled_rate(Watts mean, Watts sd);

}  // namespace wattrein::plant
