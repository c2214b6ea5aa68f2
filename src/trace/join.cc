#include "trace/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/text.h"
#include "trace/identical.h"
#include "trace/join_groups.h"
#include "trace/join_plan.h"
#include "trace/same_names.h"
#include "trace/series_merge.h"
#include "trace/understanding.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxPhases = 1000;  // as in one file

using Files = std::vector<std::size_t>;

/// What can be done with a set of traces; carrying it out cannot fail.
struct Plan {
  Files files;
  Placement placement;
  Identity identity;
};

Result<Plan> plan_of(const std::vector<Trace>& traces, Files files, Join mode, const Offsets& offsets) {
  const Trace& first = traces[files.front()];
  for (const std::size_t f : files) {
    if (traces[f].evidence == first.evidence) continue;
    return fail(ErrorKind::usage, traces[f].source,
                fmt::format("it is {}, but {} is {}: two kinds of evidence are never added", name(traces[f].evidence),
                            printable(first.source), name(first.evidence)),
                "--join no takes each file on its own.");
  }
  auto placement = place(traces, files, mode, offsets);
  if (!placement) return std::unexpected(placement.error());
  auto identity = identify(traces, files, *placement, mode);
  if (!identity) return std::unexpected(identity.error());
  return Plan{std::move(files), std::move(*placement), std::move(*identity)};
}

// --- carrying it out ---

/// Names of files for a sentence: "a.csv", "a.csv and b.csv", "a.csv, b.csv and 62 more".
std::string names_of(const std::vector<Trace>& traces, const Files& files) {
  const auto source = [&](std::size_t k) { return printable(traces[files[k]].source, 200); };
  if (files.size() == 1) return source(0);
  if (files.size() == 2) return source(0) + " and " + source(1);
  return fmt::format("{}, {} and {} more", source(0), source(1), files.size() - 2);
}

/// The value where all files have the same, else each of them once.
template <class Get>
std::string common(const std::vector<Trace>& traces, const Files& files, std::string_view between, const Get& get) {
  std::vector<std::string> seen;
  for (const std::size_t f : files) {
    const std::string& value = get(traces[f]);
    if (!value.empty() && std::ranges::find(seen, value) == seen.end()) seen.push_back(value);
  }
  return fmt::format("{}", fmt::join(seen, between));
}

/// Notes of the files: one of all files once, others with the files that they are of.
void take_notes(const std::vector<Trace>& traces, const Files& files, std::vector<std::string>& notes) {
  std::map<std::string, Files> files_of;
  std::vector<std::string> order;
  for (const std::size_t f : files) {
    for (const std::string& note : traces[f].understanding.notes) {
      Files& of = files_of[note];
      if (of.empty()) order.push_back(note);
      if (of.empty() || of.back() != f) of.push_back(f);
    }
  }
  for (const std::string& note : order) {
    const Files& of = files_of[note];
    notes.push_back(of.size() == files.size() ? note : names_of(traces, of) + ": " + note);
  }
}

Understanding understanding_of(const std::vector<Trace>& traces, const Plan& plan) {
  Understanding out;
  const Files& files = plan.files;
  out.format =
      common(traces, files, " + ", [](const Trace& t) -> const std::string& { return t.understanding.format; });
  out.power = common(traces, files, ", ", [](const Trace& t) -> const std::string& { return t.understanding.power; });
  out.clock = common(traces, files, ", ", [](const Trace& t) -> const std::string& { return t.understanding.clock; });
  out.devices =
      common(traces, files, "; ", [](const Trace& t) -> const std::string& { return t.understanding.devices; });
  for (const std::size_t f : files) {
    const Understanding& u = traces[f].understanding;
    out.rows += u.rows;
    out.damaged += u.damaged;
    out.unknown_power += u.unknown_power;
    out.repeated_headers += u.repeated_headers;
    out.other_lines += u.other_lines;
    for (const Damage& d : u.first_damaged) {
      if (out.first_damaged.size() < 3) out.first_damaged.push_back(d);
    }
    out.warnings.insert(out.warnings.end(), u.warnings.begin(), u.warnings.end());
    out.parts.push_back({traces[f].source, understanding_line(traces[f])});
  }
  return out;
}

