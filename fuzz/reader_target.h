#pragma once
// What every reader's fuzz target does: read the bytes, and hold the reader to what trace.h promises.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "trace/read.h"

namespace wattrein::trace {

inline void check_promises(const Trace& trace) {
  WATTREIN_CHECK(!trace.series.empty());
  std::size_t rows = 0;
  for (const Series& s : trace.series) {
    rows += s.size();
    WATTREIN_CHECK(s.size() > 0 && s.power_w.size() == s.size());
    WATTREIN_CHECK(std::ranges::is_sorted(s.time_ns) && s.time_ns.front() >= 0);
    WATTREIN_CHECK(s.phase.empty() || s.phase.size() == s.size());
    for (const auto& column : s.columns) WATTREIN_CHECK(column.empty() || column.size() == s.size());
  }
  WATTREIN_CHECK(rows == static_cast<std::size_t>(trace.understanding.rows));
}

/// Errors are fine, as long as they say something.
/// None, or one of 1 ns to 73 years: as a user may give it, above zero.
inline std::optional<Nanos> fuzz_period(std::uint8_t byte) {
  if ((byte & 1) == 0) return std::nullopt;
  return Nanos(std::int64_t{1} << (byte >> 2) % 62);
}

inline void fuzz_reader(const std::uint8_t* data, std::size_t size, const ReadOptions& options) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  if (const auto trace = read_memory(content, "fuzz", options)) {
    check_promises(*trace);
  } else {
    WATTREIN_CHECK(!trace.error().what.empty());
  }
}

}  // namespace wattrein::trace
