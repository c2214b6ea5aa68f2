#pragma once
// Moments finer than the log's stamps of whole seconds, where it is known how long each sample took.

#include <algorithm>
#include <cstdint>
#include <optional>

namespace wattrein::trace {

/// A stamp of whole seconds says that the moment lies in [stamp, stamp + 1 s). The moment before plus the time that
/// passed is kept as far as it lies in there, and moved to the nearer edge where it does not.
class WholeSecondClock {
 public:
  std::int64_t next(std::int64_t stamp_ns, std::int64_t passed_ns) {
    constexpr std::int64_t kSecond = 1'000'000'000;
    std::int64_t at = stamp_ns;
    std::int64_t counted = 0;
    if (last_ && !__builtin_add_overflow(*last_, passed_ns, &counted)) {
      at = std::clamp(counted, stamp_ns, stamp_ns + kSecond - 1);
    }
    last_ = at;
    return at;
  }

 private:
  std::optional<std::int64_t> last_;
};

}  // namespace wattrein::trace
