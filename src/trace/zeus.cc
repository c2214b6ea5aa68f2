// What Zeus writes: the log of its former zeus_monitor program (Time,Power), the CSV of its PowerMonitor (no header:
// epoch and one power a GPU), and the window log of ZeusMonitor, which is no trace.
// Source: ml-energy/zeus, zeus_monitor/ (C++, milliwatts of NVML) and zeus/monitor/power.py up to 0.10 (watts).
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "trace/reader.h"
#include "trace/table_fixed.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "zeus";
constexpr double kMostWattsOfAGpu = 5000.0;

bool is_monitor(std::span<const ColumnName> names) {
  return names.size() == 2 && names[0].text == "Time" && names[1].text == "Power";
}
bool is_window_log(std::span<const ColumnName> names) {
  return names.size() >= 3 && names[0].text == "start_time" && names[1].text == "window_name" &&
         names[2].text == "elapsed_time";
}
int score(std::span<const ColumnName> names) { return is_monitor(names) || is_window_log(names) ? 1 : 0; }

/// "2022-07-13 02:07:36.708783111"
bool has_nanoseconds(const Layout& layout) {
  return !layout.rows.empty() && std::ranges::all_of(layout.rows, [](const auto& row) {
    const std::string_view stamp = Layout::cell(row, 0);
    return stamp.size() < 29 || (stamp.size() == 29 && stamp[10] == ' ' && stamp[19] == '.');
  }) && Layout::cell(layout.rows[0], 0).size() == 29;
}

Match recognise(std::string_view head) {
  const auto layout = find_layout(head, score);
  if (!layout) return Match::no;
  if (is_window_log(layout->names)) return Match::sure;
  return is_monitor(layout->names) && has_nanoseconds(*layout) ? Match::sure : Match::no;
}

Result<Trace> read_monitor(Input& input, const Layout& layout, const ReadOptions& options) {
  ColumnMap map;
  map.time = 0;
  const double largest = sample_power(layout, 1, 1.0).largest;
  if (options.power_unit.empty() && largest < kMostWattsOfAGpu) {
    return fail(
        ErrorKind::bad_input, input.name(),
        fmt::format("zeus_monitor logs mW without saying so, but these readings (up to {}) could be W", largest),
        "State the unit with --unit mW or --unit W.");
  }
  take_one_device(map, 1, 1e-3);
  if (options.power_unit.empty()) {
    map.notes.push_back(
        fmt::format("Column 'Power' has no unit; zeus_monitor logs mW, and {} W is no GPU's power.", largest));
  }
  return read_fixed(input, layout, std::move(map), options, kName);
}

Result<Trace> read_power_monitor(Input& input, const Layout& layout, const ReadOptions& options) {
  ColumnMap map;
  map.time = 0;
  for (std::size_t column = 1; column < layout.cells; ++column) {
    DeviceColumns& device = map.wide.emplace_back();
    device.name = fmt::format("{}", column - 1);
    device.power = static_cast<int>(column);
    device.power_scale = 1.0;
  }
  if (map.wide.empty()) {
    return fail(ErrorKind::bad_input, input.name(), "its rows have no power behind the time",
                "PowerMonitor writes '1718369824.25,71.1,70.9': the epoch and one power a GPU.");
  }
  map.power = 1;
  map.power_scale = 1.0;
  map.notes.emplace_back(
      "PowerMonitor writes no header: the epoch in s and W of each GPU that it watched, numbered from 0 "
      "in its order.");
  return read_fixed(input, layout, std::move(map), options, kName);
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto layout = find_layout(input.head(), score);
  if (!layout) return fail(ErrorKind::bad_input, input.name(), "it holds no line", "Check the program that writes it.");
  if (is_window_log(layout->names)) {
    return fail(ErrorKind::bad_input, input.name(),
                "this is the log of ZeusMonitor: its rows are the energies of whole windows, not a series in time",
                "Log the power itself, for example with nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv "
                "-lms 500.");
  }
  if (is_monitor(layout->names)) return read_monitor(input, *layout, options);
  if (!layout->has_header()) return read_power_monitor(input, *layout, options);
  return fail(ErrorKind::bad_input, input.name(), "there is no header 'Time,Power', and there is another",
              "Leave --format out, or name the columns with --time and --power.");
}

}  // namespace

extern const Reader kZeus;
const Reader kZeus{.name = kName,
                   .summary = "log of zeus_monitor (Time,Power in mW) or, when named, of Zeus' PowerMonitor",
                   .looks_for = "the header Time,Power and stamps with nine decimals",
                   .recognise = recognise,
                   .read = read};

}  // namespace wattrein::trace
