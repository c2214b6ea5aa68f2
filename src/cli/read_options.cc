#include "cli/read_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "base/text.h"
#include "trace/timestamp.h"

namespace wattrein::cli {

namespace {

constexpr std::array<std::string_view, 4> kWorkloads{"training", "proxy", "serving", "synthetic"};

std::string format_help() {
  std::string text = "Take the file for this instead of finding out:";
  for (const trace::ReaderInfo& reader : trace::readers()) text += " " + std::string(reader.name);
  return text;
}

}  // namespace

void ReadFlags::add(CLI::App& command) {
  const std::string group = "Reading";
  command.add_option("--format", options_.format, format_help())->group(group);
  command.add_option("--time", options_.time_column, "Column with the time (a name, or #3 for the third)")
      ->group(group);
  command.add_option("--power", options_.power_column, "Column or metric with the power")->group(group);
  command.add_option("--device", options_.device_column, "Column that tells devices apart")->group(group);
  command.add_option("--phase", options_.phase_column, "Column with phase labels")->group(group);
  command
      .add_option("--unit", options_.power_unit, "Unit of the power column: W, mW or kW (J or mJ of an energy counter)")
      ->group(group);
  command.add_option("--time-unit", options_.time_unit, "Unit of a numeric clock: s, ms, us or ns")->group(group);
  command
      .add_option("--decimal", options_.decimal,
                  "What stands before the decimals of its numbers: , or a point, where the cells leave it open")
      ->group(group);
  command.add_option("--date-order", options_.date_order, "Order of dates such as 05/01/2025: dmy (day first) or mdy")
      ->group(group);
  command.add_option("--period", period_, "For a log without a clock: time between its rows, as in 1s")->group(group);
  command
      .add_option("--start", start_, "For a log without a clock: when its first row was, as in 2026-06-10T06:52:32Z")
      ->group(group);
  command.add_option("--devices", devices_, "Rows a poll, where only row order tells devices apart")
      ->check(CLI::Range(1, 4096))
      ->group(group);
  command.add_option("--zeros", zeros_, "What 0 W is: unknown (a failed poll) or keep (a reading)")
      ->check(CLI::IsMember({"unknown", "keep"}))
      ->group(group);
  command.add_flag("--lenient", options_.lenient, "Read on with more than 5 % damaged rows")->group(group);
  command.add_option("--workload", workload_, "What ran, for the record: training, proxy, serving or synthetic")
      ->group(group);
}

Result<trace::ReadOptions> ReadFlags::options() const {
  trace::ReadOptions options = options_;
  if (!period_.empty()) {
    const auto period = parse_duration(period_, "--period");
    if (!period) return std::unexpected(period.error());
    options.period = *period;
  }
  if (!start_.empty()) {
    trace::StampParser parser;
    const auto start = parser.parse(start_);
    if (!start || !parser.wall()) {
      return fail(ErrorKind::usage, "--start", fmt::format("'{}' is no time", printable(start_)),
                  "Write it as in 2026-06-10T06:52:32Z, or as a unix epoch.");
    }
    options.start_unix_ns = *start;
  }
  if (devices_ > 0) options.devices = devices_;
  options.keep_zeros = zeros_ == "keep";
  if (!workload_.empty() && std::ranges::find(kWorkloads, workload_) == kWorkloads.end()) {
    return fail(ErrorKind::usage, "--workload", fmt::format("'{}' is not a workload", printable(workload_)),
                "One of training, proxy, serving, synthetic.");
  }
  return options;
}

Result<trace::Trace> ReadFlags::read(Context& context, const std::string& path, bool with_start) const {
  auto read_options = options();
  if (!read_options) return std::unexpected(read_options.error());
  if (!with_start) read_options->start_unix_ns.reset();
  read_options->threads = hardware_threads();
  auto trace = trace::read_file(path, *read_options, context.root);
  if (trace && !workload_.empty()) trace->workload = workload_;
  return trace;
}

}  // namespace wattrein::cli
