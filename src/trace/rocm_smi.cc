// rocm-smi --showpower, as --json or --csv: one print-out a poll, no clock; loops put a date in front at most.
// Keys: ROCm/rocm_smi_lib, python_smi_tools/rocm_smi.py (showPower, showMaxPower, checkIfSecondaryDie).

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/json_cells.h"
#include "trace/json_stream.h"
#include "trace/option_fit.h"
#include "trace/poll_log.h"
#include "trace/reader.h"

namespace wattrein::trace {

namespace {

using net::Json;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kName = "rocm-smi";

enum class Key : unsigned char { other, current, average, limit };

/// "Current Socket Graphics Package Power (W)" (MI300), "Average Graphics Package Power (W)", "Max Graphics Package
/// Power (W)": the last is the cap in force, and no draw.
Key key_of(std::string_view name) {
  const std::string text = lower(name);
  const auto has = [&text](std::string_view word) { return text.find(word) != std::string::npos; };
  if (!has("power (w)")) return Key::other;
  if (has("max") || has("cap") || has("limit")) return Key::limit;
  if (has("min") || has("default")) return Key::other;
  if (has("average")) return Key::average;
  return has("current") || has("socket") ? Key::current : Key::other;
}

bool is_card(std::string_view name) {
  return name.size() > 4 && name.size() < 12 && name.starts_with("card") && parse_int(name.substr(4)).has_value();
}

struct Figures {
  std::optional<Reading> current;
  std::optional<Reading> average;
  std::optional<Reading> limit;

  void take(Key key, const Reading& reading) {
    if (key == Key::current) current = reading;
    if (key == Key::average) average = reading;
    if (key == Key::limit) limit = reading;
  }
  [[nodiscard]] bool any_draw() const { return current || average; }
};

bool known(const std::optional<Reading>& reading) { return reading && reading->kind == Reading::Kind::value; }

/// "N/A (Secondary die)": its power is in that of the other die of the package.
Reading reading_of(std::string_view cell) {
  if (trim(cell).starts_with("N/A")) return {.kind = Reading::Kind::unknown};
  return read_power(trim(cell), 1.0);
}

class RocmSmi {
 public:
  RocmSmi(Input& input, const ReadOptions& options)
      : input_(input),
        builder_(input.name(), std::string(kName)),
        polls_(builder_, input, options),
        options_(options) {}

  Result<Trace> read();

 private:
  void read_text(const JsonStream& items);
  bool read_header(std::string_view line);
  void read_object(const Json& root, const std::string& place);
  void read_card(std::string_view card, const Json& values, const std::string& place);
  void add(std::size_t device, const Figures& f, const std::string& place);
  Result<Trace> finish();

