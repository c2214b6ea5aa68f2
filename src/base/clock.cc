#include "base/clock.h"

#include <chrono>
#include <cmath>
#include <thread>

#include "base/check.h"

namespace wattrein {

namespace {
Nanos scaled(Nanos t, double k) { return Nanos(std::llround(static_cast<double>(t.count()) * k)); }
}  // namespace

Nanos RealClock::now() const { return std::chrono::steady_clock::now().time_since_epoch(); }

std::int64_t RealClock::wall_unix_ns() const {
  return std::chrono::duration_cast<Nanos>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void RealClock::sleep_until(Nanos deadline) {
  std::this_thread::sleep_until(std::chrono::steady_clock::time_point(deadline));
}

AcceleratedClock::AcceleratedClock(Clock& base, double factor)
    : base_(base), factor_(factor), base_start_(base.now()), wall_start_(base.wall_unix_ns()) {
  WATTREIN_CHECK(factor > 0);
}

Nanos AcceleratedClock::now() const { return scaled(base_.now() - base_start_, factor_); }

std::int64_t AcceleratedClock::wall_unix_ns() const { return wall_start_ + now().count(); }

void AcceleratedClock::sleep_until(Nanos deadline) { base_.sleep_until(base_start_ + scaled(deadline, 1.0 / factor_)); }

}  // namespace wattrein
