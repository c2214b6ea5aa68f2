#include "trace/identical.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/text.h"

namespace wattrein::trace {

namespace {

using Set = std::vector<std::size_t>;  // of series

constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 29);
}

/// From a few readings only: enough to tell almost all devices apart without reading them whole.
std::uint64_t fingerprint(const Series& s) {
  constexpr std::size_t kLooks = 64;
  std::uint64_t hash = mix(s.size(), static_cast<std::uint64_t>(s.time_ns.front()));
  hash = mix(hash, static_cast<std::uint64_t>(s.time_ns.back()));
  const std::size_t step = std::max<std::size_t>(1, s.size() / kLooks);
  for (std::size_t i = 0; i < s.size(); i += step) hash = mix(hash, std::bit_cast<std::uint64_t>(s.power_w[i]));
  return hash;
}

std::uint64_t full_hash(const Series& s) {
  std::uint64_t hash = s.size();
  for (std::size_t i = 0; i < s.size(); ++i) {
    hash = mix(mix(hash, static_cast<std::uint64_t>(s.time_ns[i])), std::bit_cast<std::uint64_t>(s.power_w[i]));
  }
  return hash;
}

bool equal(const Series& a, const Series& b) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return a.time_ns == b.time_ns && std::ranges::equal(a.power_w, b.power_w, same);
}

/// Groups `of` by a key; those that stand alone are dropped.
template <class Key>
std::vector<Set> grouped(const Set& of, const Key& key) {
  std::unordered_map<std::uint64_t, Set> by_key;
  for (const std::size_t i : of) by_key[key(i)].push_back(i);
  std::vector<Set> out;
  for (auto& [hash, members] : by_key) {
    if (members.size() > 1) out.push_back(std::move(members));
  }
  return out;
}

/// Sets of two and more series that are equal throughout, in the trace's order.
std::vector<Set> equal_sets(const Trace& trace) {
  Set all;
  for (std::size_t i = 0; i < trace.series.size(); ++i) {
    if (trace.series[i].size() > 0) all.push_back(i);
  }
  std::vector<Set> out;
  for (const Set& alike : grouped(all, [&](std::size_t i) { return fingerprint(trace.series[i]); })) {
    for (Set& hashed : grouped(alike, [&](std::size_t i) { return full_hash(trace.series[i]); })) {
      const Series& first = trace.series[hashed.front()];
      std::erase_if(hashed, [&](std::size_t i) { return !equal(first, trace.series[i]); });
      if (hashed.size() > 1) out.push_back(std::move(hashed));
    }
  }
  std::ranges::sort(out);
  return out;
}

bool tells(const Series& s, bool several_files) {
  const std::int64_t readings_needed = several_files ? 3 : 10;
  const std::int64_t changes_needed = several_files ? 2 : 5;
  std::int64_t readings = 0;
  std::int64_t changes = 0;
  double last = std::nan("");
  for (const double p : s.power_w) {
    if (std::isnan(p)) continue;
    ++readings;
    if (readings > 1 && p != last) ++changes;
    last = p;
    if (readings >= readings_needed && changes >= changes_needed) return true;
  }
  return false;
}

/// "PS1 Input Power" and "PS2 Input Power": one name but for its number.
bool are_siblings(std::string_view a, std::string_view b) {
  const auto without_digits = [](std::string_view name) {
    std::string text(name);
    std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
    return text;
  };
  return a != b && without_digits(a) == without_digits(b);
}

/// Power supplies of one machine that share its load: their sensors step by a few tens of watts, and agree for long.
bool may_share_a_load(const Trace& trace, const Set& set) {
  const std::string& format = trace.understanding.format;
  if (format != "ipmitool" && format != "redfish") return false;
  const std::string& first = trace.series[set.front()].device.name;
  return std::ranges::all_of(
      set, [&](std::size_t i) { return i == set.front() || are_siblings(first, trace.series[i].device.name); });
}

