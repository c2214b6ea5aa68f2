#include "trace/table_vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "trace/draw_words.h"
#include "trace/identity.h"
#include "trace/table_cells.h"
#include "trace/table_wide.h"
#include "trace/table_words.h"

namespace wattrein::trace {

namespace {

using Names = std::span<const ColumnName>;

/// A clock that stands still says nothing where a second one runs.
void pass_over_stuck_clock(const Layout& layout, ColumnMap& map) {
  constexpr std::size_t kEnough = 10;
  const auto stands = [&](int column) {
    const std::string_view at = Layout::cell(layout.rows.front(), column);
    return std::ranges::all_of(layout.rows, [&](const auto& row) { return Layout::cell(row, column) == at; });
  };
  if (map.time < 0 || layout.rows.size() < kEnough || !stands(map.time)) return;
  for (int other = 0; other < static_cast<int>(layout.names.size()); ++other) {
    if (other == map.time || !is_time(layout.names[static_cast<std::size_t>(other)]) || stands(other)) continue;
    map.notes.push_back(fmt::format("The clock '{}' stands still: '{}' is read.", printable(layout.label(map.time), 40),
                                    printable(layout.label(other), 40)));
    map.time = other;
    return;
  }
}

int named(Names names, std::string_view words) {
  const auto at = std::ranges::find(names, words, &ColumnName::words);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

/// gpustat --json: its names are nvidia-smi's, and its numbers watts.
bool is_gpustat(Names names) {
  return named(names, "query_time") >= 0 && named(names, "power_draw") >= 0 &&
         named(names, "enforced_power_limit") >= 0;
}

/// CodeCarbon's emissions.csv.
bool is_codecarbon(Names names) {
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

/// Columns for each device: "gpu0_power_w", "gpu1_power_w", and what stands beside them under the same numbers.
void take_family(const Layout& layout, const ColumnFamily& family, ColumnMap& map) {
  const Names names = layout.names;
  const auto beside = [&](std::vector<int> columns, int DeviceColumns::* member) {
    const auto other = device_family(names, columns);
    if (!other) return;
    for (std::size_t k = 0; k < other->numbers.size(); ++k) {
      const auto at = std::ranges::find(map.wide, fmt::format("{}", other->numbers[k]), &DeviceColumns::name);
      if (at != map.wide.end()) (*at).*member = other->columns[k];
    }
  };
  for (std::size_t k = 0; k < family.columns.size(); ++k) {
    DeviceColumns& device = map.wide.emplace_back();
    const ColumnName& name = names[static_cast<std::size_t>(family.columns[k])];
    device.name = fmt::format("{}", family.numbers[k]);
    device.power = family.columns[k];
    device.power_scale = map.from_counter ? name.energy_scale : name.power_scale;
  }
  map.power = map.wide[0].power;
  map.power_scale = map.wide[0].power_scale;
  if (names[static_cast<std::size_t>(map.power)].has("instant")) map.power_kind = PowerKind::instant;
  if (is_average(names[static_cast<std::size_t>(map.power)])) map.power_kind = PowerKind::average;
  map.notes.push_back(fmt::format("Each device has a column of its own, '{}' to '{}'.",
                                  printable(layout.label(map.wide.front().power), 40),
                                  printable(layout.label(map.wide.back().power), 40)));
  if (map.from_counter) return;
  beside(energies(names), &DeviceColumns::energy);
  std::vector<int> limits;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (is_limit(names[i]) && names[i].power_scale) limits.push_back(static_cast<int>(i));
  }
  beside(std::move(limits), &DeviceColumns::limit);
  for (DeviceColumns& device : map.wide) {
    if (device.energy >= 0) device.energy_scale = *names[static_cast<std::size_t>(device.energy)].energy_scale;
    if (device.limit >= 0) device.limit_scale = names[static_cast<std::size_t>(device.limit)].power_scale;
  }
}

/// The only power that the log has is in its energy counters.
Result<void> choose_counter(const Layout& layout, const Input& input, ColumnMap& map) {
  const std::vector<int> found = energies(layout.names);
  if (found.empty()) return {};
  map.from_counter = true;
  if (const auto family = device_family(layout.names, found)) {
    take_family(layout, *family, map);
  } else if (found.size() == 1) {
    map.power = found[0];
    map.power_scale = layout.names[static_cast<std::size_t>(map.power)].energy_scale;
  } else {
    std::string list;
    for (const int i : found) list += (list.empty() ? "'" : ", '") + printable(layout.label(i), 40) + "'";
    return fail(ErrorKind::bad_input, input.name(),
                fmt::format("it has no power column, and several could be its energy counter: {}", list),
                "Name one with --power.");
  }
  return {};
}

/// pandas' copies of a name ("power_w", "power_w.1") without those that repeat another one.
std::vector<int> without_equal_copies(const Layout& layout, std::span<const int> all, ColumnMap& map) {
  std::vector<int> kept;
  for (const int column : all) {
    const std::string name = lower(layout.label(column));
    const std::string_view own = std::string_view(name).substr(0, name.find_last_of('.'));
    const auto same = std::ranges::find_if(kept, [&](int other) {
      const std::string first = lower(layout.label(other));
      const bool is_copy = first == own || (first.find_last_of('.') == own.size() && first.starts_with(own));
      return is_copy && own.size() < name.size() && same_cells(layout, column, other);
    });
    if (same == kept.end() || layout.rows.empty()) {
      kept.push_back(column);
      continue;
    }
    map.notes.push_back(fmt::format("'{}' repeats '{}' and is not read.", printable(layout.label(column), 40),
                                    printable(layout.label(*same), 40)));
  }
  return kept;
}

/// Whether pandas' copies of a power are devices: not where the first may be the sum of the others, nor where the clock
/// stands there several times, with other stamps.
bool are_devices(const Layout& layout, const ColumnFamily& family, int time) {
  if (time >= 0) {
    const std::string copy_of = lower(layout.label(time)) + ".";
    for (int column = 0; column < static_cast<int>(layout.names.size()); ++column) {
      if (lower(layout.label(column)).starts_with(copy_of) && !same_cells(layout, time, column)) return false;
    }
  }
  constexpr double kMostOfIt = 0.9;  // of a machine's power, its devices
  std::size_t sums = 0;
  for (const auto& row : layout.rows) {
    double others = 0.0;
    for (const int column : std::span(family.columns).subspan(1)) {
      others += read_number(Layout::cell(row, column), 1.0).value_or(0.0);
    }
    const double first = read_number(Layout::cell(row, family.columns[0]), 1.0).value_or(0.0);
    if (first > 0.0 && first >= kMostOfIt * others) ++sums;
  }
  return family.columns.size() == 2 || sums * 2 <= layout.rows.size();
}

/// Powers that are not read and no limits either are named, so that it shows if one of them was meant.
void note_passed_over(Names names, ColumnMap& map) {
  std::vector<ColumnName> powers;
  std::ranges::copy_if(names, std::back_inserter(powers),
                       [](const ColumnName& name) { return name.power_scale && !is_limit(name); });
  const std::string list = passed_over(powers);
  if (!list.empty()) map.notes.push_back(fmt::format("Not read as the power{}.", list));
}

Result<void> choose_draw(const Layout& layout, const ReadOptions& options, const Input& input, ColumnMap& map) {
  const Names names = layout.names;
  const std::vector<int> all = without_equal_copies(layout, draws(names), map);
  if (all.empty() && options.power_column.empty()) return choose_counter(layout, input, map);
  const bool rows_have_devices =
      std::ranges::any_of(device_candidates(names), [&](int column) { return values_recur(layout, column); });
  auto family = rows_have_devices ? std::nullopt : device_family(names, all);
  if (family && family->copies && !are_devices(layout, *family, map.time)) family.reset();
  if (family && options.power_column.empty()) {
    take_family(layout, *family, map);
    for (const int other : all) {
      if (std::ranges::find(family->columns, other) != family->columns.end()) continue;
      map.notes.push_back(fmt::format("'{}' is not used: --power names it instead of the devices' own columns.",
                                      printable(layout.label(other), 40)));
    }
    return {};
  }
  const std::vector<int> found = narrowed(names, all);
  if (found.size() > 1 && options.power_column.empty()) {
    std::string list;
    for (const int i : found) list += (list.empty() ? "'" : ", '") + printable(layout.label(i), 40) + "'";
    return fail(ErrorKind::bad_input, input.name(), fmt::format("several columns could be the power: {}", list),
                "Name one with --power.");
  }
  if (found.empty()) return {};
  map.power = found.front();
  for (const int other : all) {
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

/// How the rows of a table are told apart that has one power column.
Result<void> choose_rows(const Layout& layout, const ReadOptions& options, const Input& input, ColumnMap& map) {
  if (!map.wide.empty()) {
    return fail(
        ErrorKind::usage, "--device",
        fmt::format("{} has power columns for each device, so that no column tells its rows apart", input.name()),
        "Leave --device out, or name one power column with --power.");
  }
  const auto names_instances = [&](int column) {
    return std::ranges::any_of(layout.rows,
                               [column](const auto& row) { return is_instance_name(Layout::cell(row, column)); });
  };
  if (map.instance < 0 && map.uuid >= 0 && names_instances(map.uuid)) map.instance = map.uuid;
  if (!options.device_column.empty()) return {};
  std::vector<int> candidates = device_candidates(layout.names);
  if (map.instance < 0) {
    map.device = choose_device(layout, candidates, map);
  } else {
    // Rows of instances repeat their GPU within a stamp, so that only the others show what tells devices apart.
    Layout own = layout;
    std::erase_if(own.rows, [&](const auto& row) {
      const std::string_view id = Layout::cell(row, map.instance);
      return map.instance == map.uuid ? is_instance_name(id) : !is_unknown_cell(id);
    });
    if (!own.rows.empty()) {
      map.device = choose_device(own, candidates, map);
    } else {
      std::erase_if(candidates, names_instances);
      map.device = candidates.empty() ? -1 : candidates.front();
    }
  }
  if (map.device < 0 && map.host >= 0) return take_host_as_device(layout, input, map);
  if (map.host < 0) {
    map.host = find_doubtful_host(layout, map.device);
    if (map.host >= 0) {
      map.notes.push_back(fmt::format("Each value of '{}' has the same devices, in turn: it is taken as their host.",
                                      printable(layout.label(map.host), 40)));
    }
  }
  identify_by_uuid(layout, map);
  // A model or name without "gpu" may be that of the language model or of the run.
  const bool of_gpu = map.model >= 0 && layout.names[static_cast<std::size_t>(map.model)].has("gpu");
  if (of_gpu) tell_by_model(map);
  return {};
}

}  // namespace

int vocabulary_score(Names names) {
  return (find_time(names) >= 0 ? 3 : 0) + (draws(names).empty() ? (energies(names).empty() ? 0 : 2) : 3) +
         (device_candidates(names).empty() ? 0 : 1);
}

bool vocabulary_suffices(Names names) {
  // A "start_time" is not taken as the time in silence, but the table is one: what is missing can be named.
  const bool some_time = find_time(names) >= 0 || std::ranges::any_of(names, [](const ColumnName& n) {
                           return n.words == "start_time" || n.words == "end_time" || n.words == "start_timestamp";
                         });
  // A table whose only power is a limit or the like is one too: the refusal names the word.
  const bool passed = std::ranges::any_of(names, [](const ColumnName& n) { return passed_over_for(n).has_value(); });
  if (is_gpustat(names)) return true;
  return some_time && (!draws(names).empty() || !energies(names).empty() || passed);
}

Result<ColumnMap> map_columns(const Layout& layout, const ReadOptions& options, const Input& input) {
  const Names names = layout.names;
  if (is_codecarbon(names)) {
    return fail(ErrorKind::bad_input, input.name(),
                "this is CodeCarbon's emissions file: its rows are whole runs with their mean power and energy, not a "
                "series in time",
                "Log the power itself, for example with nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv "
                "-lms 500.");
  }
  ColumnMap map;
  map.time = find_time(names);
  if (map.time < 0 && is_gpustat(names)) map.time = named(names, "query_time");
  pass_over_stuck_clock(layout, map);
  if (const auto chosen = choose_draw(layout, options, input, map); !chosen) return std::unexpected(chosen.error());
  if (map.wide.empty()) {
    map.limit = find_limit(names);
    map.energy = map.from_counter ? -1 : find_energy(names);
    if (map.energy >= 0) map.energy_scale = *names[static_cast<std::size_t>(map.energy)].energy_scale;
  }
  if (options.power_column.empty()) note_passed_over(names, map);
  find_labels(names, map);
  if (map.host >= 0 && holds_readings(layout, map.host)) {
    map.notes.push_back(
        fmt::format("Column '{}' holds readings, so it does not name hosts.", printable(layout.label(map.host), 40)));
    map.host = -1;
  }
  if (is_gpustat(names) && map.power == named(names, "power_draw") && !map.power_scale) {
    map.power_scale = 1.0;
    map.notes.push_back("The keys are those of gpustat, whose powers are watts.");
  }
  scale_limit(layout, map);
  if (const auto applied = apply_options(layout, options, input, map); !applied)
    return std::unexpected(applied.error());
  pair_with_date(layout, map);
  if (map.wide.empty() || !options.device_column.empty()) {
    if (const auto chosen = choose_rows(layout, options, input, map); !chosen) return std::unexpected(chosen.error());
  }
  if (map.from_counter) {
    map.notes.push_back(
        fmt::format("Power is the difference of the energy counter '{}' over the time between two readings; it holds "
                    "from the earlier one on.",
                    printable(layout.label(map.power), 40)));
  }
  if (const auto fit = check_map(layout, map, options, input); !fit) return std::unexpected(fit.error());
  return map;
}

}  // namespace wattrein::trace
