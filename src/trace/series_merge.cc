#include "trace/series_merge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

bool same_power(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Indices of the samples within [from, to].
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};
Range within(const Series& s, std::int64_t shift, std::int64_t from, std::int64_t to) {
  const auto first = std::ranges::lower_bound(s.time_ns, from - shift);
  const auto last = std::ranges::upper_bound(s.time_ns, to - shift);
  return {static_cast<std::size_t>(first - s.time_ns.begin()), static_cast<std::size_t>(last - s.time_ns.begin())};
}

template <class T>
void append(std::vector<T>& a, std::vector<T>&& b, std::size_t size_a, std::size_t size_b, T missing) {
  if (a.empty() && b.empty()) return;
  a.resize(size_a, missing);
  if (b.empty()) {
    a.resize(size_a + size_b, missing);
  } else {
    a.insert(a.end(), b.begin(), b.end());
  }
  b = {};  // gives its memory back at once
}

/// Sample i of one, j of the other, or both as one.
struct Source {
  std::size_t a = kNone;
  std::size_t b = kNone;
};

std::vector<Source> order_of(const Series& a, const Series& b) {
  std::vector<Source> order;
  order.reserve(a.size() + b.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool both = i < a.size() && j < b.size();
    if (both && a.time_ns[i] == b.time_ns[j] && same_power(a.power_w[i], b.power_w[j])) {
      order.push_back({i++, j++});
    } else if (j == b.size() || (both && a.time_ns[i] <= b.time_ns[j])) {
      order.push_back({i++, kNone});
    } else {
      order.push_back({kNone, j++});
    }
  }
  return order;
}

template <class T, class Known>
void gather(std::vector<T>& a, const std::vector<T>& b, const std::vector<Source>& order, T missing,
            const Known& known) {
  if (a.empty() && b.empty()) return;
  std::vector<T> out(order.size(), missing);
  for (std::size_t k = 0; k < order.size(); ++k) {
    if (order[k].a != kNone && !a.empty()) out[k] = a[order[k].a];
    if (order[k].b != kNone && !b.empty() && !known(out[k])) out[k] = b[order[k].b];
  }
  a = std::move(out);
}

void interleave(Series& a, Series&& b) {
  const std::vector<Source> order = order_of(a, b);
  const auto finite = [](double v) { return !std::isnan(v); };
  std::vector<std::int64_t> time(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    time[k] = order[k].a != kNone ? a.time_ns[order[k].a] : b.time_ns[order[k].b];
  }
  gather(a.power_w, b.power_w, order, kUnknown, finite);
  for (const ColumnSpec& spec : kColumns) gather(a.column(spec.column), b.column(spec.column), order, kUnknown, finite);
  gather<std::int16_t>(a.phase, b.phase, order, -1, [](std::int16_t p) { return p >= 0; });
  a.time_ns = std::move(time);
}

void merge_device(Device& a, const Device& b) {
  if (a.uuid.empty()) a.uuid = b.uuid;
  if (a.model.empty()) a.model = b.model;
  if (a.host.empty()) a.host = b.host;
  if (!a.nameplate) a.nameplate = b.nameplate;
  if (a.meter != b.meter) a.meter = MeterKind::unknown;
}

}  // namespace

std::optional<Clash> clash_of(const Series& a, std::int64_t shift_a, const Series& b, std::int64_t shift_b) {
  if (a.size() == 0 || b.size() == 0) return std::nullopt;
  const std::int64_t from = std::max(a.time_ns.front() + shift_a, b.time_ns.front() + shift_b);
  const std::int64_t to = std::min(a.time_ns.back() + shift_a, b.time_ns.back() + shift_b);
  if (from > to) return std::nullopt;
  const bool continues = from == to && (a.time_ns.back() + shift_a == from) != (b.time_ns.back() + shift_b == from);
  if (continues) return std::nullopt;
  const Range in_a = within(a, shift_a, from, to);
  const Range in_b = within(b, shift_b, from, to);
  if (in_a.begin == in_a.end || in_b.begin == in_b.end) return std::nullopt;
  std::size_t i = in_a.begin;
  std::size_t j = in_b.begin;
  while (i < in_a.end && j < in_b.end && a.time_ns[i] + shift_a == b.time_ns[j] + shift_b &&
         same_power(a.power_w[i], b.power_w[j])) {
    ++i;
    ++j;
  }
  if (i == in_a.end && j == in_b.end) return std::nullopt;
  Clash clash;
  if (i < in_a.end) clash.a = i;
  if (j < in_b.end) clash.b = j;
  return clash;
}

std::int64_t merge_into(Series& a, Series&& b) {
  merge_device(a.device, b.device);
  a.duplicate_stamps += b.duplicate_stamps;
  a.backward_stamps += b.backward_stamps;
  if (b.size() == 0) return 0;
  if (a.size() == 0 || a.time_ns.back() < b.time_ns.front()) {
    const std::size_t n = a.size();
    const std::size_t m = b.size();
    for (const ColumnSpec& spec : kColumns)
      append(a.column(spec.column), std::move(b.column(spec.column)), n, m, kUnknown);
    append<std::int16_t>(a.phase, std::move(b.phase), n, m, -1);
    append(a.power_w, std::move(b.power_w), n, m, kUnknown);
    append<std::int64_t>(a.time_ns, std::move(b.time_ns), n, m, 0);
    return 0;
  }
  const std::size_t apart = a.size() + b.size();
  interleave(a, std::move(b));
  const auto both = static_cast<std::int64_t>(apart - a.size());
  // Sorting hid which stamps repeat; they are counted anew.
  a.duplicate_stamps = 0;
  for (std::size_t i = 1; i < a.size(); ++i) a.duplicate_stamps += a.time_ns[i] == a.time_ns[i - 1] ? 1 : 0;
  return both;
}

}  // namespace wattrein::trace
