#include "trace/table_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

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

/// Words that may stand beside the time's own without changing what it is.
bool is_time(const ColumnName& name) {
  static constexpr std::array<std::string_view, 8> kCore{"time", "timestamp", "stamp",   "datetime",
                                                         "ts",   "epoch",     "elapsed", "t"};
  static constexpr std::array<std::string_view, 12> kBeside{"unix", "utc",  "local",  "wall", "sample", "iso",
                                                            "date", "host", "system", "gpu",  "clock",  "since"};
  bool core = name.tokens.size() == 1 && name.tokens[0] == "date";
  for (const std::string& token : name.tokens) {
    const bool is_core = std::ranges::find(kCore, token) != kCore.end();
    core = core || is_core;
    if (!is_core && std::ranges::find(kBeside, token) == kBeside.end()) return false;
  }
  return core;
}

bool is_limit(const ColumnName& name) {
  return has_any(name, {"power", "pwr"}) && has_any(name, {"limit", "cap", "powercap"}) &&
         !has_any(name, {"max", "min", "default", "throttle", "violation", "slowdown", "active", "reason", "reasons"});
}

bool is_draw(const ColumnName& name) {
  if (!has_any(name, {"power", "watts", "watt", "pwr", "draw"})) return false;
  if (name.energy_scale || name.time_unit) return false;
  return !has_any(name, {"limit", "cap",         "max",   "min",     "default", "enforced", "requested", "management",
                         "tdp",   "budget",      "state", "mode",    "brake",   "slowdown", "throttle",  "violation",
                         "util",  "utilization", "pct",   "percent", "count",   "factor",   "smoothing", "cpu",
                         "ram",   "dram",        "peak",  "std",     "target",  "error"});
}

bool is_average(const ColumnName& name) { return has_any(name, {"average", "avg", "mean"}); }

bool is_energy(const ColumnName& name) {
  return name.energy_scale && has_any(name, {"energy", "consumption", "joules"}) &&
         !has_any(name, {"delta", "step", "per", "rate", "cpu", "ram", "dram", "token"});
}

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

/// Of several, those that say more: a unit, then "instant", then "gpu".
std::vector<int> narrowed(Names names, std::vector<int> found) {
  const auto keep = [&](auto fits) {
    std::vector<int> kept;
    std::ranges::copy_if(found, std::back_inserter(kept),
                         [&](int i) { return fits(names[static_cast<std::size_t>(i)]); });
    if (!kept.empty()) found = std::move(kept);
  };
  keep([](const ColumnName& n) { return n.power_scale.has_value(); });
  keep([](const ColumnName& n) { return n.has("instant"); });
  keep([](const ColumnName& n) { return has_any(n, {"gpu", "device", "board"}); });
  return found;
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
    if (const int i = first(names, [wanted](const ColumnName& n) { return n.words == wanted; }); i >= 0)
      found.push_back(i);
  }
  return found;
}

int find_time(Names names) {
  // An absolute stamp goes before a count since the start.
  const int absolute = first(names, [](const ColumnName& n) { return is_time(n) && !n.has("elapsed"); });
  return absolute >= 0 ? absolute : first(names, is_time);
}

/// CodeCarbon's emissions.csv: one row a run.
bool is_summary(Names names) {
  const auto has = [names](std::string_view words) {
    return std::ranges::find(names, words, &ColumnName::words) != names.end();
  };
  return has("run_id") && has("duration") && has("emissions");
}

/// A limit has no unit more often than the draw has; its size tells: no GPU is limited to 5 kW, none to 2 W.
void scale_limit(const Layout& layout, ColumnMap& map) {
  if (map.limit < 0) return;
  map.limit_scale = layout.names[static_cast<std::size_t>(map.limit)].power_scale;
  const PowerSample sample = sample_power(layout, map.limit, map.limit_scale);
  if (map.limit_scale || sample.known == 0 || sample.with_unit > 0) return;
  const std::string label = printable(layout.label(map.limit), 40);
  if (sample.largest >= 5000.0) {
    map.limit_scale = 1e-3;
    map.notes.push_back(fmt::format("Column '{}' has no unit; by its size it is the limit in mW.", label));
  } else if (sample.largest <= 2000.0) {
    map.limit_scale = 1.0;
    map.notes.push_back(fmt::format("Column '{}' has no unit; by its size it is the limit in W.", label));
  } else {
    map.notes.push_back(fmt::format("Column '{}' has no unit and its size does not tell; it was left out.", label));
    map.limit = -1;
  }
}

