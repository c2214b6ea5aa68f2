#pragma once
// Phases of a job found from power alone: a small Gaussian hidden Markov model with a minimum dwell.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "trace/steps.h"
#include "trace/trace.h"

namespace wattrein::analysis {

using trace::Steps;

struct PhaseOptions {
  int max_states = 3;                        ///< idle, generate, update; fewer where the data do not carry three
  Nanos min_dwell{std::chrono::seconds(2)};  ///< of a stay, and never less than two samples
};

/// One state of the model. No order of levels is assumed: a state is named by its level, not by a meaning.
struct PhaseLevel {
  std::string name;  ///< the label, or "level 1" ... in ascending power
  Watts mean;
  Watts sd;
  Nanos time{0};            ///< known time spent in it
  double share = 0.0;       ///< of the known time
  std::int64_t visits = 0;  ///< stretches
};
struct PhaseStretch {
  Nanos start{0};
  Nanos end{0};
  int level = 0;  ///< index into Phases::levels
};
struct Phases {
  bool from_labels = false;
  std::vector<PhaseLevel> levels;
  std::vector<PhaseStretch> stretches;  ///< in time order, unknown time left out
  std::vector<std::int16_t> of_sample;  ///< level of each sample, -1 = unknown
};

/// From power alone (model: analysis/hmm.h). One level when the data do not carry more; empty when nothing is known.
/// Levels within a tenth of each other are one: slow drift moves power as much. A change stands where power is
/// halfway where it ramps. Stretches end at unknown time, and one that is known for less than the dwell is one level.
/// Traces above 2e5 samples: levels are found on 2e5 of them in evenly spaced pieces, and decoded over all.
[[nodiscard]] Phases find_phases(const Steps& steps, const PhaseOptions& options);
/// From labels (series.phase), in the order of `names`, without those that no known sample has. Requires a non-empty
/// phase column as long as the steps.
[[nodiscard]] Phases labelled_phases(const trace::Series& series, const std::vector<std::string>& names,
                                     const Steps& steps);

/// Pearson correlation of power between devices, on a common grid of the largest median period, over the times
/// at which all are known (cell means at a coverage of 0.8); within a phase when `phases` (of the first device) is
/// given, pooled over phases after each phase's own mean is taken out, cells across a change left out. A device with
/// fewer than two samples or none known has no value and does not stand in the others' way.
struct PairCorrelation {
  std::size_t a = 0;  ///< indices into the trace's series
  std::size_t b = 0;
  std::optional<double> r;  ///< nothing when one of them does not vary or too little is shared
};
inline constexpr std::size_t kMostCorrelated = 128;
struct Correlation {
  std::size_t devices = 0;  ///< that were compared: kMostCorrelated of them, taken evenly, where there are more
  std::vector<PairCorrelation> pairs;
  std::optional<double> mean, min, max;  ///< over the pairs that have a value
  bool within_phase = false;
};
[[nodiscard]] Correlation pairwise_correlation(const trace::Trace& trace, const trace::HoldRule& hold,
                                               const Phases* phases);

}  // namespace wattrein::analysis
