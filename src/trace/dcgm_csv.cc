// CSV that programs make of DCGM's fields: one column a field ("flat"), or one row a field ("long").
// The fields have no unit in their names; power is in W and energy in mJ (NVIDIA DCGM, dcgm_fields.h).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "trace/reader.h"
#include "trace/table.h"
#include "trace/table_fixed.h"
#include "trace/table_vocabulary.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "dcgm-csv";

struct Field {
  std::string_view name;
  std::string_view number;
  MeterKind meter;
  bool energy;
};
/// In order of preference.
constexpr std::array<Field, 3> kFields{
    {{"DCGM_FI_DEV_POWER_USAGE_INSTANT", "157", MeterKind::instantaneous, false},
     {"DCGM_FI_DEV_POWER_USAGE", "155", MeterKind::unknown, false},
     {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "156", MeterKind::counter_difference, true}}};

constexpr std::array<std::string_view, 2> kLimits{"dcgm_fi_dev_enforced_power_limit", "dcgm_fi_dev_power_mgmt_limit"};

int based_on_any(std::span<const ColumnName> names, std::initializer_list<std::string_view> bases) {
  for (const std::string_view base : bases) {
    const auto at = std::ranges::find(names, base, &ColumnName::base);
    if (at != names.end()) return static_cast<int>(at - names.begin());
  }
  return -1;
}

/// The columns of one row a field.
struct LongShape {
  int field = -1;
  int value = -1;
  [[nodiscard]] bool found() const { return field >= 0 && value >= 0; }
};
LongShape long_shape(std::span<const ColumnName> names) {
  return {.field = based_on_any(names, {"metric_name", "metric", "field", "field_name", "field_id", "__name__"}),
          .value = based_on_any(names, {"value", "metric_value"})};
}

bool is_flat(std::span<const ColumnName> names) {
  return std::ranges::any_of(names, [](const ColumnName& name) {
    // The exposition text of an exporter has labels behind the name.
    return name.base.starts_with("dcgm_fi_dev_") && name.base.find_first_of("{=\" ") == std::string::npos;
  });
}

int score(std::span<const ColumnName> names) { return is_flat(names) ? 3 : long_shape(names).found() ? 2 : 0; }

bool is_field(std::string_view cell, const Field& field) {
  return equal_ignoring_case(cell, field.name) || cell == field.number;
}

Match recognise(std::string_view head) {
  const auto layout = find_layout(head, score);
  // "#Entity" heads the table of dcgmi dmon.
  if (!layout || !layout->has_header() || layout->header.starts_with('#')) return Match::no;
  if (is_flat(layout->names)) return Match::sure;
  const LongShape shape = long_shape(layout->names);
  if (!shape.found()) return Match::no;
  const bool dcgm = std::ranges::any_of(
      layout->rows, [&](const auto& row) { return lower(Layout::cell(row, shape.field)).starts_with("dcgm_fi_"); });
  const bool power = std::ranges::any_of(layout->rows, [&](const auto& row) {
    return std::ranges::any_of(kFields, [&](const Field& f) { return is_field(Layout::cell(row, shape.field), f); });
  });
  return dcgm ? Match::sure : power ? Match::perhaps : Match::no;
}

std::unexpected<Error> no_power(const Input& input) {
  return fail(ErrorKind::bad_input, input.name(), "none of its DCGM fields is a power or an energy",
              "Record DCGM_FI_DEV_POWER_USAGE (155) or DCGM_FI_DEV_POWER_USAGE_INSTANT (157).");
}

/// What the options say, and where they are silent what DCGM's documents say.
ReadOptions with_units(const ReadOptions& options, std::string_view column, bool energy) {
  ReadOptions stated = options;
  stated.power_column = std::string(column);
  if (stated.power_unit.empty()) stated.power_unit = energy ? "mJ" : "W";
  return stated;
}

/// dcgmi's own two cells "GPU" and "0": the second tells devices apart.
void split_entity(const Layout& layout, ReadOptions& options, ColumnMap& map) {
  const int entity = based_on_any(layout.names, {"entity", "entity_type", "device", "type"});
  const int id = based_on_any(layout.names, {"id", "entity_id"});
  if (entity < 0 || id < 0 || !options.device_column.empty()) return;
  const bool gpus =
      std::ranges::any_of(layout.rows, [&](const auto& row) { return Layout::cell(row, entity) == "GPU"; });
  if (!gpus) return;
  map.instance = entity;
  map.device = id;
  options.device_column = layout.label(id);
}

// --- One column a field ---------------------------------------------------------------------------------------

Result<Trace> read_flat(Input& input, const Layout& layout, const ReadOptions& options) {
  const Field* field = nullptr;
  std::string column = options.power_column;
  for (const Field& candidate : kFields) {
    if (!options.power_column.empty() || field != nullptr) continue;
    const int at = based_on_any(layout.names, {lower(candidate.name)});
    if (at < 0) continue;
    field = &candidate;
    column = layout.label(at);
  }
  if (column.empty()) return no_power(input);
  const bool energy = field != nullptr ? field->energy : is_field(column, kFields[2]);
  ReadOptions stated = with_units(options, column, energy);
  ColumnMap entity;
  split_entity(layout, stated, entity);
  auto map = map_columns(layout, stated, input);
  if (!map) return std::unexpected(map.error());
  if (entity.instance >= 0) map->instance = entity.instance;
  if (map->limit < 0 || !map->limit_scale) map->limit = based_on_any(layout.names, {kLimits[0], kLimits[1]});
  map->limit_scale = 1.0;
  if (!map->from_counter) {
    map->energy = based_on_any(layout.names, {"dcgm_fi_dev_total_energy_consumption"});
    map->energy_scale = 1e-3;
  }
  auto trace = read_lines(input, layout, *map, stated, kName);
  if (!trace || field == nullptr) return trace;
  for (Series& s : trace->series) s.device.meter = field->meter;
  return trace;
}

