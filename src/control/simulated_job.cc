#include "control/simulated_job.h"

#include <fmt/format.h>

#include "base/check.h"

namespace wattrein::control {

KnobSpec inflight_knob(const plant::Params& params, std::array<int, plant::kMaxLevels>& levels) {
  std::iota(levels.begin(), levels.end(), 1);
  return {"inflight", std::span<const int>(levels).first(static_cast<std::size_t>(params.levels)), params.knob_delay};
}

SimulatedJob::SimulatedJob(const plant::Model& model, std::uint64_t seed, std::uint64_t stream)
    : model_(model), rng_(seed, stream), knob_(inflight_knob(model.params, levels_)) {
  plant::Noise first;
  plant::draw(model_, rng_, first);
  state_ = plant::start(model_, model_.params.levels, first);
}

Result<void> SimulatedJob::apply(std::size_t knob, int level) {
  WATTREIN_CHECK(knob == 0);
  if (!knob_.allows(level)) {
    return fail(ErrorKind::usage, std::string(knob_.name), fmt::format("{} is not a legal level", level),
                fmt::format("its levels are {}", fmt::join(knob_.legal, ", ")));
  }
  plant::command(model_, state_, level);
  return {};
}

JobReport SimulatedJob::report() const { return {std::nullopt, Phase::generate, Tokens(state_.tokens), state_.level}; }

Watts SimulatedJob::read() {
  plant::step(model_, state_, rng_);
  return Watts(state_.sum_w);
}

}  // namespace wattrein::control
