#pragma once
// What the control loop touches: a job with knobs, a power meter, a power limit, and somewhere to tell it all.
// Everything else of the world stays behind these.
// Threads: each port belongs to the thread that runs its loop.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/units.h"

namespace wattrein::control {

enum class Phase : std::uint8_t { unknown, idle, generate, update };
[[nodiscard]] std::string_view name(Phase phase);

/// A knob of the workload that may move its power.
struct KnobSpec {
  std::string_view name;       ///< "inflight", "group", "prompts"
  std::span<const int> legal;  ///< ascending, not empty: every value it may take, not only its range
  std::optional<Nanos> delay;  ///< measured time from a command to its effect; nothing while not measured

  [[nodiscard]] int lowest() const { return legal.front(); }
  [[nodiscard]] int highest() const { return legal.back(); }
  [[nodiscard]] bool allows(int level) const;
  /// The next legal level below or above; nothing at the edge. This is the mask: what is not legal is not offered.
  [[nodiscard]] std::optional<int> below(int level) const;
  [[nodiscard]] std::optional<int> above(int level) const;
};

/// What a job says of itself.
struct JobReport {
  std::optional<std::int64_t> step;  ///< training step; nothing where there are none
  Phase phase = Phase::unknown;
  Tokens tokens;           ///< generated since the job began
  int level_in_force = 0;  ///< of the controlled knob: what power answers to now
};

/// A job: simulated, a trainer that asks at its step boundaries, or a gate in front of an engine.
class JobPort {
 public:
  virtual ~JobPort() = default;
  [[nodiscard]] virtual std::span<const KnobSpec> knobs() const = 0;
  /// Asks for a level; it comes into force after the knob's delay. Errors: usage, for a level that is not legal
  /// (nothing changes: levels are never clamped); environment, when the job cannot be reached.
  [[nodiscard]] virtual Result<void> apply(std::size_t knob, int level) = 0;
  [[nodiscard]] virtual JobReport report() const = 0;
};

/// A meter of the power that the limit is about (the sum over the job's GPUs).
class PowerMeter {
 public:
  virtual ~PowerMeter() = default;
  /// The reading now; NaN = unknown.
  [[nodiscard]] virtual Watts read() = 0;
};

/// A firmware power limit of the job's GPUs together, where the privilege exists.
class LimitPort {
 public:
  virtual ~LimitPort() = default;
  struct Range {
    Watts min, max;
  };
  [[nodiscard]] virtual Range range() const = 0;
  /// The limit that is enforced, read back: not the one last asked for. Errors: environment.
  [[nodiscard]] virtual Result<Watts> read() = 0;
  /// Errors: usage, outside the range (nothing changes); environment, refused or unreachable.
  [[nodiscard]] virtual Result<void> set(Watts limit) = 0;
};

}  // namespace wattrein::control