// --- One row a field --------------------------------------------------------------------------------------------

/// The field that is read as the power: the one that --power names, or the best that is there.
std::optional<Field> choose_field(const Layout& layout, const LongShape& shape, const std::string& stated) {
  const auto occurs = [&](std::string_view name, std::string_view number) {
    return std::ranges::any_of(layout.rows, [&](const auto& row) {
      const std::string_view cell = Layout::cell(row, shape.field);
      return equal_ignoring_case(cell, name) || (!number.empty() && cell == number);
    });
  };
  for (const Field& field : kFields) {
    if (stated.empty() ? occurs(field.name, field.number) : is_field(stated, field)) return field;
  }
  if (stated.empty() || !occurs(stated, {})) return std::nullopt;
  return Field{.name = stated, .number = {}, .meter = MeterKind::unknown, .energy = false};
}

/// Numbers of cells above the usual one that come again and again.
std::vector<std::size_t> wide_rows(const Layout& layout) {
  constexpr std::ptrdiff_t kAgain = 3;
  std::vector<std::size_t> wide;
  for (const auto& row : layout.rows) {
    if (row.size() <= layout.cells || std::ranges::find(wide, row.size()) != wide.end()) continue;
    const auto alike = std::ranges::count_if(layout.rows, [&](const auto& r) { return r.size() == row.size(); });
    if (alike >= kAgain) wide.push_back(row.size());
  }
  return wide;
}

Result<Trace> read_long(Input& input, Layout layout, const ReadOptions& options) {
  const LongShape shape = long_shape(layout.names);
  const auto field = choose_field(layout, shape, options.power_column);
  if (!field) return no_power(input);
  const auto is_of_field = [&](std::span<const std::string_view> row) {
    const std::string_view cell = Layout::cell(row, shape.field);
    return equal_ignoring_case(cell, field->name) || (!field->number.empty() && cell == field->number);
  };
  // A line that runs into the next has more cells than any row of the sample has, but for a few.
  const auto is_too_long = [&layout, wide = wide_rows(layout)](std::size_t cells) {
    return cells > layout.cells && std::ranges::find(wide, cells) == wide.end();
  };
  std::erase_if(layout.rows, [&](const auto& row) { return !is_of_field(row); });
  ReadOptions stated = with_units(options, layout.label(shape.value), field->energy);
  ColumnMap entity;
  split_entity(layout, stated, entity);
  auto map = map_columns(layout, stated, input);
  if (!map) return std::unexpected(map.error());
  if (entity.instance >= 0) map->instance = entity.instance;
  Table table(layout, *map, stated, input, kName);
  table.rows_are_lines();
  std::int64_t others = 0;
  std::vector<std::string_view> cells;
  std::string_view line;
  bool header_seen = false;
  while (input.next_line(line)) {
    const std::string_view text = trim(line);
    if (text.empty()) continue;
    if (text == layout.header) {
      if (header_seen) table.repeated_header();
      header_seen = true;
      continue;
    }
    split_cells(line, layout.delimiter, cells);
    if (is_of_field(cells)) {
      if (const auto read = table.row(cells); !read) return std::unexpected(read.error());
    } else if (is_too_long(cells.size())) {
      table.damaged("a line that was cut runs into this one");
    } else if (table.is_cut_before(cells, shape.field)) {
      if (!input.last_line_torn()) table.damaged("the row is cut before its field, or within it");
    } else if (cells.size() > static_cast<std::size_t>(shape.field)) {
      ++others;
    } else {
      table.other_line();
    }
  }
  table.builder().note(fmt::format("Power is the rows of {}; {} of other fields {} not used.",
                                   printable(field->name, 60), counted(others, "row"), others == 1 ? "is" : "are"));
  auto trace = table.finish();
  if (!trace) return trace;
  trace->understanding.power = fmt::format("field {} in {}", printable(field->name, 60), stated.power_unit);
  for (Series& s : trace->series) s.device.meter = field->meter;
  return trace;
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  auto layout = find_layout(input.head(), score);
  if (!layout || !layout->has_header()) {
    return fail(ErrorKind::bad_input, input.name(), "there is no header",
                "DCGM's CSV has columns named DCGM_FI_DEV_..., or a field and a value column.");
  }
  if (is_flat(layout->names)) return read_flat(input, *layout, options);
  if (long_shape(layout->names).found()) return read_long(input, std::move(*layout), options);
  return fail(ErrorKind::bad_input, input.name(), "its header names no DCGM field, and no field and value column",
              fmt::format("Leave --format out, or name the columns. They are: {}.", column_list(*layout)));
}

}  // namespace

extern const Reader kDcgmCsv;
const Reader kDcgmCsv{.name = kName,
                      .summary = "CSV of DCGM fields, one column or one row a field (DCGM_FI_DEV_POWER_USAGE, ...)",
                      .looks_for = "a header with DCGM_FI_DEV_... columns, or with a field and a value column",
                      .recognise = recognise,
                      .read = read};

}  // namespace wattrein::trace
