// powermetrics of macOS, text output: blocks under a starred line with the time and how long the sample took.
// Source: powermetrics(1), and what versions for Intel and Apple processors print.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/text.h"
#include "trace/reader.h"
#include "trace/sensor_log.h"
#include "trace/timestamp.h"
#include "trace/whole_second_clock.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "powermetrics";
constexpr std::string_view kBlock = "*** Sampled system activity (";

/// Rails in order of preference: the first that the file has is read. Names are their lines' beginnings.
struct Rail {
  std::string_view line;
  std::string_view name;    ///< for --power
  std::string_view device;  ///< of the trace
};
constexpr std::array<Rail, 8> kRails{{
    {"Combined Power (", "Combined Power", "soc"},
    {"Package Power:", "Package Power", "package"},
    {"Intel energy model derived package power (", "Package Power", "package"},
    {"GPU Power:", "GPU Power", "gpu"},
    {"CPU Power:", "CPU Power", "cpu"},
    {"ANE Power:", "ANE Power", "ane"},
    {"DRAM Power:", "DRAM Power", "dram"},
    {"System Power:", "System Power", "system"},
}};

bool is_plist(std::string_view head) {
  return head.find("<plist") != std::string_view::npos && head.find("<key>elapsed_ns</key>") != std::string_view::npos;
}

/// "123 mW", "4.2W".
std::optional<double> watts(std::string_view text) {
  text = trim(text);
  const double divisor = text.ends_with("mW") ? 1e3 : 1.0;
  if (!text.ends_with('W')) return std::nullopt;
  text.remove_suffix(divisor > 1.0 ? 2 : 1);
  const auto value = parse_double(text);
  return value ? std::optional(*value / divisor) : std::nullopt;
}

/// The beginning of a block's first line, with nothing or a rail behind it.
bool is_cut_block(std::string_view line) {
  const auto same = static_cast<std::size_t>(std::ranges::mismatch(line, kBlock).in1 - line.begin());
  if (same == 0) return false;
  const std::string_view rest = line.substr(same);
  return rest.empty() || std::ranges::any_of(kRails, [rest](const Rail& r) { return rest.starts_with(r.line); });
}

