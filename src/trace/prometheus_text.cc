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

constexpr std::size_t decimals_in(std::string_view number) {
  const std::size_t point = number.find('.');
  return point == std::string_view::npos ? 0 : number.size() - point - 1;
}

/// What a metric's values always look like, as the start of the file has them: so many decimals, some of them zeros at
/// the end, which no program prints that drops zeros. 0 where that is not so.
std::size_t fixed_decimals(std::string_view head, std::string_view name) {
  constexpr std::size_t kLeast = 4;
  constexpr std::size_t kShare = 20;
  std::size_t most = 0;
  std::size_t with_most = 0;
  std::size_t all = 0;
  bool padded = false;
  for (std::size_t end = head.find('\n'); end != std::string_view::npos; end = head.find('\n')) {
    const auto line = head.starts_with(name) ? parse_line(trim(head.substr(0, end))) : std::nullopt;
    head.remove_prefix(end + 1);
    if (!line || line->name != name || line->value.find_first_not_of("0123456789.") != std::string_view::npos) continue;
    ++all;
    const std::size_t decimals = decimals_in(line->value);
    if (decimals > most) {
      most = decimals;
      with_most = 0;
      padded = false;
    }
    if (decimals == most) ++with_most;
    padded = padded || (decimals == most && line->value.ends_with('0'));
  }
  return padded && all >= kLeast && all - with_most <= std::max<std::size_t>(1, all / kShare) ? most : 0;
}

class Text {
 public:
  Text(Input& input, const ReadOptions& options, PrometheusCollector collector)
      : input_(input), options_(options), collector_(std::move(collector)) {}
  Result<Trace> read();

 private:
  void comment(std::string_view line);
  [[nodiscard]] bool hides_power(std::string_view line, std::string_view name) const;
  void sample(std::string_view line);
  void number_scrapes();
  Result<Trace> nothing_found() const;

  struct Seen {
    std::size_t number = 0;
    std::optional<std::size_t> series;
    bool stamped = false;
  };
  [[nodiscard]] std::string cut(const Line& line, const Seen& seen);
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
  std::vector<std::string> power_names_;                   ///< as far as they have been read
  std::unordered_map<std::string, std::size_t> decimals_;  ///< fixed_decimals() of each metric
  int stamp_unit_ = 0;                                     ///< of the stamps: 1 seconds, 2 milliseconds, 0 none yet
  std::vector<std::string> likely_;                        ///< names that may be the power metric that was meant
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
  if (hides_power(line, {})) collector_.builder().damaged(input_.place(), "a comment that was cut runs into a power");
  if (!line.starts_with("# TYPE ") && !line.starts_with("# HELP ")) return;
  const auto [at, fresh] = comments_.try_emplace(std::string(line), scrape_);
  if (fresh || at->second != scrape_) {
    at->second = scrape_;
    return;
  }
  at->second = ++scrape_;
  sequence_.new_poll();
}

/// Why the line was cut; empty where nothing shows it.
std::string Text::cut(const Line& line, const Seen& seen) {
  if (line.stamp.empty()) {
    if (seen.stamped) return "the line is cut: it has no timestamp, and others of its series have";
    const auto [at, fresh] = decimals_.try_emplace(std::string(line.name), 0);
    if (fresh) at->second = fixed_decimals(input_.head(), line.name);
    const bool plain = line.value.find_first_not_of("0123456789.") == std::string_view::npos && line.value != "0";
    if (plain && decimals_in(line.value) < at->second) {
      return fmt::format("the line is cut: '{}' has fewer than the {} of all others", printable(line.value, 40),
                         counted(static_cast<std::int64_t>(at->second), "decimal"));
    }
    return {};
  }
  const auto ns = parse_stamp(line.stamp);
  if (!ns) return {};
  constexpr std::int64_t kOldest = 631'152'000'000'000'000;  // 1990
  const int unit = line.stamp.find('.') != std::string_view::npos || line.stamp.size() < 12 ? 1 : 2;
  if (stamp_unit_ == 0 && *ns >= kOldest) stamp_unit_ = unit;
  if (stamp_unit_ != 0 && (*ns < kOldest || unit != stamp_unit_)) {
    return fmt::format("the line is cut: the timestamp '{}' has fewer digits than others", printable(line.stamp, 40));
  }
  return {};
}

/// Whether the line may be a power metric's that was cut within its name, or holds one behind a line that was cut.
bool Text::hides_power(std::string_view line, std::string_view name) const {
  return std::ranges::any_of(power_names_, [&](const std::string& power) {
    const std::size_t at = line.find(power + "{");
    return (at != std::string_view::npos && at > 0) ||
           (!name.empty() && name.size() < power.size() && power.starts_with(name));
  });
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
    if ((wanted != nullptr && is_power(wanted->role)) || hides_power(line, name)) {
      builder.damaged(input_.place(), "the labels or the value cannot be read");
    } else {
      ++builder.understanding().other_lines;
    }
    return;
  }
  Seen& series_seen = seen(parsed->series);
  const std::int64_t row = sequence_.row(series_seen.number);
  if (wanted == nullptr) {
    const bool readable = parse_prometheus_value(parsed->value).has_value();
    if (hides_power(line, readable ? std::string_view() : name)) {
      return builder.damaged(input_.place(), "the line was cut, or runs into the next");
    }
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
  if (std::string why = cut(*parsed, series_seen); !why.empty()) {
    if (is_power(wanted->role)) builder.damaged(input_.place(), std::move(why));
    return;
  }
  if (is_power(wanted->role) && std::ranges::find(power_names_, name) == power_names_.end()) {
    power_names_.emplace_back(name);
  }
  series_seen.stamped = series_seen.stamped || !parsed->stamp.empty();
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
  const Nanos period = options_.period.value_or(Nanos(0));  // stated, or several scrapes would have been refused
  u.clock = fmt::format("none: {} a scrape (--period)", format_duration(period));
  return collector_.finish(input_, options_, period.count());
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
