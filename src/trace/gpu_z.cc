// GPU-Z's sensor log: a comma table padded with blanks, one row a second, the header again at each start.
#include <fmt/format.h>

#include <string_view>

#include "trace/reader.h"
#include "trace/table_fixed.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "gpu-z";

int score(std::span<const ColumnName> names) {
  if (names.size() < 3 || names[0].text != "Date") return 0;
  return names[1].base == "gpu clock" || names[1].base == "gpu core clock" ? 1 : 0;
}

constexpr FixedTable kTable{.score = score,
                            .header = "that starts with 'Date , GPU Clock [MHz]'",
                            .cure = "Record it with GPU-Z's \"Log to file\".",
                            .delimiter = ','};

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto layout = kTable.layout(input);
  if (!layout) return std::unexpected(layout.error());
  ColumnMap map;
  map.time = 0;
  if (const int board = based_column(*layout, "board power draw"); board >= 0) {
    take_one_device(map, board, 1.0);
  } else {
    for (const std::string_view chip : {"gpu power draw", "gpu chip power draw", "gpu only power draw"}) {
      const int column = based_column(*layout, chip);
      if (map.power >= 0 || column < 0) continue;
      take_one_device(map, column, 1.0);
      map.notes.push_back(
          fmt::format("The log has no board power: '{}' is that of the chip, without its memory and "
                      "converters.",
                      layout->label(column)));
    }
  }
  if (map.power < 0 && options.power_column.empty()) {
    return fail(ErrorKind::bad_input, input.name(), "GPU-Z has logged no power in W here",
                "Its percentages of TDP give none. If another column holds a power, name it with --power.");
  }
  return read_fixed(input, *layout, std::move(map), options, kName);
}

}  // namespace

extern const Reader kGpuZ;
const Reader kGpuZ{.name = kName,
                   .summary = "sensor log of TechPowerUp GPU-Z",
                   .looks_for = "a header that starts with Date , GPU Clock [MHz]",
                   .recognise = [](std::string_view head) { return kTable.recognise(head); },
                   .read = read};

}  // namespace wattrein::trace
