#pragma once
// Devices that hold the very same readings: a copied log that a sum would count more than once.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace wattrein::trace {

/// The file that a series came from, for the sentence; equal indices are one file.
struct Origin {
  std::size_t file = 0;
  std::string name;
};

/// A sentence for each set of devices, or of whole files, with equal stamps and equal power throughout. Of one file a
/// device must show ten readings and five changes, of several three and two, since idle devices that are polled
/// together may well agree. `origins`, one a series, may be empty: all of one file. Linear in the samples.
[[nodiscard]] std::vector<std::string> identical_series(const Trace& trace, const std::vector<Origin>& origins = {});

/// Two files whose devices were read at the very same moments, with other power: one program that reads two meters,
/// perhaps of one machine. `named`: the files' names say AC and DC.
struct ReadTogether {
  std::string sentence;
  bool named = false;
};
[[nodiscard]] std::optional<ReadTogether> read_together(const Trace& trace, const std::vector<Origin>& origins);

}  // namespace wattrein::trace
