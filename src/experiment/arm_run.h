#pragma once
// One arm over one replication, and what is measured on it.

#include <cstdint>
#include <vector>

#include "analysis/windows.h"
#include "control/loop.h"
#include "plant/plant.h"

namespace wattrein::experiment {

inline constexpr Nanos kDecisionPeriod = std::chrono::seconds(20);

/// Everything a run leaves behind. Room is made beforehand, so that recording allocates nothing.
class Recording final : public control::EventSink {
 public:
  explicit Recording(std::size_t samples);
  void clear();

  void sample(const control::LoopSample& sample) override;
  void decision(const control::DecisionRecord& record) override;
  void event(const control::Event&) override { ++events; }

  /// A view of the power; the recording must outlive it.
  [[nodiscard]] trace::Steps steps() const;

  std::vector<std::int64_t> time_ns;
  std::vector<double> power_w;
  std::vector<double> level;   ///< in force
  std::vector<double> tokens;  ///< cumulative
  std::int64_t moves = 0;      ///< levels asked for after the start
  std::int64_t events = 0;     ///< illegal levels, refused commands
};

struct WindowCount {
  analysis::WindowKind kind = analysis::WindowKind::samples;
  Nanos window{0};
  std::int64_t known = 0;
  std::int64_t violating = 0;
};

/// What one replication gave.
struct Measured {
  std::vector<WindowCount> windows;  ///< samples first
  double seconds = 0.0;
  double tokens = 0.0;
  double energy_j = 0.0;
  double peak_w = 0.0;
  double overshoot_j = 0.0;
  double removable_j = 0.0;
  double plateaus = 0.0;
  double transients = 0.0;
  double moves = 0.0;
  double mean_level = 0.0;

  [[nodiscard]] double sample_rate() const;
};

/// Windows that a run of this length is judged by: samples, 0.5 s, 1, 5, 10, 30 s, 1, 5 min, as far as it reaches.
[[nodiscard]] std::vector<WindowCount> windows_for(Nanos duration);

/// Runs the controller from its beginning on replication `stream` of `seed`, into `recording`.
void run_arm(control::Controller& controller, const plant::Model& model, std::uint64_t seed, std::uint64_t stream,
             Nanos duration, Recording& recording);

[[nodiscard]] Measured measure(const Recording& recording, Watts limit, Nanos knob_delay);

}  // namespace wattrein::experiment
