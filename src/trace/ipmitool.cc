// ipmitool: `sdr`, `sdr elist` and `sensor` tables, and `dcmi power reading`, written again and again by a loop.
// Source: ipmitool 1.8, ipmi_sdr.c, ipmi_sensor.c and ipmi_dcmi.c (what they print).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/text.h"
#include "trace/back_steps.h"
#include "trace/reader.h"
#include "trace/sensor_log.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "ipmitool";
constexpr std::string_view kInstant = "Instantaneous power reading:";
constexpr std::string_view kBmcTime = "IPMI timestamp:";
constexpr std::string_view kState = "Power reading state is:";
constexpr std::string_view kDcmi = "DCMI power reading";
constexpr std::int64_t kClockSet = 631'152'000'000'000'000;  // 1990: a BMC that never learnt the time is before that
constexpr std::size_t kMaxCells = 16;
constexpr std::array<std::string_view, 8> kNotAvailable{"disabled", "no reading", "not readable", "na",
                                                        "n/a",      "ns",         "unknown",      "not available"};

struct Cells {
  std::array<std::string_view, kMaxCells> cell{};
  std::size_t count = 0;
};

Cells split(std::string_view line) {
  Cells cells;
  for (std::size_t at = 0; at <= line.size() && cells.count < kMaxCells;) {
    const std::size_t end = std::min(line.find('|', at), line.size());
    cells.cell[cells.count++] = trim(line.substr(at, end - at));
    at = end + 1;
  }
  return cells;
}

bool is_watts(std::string_view unit) { return unit == "Watts" || unit == "Watt"; }
bool not_available(std::string_view text) {
  return std::ranges::any_of(kNotAvailable, [text](std::string_view w) { return equal_ignoring_case(w, text); });
}

/// What a sensor's row says: a reading and its unit.
struct Reading {
  std::string_view value{};
  std::string_view unit{};
};

Reading value_and_unit(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos || not_available(text)) return {.value = text, .unit = {}};
  return {.value = text.substr(0, blank), .unit = trim(text.substr(blank))};
}

/// sdr: name, "312 Watts", ok. sensor: name, 312.000, Watts, ok, thresholds. sdr elist: name, 77h, ok, 7.1, "312
/// Watts".
std::optional<Reading> reading_of(const Cells& c) {
  if (c.count == 3) return value_and_unit(c.cell[1]);
  if (c.count == 5 && c.cell[1].ends_with('h')) return value_and_unit(c.cell[4]);
  if (c.count >= 4)
    return Reading{.value = c.cell[1], .unit = not_available(c.cell[2]) ? std::string_view() : c.cell[2]};
  return std::nullopt;
}

