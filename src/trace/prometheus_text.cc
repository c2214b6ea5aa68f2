// Prometheus exposition text: one scrape of an exporter, or several appended to one file. Grammar: Prometheus
// "Exposition formats", text format 0.0.4; from OpenMetrics the exemplars and the timestamps in seconds.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_map>

#include "base/text.h"
#include "trace/poll_sequence.h"
#include "trace/prometheus_metrics.h"
#include "trace/reader.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "prometheus-text";

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':'; }
constexpr bool is_name_char(char c) { return is_letter(c) || (c >= '0' && c <= '9'); }

std::string_view take_name(std::string_view& text) {
  std::size_t n = 0;
  if (!text.empty() && is_letter(text[0])) {
    while (n < text.size() && is_name_char(text[n])) ++n;
  }
  const std::string_view name = text.substr(0, n);
  text.remove_prefix(n);
  return name;
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

/// The value behind an opening quote, with \\, \" and \n resolved; takes the closing quote. False without one.
bool take_quoted(std::string_view& text, std::string& value) {
  value.clear();
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c == '"') return true;
    if (c == '\\' && !text.empty()) {
      value += text[0] == 'n' ? '\n' : text[0];
      text.remove_prefix(1);
    } else {
      value += c;
    }
  }
  return false;
}

/// The labels behind an opening brace; takes the closing one.
bool take_labels(std::string_view& text, PrometheusLabels& labels) {
  while (true) {
    skip_blanks(text);
    if (text.empty()) return false;
    if (text[0] == '}') {
      text.remove_prefix(1);
      return true;
    }
    std::string key(take_name(text));
    skip_blanks(text);
    if (key.empty() || text.empty() || text[0] != '=') return false;
    text.remove_prefix(1);
    skip_blanks(text);
    if (text.empty() || text[0] != '"') return false;
    text.remove_prefix(1);
    std::string value;
    if (!take_quoted(text, value)) return false;
    labels.emplace_back(std::move(key), std::move(value));
    skip_blanks(text);
    if (!text.empty() && text[0] == ',') text.remove_prefix(1);
  }
}

struct Line {
  std::string_view series;  ///< name and labels as written: what makes a series the same again
  std::string_view name;
  PrometheusLabels labels;
  std::string_view value;
  std::string_view stamp;  ///< empty without one
};

/// Nothing when the line is no sample.
std::optional<Line> parse_line(std::string_view text) {
  Line line;
  const std::string_view start = text;
  line.name = take_name(text);
  if (line.name.empty()) return std::nullopt;
  skip_blanks(text);
  if (text.starts_with('{')) {
    text.remove_prefix(1);
    if (!take_labels(text, line.labels)) return std::nullopt;
  }
  line.series = trim(start.substr(0, start.size() - text.size()));
  text = trim(text.substr(0, text.find(" # ")));  // an OpenMetrics exemplar
  const std::size_t end = text.find_first_of(" \t");
  line.value = text.substr(0, end);
  if (end != std::string_view::npos) line.stamp = trim(text.substr(end));
  if (line.value.empty()) return std::nullopt;
  return line;
}

/// Milliseconds since 1970; seconds in OpenMetrics, told apart by a fraction or by lying before 1973.
std::optional<std::int64_t> parse_stamp(std::string_view text) {
  const auto number = parse_double(text);
  if (!number) return std::nullopt;
  const bool seconds = text.find('.') != std::string_view::npos || std::abs(*number) < 1e11;
  const double ms = std::round(seconds ? *number * 1e3 : *number);
  if (std::abs(ms) > 9.2e12) return std::nullopt;
  return static_cast<std::int64_t>(ms) * 1'000'000;
}

class Text {
 public:
  Text(Input& input, const ReadOptions& options, PrometheusCollector collector)
      : input_(input), options_(options), collector_(std::move(collector)) {}
  Result<Trace> read();

 private:
  void comment(std::string_view line);
  void sample(std::string_view line);
  void number_scrapes();
  Result<Trace> nothing_found() const;

  struct Seen {
    std::size_t number = 0;
    std::optional<std::size_t> series;
  };
  Seen& seen(std::string_view key);

  Input& input_;
  const ReadOptions& options_;
  PrometheusCollector collector_;
  std::unordered_map<std::string, Seen> seen_;
  std::string key_;
  std::vector<std::string> keys_;  ///< series in the order of their numbers
  PollSequence sequence_;
  std::unordered_map<std::string, std::int64_t> comments_;  ///< the scrape in which each came last
  std::int64_t scrape_ = 0;                                 ///< by the comments alone
  bool several_ = false;
  std::vector<std::string> likely_;  ///< names that may be the power metric that was meant
};

Text::Seen& Text::seen(std::string_view key) {
  key_.assign(key);
  const auto [at, fresh] = seen_.try_emplace(key_);
  if (fresh) {
    at->second.number = keys_.size();
    keys_.push_back(key_);
  }
  return at->second;
}

/// A metric's HELP and TYPE come once a scrape.
void Text::comment(std::string_view line) {
  if (!line.starts_with("# TYPE ") && !line.starts_with("# HELP ")) return;
  const auto [at, fresh] = comments_.try_emplace(std::string(line), scrape_);
  if (fresh || at->second != scrape_) {
    at->second = scrape_;
    return;
  }
  at->second = ++scrape_;
  sequence_.new_poll();
}

