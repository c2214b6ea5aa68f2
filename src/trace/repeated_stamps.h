#pragma once
// Several readings of one device at every stamp: two devices under one name, or stamps coarser than the polls.

#include <optional>
#include <span>
#include <string>

#include "trace/trace.h"

namespace wattrein::trace {

/// A warning, where (nearly) every stamp of a device has the same number of readings, two or more, and they differ.
/// Series are sorted by time.
[[nodiscard]] std::optional<std::string> repeated_stamps(std::span<const Series> series);

}  // namespace wattrein::trace
