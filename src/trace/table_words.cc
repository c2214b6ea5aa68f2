#include "trace/table_words.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>

#include "base/text.h"
#include "trace/draw_words.h"

namespace wattrein::trace {

namespace {

using Names = std::span<const ColumnName>;
using Words = std::initializer_list<std::string_view>;

bool has_any(const ColumnName& name, Words words) {
  return std::ranges::any_of(words, [&name](std::string_view word) { return name.has(word); });
}

template <class Fits>
int first(Names names, Fits fits) {
  const auto at = std::ranges::find_if(names, fits);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

/// "cpu0", "socket1": a numbered part beside the GPUs.
bool is_numbered_part(std::string_view token) {
  for (const std::string_view part : {"cpu", "socket", "dram", "pkg", "package"}) {
    if (token.starts_with(part) && parse_int(token.substr(part.size()))) return true;
  }
  return false;
}

bool is_energy(const ColumnName& name) {
  return name.energy_scale && has_any(name, {"energy", "consumption", "joules"}) &&
         std::ranges::none_of(name.tokens, says_no_counter) &&
         !has_any(name, {"step", "per", "rate", "token", "tokens", "interval", "window", "batch", "request", "prompt",
                         "iteration", "sample", "avg", "average", "mean"});
}

/// What draws.
constexpr auto kDrawers = std::to_array<std::string_view>(
    {"gpu",  "gpus", "card",   "device",  "accelerator", "npu",   "tpu",   "hpu",     "board",   "module",
     "node", "host", "server", "machine", "chassis",     "blade", "rack",  "system",  "cluster", "pdu",
     "psu",  "ups",  "wall",   "outlet",  "plug",        "mains", "total", "package", "soc"});
/// That somebody measured it.
constexpr auto kMeasured = std::to_array<std::string_view>(
    {"measured", "measurement", "meter", "metered", "consumption", "consumed", "usage", "ac", "dc"});
/// What adds nothing to either.
constexpr auto kBeside = std::to_array<std::string_view>(
    {"actual", "active", "current", "instant", "instantaneous", "now", "average", "avg", "mean", "reading", "value"});

template <std::size_t N>
bool is_among(std::string_view token, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, token) != words.end();
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

/// "gpu", "gpu0", "node12".
bool is_drawer(std::string_view token) {
  const std::string_view word = token.substr(0, token.find_first_of("0123456789"));
  return is_among(word, kDrawers) && (word == token || parse_int(token.substr(word.size())));
}

bool is_numbered_drawer(std::string_view token) { return is_drawer(token) && !is_letter(token.back()); }

/// A unit that ends in a lone 'w', which is a width or a weight as often.
bool is_lone_w(const ColumnName& name) {
  const std::string text = lower(name.text);
  return name.power_scale == 1.0 && text.ends_with('w') && (text.size() < 2 || !is_letter(text[text.size() - 2]));
}

/// "gpu_w", "host_kw", "measured_w": a power by its unit alone.
bool is_power_by_unit(const ColumnName& name) {
  if (!name.power_scale) return false;
  const auto is_subject = [](std::string_view token) { return is_drawer(token) || is_among(token, kMeasured); };
  if (std::ranges::none_of(name.tokens, is_subject)) return false;
  if (!is_lone_w(name) || std::ranges::any_of(name.tokens, is_numbered_drawer)) return true;
  return std::ranges::all_of(name.tokens, [&](std::string_view token) {
    return is_subject(token) || is_among(token, kBeside) || std::ranges::none_of(token, is_letter);
  });
}

/// "power_w", "draw": of nothing that it names.
bool is_plain_power(const ColumnName& name) {
  return std::ranges::all_of(name.tokens,
                             [](std::string_view token) { return says_power(token) || is_among(token, kMeasured); });
}

}  // namespace

/// Words that may stand beside the time's own without changing what it is.
bool is_time(const ColumnName& name) {
  static constexpr std::array<std::string_view, 8> kCore{"time", "timestamp", "stamp",   "datetime",
                                                         "ts",   "epoch",     "elapsed", "t"};
  static constexpr std::array<std::string_view, 12> kBesideTime{"unix", "utc",  "local",  "wall", "sample", "iso",
                                                                "date", "host", "system", "gpu",  "clock",  "since"};
  if (name.power_scale || name.energy_scale) return false;
  bool core = name.tokens.size() == 1 && name.tokens[0] == "date";
  for (const std::string& token : name.tokens) {
    const bool is_core = std::ranges::find(kCore, token) != kCore.end();
    core = core || is_core;
    if (!is_core && std::ranges::find(kBesideTime, token) == kBesideTime.end()) return false;
  }
  return core;
}

bool is_limit(const ColumnName& name) {
  return has_any(name, {"power", "pwr"}) && has_any(name, {"limit", "cap", "powercap"}) &&
         !has_any(name, {"max", "min", "default", "throttle", "violation", "slowdown", "active", "reason", "reasons"});
}

bool is_draw(const ColumnName& name) {
  if (std::ranges::none_of(name.tokens, says_power) && !is_power_by_unit(name)) return false;
  if (name.energy_scale || name.time_unit || std::ranges::any_of(name.tokens, is_numbered_part)) return false;
  return std::ranges::none_of(name.tokens, says_no_draw);
}

bool is_average(const ColumnName& name) { return has_any(name, {"average", "avg", "mean"}); }

std::vector<int> draws(Names names) {
  std::vector<int> found;
  for (const bool average : {false, true}) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (is_draw(names[i]) && is_average(names[i]) == average) found.push_back(static_cast<int>(i));
    }
    if (!found.empty()) return found;
  }
  return found;
}

