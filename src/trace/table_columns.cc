#include "trace/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "trace/draw_words.h"
#include "trace/table_cells.h"
#include "trace/table_formats.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kListed = 40;

bool is_named(const ColumnName& column, std::string_view name) {
  return equal_ignoring_case(column.text, name) || equal_ignoring_case(column.base, name);
}

/// "#3" as 2; -1 when it is no such thing.
int by_number(std::string_view name) {
  if (!name.starts_with('#')) return -1;
  const auto number = parse_int(name.substr(1));
  return number && *number >= 1 && *number <= 100'000 ? static_cast<int>(*number) - 1 : -1;
}

/// Errors: two columns to which a name fits, with different values.
Result<void> check_unique(const Layout& layout, std::span<const int> fitting, std::string_view name,
                          std::string_view option, ErrorKind kind, const std::string& where) {
  for (const int other : fitting.subspan(1)) {
    if (same_cells(layout, fitting[0], other)) continue;
    return fail(kind, where,
                fmt::format("'{}' is the name of columns #{} and #{}, and they differ", printable(name, 40),
                            fitting[0] + 1, other + 1),
                fmt::format("Name one by its place, as in {} \"#{}\".", option, other + 1));
  }
  return {};
}

/// The same for a column that was found without an option's help.
Result<void> check_unique(const Layout& layout, int column, const std::string& stated, std::string_view option,
                          const Input& input) {
  if (column < 0 || !stated.empty() || !layout.has_header()) return {};
  const std::string& name = layout.names[static_cast<std::size_t>(column)].text;
  std::vector<int> fitting{column};
  for (std::size_t i = 0; i < layout.names.size(); ++i) {
    const int other = static_cast<int>(i);
    if (other != column && equal_ignoring_case(layout.names[i].text, name)) fitting.push_back(other);
  }
  return check_unique(layout, fitting, name, option, ErrorKind::bad_input, input.name());
}

}  // namespace

bool same_cells(const Layout& layout, int a, int b) {
  return std::ranges::all_of(layout.rows,
                             [a, b](const auto& row) { return Layout::cell(row, a) == Layout::cell(row, b); });
}

std::string column_list(const Layout& layout) {
  std::string list;
  for (std::size_t i = 0; i < std::min(layout.width(), kListed); ++i) {
    list += (i == 0 ? "" : ", ") + printable(layout.label(static_cast<int>(i)), 40);
  }
  if (layout.width() > kListed) list += fmt::format(", and {} more", layout.width() - kListed);
  return list;
}

Result<int> named_column(const Layout& layout, std::string_view name, std::string_view option, const Input& input) {
  if (const int number = by_number(name); number >= 0) {
    if (static_cast<std::size_t>(number) < layout.width()) return number;
    return fail(ErrorKind::usage, std::string(option),
                fmt::format("{} has no column {}; its rows have {}", input.name(), printable(name), layout.width()),
                "Columns count from #1.");
  }
  for (const bool exact : {true, false}) {
    std::vector<int> fitting;
    for (std::size_t i = 0; i < layout.names.size(); ++i) {
      if (exact ? layout.names[i].text == name : is_named(layout.names[i], name))
        fitting.push_back(static_cast<int>(i));
    }
    if (fitting.empty()) continue;
    const auto unique = check_unique(layout, fitting, name, option, ErrorKind::usage, std::string(option));
    if (!unique) return std::unexpected(unique.error());
    return fitting[0];
  }
  if (!layout.has_header()) {
    return fail(
        ErrorKind::usage, std::string(option),
        fmt::format("{} has no header, so that no column is called '{}'", input.name(), printable(name)),
        fmt::format("Name it by its place, as in {} \"#2\"; the rows have {}.", option, counted(layout.cells, "cell")));
  }
  std::vector<std::string_view> known;
  for (const ColumnName& column : layout.names) {
    known.push_back(column.text);
    known.push_back(column.base);
  }
  const std::string_view near = nearest(name, known);
  return fail(
      ErrorKind::usage, std::string(option), fmt::format("{} has no column '{}'", input.name(), printable(name)),
      fmt::format("{}The columns are: {}.", near.empty() ? "" : fmt::format("Did you mean '{}'? ", printable(near)),
                  column_list(layout)));
}

int named_by_options(std::span<const ColumnName> names, const ReadOptions& options) {
  int count = 0;
  for (const std::string* option :
       {&options.time_column, &options.power_column, &options.device_column, &options.phase_column}) {
    if (option->empty()) continue;
    if (std::ranges::any_of(names, [option](const ColumnName& n) { return is_named(n, *option); })) ++count;
  }
  return count;
}

