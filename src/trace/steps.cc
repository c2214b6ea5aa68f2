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
  /// How many samples stand at t, where seek(t) has led.
  [[nodiscard]] std::size_t samples_at(std::int64_t t) const {
    std::size_t n = 0;
    while (n <= i && steps.begin(i - n) == t) ++n;
    return n;
  }
  [[nodiscard]] double power(std::int64_t t) const { return t < steps.end(i) ? steps.power[i] : std::nan(""); }
};

/// Polls that share their stamp with the last one at t: where every part has equally many, the first of each make a
/// poll, and so on. They have no width, and count as samples.
void add_earlier_polls(std::span<const Cursor> cursors, std::int64_t t, Series& sum) {
  const std::size_t polls = cursors.front().samples_at(t);
  if (polls < 2) return;
  if (std::ranges::any_of(cursors, [&](const Cursor& c) { return c.samples_at(t) != polls; })) return;
  for (std::size_t before = polls - 1; before > 0; --before) {
    double total = 0.0;
    for (const Cursor& cursor : cursors) total += cursor.steps.power[cursor.i - before];
    sum.time_ns.push_back(t);
    sum.power_w.push_back(total);
    ++sum.duplicate_stamps;
  }
}

/// The stamps at which a part can change from `from` to `last` and on before `to`, ascending, each once: its samples,
/// and where a hold runs out.
std::vector<std::int64_t> stamps_of(const Steps& part, std::int64_t from, std::int64_t last, std::int64_t to) {
  std::vector<std::int64_t> stamps;
  const auto add = [&stamps](std::int64_t t) {
    if (stamps.empty() || stamps.back() != t) stamps.push_back(t);
  };
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part.begin(i) >= from && (part.begin(i) <= last || part.begin(i) < to)) add(part.begin(i));
    const bool runs_out = i + 1 < part.size() && part.end(i) < part.begin(i + 1);
    if (runs_out && part.end(i) > from && part.end(i) < to) add(part.end(i));
  }
  return stamps;
}

/// The stamps at which a sum can change. Parts are united two by two, and those that were polled together fall into one
/// at once, so that time and memory stay near those of one part.
std::vector<std::int64_t> union_stamps(std::span<const Steps> parts, std::int64_t from, std::int64_t last,
                                       std::int64_t to) {
  if (parts.size() == 1) return stamps_of(parts.front(), from, last, to);
  const std::size_t half = parts.size() / 2;
  std::vector<std::int64_t> left = union_stamps(parts.first(half), from, last, to);
  const std::vector<std::int64_t> right = union_stamps(parts.subspan(half), from, last, to);
  if (left == right) return left;
  std::vector<std::int64_t> both;
  both.reserve(std::max(left.size(), right.size()));
  std::ranges::set_union(left, right, std::back_inserter(both));
  return both;
}

/// Between which two gaps the median most likely lies: from a sample of them, six standard deviations of its rank to
/// either side (Floyd and Rivest 1975). All of them where there are few.
struct Middle {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};
Middle likely_middle(std::span<const std::int64_t> time_ns) {
  constexpr std::size_t kSample = 4096;
  constexpr std::size_t kSpread = std::size_t{6} * 32;  // half the square root of 4096, six times
  const std::size_t n = time_ns.size() - 1;
  if (n < 8 * kSample) return {};
  std::vector<std::int64_t> gaps(kSample);
  for (std::size_t k = 0; k < kSample; ++k) {
    const std::size_t i = k * (n / kSample) + k * 7919 % (n / kSample);  // no beat with a pattern of the log's own
    gaps[k] = time_ns[i + 1] - time_ns[i];
  }
  std::ranges::sort(gaps);
  return {gaps[kSample / 2 - kSpread], gaps[kSample / 2 + kSpread]};
}

}  // namespace

Nanos median_period(std::span<const std::int64_t> time_ns) {
  if (time_ns.size() < 2) return Nanos(0);
  const std::size_t n = time_ns.size() - 1;
  const Middle likely = likely_middle(time_ns);
  const bool one_value = likely.least == likely.most;  // as in a log without jitter: nothing to keep
  std::vector<std::int64_t> within;
  std::size_t below = 0;
  std::size_t inside = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t gap = time_ns[i + 1] - time_ns[i];
    below += gap < likely.least ? 1 : 0;
    if (gap < likely.least || gap > likely.most) continue;
    ++inside;
    if (!one_value) within.push_back(gap);
  }
  // The median's place n / 2, and for an even number the one before, have to lie inside.
  const bool found = n / 2 >= below + (n % 2 == 0 ? 1 : 0) && n / 2 < below + inside;
  if (found && one_value) return Nanos(likely.least);
  if (!found) {
    below = 0;
    within.resize(n);
    for (std::size_t i = 0; i < n; ++i) within[i] = time_ns[i + 1] - time_ns[i];
  }
  const auto middle = within.begin() + static_cast<std::ptrdiff_t>(n / 2 - below);
  std::ranges::nth_element(within, middle);
  if (n % 2 == 1) return Nanos(*middle);
  const std::int64_t before = *std::max_element(within.begin(), middle);
  return Nanos(before + (*middle - before) / 2);
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

  const std::vector<std::int64_t> stamps = union_stamps(parts, from, last, to);
  sum.series.time_ns.reserve(stamps.size());
  sum.series.power_w.reserve(stamps.size());
  std::vector<Cursor> cursors;
  cursors.reserve(parts.size());
  for (const Steps& part : parts) cursors.push_back({.steps = part});
  for (const std::int64_t t : stamps) {
    for (Cursor& cursor : cursors) cursor.seek(t);
    add_earlier_polls(cursors, t, sum.series);
    double total = 0.0;
    for (const Cursor& cursor : cursors) {
      // The last sample of a part that has no width still counts at its own stamp.
      const bool at_last = cursor.i + 1 == cursor.steps.size() && t == cursor.steps.begin(cursor.i);
      total += at_last ? cursor.steps.power[cursor.i] : cursor.power(t);
    }
    sum.series.time_ns.push_back(t);
    sum.series.power_w.push_back(total);
  }
  sum.last_hold_ns = std::max<std::int64_t>(0, to - sum.series.time_ns.back());
  return sum;
}

}  // namespace wattrein::trace
