#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/units.h"

namespace wattrein::analysis {

/// A power limit as a user states it: "400W" for each device, "3200W:sum" for their sum, "3200W:sum@30s" for
/// means over 30 s (without @ every sample counts, and every window is reported beside it).
struct Limit {
  enum class Scope : unsigned char { each_device, sum };
  Watts power{};
  Scope scope = Scope::each_device;
  std::optional<Nanos> window{};
  std::string origin{};  ///< "given", or for a proposal what it was taken from ("99th percentile of samples")

  [[nodiscard]] std::string text() const;  ///< as an option would take it
  bool operator==(const Limit&) const = default;
};

/// Errors: usage, naming `where` and the grammar.
[[nodiscard]] Result<Limit> parse_limit(std::string_view s, std::string_view where = "--limit");

}  // namespace wattrein::analysis
