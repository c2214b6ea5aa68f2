#include "trace/same_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "trace/series_merge.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMostHosts = 8192;  // as many as devices may be, and twice
constexpr std::size_t kEnough = 20;       // readings that show a mean

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// "8-4-4-4-12" hexadecimal digits at the start.
bool starts_as_uuid(std::string_view text) {
  constexpr std::size_t kSize = 36;
  if (text.size() < kSize) return false;
  for (std::size_t i = 0; i < kSize; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !is_hex(text[i])) return false;
  }
  return true;
}

std::string_view without_prefix(std::string_view uuid) {
  for (const std::string_view prefix : {"MIG-", "GPU-"}) {
    if (equal_ignoring_case(uuid.substr(0, prefix.size()), prefix)) uuid.remove_prefix(prefix.size());
  }
  return uuid;
}

/// "domain:bus:device.function" or without its domain.
std::string plain_bus_id(std::string_view text) {
  constexpr std::size_t kTail = 7;  // "53:00.0"
  constexpr std::size_t kDomain = 4;
  if (text.size() < kTail || text.size() > kTail + 9) return {};
  const std::string_view tail = text.substr(text.size() - kTail);
  const bool shape = is_hex(tail[0]) && is_hex(tail[1]) && tail[2] == ':' && is_hex(tail[3]) && is_hex(tail[4]) &&
                     tail[5] == '.' && is_hex(tail[6]);
  if (!shape) return {};
  std::string domain(kDomain, '0');
  if (text.size() > kTail) {
    std::string_view digits = text.substr(0, text.size() - kTail);
    if (digits.back() != ':') return {};
    digits.remove_suffix(1);
    if (digits.size() < kDomain || !std::ranges::all_of(digits, is_hex)) return {};
    while (digits.size() > kDomain && digits[0] == '0') digits.remove_prefix(1);
    domain = digits;
  }
  return lower(domain + ":" + std::string(tail));
}

bool has_letter(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

struct HostName {
  std::string all;
  std::string label;  ///< what stands before the domain; empty for addresses
  bool full = false;
};

HostName host_name(std::string_view text) {
  HostName name{.all = lower(text), .label = {}};
  if (name.all.ends_with('.')) name.all.pop_back();
  const std::size_t dot = name.all.find('.');
  const std::string label = name.all.substr(0, dot);
  if (!has_letter(label) || name.all.find_first_of(": /") != std::string::npos) return name;
  name.label = label;
  name.full = dot != std::string::npos;
  return name;
}

/// What a device is called within its host: "0" of "node1/0"; empty where the host itself is the device.
std::string_view within_host(const Device& d) {
  const std::string_view name = d.name;
  if (d.names_host) return {};
  const std::string& host = d.host;
  return !host.empty() && name.size() > host.size() && name.starts_with(host) && name[host.size()] == '/'
             ? name.substr(host.size() + 1)
             : name;
}

const std::string& host_of(const Device& d) { return d.names_host ? d.name : d.host; }

bool other_uuid(const Device& a, const Device& b) {
  return tells_devices(a.uuid) && tells_devices(b.uuid) && !same_uuid(a.uuid, b.uuid);
}

struct Span {
  std::int64_t from = 0;
  std::int64_t to = 0;
};
Span span_of(const Series& s) {
  const auto [least, most] = std::ranges::minmax(s.time_ns);
  return {least, most};
}

std::optional<double> mean_within(const Series& s, Span span) {
  double sum = 0.0;
  std::size_t n = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.time_ns[i] < span.from || s.time_ns[i] > span.to || !(s.power_w[i] >= 0.0)) continue;
    sum += s.power_w[i];
    ++n;
  }
  return n < kEnough ? std::nullopt : std::optional(sum / static_cast<double>(n));
}

