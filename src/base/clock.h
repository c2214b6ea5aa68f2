#pragma once
// Time is passed in. `now` is monotonic and is what durations are measured with; `wall` only stamps records.

#include <cstdint>

#include "base/units.h"

namespace wattrein {

/// Threads: RealClock and AcceleratedClock may be shared; ManualClock belongs to one thread.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Monotonic time since an origin of the clock's own.
  [[nodiscard]] virtual Nanos now() const = 0;
  /// Nanoseconds since 1970-01-01 UTC, for records that people read.
  [[nodiscard]] virtual std::int64_t wall_unix_ns() const = 0;
  /// Returns at once when `deadline` has passed.
  virtual void sleep_until(Nanos deadline) = 0;
};

class RealClock final : public Clock {
 public:
  [[nodiscard]] Nanos now() const override;
  [[nodiscard]] std::int64_t wall_unix_ns() const override;
  void sleep_until(Nanos deadline) override;
};

/// Real time multiplied by `factor` (> 0) from the moment of construction, for long experiments run fast.
class AcceleratedClock final : public Clock {
 public:
  AcceleratedClock(Clock& base, double factor);
  [[nodiscard]] Nanos now() const override;
  [[nodiscard]] std::int64_t wall_unix_ns() const override;
  void sleep_until(Nanos deadline) override;

 private:
  Clock& base_;
  double factor_;
  Nanos base_start_;
  std::int64_t wall_start_;
};

/// Moves only when told; sleeping advances it. What tests and simulated runs use.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t wall_start_unix_ns = 0) : wall_start_(wall_start_unix_ns) {}
  [[nodiscard]] Nanos now() const override { return now_; }
  [[nodiscard]] std::int64_t wall_unix_ns() const override { return wall_start_ + now_.count(); }
  void sleep_until(Nanos deadline) override {
    if (deadline > now_) now_ = deadline;
  }
  void advance(Nanos by) { now_ += by; }

 private:
  Nanos now_{0};
  std::int64_t wall_start_;
};

}  // namespace wattrein
