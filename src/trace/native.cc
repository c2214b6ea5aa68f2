// The native trace format, docs/formats/trace.md: what write_native() wrote, or anybody else from that page.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/native_format.h"
#include "trace/option_fit.h"
#include "trace/reader.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "native";
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kAgain = "Write the file anew: wattrein export FILE.";

void split(std::string_view line, char delimiter, std::vector<std::string_view>& cells) {
  cells.clear();
  while (true) {
    const std::size_t end = line.find(delimiter);
    cells.push_back(trim(line.substr(0, end)));
    if (end == std::string_view::npos) return;
    line.remove_prefix(end + 1);
  }
}

class Native {
 public:
  Native(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {
    builder_.readings_are_meant();
  }
  Result<Trace> read();

 private:
  [[nodiscard]] std::unexpected<Error> refuse(std::string what, std::string_view cure = kAgain) const {
    return fail(ErrorKind::bad_input, input_.place(), std::move(what), std::string(cure));
  }
  Result<void> read_magic(std::string_view line);
  Result<void> read_metadata(std::string_view line);
  Result<void> read_device(std::string_view text);
  Result<void> read_header(std::string_view line);
  void read_row(std::string_view line);
  [[nodiscard]] std::optional<std::size_t> device(std::string_view cell);
  [[nodiscard]] std::optional<std::int16_t> phase(std::string_view cell);
  Result<Trace> finish();

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  std::vector<std::string_view> cells_;
  std::map<std::string, std::size_t, std::less<>> devices_;  ///< by escaped cell
  std::map<std::string, std::int16_t, std::less<>> phases_;
  std::map<std::string, std::int64_t> backward_;  ///< by device name
  std::size_t width_ = 0;
  std::size_t time_at_ = 0;
  std::size_t device_at_ = 0;
  std::size_t power_at_ = 0;
  std::optional<std::size_t> phase_at_;
  std::array<std::optional<std::size_t>, kColumns.size()> columns_at_;
  std::string header_;
  std::string source_;
  std::optional<std::int64_t> start_ns_;
  bool start_has_zone_ = false;
  std::int64_t unreadable_cells_ = 0;
};

Result<void> Native::read_magic(std::string_view line) {
  if (!line.starts_with(kNativeMagic)) {
    return refuse(fmt::format("the first line is not '{}{}'", kNativeMagic, kNativeVersion),
                  "Name another format with --format, or leave it out.");
  }
  const std::string_view version = trim(line.substr(kNativeMagic.size()));
  if (version != fmt::format("{}", kNativeVersion)) {
    return refuse(fmt::format("it is a wattrein trace of version '{}'; this program reads version {}",
                              printable(version, 20), kNativeVersion),
                  "Read it with the wattrein that wrote it, or a later one.");
  }
  return {};
}

/// Keys that are not known are passed over, so that a later writer may add some.
Result<void> Native::read_metadata(std::string_view line) {
  line = trim(line.substr(1));
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view key = trim(line.substr(0, equals));
  const std::string_view value = trim(line.substr(equals + 1));
  if (key == "device") return read_device(value);
  const auto text = native_unescape(value);
  if (!text) return refuse(fmt::format("'{}' has a % without two hexadecimal digits", printable(line)));
  Trace& trace = builder_.trace();
  if (key == "source") {
    source_ = *text;
  } else if (key == "workload") {
    trace.workload = *text;
  } else if (key == "warning") {
    std::vector<std::string>& warnings = trace.understanding.warnings;
    if (std::ranges::find(warnings, *text) == warnings.end()) warnings.push_back(*text);
  } else if (key == "phase") {
    phases_.try_emplace(std::string(value), builder_.phase(*text));
  } else if (key == "evidence") {
    const auto evidence = parse_evidence(*text);
    if (!evidence) {
      return refuse(fmt::format("'{}' is no class of evidence", printable(*text, 40)),
                    "It is one of measured-live, measured-replay, simulated, published, projected.");
    }
    // Live is what this run measures; from a file it is a replay.
    trace.evidence = *evidence == Evidence::measured_live ? Evidence::measured_replay : *evidence;
  } else if (key == "start") {
    StampParser parser;
    const auto start = value.size() > 4 && value[4] == '-' ? parser.parse(*text) : std::nullopt;
    if (!start) {
      return refuse(fmt::format("'{}' is no start time", printable(*text, 40)),
                    "Write it as in 2025-07-27T00:22:27.858Z, without the Z when the zone is unknown.");
    }
    start_ns_ = start;
    start_has_zone_ = parser.has_zone();
  }
  return {};
}

Result<void> Native::read_device(std::string_view text) {
  split(text, ',', cells_);
  const auto index = device(cells_[0]);
  if (!index) return refuse(fmt::format("'{}' is no device name", printable(cells_[0], 40)));
  Series& series = builder_.series(*index);
  Device& d = series.device;
  for (std::size_t i = 1; i < cells_.size(); ++i) {
    const std::size_t equals = cells_[i].find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = cells_[i].substr(0, equals);
    const auto value = native_unescape(cells_[i].substr(equals + 1));
    if (!value) return refuse(fmt::format("'{}' has a % without two hexadecimal digits", printable(cells_[i], 60)));
    if (key == "uuid") d.uuid = *value;
    if (key == "model") d.model = *value;
    if (key == "host") d.host = *value;
    if (key == "meter") d.meter = parse_meter_kind(*value).value_or(MeterKind::unknown);
    if (const auto w = key == "nameplate_w" ? parse_double(*value) : std::nullopt) d.nameplate = Watts(*w);
    if (const auto n = key == "backward_stamps" ? parse_int(*value) : std::nullopt) backward_[d.name] = *n;
  }
  return {};
}

Result<void> Native::read_header(std::string_view line) {
  split(line, ',', cells_);
  width_ = cells_.size();
  const auto find = [this](std::string_view name) -> std::optional<std::size_t> {
    for (std::size_t i = 0; i < cells_.size(); ++i) {
      if (cells_[i] == name) return i;
    }
    return std::nullopt;
  };
  for (const std::string_view needed : {"time_s", "device", "power_w"}) {
    if (!find(needed)) return refuse(fmt::format("the header has no column '{}': {}", needed, printable(line)));
  }
  time_at_ = find("time_s").value_or(0);
  device_at_ = find("device").value_or(0);
  power_at_ = find("power_w").value_or(0);
  phase_at_ = find("phase");
  std::size_t known = 3 + (phase_at_ ? 1 : 0);
  for (std::size_t k = 0; k < kColumns.size(); ++k) {
    columns_at_[k] = find(kColumns[k].name);
    if (columns_at_[k]) ++known;
  }
  if (known < width_)
    builder_.note(fmt::format("{} of its columns {} not known here and not read.", width_ - known,
                              width_ - known == 1 ? "is" : "are"));
  header_ = line;
  return {};
}

std::optional<std::size_t> Native::device(std::string_view cell) {
  if (const auto at = devices_.find(cell); at != devices_.end()) return at->second;
  const auto name = cell.empty() ? std::nullopt : native_unescape(cell);
  if (!name) return std::nullopt;
  const std::size_t index = builder_.device(*name);
  devices_.emplace(cell, index);
  return index;
}

std::optional<std::int16_t> Native::phase(std::string_view cell) {
  if (cell.empty()) return std::int16_t{-1};
  if (const auto at = phases_.find(cell); at != phases_.end()) return at->second;
  const auto label = native_unescape(cell);
  if (!label) return std::nullopt;
  return phases_.emplace(cell, builder_.phase(*label)).first->second;
}

void Native::read_row(std::string_view line) {
  split(line, ',', cells_);
  const auto damaged = [this](std::string reason) { builder_.damaged(input_.place(), std::move(reason)); };
  if (cells_.size() != width_)
    return damaged(fmt::format("{} under {}", counted(cells_.size(), "cell"), counted(width_, "column")));
  const auto time_ns = parse_native_time(cells_[time_at_]);
  std::int64_t stamp = 0;
  if (!time_ns || __builtin_add_overflow(*time_ns, start_ns_.value_or(0), &stamp)) {
    return damaged(fmt::format("'{}' is no time in seconds", printable(cells_[time_at_], 40)));
  }
  const std::string_view power = cells_[power_at_];
  const bool unknown = power.empty() || equal_ignoring_case(power, "nan");
  const auto watts = unknown ? std::optional(kUnknown) : parse_double(power);
  if (!watts) return damaged(fmt::format("'{}' is no power", printable(power, 40)));
  const auto d = device(cells_[device_at_]);
  if (!d) return damaged(fmt::format("'{}' is no device name", printable(cells_[device_at_], 40)));

  builder_.add(*d, stamp, *watts);
  if (phase_at_) {
    const auto label = phase(cells_[*phase_at_]);
    if (!label) ++unreadable_cells_;
    if (label && *label >= 0) builder_.set_phase(*d, *label);
  }
  for (std::size_t k = 0; k < kColumns.size(); ++k) {
    const std::optional<std::size_t>& at = columns_at_[k];
    if (!at) continue;
    const std::string_view cell = cells_[*at];
    if (cell.empty() || equal_ignoring_case(cell, "nan")) continue;
    if (const auto value = parse_double(cell)) {
      builder_.set(*d, kColumns[k].column, *value);
    } else {
      ++unreadable_cells_;
    }
  }
}

Result<Trace> Native::finish() {
  Understanding& u = builder_.understanding();
  u.power = "column 'power_w' [W]";
  u.devices = "column 'device'";
  u.clock = !start_ns_        ? "none: seconds from the log's own zero"
            : start_has_zone_ ? "wall clock with zone"
                              : "wall clock, no zone";
  builder_.clock(start_ns_.has_value(), start_has_zone_);
  if (unreadable_cells_ > 0) {
    builder_.note(fmt::format("{} beside time and power could not be read and {} unknown.",
                              counted(unreadable_cells_, "cell"), unreadable_cells_ == 1 ? "is" : "are"));
  }
  if (!source_.empty() && source_ != input_.name()) {
    builder_.note(fmt::format("The samples come from '{}'.", printable(source_)));
    builder_.trace().source = source_;
  }
  auto trace = builder_.finish(input_, options_);
  if (!trace) return trace;
  // Rows are written in order, so how far out of order the log was has to be told.
  for (Series& s : trace->series) {
    const auto at = backward_.find(s.device.name);
    if (at != backward_.end() && s.backward_stamps == 0) s.backward_stamps = at->second;
  }
  return trace;
}

Result<Trace> Native::read() {
  if (auto fit = check_column_options(options_, {}, kName, input_); !fit) return std::unexpected(fit.error());
  std::string_view line;
  bool first = true;
  while (input_.next_line(line)) {
    Result<void> step;
    if (first) {
      step = read_magic(line);
      first = false;
    } else if (header_.empty() && line.starts_with('#')) {
      step = read_metadata(line);
    } else if (line.starts_with(kNativeMagic)) {
      return refuse("a second trace starts here", "Split the file: each trace has a clock and devices of its own.");
    } else if (header_.empty()) {
      if (!trim(line).empty()) step = read_header(line);
    } else if (line == header_) {
      ++builder_.understanding().repeated_headers;
    } else if (line.starts_with('#') || trim(line).empty()) {
      ++builder_.understanding().other_lines;
    } else if (input_.last_line_torn()) {
      builder_.note("The last line was cut while it was written and is left out.");
    } else if (line.find(kNativeMagic) != std::string_view::npos) {
      return refuse("a second trace starts within this line, which was cut",
                    "Split the file: each trace has a clock and devices of its own.");
    } else {
      read_row(line);
    }
    if (!step) return std::unexpected(step.error());
  }
  if (header_.empty()) return refuse("it ends before the line with the column names");
  return finish();
}

Match recognise(std::string_view head) { return head.starts_with(kNativeMagic) ? Match::sure : Match::no; }

Result<Trace> read(Input& input, const ReadOptions& options) { return Native(input, options).read(); }

}  // namespace

extern const Reader kNative;
const Reader kNative{
    .name = kName,
    .summary = "wattrein's own CSV, as record and export write it",
    .looks_for = "a first line '# wattrein trace 1'",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