namespace {

/// The power column that --power names, in place of the one that was found.
Result<void> apply_power(const Layout& layout, const ReadOptions& options, const Input& input, ColumnMap& map) {
  const auto column = named_column(layout, options.power_column, "--power", input);
  if (!column) return std::unexpected(column.error());
  map.wide.clear();
  map.second = -1;
  if (*column != map.power) {
    map.power = *column;
    map.average = -1;
    map.power_scale.reset();
    map.power_kind = PowerKind::plain;
    map.from_counter = false;
    if (layout.has_header()) {
      const ColumnName& name = layout.names[static_cast<std::size_t>(*column)];
      map.power_scale = name.power_scale;
      if (name.has("instant")) map.power_kind = PowerKind::instant;
      if (name.has("average")) map.power_kind = PowerKind::average;
      if (!name.power_scale && (name.energy_scale || name.has("energy") || name.has("joules"))) {
        map.from_counter = true;
        map.power_scale = name.energy_scale;
      }
    }
  }
  // What is taken as the draw is not a limit or an average of it at the same time.
  for (int* other : {&map.average, &map.limit, &map.nameplate, &map.energy}) {
    if (*other == map.power) *other = -1;
  }
  return {};
}

Result<void> apply_unit(const Layout& layout, const ReadOptions& options, ColumnMap& map) {
  const auto watts = power_unit(options.power_unit);
  const auto joules = energy_unit(options.power_unit);
  if (!watts && !joules) {
    return fail(ErrorKind::usage, "--unit", fmt::format("'{}' is not a unit of power", printable(options.power_unit)),
                "Write W, mW or kW.");
  }
  if (joules && !map.from_counter && !options.power_column.empty()) map.from_counter = true;
  const auto stated = map.from_counter ? joules : watts;
  if (!stated) {
    return fail(ErrorKind::usage, "--unit",
                fmt::format("'{}' is no unit of {}", printable(options.power_unit),
                            map.from_counter ? "energy, and power comes from an energy counter here" : "power"),
                map.from_counter ? "Write J, mJ or Wh." : "Write W, mW or kW.");
  }
  const bool mixed = std::ranges::any_of(
      map.wide, [&](const DeviceColumns& device) { return device.power_scale != map.wide.front().power_scale; });
  if (mixed) {
    map.notes.push_back(
        fmt::format("The devices' columns have several units: --unit {} was taken where none is stated.",
                    printable(options.power_unit, 10)));
  } else if (map.power_scale && *map.power_scale != *stated && layout.has_header()) {
    map.notes.push_back(fmt::format("The header says '{}' and --unit says {}: --unit was taken.",
                                    printable(layout.label(map.power), 40), printable(options.power_unit, 10)));
  }
  for (DeviceColumns& device : map.wide) {
    if (!mixed || !device.power_scale) device.power_scale = stated;
  }
  map.power_scale = mixed ? map.wide.front().power_scale : stated;
  return {};
}

}  // namespace

Result<void> apply_options(const Layout& layout, const ReadOptions& options, const Input& input, ColumnMap& map) {
  struct Named {
    const std::string& name;
    std::string_view option;
    int& column;
  };
  for (const Named& named : {Named{options.time_column, "--time", map.time},
                             {options.device_column, "--device", map.device},
                             {options.phase_column, "--phase", map.phase}}) {
    if (named.name.empty()) continue;
    const auto column = named_column(layout, named.name, named.option, input);
    if (!column) return std::unexpected(column.error());
    named.column = *column;
  }
  if (map.host == map.device) map.host = -1;
  if (!options.power_column.empty()) {
    if (auto applied = apply_power(layout, options, input, map); !applied) return applied;
  }
  if (!options.power_unit.empty()) {
    if (auto applied = apply_unit(layout, options, map); !applied) return applied;
  }
  if (map.time >= 0 && layout.has_header()) map.time_unit = layout.names[static_cast<std::size_t>(map.time)].time_unit;
  if (!options.time_unit.empty()) {
    map.time_unit = parse_time_unit(options.time_unit);
    if (!map.time_unit) {
      return fail(ErrorKind::usage, "--time-unit",
                  fmt::format("'{}' is not a unit of time", printable(options.time_unit)), "Write s, ms, us or ns.");
    }
  }
  note_unit_conflicts(layout, options, map);
  return {};
}

