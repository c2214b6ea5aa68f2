// dcgmi dmon: a table in text, one row an entity a poll, header and unit line every 14 polls, no clock.
// Layout and field names: NVIDIA DCGM, dcgmi/DeviceMonitor.cpp and dcgmlib/src/dcgm_fields.cpp (2.x to 4.x).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/dcgm_blank.h"
#include "trace/energy_counter.h"
#include "trace/option_fit.h"
#include "trace/poll_sequence.h"
#include "trace/reader.h"
#include "trace/second_power.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kName = "dcgmi-dmon";

enum class Field : unsigned char { power, instant_power, energy, enforced_limit, requested_limit, nameplate };

/// Short names as dmon prints them, and the long names that its -l lists and that scripts put in their place.
struct FieldName {
  std::string_view name;
  Field field;
};
constexpr std::array<FieldName, 19> kFields{{
    {"POWINST", Field::instant_power},
    {"power_usage_instant", Field::instant_power},
    {"DCGM_FI_DEV_POWER_USAGE_INSTANT", Field::instant_power},
    {"POWER", Field::power},
    {"POWR", Field::power},
    {"PWR", Field::power},
    {"power_usage", Field::power},
    {"DCGM_FI_DEV_POWER_USAGE", Field::power},
    {"TOTEC", Field::energy},
    {"total_energy_consumption", Field::energy},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", Field::energy},
    {"EPLMT", Field::enforced_limit},
    {"enforced_power_limit", Field::enforced_limit},
    {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", Field::enforced_limit},
    {"PMLMT", Field::requested_limit},
    {"power_management_limit", Field::requested_limit},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT", Field::requested_limit},
    {"PMDEF", Field::nameplate},
    {"power_management_limit_default", Field::nameplate},
}};

void split(std::string_view line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  constexpr std::string_view kBlanks = " \t";
  std::size_t at = line.find_first_not_of(kBlanks);
  while (at != std::string_view::npos) {
    const std::size_t end = line.find_first_of(kBlanks, at);
    tokens.push_back(line.substr(at, end - at));
    at = end == std::string_view::npos ? end : line.find_first_not_of(kBlanks, end);
  }
}

/// "#Entity", or "#   Entity" as older versions print it.
bool is_header(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return false;
  line = trim(line.substr(1));
  return line.starts_with("Entity") && (line.size() == 6 || line[6] == ' ' || line[6] == '\t');
}

struct Header {
  std::vector<std::string> names;      ///< without the entity column
  std::vector<std::size_t> positions;  ///< where each name starts; cells start there too when left_aligned
  bool left_aligned = false;

  std::optional<std::size_t> power;
  std::optional<std::size_t> second;  ///< power for GPUs of which the first has none
  MeterKind meter = MeterKind::unknown;
  std::optional<std::size_t> energy;
  std::optional<std::size_t> limit;
  std::optional<std::size_t> nameplate;

  [[nodiscard]] std::optional<std::size_t> find(Field field) const {
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (const FieldName& f : kFields) {
        if (f.field == field && equal_ignoring_case(names[i], f.name)) return i;
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] std::string list() const {
    std::string text;
    for (const std::string& n : names) text += (text.empty() ? "" : ", ") + printable(n, 40);
    return text;
  }
};

std::optional<std::size_t> named_column(const Header& h, std::string_view wanted) {
  if (wanted.starts_with('#')) {
    const auto number = parse_int(wanted.substr(1));  // the entity is the first column
    if (!number || *number < 2 || static_cast<std::size_t>(*number) > h.names.size() + 1) return std::nullopt;
    return static_cast<std::size_t>(*number) - 2;
  }
  for (std::size_t i = 0; i < h.names.size(); ++i) {
    if (equal_ignoring_case(h.names[i], wanted)) return i;
  }
  return std::nullopt;
}

class Dmon {
 public:
  Dmon(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {}

  Result<Trace> read();

 private:
  Result<void> read_header(std::string_view line);
  void read_row(std::string_view line);
  [[nodiscard]] std::optional<std::string_view> cell(std::string_view line, std::size_t column) const;
  [[nodiscard]] std::optional<double> number(std::string_view line, std::optional<std::size_t> column) const;
  void explain();

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  Header header_;
  SecondPower second_;
  std::string second_name_;
  std::vector<std::string_view> tokens_;
  double scale_ = 1.0;
  bool has_header_ = false;
  PollSequence sequence_;
  std::int64_t other_entities_ = 0;
  std::string other_entity_;
  bool torn_ = false;
};

Result<void> Dmon::read_header(std::string_view line) {
  Header h;
  split(line, tokens_);
  const std::size_t skip = tokens_[0] == "#" ? 2 : 1;
  for (std::size_t i = skip; i < tokens_.size(); ++i) {
    h.names.emplace_back(tokens_[i]);
    h.positions.push_back(static_cast<std::size_t>(tokens_[i].data() - line.data()));
  }
  h.left_aligned = line.starts_with("#Entity");
  const auto instant = h.find(Field::instant_power);
  if (!options_.power_column.empty()) {
    h.power = named_column(h, options_.power_column);
    if (!h.power) {
      return fail(ErrorKind::usage, input_.place(),
                  fmt::format("there is no column '{}'", printable(options_.power_column)),
                  fmt::format("The columns are {}.", h.list()));
    }
  } else {
    h.power = instant ? instant : h.find(Field::power);
    if (!h.power) {
      return fail(ErrorKind::bad_input, input_.place(),
                  fmt::format("the dmon table has no power column, only {}", h.names.empty() ? "entities" : h.list()),
                  "Record it with field 155 (power) among those behind -e, or name the column with --power.");
    }
  }
  if (instant && h.power == instant) h.meter = MeterKind::instantaneous;
  if (instant && h.power == instant && h.find(Field::power)) {
    if (options_.power_column.empty()) h.second = h.find(Field::power);
    if (h.second) second_name_ = h.names[*h.second];
    builder_.note("Instantaneous power (POWINST) is read; --power POWER reads the other power column.");
  }
  h.energy = h.find(Field::energy);
  h.limit = h.find(Field::enforced_limit);
  if (!h.limit) h.limit = h.find(Field::requested_limit);
  h.nameplate = h.find(Field::nameplate);
  if (has_header_) {
    ++builder_.understanding().repeated_headers;
    if (h.names != header_.names) builder_.note("The columns change within the file: several runs were joined.");
  } else {
    builder_.understanding().power =
        fmt::format("column '{}' [{}]", h.names[*h.power], options_.power_unit.empty() ? "W" : options_.power_unit);
  }
  header_ = std::move(h);
  has_header_ = true;
  return {};
}

/// By counting cells; where a cell is blank or holds blanks (a device name), by position, which newer versions keep.
std::optional<std::string_view> Dmon::cell(std::string_view line, std::size_t column) const {
  if (tokens_.size() == header_.names.size() + 2) return tokens_[column + 2];
  if (!header_.left_aligned) return std::nullopt;
  const std::size_t begin = header_.positions[column];
  const bool last = column + 1 == header_.names.size();
  const std::size_t end = last ? line.size() : header_.positions[column + 1];
  // A row that ends before its last column has lost cells, and those that are left may have moved.
  if (line.size() <= header_.positions.back()) return std::nullopt;
  if (begin >= line.size() || line[begin - 1] != ' ') return std::nullopt;
  if (end < line.size() && line[end - 1] != ' ') return std::nullopt;
  return trim(line.substr(begin, end - begin));
}

/// An optional column's value; nothing where it has none.
std::optional<double> Dmon::number(std::string_view line, std::optional<std::size_t> column) const {
  if (!column) return std::nullopt;
  const auto text = cell(line, *column);
  return text ? parse_double(*text) : std::nullopt;
}

void Dmon::read_row(std::string_view line) {
  split(line, tokens_);
  if (tokens_.empty() || tokens_[0] == "ID" || tokens_[0] == "Id") return;  // the unit line under a header
  const bool entity = tokens_.size() >= 2 && parse_int(tokens_[1]).has_value();
  const bool cut = tokens_[0].ends_with("GPU") && tokens_[0].size() > 3 &&
                   std::string_view("GPU").starts_with(tokens_[0].substr(0, tokens_[0].size() - 3));
  const bool within_name = tokens_.size() == 1 && std::string_view("GPU").starts_with(tokens_[0]);
  if ((cut || within_name) && !input_.last_line_torn()) {
    builder_.damaged(input_.place(), "the line was cut within its device's name");
    return;
  }
  for (std::size_t i = 1; i + 1 < tokens_.size(); ++i) {
    if (!tokens_[i].ends_with("GPU") || !parse_int(tokens_[i + 1])) continue;
    builder_.damaged(input_.place(), "a line that was cut runs into the next");
    return;
  }
  if (!entity || tokens_[0] != "GPU") {
    ++builder_.understanding().other_lines;
    if (!entity) return;
    ++other_entities_;
    if (other_entity_.empty()) other_entity_ = printable(fmt::format("{} {}", tokens_[0], tokens_[1]), 40);
    return;
  }
  // A power cell at the very end of a line without an end may have lost digits.
  if (input_.last_line_torn() && !line.ends_with(' ')) {
    torn_ = true;
    return;
  }
  const std::size_t device = builder_.device(tokens_[1]);
  const std::int64_t row = sequence_.row(device);  // its time for now
  const auto text = header_.power ? cell(line, *header_.power) : std::nullopt;
  if (!text) return builder_.damaged(input_.place(), "the cells do not match the header");
  double power_w = kUnknown;
  if (!equal_ignoring_case(*text, "N/A")) {
    const auto value = parse_double(*text);
    if (!value) {
      return builder_.damaged(input_.place(), fmt::format("'{}' is no power", printable(*text, 40)));
    }
    if (!is_dcgm_blank_power(*value)) power_w = *value * scale_;
  }
  builder_.add(device, row, power_w);
  const auto second = number(line, header_.second);
  second_.add(device, power_w, second && !is_dcgm_blank_power(*second) ? *second * scale_ : kUnknown);
  Series& series = builder_.series(device);
  series.device.meter = header_.meter;
  if (const auto mj = number(line, header_.energy); mj && !is_dcgm_blank_energy(*mj)) {
    builder_.set(device, Column::energy_j, *mj * 1e-3);
  }
  if (const auto w = number(line, header_.limit); w && !is_dcgm_blank_power(*w)) {
    builder_.set(device, Column::limit_w, *w);
    if (!header_.nameplate) series.device.nameplate = std::max(series.device.nameplate.value_or(Watts(0)), Watts(*w));
  }
  if (const auto w = number(line, header_.nameplate); w && !is_dcgm_blank_power(*w)) {
    series.device.nameplate = Watts(*w);
  }
}

void Dmon::explain() {
  Understanding& u = builder_.understanding();
  u.devices = "column 'Entity', GPUs only";
  builder_.clock(false, false);
  if (options_.period) {
    u.clock = fmt::format("none: {} a row (--period)", format_duration(*options_.period));
  } else {
    u.clock = "none: 1 s a row from zero (assumed)";
    builder_.note("dmon writes no time: 1 s a row from zero is assumed; --period says otherwise.");
  }
  if (other_entities_ > 0) {
    builder_.note(
        fmt::format("{} of other entities than GPUs ({} first) {} passed over: a GPU's power includes its instances'.",
                    counted(other_entities_, "row"), other_entity_, other_entities_ == 1 ? "was" : "were"));
  }
  if (torn_) builder_.note("The last line was cut while it was written and is left out.");
}

Result<Trace> Dmon::read() {
  const ColumnOptions usable{.power = true};
  if (auto fit = check_column_options(options_, usable, kName, input_); !fit) return std::unexpected(fit.error());
  if (!options_.power_unit.empty()) {
    const auto scale = watts_per_unit(options_.power_unit);
    if (!scale) return std::unexpected(scale.error());
    scale_ = *scale;
  }
  std::string_view line;
  while (input_.next_line(line)) {
    if (is_header(line)) {
      sequence_.new_poll();
      if (auto fit = read_header(line); !fit) return std::unexpected(fit.error());
    } else if (has_header_) {
      read_row(line);
    } else if (!trim(line).empty()) {
      ++builder_.understanding().other_lines;
    }
  }
  if (!has_header_) {
    return fail(ErrorKind::bad_input, input_.name(), "there is no line that starts with #Entity",
                "Record it with `dcgmi dmon -e 155` and keep the header.");
  }
  const Nanos period = options_.period.value_or(Nanos(1'000'000'000));
  if (auto placed = place_by_polls(builder_, sequence_, period); !placed) return std::unexpected(placed.error());
  explain();
  for (const std::size_t d : second_.settle(builder_, header_.names[header_.power.value_or(0)], second_name_)) {
    builder_.series(d).device.meter = MeterKind::unknown;
  }
  drop_falling_counters(builder_);
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (is_header(head.substr(0, end))) return Match::sure;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return Dmon(input, options).read(); }

}  // namespace

extern const Reader kDcgmiDmon;
const Reader kDcgmiDmon{
    .name = kName,
    .summary = "text of dcgmi dmon, with power (field 155 or 157) among its columns",
    .looks_for = "a line that starts with #Entity",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