std::vector<int> narrowed(Names names, std::vector<int> found) {
  const auto keep = [&](auto fits) {
    std::vector<int> kept;
    std::ranges::copy_if(found, std::back_inserter(kept),
                         [&](int i) { return fits(names[static_cast<std::size_t>(i)]); });
    if (!kept.empty()) found = std::move(kept);
  };
  keep([](const ColumnName& n) { return n.power_scale.has_value(); });
  keep([](const ColumnName& n) { return n.has("instant"); });
  // What a plain power beside a GPU's is of, only the user knows.
  const auto plain = [&](int i) { return is_plain_power(names[static_cast<std::size_t>(i)]); };
  if (std::ranges::none_of(found, plain)) {
    keep([](const ColumnName& n) { return has_any(n, {"gpu", "device", "board"}); });
  }
  return found;
}

std::vector<int> energies(Names names) {
  std::vector<int> found;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_energy(names[i])) found.push_back(static_cast<int>(i));
  }
  return found;
}

std::optional<ColumnFamily> device_family(Names names, std::span<const int> columns) {
  std::vector<ColumnFamily> families = column_families(names, columns);
  const auto keep = [&families](auto fits) {
    if (std::ranges::any_of(families, fits)) std::erase_if(families, [&](const ColumnFamily& f) { return !fits(f); });
  };
  const auto name_of = [names](const ColumnFamily& f) -> const ColumnName& {
    return names[static_cast<std::size_t>(f.columns[0])];
  };
  keep(names_devices);
  keep([&](const ColumnFamily& f) { return name_of(f).power_scale || name_of(f).energy_scale; });
  keep([&](const ColumnFamily& f) { return name_of(f).has("instant"); });
  return families.size() == 1 ? std::optional(std::move(families[0])) : std::nullopt;
}

std::vector<int> device_candidates(Names names) {
  static constexpr std::array<std::string_view, 22> kNames{
      "gpu_index", "gpu_id",      "gpu",        "index",      "device_index", "device_id",   "device",      "dev",
      "card",      "card_id",     "gpu_idx",    "idx",        "entity",       "gpu_name",    "device_name", "gpu_uuid",
      "uuid",      "device_uuid", "pci_bus_id", "gpu_bus_id", "bus_id",       "minor_number"};
  std::vector<int> found;
  for (const std::string_view wanted : kNames) {
    // A name alone is the model more often than not: two cards of a kind would become one.
    if (wanted == "gpu_name" || wanted == "device_name") continue;
    if (const int i = first(names, [wanted](const ColumnName& n) { return n.is_called(wanted); }); i >= 0)
      found.push_back(i);
  }
  return found;
}

int find_time(Names names) {
  // An absolute stamp goes before a count since the start.
  const int absolute = first(names, [](const ColumnName& n) { return is_time(n) && !n.has("elapsed"); });
  return absolute >= 0 ? absolute : first(names, is_time);
}

int find_limit(Names names) { return first(names, is_limit); }

int find_energy(Names names) { return first(names, is_energy); }

void find_labels(Names names, ColumnMap& map) {
  const auto named = [names](Words words) {
    return first(names, [words](const ColumnName& n) {
      return std::ranges::any_of(words, [&n](std::string_view wanted) { return n.is_called(wanted); });
    });
  };
  map.phase = named({"phase", "stage"});
  // What can only be a machine, the plainest first.
  for (const std::string_view host :
       {"host", "hostname", "host_name", "node", "node_id", "node_name", "nodename", "server", "machine", "computer",
        "host_id", "hostid", "rank_host", "source_host", "chassis", "host_ip", "hostip", "ip", "ip_address"}) {
    if (map.host < 0) map.host = named({host});
  }
  map.model = named({"gpu_model", "model", "model_name", "gpu_name", "name", "device_name"});
  map.uuid = named({"uuid", "gpu_uuid", "device_uuid"});
  map.instance = named({"gi_id", "gpu_instance_id", "gpu_instance", "gpu_i_id", "gpu_i", "mig", "mig_id", "mig_dev",
                        "mig_device", "mig_index", "mig_uuid", "mig_gi_id", "mig_instance"});
}

}  // namespace wattrein::trace