void pair_with_date(const Layout& layout, ColumnMap& map) {
  const auto first_cell = [&](int column) {
    for (const auto& row : layout.rows) {
      const std::string_view cell = Layout::cell(row, column);
      if (!is_unknown_cell(cell)) return cell;
    }
    return std::string_view();
  };
  const auto is_time_of_day = [](std::string_view cell) {
    return cell.find(':') != std::string_view::npos && cell.find_first_of("-/T") == std::string_view::npos &&
           cell.find('.') > cell.find(':');
  };
  const auto is_date = [](std::string_view cell) {
    return cell.size() >= 8 && cell.size() <= 10 && cell.find(':') == std::string_view::npos && cell[0] >= '0' &&
           cell[0] <= '9';
  };
  int date = -1;
  int time = -1;
  for (int i = 0; i < static_cast<int>(layout.names.size()); ++i) {
    const std::string& words = layout.names[static_cast<std::size_t>(i)].words;
    if (date < 0 && (words == "date" || words == "day") && is_date(first_cell(i))) date = i;
    if (time < 0 && (words == "time" || words == "timestamp" || words == "clock") && is_time_of_day(first_cell(i))) {
      time = i;
    }
  }
  if (date < 0 || time < 0 || (map.time != date && map.time != time)) return;
  map.date = date;
  map.time = time;
}

PowerSample sample_power(const Layout& layout, int column, std::optional<double> scale) {
  PowerSample sample;
  double first = 0.0;
  const Decimals decimals = decimals_of(layout, column).decided();
  for (const auto& row : layout.rows) {
    const std::string_view cell = Layout::cell(row, column);
    if (cell.data() == nullptr) continue;
    const Reading reading = read_power(cell, scale ? scale : 1.0, decimals);
    if (reading.kind == Reading::Kind::unknown) ++sample.unknown;
    if (reading.kind != Reading::Kind::value) continue;
    if (sample.known == 0) first = reading.value;
    sample.varies = sample.varies || reading.value != first;
    sample.largest = std::max(sample.largest, reading.value);
    sample.with_unit += reading.unit_in_cell ? 1 : 0;
    ++sample.known;
  }
  return sample;
}

namespace {

bool says_mega(const Layout& layout, int column) {
  const auto ends = [](std::string_view text) {
    while (!text.empty() && (text.back() == ')' || text.back() == ']')) text.remove_suffix(1);
    return text.ends_with("MW") || text.ends_with("MJ") || text.ends_with("MWh") || text.ends_with("MWH");
  };
  return ends(layout.label(column)) ||
         std::ranges::any_of(layout.rows, [&](const auto& row) { return ends(Layout::cell(row, column)); });
}

std::string why_no_unit(const Layout& layout, int column) {
  if (says_mega(layout, column)) return ": 'M' in capitals is mega by the book, and often meant as milli";
  const std::string label = layout.label(column);
  const std::string_view odd = odd_unit(label);
  return odd.empty() ? "" : fmt::format(": '{}' is neither W, mW nor kW", printable(odd, 20));
}

}  // namespace

Result<void> check_map(const Layout& layout, const ColumnMap& map, const ReadOptions& options, const Input& input) {
  if (map.device < 0 && map.doubtful_device >= 0 && map.wide.empty() && !options.devices) {
    const std::string label = printable(layout.label(map.doubtful_device), 40);
    return fail(ErrorKind::bad_input, input.name(),
                fmt::format("column '{}' may name devices or hold their utilisation", label),
                fmt::format("Say --device {} if it names them, and --devices 1 if this is one device.", label));
  }
  if (map.power < 0) {
    return fail(ErrorKind::bad_input, input.name(), "no column was recognised as power" + passed_over(layout.names),
                fmt::format("Name it with --power. The columns are: {}.", column_list(layout)));
  }
  if (map.time < 0 && !options.period) {
    return fail(
        ErrorKind::bad_input, input.name(), "no column was recognised as time",
        fmt::format("Name it with --time, or state the period of the log with --period 1s. The columns are: {}.",
                    column_list(layout)));
  }
  if (const auto formats = column_formats(layout, map, options, input); !formats) {
    return std::unexpected(formats.error());
  }
  for (const auto& [column, stated, option] :
       {std::tuple<int, const std::string&, std::string_view>{map.time, options.time_column, "--time"},
        {map.power, options.power_column, "--power"},
        {map.device, options.device_column, "--device"}}) {
    if (auto unique = check_unique(layout, column, stated, option, input); !unique) return unique;
  }
  const auto has_unit = [&](int column, std::optional<double> scale) {
    const PowerSample sample = sample_power(layout, column, scale);
    return scale || sample.known == 0 || sample.with_unit > 0;
  };
  const auto bare = std::ranges::find_if_not(
      map.wide, [&](const DeviceColumns& device) { return has_unit(device.power, device.power_scale); });
  if (bare == map.wide.end() && has_unit(map.power, map.power_scale)) return {};
  return fail(
      ErrorKind::bad_input, input.name(),
      fmt::format("column '{}' has no unit, neither in its name nor in its cells{}",
                  printable(layout.label(bare == map.wide.end() ? map.power : bare->power), 40),
                  why_no_unit(layout, bare == map.wide.end() ? map.power : bare->power)),
      map.from_counter ? "State it with --unit J or --unit mJ." : "State it with --unit mW, --unit W or --unit kW.");
}

}  // namespace wattrein::trace