/// Labels of all files in one list, and each file's indices into it.
class PhaseTable {
 public:
  std::int16_t index(const std::string& label) {
    const auto at = by_label_.find(label);
    if (at != by_label_.end()) return at->second;
    if (labels.size() == kMaxPhases) {
      full = true;
      return -1;
    }
    const auto made = static_cast<std::int16_t>(labels.size());
    labels.push_back(label);
    by_label_.emplace(label, made);
    return made;
  }
  std::vector<std::string> labels;
  bool full = false;

 private:
  std::map<std::string, std::int16_t> by_label_;
};

std::map<std::size_t, std::vector<std::int16_t>> phase_maps(const std::vector<Trace>& traces, const Files& files,
                                                            PhaseTable& table) {
  std::map<std::size_t, std::vector<std::int16_t>> maps;
  for (const std::size_t f : files) {
    for (const std::string& label : traces[f].phases) maps[f].push_back(table.index(label));
  }
  return maps;
}

std::string workload_of(const std::vector<Trace>& traces, const Files& files, std::vector<std::string>& notes) {
  const std::string& first = traces[files.front()].workload;
  const auto same = [&](std::size_t f) { return traces[f].workload == first; };
  if (std::ranges::all_of(files, same)) return first;
  notes.push_back(
      fmt::format("The files state different workloads ({}): none is stated for the whole.",
                  common(traces, files, ", ", [](const Trace& t) -> const std::string& { return t.workload; })));
  return "";
}

/// What continuing and dropping what is there twice came to.
struct Merged {
  std::int64_t continued = 0;  // devices of several pieces
  std::int64_t both = 0;       // samples that were in two files
  std::set<std::size_t> files_with_both;
  bool meters_differ = false;
};

Series merged_series(std::vector<Trace>& traces, const Target& target, std::int64_t origin,
                     const std::map<std::size_t, std::vector<std::int16_t>>& phases, Merged& merged) {
  Series out;
  for (std::size_t k = 0; k < target.pieces.size(); ++k) {
    const Piece& p = target.pieces[k];
    Series piece = std::move(traces[p.file].series[p.series]);
    for (std::int64_t& t : piece.time_ns) t = t + p.shift - origin;
    for (std::int16_t& label : piece.phase) {
      const auto map = phases.find(p.file);
      const bool known = label >= 0 && map != phases.end() && static_cast<std::size_t>(label) < map->second.size();
      label = known ? map->second[static_cast<std::size_t>(label)] : std::int16_t{-1};
    }
    if (k == 0) {
      out = std::move(piece);
      continue;
    }
    merged.meters_differ = merged.meters_differ || out.device.meter != piece.device.meter;
    const std::int64_t both = merge_into(out, std::move(piece));
    merged.both += both;
    if (both > 0) merged.files_with_both.insert({target.pieces[k - 1].file, p.file});
  }
  if (target.pieces.size() > 1) ++merged.continued;
  out.device.name = target.name;
  return out;
}

void note_merged(const std::vector<Trace>& traces, const Plan& plan, const Merged& merged,
                 std::vector<std::string>& notes) {
  const auto n = static_cast<std::int64_t>(plan.identity.targets.size());
  if (merged.continued > 0 && merged.both == 0) {
    notes.push_back(
        fmt::format("{} of {} {} continued from file to file; between the files power is unknown "
                    "where a reading no longer holds.",
                    merged.continued, counted(n, "device"), merged.continued == 1 ? "is" : "are"));
  }
  if (merged.both > 0) {
    const Files in(merged.files_with_both.begin(), merged.files_with_both.end());
    notes.push_back(fmt::format("{} {} in several files ({}) with the same stamps and values: each is kept once.",
                                counted(merged.both, "reading"), merged.both == 1 ? "is" : "are",
                                names_of(traces, in)));
  }
  if (merged.meters_differ) {
    notes.emplace_back("Files give different meter kinds for a device that they share: it is taken as unknown.");
  }
}

