// Prometheus' HTTP API: what /api/v1/query (a vector) and /api/v1/query_range (a matrix) answer; also the bare
// array that promtool prints. Source: Prometheus documentation, "HTTP API", expression query result formats.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "trace/draw_words.h"
#include "trace/json_cells.h"
#include "trace/prometheus_metrics.h"
#include "trace/reader.h"
#include "trace/table_layout.h"

namespace wattrein::trace {

namespace {

using net::Json;

constexpr std::string_view kName = "prometheus-json";
/// The server gives at most 11,000 points a series; a hundred series of those are 40 MB.
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

std::string metric_name(const Json& item) {
  const Json* metric = item.find("metric");
  return metric == nullptr ? std::string() : json_text(metric->find("__name__"));
}

PrometheusLabels labels_of(const Json& item) {
  PrometheusLabels labels;
  const Json* metric = item.find("metric");
  const Json::Object* members = metric == nullptr ? nullptr : metric->object();
  if (members == nullptr) return labels;
  for (const auto& [key, value] : *members) {
    if (const std::string* text = value.string()) labels.emplace_back(key, *text);
  }
  return labels;
}

/// Stamps are seconds as a number, exact to a millisecond.
std::optional<std::int64_t> stamp_of(const Json& value) {
  double s = 0;
  if (const auto* d = std::get_if<double>(&value.value())) {
    s = *d;
  } else if (const auto* i = std::get_if<std::int64_t>(&value.value())) {
    s = static_cast<double>(*i);
  } else {
    return std::nullopt;
  }
  const double ms = std::round(s * 1e3);
  if (!(std::abs(ms) < 9.2e12)) return std::nullopt;
  return static_cast<std::int64_t>(ms) * 1'000'000;
}

/// The API writes values as strings; numbers are taken too.
std::optional<double> value_of(const Json& value) {
  if (const std::string* text = value.string()) return parse_prometheus_value(*text);
  if (const auto* d = std::get_if<double>(&value.value())) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&value.value())) return static_cast<double>(*i);
  return std::nullopt;
}

Result<const Json::Array*> result_of(const Json& root, const Input& input) {
  if (root.array() != nullptr) return root.array();
  if (json_text(root.find("status")) == "error") {
    return fail(ErrorKind::bad_input, input.name(),
                fmt::format("the server answered with an error: {}", printable(json_text(root.find("error")), 200)),
                "Mend the query and save its answer again.");
  }
  const Json* data = root.find("data");
  if (data == nullptr) data = &root;
  const std::string type = json_text(data->find("resultType"));
  if (type == "scalar" || type == "string") {
    return fail(ErrorKind::bad_input, input.name(),
                fmt::format("the answer is a {}: one value that names no device", type),
                "Query the metric itself, as in DCGM_FI_DEV_POWER_USAGE.");
  }
  const Json* result = data->find("result");
  if (result == nullptr || result->array() == nullptr) {
    return fail(ErrorKind::bad_input, input.name(), "there is no \"result\" array in it",
                "Save the whole answer of /api/v1/query or /api/v1/query_range.");
  }
  return result->array();
}

/// Which metric is power: --power, or the known ones (nothing), or the only one there.
Result<std::optional<std::string>> choose(const std::set<std::string>& names, const ReadOptions& options,
                                          const Input& input) {
  std::string list;
  for (const std::string& n : names) {
    if (list.size() > 300) break;
    list += (list.empty() ? "" : ", ") + (n.empty() ? "one without a name" : printable(n));
  }
  if (!options.power_column.empty()) {
    if (names.contains(options.power_column)) return options.power_column;
    return fail(ErrorKind::usage, input.name(), fmt::format("there is no metric '{}'", printable(options.power_column)),
                fmt::format("The answer holds {}.", list));
  }
  const bool known = std::ranges::any_of(names, [](const std::string& n) {
    const MetricSpec* spec = known_metric(n);
    return spec != nullptr && is_power(spec->role);
  });
  if (known) return std::nullopt;
  if (names.size() == 1 && (names.begin()->empty() || sounds_like_power(*names.begin()))) return *names.begin();
  const auto counter = std::ranges::find_if(names, [](const std::string& n) {
    const MetricSpec* spec = known_metric(n);
    const std::string low = lower(n);
    return (spec != nullptr && spec->role == MetricRole::energy) || low.find("joule") != std::string::npos ||
           low.find("energy") != std::string::npos;
  });
  std::vector<ColumnName> parsed;
  for (const std::string& n : names) parsed.push_back(parse_column_name(n));
  return fail(ErrorKind::bad_input, input.name(),
              fmt::format("no power draw is known among its metrics: {}{}", list, passed_over(parsed)),
              counter == names.end() ? "Name the one that is power with --power METRIC."
                                     : fmt::format("'{0}' counts energy: query its rate, rate({0}[1m]), which is "
                                                   "watts where it counts joules; or name the one that is power with "
                                                   "--power METRIC.",
                                                   printable(*counter)));
}

