// Which devices of several files are the same.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "trace/join_copies.h"
#include "trace/join_plan.h"
#include "trace/same_names.h"
#include "trace/series_merge.h"

namespace wattrein::trace {

namespace {

using Groups = std::vector<std::vector<std::size_t>>;  // of pieces

class Unions {
 public:
  explicit Unions(std::size_t n) : parent_(n) {
    for (std::size_t i = 0; i < n; ++i) parent_[i] = i;
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// The earlier one stays, so that groups keep the order of their first mention.
  void unite(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

const Device& device_of(const std::vector<Trace>& traces, const Piece& p) {
  return traces[p.file].series[p.series].device;
}

std::vector<Piece> pieces_of(const std::vector<Trace>& traces, std::span<const std::size_t> files,
                             const Placement& placement) {
  std::vector<Piece> out;
  for (std::size_t k = 0; k < files.size(); ++k) {
    const Trace& trace = traces[files[k]];
    for (std::size_t s = 0; s < trace.series.size(); ++s) {
      const auto& time = trace.series[s].time_ns;
      if (time.empty()) continue;
      const std::int64_t begin = placement.begin[k];
      out.push_back({files[k], s, begin, begin + time.front(), begin + time.back()});
    }
  }
  return out;
}

/// Uuids that one file gives to several devices (instances, one device under several hosts) are no identity alone.
std::set<std::string> repeated_uuids(const std::vector<Trace>& traces, const std::vector<Piece>& pieces) {
  std::set<std::pair<std::size_t, std::string>> seen;
  std::set<std::string> repeated;
  for (const Piece& p : pieces) {
    const std::string uuid = uuid_key(device_of(traces, p).uuid);
    if (!uuid.empty() && !seen.emplace(p.file, uuid).second) repeated.insert(uuid);
  }
  return repeated;
}

/// By uuid; else by host and name, where not both know a uuid.
void unite_certain(const std::vector<Trace>& traces, const std::vector<Piece>& pieces, Unions& unions) {
  const std::set<std::string> repeated = repeated_uuids(traces, pieces);
  std::map<std::pair<std::string, std::string>, std::size_t> by_uuid;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> by_host;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Device& d = device_of(traces, pieces[i]);
    if (const std::string uuid = uuid_key(d.uuid); !uuid.empty()) {
      const auto [at, made] = by_uuid.try_emplace({uuid, repeated.contains(uuid) ? d.name : ""}, i);
      if (!made) unions.unite(at->second, i);
    }
    if (d.host.empty()) continue;
    auto& seen = by_host[{d.host, d.name}];
    const auto same = std::ranges::find_if(
        seen, [&](std::size_t j) { return same_device(device_of(traces, pieces[j]), d) == Same::yes; });
    if (same != seen.end()) unions.unite(*same, i);
    seen.push_back(i);
  }
}

/// Pairs of files, the lower index first, that are copies of each other as far as they share time. Notes them, and
/// warns of those that agree in half of what they share and differ in the rest.
std::set<std::pair<std::size_t, std::size_t>> copied_files(const std::vector<Trace>& traces,
                                                           std::span<const std::size_t> files,
                                                           const Placement& placement, Identity& out) {
  std::set<std::pair<std::size_t, std::size_t>> copies;
  for (std::size_t k = 0; k < files.size(); ++k) {
    for (std::size_t l = k + 1; l < files.size(); ++l) {
      const Trace& a = traces[files[k]];
      const Trace& b = traces[files[l]];
      const Agreement found = agreement_of(a, placement.begin[k], b, placement.begin[l]);
      const std::string both = printable(a.source, 200) + " and " + printable(b.source, 200);
      if (found.copies()) {
        copies.emplace(std::min(files[k], files[l]), std::max(files[k], files[l]));
        out.notes.push_back(
            fmt::format("{} hold equal readings wherever they share time: they are taken for copies of "
                        "one log, and their devices of one name for the same.",
                        both));
      } else if (found.tells() && found.differs && found.equal * 2 >= found.shared) {
        out.warnings.push_back(
            fmt::format("{} hold equal readings at {} of {} shared moments of devices of one name, "
                        "and differ elsewhere: a sum may count devices twice.",
                        both, found.equal, found.shared));
      }
    }
  }
  return copies;
}

/// Whether the pieces, once sorted, lie one behind the other; a shared stamp at the seam is none too many, and those
/// that are one already may overlap.
bool one_behind_the_other(const std::vector<Piece>& pieces, std::vector<std::size_t> of, Unions& unions) {
  std::ranges::sort(of, {}, [&](std::size_t i) { return std::pair(pieces[i].first, pieces[i].last); });
  for (std::size_t k = 1; k < of.size(); ++k) {
    const bool one = unions.find(of[k]) == unions.find(of[k - 1]);
    if (!one && pieces[of[k]].first < pieces[of[k - 1]].last) return false;
  }
  return true;
}

/// By the bare name, where nothing says that they differ. True where some of a name overlap and stay different.
bool unite_by_name(const std::vector<Trace>& traces, const std::vector<Piece>& pieces, Join mode,
                   const std::set<std::pair<std::size_t, std::size_t>>& copies, Unions& unions) {
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (std::size_t i = 0; i < pieces.size(); ++i) by_name[device_of(traces, pieces[i]).name].push_back(i);
  bool overlapping = false;
  for (const auto& [name, of] : by_name) {
    const auto open = [&](std::size_t i) {
      return same_device(device_of(traces, pieces[of.front()]), device_of(traces, pieces[i])) != Same::no;
    };
    if (of.size() < 2 || !std::ranges::all_of(of, open)) continue;
    for (std::size_t k = 0; k < of.size() && !copies.empty(); ++k) {
      for (std::size_t l = k + 1; l < of.size(); ++l) {
        const auto files = std::minmax(pieces[of[k]].file, pieces[of[l]].file);
        if (copies.contains({files.first, files.second})) unions.unite(of[k], of[l]);
      }
    }
    const bool one = std::ranges::all_of(of, [&](std::size_t i) { return unions.find(i) == unions.find(of.front()); });
    if (one) continue;
    if (mode == Join::append || (mode != Join::same_start && one_behind_the_other(pieces, of, unions))) {
      for (const std::size_t i : of) unions.unite(of.front(), i);
    } else {
      overlapping = true;
    }
  }
  return overlapping;
}

std::string sample_text(const Placement& placement, const Series& s, std::int64_t shift, std::size_t i) {
  const std::int64_t t = s.time_ns[i] + shift;
  const std::string when =
      placement.wall ? format_unix_ns(t) : fmt::format("{} after the start", format_duration(Nanos(t)));
  return fmt::format("{:g} W at {}", s.power_w[i], when);
}

std::unexpected<Error> clash_error(const std::vector<Trace>& traces, const Placement& placement, const Piece& a,
                                   const Piece& b, const Clash& clash, Join mode) {
  const Series& in_a = traces[a.file].series[a.series];
  const Series& in_b = traces[b.file].series[b.series];
  const auto says = [&](const Series& s, const Piece& p, std::optional<std::size_t> i) {
    return i ? "says " + sample_text(placement, s, p.shift, *i) : std::string("has no more readings");
  };
  const std::string device = in_a.device.name + (in_a.device.uuid.empty() ? "" : " (" + in_a.device.uuid + ")");
  return fail(ErrorKind::bad_input, traces[b.file].source,
              fmt::format("device {} is also in {} at the same time, with other readings: {} {}, {} {}",
                          printable(device), printable(traces[a.file].source), printable(traces[a.file].source),
                          says(in_a, a, clash.a), printable(traces[b.file].source), says(in_b, b, clash.b)),
              mode == Join::append
                  ? "One behind the other they cannot lie: try --join clock, or shift one with --offset FILE=+1.5s."
                  : "--join no takes each file on its own; a clock that is off is shifted with --offset FILE=+1.5s.");
}

/// Where pieces of one device overlap they have to agree.
Result<void> check(const std::vector<Trace>& traces, const Placement& placement, const Target& target, Join mode) {
  for (std::size_t i = 0; i < target.pieces.size(); ++i) {
    const Piece& a = target.pieces[i];
    for (std::size_t j = i + 1; j < target.pieces.size() && target.pieces[j].first <= a.last; ++j) {
      const Piece& b = target.pieces[j];
      const auto clash = clash_of(traces[a.file].series[a.series], a.shift, traces[b.file].series[b.series], b.shift);
      if (clash) return clash_error(traces, placement, a, b, *clash, mode);
    }
  }
  return {};
}

/// A label for each file: its stem, with its folder or its number where stems are the same.
std::map<std::size_t, std::string> labels_of(const std::vector<Trace>& traces, std::span<const std::size_t> files) {
  std::map<std::string, int> stems;
  for (const std::size_t f : files) ++stems[file_label(traces[f].source)];
  std::map<std::size_t, std::string> out;
  std::set<std::string> taken;
  for (const std::size_t f : files) {
    std::string label = file_label(traces[f].source);
    const std::string& path = traces[f].source;
    const std::size_t slash = path.rfind('/');
    if (stems[label] > 1 && slash != std::string::npos && slash > 0) {
      const std::size_t before = path.rfind('/', slash - 1);
      const std::size_t from = before == std::string::npos ? 0 : before + 1;
      label = path.substr(from, slash - from) + "/" + label;
    }
    if (taken.contains(label)) label += fmt::format("#{}", f + 1);
    taken.insert(label);
    out[f] = std::move(label);
  }
  return out;
}

/// Names that several devices share get their host or their file in front, for all devices that have none.
bool make_unique(const std::vector<Trace>& traces, std::span<const std::size_t> files, std::vector<Target>& targets) {
  std::set<std::string> names;
  for (Target& t : targets) {
    t.name = device_of(traces, t.pieces.front()).name;
    names.insert(t.name);
  }
  if (names.size() == targets.size()) return false;
  const auto labels = labels_of(traces, files);
  names.clear();
  for (Target& t : targets) {
    const Device& d = device_of(traces, t.pieces.front());
    if (d.host.empty()) {
      t.name = labels.at(t.pieces.front().file) + "/" + d.name;
    } else if (!d.name.starts_with(d.host)) {
      t.name = d.host + "/" + d.name;
    }
    for (int n = 2; names.contains(t.name); ++n) t.name = fmt::format("{}#{}", t.name, n);
    names.insert(t.name);
  }
  return true;
}

}  // namespace

Same same_device(const Device& a, const Device& b) {
  if (tells_devices(a.uuid) && tells_devices(b.uuid)) return same_uuid(a.uuid, b.uuid) ? Same::yes : Same::no;
  if (!a.host.empty() && !b.host.empty()) return a.host == b.host && a.name == b.name ? Same::yes : Same::no;
  return a.name == b.name ? Same::unknown : Same::no;
}

std::string file_label(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.size() > packed.size() && name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  const std::size_t dot = name.find_last_of('.');
  if (dot != std::string_view::npos && dot > 0) name = name.substr(0, dot);
  return std::string(name.empty() ? path : name);
}

Result<Identity> identify(const std::vector<Trace>& traces, std::span<const std::size_t> files,
                          const Placement& placement, Join mode) {
  const std::vector<Piece> pieces = pieces_of(traces, files, placement);
  Unions unions(pieces.size());
  unite_certain(traces, pieces, unions);
  Identity out;
  // Begun together or one behind the other is what the user says; equal stamps mean nothing there.
  const bool clocks = mode == Join::automatic || mode == Join::clock;
  const auto copies =
      clocks ? copied_files(traces, files, placement, out) : decltype(copied_files(traces, files, placement, out)){};
  const bool same_names_differ = unite_by_name(traces, pieces, mode, copies, unions);

  std::map<std::size_t, std::size_t> target_of;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const auto [at, made] = target_of.try_emplace(unions.find(i), out.targets.size());
    if (made) out.targets.emplace_back();
    out.targets[at->second].pieces.push_back(pieces[i]);
  }
  const bool renamed = make_unique(traces, files, out.targets);
  for (Target& t : out.targets) {
    std::ranges::sort(t.pieces, {}, [](const Piece& p) { return std::tuple(p.first, p.file, p.series); });
    if (auto agrees = check(traces, placement, t, mode); !agrees) return std::unexpected(agrees.error());
  }
  if (same_names_differ) {
    out.notes.emplace_back(
        "Devices of one name in files that overlap in time and name no host are taken for different devices. If some "
        "of "
        "the files continue others, join those first: wattrein export A B --join append -o AB.csv.");
  }
  if (renamed) {
    out.notes.push_back(
        fmt::format("Devices of several files have the same names: they are called after their host or "
                    "file, as in {}.",
                    printable(out.targets.front().name)));
  }
  return out;
}

}  // namespace wattrein::trace
