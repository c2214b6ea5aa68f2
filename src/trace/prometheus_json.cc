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

/// The answers of a file: one, or those that a loop of queries appended. A last one that was cut is left out.
struct Answers {
  std::vector<Json> roots;
  std::vector<const Json*> items;  ///< their series
  std::size_t empty = 0;           ///< answers without any
  bool cut = false;
};

/// Where the document at the start of `text` ends, by its brackets; npos where it does not.
std::size_t end_of_document(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

Result<Answers> answers_of(std::string_view text, const Input& input) {
  Answers answers;
  for (text = trim(text); !text.empty(); text = trim(text)) {
    const std::size_t end = end_of_document(text);
    if (end == std::string_view::npos && !answers.roots.empty() && (text[0] == '{' || text[0] == '[')) {
      answers.cut = true;
      break;
    }
    auto root = net::parse_json(text.substr(0, end), input.name());
    if (!root && answers.roots.empty()) return std::unexpected(root.error());
    if (!root) {
      return fail(ErrorKind::bad_input, input.name(),
                  fmt::format("what stands behind answer {} is no answer of Prometheus: {}", answers.roots.size(),
                              root.error().what),
                  "Keep nothing but the answers in the file, one behind the other.");
    }
    answers.roots.push_back(std::move(*root));
    text.remove_prefix(std::min(end, text.size()));
  }
  for (const Json& root : answers.roots) {
    const auto result = result_of(root, input);
    if (!result) return std::unexpected(result.error());
    if ((*result)->empty()) ++answers.empty;
    for (const Json& item : **result) answers.items.push_back(&item);
  }
  return answers;
}

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
  const auto answers = answers_of(*text, input);
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
