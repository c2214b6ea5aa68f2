// Clocks of several traces on one axis.

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "trace/join_plan.h"
#include "trace/steps.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kNoClockCure =
    "Say when it began with --offset FILE=+1.5s (after the earliest start) or --start; or take the files as begun "
    "together with --join same-start, or as one behind the other with --join append.";

std::unexpected<Error> too_far(const Trace& trace) {
  return fail(ErrorKind::bad_input, trace.source, "its clock lies more than 95 years from that of the other files",
              "Shift it with --offset FILE=TIME, or leave it out.");
}

std::int64_t length(const Trace& trace) {
  std::int64_t last = 0;
  for (const Series& s : trace.series) {
    if (s.size() > 0) last = std::max(last, s.time_ns.back());
  }
  return last;
}

Nanos longest_period(const Trace& trace) {
  Nanos longest{0};
  for (const Series& s : trace.series) longest = std::max(longest, usual_period(s.time_ns));
  return longest;
}

std::int64_t offset_of(const Offsets& offsets, std::size_t file) { return offsets[file].value_or(Nanos(0)).count(); }

/// Everything within what one trace may span.
bool fits(const std::vector<Trace>& traces, std::span<const std::size_t> files, const Placement& placed) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  for (std::size_t k = 0; k < files.size(); ++k) {
    std::int64_t end = 0;
    if (__builtin_add_overflow(placed.begin[k], length(traces[files[k]]), &end)) return false;
    low = std::min(low, placed.begin[k]);
    high = std::max(high, end);
  }
  std::int64_t span = 0;
  return !__builtin_sub_overflow(high, low, &span) && span <= kLongestSpan.count();
}

Result<Placement> by_clock(const std::vector<Trace>& traces, std::span<const std::size_t> files,
                           const Offsets& offsets) {
  Placement out;
  const Trace* with_clock = nullptr;
  bool zone = false;
  std::string without_zone;
  for (const std::size_t f : files) {
    const Trace& trace = traces[f];
    if (!trace.start_unix_ns) continue;
    with_clock = &trace;
    if (trace.start_has_zone) {
      zone = true;
    } else if (!offsets[f] && without_zone.empty()) {
      without_zone = trace.source;
    }
  }
  out.wall = with_clock != nullptr;
  out.has_zone = zone && without_zone.empty();
  if (zone && !without_zone.empty()) {
    out.notes.push_back(
        fmt::format("The clock of {} states no zone and is taken as UTC beside those that do; if it is local time, "
                    "shift it with --offset FILE=-2h or the like.",
                    printable(without_zone)));
  }
  for (const std::size_t f : files) {
    const Trace& trace = traces[f];
    if (!trace.start_unix_ns && !offsets[f]) {
      return fail(ErrorKind::usage, trace.source,
                  with_clock != nullptr ? fmt::format("it has no clock, but {} has one", printable(with_clock->source))
                                        : "it has no clock, so where it lies beside the others is not known",
                  std::string(kNoClockCure));
    }
    std::int64_t begin = 0;
    if (__builtin_add_overflow(trace.start_unix_ns.value_or(0), offset_of(offsets, f), &begin)) return too_far(trace);
    out.begin.push_back(begin);
  }
  return out;
}

Result<Placement> by_same_start(const std::vector<Trace>& traces, std::span<const std::size_t> files,
                                const Offsets& offsets) {
  Placement out;
  std::int64_t base = 0;
  for (const std::size_t f : files) {
    const std::optional<std::int64_t>& start = traces[f].start_unix_ns;
    if (!start || out.wall) continue;
    out.wall = true;
    out.has_zone = traces[f].start_has_zone;
    base = *start;
    out.notes.push_back(
        fmt::format("All files are taken to begin with the first reading of {}, whatever their own "
                    "clocks say (--join same-start).",
                    printable(traces[f].source)));
  }
  if (!out.wall) out.notes.emplace_back("All files are taken to begin together (--join same-start).");
  for (const std::size_t f : files) {
    std::int64_t begin = 0;
    if (__builtin_add_overflow(base, offset_of(offsets, f), &begin)) return too_far(traces[f]);
    out.begin.push_back(begin);
  }
  return out;
}

Result<Placement> by_append(const std::vector<Trace>& traces, std::span<const std::size_t> files,
                            const Offsets& offsets) {
  Placement out;
  out.has_zone = true;
  bool chained = false;
  std::int64_t end = 0;  // of what is placed
  Nanos period{0};
  for (std::size_t k = 0; k < files.size(); ++k) {
    const Trace& trace = traces[files[k]];
    const Nanos own = longest_period(trace);
    std::int64_t begin = 0;
    if (trace.start_unix_ns) {
      if (k > 0 && !out.wall) {
        return fail(ErrorKind::usage, trace.source,
                    fmt::format("it has a clock, but {} before it has none", printable(traces[files[0]].source)),
                    "Say when that one began with --start.");
      }
      out.wall = true;
      out.has_zone = out.has_zone && trace.start_has_zone;
      begin = *trace.start_unix_ns;
    } else if (k > 0) {
      const Nanos step = period.count() > 0 ? period : own;
      if (step.count() == 0 && !offsets[files[k]]) {
        return fail(ErrorKind::usage, trace.source,
                    "neither it nor the file before it says how far apart its readings are",
                    "Say how long after the last reading before it it begins: --offset FILE=+1s.");
      }
      if (__builtin_add_overflow(end, step.count(), &begin)) return too_far(trace);
      chained = true;
    }
    if (__builtin_add_overflow(begin, offset_of(offsets, files[k]), &begin)) return too_far(trace);
    std::int64_t last = 0;
    if (__builtin_add_overflow(begin, length(trace), &last)) return too_far(trace);
    end = k == 0 ? last : std::max(end, last);
    if (own.count() > 0) period = own;
    out.begin.push_back(begin);
  }
  out.has_zone = out.has_zone && out.wall;
  if (chained) {
    out.notes.emplace_back(
        "A file without a clock is taken to begin one sample period after the last reading before it; if time went by "
        "between them, say how much more with --offset FILE=+30s.");
  }
  return out;
}

}  // namespace

Result<Placement> place(const std::vector<Trace>& traces, std::span<const std::size_t> files, Join mode,
                        const Offsets& offsets) {
  Result<Placement> placed = mode == Join::same_start ? by_same_start(traces, files, offsets)
                             : mode == Join::append   ? by_append(traces, files, offsets)
                                                      : by_clock(traces, files, offsets);
  if (placed && !fits(traces, files, *placed)) return too_far(traces[files.front()]);
  return placed;
}

}  // namespace wattrein::trace