  Input& input_;
  Builder builder_;
  PollLog polls_;
  const ReadOptions& options_;
  std::vector<Key> header_;
  std::vector<std::string_view> cells_;
  bool has_power_ = false;  ///< the block that is open
  bool seen_card_ = false;
  bool torn_ = false;
  bool used_current_ = false;
  bool used_average_ = false;
};

void RocmSmi::add(std::size_t device, const Figures& f, const std::string& place) {
  const bool current = known(f.current) || !f.average;
  const std::optional<Reading>& power = current ? f.current : f.average;
  if (!power) return;
  if (power->kind == Reading::Kind::unreadable) return builder_.damaged(place, "its power is no number of watts");
  polls_.row(device, power->kind == Reading::Kind::value ? power->value : kUnknown);
  (current ? used_current_ : used_average_) = true;
  if (current && known(f.average)) polls_.set(Column::average_w, f.average->value);
  if (!known(f.limit) || f.limit->value <= 0.0) return;
  polls_.set(Column::limit_w, f.limit->value);
  auto& nameplate = builder_.series(device).device.nameplate;
  nameplate = std::max(nameplate.value_or(Watts(0)), Watts(f.limit->value));
}

// --- JSON -----------------------------------------------------------------------------------------------------

void RocmSmi::read_card(std::string_view card, const Json& values, const std::string& place) {
  Figures f;
  for (const auto& [key, value] : *values.object()) {
    if (const Key k = key_of(key); k != Key::other) f.take(k, json_power(value));
  }
  seen_card_ = true;
  if (!f.any_draw()) return;
  const std::size_t device = builder_.device(card);
  Device& d = builder_.series(device).device;
  if (d.uuid.empty()) d.uuid = printable(json_scalar(values.find("Unique ID")), 80);
  for (const char* key : {"Card Series", "Card series"}) {
    if (d.model.empty()) d.model = printable(json_scalar(values.find(key)), 80);
  }
  add(device, f, place);
}

void RocmSmi::read_object(const Json& root, const std::string& place) {
  for (const char* key : {"timestamp", "time", "date"}) {
    if (const std::string text = json_scalar(root.find(key)); !text.empty()) polls_.stamp(text);
  }
  polls_.next_poll();
  for (const auto& [key, value] : *root.object()) {
    if (is_card(key) && value.object() != nullptr) read_card(key, value, place);
  }
}

// --- CSV ------------------------------------------------------------------------------------------------------

/// "device,Average Graphics Package Power (W),..."; a print-out may have several such blocks.
bool RocmSmi::read_header(std::string_view line) {
  if (!line.starts_with("device,")) return false;
  split_cells(line, ',', cells_);
  if (!header_.empty()) ++builder_.understanding().repeated_headers;
  header_.clear();
  for (const std::string_view cell : cells_) header_.push_back(key_of(cell));
  has_power_ = std::ranges::any_of(header_, [](Key k) { return k == Key::current || k == Key::average; });
  if (has_power_) polls_.next_poll();
  return true;
}

void RocmSmi::read_text(const JsonStream& items) {
  const std::string_view line = items.text();
  if (read_header(line) || polls_.stamp(line)) return;
  split_cells(line, ',', cells_);
  if (header_.empty() || !is_card(cells_[0])) {
    ++builder_.understanding().other_lines;
    return;
  }
  seen_card_ = true;
  if (!has_power_) return;
  if (input_.last_line_torn()) {  // digits may be missing
    torn_ = true;
    return;
  }
  const std::size_t device = builder_.device(cells_[0]);
  if (cells_.size() != header_.size()) return builder_.damaged(items.place(), "the cells do not match the header");
  Figures f;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (header_[i] != Key::other) f.take(header_[i], reading_of(cells_[i]));
  }
  add(device, f, items.place());
}

// --- Both ------------------------------------------------------------------------------------------------------

Result<Trace> RocmSmi::finish() {
  Understanding& u = builder_.understanding();
  if (!seen_card_ && u.damaged == 0) {
    return fail(ErrorKind::bad_input, input_.name(), "it holds no card, as in \"card0\"",
                "Record it with `rocm-smi --showpower --json` or `--csv`.");
  }
  if (seen_card_ && builder_.device_count() == 0) {
    return fail(ErrorKind::bad_input, input_.name(), "it holds cards, and no power of any",
                "Record it with --showpower; --showmaxpower is the limit.");
  }
  u.power = used_current_ ? "Current Socket Graphics Package Power (W)" : "Average Graphics Package Power (W)";
  if (used_current_ && used_average_) {
    u.power = "Current Socket Graphics Package Power (W), or Average Graphics Package Power (W) where a card has that";
  }
  u.devices = "card";
  if (used_average_) builder_.note("AMD documents its average power as an average, and not over how long.");
  if (torn_) builder_.note("The end of the file was cut while it was written and is left out.");
  if (auto placed = polls_.close(); !placed) return std::unexpected(placed.error());
  return builder_.finish(input_, options_);
}

Result<Trace> RocmSmi::read() {
  if (auto fit = check_column_options(options_, {}, kName, input_); !fit) return std::unexpected(fit.error());
  JsonStream items(input_);
  const bool torn = read_json_stream(
      items, builder_, [&](const Json& root) { read_object(root, items.place()); }, [&] { read_text(items); });
  torn_ = torn_ || torn;
  return finish();
}

Match recognise(std::string_view head) {
  const auto has = [](std::string_view text, std::string_view part) {
    return text.find(part) != std::string_view::npos;
  };
  if (!has(head, "Power (W)")) return Match::no;
  if (has(head, "\"card0\"") || has(head, "\"card1\"")) return Match::sure;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    if (line.starts_with("device,") && has(line, "Package Power (W)")) return Match::sure;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return RocmSmi(input, options).read(); }

}  // namespace

extern const Reader kRocmSmi;
const Reader kRocmSmi{
    .name = kName,
    .summary = "rocm-smi --showpower as --json or --csv, once or in a loop",
    .looks_for = "\"card0\" with a key '... Package Power (W)', or a header 'device,... Package Power (W)'",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