/// Means of both over the time that they share, where they are more than a tenth apart.
std::optional<std::pair<double, double>> means_apart(const Series& a, const Series& b) {
  const Span in_a = span_of(a);
  const Span in_b = span_of(b);
  const Span shared{std::max(in_a.from, in_b.from), std::min(in_a.to, in_b.to)};
  if (shared.from >= shared.to) return std::nullopt;
  const auto mean_a = mean_within(a, shared);
  const auto mean_b = mean_within(b, shared);
  if (!mean_a || !mean_b || std::abs(*mean_a - *mean_b) <= 0.1 * std::max(*mean_a, *mean_b)) return std::nullopt;
  return std::pair(*mean_a, *mean_b);
}

/// Optional columns end with their last known value while a series is filled.
void pad(Series& s) {
  for (auto& column : s.columns) {
    if (!column.empty()) column.resize(s.size(), std::nan(""));
  }
  if (!s.phase.empty()) s.phase.resize(s.size(), -1);
}

template <class T>
void put_behind(std::vector<T>& a, std::vector<T>&& b, std::size_t size_a, std::size_t size_b, T missing) {
  if (a.empty() && b.empty()) return;
  a.resize(size_a, missing);
  b.resize(size_b, missing);
  a.insert(a.end(), b.begin(), b.end());
  b = {};
}

void put_behind(Series& a, Series&& b) {
  const std::size_t n = a.size();
  const std::size_t m = b.size();
  a.duplicate_stamps += b.duplicate_stamps + (b.time_ns.front() == a.time_ns.back() ? 1 : 0);
  a.backward_stamps += b.backward_stamps + (b.time_ns.front() < a.time_ns.back() ? 1 : 0);
  for (const ColumnSpec& spec : kColumns) {
    put_behind(a.column(spec.column), std::move(b.column(spec.column)), n, m, std::nan(""));
  }
  put_behind<std::int16_t>(a.phase, std::move(b.phase), n, m, -1);
  put_behind(a.power_w, std::move(b.power_w), n, m, std::nan(""));
  put_behind<std::int64_t>(a.time_ns, std::move(b.time_ns), n, m, 0);
}

}  // namespace

std::string plain_id(std::string_view text) {
  if (std::string bus = plain_bus_id(text); !bus.empty()) return bus;
  const std::string_view id = without_prefix(text);
  return starts_as_uuid(id) ? lower(id) : std::string();
}

bool tells_devices(std::string_view uuid) {
  const std::string_view id = without_prefix(uuid);
  const std::size_t first = id.find_first_not_of('-');
  if (first == std::string_view::npos) return false;
  const std::array<char, 2> masked{id[first], '-'};
  constexpr std::size_t kLeast = 8;  // characters of a mask
  return id.size() < kLeast ||
         id.find_first_not_of(std::string_view(masked.data(), masked.size())) != std::string_view::npos;
}

std::string uuid_key(std::string_view uuid) {
  if (!tells_devices(uuid)) return {};
  std::string id = plain_id(uuid);
  return id.empty() ? std::string(uuid) : id;
}

bool same_uuid(std::string_view a, std::string_view b) {
  if (!tells_devices(a) || !tells_devices(b)) return false;
  const std::string_view x = without_prefix(a);
  const std::string_view y = without_prefix(b);
  return starts_as_uuid(x) && starts_as_uuid(y) ? equal_ignoring_case(x, y) : a == b;
}

std::vector<std::string> host_keys(std::span<const std::string> hosts) {
  std::vector<HostName> names;
  std::unordered_map<std::string, std::set<std::string>> full_names;
  for (const std::string& host : hosts) {
    names.push_back(host_name(host));
    if (names.back().full) full_names[names.back().label].insert(names.back().all);
  }
  std::vector<std::string> keys;
  for (const HostName& name : names) {
    const auto full = full_names.find(name.label);
    const bool one = !name.full && full != full_names.end() && full->second.size() == 1;
    keys.push_back(one ? *full->second.begin() : name.all);
  }
  return keys;
}

