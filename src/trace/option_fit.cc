#include "trace/option_fit.h"

#include <fmt/format.h>

#include "base/text.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

Result<void> check(const std::string& given, bool usable, std::string_view option, std::string_view format,
                   const Input& input) {
  if (given.empty() || usable) return {};
  return fail(ErrorKind::usage, input.name(),
              fmt::format("{} '{}' does not fit: the columns of {} are fixed", option, printable(given), format),
              fmt::format("Leave {} out, or name another format with --format.", option));
}

}  // namespace

Result<void> check_column_options(const ReadOptions& options, ColumnOptions usable, std::string_view format,
                                  const Input& input) {
  if (auto fit = check(options.time_column, usable.time, "--time", format, input); !fit) return fit;
  if (auto fit = check(options.time_unit, usable.time, "--time-unit", format, input); !fit) return fit;
  if (auto fit = check(options.power_column, usable.power, "--power", format, input); !fit) return fit;
  if (auto fit = check(options.power_unit, usable.power, "--unit", format, input); !fit) return fit;
  if (auto fit = check(options.device_column, usable.device, "--device", format, input); !fit) return fit;
  if (auto fit = check(options.decimal, false, "--decimal", format, input); !fit) return fit;
  if (auto fit = check(options.date_order, false, "--date-order", format, input); !fit) return fit;
  return check(options.phase_column, usable.phase, "--phase", format, input);
}

Result<double> watts_per_unit(std::string_view unit) {
  if (const auto scale = power_unit(unit)) return *scale;
  return fail(ErrorKind::usage, "--unit", fmt::format("'{}' is not a unit of power", printable(unit)),
              "Write W, mW or kW.");
}

}  // namespace wattrein::trace
