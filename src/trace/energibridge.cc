// EnergiBridge's CSV: Delta,Time and the machine's columns in alphabetical order.
// Source: tdurieux/EnergiBridge, src/main.rs and src/{cpu,gpu}. Time is the unix epoch in ms at which the row's values
// were taken, Delta the ms since then at which it was written. Energies are the CPU's own counters, which wrap at 32
// bit.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "trace/reader.h"
#include "trace/table_fixed.h"
#include "trace/table_wide.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "energibridge";

int score(std::span<const ColumnName> names) {
  return names.size() >= 3 && names[0].text == "Delta" && names[1].text == "Time" ? 1 : 0;
}

constexpr FixedTable kTable{
    .score = score, .header = "that starts with 'Delta,Time'", .cure = "Record it with energibridge -o FILE."};

Match recognise(std::string_view head) {
  const auto layout = find_layout(head, score);
  if (!layout || score(layout->names) == 0) return Match::no;
  // Memory and processor columns are there on every machine.
  return based_column(*layout, "used_memory") >= 0 || based_column(*layout, "cpu_usage_0") >= 0 ? Match::sure
                                                                                                : Match::perhaps;
}

/// GPU0_POWER (mWatts), GPU1_POWER (mWatts); older versions without the unit.
void take_gpus(const Layout& layout, ColumnMap& map) {
  std::vector<int> columns;
  for (std::size_t i = 0; i < layout.names.size(); ++i) {
    const std::string& base = layout.names[i].base;
    if (base.starts_with("gpu") && base.ends_with("_power")) columns.push_back(static_cast<int>(i));
  }
  for (const int column : columns) {
    const std::string& base = layout.names[static_cast<std::size_t>(column)].base;
    DeviceColumns& device = map.wide.emplace_back();
    device.name = base.substr(3, base.size() - 9);
    device.power = column;
    device.power_scale = layout.names[static_cast<std::size_t>(column)].power_scale.value_or(1e-3);
  }
  if (map.wide.empty()) return;
  map.power = map.wide[0].power;
  map.power_scale = map.wide[0].power_scale;
}

void take_power(const Layout& layout, ColumnMap& map) {
  take_gpus(layout, map);
  std::string_view device = "the GPUs'";
  for (const auto& [base, what] :
       {std::pair<std::string_view, std::string_view>{"system_power", "the machine's"}, {"cpu_power", "the CPU's"}}) {
    if (map.power >= 0) break;
    if (const int column = based_column(layout, base); column >= 0) {
      take_one_device(map, column, layout.names[static_cast<std::size_t>(column)].power_scale.value_or(1.0));
      device = what;
    }
  }
  // "PACAKGE" is how versions before 0.0.5 spell it.
  for (const std::string_view base : {"package_energy", "pacakge_energy", "cpu_energy"}) {
    if (map.power >= 0) break;
    if (const int column = based_column(layout, base); column >= 0) {
      map.from_counter = true;
      take_one_device(map, column, 1.0);
      device = "the CPU package's";
    }
  }
  if (map.power < 0) return;
  map.notes.push_back(fmt::format("Power is {}, from '{}'; --power names another column.", device,
                                  printable(layout.label(map.power), 40)));
  if (map.from_counter) map.notes.emplace_back("It is the difference of that energy counter over time.");
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto layout = kTable.layout(input);
  if (!layout) return std::unexpected(layout.error());
  ColumnMap map;
  map.time = 1;
  take_power(*layout, map);
  if (map.power < 0 && options.power_column.empty()) {
    return fail(
        ErrorKind::bad_input, input.name(),
        "EnergiBridge has logged neither a power nor the energy of a CPU package here",
        fmt::format("Record it with --gpu, or name a column with --power. The columns are: {}.", column_list(*layout)));
  }
  ReadOptions in_ms = options;
  if (in_ms.time_unit.empty() && in_ms.time_column.empty()) in_ms.time_unit = "ms";
  return read_fixed(input, *layout, std::move(map), in_ms, kName);
}

}  // namespace

extern const Reader kEnergiBridge;
const Reader kEnergiBridge{.name = kName,
                           .summary = "CSV of EnergiBridge: GPU power, else the machine's, else the CPU's energy",
                           .looks_for = "a header that starts with Delta,Time and has USED_MEMORY or CPU_USAGE_0",
                           .recognise = recognise,
                           .read = read};

}  // namespace wattrein::trace
