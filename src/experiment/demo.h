#pragma once
// The first controlled run: one simulated job under several arms, on common random numbers.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/windows.h"
#include "base/error.h"
#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::experiment {

using analysis::Interval;

/// Mean over arms with a 95 % interval (Student's t over the replications: the arm is the block).
struct Estimate {
  double mean = 0.0;
  std::optional<Interval> interval_95;  ///< nothing with fewer than two replications
};

struct WindowRate {
  analysis::WindowKind kind = analysis::WindowKind::samples;
  Nanos window{0};
  std::int64_t known = 0;  ///< windows over all replications
  std::int64_t violating = 0;
  /// violating / known, its interval held inside [0, 1]. Without any violation the interval is [0, 3/n] with
  /// n = known time / max(window, 2 correlation times), since replications that all gave zero show no spread.
  Estimate rate;
};

/// What one arm did over all its replications. Simulated figures, all of them.
struct ArmResult {
  std::string name;                 ///< "uncontrolled", "static:4", "hysteresis", "adaptive-threshold"
  std::string description;          ///< one sentence: what it does and what it may know
  std::vector<WindowRate> windows;  ///< samples first
  Estimate tokens_per_s;
  Estimate tokens_vs_uncontrolled;  ///< ratio - 1, paired on common random numbers
  /// Tokens against the best time-mix of two fixed levels at this arm's own violation rate, ratio - 1: the fair
  /// baseline. Nothing where no mix reaches so low a rate.
  std::optional<Estimate> tokens_vs_best_static;
  Estimate mean_power_w;
  Estimate peak_power_w;  ///< mean over replications of each one's largest sample
  Estimate energy_j;      ///< a replication
  Estimate j_per_token;
  Estimate tokens_per_mwh;
  Estimate overshoot_j_per_h;
  Estimate plateaus_per_h;
  Estimate transients_per_h;
  Estimate knob_moves_per_h;
  std::optional<double> removable_share;  ///< of the overshoot, pooled
  Estimate mean_level;                    ///< of the controlled knob
};

/// One replication of one arm, for the picture.
struct ArmCourse {
  std::string arm;
  std::vector<double> time_s;
  std::vector<double> power_w;  ///< sum over the job's GPUs
  std::vector<double> level;    ///< of the knob, in force
  std::vector<double> tokens;   ///< cumulative
};

struct DemoResult {
  std::string plant;       ///< "72b-4xa100-occupancy"
  std::string knob;        ///< "inflight"
  std::string limit_text;  ///< "1239 W, sum over 4 GPUs"
  Watts limit;
  std::optional<std::string> fitted_from;  ///< the log whose level, spread and autocorrelation were taken
  std::vector<std::string> facts;          ///< parameters with their source, a line each
  std::vector<std::string> notes;          ///< what to keep in mind when reading the figures
  trace::Evidence evidence = trace::Evidence::simulated;
  std::string workload = "proxy";
  int replications = 0;
  Nanos duration{0};  ///< of a replication
  Nanos decision_period{0};
  std::uint64_t seed = 0;
  std::vector<ArmResult> arms;
  std::vector<ArmCourse> courses;  ///< the first replication of each arm, same random numbers
};

struct DemoOptions {
  int replications = 30;
  Nanos duration{std::chrono::minutes(20)};
  std::uint64_t seed = 1;
  std::vector<std::string> arms;  ///< empty: the default list
};

/// Errors: usage, for an arm that is not known (names the nearest) or a duration shorter than a decision.
[[nodiscard]] Result<DemoResult> run_demo(const DemoOptions& options);

/// The same, with the plant's level, spread and autocorrelation taken from a log. Errors: bad_input, where the
/// log is too short, too coarse or not varying; says what it would need.
[[nodiscard]] Result<DemoResult> run_demo_on(const trace::Trace& log, const DemoOptions& options);

}  // namespace wattrein::experiment
