#include "trace/join_groups.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <numeric>

#include "base/text.h"
#include "trace/join_copies.h"
#include "trace/join_plan.h"
#include "trace/steps.h"

namespace wattrein::trace {

namespace {

bool read_alike(const Trace& a, const Trace& b) {
  return a.understanding.format == b.understanding.format && a.understanding.power == b.understanding.power &&
         a.evidence == b.evidence && a.workload == b.workload;
}

bool clocks_alike(const Outline& a, const Outline& b) {
  return a.has_zone == b.has_zone || (!a.has_zone && a.zone_given) || (!b.has_zone && b.zone_given);
}

std::int64_t difference(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_sub_overflow(a, b, &out) ? std::numeric_limits<std::int64_t>::max() : out;
}

/// At least half of the shorter one lies within the other: nodes of one job, not runs that touch.
bool side_by_side(const Outline& a, const Outline& b) {
  const std::int64_t from = std::max(a.first, b.first);
  const std::int64_t to = std::min(a.last, b.last);
  if (from >= to) return false;
  return difference(to, from) >= std::min(difference(a.last, a.first), difference(b.last, b.first)) / 2;
}

bool overlap(const Outline& a, const Outline& b) { return a.first <= b.last && b.first <= a.last; }

/// Between the end of the earlier and the begin of the later, if that is a minute (or ten periods) at the most;
/// below zero where they overlap.
std::optional<std::int64_t> short_gap(const Outline& in_a, const Outline& in_b) {
  const bool a_first = in_a.first <= in_b.first;
  const std::int64_t gap = a_first ? difference(in_b.first, in_a.last) : difference(in_a.first, in_b.last);
  constexpr std::int64_t kMinute = Nanos(std::chrono::minutes(1)).count();
  constexpr std::int64_t kYear = Nanos(std::chrono::hours(8760)).count();  // longer periods are none
  const std::int64_t most = std::max(kMinute, 10 * std::min(kYear, std::max(in_a.period, in_b.period).count()));
  return gap > most ? std::nullopt : std::optional(gap);
}

/// The later begins shortly behind the earlier one's end, and they have a device in common; where they overlap, one
/// that is the same for certain or by its readings.
bool continues(const Trace& a, const Outline& in_a, const Trace& b, const Outline& in_b) {
  const auto gap = short_gap(in_a, in_b);
  if (!gap) return false;
  if (*gap < 0 && agreement_of(a, in_a.first, b, in_b.first).copies()) return true;
  return std::ranges::any_of(a.series, [&](const Series& s) {
    return std::ranges::any_of(b.series, [&](const Series& other) {
      const Same same = same_device(s.device, other.device);
      return *gap < 0 ? same == Same::yes : same != Same::no;
    });
  });
}

}  // namespace

Outline outline_of(const Trace& trace, const std::optional<Nanos>& offset) {
  Outline out;
  out.zone_given = offset.has_value();
  out.has_zone = trace.start_has_zone;
  if (!trace.start_unix_ns) return out;
  if (__builtin_add_overflow(*trace.start_unix_ns, offset.value_or(Nanos(0)).count(), &out.first)) return out;
  out.last = out.first;
  for (const Series& s : trace.series) {
    std::int64_t last = 0;
    if (s.size() == 0) continue;
    if (__builtin_add_overflow(out.first, s.time_ns.back(), &last)) return out;
    out.last = std::max(out.last, last);
    out.period = std::max(out.period, usual_period(s.time_ns));
  }
  out.placed = true;
  return out;
}

std::string apart(const std::vector<Trace>& traces, const std::vector<Outline>& outlines, std::size_t file) {
  if (!outlines[file].placed) {
    return "Taken on its own, since it has no clock: --join same-start takes the files as begun together, --join "
           "append "
           "as one behind the other, --offset FILE=+1.5s says when it began.";
  }
  for (std::size_t other = 0; other < traces.size(); ++other) {
    if (other == file || !outlines[other].placed || !overlap(outlines[file], outlines[other])) continue;
    std::string_view why = "for less than half of the shorter one";
    if (!clocks_alike(outlines[file], outlines[other])) why = "but only one of them states the zone of its clock";
    if (!read_alike(traces[file], traces[other])) why = "but differs in format, power column, evidence or workload";
    return fmt::format("Taken on its own: {} overlaps it in time, {}. --join clock joins them all the same.",
                       printable(traces[other].source, 200), why);
  }
  for (std::size_t other = 0; other < traces.size(); ++other) {
    if (other == file || !outlines[other].placed || !short_gap(outlines[file], outlines[other])) continue;
    return fmt::format(
        "Taken on its own: {} lies next to it in time, but differs in {}. --join append takes the files "
        "one behind the other.",
        printable(traces[other].source, 200),
        read_alike(traces[file], traces[other]) ? "its devices or the zone of its clock"
                                                : "format, power column, evidence or workload");
  }
  return "Taken on its own: no other file overlaps it in time or continues it. --join clock joins them all the same.";
}

std::vector<std::vector<std::size_t>> groups_of(const std::vector<Trace>& traces,
                                                const std::vector<Outline>& outlines) {
  std::vector<std::size_t> group(traces.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t i = 0; i < traces.size(); ++i) {
    for (std::size_t j = i + 1; j < traces.size(); ++j) {
      const Outline& a = outlines[i];
      const Outline& b = outlines[j];
      if (group[i] == group[j] || !a.placed || !b.placed || !read_alike(traces[i], traces[j]) || !clocks_alike(a, b)) {
        continue;
      }
      if (!side_by_side(a, b) && !continues(traces[i], a, traces[j], b)) continue;
      const std::size_t from = std::max(group[i], group[j]);
      const std::size_t to = std::min(group[i], group[j]);
      std::ranges::replace(group, from, to);
    }
  }
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < traces.size(); ++i) members[group[i]].push_back(i);
  std::vector<std::vector<std::size_t>> out;
  for (auto& [first, files] : members) out.push_back(std::move(files));
  return out;
}

}  // namespace wattrein::trace
