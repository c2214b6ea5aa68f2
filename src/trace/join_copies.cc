#include "trace/join_copies.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "trace/join_plan.h"
#include "trace/series_merge.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kLooks = 500;

/// Adds what two series share.
void add(const Series& a, std::int64_t shift_a, const Series& b, std::int64_t shift_b, Agreement& agreement) {
  if (clash_of(a, shift_a, b, shift_b)) agreement.differs = true;
  auto i = static_cast<std::size_t>(std::ranges::lower_bound(a.time_ns, b.time_ns.front() + shift_b - shift_a) -
                                    a.time_ns.begin());
  std::size_t j = 0;
  bool any = false;
  double last = 0.0;
  std::int64_t looks = 0;
  while (i < a.size() && j < b.size() && !(agreement.differs && looks > kLooks)) {
    ++looks;
    const std::int64_t in_a = a.time_ns[i] + shift_a;
    const std::int64_t in_b = b.time_ns[j] + shift_b;
    if (in_a != in_b) {
      in_a < in_b ? ++i : ++j;
      continue;
    }
    const double w = a.power_w[i++];
    const double other = b.power_w[j++];
    if (w != w || other != other) continue;
    ++agreement.shared;
    if (w != other) continue;
    ++agreement.equal;
    if (any && w != last) ++agreement.changes;
    any = true;
    last = w;
  }
}

}  // namespace

Agreement agreement_of(const Trace& a, std::int64_t shift_a, const Trace& b, std::int64_t shift_b) {
  std::unordered_map<std::string_view, const Series*> by_name;
  for (const Series& s : b.series) by_name.emplace(s.device.name, &s);
  Agreement agreement;
  agreement.whole = a.series.size() == b.series.size();
  for (const Series& s : a.series) {
    const auto at = by_name.find(s.device.name);
    if (at == by_name.end() || at->second->size() != s.size()) agreement.whole = false;
    if (at == by_name.end() || s.size() == 0 || at->second->size() == 0) continue;
    const Series& other = *at->second;
    if (same_device(s.device, other.device) != Same::unknown) continue;
    const bool same_begin = s.time_ns.front() + shift_a == other.time_ns.front() + shift_b;
    const bool same_end = s.time_ns.back() + shift_a == other.time_ns.back() + shift_b;
    agreement.whole = agreement.whole && same_begin && same_end;
    add(s, shift_a, other, shift_b, agreement);
    if (agreement.differs && agreement.shared > kLooks) break;
  }
  return agreement;
}

}  // namespace wattrein::trace
