#pragma once
// Logs without a clock whose rows name their device: which poll a row belongs to, so that a device that misses a poll
// has a hole there and moves nobody else's time, nor its own.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "trace/builder.h"

namespace wattrein::trace {

/// The devices of all rows in the file's order. Threads: one. Memory: four bytes a row.
class PollSequence {
 public:
  /// The number of this row, from zero.
  std::int64_t row(std::size_t device) {
    devices_.push_back(static_cast<std::uint32_t>(device));
    return static_cast<std::int64_t>(devices_.size()) - 1;
  }
  /// A header or the like, which stands between polls and never within one.
  void new_poll() {
    if (marks_.empty() || marks_.back() != devices_.size()) marks_.push_back(devices_.size());
  }

  struct Polls {
    std::vector<std::int64_t> of_row;  ///< from zero
    bool certain = true;               ///< false: devices miss polls, and come in no fixed order
  };
  /// A device that comes again begins a poll. Where some polls lack devices that does not suffice: then the fixed order
  /// of the devices tells, by their names ("GPU 2" before "GPU 10") or as they first appear, whichever needs fewer
  /// polls.
  [[nodiscard]] Polls polls(std::span<const std::string> names) const;

 private:
  [[nodiscard]] std::vector<std::int64_t> by_repetition(std::size_t devices, bool& full, bool& marked) const;
  [[nodiscard]] std::vector<std::int64_t> by_order(std::span<const std::size_t> ranks) const;

  std::vector<std::uint32_t> devices_;
  std::vector<std::size_t> marks_;  ///< rows before which a poll begins for certain
};

void warn_of_uncertain_polls(Builder& builder);

/// Gives all samples of `builder`, whose times are numbers of rows in `rows`, the time of their poll. Warns where polls
/// are not certain. Errors, usage: the log would span more than 95 years.
[[nodiscard]] Result<void> place_by_polls(Builder& builder, const PollSequence& rows, Nanos period);

}  // namespace wattrein::trace
