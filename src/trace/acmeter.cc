// The AC power meter log of Intel's stats-collect: T,P,I,V,S,... with an epoch in seconds and watts.
// Columns: T time, P active power, I current, V voltage, S apparent and Q reactive power (stats-collect's acpower
// statistic, on a Yokogawa WT310). A text line at the end says why the collection ended.
#include <string_view>

#include "trace/reader.h"
#include "trace/table_fixed.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "acmeter";

int score(std::span<const ColumnName> names) {
  return names.size() >= 4 && names[0].text == "T" && names[1].text == "P" && names[2].text == "I" &&
                 names[3].text == "V"
             ? 1
             : 0;
}

constexpr FixedTable kTable{
    .score = score,
    .header = "'T,P,I,V,...'",
    .cure = "If it is another meter's table, leave --format out, or name its columns with --time and --power."};

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto layout = kTable.layout(input);
  if (!layout) return std::unexpected(layout.error());
  ColumnMap map;
  map.time = 0;
  take_one_device(map, 1, 1.0);
  map.notes.emplace_back("Power is 'P', the active power at the wall in W; 'S' is the apparent power in VA.");
  return read_fixed(input, *layout, std::move(map), options, kName);
}

}  // namespace

extern const Reader kAcMeter;
const Reader kAcMeter{.name = kName,
                      .summary = "AC meter log of stats-collect (T,P,I,V,S,...)",
                      .looks_for = "a header that starts with T,P,I,V",
                      .recognise = [](std::string_view head) { return kTable.recognise(head); },
                      .read = read};

}  // namespace wattrein::trace
