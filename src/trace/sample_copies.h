#pragma once
// Samples that stand in a log a second time.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace wattrein::trace {

struct SampleCopies {
  std::int64_t dropped = 0;
  std::int64_t doubtful = 0;  ///< may be copies, may be polls that agree: kept
};

/// How many places of `order` have the stamp of the place before.
[[nodiscard]] std::int64_t repeated_stamps(const Series& series, const std::vector<std::size_t>& order);

/// Takes copies out of `order`, the places of a series' samples by time and then by their place in the file: of parts
/// of a file that were put into it again, and of rows that were all written twice.
[[nodiscard]] SampleCopies drop_copies(const Series& series, std::vector<std::size_t>& order);

/// Whether `order` mixes two sessions that cover the same time with other readings. `series` is not sorted yet.
[[nodiscard]] bool sessions_overlap(const Series& series, const std::vector<std::size_t>& order);

/// What was done, in sentences.
[[nodiscard]] std::vector<std::string> notes_of(const SampleCopies& copies);

}  // namespace wattrein::trace
