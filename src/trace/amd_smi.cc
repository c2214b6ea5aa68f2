// amd-smi metric and amd-smi monitor, as --json, as --csv and as monitor's own table; with -w the same again every
// poll, then with a stamp in each row. Keys: ROCm/amdsmi, amdsmi_cli/amdsmi_commands.py and amdsmi_logger.py.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/energy_counter.h"
#include "trace/json_cells.h"
#include "trace/json_stream.h"
#include "trace/option_fit.h"
#include "trace/poll_log.h"
#include "trace/reader.h"

namespace wattrein::trace {

namespace {

using net::Json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kName = "amd-smi";
/// amdsmi.h: power is a uint16 or wider with all bits set where it is not known.
constexpr double kNotKnown = 65535.0;

/// What is power, in order of preference. Which of the two socket powers there is depends on the chip: MI200 has
/// the average, MI300 the current one; newer versions print either as socket_power.
constexpr std::array<std::string_view, 6> kDraws{"current_socket_power", "socket_power",  "power_usage",
                                                 "average_socket_power", "current_power", "POWER"};
constexpr std::string_view kAverage = "average_socket_power";
constexpr std::array<std::string_view, 4> kLimits{"power_cap", "power_limit", "max_power", "PWR_CAP"};
constexpr std::string_view kEnergy = "total_energy_consumption";

/// One GPU's figures, from whichever form.
struct Figures {
  std::string gpu;
  std::string partition;  ///< "xcp" of monitor: power is that of the whole GPU
  std::string time;
  std::array<std::optional<Reading>, kDraws.size()> draws;
  std::optional<Reading> limit;
  std::optional<double> energy_j;