class PowerMetrics {
 public:
  PowerMetrics(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {}

  Result<Trace> read();

 private:
  void read_line(std::string_view line);
  void begin_block(std::string_view line);
  void end_block();
  void read_rail(const Rail& rail, std::string_view line);
  [[nodiscard]] std::vector<const Sensor*> choose() const;

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  SensorLog log_;
  StampParser stamps_;
  WholeSecondClock clock_;
  std::int64_t block_line_ = 0;  ///< 0 before the first
  std::optional<std::int64_t> begin_ns_;
  bool torn_ = false;
};

/// A rail that other blocks have: its line was cut.
void PowerMetrics::end_block() {
  for (Sensor& s : log_.sensors()) {
    if (s.stamp_line == block_line_) continue;
    SensorReading r{.line = block_line_, .timed = begin_ns_.has_value(), .readable = false};
    if (begin_ns_) r.time_ns = *begin_ns_;
    s.stamp_line = block_line_;
    s.readings.push_back(r);
  }
}

/// "*** Sampled system activity (Mon Nov 30 17:41:14 2026 +0100) (1003.12ms elapsed) ***": the values below are the
/// mean over the time that passed before the stamp, so that they hold from its beginning.
void PowerMetrics::begin_block(std::string_view line) {
  end_block();
  block_line_ = input_.line_number();
  begin_ns_.reset();
  if (!line.starts_with(kBlock)) return;  // it was cut
  const std::string_view rest = line.substr(kBlock.size());
  const std::size_t close = rest.find(')');
  if (close == std::string_view::npos) return;
  const auto stamp = stamps_.parse(rest.substr(0, close));
  const std::size_t open = rest.find('(', close);
  const std::size_t unit = rest.find("ms elapsed", close);
  if (!stamp || open == std::string_view::npos || unit == std::string_view::npos || unit < open) return;
  const auto elapsed_ms = parse_double(rest.substr(open + 1, unit - open - 1));
  if (!elapsed_ms || !(*elapsed_ms > 0 && *elapsed_ms < 1e12)) return;
  const std::int64_t elapsed_ns = std::llround(*elapsed_ms * 1e6);
  begin_ns_ = clock_.next(*stamp, elapsed_ns) - elapsed_ns;
}

void PowerMetrics::read_rail(const Rail& rail, std::string_view line) {
  const std::size_t colon = line.find(':');
  // A second one is that of a line that follows one that was cut.
  const bool one = colon != std::string_view::npos && line.find(':', colon + 1) == std::string_view::npos;
  const auto value = one ? watts(line.substr(colon + 1)) : std::nullopt;
  if (input_.last_line_torn() && !value) {
    torn_ = true;
    return;
  }
  Sensor* sensor = log_.sensor(rail.name, rail.device);
  // GPU power stands in two sections of a block: it is one reading.
  if (sensor == nullptr || sensor->stamp_line == block_line_) return;
  sensor->stamp_line = block_line_;
  SensorReading r{.line = input_.line_number(), .timed = begin_ns_.has_value(), .readable = value.has_value()};
  if (begin_ns_) r.time_ns = *begin_ns_;
  r.readable = r.readable && r.timed;
  if (value) r.power_w = *value;
  sensor->readings.push_back(r);
}

void PowerMetrics::read_line(std::string_view line) {
  line = trim(line);
  const std::size_t block = line.find(kBlock);  // behind a line that was cut, where not at the start
  if (block != std::string_view::npos) return begin_block(line.substr(block));
  if (block_line_ != 0 && is_cut_block(line) && !input_.last_line_torn()) return begin_block(line);
  if (block_line_ == 0) return;
  for (const Rail& rail : kRails) {
    if (line.starts_with(rail.line)) return read_rail(rail, line);
  }
}

std::vector<const Sensor*> PowerMetrics::choose() const {
  if (!options_.power_column.empty()) return log_.named(options_.power_column);
  for (const Rail& rail : kRails) {
    const auto found = log_.named(rail.name);
    if (!found.empty()) return found;
  }
  return {};
}

Result<Trace> PowerMetrics::read() {
  if (auto fit = check_sensor_options(options_, kName, input_); !fit) return std::unexpected(fit.error());
  if (is_plist(input_.head())) {
    return fail(ErrorKind::bad_input, input_.name(), "this is powermetrics' property list, of which the text is read",
                "Record it with: powermetrics --format text");
  }
  std::string_view line;
  while (input_.next_line(line)) read_line(line);
  if (block_line_ == 0 && input_.error() == nullptr) {
    return fail(ErrorKind::bad_input, input_.name(), fmt::format("no line starts with {}", kBlock),
                "Record it with: powermetrics --samplers cpu_power,gpu_power --format text");
  }
  const auto chosen = choose();
  if (chosen.empty()) return no_choice(log_.list(), input_, options_);
  builder_.clock(stamps_.wall(), stamps_.has_zone());
  const SensorClock clock{
      .described = "wall clock of whole seconds, between them the elapsed time", .assumed_period = {}, .tool = kName};
  if (auto fed = feed(builder_, chosen, clock, input_, options_); !fed) return std::unexpected(fed.error());
  Understanding& u = builder_.understanding();
  u.power = fmt::format("'{}' [W]", chosen.front()->name);
  u.devices = fmt::format("one device, '{}'", chosen.front()->device);
  builder_.note("Each value is the mean over the time that passed before its stamp, and stands where that began.");
  builder_.note("powermetrics estimates power from a model: Apple says that it is not for comparing machines.");
  if (std::ranges::count_if(log_.sensors(), &Sensor::known) > 1) {
    builder_.note(fmt::format("The log holds {}: only '{}' is read; --power NAME reads another.", log_.list(),
                              chosen.front()->name));
  }
  if (std::string note = stamps_.zone_note(); !note.empty()) builder_.note(std::move(note));
  if (torn_) builder_.note("The last line was cut while it was written and is left out.");
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  return head.find(kBlock) != std::string_view::npos || is_plist(head) ? Match::sure : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return PowerMetrics(input, options).read(); }

}  // namespace

extern const Reader kPowerMetrics;
const Reader kPowerMetrics{
    .name = kName,
    .summary = "text of macOS' powermetrics with the samplers cpu_power or gpu_power",
    .looks_for = "a line that starts with '*** Sampled system activity ('",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
