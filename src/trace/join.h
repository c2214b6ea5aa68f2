#pragma once
// Several traces made one, by device identity and clock (docs/formats/readers.md, "Several files").

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::trace {

enum class Join : std::uint8_t {
  automatic,   ///< what overlaps in time or continues a device within a minute, and was read alike; the rest apart
  clock,       ///< all of them, by their wall clocks
  same_start,  ///< all of them, as if they had begun together
  append,      ///< all of them, one behind the other
  none,        ///< each on its own
};

struct JoinOptions {
  Join mode = Join::automatic;
  /// Added to the clock of each trace, in their order; may be shorter. A trace without a clock that has one begins so
  /// long after the earliest that has a clock.
  std::vector<std::optional<Nanos>> offsets{};
};

/// The traces that are left, in the order of their first files. What was done, and how to have it otherwise, stands
/// in the notes of each; readings that a sum would count twice in its warnings. Devices are the same where their uuid
/// is, else their host and name; a bare name is the same device only while its stretches do not overlap.
/// Errors: usage (a clock is missing for what was asked, classes of evidence differ), bad_input (two recordings of one
/// device disagree). With Join::automatic such files are left apart instead. No error with one trace.
[[nodiscard]] Result<std::vector<Trace>> join(std::vector<Trace> traces, const JoinOptions& options);

/// "power" of "logs/power.csv.gz": what a file is called in device names.
[[nodiscard]] std::string file_label(std::string_view path);

}  // namespace wattrein::trace
