#pragma once
// Traces of a few samples, for the tests of what compares and joins them.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/trace.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {

inline constexpr std::int64_t kNine = 1'772'442'000 * kSecond;  // 2026-03-02 09:00:00 UTC

inline Series series(std::string name, std::vector<double> power_w, double from_s = 0, double period_s = 1) {
  Series s;
  s.device.name = std::move(name);
  for (std::size_t i = 0; i < power_w.size(); ++i) {
    s.time_ns.push_back(static_cast<std::int64_t>((from_s + period_s * static_cast<double>(i)) * 1e9));
  }
  s.power_w = std::move(power_w);
  return s;
}

/// A file with a clock that starts `start_s` after nine; without one where there is none.
inline Trace file(std::string source, std::optional<std::int64_t> start_s, std::vector<Series> all) {
  Trace t;
  t.source = std::move(source);
  if (start_s) t.start_unix_ns = kNine + *start_s * kSecond;
  t.start_has_zone = start_s.has_value();
  t.series = std::move(all);
  t.understanding.format = "csv";
  t.understanding.power = "power_w";
  for (const Series& s : t.series) t.understanding.rows += static_cast<std::int64_t>(s.size());
  return t;
}

template <class... T>
std::vector<Trace> files(T... each) {
  std::vector<Trace> out;
  (out.push_back(std::move(each)), ...);
  return out;
}

inline bool says(const std::vector<std::string>& sentences, std::string_view what) {
  return std::ranges::any_of(sentences, [&](const std::string& s) { return s.find(what) != std::string::npos; });
}

inline std::vector<std::string> names(const Trace& t) {
  std::vector<std::string> out;
  for (const Series& s : t.series) out.push_back(s.device.name);
  return out;
}

}  // namespace wattrein::trace