void Text::sample(std::string_view line) {
  Builder& builder = collector_.builder();
  std::string_view rest = line;
  const std::string_view name = take_name(rest);
  const MetricSpec* wanted = collector_.wanted(name);
  // A value at the very end of a line without an end may have lost digits.
  if (input_.last_line_torn()) {
    if (wanted != nullptr) builder.note("The last line was cut while it was written and is left out.");
    return;
  }
  const auto parsed = parse_line(line);
  if (!parsed) {
    if (wanted != nullptr && is_power(wanted->role)) {
      builder.damaged(input_.place(), "the labels or the value cannot be read");
    } else {
      ++builder.understanding().other_lines;
    }
    return;
  }
  Seen& series_seen = seen(parsed->series);
  const std::int64_t row = sequence_.row(series_seen.number);
  if (wanted == nullptr) {
    const bool more = sounds_like_power(name) && likely_.size() < 5;
    if (more && std::ranges::find(likely_, name) == likely_.end()) likely_.emplace_back(name);
    return;
  }
  const auto value = parse_prometheus_value(parsed->value);
  const auto stamp = parsed->stamp.empty() ? std::optional(row) : parse_stamp(parsed->stamp);
  if (!value || !stamp) {
    if (!is_power(wanted->role)) return;
    const bool bad_value = !value;
    const std::string_view shown = bad_value ? parsed->value : parsed->stamp;
    return builder.damaged(input_.place(),
                           fmt::format("'{}' is no {}", printable(shown, 40), bad_value ? "power" : "timestamp"));
  }
  std::optional<std::size_t>& series = series_seen.series;
  if (!series) series = collector_.series(name, parsed->labels);
  collector_.add(*series, *stamp, !parsed->stamp.empty(), *value, input_.line_number());
}

/// Comments stand at the start of a scrape; without any the series themselves tell.
void Text::number_scrapes() {
  const PollSequence::Polls polls = sequence_.polls(keys_);
  several_ = !polls.of_row.empty() && polls.of_row.back() > 0;
  collector_.number_scrapes(polls.of_row);
  const std::int64_t scrapes = polls.of_row.empty() ? 0 : polls.of_row.back() + 1;
  // A label that changes within a scrape makes series that miss some, and no device need miss any.
  if (polls.certain || collector_.most_unstamped() <= 1 || collector_.all_in_each(scrapes)) return;
  warn_of_uncertain_polls(collector_.builder());
}

Result<Trace> Text::nothing_found() const {
  std::string names;
  for (const std::string& n : likely_) names += (names.empty() ? "" : ", ") + printable(n);
  if (!options_.power_column.empty()) {
    return fail(ErrorKind::usage, input_.name(),
                fmt::format("there is no metric '{}'", printable(options_.power_column)),
                names.empty() ? "No metric in it has power or watts in its name."
                              : fmt::format("These may be meant: {}.", names));
  }
  return fail(ErrorKind::bad_input, input_.name(), "none of its metrics is known to be a power draw",
              names.empty() ? "Export DCGM_FI_DEV_POWER_USAGE (field 155), or name another metric with --power."
                            : fmt::format("Name one with --power METRIC; these may be meant: {}.", names));
}

Result<Trace> Text::read() {
  std::string_view line;
  while (input_.next_line(line)) {
    line = trim(line);
    if (line.starts_with('#')) {
      comment(line);
    } else if (!line.empty()) {
      sample(line);
    }
  }
  Builder& builder = collector_.builder();
  if (!collector_.any_power() && builder.understanding().damaged == 0) return nothing_found();
  number_scrapes();
  Understanding& u = builder.understanding();
  const std::int64_t scrapes = collector_.most_unstamped();
  if (scrapes > 1 && !options_.period) {
    return fail(ErrorKind::usage, input_.name(),
                fmt::format("it holds {} scrapes, and none says when it was made", scrapes),
                "Say how far apart they are, as in --period 15s.");
  }
  if (scrapes == 0) {
    u.clock = "unix epoch in ms";
    return collector_.finish(input_, options_, 0);
  }
  if (scrapes == 1) {
    u.clock = "none: a single scrape";
    if (several_) builder.note("Scrapes of different devices without a timestamp are taken as one moment.");
    return collector_.finish(input_, options_, 0);
  }
  u.clock = fmt::format("none: {} a scrape (--period)", format_duration(*options_.period));
  return collector_.finish(input_, options_, options_.period->count());
}

/// A known metric at the start of a line, or the format's own comments above a sample of that name.
Match recognise(std::string_view head) {
  bool typed = false;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    std::string_view line = trim(head.substr(0, end));
    if (line.starts_with("# TYPE ") || line.starts_with("# HELP ")) typed = true;
    if (!line.empty() && line[0] != '#') {
      const std::string_view name = take_name(line);
      const bool ends_well = line.starts_with('{') || line.starts_with(' ') || line.starts_with('\t');
      if (name.empty() || !ends_well) return Match::no;
      if (typed || line.starts_with('{') || known_metric(name) != nullptr) return Match::sure;
      return Match::no;
    }
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return typed ? Match::sure : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  std::optional<std::string> named;
  if (!options.power_column.empty()) named = options.power_column;
  auto collector = PrometheusCollector::make(input, options, kName, std::move(named));
  if (!collector) return std::unexpected(collector.error());
  return Text(input, options, std::move(*collector)).read();
}

}  // namespace

extern const Reader kPrometheusText;
const Reader kPrometheusText{
    .name = kName,
    .summary = "a scrape of dcgm-exporter, nvidia_gpu_exporter and the like, or several appended",
    .looks_for = "lines such as DCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 113.6, or # TYPE comments",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