  void take(std::string_view key, const Reading& reading) {
    if (const auto at = std::ranges::find(kDraws, key); at != kDraws.end()) {
      draws[static_cast<std::size_t>(at - kDraws.begin())] = reading;
    } else if (!limit && std::ranges::find(kLimits, key) != kLimits.end()) {
      limit = reading;
    }
  }
};

bool is_power_key(std::string_view key) {
  return std::ranges::find(kDraws, key) != kDraws.end() || std::ranges::find(kLimits, key) != kLimits.end();
}

/// `  0  123 W    750 W`: cells set apart by blanks, a unit going with the number before it.
void split_table(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  std::size_t at = line.find_first_not_of(" \t");
  std::size_t start = at;  // of the last cell
  while (at != std::string_view::npos) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const std::string_view word = line.substr(at, end - at);
    const bool starts_value = (word[0] >= '0' && word[0] <= '9') || word[0] == '-' || word[0] == 'N';
    const bool after_number = !cells.empty() && cells.back()[0] >= '0' && cells.back()[0] <= '9' &&
                              cells.back().find(' ') == std::string_view::npos;
    if (!starts_value && after_number && word.size() <= 5) {
      cells.back() = line.substr(start, end - start);
    } else {
      start = at;
      cells.push_back(word);
    }
    at = line.find_first_not_of(" \t", end);
  }
}

struct Header {
  std::vector<std::string> names;
  bool table = false;  ///< monitor's own, not CSV
};

/// "timestamp,gpu,socket_power,..." or "TIMESTAMP  GPU  POWER ...": a header that names a GPU.
std::optional<Header> header_of(std::string_view line) {
  line = trim(line);
  if (line.empty() || line[0] < 'A' || line.size() > 100'000) return std::nullopt;
  Header h;
  std::vector<std::string_view> cells;
  h.table = line.starts_with("GPU ") || line.starts_with("TIMESTAMP ");
  if (h.table) {
    split_table(line, cells);
  } else {
    split_cells(line, ',', cells);
  }
  for (const std::string_view cell : cells) h.names.emplace_back(cell);
  const std::string_view gpu = h.table ? "GPU" : "gpu";
  const auto at = std::ranges::find(h.names, gpu);
  if (at == h.names.end() || at - h.names.begin() > 1 || h.names.size() < 2) return std::nullopt;
  return h;
}

class AmdSmi {
 public:
  AmdSmi(Input& input, const ReadOptions& options)
      : input_(input),
        builder_(input.name(), std::string(kName)),
        polls_(builder_, input, options),
        options_(options) {}

  Result<Trace> read();

 private:
  void read_text(const JsonStream& items);
  void read_row(const Header& header, std::string_view line, const std::string& place);
  void read_object(const Json& root, const JsonStream& items);
  void read_gpu(const Json& object, const std::string& place);
  void add(const Figures& f, const std::string& place);
  Result<Trace> finish();

  Input& input_;
  Builder builder_;
  PollLog polls_;
  const ReadOptions& options_;
  std::optional<Header> header_;
  std::vector<std::string_view> cells_;
  std::set<std::string> in_poll_;  ///< GPUs of the poll that is open
  std::string last_time_;
  std::set<std::string_view> used_;  ///< keys that power was taken from
  std::int64_t partitions_ = 0;
  bool seen_gpu_ = false;
  bool torn_ = false;
};

void AmdSmi::add(const Figures& f, const std::string& place) {
  seen_gpu_ = true;
  if (!in_poll_.insert(f.gpu).second) {
    if (!f.partition.empty() && f.partition != "0" && f.time == last_time_) {
      ++partitions_;
      return;
    }
    // The same GPU again: the next poll, as in a file that --file wrote.
    in_poll_ = {f.gpu};
    polls_.next_poll();
  }
  last_time_ = f.time;
  const Reading* power = nullptr;
  std::string_view key;
  for (std::size_t i = 0; i < kDraws.size(); ++i) {
    const std::optional<Reading>& draw = f.draws[i];
    if (!draw) continue;
    const Reading& r = *draw;
    const bool known = r.kind == Reading::Kind::value && r.value < kNotKnown;
    if (power == nullptr || known) {
      power = &r;
      key = kDraws[i];
    }
    if (known) break;
  }
  if (power == nullptr) {
    ++builder_.understanding().other_lines;
    return;
  }
  if (power->kind == Reading::Kind::unreadable) return builder_.damaged(place, fmt::format("{} is no power", key));
  std::optional<std::int64_t> time_ns;
  if (!f.time.empty() && !is_unknown_cell(f.time)) {
    time_ns = polls_.read_stamp(f.time);
    if (!time_ns) return builder_.damaged(place, fmt::format("'{}' is no time", printable(f.time, 40)));
  }
  const bool known = power->kind == Reading::Kind::value && power->value < kNotKnown;
  const double power_w = known ? power->value : kUnknown;
  if (known) used_.insert(key);
  const std::size_t device = builder_.device(f.gpu);
  if (time_ns) {
    polls_.row(device, *time_ns, power_w);
  } else {
    polls_.row(device, power_w);
  }
  const auto& average = f.draws[static_cast<std::size_t>(std::ranges::find(kDraws, kAverage) - kDraws.begin())];
  if (average && key != kAverage && average->kind == Reading::Kind::value && average->value < kNotKnown) {
    polls_.set(Column::average_w, average->value);
  }
  if (f.limit && f.limit->kind == Reading::Kind::value && f.limit->value < kNotKnown) {
    polls_.set(Column::limit_w, f.limit->value);
    auto& nameplate = builder_.series(device).device.nameplate;
    nameplate = std::max(nameplate.value_or(Watts(0)), Watts(f.limit->value));
  }
  if (f.energy_j) polls_.set(Column::energy_j, *f.energy_j);
}

// --- JSON -----------------------------------------------------------------------------------------------------

void AmdSmi::read_gpu(const Json& object, const std::string& place) {
  Figures f;
  f.gpu = printable(json_scalar(object.find("gpu")), 40);
  if (f.gpu.empty()) {  // a CPU, or something else's document
    ++builder_.understanding().other_lines;
    return;
  }
  f.partition = json_scalar(object.find("xcp"));
  f.time = json_scalar(object.find("timestamp"));
  const auto take_all = [&f](const Json& from) {
    for (const auto& [key, value] : *from.object()) {
      if (is_power_key(key)) f.take(key, json_power(value));
    }
  };
  take_all(object);  // monitor
  const Json* power = object.find("power");
  if (power != nullptr && power->object() != nullptr) take_all(*power);  // metric
  const Json* energy = object.find("energy");
  if (energy != nullptr && energy->find(kEnergy) != nullptr) {
    const Json* total = energy->find(kEnergy);
    const Json* value = total->find("value");
    if (value == nullptr) value = total;
    if (const auto* d = std::get_if<double>(&value->value())) f.energy_j = *d;
    if (const auto* i = std::get_if<std::int64_t>(&value->value())) f.energy_j = static_cast<double>(*i);
  }
  add(f, place);
}

void AmdSmi::read_object(const Json& root, const JsonStream& items) {
  if (items.first()) {
    in_poll_.clear();
    polls_.next_poll();
  }
  const Json* list = root.find("gpu_data");
  if (list == nullptr || list->array() == nullptr) return read_gpu(root, items.place());
  for (const Json& gpu : *list->array()) {
    if (gpu.object() != nullptr) read_gpu(gpu, items.place());
  }
}

// --- CSV and monitor's table ----------------------------------------------------------------------------------

void AmdSmi::read_row(const Header& header, std::string_view line, const std::string& place) {
  if (header.table) {
    split_table(line, cells_);
  } else {
    split_cells(line, ',', cells_);
  }
  Figures f;
  const auto cell = [&](std::size_t i) { return i < cells_.size() ? cells_[i] : std::string_view(); };
  const std::vector<std::string>& names = header.names;
  for (std::size_t i = 0; i < names.size() && i < 2; ++i) {
    if (equal_ignoring_case(names[i], "gpu")) f.gpu = printable(cell(i), 40);
    if (equal_ignoring_case(names[i], "timestamp")) f.time = printable(cell(i), 40);
  }
  if (!parse_int(f.gpu)) {
    ++builder_.understanding().other_lines;
    return;
  }
  if (cells_.size() != names.size()) {
    builder_.device(f.gpu);
    return builder_.damaged(place, "the cells do not match the header");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (equal_ignoring_case(names[i], "xcp")) f.partition = cell(i);
    if (is_power_key(names[i])) f.take(names[i], read_power(cell(i), 1.0));
    if (names[i] == kEnergy) f.energy_j = parse_double(cell(i));
  }
  add(f, place);
}

void AmdSmi::read_text(const JsonStream& items) {
  const std::string_view line = items.text();
  if (auto header = header_of(line)) {
    if (header_) ++builder_.understanding().repeated_headers;
    header_ = std::move(header);
    in_poll_.clear();
    polls_.next_poll();
    return;
  }
  if (polls_.stamp(line)) return;
  if (!header_) {
    ++builder_.understanding().other_lines;
    return;
  }
  if (input_.last_line_torn()) {  // digits may be missing
    torn_ = true;
    return;
  }
  read_row(*header_, line, items.place());
}

// --- Both ------------------------------------------------------------------------------------------------------

Result<Trace> AmdSmi::finish() {
  Understanding& u = builder_.understanding();
  if (!seen_gpu_ && u.damaged == 0) {
    return fail(ErrorKind::bad_input, input_.name(), "no object and no row of it names a gpu",
                "Record it with `amd-smi metric -p --csv -w 1` or `amd-smi monitor -p --csv -w 1`.");
  }
  if (seen_gpu_ && builder_.device_count() == 0) {
    return fail(ErrorKind::bad_input, input_.name(), "it holds GPUs, and no power of any",
                "Record it with -p: `amd-smi metric -p --csv -w 1`.");
  }
  for (const std::string_view key : used_) u.power += (u.power.empty() ? "" : ", ") + std::string(key);
  u.power = fmt::format("{} [W]", u.power.empty() ? "power" : u.power);
  u.devices = "gpu";
  if (partitions_ > 0) {
    builder_.note(fmt::format("{} of further partitions {} dropped: each repeats the power of its whole GPU.",
                              counted(partitions_, "row"), partitions_ == 1 ? "was" : "were"));
  }
  if (used_.contains(kAverage)) {
    builder_.note("AMD documents average_socket_power as an average, and not over how long.");
  }
  builder_.note("amd-smi prints whole watts: a reading is known to half a watt.");
  if (torn_) builder_.note("The end of the file was cut while it was written and is left out.");
  if (auto placed = polls_.close(); !placed) return std::unexpected(placed.error());
  drop_falling_counters(builder_);
  return builder_.finish(input_, options_);
}

Result<Trace> AmdSmi::read() {
  if (auto fit = check_column_options(options_, {}, kName, input_); !fit) return std::unexpected(fit.error());
  JsonStream items(input_);
  const bool torn =
      read_json_stream(items, builder_, [&](const Json& root) { read_object(root, items); }, [&] { read_text(items); });
  torn_ = torn_ || torn;
  return finish();
}

Match recognise_csv(std::string_view head) {
  Match best = Match::no;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (const auto header = header_of(head.substr(0, end))) {
      const auto has = [&header](std::string_view name) {
        return std::ranges::find(header->names, name) != header->names.end();
      };
      if (has("socket_power") || has("current_socket_power") || has(kAverage)) return Match::sure;
      if (has("power_usage") && (has("xcp") || has("power_cap") || has("max_power"))) return Match::sure;
      if (header->table && (has("POWER") || has("PWR_CAP"))) return Match::sure;
      // Others call a column power_usage too, and not always in watts.
      if (has("power_usage") && !has("timestamp")) best = Match::perhaps;
    }
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return best;
}

Match recognise(std::string_view head) {
  const auto has = [head](std::string_view part) { return head.find(part) != std::string_view::npos; };
  if (has("\"gpu\"") && (has("socket_power\"") || (has("\"power_usage\"") && has("\"unit\"")))) return Match::sure;
  return recognise_csv(head);
}

Result<Trace> read(Input& input, const ReadOptions& options) { return AmdSmi(input, options).read(); }

}  // namespace

extern const Reader kAmdSmi;
const Reader kAmdSmi{
    .name = kName,
    .summary = "amd-smi metric -p and amd-smi monitor -p, as --json, --csv or monitor's table",
    .looks_for = "a gpu with socket_power, average_socket_power or power_usage, as JSON or CSV",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
