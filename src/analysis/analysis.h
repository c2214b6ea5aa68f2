#pragma once
// Everything that `wattrein analyze` says about a trace, as one value: the terminal table, JSON and the HTML
// report all print this.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/excursions.h"
#include "analysis/limit.h"
#include "analysis/phases.h"
#include "analysis/windows.h"
#include "base/error.h"
#include "trace/steps.h"
#include "trace/trace.h"

namespace wattrein::analysis {

struct AnalysisOptions {
  std::vector<Limit> limits;         ///< empty: limits are proposed from the data, and said to be
  std::vector<Nanos> extra_windows;  ///< beside the default ladder
  trace::HoldRule hold;
  Align align = Align::first_sample;
  ExcursionOptions excursions;
  BreakerParams breaker;
  PhaseOptions phases;
  enum class PhaseSource : std::uint8_t { automatic, labels, power, none } phase_source = PhaseSource::automatic;
  std::uint64_t seed = 1;
  int threads = 1;  ///< at most so many, one a device; results do not depend on it
};

/// How well the power was sampled.
struct Sampling {
  std::int64_t samples = 0;  ///< rows of the device
  std::int64_t known = 0;    ///< with a known power
  Nanos span{0};             ///< from the first sample to the trace's end (last sample's hold included)
  Nanos known_time{0};
  double coverage = 0.0;  ///< known time / span; 0 for a snapshot
  Nanos period{0};        ///< median
  Nanos jitter{0};        ///< half the distance between the 5th and 95th percentile of the periods
  Nanos longest_gap{0};
  std::int64_t holes = 0;  ///< gaps longer than three median periods
  double repeated = 0.0;   ///< share of samples equal to the one before: a sensor slower than the poll
  std::int64_t duplicate_stamps = 0;
  std::int64_t backward_stamps = 0;
};

/// Energy two ways. Unknown stays unknown: nothing where it cannot be told.
struct Energy {
  std::optional<Joules> integral;  ///< over known time
  std::optional<Joules> counter;   ///< last - first over the whole log, resets bridged
  std::int64_t counter_resets = 0;
  /// integral / counter - 1 over the intervals that both know; marked when beyond 5 %.
  std::optional<double> disagreement;
  bool marked = false;
};

struct PowerStats {
  std::optional<Watts> mean{};   ///< plain mean of the known samples
  std::optional<Watts> tmean{};  ///< time-weighted over known time
  std::optional<Watts> min{}, max{};
  std::optional<Watts> p50{}, p95{}, p99{};   ///< of samples
  std::optional<Watts> average_meter_mean{};  ///< plain mean of the 1-s average column, where there is one
};

/// One limit on one subject.
struct LimitResult {
  Limit limit;
  std::vector<WindowVerdict> windows;  ///< samples first, then block and sliding of each size
  Excursions excursions;
  BreakerState breaker;
  bool violated = false;   ///< at the limit's own window (samples without @), or as `seen_at` has it
  bool undecided = false;  ///< not violated, but not shown to be compliant either
  /// Why it is undecided although every window of it is compliant: readings are missing that no window knows of.
  std::string missing;
  /// It is compliant if time that is unknown within its windows drew no more than this: the highest reading there is.
  std::optional<Watts> if_unknown_drew;
  /// Nothing is known of the limit's own windows, but those of this size, which they divide evenly, violate: a mean
  /// above the limit has parts above it.
  std::optional<Nanos> seen_at;
};

/// A device, or the sum of all.
struct Subject {
  std::string name;
  bool is_sum = false;
  trace::MeterKind meter = trace::MeterKind::unknown;
  Sampling sampling;
  PowerStats power;
  Energy energy;
  std::vector<WindowMeans> windows;  ///< without a limit
  Phases phases;                     ///< empty for a snapshot
  std::vector<LimitResult> limits;   ///< those whose scope is this subject
};

struct Analysis {
  bool snapshot = false;  ///< one sample a device: energy and windows are unknown
  bool limits_proposed = false;
  std::vector<Limit> limits;
  std::vector<Subject> devices;
  std::optional<Subject> sum;  ///< with two devices or more
  Correlation correlation;
  std::vector<std::string> notes;       ///< a sentence each: what was left out, what default rules changed
  [[nodiscard]] bool violated() const;  ///< any limit that the user gave is violated
};

/// Errors: usage, where an option cannot apply to this trace (a sum limit on one device is taken as that
/// device's own and noted; phase labels asked for where there are none).
[[nodiscard]] Result<Analysis> analyze(const trace::Trace& trace, const AnalysisOptions& options);

}  // namespace wattrein::analysis