class Ipmi {
 public:
  Ipmi(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {
    stamps_.set_in_order();
    bmc_stamps_.set_date_order(DateOrder::mdy);
  }

  Result<Trace> read();

 private:
  void read_line(std::string_view line);
  void read_table_row(const Cells& cells, std::string_view line);
  bool is_cut(const Cells& cells, std::string_view line);
  bool lose_named(std::string_view line, bool anywhere = false);
  bool lose_sensors(std::string_view text);
  [[nodiscard]] SensorReading unreadable() const { return {.line = input_.line_number(), .readable = false}; }
  bool read_dcmi(std::string_view line);
  bool read_stamp(std::string_view text);
  void end_dcmi();
  void add(Sensor* sensor, SensorReading reading);
  [[nodiscard]] SensorClock clock();

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  SensorLog log_;
  StampParser stamps_;      ///< of the loop that called ipmitool
  StampParser bmc_stamps_;  ///< of the BMC's own clock
  BackSteps back_steps_;
  std::optional<std::int64_t> stamp_;  ///< the loop's, of the readings that follow
  std::int64_t stamp_line_ = 0;
  std::optional<SensorReading> dcmi_;          ///< begun and not yet ended
  std::optional<std::int64_t> dcmi_bmc_time_;  ///< of that one
  bool bmc_clock_ = false;
  bool too_many_ = false;
  bool torn_ = false;
};

/// A stamp counts for one reading of each sensor: a second one under it has none of its own.
void Ipmi::add(Sensor* sensor, SensorReading reading) {
  if (sensor == nullptr) {
    too_many_ = true;
    return;
  }
  if (!reading.timed && stamp_) {
    reading.timed = sensor->stamp_line != stamp_line_;
    sensor->stamp_line = stamp_line_;
    reading.time_ns = *stamp_;
  }
  if (!reading.timed) reading.time_ns = static_cast<std::int64_t>(sensor->readings.size());
  sensor->readings.push_back(reading);
}

/// A row that ends before the reading of a sensor that has given watts before, or runs into the next row. A name that
/// was cut may be that of several.
bool Ipmi::is_cut(const Cells& cells, std::string_view line) {
  if (input_.last_line_torn() || cells.cell[0].empty()) return false;
  const std::string_view name = cells.cell[0];
  const auto reading = reading_of(cells);
  const bool whole = reading && (is_watts(reading->unit) || not_available(reading->value));
  bool cut = false;
  for (Sensor& s : log_.sensors()) {
    const std::string_view known = s.name;
    const bool start = cells.count == 1 && known.starts_with(name);
    const bool two = name.size() > known.size() && name.ends_with(known) &&
                     std::string_view(" _-.").find(name[name.size() - known.size() - 1]) == std::string_view::npos;
    if ((!start && !two && (name != known || whole)) || !s.known()) continue;
    add(&s, unreadable());
    cut = true;
  }
  return cut || lose_named(line);
}

/// A power sensor's row behind the beginning of another that was cut: in a later cell, or set apart by several blanks;
/// behind what is no sensor's row (`anywhere`) wherever it stands.
bool Ipmi::lose_named(std::string_view line, bool anywhere) {
  constexpr std::size_t kMost = 256;  // each line is searched for all of them
  if (log_.sensors().size() > kMost) return false;
  const std::size_t bar = line.find('|');
  bool lost = false;
  for (Sensor& s : log_.sensors()) {
    const std::size_t at = line.find(s.name + ' ');
    if (at == std::string_view::npos || at == 0) continue;
    const bool behind = anywhere || at > bar || line.substr(0, at).ends_with("  ");
    if (!behind || !s.known()) continue;
    add(&s, unreadable());
    lost = true;
  }
  return lost;
}

/// A stamp behind the beginning of a row that was cut: which sensor's is not known.
bool Ipmi::lose_sensors(std::string_view text) {
  std::string_view rest = trim(text.substr(std::string_view("Timestamp").size()));
  if (!rest.starts_with('|') && !rest.starts_with(':')) return false;
  for (Sensor& s : log_.sensors()) {
    if (s.stamp_line != stamp_line_ && s.known()) add(&s, unreadable());
  }
  if (!read_stamp(trim(rest.substr(1)))) stamp_.reset();
  return true;
}

void Ipmi::read_table_row(const Cells& cells, std::string_view line) {
  if (is_cut(cells, line)) return;
  const auto reading = reading_of(cells);
  if (!reading || cells.cell[0].empty()) {
    ++builder_.understanding().other_lines;
    return;
  }
  const bool watts = is_watts(reading->unit);
  const bool silent = not_available(reading->value);
  if (!watts && !silent) return;  // a temperature, a fan, a state
  Sensor* sensor = log_.sensor(cells.cell[0], cells.cell[0]);
  SensorReading r{.line = input_.line_number()};
  if (!silent) {
    const auto value = parse_double(reading->value);
    r.readable = value.has_value();
    if (value) r.power_w = *value;
  }
  add(sensor, r);
}

/// The lines of one dcmi reading; newer versions print the sampling period behind the stamp on one line.
bool Ipmi::read_dcmi(std::string_view line) {
  bool any = false;
  if (const std::size_t at = line.find(kInstant); at != std::string_view::npos) {
    end_dcmi();
    const std::string_view rest = trim(line.substr(at + kInstant.size()));
    const std::string_view number = rest.substr(0, rest.find_first_of(" \t"));
    const bool whole = is_watts(trim(rest.substr(number.size())).substr(0, 5));
    if (input_.last_line_torn() && !whole) {
      torn_ = true;
      return true;
    }
    const auto value = whole ? parse_double(number) : std::nullopt;
    dcmi_ = SensorReading{.line = input_.line_number(), .readable = value.has_value() || not_available(number)};
    if (value) dcmi_->power_w = *value;
    any = true;
  }
  if (const std::size_t at = line.find(kBmcTime); at != std::string_view::npos) {
    std::string_view text = line.substr(at + kBmcTime.size());
    text = trim(text.substr(0, text.find("Sampling period")));
    if (dcmi_) dcmi_bmc_time_ = bmc_stamps_.parse(text);
    any = true;
  }
  if (const std::size_t at = line.find(kState); at != std::string_view::npos) {
    const bool active = trim(line.substr(at + kState.size())) == "activated";
    if (dcmi_ && !active && !input_.last_line_torn()) dcmi_->power_w = std::numeric_limits<double>::quiet_NaN();
    any = true;
  }
  return any || line.find("during sampling period:") != std::string_view::npos ||
         line.find("over sample period:") != std::string_view::npos ||
         line.find("Sampling period:") != std::string_view::npos;
}

void Ipmi::end_dcmi() {
  if (!dcmi_) return;
  if (!stamp_ && dcmi_bmc_time_) {
    dcmi_->timed = true;
    dcmi_->time_ns = *dcmi_bmc_time_;
    bmc_clock_ = true;
  }
  add(log_.sensor(kDcmi, "node"), *dcmi_);
  dcmi_.reset();
  dcmi_bmc_time_.reset();
}

/// What the loop writes before each call: an epoch, an ISO stamp, or what `date` prints.
bool Ipmi::read_stamp(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  const auto at = stamps_.parse(text);
  if (!at) return false;
  back_steps_.watch(stamps_, *at, input_);
  end_dcmi();
  stamp_ = at;
  stamp_line_ = input_.line_number();
  return true;
}

void Ipmi::read_line(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty() || read_dcmi(text)) return;
  constexpr std::string_view kStamp = "Timestamp";
  if (equal_ignoring_case(text.substr(0, kStamp.size()), kStamp)) {
    std::string_view rest = trim(text.substr(kStamp.size()));
    if (rest.starts_with('|') || rest.starts_with(':')) rest = trim(rest.substr(1));
    if (read_stamp(rest)) return;
    lose_named(text, true);
    end_dcmi();
    stamp_.reset();  // the readings under it have no time, rather than that of the block before
    ++builder_.understanding().other_lines;
    return;
  }
  if (const std::size_t at = text.find("Timestamp"); at != std::string_view::npos && lose_sensors(text.substr(at)))
    return;
  const Cells cells = split(text);
  if (cells.count > 1) return read_table_row(cells, text);
  if (!dcmi_ && text.size() > 4 && kInstant.starts_with(text) && !input_.last_line_torn()) {
    dcmi_ = unreadable();
    return;
  }
  if (!read_stamp(text) && !is_cut(cells, text)) ++builder_.understanding().other_lines;
}