/// Devices of different machines side by side on one axis.
bool skewed(const std::vector<Trace>& traces, const Plan& plan, Join mode) {
  std::set<std::size_t> files;
  std::set<std::string> hosts;
  for (const Target& t : plan.identity.targets) {
    const Piece& p = t.pieces.front();
    files.insert(p.file);
    hosts.insert(traces[p.file].series[p.series].device.host);
  }
  const bool one_host = hosts.size() == 1 && !hosts.begin()->empty();
  return files.size() > 1 && !one_host && mode != Join::append;
}

std::vector<Origin> origins_of(const std::vector<Trace>& traces, const Plan& plan) {
  std::vector<Origin> origins;
  for (const Target& t : plan.identity.targets) {
    const std::size_t file = t.pieces.front().file;
    origins.push_back({file, traces[file].source});
  }
  return origins;
}

std::string_view how(Join mode) {
  switch (mode) {
    case Join::append: return "one behind the other (--join append)";
    case Join::same_start: return "as begun together (--join same-start)";
    case Join::clock: return "by their clocks (--join clock)";
    case Join::automatic:
    case Join::none: return "by their clocks, since they overlap in time or continue each other";
  }
  return "";
}

/// The traces of the plan become one; what they held is moved out of them.
Trace carry_out(std::vector<Trace>& traces, const Plan& plan, Join mode) {
  Trace out;
  out.understanding = understanding_of(traces, plan);
  std::vector<std::string>& notes = out.understanding.notes;
  const Files& files = plan.files;
  notes.push_back(
      fmt::format("{} files are joined into one trace {}; --join no takes each on its own.", files.size(), how(mode)));
  notes.insert(notes.end(), plan.placement.notes.begin(), plan.placement.notes.end());
  notes.insert(notes.end(), plan.identity.notes.begin(), plan.identity.notes.end());
  if (skewed(traces, plan, mode)) {
    notes.emplace_back(
        "Clocks of different machines run apart: windows of the sum that are shorter than their skew are "
        "not to be trusted.");
  }
  out.source = files.size() <= 3
                   ? common(traces, files, ", ", [](const Trace& t) -> const std::string& { return t.source; })
                   : fmt::format("{} and {} more files", traces[files.front()].source, files.size() - 1);
  out.evidence = traces[files.front()].evidence;
  out.workload = workload_of(traces, files, notes);
  PhaseTable table;
  const auto phases = phase_maps(traces, files, table);
  if (table.full) {
    notes.push_back(fmt::format("There are more than {} phase labels; those after that are left out.", kMaxPhases));
  }
  out.phases = std::move(table.labels);

  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  for (const Target& t : plan.identity.targets) origin = std::min(origin, t.pieces.front().first);
  if (plan.identity.targets.empty()) origin = 0;
  if (plan.placement.wall) {
    out.start_unix_ns = origin;
    out.start_has_zone = plan.placement.has_zone;
  }
  const std::vector<Origin> origins = origins_of(traces, plan);
  Merged merged;
  for (const Target& t : plan.identity.targets) {
    out.series.push_back(merged_series(traces, t, origin, phases, merged));
  }
  note_merged(traces, plan, merged, notes);
  take_notes(traces, files, notes);
  std::vector<std::string>& warnings = out.understanding.warnings;
  warnings.insert(warnings.end(), plan.identity.warnings.begin(), plan.identity.warnings.end());
  for (std::string& sentence : identical_series(out, origins)) warnings.push_back(std::move(sentence));
  if (auto two = read_together(out, origins)) (two->named ? warnings : notes).push_back(std::move(two->sentence));
  return out;
}

