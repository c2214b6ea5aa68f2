#pragma once
// The plant as a job and as its meter. Simulation: whoever shows its figures says so.

#include <array>
#include <numeric>

#include "base/rng.h"
#include "control/ports.h"
#include "plant/plant.h"

namespace wattrein::control {

/// A job that has long run at its highest level when control begins. Time moves with the meter: each read() is the
/// plant's next sample. Two jobs of one plant with equal seed and stream meet the same noise, whatever is done to
/// their knobs. Threads: one. Never allocates after construction, but for the text of an error.
class SimulatedJob final : public JobPort, public PowerMeter {
 public:
  /// `model` must outlive the job.
  SimulatedJob(const plant::Model& model, std::uint64_t seed, std::uint64_t stream);
  SimulatedJob(const SimulatedJob&) = delete;
  SimulatedJob& operator=(const SimulatedJob&) = delete;

  [[nodiscard]] std::span<const KnobSpec> knobs() const override { return {&knob_, 1}; }
  [[nodiscard]] Result<void> apply(std::size_t knob, int level) override;
  [[nodiscard]] JobReport report() const override;
  [[nodiscard]] Watts read() override;

  [[nodiscard]] const plant::State& state() const { return state_; }

 private:
  const plant::Model& model_;
  Rng rng_;
  plant::State state_;
  std::array<int, plant::kMaxLevels> levels_{};
  KnobSpec knob_;
};

/// The one knob of the occupancy plant, `inflight`, for whoever needs its levels without a job. `levels` receives
/// them and must outlive the result.
[[nodiscard]] KnobSpec inflight_knob(const plant::Params& params, std::array<int, plant::kMaxLevels>& levels);

}  // namespace wattrein::control
