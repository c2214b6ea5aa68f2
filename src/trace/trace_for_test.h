#pragma once
// What the tests of several readers need.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "trace/read.h"

namespace wattrein::trace {

using Powers = std::vector<double>;
using Times = std::vector<std::int64_t>;
inline constexpr std::int64_t kSecond = 1'000'000'000;
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

inline Result<Trace> read_text(std::string_view text, const ReadOptions& options = {}) {
  return read_memory(text, "log", options);
}
inline std::string error_of(std::string_view text, const ReadOptions& options = {}) {
  const auto trace = read_text(text, options);
  return trace ? "read" : trace.error().message();
}
inline bool mentions(const Trace& trace, std::string_view words) {
  for (const std::string& note : trace.understanding.notes) {
    if (note.find(words) != std::string::npos) return true;
  }
  return false;
}
/// Equal, unknown where the other is unknown.
inline bool same(const Powers& a, const Powers& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && (a[i] == a[i] || b[i] == b[i])) return false;
  }
  return true;
}

}  // namespace wattrein::trace