class Answer {
 public:
  Answer(Input& input, PrometheusCollector collector) : input_(input), collector_(std::move(collector)) {}

  void read(const Json& item, std::size_t number);
  [[nodiscard]] bool range() const { return range_; }
  [[nodiscard]] PrometheusCollector& collector() { return collector_; }

 private:
  void point(const Json& pair, std::size_t series, std::size_t number);

  Input& input_;
  PrometheusCollector collector_;
  bool range_ = false;
  std::int64_t points_ = 0;
};

void Answer::point(const Json& pair, std::size_t series, std::size_t number) {
  const Json::Array* both = pair.array();
  const bool whole = both != nullptr && both->size() == 2;
  const auto stamp = whole ? stamp_of((*both)[0]) : std::nullopt;
  const auto value = whole ? value_of((*both)[1]) : std::nullopt;
  if (stamp && value) return collector_.add(series, *stamp, true, *value, ++points_);
  if (!is_power(collector_.role(series))) return;
  collector_.builder().damaged(fmt::format("{}: series {}", input_.name(), number),
                               stamp ? "a value is no number" : "a point is no pair of time and value");
}

void Answer::read(const Json& item, std::size_t number) {
  const std::string name = metric_name(item);
  const Json* value = item.find("value");
  const Json* values_member = item.find("values");
  const Json::Array* values = values_member == nullptr ? nullptr : values_member->array();
  if (collector_.wanted(name) == nullptr) return;
  if (value == nullptr && values == nullptr) {  // a native histogram, or no series at all
    ++collector_.builder().understanding().other_lines;
    return;
  }
  const std::size_t series = collector_.series(name, labels_of(item));
  if (value != nullptr) point(*value, series, number);
  if (values == nullptr) return;
  range_ = true;
  for (const Json& pair : *values) point(pair, series, number);
}

Match recognise(std::string_view head) {
  const std::string_view text = trim(head);
  const auto has = [text](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (text.starts_with('{') && has("\"resultType\"")) return Match::sure;
  if (text.starts_with('{') && has("\"status\"") && has("\"errorType\"")) return Match::sure;
  if (text.starts_with('[') && has("\"metric\"") && has("\"value")) return Match::sure;
  return Match::no;
}

/// The answers of a file: one, or those that a loop of queries appended, with what it wrote between them.
struct Answers {
  std::vector<Json> roots;
  std::vector<const Json*> items;  ///< their series
  std::size_t empty = 0;           ///< answers without any
  std::size_t errors = 0;          ///< answers that are errors, with the first one's text
  std::string error{};
  std::int64_t other_lines = 0;
  std::vector<Damage> damaged;  ///< cut or unreadable, with others behind them
  bool cut = false;             ///< the last one is
};

/// Whether a document starts here, which no line within another looks like.
bool starts_answer(std::string_view text) {
  if (text.starts_with("[{\"metric\"")) return true;
  if (!text.starts_with('{')) return false;
  return text.substr(std::min(text.find_first_not_of(" \t\r\n", 1), text.size())).starts_with("\"status\"");
}

struct Extent {
  std::size_t size = 0;
  bool whole = false;
};

/// The document at the start of `text`: to its last bracket, or to where it is cut by another's start.
Extent extent_of(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n' && depth > 0 && starts_answer(text.substr(i + 1))) return {i + 1, false};
    if (quoted) {
      if (c == '\\' && i + 1 < text.size() && text[i + 1] != '\n') ++i;
      if (c == '"' || c == '\n') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return {i + 1, true};
    }
  }
  return {text.size(), false};
}

/// What a loop wrote, one thing after the other. Errors: nothing in it is an answer.
class AnswerReader {
 public:
  explicit AnswerReader(const Input& input) : input_(input) {}