/// A trace that stays as it is, but for its offset.
Trace alone(Trace trace, const std::optional<Nanos>& offset, std::string note) {
  std::vector<std::string>& notes = trace.understanding.notes;
  if (!note.empty()) notes.insert(notes.begin(), std::move(note));
  if (offset && trace.start_unix_ns) {
    std::int64_t shifted = 0;
    if (!__builtin_add_overflow(*trace.start_unix_ns, offset->count(), &shifted)) trace.start_unix_ns = shifted;
  } else if (offset) {
    notes.emplace_back("--offset is not used: the file has no clock and is joined with none that has one.");
  }
  for (std::string& sentence : identical_series(trace)) trace.understanding.warnings.push_back(std::move(sentence));
  return trace;
}

/// A file without a clock that has an offset begins so long after the earliest of those that have one.
void give_clocks(std::vector<Trace>& traces, const Offsets& offsets) {
  const Trace* earliest = nullptr;
  for (const Trace& t : traces) {
    if (t.start_unix_ns && (earliest == nullptr || *t.start_unix_ns < *earliest->start_unix_ns)) earliest = &t;
  }
  if (earliest == nullptr) return;
  const std::int64_t start = *earliest->start_unix_ns;
  const bool has_zone = earliest->start_has_zone;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i].start_unix_ns || !offsets[i]) continue;
    traces[i].start_unix_ns = start;
    traces[i].start_has_zone = has_zone;
    traces[i].understanding.notes.push_back(
        fmt::format("It has no clock: it is taken to begin {} after the earliest "
                    "start of the files that have one (--offset).",
                    exact_duration(*offsets[i])));
  }
}

std::vector<Trace> join_by_itself(std::vector<Trace>& traces, const Offsets& offsets) {
  std::vector<Outline> outlines;
  for (std::size_t i = 0; i < traces.size(); ++i) outlines.push_back(outline_of(traces[i], offsets[i]));
  std::map<std::size_t, std::string> reasons;  // of files that stay alone, found before any is moved from
  std::vector<Files> groups = groups_of(traces, outlines);
  std::vector<std::optional<Plan>> plans(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].size() == 1) {
      reasons[groups[g].front()] = apart(traces, outlines, groups[g].front());
      continue;
    }
    auto plan = plan_of(traces, groups[g], Join::clock, offsets);
    if (plan) {
      plans[g] = std::move(*plan);
      continue;
    }
    for (const std::size_t f : groups[g]) {
      reasons[f] = fmt::format("Taken on its own: {}: {}.", printable(plan.error().where), plan.error().what);
    }
  }
  std::vector<Trace> out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (plans[g]) {
      out.push_back(carry_out(traces, *plans[g], Join::automatic));
      continue;
    }
    for (const std::size_t f : groups[g]) out.push_back(alone(std::move(traces[f]), offsets[f], reasons[f]));
  }
  return out;
}

}  // namespace

Result<std::vector<Trace>> join(std::vector<Trace> traces, const JoinOptions& options) {
  Offsets offsets = options.offsets;
  offsets.resize(traces.size());
  std::vector<Trace> out;
  if (traces.size() < 2 || options.mode == Join::none) {
    for (std::size_t i = 0; i < traces.size(); ++i) out.push_back(alone(std::move(traces[i]), offsets[i], ""));
    return out;
  }
  spell_hosts_alike(traces);
  if (options.mode == Join::automatic || options.mode == Join::clock) give_clocks(traces, offsets);
  if (options.mode == Join::automatic) return join_by_itself(traces, offsets);
  Files all(traces.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  const auto plan = plan_of(traces, std::move(all), options.mode, offsets);
  if (!plan) return std::unexpected(plan.error());
  out.push_back(carry_out(traces, *plan, options.mode));
  return out;
}

}  // namespace wattrein::trace
