// PowerJoular's CSV: Date,CPU Utilization,Total Power,CPU Power,GPU Power, in W.
// Source: joular/powerjoular, csv_power.adb. The file of one process (-p) has Date,CPU Utilization,CPU Power.
#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "trace/reader.h"
#include "trace/table_fixed.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "powerjoular";

bool starts_as_powerjoular(std::span<const ColumnName> names) {
  return names.size() >= 3 && names[0].text == "Date" && names[1].text == "CPU Utilization";
}
bool is_of_machine(std::span<const ColumnName> names) {
  return starts_as_powerjoular(names) && names[2].text == "Total Power";
}
bool is_of_process(std::span<const ColumnName> names) {
  return names.size() == 3 && starts_as_powerjoular(names) && names[2].text == "CPU Power";
}
int score(std::span<const ColumnName> names) { return is_of_machine(names) || is_of_process(names) ? 1 : 0; }

constexpr FixedTable kTable{
    .score = score, .header = "'Date,CPU Utilization,Total Power,...'", .cure = "Record it with powerjoular -f FILE."};

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto layout = kTable.layout(input);
  if (!layout) return std::unexpected(layout.error());
  if (is_of_process(layout->names) && options.power_column.empty()) {
    return fail(ErrorKind::bad_input, input.name(),
                "this is PowerJoular's file of one process: the process's share of the CPU's power, not a meter",
                "Give the file of the machine (without the process's number in its name), or say --power 'CPU Power'.");
  }
  ColumnMap map;
  map.time = 0;
  take_one_device(map, 2, 1.0);
  const int gpu = exact_column(*layout, "GPU Power");
  const bool no_gpu = gpu >= 0 && std::ranges::all_of(layout->rows, [gpu](const auto& row) {
                        return parse_double(Layout::cell(row, gpu)).value_or(0.0) == 0.0;
                      });
  map.notes.emplace_back(no_gpu
                             ? "Power is 'Total Power' in W. 'GPU Power' is 0 in the first rows: PowerJoular found no "
                               "GPU to read, and the total is the CPU's alone."
                             : "Power is 'Total Power' in W, the CPU's and the GPU's together.");
  if (is_of_process(layout->names)) map.notes.clear();
  return read_fixed(input, *layout, std::move(map), options, kName);
}

}  // namespace

extern const Reader kPowerJoular;
const Reader kPowerJoular{.name = kName,
                          .summary = "CSV of PowerJoular (Date,CPU Utilization,Total Power,...)",
                          .looks_for = "the header Date,CPU Utilization,Total Power",
                          .recognise = [](std::string_view head) { return kTable.recognise(head); },
                          .read = read};

}  // namespace wattrein::trace