  Result<Answers> read(std::string_view text) {
    while (true) {
      pass(text, std::min(text.find_first_not_of(" \t\r\n"), text.size()));
      if (text.empty()) break;
      if (text[0] != '{' && text[0] != '[') {
        ++found_.other_lines;
        pass(text, std::min(text.find('\n'), text.size()));
        continue;
      }
      const Extent extent = extent_of(text);
      take(text.substr(0, extent.size), extent.whole, extent.size == text.size());
      pass(text, extent.size);
    }
    if (found_.roots.empty() && failure_) return std::unexpected(*failure_);
    if (found_.roots.empty()) {
      return fail(ErrorKind::bad_input, input_.name(), "there is no answer of Prometheus in it",
                  "Save the whole answer of /api/v1/query or /api/v1/query_range.");
    }
    for (const Json& root : found_.roots) {
      const auto result = result_of(root, input_);
      if (!result) return std::unexpected(result.error());
      if ((*result)->empty()) ++found_.empty;
      for (const Json& item : **result) found_.items.push_back(&item);
    }
    return std::move(found_);
  }

 private:
  void pass(std::string_view& text, std::size_t size) {
    line_ += std::ranges::count(text.substr(0, size), '\n');
    text.remove_prefix(size);
  }

  void take(std::string_view document, bool whole, bool last) {
    if (!whole && last && !found_.roots.empty()) {
      found_.cut = true;
      return;
    }
    auto root = net::parse_json(document, input_.name());
    if (!root) {
      if (!failure_) failure_ = root.error();
      found_.damaged.push_back({fmt::format("{}:{}", input_.name(), line_),
                                whole ? "the answer is no JSON: " + root.error().what : "the answer was cut"});
      return;
    }
    if (root->array() == nullptr && json_text(root->find("status")) == "error") {
      if (const auto refused = result_of(*root, input_); !refused && !failure_) failure_ = refused.error();
      if (found_.errors++ == 0) found_.error = json_text(root->find("error"));
      return;
    }
    found_.roots.push_back(std::move(*root));
  }

  const Input& input_;
  Answers found_;
  std::optional<Error> failure_;
  std::int64_t line_ = 1;
};

void explain(const Answers& answers, bool range, Builder& builder) {
  builder.understanding().clock = range ? "unix epoch in s" : "unix epoch in s: the time of the query";
  if (range) {
    builder.note(
        "A range query repeats the last scrape at every step, for up to 5 min: a step below the scrape "
        "interval adds points, not information.");
  }
  if (answers.roots.size() > 1) {
    builder.note(fmt::format("The file holds {} answers, which were read one behind the other{}.", answers.roots.size(),
                             answers.empty == 0 ? "" : fmt::format("; {} of them matched no series", answers.empty)));
    if (!range) {
      builder.note(
          "A query repeats the last scrape: queries that follow each other faster than scrapes add points, not "
          "information.");
    }
  }
  if (answers.errors > 0) {
    builder.note(fmt::format("{} no power but an error, the first '{}': nothing is known of that time.",
                             answers.errors == 1 ? "One answer holds" : fmt::format("{} answers hold", answers.errors),
                             printable(answers.error, 100)));
  }
  builder.understanding().other_lines += answers.other_lines;
  for (const Damage& damage : answers.damaged) builder.damaged(damage.where, damage.reason);
  if (answers.cut) builder.note("The last answer was cut while it was written and is left out.");
  for (const Json& root : answers.roots) {
    const Json* warnings_member = root.find("warnings");
    const Json::Array* warnings = warnings_member == nullptr ? nullptr : warnings_member->array();
    if (warnings == nullptr) continue;
    for (const Json& w : *warnings) {
      if (!json_text(&w).empty()) builder.note(fmt::format("The server warns: {}.", printable(json_text(&w), 200)));
    }
    break;  // a loop's answers repeat it
  }
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto text = input.read_all(kMaxBytes);
  if (!text) return std::unexpected(text.error());
  if (input.error() != nullptr) return std::unexpected(*input.error());  // half a document is none
  const auto answers = AnswerReader(input).read(*text);
  if (!answers) return std::unexpected(answers.error());
  if (answers->items.empty()) {
    return fail(ErrorKind::bad_input, input.name(), "the query matched no series",
                "Check the metric's name, the labels and the time of the query.");
  }
  std::set<std::string> names;
  for (const Json* item : answers->items) names.insert(metric_name(*item));
  auto named = choose(names, options, input);
  if (!named) return std::unexpected(named.error());
  auto collector = PrometheusCollector::make(input, options, kName, std::move(*named));
  if (!collector) return std::unexpected(collector.error());

  Answer answer(input, std::move(*collector));
  for (std::size_t i = 0; i < answers->items.size(); ++i) answer.read(*answers->items[i], i + 1);
  explain(*answers, answer.range(), answer.collector().builder());
  return answer.collector().finish(input, options, 0);
}

}  // namespace

extern const Reader kPrometheusJson;
const Reader kPrometheusJson{
    .name = kName,
    .summary = "the answer of Prometheus' HTTP API to query or query_range",
    .looks_for = "a JSON object with \"resultType\"",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
