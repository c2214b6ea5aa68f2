#pragma once
// The arms: each a pure function from what it may know to a level of the knob.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "control/ports.h"

namespace wattrein::control {

inline constexpr std::size_t kHistory = 5;

/// What a controller may know at a decision. NaN = unknown, never zero.
struct Observation {
  Nanos time{0};                                  ///< since control began
  std::array<double, kHistory> power_of_limit{};  ///< mean power of the last control periods / limit, newest first
  double headroom = 0.0;                          ///< (limit - newest mean) / limit
  double over_share = 0.0;                        ///< share of the last period's known samples above the limit
  Phase phase = Phase::unknown;
  double level_of_max = 0.0;  ///< level in force / highest legal level
  int commanded = 0;          ///< level last asked for: what a move starts from while one is on its way
  KnobSpec knob;              ///< the mask: its legal levels
};

enum class Reason : std::uint8_t {
  start,    ///< the first decision: the arm's own starting level
  fixed,    ///< the arm never moves
  hold,     ///< inside the bands
  lower,    ///< power too high
  raise,    ///< power low enough
  at_edge,  ///< would move, but no legal level lies that way
  no_data,  ///< too little of the last period is known: hold
};
[[nodiscard]] std::string_view name(Reason reason);

struct Decision {
  int level = 0;
  Reason reason = Reason::hold;
  bool operator==(const Decision&) const = default;
};

/// No limit on the job: the highest level, as without wattrein.
struct UncontrolledParams {};
struct UncontrolledState {};
[[nodiscard]] Decision decide(const UncontrolledParams&, UncontrolledState&, const Observation&);

/// One level throughout.
struct StaticParams {
  int level = 4;
};
struct StaticState {};
[[nodiscard]] Decision decide(const StaticParams&, StaticState&, const Observation&);

/// One level down when the period's mean is above `upper`, one up when it is below `lower`, of the limit.
///
/// The defaults come from the spread that an uncontrolled run shows, before any controlled one. A sample of the
/// reference job has an sd of s = 42 W / 1239 W = 0.034 of the limit; 1 % of normal samples lie above the limit
/// when the mean is 2.33 s under it: upper = 1 - 2.33 * 0.034 = 0.92. The lower band is 0.05 below that: the step of
/// one level in mid range (about 0.03 of the limit) and one sd of a period's mean (0.46 s = 0.016), so that a move
/// up does not by itself call for the move down.
struct HysteresisParams {
  double upper = 0.92;
  double lower = 0.87;
  int start_level = 4;  ///< held until a first period is known
};
struct HysteresisState {
  bool started = false;
};
[[nodiscard]] Decision decide(const HysteresisParams&, HysteresisState&, const Observation&);

/// A threshold under the limit that learns its own margin. Each period the margin moves by
/// gain * (share of samples over the limit - bar): it stands still only where the long-run share is the bar (an
/// integral rule; Gibbs and Candes, "Adaptive conformal inference under distribution shift", 2021, prove the long-run
/// share for any disturbance while the margin stays bounded). Mean power over up to `periods` periods at the present
/// level above 1 - margin: one level down; below 1 - margin - dead_band: one up.
///
/// gain: one level in mid range is about 0.025 of the limit. At 0.05, half a level is given back after 25 clean
/// periods (8 min), and a period at the uncontrolled share of 0.177 takes a third of a level; the margin's jitter from
/// one period's sampling error (about 0.03 at the bar) is 0.0015, a sixteenth of a level. dead_band: one level's step
/// with a little over, so that a move up is not undone by its own effect. start_margin: 2.33 s, as for hysteresis.
struct AdaptiveThresholdParams {
  double bar = 0.01;            ///< wanted share of samples over the limit
  double start_margin = 0.079;  ///< of the limit
  double gain = 0.05;           ///< margin per unit of share
  double dead_band = 0.03;      ///< of the limit
  double largest_margin = 0.5;  ///< the margin stays in [0, this]
  int periods = 3;              ///< of the moving average, at most kHistory
  int start_level = 4;          ///< held until a first period is known
};
struct AdaptiveThresholdState {
  bool started = false;
  double margin = 0.0;
  int periods_at_level = 0;  ///< whole periods since the last move
};
[[nodiscard]] Decision decide(const AdaptiveThresholdParams&, AdaptiveThresholdState&, const Observation&);

/// An arm with its state. Learned arms and oracles are further kinds of it, in their own folders.
/// Threads: one. Never allocates after construction.
class Controller {
 public:
  virtual ~Controller() = default;
  [[nodiscard]] virtual Decision decide(const Observation& observation) = 0;
  virtual void reset() = 0;                                        ///< as newly made
  [[nodiscard]] virtual std::string_view name() const = 0;         ///< as the user names it
  [[nodiscard]] virtual std::string_view description() const = 0;  ///< a sentence: what it does, what it may know
};

/// A Controller from a pure decide().
template <class Params, class State>
class PureController final : public Controller {
 public:
  PureController(std::string name, std::string description, Params params)
      : name_(std::move(name)), description_(std::move(description)), params_(params) {}
  Decision decide(const Observation& observation) override { return control::decide(params_, state_, observation); }
  void reset() override { state_ = State{}; }
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::string_view description() const override { return description_; }

 private:
  std::string name_;
  std::string description_;
  Params params_;
  State state_{};
};

/// Parameters of the ruled arms.
struct ArmParams {
  HysteresisParams hysteresis;
  AdaptiveThresholdParams adaptive;
};
/// Those for a job whose uncontrolled samples have this sd, of the limit: the reasoning above, with its own spread.
[[nodiscard]] ArmParams arm_params_for_spread(double sd_of_limit);

/// Every name that make_controller() takes for this knob: "uncontrolled", "static:1" ... "adaptive-threshold".
[[nodiscard]] std::vector<std::string> arm_names(const KnobSpec& knob);

/// Errors: usage, for an unknown arm (names the nearest and lists what there is) or an illegal level.
[[nodiscard]] Result<std::unique_ptr<Controller>> make_controller(std::string_view arm, const KnobSpec& knob,
                                                                  const ArmParams& params,
                                                                  std::string_view where = "--arm");

}  // namespace wattrein::control
