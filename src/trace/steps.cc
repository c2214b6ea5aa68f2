#include "trace/steps.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace wattrein::trace {

namespace {

std::int64_t max_hold(const HoldRule& rule, Nanos period) {
  switch (rule.max_gap) {
    case HoldRule::MaxGap::none: return kForever;
    case HoldRule::MaxGap::fixed: return rule.fixed_gap.count();
    case HoldRule::MaxGap::three_periods: return period.count() > 0 ? 3 * period.count() : kForever;
  }
  return kForever;
}

/// Walks one part of a sum forward in time.
struct Cursor {
  Steps steps;
  std::size_t i = 0;

  /// Moves to the last sample at or before t. Requires begin(0) <= t.
  void seek(std::int64_t t) {
    while (i + 1 < steps.size() && steps.begin(i + 1) <= t) ++i;
  }
  [[nodiscard]] double power(std::int64_t t) const { return t < steps.end(i) ? steps.power[i] : std::nan(""); }
};

/// The stamps at which a part can change within [from, to], ascending, each once: its samples, and where a hold runs
/// out.
std::vector<std::int64_t> stamps_of(const Steps& part, std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> stamps;
  const auto add = [&stamps](std::int64_t t) {
    if (stamps.empty() || stamps.back() != t) stamps.push_back(t);
  };
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part.begin(i) >= from && part.begin(i) <= to) add(part.begin(i));
    const bool runs_out = i + 1 < part.size() && part.end(i) < part.begin(i + 1);
    if (runs_out && part.end(i) > from && part.end(i) < to) add(part.end(i));
  }
  return stamps;
}

/// The stamps at which a sum can change. Parts are united two by two, and those that were polled together fall into one
/// at once, so that time and memory stay near those of one part.
std::vector<std::int64_t> union_stamps(std::span<const Steps> parts, std::int64_t from, std::int64_t to) {
  if (parts.size() == 1) return stamps_of(parts.front(), from, to);
  const std::size_t half = parts.size() / 2;
  const std::vector<std::int64_t> left = union_stamps(parts.first(half), from, to);
  const std::vector<std::int64_t> right = union_stamps(parts.subspan(half), from, to);
  if (left == right) return left;
  std::vector<std::int64_t> both;
  both.reserve(std::max(left.size(), right.size()));
  std::ranges::set_union(left, right, std::back_inserter(both));
  return both;
}

}  // namespace

Nanos median_period(std::span<const std::int64_t> time_ns) {
  if (time_ns.size() < 2) return Nanos(0);
  std::vector<std::int64_t> gaps(time_ns.size() - 1);
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = time_ns[i + 1] - time_ns[i];
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::ranges::nth_element(gaps, middle);
  if (gaps.size() % 2 == 1) return Nanos(*middle);
  const std::int64_t below = *std::max_element(gaps.begin(), middle);
  return Nanos(below + (*middle - below) / 2);
}

Nanos usual_period(std::span<const std::int64_t> time_ns) {
  const Nanos period = median_period(time_ns);
  if (period > Nanos(0) || time_ns.size() < 2) return period;
  std::vector<std::int64_t> different(time_ns.begin(), time_ns.end());
  different.erase(std::ranges::unique(different).begin(), different.end());
  return median_period(different);
}

Steps steps_of(const Series& series, const HoldRule& rule) {
  const Nanos period = usual_period(series.time_ns);
  return {.time_ns = series.time_ns,
          .power = series.power_w,
          .max_hold_ns = max_hold(rule, period),
          .last_hold_ns = rule.last_holds ? period.count() : 0,
          .median_period = period,
          .meter = series.device.meter};
}

Steps Sum::steps() const {
  return {.time_ns = series.time_ns,
          .power = series.power_w,
          .max_hold_ns = kForever,
          .last_hold_ns = last_hold_ns,
          .median_period = median_period,
          .meter = meter};
}

std::optional<Sum> sum_of(const Trace& trace, const HoldRule& rule, std::vector<std::string>* left_out) {
  std::vector<Steps> parts;
  Sum sum;
  sum.series.device.name = "sum";
  bool first = true;
  for (const Series& series : trace.series) {
    if (series.size() < 2) {
      if (left_out != nullptr) left_out->push_back(series.device.name);
      continue;
    }
    parts.push_back(steps_of(series, rule));
    sum.median_period = std::max(sum.median_period, parts.back().median_period);
    sum.meter = first || sum.meter == series.device.meter ? series.device.meter : MeterKind::unknown;
    first = false;
  }
  if (parts.size() < 2) return std::nullopt;

  const std::int64_t from = std::ranges::max(parts, {}, &Steps::span_begin).span_begin();
  const std::int64_t last = std::ranges::min(parts, {}, [](const Steps& p) { return p.time_ns.back(); }).time_ns.back();
  const std::int64_t to = std::ranges::min(parts, {}, &Steps::span_end).span_end();
  if (from > last) return std::nullopt;

  sum.series.time_ns = union_stamps(parts, from, last);
  sum.series.power_w.resize(sum.series.size());
  std::vector<Cursor> cursors;
  for (const Steps& part : parts) cursors.push_back({.steps = part});
  for (std::size_t i = 0; i < sum.series.size(); ++i) {
    const std::int64_t t = sum.series.time_ns[i];
    double total = 0.0;
    for (Cursor& cursor : cursors) {
      cursor.seek(t);
      // The last sample of a part that has no width still counts at its own stamp.
      const bool at_last = cursor.i + 1 == cursor.steps.size() && t == cursor.steps.begin(cursor.i);
      total += at_last ? cursor.steps.power[cursor.i] : cursor.power(t);
    }
    sum.series.power_w[i] = total;
  }
  sum.last_hold_ns = std::max<std::int64_t>(0, to - sum.series.time_ns.back());
  return sum;
}

}  // namespace wattrein::trace
