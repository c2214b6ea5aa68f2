// nvidia-smi --query-gpu=... --format=csv, with and without header and units.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "trace/identity.h"
#include "trace/nvidia_smi.h"
#include "trace/reader.h"
#include "trace/table.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "nvidia-smi";
constexpr std::array<std::string_view, 3> kDraw{"power.draw.instant", "power.draw", "power.draw.average"};
constexpr std::size_t kShapeRows = 500;

int find(std::span<const ColumnName> names, std::string_view base) {
  const auto at = std::ranges::find(names, base, &ColumnName::base);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

int first_of(std::span<const ColumnName> names, std::initializer_list<std::string_view> bases) {
  for (const std::string_view base : bases) {
    if (const int column = find(names, base); column >= 0) return column;
  }
  return -1;
}

int draws_in(std::span<const ColumnName> names) {
  return static_cast<int>(std::ranges::count_if(kDraw, [names](std::string_view d) { return find(names, d) >= 0; }));
}

/// The same for what tells devices and hosts apart: "node [W]" is no node.
int identity_of(std::span<const ColumnName> names, std::initializer_list<std::string_view> bases) {
  for (const std::string_view base : bases) {
    const int column = find(names, base);
    if (column >= 0 && !names[static_cast<std::size_t>(column)].states_unit) return column;
  }
  return -1;
}

/// Fields of nvidia-smi are in watts whether the header says so or not.
double scale_of(const Layout& layout, int column) {
  return column < 0 ? 1.0 : layout.names[static_cast<std::size_t>(column)].power_scale.value_or(1.0);
}

// --- With a header ------------------------------------------------------------------------------------------

/// The instant draw where it is known, else the plain one, else the average.
void choose_power(const Layout& layout, ColumnMap& map) {
  const int instant = find(layout.names, "power.draw.instant");
  const int plain = find(layout.names, "power.draw");
  const int average = find(layout.names, "power.draw.average");
  const auto known = [&](int column) {
    return column >= 0 && sample_power(layout, column, scale_of(layout, column)).known > 0;
  };
  for (const int column : {instant, plain, average}) {
    if (map.power < 0 && known(column)) map.power = column;
  }
  for (const int column : {instant, plain, average}) {
    if (map.power < 0 && column >= 0) map.power = column;
  }
  if (map.power < 0) return;
  map.power_scale = scale_of(layout, map.power);
  map.power_kind = map.power == instant   ? PowerKind::instant
                   : map.power == average ? PowerKind::average
                                          : PowerKind::plain;
  if (map.power != average && known(average)) {
    map.average = average;
    map.average_scale = scale_of(layout, average);
    map.notes.push_back(
        fmt::format("Power is '{}'; '{}' is kept beside it.", layout.label(map.power), layout.label(average)));
  }
  // Some drivers know the instant draw of some GPUs only.
  if (map.power == instant && known(plain) && sample_power(layout, instant, *map.power_scale).unknown > 0) {
    map.second = plain;
    map.second_scale = scale_of(layout, plain);
  }
  for (const int column : {instant, plain, average}) {
    if (column < 0 || column == map.power || column == map.average || column == map.second) continue;
    map.notes.push_back(fmt::format("Power is '{}'; '{}' {}.", layout.label(map.power), layout.label(column),
                                    known(column) ? "is not used" : "holds no value"));
  }
}

/// Every value once a poll, always in the same order: names differ only where every device has its own.
bool cycles(const Layout& layout, int column) {
  constexpr std::size_t kMost = 256;
  std::vector<std::string_view> seen;
  std::size_t i = 0;
  for (const auto& row : layout.rows) {
    const std::string_view cell = Layout::cell(row, column);
    if (cell.empty()) continue;
    if (i == seen.size() && std::ranges::find(seen, cell) == seen.end()) {
      if (seen.size() == kMost) return false;
      seen.push_back(cell);
    } else if (cell != seen[i % seen.size()]) {
      return false;
    }
    ++i;
  }
  return seen.size() > 1;
}

ColumnMap map_by_header(const Layout& layout) {
  const std::vector<ColumnName>& names = layout.names;
  ColumnMap map;
  // A date that a loop puts in front of each row has a name of its own.
  map.time = first_of(names, {"timestamp", "time", "datetime", "date", "epoch", "ts"});
  choose_power(layout, map);
  map.limit = first_of(names, {"enforced.power.limit", "power.limit"});
  map.limit_scale = scale_of(layout, map.limit);
  map.nameplate = first_of(names, {"power.default_limit", "power.max_limit"});
  map.nameplate_scale = scale_of(layout, map.nameplate);
  map.uuid = identity_of(names, {"uuid", "gpu_uuid"});
  map.model = identity_of(names, {"name", "gpu_name"});
  map.host =
      identity_of(names, {"host", "hostname", "node", "server", "machine", "nodename", "computer", "host_id", "ip"});
  const std::array<int, 8> candidates{identity_of(names, {"index"}),      identity_of(names, {"gpu"}),
                                      identity_of(names, {"gpu_uuid"}),   identity_of(names, {"uuid"}),
                                      identity_of(names, {"pci.bus_id"}), identity_of(names, {"gpu_bus_id"}),
                                      identity_of(names, {"gpu_serial"}), identity_of(names, {"serial"})};
  map.device = choose_device(layout, candidates, map);
  if (map.device < 0 && map.model >= 0 && cycles(layout, map.model)) map.device = map.model;
  return map;
}

// --- Without one ----------------------------------------------------------------------------------------------

/// How many of the first rows have a cell in this column that `fits`.
template <class Fits>
bool mostly(const Layout& layout, int column, Fits fits) {
  std::size_t good = 0;
  std::size_t all = 0;
  for (const auto& row : std::span(layout.rows).first(std::min(layout.rows.size(), kShapeRows))) {
    if (row.size() != layout.cells) continue;
    ++all;
    if (fits(Layout::cell(row, column))) ++good;
  }
  return all > 0 && good * 10 >= all * 9;
}

bool is_uuid(std::string_view cell) { return cell.starts_with("GPU-") && cell.size() >= 12; }
bool is_bus_id(std::string_view cell) {
  return cell.size() >= 10 && cell.size() <= 16 && cell[cell.size() - 2] == '.' && std::ranges::count(cell, ':') == 2 &&
         cell.find(' ') == std::string_view::npos;
}
bool has_watts(std::string_view cell) {
  const Reading reading = read_power(cell, {});
  return reading.kind != Reading::Kind::unreadable;
}
bool is_model(std::string_view cell) {
  return cell.starts_with("NVIDIA ") || cell.starts_with("Tesla ") || cell.starts_with("GeForce ") ||
         cell.starts_with("Quadro ");
}

/// Counts 0, 1, ..., k-1 over and over, k > 1.
bool counts_devices(const Layout& layout, int column) {
  std::int64_t highest = 0;
  std::size_t steps = 0;
  std::size_t all = 0;
  std::optional<std::int64_t> last;
  for (const auto& row : std::span(layout.rows).first(std::min(layout.rows.size(), kShapeRows))) {
    const auto value = parse_int(Layout::cell(row, column));
    if (!value || *value < 0 || *value > 255) return false;
    highest = std::max(highest, *value);
    if (last) {
      ++all;
      if (*value == *last + 1 || (*value == 0 && *last == highest)) ++steps;
    }
    last = value;
  }
  return highest > 0 && steps * 20 >= all * 19;
}

ColumnMap map_by_shape(const Layout& layout) {
  ColumnMap map;
  StampParser clock;
  std::vector<int> watts;
  std::vector<int> varying;
  int device_rank = 3;
  for (int column = 0; column < static_cast<int>(layout.cells); ++column) {
    if (map.time < 0 &&
        mostly(
            layout, column,
            [&clock](std::string_view cell) { return cell.size() > 14 && clock.parse(cell).has_value(); })) {
      map.time = column;
      continue;
    }
    const PowerSample sample = sample_power(layout, column, {});
    if (sample.with_unit > 0 && mostly(layout, column, has_watts)) {
      watts.push_back(column);
      if (sample.varies) varying.push_back(column);
    } else if (mostly(layout, column, is_model)) {
      map.model = column;
    } else {
      const bool uuid = mostly(layout, column, is_uuid);
      if (uuid) map.uuid = column;
      const int rank = counts_devices(layout, column) ? 0 : uuid ? 1 : mostly(layout, column, is_bus_id) ? 2 : 3;
      if (rank < device_rank) {
        device_rank = rank;
        map.device = column;
      }
    }
  }
  if (watts.size() == 1) map.power = watts.front();
  if (watts.size() > 1 && varying.size() == 1) {
    map.power = varying.front();
    map.notes.push_back(
        fmt::format("Column {} is the one of {} columns in watts that varies; it was taken as the draw.",
                    layout.label(map.power), watts.size()));
  }
  if (map.power >= 0) {
    map.notes.push_back(
        fmt::format("The log has no header: time was found in column {} and power in column {} by their shape.",
                    map.time < 0 ? "none" : layout.label(map.time), layout.label(map.power)));
  } else {
    std::string list;
    for (const int column : watts) list += (list.empty() ? "" : ", ") + layout.label(column);
    map.notes.push_back(list);
  }
  return map;
}

/// "..., 0, 171,82 W": decimals cut off by the comma that separates cells. nvidia-smi puts a blank behind that one, and
/// writes two decimals.
bool power_is_decimals(const Layout& layout, int power) {
  if (layout.delimiter != ',' || power < 1) return false;
  bool blanks_elsewhere = false;
  bool leading_zero = false;
  std::size_t fits = 0;
  std::size_t all = 0;
  for (const auto& row : layout.rows) {
    if (row.size() != layout.cells) continue;
    ++all;
    const std::string_view cell = Layout::cell(row, power);
    const std::string_view whole = Layout::cell(row, power - 1);
    const auto follows_blank = [](std::string_view c) { return !c.empty() && c.data()[-1] == ' '; };
    if (power > 1) blanks_elsewhere = blanks_elsewhere || follows_blank(whole);
    const std::string_view digits = cell.substr(0, cell.find_first_not_of("0123456789"));
    leading_zero = leading_zero || (digits.size() == 2 && digits[0] == '0');
    if (digits.size() == 2 && cell.substr(2, 1) != "." && parse_int(whole) && !follows_blank(cell)) ++fits;
  }
  return all > 0 && fits * 10 >= all * 9 && (blanks_elsewhere || leading_zero);
}

/// `watts`: labels of all columns in watts.
std::unexpected<Error> which_power(const Input& input, std::string_view watts) {
  return fail(ErrorKind::bad_input, input.name(),
              watts.empty() ? "it has no header, and no column is marked as watts"
                            : fmt::format("it has no header, and columns {} are all watts", watts),
              "Name the one that holds the draw by its place, as in --power \"#7\".");
}

HeaderScore scorer(const ReadOptions& options) {
  return
      [&options](std::span<const ColumnName> names) { return 10 * draws_in(names) + named_by_options(names, options); };
}

/// "power.draw [W].1": tables of several GPUs that pandas put side by side, which are a column each (csv).
bool has_copies(std::span<const ColumnName> names) {
  return std::ranges::any_of(names, [&](const ColumnName& name) {
    const std::size_t dot = name.text.find_last_of('.');
    if (dot == std::string::npos || !parse_int(std::string_view(name.text).substr(dot + 1))) return false;
    const std::string_view own = std::string_view(name.text).substr(0, dot);
    const auto at = std::ranges::find(names, own, &ColumnName::text);
    return at != names.end() && std::ranges::find(kDraw, at->base) != kDraw.end();
  });
}

Match recognise(std::string_view head) {
  if (are_json_lines(head)) return Match::no;
  const ReadOptions none;
  const auto layout = find_layout(head, scorer(none));
  if (!layout) return Match::no;
  if (draws_in(layout->names) > 0) return has_copies(layout->names) ? Match::no : Match::sure;
  if (layout->has_header() || layout->rows.empty()) return Match::no;
  // "2025/07/27 00:22:27.858, ..., 71.25 W"
  StampParser clock;
  bool stamp = false;
  bool watts = false;
  for (const std::string_view cell : layout->rows.front()) {
    stamp = stamp || (cell.size() == 23 && cell[4] == '/' && cell[19] == '.' && clock.parse(cell));
    watts = watts || read_power(cell, {}).unit_in_cell;
  }
  if (!stamp) return Match::no;
  return watts ? Match::sure : Match::perhaps;
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto layout = find_layout(input.head(), scorer(options));
  if (!layout) return fail(ErrorKind::bad_input, input.name(), "it holds no line", "Check the program that writes it.");
  ColumnMap map = layout->has_header() ? map_by_header(*layout) : map_by_shape(*layout);
  map.row_a_device = true;
  if (!layout->has_header() && map.power < 0) {
    const std::string watts = std::exchange(map.notes, {}).back();
    if (options.power_column.empty()) return which_power(input, watts);
    map.power_scale = 1.0;
  }
  if (!layout->has_header() && options.power_column.empty() && power_is_decimals(*layout, map.power)) {
    return fail(
        ErrorKind::bad_input, input.name(),
        "its numbers have decimal commas, and commas separate its cells too: what stands before 'W' are decimals",
        "Record it under LC_ALL=C, or put another sign between the cells.");
  }
  const bool stated = !options.power_column.empty();
  if (const auto applied = apply_options(*layout, options, input, map); !applied)
    return std::unexpected(applied.error());
  if (stated && !map.power_scale) map.power_scale = 1.0;  // nvidia-smi knows no other unit
  if (options.device_column.empty()) {
    identify_by_uuid(*layout, map);
    tell_by_model(map);
  }
  if (map.device < 0 && map.host >= 0) {
    if (const auto host = take_host_as_device(*layout, input, map); !host) return std::unexpected(host.error());
  }
  if (const auto fit = check_map(*layout, map, options, input); !fit) return std::unexpected(fit.error());
  map.is_nvml = true;
  return read_lines(input, *layout, map, options, kName);
}

}  // namespace

extern const Reader kNvidiaSmi;
const Reader kNvidiaSmi{
    .name = kName,
    .summary = "nvidia-smi --query-gpu=timestamp,index,power.draw,... --format=csv, header and units optional",
    .looks_for = "a header with power.draw, or rows as '2025/07/27 00:22:27.858, 71.25 W'",
    .recognise = recognise,
    .read = read};

}  // namespace wattrein::trace
