#pragma once
// Labelled synthetic traces for tests: the idle / generate / update cycle of an RL post-training job. Levels are
// those assumed for one 7B job on an A100 (idle 86 W, generate 253 W, update 377 W); noise is AR(1) at 0.74 with
// a slow Ornstein-Uhlenbeck share while generating. Simulation, made here and nowhere else.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/rng.h"
#include "trace/trace.h"

namespace wattrein::analysis {

struct CycleSpec {
  double period_s = 0.5;
  int steps = 40;
  double idle_w = 86.0;
  double generate_w = 253.0;
  double update_w = 377.0;
  double noise_sd_w = 10.0;  ///< AR(1), while generating and updating
  double idle_noise = 0.2;   ///< of it while idle: a device that does nothing is quiet
  double ar1 = 0.74;
  double slow_sd_w = 9.0;
  double slow_tau_s = 300.0;
  // Uniform durations: a generate call ends with its longest row.
  double generate_s[2] = {25.0, 55.0};
  double update_s[2] = {5.0, 9.0};
  double idle_s[2] = {3.0, 7.0};
};

inline constexpr std::int16_t kIdle = 0;
inline constexpr std::int16_t kGenerate = 1;
inline constexpr std::int16_t kUpdate = 2;

class CycleMaker {
 public:
  CycleMaker(const CycleSpec& spec, std::uint64_t seed) : spec_(spec), rng_(seed) {
    series_.device.name = "0";
    noise_ = rng_.normal();
    slow_ = rng_.normal();
  }

  trace::Series make() {
    for (int i = 0; i < spec_.steps; ++i) {
      stay(kGenerate, spec_.generate_w, spec_.generate_s, 1.0);
      stay(kUpdate, spec_.update_w, spec_.update_s, 1.0);
      stay(kIdle, spec_.idle_w, spec_.idle_s, spec_.idle_noise);
    }
    return std::move(series_);
  }

 private:
  void stay(std::int16_t phase, double level_w, const double (&between_s)[2], double noise) {
    const double length_s = between_s[0] + (between_s[1] - between_s[0]) * rng_.uniform();
    const int samples = std::max(1, static_cast<int>(length_s / spec_.period_s + 0.5));
    const double slow_r = std::exp(-spec_.period_s / spec_.slow_tau_s);
    for (int i = 0; i < samples; ++i) {
      noise_ = spec_.ar1 * noise_ + std::sqrt(1.0 - spec_.ar1 * spec_.ar1) * rng_.normal();
      slow_ = slow_r * slow_ + std::sqrt(1.0 - slow_r * slow_r) * rng_.normal();
      double power_w = level_w + noise * spec_.noise_sd_w * noise_;
      if (phase == kGenerate) power_w += spec_.slow_sd_w * slow_;
      series_.time_ns.push_back(
          static_cast<std::int64_t>(std::llround(static_cast<double>(series_.time_ns.size()) * spec_.period_s * 1e9)));
      series_.power_w.push_back(std::max(40.0, power_w));
      series_.phase.push_back(phase);
    }
  }

  CycleSpec spec_;
  Rng rng_;
  trace::Series series_;
  double noise_ = 0.0;
  double slow_ = 0.0;
};

inline trace::Series cycle_trace(const CycleSpec& spec, std::uint64_t seed) { return CycleMaker(spec, seed).make(); }

/// Mean over labels of the share of a label's samples that got its level, under the best one-to-one matching of
/// levels to labels. `labels` counts them; levels past the labels match nothing.
inline double balanced_accuracy(const std::vector<std::int16_t>& truth, const std::vector<std::int16_t>& found,
                                int labels) {
  const int levels = 1 + *std::max_element(found.begin(), found.end());
  const int size = std::max(labels, levels);
  std::vector<std::vector<double>> hits(static_cast<std::size_t>(labels),
                                        std::vector<double>(static_cast<std::size_t>(size), 0.0));
  std::vector<double> total(static_cast<std::size_t>(labels), 0.0);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    total[static_cast<std::size_t>(truth[i])] += 1.0;
    if (found[i] >= 0) hits[static_cast<std::size_t>(truth[i])][static_cast<std::size_t>(found[i])] += 1.0;
  }
  std::vector<std::size_t> order(static_cast<std::size_t>(size));
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  double best = 0.0;
  do {
    double sum = 0.0;
    for (std::size_t l = 0; l < hits.size(); ++l) sum += total[l] > 0.0 ? hits[l][order[l]] / total[l] : 0.0;
    best = std::max(best, sum / labels);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

}  // namespace wattrein::analysis
