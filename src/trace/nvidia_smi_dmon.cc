// nvidia-smi dmon: a table in text, one row a GPU a poll, two header lines now and again; a clock only with -o.
// Layout: NVIDIA, nvidia-smi's manual page, "Device Monitoring" (-s, -o D/T, --format csv,noheader,nounit).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/option_fit.h"
#include "trace/poll_log.h"
#include "trace/reader.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kName = "nvidia-smi-dmon";
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;
constexpr Nanos kPeriod{kSecond};  // dmon's own, unless -d says otherwise

/// Cells set apart by blanks, or by commas with --format csv.
void split(std::string_view line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  constexpr std::string_view kBetween = " \t,";
  std::size_t at = line.find_first_not_of(kBetween);
  while (at != std::string_view::npos) {
    const std::size_t end = line.find_first_of(kBetween, at);
    tokens.push_back(line.substr(at, end - at));
    at = end == std::string_view::npos ? end : line.find_first_not_of(kBetween, end);
  }
}

/// "# gpu ...", "#Time gpu ...", "#Date Time gpu ...": the names, or nothing when the line is no header.
bool header_names(std::string_view line, std::vector<std::string_view>& names) {
  line = trim(line);
  if (!line.starts_with('#')) return false;
  split(line.substr(1), names);
  std::size_t at = 0;
  while (at < names.size() && (names[at] == "Date" || names[at] == "Time")) ++at;
  return at <= 2 && at < names.size() && names[at] == "gpu";
}

/// A header of dmon's own, and not of any table that starts with a GPU.
bool is_dmon(const std::vector<std::string_view>& names) {
  static constexpr std::array<std::string_view, 10> kGroups{"pwr",   "gtemp", "sm",    "mclk",  "pclk",
                                                            "pviol", "fb",    "sbecc", "rxpci", "pid"};
  return std::ranges::any_of(names, [](std::string_view n) { return std::ranges::find(kGroups, n) != kGroups.end(); });
}

bool is_pmon(const std::vector<std::string_view>& names) { return std::ranges::find(names, "pid") != names.end(); }

/// "20261130", as of -o D.
std::optional<std::string> date_of(std::string_view text) {
  if (text.size() != 8 || !parse_int(text)) return std::nullopt;
  return fmt::format("{}-{}-{}", text.substr(0, 4), text.substr(4, 2), text.substr(6, 2));
}

struct Columns {
  std::vector<std::string> names;
  std::optional<std::size_t> date;
  std::optional<std::size_t> time;
  std::size_t gpu = 0;
  std::size_t power = 0;
};

class NvidiaDmon {
 public:
  NvidiaDmon(Input& input, const ReadOptions& options)
      : input_(input),
        options_(options),
        builder_(input.name(), std::string(kName)),
        polls_(builder_, input, options) {}

  Result<Trace> read();

 private:
  struct Row {
    std::size_t device;
    double power_w;
  };
  Result<void> read_header();
  Result<void> guess_columns(std::string_view line);
  Result<void> find_power();
  void read_units(std::string_view line);
  void read_row(std::string_view line);
  [[nodiscard]] std::optional<std::int64_t> stamp();
  void place_unstamped();
  void explain();

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  PollLog polls_;
  Columns columns_;
  bool has_columns_ = false;
  std::vector<std::string_view> tokens_;
  double scale_ = 1.0;
  bool whole_watts_ = true;
  bool torn_ = false;
  // Without a clock:
  std::vector<Row> rows_;
  std::vector<std::int64_t> numbers_;  ///< each device's number, as printed
  bool past_midnight_ = false;         ///< with a time of day alone
};

Result<void> NvidiaDmon::find_power() {
  const std::string wanted = options_.power_column.empty() ? "pwr" : options_.power_column;
  std::string list;
  for (const std::string& n : columns_.names) list += (list.empty() ? "" : ", ") + printable(n, 40);
  std::optional<std::size_t> found;
  if (wanted.starts_with('#')) {
    const auto number = parse_int(std::string_view(wanted).substr(1));
    if (number && *number >= 1 && static_cast<std::size_t>(*number) <= columns_.names.size()) {
      found = static_cast<std::size_t>(*number) - 1;
    }
  } else {
    const auto at =
        std::ranges::find_if(columns_.names, [&](const std::string& n) { return equal_ignoring_case(n, wanted); });
    if (at != columns_.names.end()) found = static_cast<std::size_t>(at - columns_.names.begin());
  }
  if (!found && options_.power_column.empty()) {
    return fail(ErrorKind::bad_input, input_.place(), fmt::format("the dmon table has no column pwr, only {}", list),
                "Record it with p among the letters behind -s, as in `nvidia-smi dmon -s p -o DT`.");
  }
  if (!found) {
    return fail(ErrorKind::usage, input_.place(), fmt::format("there is no column '{}'", printable(wanted)),
                fmt::format("The columns are {}.", list));
  }
  columns_.power = *found;
  return {};
}

