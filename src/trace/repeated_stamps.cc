#include "trace/repeated_stamps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kLeastStamps = 3;

/// How many readings nearly every stamp has; 1 where they agree or their number changes.
std::size_t readings_a_stamp(const Series& s) {
  std::map<std::size_t, std::size_t> stamps_with;
  std::size_t stamps = 0;
  std::size_t differing = 0;
  for (std::size_t begin = 0; begin < s.size();) {
    std::size_t end = begin + 1;
    bool differ = false;
    for (; end < s.size() && s.time_ns[end] == s.time_ns[begin]; ++end) {
      const bool unknown = std::isnan(s.power_w[end]) && std::isnan(s.power_w[begin]);
      differ = differ || (!unknown && s.power_w[end] != s.power_w[begin]);
    }
    ++stamps;
    ++stamps_with[end - begin];
    differing += differ ? 1 : 0;
    begin = end;
  }
  if (stamps < kLeastStamps || differing * 2 < stamps) return 1;
  const auto usual = std::ranges::max_element(stamps_with, {}, [](const auto& entry) { return entry.second; });
  return usual->second * 10 >= stamps * 9 ? usual->first : 1;
}

}  // namespace

std::optional<std::string> repeated_stamps(std::span<const Series> series) {
  std::string first;
  std::size_t readings = 0;
  std::size_t more = 0;
  for (const Series& s : series) {
    if (s.duplicate_stamps == 0) continue;
    const std::size_t n = readings_a_stamp(s);
    if (n < 2) continue;
    if (!first.empty()) ++more;
    if (first.empty()) readings = n;
    if (first.empty()) first = s.device.name;
  }
  if (first.empty()) return std::nullopt;
  return fmt::format(
      "Device '{}'{} {} {} different readings at every stamp: either a column that tells devices apart is not used "
      "(--device names one), or the stamps are coarser than the polls. Of such readings the last one counts.",
      printable(first, 60), more == 0 ? "" : fmt::format(" and {} more", more), more == 0 ? "has" : "have", readings);
}

}  // namespace wattrein::trace