Result<void> choose_draw(const Layout& layout, const ReadOptions& options, const Input& input, ColumnMap& map) {
  const Names names = layout.names;
  const std::vector<int> found = narrowed(names, draws(names));
  if (found.size() > 1 && options.power_column.empty()) {
    std::string list;
    for (const int i : found) list += (list.empty() ? "'" : ", '") + printable(layout.label(i), 40) + "'";
    return fail(ErrorKind::bad_input, input.name(), fmt::format("several columns could be the power: {}", list),
                "Name one with --power.");
  }
  if (found.empty()) return {};
  map.power = found.front();
  for (const int other : draws(names)) {
    if (other == map.power || !options.power_column.empty()) continue;
    map.notes.push_back(fmt::format("Power is '{}'; '{}' could be it too, and --power names it.",
                                    printable(layout.label(map.power), 40), printable(layout.label(other), 40)));
  }
  const ColumnName& name = names[static_cast<std::size_t>(map.power)];
  map.power_scale = name.power_scale;
  if (name.has("instant")) map.power_kind = PowerKind::instant;
  if (is_average(name)) map.power_kind = PowerKind::average;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (map.power_kind == PowerKind::average || !is_draw(names[i]) || !is_average(names[i])) continue;
    map.average = static_cast<int>(i);
    map.average_scale = names[i].power_scale ? names[i].power_scale : map.power_scale;
    map.notes.push_back(fmt::format("Power is '{}'; '{}' is kept beside it.", printable(layout.label(map.power), 40),
                                    printable(layout.label(map.average), 40)));
    break;
  }
  return {};
}

}  // namespace

int vocabulary_score(Names names) {
  return (find_time(names) >= 0 ? 3 : 0) + (draws(names).empty() ? 0 : 3) + (device_candidates(names).empty() ? 0 : 1);
}

bool vocabulary_suffices(Names names) { return find_time(names) >= 0 && !draws(names).empty(); }

Result<ColumnMap> map_columns(const Layout& layout, const ReadOptions& options, const Input& input) {
  const Names names = layout.names;
  if (is_summary(names)) {
    return fail(ErrorKind::bad_input, input.name(),
                "its rows are whole runs with their mean power, not a series in time",
                "Log the power itself, for example with nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv "
                "-lms 500.");
  }
  ColumnMap map;
  map.time = find_time(names);
  if (const auto chosen = choose_draw(layout, options, input, map); !chosen) return std::unexpected(chosen.error());
  map.limit = first(names, is_limit);
  map.energy = first(names, is_energy);
  if (map.energy >= 0) map.energy_scale = *names[static_cast<std::size_t>(map.energy)].energy_scale;
  map.phase = first(names, [](const ColumnName& n) { return n.words == "phase" || n.words == "stage"; });
  map.host = first(names, [](const ColumnName& n) {
    const std::string& text = n.words;
    return text == "host" || text == "hostname" || text == "host_name" || text == "node" || text == "node_id";
  });
  map.model = first(names, [](const ColumnName& n) {
    const std::string& text = n.words;
    return text == "gpu_model" || text == "model" || text == "gpu_name" || text == "name" || text == "device_name";
  });
  map.uuid = first(names, [](const ColumnName& n) { return n.words == "uuid" || n.words == "gpu_uuid"; });
  scale_limit(layout, map);
  if (const auto applied = apply_options(layout, options, input, map); !applied)
    return std::unexpected(applied.error());
  if (options.device_column.empty()) {
    map.device = choose_device(layout, map.time, device_candidates(names), map.notes);
    if (map.device < 0 && map.host >= 0) map.device = std::exchange(map.host, -1);
  }
  if (const auto fit = check_map(layout, map, options, input); !fit) return std::unexpected(fit.error());
  return map;
}

}  // namespace wattrein::trace
