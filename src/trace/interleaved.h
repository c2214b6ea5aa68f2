#pragma once
// Readings of several devices or machines that stand under one name, one behind the other.

#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// What a series looks like that is several in turn.
struct Interleaved {
  int sources = 2;
  Watts first;  ///< usual power of readings 0, `sources`, 2 `sources`, ... and of those after each
  Watts second;
};

/// Where readings are far closer to the one `sources` before them than to the one before, nearly throughout, and
/// either stamps do the same, or there are two sources and powers lie much further apart than that. Requires that the
/// series is sorted by time.
[[nodiscard]] std::optional<Interleaved> interleaved(const Series& series);

/// What to say of the series that are interleaved, in one sentence; nothing where none is.
[[nodiscard]] std::optional<std::string> interleaved_warning(const std::vector<Series>& series);

}  // namespace wattrein::trace
