// turbostat: a table in text, header and one row a CPU every interval, above them a row of "-" that sums up.
// Source: Linux, tools/power/x86/turbostat/turbostat.8 (columns, --Summary, --Joules, --enable Time_Of_Day_Seconds).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/option_fit.h"
#include "trace/reader.h"
#include "trace/timestamp.h"
#include "trace/turbostat_header.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "turbostat";
constexpr std::string_view kTime = turbostat::kTime;
constexpr std::string_view kVersion = "turbostat version";
constexpr std::string_view kInterval = "Measurement interval:";
constexpr Nanos kDefaultInterval{5'000'000'000};
constexpr std::size_t kMaxHeaders = 64;

using turbostat::Header;
using turbostat::is_header;
using turbostat::split;

struct Row {
  std::int64_t time_ns = 0;
  std::int64_t line = 0;
  double power_w = std::numeric_limits<double>::quiet_NaN();
  std::uint32_t header = 0;
  std::uint32_t run = 0;  ///< of Turbostat::runs_, from one; zero: none has stated an interval yet
  enum class Fault : unsigned char { none, cells, power, time } fault = Fault::none;
};

/// turbostat started again in the same file, with an interval of its own.
struct Run {
  std::int64_t line = 0;  ///< that states the interval
  Nanos interval{};
};

class Turbostat {
 public:
  Turbostat(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {}

  Result<Trace> read();

 private:
  void read_line(std::string_view line);
  void read_header(std::string_view line);
  void read_row(std::string_view line);
  void read_preamble(std::string_view line);
  [[nodiscard]] bool looks_like_row() const;
  [[nodiscard]] Result<void> check_headers() const;
  [[nodiscard]] std::string periods() const;
  Result<void> add_rows(bool clock, const std::string& device_name);
  [[nodiscard]] std::string place(std::int64_t line) const { return fmt::format("{}:{}", input_.name(), line); }
  [[nodiscard]] const Header& whole_header(bool clock) const;
  [[nodiscard]] Nanos period_of(const Row& row) const;
  [[nodiscard]] std::vector<std::int64_t> intervals() const;
  void explain_rows();
  void explain(bool clock);

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  std::vector<Header> headers_;
  std::size_t current_ = 0;  ///< of headers_
  std::vector<Row> rows_;
  std::vector<std::string_view> cells_;
  StampParser stamps_{TimeUnit::s};
  std::vector<Run> runs_;             ///< from the preambles; one only where the interval differs from the last
  bool in_preamble_ = true;           ///< no header since turbostat was started
  std::vector<std::int64_t> starts_;  ///< lines at which turbostat was started again
  std::int64_t rows_of_parts_ = 0;    ///< of packages, cores and CPUs
  std::int64_t first_part_ = 0;
  bool torn_ = false;
  bool too_many_headers_ = false;
};

void Turbostat::read_header(std::string_view line) {
  in_preamble_ = false;
  if (!headers_.empty()) {
    ++builder_.understanding().repeated_headers;
    if (headers_[current_].text == line) return;
    const auto same = std::ranges::find(headers_, line, &Header::text);
    if (same != headers_.end()) {
      current_ = static_cast<std::size_t>(same - headers_.begin());
      return;
    }
    if (headers_.size() == kMaxHeaders) {
      too_many_headers_ = true;
      return;
    }
  }
  Header h{.text = std::string(line), .line = input_.line_number()};
  h.tabs = line.find('\t') != std::string_view::npos;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    h.names.emplace_back(cells_[i]);
    if (turbostat::is_topology(cells_[i])) h.topology.push_back(i);
  }
  h.power = turbostat::power_column(h, options_.power_column);
  h.time = h.find(kTime);
  current_ = headers_.size();
  headers_.push_back(std::move(h));
}

/// A row of the whole machine is kept; rows of single CPUs are part of it.
void Turbostat::read_row(std::string_view line) {
  const Header& h = headers_[current_];
  split(line, h.tabs, cells_);
  const std::size_t first_number = h.time == std::optional<std::size_t>(0) && cells_.size() > 1 ? 1 : 0;
  bool cut = first_number == 1 && cells_.size() < h.names.size() && cells_[1].empty() && parse_double(cells_[0]);
  if (!cut && !parse_double(cells_[first_number]) && cells_[first_number] != "-") {
    ++builder_.understanding().other_lines;
    return;
  }
  for (const std::size_t i : h.topology) {
    if (i >= cells_.size() || cells_[i] == "-" || cells_[i].empty()) continue;
    if (parse_int(cells_[i]).value_or(-1) >= 0) {
      if (rows_of_parts_++ == 0) first_part_ = input_.line_number();
      return;
    }
    cut = true;  // a line that was cut runs into the next
  }
  Row row{.line = input_.line_number(),
          .header = static_cast<std::uint32_t>(current_),
          .run = static_cast<std::uint32_t>(runs_.size())};
  if (input_.last_line_torn()) {
    torn_ = true;
    return;
  }
  if (cut || cells_.size() != h.names.size()) {
    row.fault = Row::Fault::cells;  // which of them is missing cannot be told: no column is shifted
  } else {
    if (h.power) {
      const std::string_view text = cells_[*h.power];
      const auto value = parse_double(text);
      if (value) row.power_w = *value;
      if (!value && text != "-" && !text.empty()) row.fault = Row::Fault::power;
    }
    if (h.time) {
      const auto stamp = stamps_.parse(cells_[*h.time]);
      if (stamp) row.time_ns = *stamp;
      if (!stamp) row.fault = Row::Fault::time;
    }
  }
  rows_.push_back(row);
}

void Turbostat::read_preamble(std::string_view line) {
  if (!line.starts_with(kInterval)) return;
  const std::string_view rest = trim(line.substr(kInterval.size()));
  const auto seconds = parse_double(rest.substr(0, rest.find(' ')));
  if (!seconds || !(*seconds > 0) || *seconds >= 1e9) return;
  const Nanos interval = to_nanos(Seconds(*seconds));
  if (runs_.empty() || runs_.back().interval != interval) runs_.push_back({input_.line_number(), interval});
}

/// As many cells as the header has, and nothing but numbers.
bool Turbostat::looks_like_row() const {
  return cells_.size() == headers_[current_].names.size() &&
         std::ranges::all_of(cells_, [](std::string_view c) { return c == "-" || parse_double(c); });
}

void Turbostat::read_line(std::string_view line) {
  if (trim(line).empty()) return;
  split(line, line.find('\t') != std::string_view::npos, cells_);
  if (is_header(cells_)) return read_header(line);
  if (!in_preamble_ && (line.starts_with(kVersion) || line.starts_with(kInterval))) {
    in_preamble_ = true;
    if (!rows_.empty()) starts_.push_back(input_.line_number());
  }
  // Rows whose header was cut go on under the one before.
  if (in_preamble_ && !headers_.empty() && looks_like_row()) in_preamble_ = false;
  in_preamble_ ? read_preamble(line) : read_row(line);
}

Result<void> Turbostat::check_headers() const {
  if (headers_.empty()) {
    return fail(ErrorKind::bad_input, input_.name(), "there is no turbostat table in it",
                "Record it with `turbostat --enable Time_Of_Day_Seconds` and keep the header.");
  }
  if (too_many_headers_) {
    return fail(ErrorKind::bad_input, input_.name(), fmt::format("it has more than {} different headers", kMaxHeaders),
                "Split it: each part needs columns of its own.");
  }
  if (std::ranges::any_of(headers_, [](const Header& h) { return h.power.has_value(); })) return {};
  const Header& h = headers_.front();
  std::string list;
  for (const std::string& n : h.names) {
    if (list.size() > 300) break;
    list += (list.empty() ? "" : ", ") + printable(n, 40);
  }
  if (!options_.power_column.empty()) {
    return fail(ErrorKind::usage, place(h.line),
                fmt::format("there is no column '{}' in watts", printable(options_.power_column)),
                fmt::format("The columns are {}.", list));
  }
  if (h.find("Pkg_J")) {
    return fail(ErrorKind::bad_input, place(h.line), "the table holds joules of each interval, not watts",
                "Record it without --Joules.");
  }
  return fail(ErrorKind::bad_input, place(h.line), fmt::format("the table has no column PkgWatt, only {}", list),
              "Record it as root on a CPU with RAPL, or name the column with --power.");
}

Nanos Turbostat::period_of(const Row& row) const {
  if (options_.period) return *options_.period;
  return row.run == 0 ? kDefaultInterval : runs_[row.run - 1].interval;
}

/// Of each run, by the clock: the usual time from a row to the next, or what is stated or assumed where there is one
/// row.
std::vector<std::int64_t> Turbostat::intervals() const {
  std::vector<std::vector<std::int64_t>> apart(runs_.size() + 1);
  std::vector<std::int64_t> usual;
  const Row* before = nullptr;
  for (const Row& row : rows_) {
    if (row.fault == Row::Fault::time || row.fault == Row::Fault::cells) continue;
    std::int64_t ns = 0;
    const bool follows = before != nullptr && before->run == row.run;
    if (follows && !__builtin_sub_overflow(row.time_ns, before->time_ns, &ns) && ns > 0) apart[row.run].push_back(ns);
    before = &row;
  }
  for (std::uint32_t run = 0; run < apart.size(); ++run) {
    std::vector<std::int64_t>& all = apart[run];
    if (all.empty()) {
      usual.push_back(period_of(Row{.run = run}).count());
      continue;
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::ranges::nth_element(all, middle);
    usual.push_back(*middle);
  }
  return usual;
}

Result<void> Turbostat::add_rows(bool clock, const std::string& device_name) {
  const std::size_t device = builder_.device(device_name);
  const std::vector<std::int64_t> intervals = this->intervals();
  std::int64_t next_ns = 0;
  for (const Row& row : rows_) {
    const Header& h = headers_[row.header];
    const std::int64_t assumed_ns = next_ns;
    if (!clock && __builtin_add_overflow(next_ns, period_of(row).count(), &next_ns)) {
      return fail(ErrorKind::usage, "--period", "the rows would span more than 95 years", "Give a shorter period.");
    }
    if (row.fault == Row::Fault::cells) {
      builder_.damaged(place(row.line), "the cells do not match the header");
    } else if (!h.power || (clock && !h.time)) {
      builder_.damaged(place(row.line), fmt::format("its header (line {}) has no whole column of {}", h.line,
                                                    h.power ? "time" : "power"));
    } else if (row.fault != Row::Fault::none) {
      builder_.damaged(place(row.line),
                       row.fault == Row::Fault::time ? "the time cannot be read" : "the power cannot be read");
    } else {
      builder_.add(device, clock ? row.time_ns - intervals[row.run] : assumed_ns, row.power_w);
    }
  }
  builder_.series(device).device.meter = MeterKind::counter_difference;
  return {};
}

/// The first that has every column which is read: what the others are compared with.
const Header& Turbostat::whole_header(bool clock) const {
  const auto fits = [clock](const Header& h) { return h.power && (h.time || !clock); };
  auto whole = std::ranges::find_if(headers_, fits);
  if (whole == headers_.end())
    whole = std::ranges::find_if(headers_, [](const Header& h) { return h.power.has_value(); });
  return *whole;
}

/// "5 s a row from zero, 1 s from line 296 on".
std::string Turbostat::periods() const {
  constexpr int kMostNamed = 4;
  std::string text;
  std::optional<std::uint32_t> run;
  int named = 0;
  for (const Row& row : rows_) {
    if (row.run == run || (run && options_.period)) continue;
    run = row.run;
    if (++named > kMostNamed) return text + ", and so on";
    text += text.empty()
                ? format_duration(period_of(row)) + " a row from zero"
                : fmt::format(", {} from line {} on", format_duration(period_of(row)), runs_[row.run - 1].line);
  }
  return text;
}

/// Times where there is no clock.
void Turbostat::explain_rows() {
  Understanding& u = builder_.understanding();
  builder_.clock(false, false);
  const std::string periods = this->periods();
  const bool stated = !runs_.empty();
  u.clock = fmt::format("none: {} ({})", periods,
                        options_.period ? "--period"
                        : stated        ? "'Measurement interval'"
                                        : "assumed");
  if (!options_.period) {
    builder_.note(fmt::format("The table has no {}: {} is {}; --period says otherwise.", kTime, periods,
                              stated ? "taken from its 'Measurement interval'" : "assumed, turbostat's default"));
  }
  if (!starts_.empty()) {
    u.warnings.push_back(fmt::format(
        "{}: turbostat was started again{}, and without a clock nothing says how much later: its rows follow those "
        "before as if no time had passed.",
        place(starts_.front()), starts_.size() > 1 ? fmt::format(", the first of {} times", starts_.size()) : ""));
  }
}

void Turbostat::explain(bool clock) {
  Understanding& u = builder_.understanding();
  const Header& whole = whole_header(clock);
  u.devices = "the row of the whole machine ('-')";
  if (whole.topology.empty()) u.devices = "one row an interval";
  if (whole.find("Package")) {
    builder_.note("The summary row is read: it is the sum of the packages, whose own rows are passed over.");
  }
  if (const auto ram = whole.find("RAMWatt"); ram && ram != whole.power) {
    builder_.note("RAMWatt is drawn beside the packages and is not in PkgWatt: --power RAMWatt reads it.");
  }
  if (clock && !rows_.empty()) {
    builder_.note(fmt::format(
        "Each value is the mean over the interval that ends at its stamp: it stands where that began, {} before.",
        format_duration(Nanos(intervals()[rows_.front().run]))));
  }
  for (const Header& h : headers_) {
    if (&h == &whole || h.names == whole.names) continue;
    const auto odd = std::ranges::find_if(h.names, [&](const std::string& n) { return !whole.find(n); });
    builder_.note(fmt::format(
        "The header at line {} differs from that at line {}{}: its rows are read where the columns "
        "of time and power are certain.",
        h.line, whole.line, odd == h.names.end() ? "" : fmt::format(" (first in '{}')", printable(*odd, 40))));
  }
  if (clock) {
    u.clock = stamps_.describe();
    builder_.clock(stamps_.wall(), true);
    if (options_.period) builder_.note("--period is not used: the log has a clock of its own.");
  } else {
    explain_rows();
  }
  if (torn_) builder_.note("The last line was cut while it was written and is left out.");
}

Result<Trace> Turbostat::read() {
  const ColumnOptions usable{.power = true};
  if (auto fit = check_column_options(options_, usable, kName, input_); !fit) return std::unexpected(fit.error());
  if (!options_.power_unit.empty()) {
    return fail(ErrorKind::usage, "--unit", "turbostat's columns have fixed units", "Leave --unit out.");
  }
  std::string_view line;
  while (input_.next_line(line)) read_line(line);
  if (auto fit = check_headers(); !fit) return std::unexpected(fit.error());
  if (rows_.empty() && rows_of_parts_ > 0) {
    return fail(
        ErrorKind::bad_input, place(first_part_),
        fmt::format("it holds {} of packages, cores and CPUs, and no row of the whole machine, which has '-' in "
                    "their columns",
                    counted(rows_of_parts_, "row")),
        "Keep that row when the output is filtered, or record it with --Summary.");
  }
  const bool clock = std::ranges::any_of(headers_, [](const Header& h) { return h.time.has_value(); });
  const Header& whole = whole_header(clock);
  const std::string& column = whole.names[whole.power.value_or(0)];
  if (auto added = add_rows(clock, column); !added) return std::unexpected(added.error());
  builder_.understanding().power = fmt::format("column '{}' [W]", printable(column, 40));
  explain(clock);
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  if (head.starts_with(kVersion)) return Match::sure;
  std::vector<std::string_view> cells;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    split(line, line.find('\t') != std::string_view::npos, cells);
    if (cells.size() > 1 && is_header(cells)) return Match::sure;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return Turbostat(input, options).read(); }

}  // namespace

extern const Reader kTurbostat;
const Reader kTurbostat{
    .name = kName,
    .summary = "text of turbostat: package power of the whole machine (PkgWatt)",
    .looks_for = "turbostat's version line, or a header with two of its columns (Avg_MHz, Bzy_MHz, PkgWatt, ...)",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