/// From tokens_, the names of a header.
Result<void> NvidiaDmon::read_header() {
  Columns fresh;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    fresh.names.emplace_back(tokens_[i]);
    if (tokens_[i] == "Date" && i < 2) fresh.date = i;
    if (tokens_[i] == "Time" && i < 2) fresh.time = i;
    if (tokens_[i] == "gpu" && i <= 2) fresh.gpu = i;
  }
  if (is_pmon(tokens_)) {
    return fail(ErrorKind::bad_input, input_.place(), "this is nvidia-smi pmon, which prints processes and no power",
                "Record power with `nvidia-smi dmon -s p -o DT`.");
  }
  if (has_columns_) {
    ++builder_.understanding().repeated_headers;
    if (fresh.names == columns_.names) return {};
    builder_.note("The columns change within the file: several runs were joined.");
  }
  columns_ = std::move(fresh);
  has_columns_ = true;
  return find_power();
}

/// Of a file without a header: date and time by their form, then the GPU; power is where --power says.
Result<void> NvidiaDmon::guess_columns(std::string_view line) {
  split(line, tokens_);
  Columns fresh;
  for (std::size_t i = 0; i < tokens_.size(); ++i) fresh.names.push_back(fmt::format("#{}", i + 1));
  std::size_t at = 0;
  if (at < tokens_.size() && date_of(tokens_[at])) fresh.date = at++;
  if (at < tokens_.size() && tokens_[at].find(':') != std::string_view::npos) fresh.time = at++;
  fresh.gpu = at;
  if (!options_.power_column.starts_with('#')) {
    return fail(ErrorKind::bad_input, input_.place(), "there is no line that starts with '# gpu'",
                "Keep the header, or name the column of power by its place, as in --power \"#2\".");
  }
  columns_ = std::move(fresh);
  has_columns_ = true;
  return find_power();
}

/// The line under a header: "# Idx W C C".
void NvidiaDmon::read_units(std::string_view line) {
  if (!options_.power_unit.empty()) return;
  split(trim(line).substr(1), tokens_);
  if (columns_.power >= tokens_.size()) return;
  if (const auto scale = power_unit(tokens_[columns_.power])) scale_ = *scale;
}

/// The row's time; nothing when it cannot be read.
std::optional<std::int64_t> NvidiaDmon::stamp() {
  if (!columns_.time) return std::nullopt;
  const std::string_view time = tokens_[*columns_.time].substr(0, 20);
  if (columns_.date) {
    const auto date = date_of(tokens_[*columns_.date]);
    return date ? polls_.read_stamp(fmt::format("{} {}", *date, time)) : std::nullopt;
  }
  const auto stamp = polls_.read_stamp(time);
  past_midnight_ = past_midnight_ || stamp.value_or(0) >= kDay;
  return stamp;
}

void NvidiaDmon::read_row(std::string_view line) {
  split(line, tokens_);
  if (tokens_.empty()) return;
  const bool begins = tokens_[0].find_first_not_of("0123456789:/-") == std::string_view::npos;
  const auto number = columns_.gpu < tokens_.size() ? parse_int(tokens_[columns_.gpu]) : std::nullopt;
  if (!number && begins && !input_.last_line_torn()) {
    builder_.damaged(input_.place(), "the line was cut before its GPU, or runs into the next");
    return;
  }
  if (!number || *number < 0) {
    ++builder_.understanding().other_lines;
    return;
  }
  // A cell at the very end of a line without an end may have lost digits.
  if (input_.last_line_torn() && !line.ends_with(' ')) {
    torn_ = true;
    return;
  }
  if (tokens_.size() != columns_.names.size()) {
    return builder_.damaged(input_.place(), "the cells do not match the header");
  }
  const std::string_view cell = tokens_[columns_.power];
  const Reading reading = read_power(cell, scale_);
  if (reading.kind == Reading::Kind::unreadable) {
    return builder_.damaged(input_.place(), fmt::format("'{}' is no power", printable(cell, 40)));
  }
  if (cell.find('.') != std::string_view::npos) whole_watts_ = false;
  const double power_w = reading.kind == Reading::Kind::value ? reading.value : kUnknown;
  std::optional<std::int64_t> time_ns;
  if (columns_.time) {
    time_ns = stamp();
    if (!time_ns) {
      return builder_.damaged(input_.place(), fmt::format("'{}' is no time", printable(tokens_[*columns_.time], 40)));
    }
  }
  const std::size_t device = builder_.device(tokens_[columns_.gpu]);
  if (device >= numbers_.size()) numbers_.resize(device + 1);
  numbers_[device] = *number;
  if (time_ns) {
    polls_.row(device, *time_ns, power_w);
  } else {
    rows_.push_back({device, power_w});
  }
}