HostNotes unite_hosts(std::vector<Series>& series, std::span<const FileRows> rows) {
  HostNotes out;
  std::vector<std::string> hosts;
  for (const Series& s : series) hosts.push_back(host_of(s.device));
  const std::vector<std::string> keys = host_keys(hosts);
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> same;  // of one host and name
  for (std::size_t i = 0; i < series.size() && series.size() <= kMostHosts; ++i) {
    if (!keys[i].empty() && series[i].size() > 0) {
      same[{keys[i], std::string(within_host(series[i].device))}].push_back(i);
    }
  }
  std::set<std::pair<std::string, std::string>> said;
  for (const auto& [key, members] : same) {
    Series& into = series[members.front()];
    FileRows placed = rows[members.front()];
    for (std::size_t k = 1; k < members.size(); ++k) {
      const std::size_t i = members[k];
      Series& other = series[i];
      if (hosts[i] == hosts[members.front()] || other_uuid(into.device, other.device)) continue;
      const std::string names =
          fmt::format("'{}' and '{}'", printable(hosts[members.front()], 60), printable(hosts[i], 60));
      const auto apart = lower(hosts[i]) == lower(hosts[members.front()]) ? std::nullopt : means_apart(into, other);
      if (apart) {
        out.warnings.push_back(
            fmt::format("Hosts {} are one machine by their names, but device {} of theirs reads {:.1f} W and {:.1f} W "
                        "over the same "
                        "time: they are taken for two. If they are one, a sum counts it twice.",
                        names, printable(into.device.name, 60), apart->first, apart->second));
        continue;
      }
      if (said.emplace(hosts[members.front()], hosts[i]).second) {
        out.notes.push_back(fmt::format(
            "Hosts {} are taken for one machine: names ignore case, and no other full name begins so.", names));
      }
      pad(into);
      pad(other);
      if (into.device.uuid.empty()) into.device.uuid = other.device.uuid;
      if (into.device.model.empty()) into.device.model = other.device.model;
      if (!into.device.nameplate) into.device.nameplate = other.device.nameplate;
      if (placed.last < rows[i].first) {
        put_behind(into, std::move(other));
      } else {
        const std::int64_t backward = into.backward_stamps + other.backward_stamps;
        out.both += merge_into(into, std::move(other));
        into.backward_stamps = backward;
      }
      placed = {std::min(placed.first, rows[i].first), std::max(placed.last, rows[i].last)};
      other = Series{};
      out.emptied.push_back(i);
    }
  }
  std::ranges::sort(out.emptied);
  return out;
}

void spell_hosts_alike(std::vector<Trace>& traces) {
  std::vector<std::string> hosts;
  for (const Trace& t : traces) {
    for (const Series& s : t.series) hosts.push_back(host_of(s.device));
  }
  const std::vector<std::string> keys = host_keys(hosts);
  std::unordered_map<std::string, std::string> spelling;  // the first of each key
  for (std::size_t i = 0; i < hosts.size(); ++i) spelling.try_emplace(keys[i], hosts[i]);
  std::size_t i = 0;
  for (Trace& t : traces) {
    std::set<std::string> said;
    for (Series& s : t.series) {
      const std::string& host = hosts[i];
      const std::string& first = spelling[keys[i++]];
      if (host.empty() || host == first) continue;
      Device& d = s.device;
      const std::string within(within_host(d));
      const bool prefixed = within != d.name;
      if (d.names_host) {
        d.name = first;
      } else if (prefixed) {
        d.name = fmt::format("{}/{}", first, within);
      }
      if (!d.host.empty()) d.host = first;
      if (!said.insert(host).second) continue;
      t.understanding.notes.push_back(
          fmt::format("Host '{}' is called '{}', as in another of the files: names ignore case, and no other full name "
                      "begins so.",
                      printable(host, 60), printable(first, 60)));
    }
  }
}

}  // namespace wattrein::trace
