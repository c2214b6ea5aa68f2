#pragma once
// What belongs together where nobody said: the automatic choice of a join.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// A file as the automatic choice sees it.
struct Outline {
  bool placed = false;  ///< it has a clock
  bool zone_given = false;
  bool has_zone = false;
  std::int64_t first = 0;
  std::int64_t last = 0;
  Nanos period{0};
};

[[nodiscard]] Outline outline_of(const Trace& trace, const std::optional<Nanos>& offset);

/// Files that belong together, each group in order, groups in the order of their first file.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_of(const std::vector<Trace>& traces,
                                                              const std::vector<Outline>& outlines);

/// Why a file was left apart, in a sentence, and what would join it.
[[nodiscard]] std::string apart(const std::vector<Trace>& traces, const std::vector<Outline>& outlines,
                                std::size_t file);

}  // namespace wattrein::trace
