#pragma once
// Clocks without a date that go back where no midnight was: another session was appended, or two logs are mixed.

#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/units.h"
#include "trace/builder.h"
#include "trace/input.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

/// Watches the stamps of one clock. Threads: one.
class BackSteps {
 public:
  /// To be called behind every stamp that was read. Rows of one poll share a stamp, which counts once.
  void watch(const StampParser& stamps, std::int64_t stamp_ns, const Input& input) {
    if (stamp_ns != last_ns_) ++stamps_;
    last_ns_ = stamp_ns;
    if (stamps.back_step() > Nanos(0)) remember(stamps.back_step(), input);
  }

  /// Notes where the clock went back, by how much, and that it was read as the next day. Errors, bad_input: it goes
  /// back again and again.
  [[nodiscard]] Result<void> settle(Builder& builder, const Input& input) const;

 private:
  void remember(Nanos step, const Input& input);

  std::int64_t stamps_ = 0;
  std::int64_t last_ns_ = -1;
  std::int64_t steps_ = 0;
  Nanos first_{0};
  std::string place_;  ///< of the first
};

}  // namespace wattrein::trace