SensorClock Ipmi::clock() {
  SensorClock clock{.described = {}, .assumed_period = {}, .tool = kName, .count_polls = true};
  if (bmc_clock_) {
    clock.described = "the BMC's own clock, whole seconds";
    builder_.note("The times are those of the BMC's own clock ('IPMI timestamp').");
  } else {
    clock.described = stamps_.describe();
  }
  const StampParser& stamps = bmc_clock_ ? bmc_stamps_ : stamps_;
  builder_.clock(stamps.wall(), stamps.has_zone());
  if (std::string note = stamps.zone_note(); !note.empty()) builder_.note(std::move(note));
  return clock;
}

Result<Trace> Ipmi::read() {
  if (auto fit = check_sensor_options(options_, kName, input_); !fit) return std::unexpected(fit.error());
  std::string_view line;
  while (input_.next_line(line)) read_line(line);
  end_dcmi();
  const auto chosen =
      options_.power_column.empty() ? log_.of_the_node(builder_, true) : log_.named(options_.power_column);
  if (chosen.empty()) return no_choice(log_.list(), input_, options_);
  if (auto fed = feed(builder_, chosen, clock(), input_, options_); !fed) return std::unexpected(fed.error());
  if (auto fit = back_steps_.settle(builder_, input_); !fit) return std::unexpected(fit.error());

  Understanding& u = builder_.understanding();
  u.power = fmt::format("sensor '{}' [W]", printable(chosen.front()->name, 40));
  u.devices = chosen.size() == 1 ? "one sensor, the whole node" : "one sensor a device";
  if (too_many_) builder_.note("There are more than 4096 sensors; those after that are left out.");
  if (torn_) builder_.note("The last line was cut while it was written and is left out.");
  auto trace = builder_.finish(input_, options_);
  if (trace && bmc_clock_ && trace->start_unix_ns.value_or(kClockSet) < kClockSet) {
    trace->start_unix_ns.reset();
    trace->understanding.notes.emplace_back("The BMC's clock is not set: only durations are known.");
  }
  return trace;
}

Match recognise(std::string_view head) {
  if (head.find(kInstant) != std::string_view::npos) return Match::sure;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const Cells cells = split(head.substr(0, end));
    if (const auto reading = reading_of(cells); reading && is_watts(reading->unit)) return Match::sure;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return Ipmi(input, options).read(); }

}  // namespace

extern const Reader kIpmitool;
const Reader kIpmitool{
    .name = kName,
    .summary = "ipmitool sdr, sensor or dcmi power reading, written by a loop",
    .looks_for = "a sensor row in Watts between bars, or 'Instantaneous power reading:'",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
