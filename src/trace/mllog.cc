// MLPerf logging: lines ":::MLLOG {json}", of which the key power_reading is a node's power in watts.
// Source: MLCommons, "MLPerf Training power measurement" and mllog's line format.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/json_cells.h"
#include "trace/mllog_nodes.h"
#include "trace/option_fit.h"
#include "trace/reader.h"

namespace wattrein::trace {

namespace {

using net::Json;

constexpr std::string_view kName = "mllog";
constexpr std::string_view kMark = ":::MLLOG";
constexpr std::string_view kKey = "power_reading";

/// How much of a mark stands at the end of `text`: a line that was cut within it.
std::size_t cut_mark(std::string_view text) {
  for (std::size_t n = kMark.size() - 1; n >= 3; --n) {
    if (text.ends_with(kMark.substr(0, n))) return n;
  }
  return text == ":" || text == "::" ? text.size() : 0;
}

/// A line of another key, as all of them look: nothing of it is missing.
bool looks_whole(std::string_view line, std::size_t mark) {
  return line.find(kMark, mark + 1) == std::string_view::npos && trim(line).ends_with('}') &&
         line.find("\"key\"", mark) != std::string_view::npos &&
         std::ranges::count(line.substr(mark), '{') == std::ranges::count(line.substr(mark), '}');
}

/// Milliseconds since 1970, to nanoseconds.
std::optional<std::int64_t> stamp_of(const Json* value) {
  if (value == nullptr) return std::nullopt;
  std::int64_t ns = 0;
  if (const auto* ms = std::get_if<std::int64_t>(&value->value())) {
    if (*ms < 0 || __builtin_mul_overflow(*ms, std::int64_t{1'000'000}, &ns)) return std::nullopt;
    return ns;
  }
  const auto ms = json_number(value);
  if (!ms || !(*ms >= 0 && *ms < 9e12)) return std::nullopt;
  return std::llround(*ms * 1e3) * 1000;
}

class MlLog {
 public:
  MlLog(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {}

  Result<Trace> read();

 private:
  void read_line(std::string_view line);
  void cut_line();
  void read_reading(const Json& entry, std::string_view before);

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  NodeReadings nodes_;
  std::int64_t lines_ = 0;     ///< with the mark
  std::int64_t readings_ = 0;  ///< with the key, readable or not
  std::int64_t cut_ = 0;       ///< before the key
  bool torn_ = false;
};

void MlLog::read_reading(const Json& entry, std::string_view before) {
  ++readings_;
  const auto stamp = stamp_of(entry.find("time_ms"));
  if (!stamp) return builder_.damaged(input_.place(), "'time_ms' is no time");
  const Json* value = entry.find("value");
  double power_w = std::numeric_limits<double>::quiet_NaN();
  if (value == nullptr || !json_not_available(*value)) {
    const auto number = json_number(value);
    if (!number) return builder_.damaged(input_.place(), "'value' is no power");
    power_w = *number;
  }
  nodes_.add(entry, before, *stamp, power_w, input_.line_number());
}

/// It cannot be told what the line would have held.
void MlLog::cut_line() {
  ++cut_;
  builder_.damaged(input_.place(), fmt::format("behind {}: the line was cut before its key, or within it", kMark));
}

void MlLog::read_line(std::string_view line) {
  const std::size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) {
    if (cut_mark(trim(line)) > 0 && !input_.last_line_torn()) return cut_line();
    const bool heading = nodes_.heading(line);
    if (!heading && !trim(line).empty()) ++builder_.understanding().other_lines;
    return;
  }
  ++lines_;
  std::string_view before = line.substr(0, mark);
  if (const std::size_t cut = cut_mark(before); cut > 0) {
    cut_line();
    before.remove_suffix(cut);
  }
  const bool has_key = line.find(kKey, mark) != std::string_view::npos;
  if (!has_key && input_.last_line_torn()) {
    torn_ = torn_ || !trim(line).ends_with('}');
    return;
  }
  if (!has_key && looks_whole(line, mark)) return;
  const std::size_t begin = line.find('{', mark);
  const std::size_t end = line.rfind('}');
  const bool whole = begin != std::string_view::npos && end != std::string_view::npos && begin < end;
  const auto entry = whole ? net::parse_json(line.substr(begin, end - begin + 1), input_.place())
                           : Result<Json>(fail(ErrorKind::bad_input, input_.place(), "there is no JSON object"));
  if (entry) {
    if (has_key && line.find(kMark, mark + 1) != std::string_view::npos) cut_line();
    if (json_text(entry->find("key")) == kKey) read_reading(*entry, before);
  } else if (input_.last_line_torn()) {
    torn_ = true;
  } else if (!has_key) {
    cut_line();
  } else {
    ++readings_;
    builder_.damaged(input_.place(), fmt::format("behind {}: {}", kMark, entry.error().what));
  }
}

Result<Trace> MlLog::read() {
  if (auto fit = check_column_options(options_, {}, kName, input_); !fit) return std::unexpected(fit.error());
  std::string_view line;
  while (input_.next_line(line)) read_line(line);
  if (readings_ == 0 && input_.error() == nullptr) {
    return fail(ErrorKind::bad_input, input_.name(),
                lines_ == 0 ? fmt::format("no line holds {}", kMark)
                            : fmt::format("its {} {} no {}", counted(lines_, fmt::format("{} line", kMark)),
                                          lines_ == 1 ? "holds" : "hold", kKey),
                "Power stands in files of its own: in a result's folder power/, node_0.txt and so on.");
  }
  Understanding& u = builder_.understanding();
  u.power = "key 'power_reading' [W]";
  u.clock = "unix epoch in ms";
  if (auto given = nodes_.give(builder_, input_); !given) return std::unexpected(given.error());
  if (cut_ > 0) {
    builder_.note(fmt::format("{} {} cut before the key: each may have been a power reading, and counts as damaged.",
                              counted(cut_, fmt::format("{} line", kMark)), cut_ == 1 ? "was" : "were"));
  }
  if (options_.period) builder_.note("--period is not used: the log has a clock of its own.");
  if (torn_) builder_.note("The last line was cut while it was written and is left out.");
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  const std::size_t mark = head.find(kMark);
  if (mark == std::string_view::npos) return Match::no;
  return trim(head.substr(mark + kMark.size(), 8)).starts_with('{') ? Match::sure : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return MlLog(input, options).read(); }

}  // namespace

extern const Reader kMlLog;
const Reader kMlLog{
    .name = kName,
    .summary = "MLPerf logging with the key power_reading, a node a file or lines that name theirs",
    .looks_for = "lines with :::MLLOG and a JSON object",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
