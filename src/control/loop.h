#pragma once
// The control loop: reads power, decides once a period, applies, and tells what happened.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/clock.h"
#include "base/units.h"
#include "control/controller.h"
#include "control/ports.h"

namespace wattrein::control {

struct LoopSample {
  Nanos time{0};  ///< since the loop's start
  Watts power;    ///< NaN = unknown
  int level = 0;  ///< of the knob, in force
  Tokens tokens;  ///< cumulative, at the end of what the sample stands for
};

struct DecisionRecord {
  Nanos time{0};
  Observation observation;
  Decision decision;
  bool applied = false;  ///< false: nothing to change, or an event says why not
};

enum class EventKind : std::uint8_t {
  illegal_level,  ///< a controller asked for a level that is not legal: held, not clamped
  apply_failed,   ///< the job refused or could not be reached: the level stays
};
[[nodiscard]] std::string_view name(EventKind kind);

struct Event {
  Nanos time{0};
  EventKind kind = EventKind::illegal_level;
  int level = 0;  ///< that was asked for
};

/// Takes what the loop sees and does, in time order. Called inside the tick: must not block, and whoever wants a
/// tick without allocation makes room beforehand.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void sample(const LoopSample& sample) = 0;
  virtual void decision(const DecisionRecord& record) = 0;
  virtual void event(const Event& event) = 0;
};

struct LoopParams {
  Watts limit;  ///< on the meter's power
  Nanos sample_period{std::chrono::milliseconds(500)};
  Nanos decision_period{std::chrono::seconds(20)};  ///< a multiple of the sample period (checked)
  std::size_t knob = 0;                             ///< index into JobPort::knobs()
  double least_known = 0.8;                         ///< of a period's samples; under it the period's mean is unknown
};

/// At every decision_period, and first before the first sample, asks the controller and applies its level, so that a
/// knob without delay acts on the period's first sample; then reads a sample. The first observation knows nothing.
/// Threads: one. No allocation in a tick, apart from what the ports do (and the text of a failed apply).
class Loop {
 public:
  /// The ports and the controller must outlive the loop.
  Loop(const LoopParams& params, JobPort& job, PowerMeter& meter, Controller& controller, EventSink& sink);

  /// One sample period. `now` = time since the loop's start.
  void tick(Nanos now);

 private:
  void close_period();
  void decide(Nanos now);

  LoopParams params_;
  JobPort& job_;
  PowerMeter& meter_;
  Controller& controller_;
  EventSink& sink_;
  KnobSpec knob_;
  Observation observation_;
  std::int64_t samples_per_period_ = 0;
  std::int64_t samples_ = 0;  ///< of the period that runs
  std::int64_t known_ = 0;
  std::int64_t over_ = 0;
  double sum_w_ = 0.0;
};

/// Ticks every sample period for `duration`, sleeping on `clock` in between: real, accelerated or manual. A tick that
/// comes late is not made up for; the next one is due on the same grid.
void run(Loop& loop, Clock& clock, Nanos sample_period, Nanos duration);

}  // namespace wattrein::control
