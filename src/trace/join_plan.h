#pragma once
// What a join will do, found out before any trace is touched: a plan that exists can be carried out.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "trace/join.h"

namespace wattrein::trace {

using Offsets = std::vector<std::optional<Nanos>>;  ///< as many as traces

/// Where each of some traces begins on their common axis of time.
struct Placement {
  std::vector<std::int64_t> begin;  ///< of time_ns = 0, in the order asked for
  bool wall = false;                ///< the axis is unix time
  bool has_zone = false;
  std::vector<std::string> notes;
};

/// `files` are indices into `traces`, in order. Errors: usage, bad_input (stamps beyond what 64 bits hold).
[[nodiscard]] Result<Placement> place(const std::vector<Trace>& traces, std::span<const std::size_t> files, Join mode,
                                      const Offsets& offsets);

/// One device of one file.
struct Piece {
  std::size_t file = 0;    ///< index into the traces
  std::size_t series = 0;  ///< of that trace
  std::int64_t shift = 0;  ///< begin of the file
  std::int64_t first = 0;  ///< on the common axis
  std::int64_t last = 0;
};

/// A device of the joined trace; its pieces in order of time.
struct Target {
  std::vector<Piece> pieces;
  std::string name;
};

struct Identity {
  std::vector<Target> targets;  ///< in the order of their first mention
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
};

/// Which devices are the same, and what they are called. Errors: bad_input, for two recordings of one device that
/// disagree.
[[nodiscard]] Result<Identity> identify(const std::vector<Trace>& traces, std::span<const std::size_t> files,
                                        const Placement& placement, Join mode);

/// Whether two devices can be told to be the same (uuid, or host and name), to be different, or neither.
enum class Same : std::uint8_t { yes, no, unknown };
[[nodiscard]] Same same_device(const Device& a, const Device& b);

}  // namespace wattrein::trace