/// Polls are told apart by the order of devices, so that a missing row moves nobody else's: by rising number, or by
/// first appearance where that takes fewer polls (-i may name them in any order).
void NvidiaDmon::place_unstamped() {
  const auto starts = [this](std::size_t i, bool by_number) {
    if (i == 0) return true;
    const std::size_t a = rows_[i - 1].device;
    const std::size_t b = rows_[i].device;
    return by_number ? numbers_[b] <= numbers_[a] : b <= a;
  };
  std::size_t by_number = 0;
  std::size_t by_appearance = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    by_number += starts(i, true) ? 1U : 0U;
    by_appearance += starts(i, false) ? 1U : 0U;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (starts(i, by_number <= by_appearance)) polls_.next_poll();
    polls_.row(rows_[i].device, rows_[i].power_w);
  }
}

void NvidiaDmon::explain() {
  Understanding& u = builder_.understanding();
  u.devices = "column 'gpu'";
  if (has_columns_) {
    u.power = fmt::format("column '{}' [{}]", columns_.names[columns_.power],
                          !options_.power_unit.empty() ? options_.power_unit
                          : scale_ == 1.0              ? "W"
                                                       : "as in its unit line");
  }
  if (whole_watts_) builder_.note("dmon prints whole watts: a reading is known to half a watt.");
  if (torn_) builder_.note("The last line was cut while it was written and is left out.");
  if (!columns_.time && !options_.period) {
    builder_.note("dmon writes no time without -o T: 1 s a poll from zero is assumed; --period says otherwise.");
  }
  if (columns_.time && !columns_.date) {
    polls_.own_clock("time of day, no date and no zone", false, false);
    builder_.note(past_midnight_
                      ? "The clock has no date: where it goes back, midnight has passed and the next day begins."
                      : "The clock has no date: only durations are known; --start gives the date.");
  }
}

Result<Trace> NvidiaDmon::read() {
  const ColumnOptions usable{.power = true};
  if (auto fit = check_column_options(options_, usable, kName, input_); !fit) return std::unexpected(fit.error());
  if (!options_.power_unit.empty()) {
    const auto scale = watts_per_unit(options_.power_unit);
    if (!scale) return std::unexpected(scale.error());
    scale_ = *scale;
  }
  std::string_view line;
  while (input_.next_line(line)) {
    if (header_names(line, tokens_)) {
      if (auto fit = read_header(); !fit) return std::unexpected(fit.error());
    } else if (trim(line).empty()) {
      continue;
    } else if (trim(line).starts_with('#')) {
      if (has_columns_) read_units(line);
    } else if (has_columns_) {
      read_row(line);
    } else if (trim(line).find_first_not_of("0123456789") == 0) {
      ++builder_.understanding().other_lines;
    } else {
      if (auto fit = guess_columns(line); !fit) return std::unexpected(fit.error());
      read_row(line);
    }
  }
  if (!has_columns_) {
    return fail(ErrorKind::bad_input, input_.name(), "there is no line that starts with '# gpu'",
                "Record it with `nvidia-smi dmon -s p -o DT` and keep the header.");
  }
  place_unstamped();
  explain();
  if (auto placed = polls_.close(kPeriod); !placed) return std::unexpected(placed.error());
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  std::vector<std::string_view> names;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (header_names(head.substr(0, std::min(end, std::size_t{1000})), names) && is_dmon(names)) return Match::sure;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return NvidiaDmon(input, options).read(); }

}  // namespace

extern const Reader kNvidiaSmiDmon;
const Reader kNvidiaSmiDmon{
    .name = kName,
    .summary = "text or CSV of nvidia-smi dmon, with power (-s p) among its columns",
    .looks_for = "a line that starts with '# gpu', '#Time gpu' or '#Date Time gpu'",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