std::string list(const std::vector<std::string>& names) {
  if (names.size() > 4) return fmt::format("{}, {} and {} more", names[0], names[1], names.size() - 2);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

/// Sets of files whose devices are all in the same sets: said once a file, not once a device.
std::map<Set, std::vector<std::size_t>> equal_files(const std::vector<Set>& sets, const std::vector<Origin>& origins) {
  std::map<std::size_t, std::size_t> devices_of;
  for (const Origin& o : origins) ++devices_of[o.file];
  std::map<std::size_t, Set> sets_of;  // the sets that a file's devices are in
  for (std::size_t k = 0; k < sets.size(); ++k) {
    for (const std::size_t i : sets[k]) sets_of[origins[i].file].push_back(k);
  }
  std::map<Set, std::vector<std::size_t>> files;
  for (const auto& [file, in] : sets_of) {
    if (in.size() == devices_of[file]) files[in].push_back(file);
  }
  std::erase_if(files, [](const auto& entry) { return entry.second.size() < 2; });
  return files;
}

/// "AC" or "DC" where a file's name has it as a word, but not both: "node1-ac.txt".
std::string_view current_in(std::string_view path) {
  const std::string name = lower(path.substr(path.rfind('/') + 1));
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  const auto has = [&](std::string_view word) {
    for (std::size_t at = name.find(word); at != std::string::npos; at = name.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      const bool begins = at == 0 || !is_letter(name[at - 1]);
      if (begins && (end == name.size() || !is_letter(name[end]))) return true;
    }
    return false;
  };
  const bool ac = has("ac");
  if (ac == has("dc")) return "";
  return ac ? "AC" : "DC";
}

}  // namespace

std::vector<std::string> identical_series(const Trace& trace, const std::vector<Origin>& origins) {
  std::vector<Set> sets = equal_sets(trace);
  std::erase_if(sets, [&](const Set& set) {
    const bool several = !origins.empty() && std::ranges::any_of(set, [&](std::size_t i) {
      return origins[i].file != origins[set.front()].file;
    });
    return !tells(trace.series[set.front()], several) || (!several && may_share_a_load(trace, set));
  });
  std::vector<std::string> out;
  std::set<std::size_t> said;
  const auto files = origins.empty() ? std::map<Set, std::vector<std::size_t>>{} : equal_files(sets, origins);
  for (const auto& [in, members] : files) {
    std::vector<std::string> names;
    for (const std::size_t file : members) {
      names.push_back(printable(std::ranges::find(origins, file, &Origin::file)->name, 200));
    }
    std::size_t readings = 0;
    for (const std::size_t k : in) {
      readings += trace.series[sets[k].front()].size();
      if (sets[k].size() == members.size()) said.insert(k);
    }
    out.push_back(fmt::format("{} hold the same {} readings: a sum counts them {}.", list(names), readings,
                              times(static_cast<std::int64_t>(members.size()))));
  }
  for (std::size_t k = 0; k < sets.size(); ++k) {
    if (said.contains(k)) continue;
    std::vector<std::string> names;
    for (const std::size_t i : sets[k]) names.push_back(printable(trace.series[i].device.name, 60));
    out.push_back(fmt::format("Devices {} hold the same {} readings: a sum counts them {}.", list(names),
                              trace.series[sets[k].front()].size(), times(static_cast<std::int64_t>(sets[k].size()))));
  }
  return out;
}

std::optional<ReadTogether> read_together(const Trace& trace, const std::vector<Origin>& origins) {
  constexpr std::size_t kEnough = 10;
  for (std::size_t i = 1; i < trace.series.size(); ++i) {
    const Series& first = trace.series.front();
    const Series& other = trace.series[i];
    const bool together = origins[i].file != origins.front().file && first.size() >= kEnough &&
                          other.time_ns == first.time_ns && other.power_w != first.power_w;
    if (!together) continue;
    const std::string_view a = current_in(origins.front().name);
    const std::string_view b = current_in(origins[i].name);
    const bool named = !a.empty() && !b.empty() && a != b;
    return ReadTogether{
        fmt::format("{} and {} were read at the very same moments{}, as its AC input and its DC rail, a sum counts it "
                    "twice; --join no keeps them apart.",
                    printable(origins.front().name, 200), printable(origins[i].name, 200),
                    named ? fmt::format(", and their names say {} and {}: of two meters of one machine", a, b)
                          : ": if they are two meters of one machine"),
        named};
  }
  return std::nullopt;
}

}  // namespace wattrein::trace
