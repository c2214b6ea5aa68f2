// JSON lines: one object a line, its keys as columns; nested keys as "a.b".
#include <fmt/format.h>

#include <deque>
#include <unordered_map>

#include "base/text.h"
#include "net/json.h"
#include "trace/reader.h"
#include "trace/table.h"
#include "trace/table_vocabulary.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "jsonl";
constexpr std::size_t kMaxColumns = 1000;
constexpr std::size_t kSampleRows = 200;

/// Objects into rows of cells. The columns are the keys of the first objects, in order of appearance.
class Rows {
 public:
  /// Nothing when the line is no JSON object. The cells live until the next call.
  const std::vector<std::string_view>* parse(std::string_view line, bool learn) {
    contradicted_.clear();
    const auto json = net::parse_json(line, "line", &contradicted_);
    if (!json || json->object() == nullptr) return nullptr;
    learn_ = learn;
    used_ = 0;
    cells_.assign(names_.size(), std::string_view());
    prefix_.clear();
    flatten(*json);
    return &cells_;
  }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  /// Of the object parsed last: a key that stands there twice with different values; empty where there is none.
  [[nodiscard]] const std::string& contradicted() const { return contradicted_; }

 private:
  void flatten(const net::Json& value) {
    const std::size_t length = prefix_.size();
    if (const auto* object = value.object()) {
      for (const auto& [key, member] : *object) {
        if (length > 0) prefix_ += '.';
        prefix_ += key;
        flatten(member);
        prefix_.resize(length);
      }
      return;
    }
    if (const auto* array = value.array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        prefix_ += fmt::format(".{}", i);
        flatten((*array)[i]);
        prefix_.resize(length);
      }
      return;
    }
    auto at = columns_.find(prefix_);
    if (at == columns_.end()) {
      if (!learn_ || names_.size() == kMaxColumns) return;
      at = columns_.emplace(prefix_, names_.size()).first;
      names_.push_back(prefix_);
      cells_.emplace_back();
    }
    std::string_view& cell = cells_[at->second];
    if (cell.data() == nullptr) {
      cell = text_of(value);
    } else if (contradicted_.empty() && cell != text_of(value)) {  // "a.b" and "b" in "a"
      contradicted_ = prefix_;
    }
  }

  std::string_view text_of(const net::Json& value) {
    if (used_ == texts_.size()) texts_.emplace_back();
    std::string& text = texts_[used_++];
    text.clear();
    if (const auto* s = value.string()) {
      text = *s;
    } else if (const auto* i = std::get_if<std::int64_t>(&value.value())) {
      fmt::format_to(std::back_inserter(text), "{}", *i);
    } else if (const auto* d = std::get_if<double>(&value.value())) {
      // The shortest text that reads back the same: the decimal that stood in the file, up to 16 digits.
      text = plain_decimal(*d);
    } else if (const auto* b = std::get_if<bool>(&value.value())) {
      text = *b ? "true" : "false";
    } else {
      text = "null";
    }
    return trim(text);
  }

  /// Without an exponent for numbers of a stamp's size.
  static std::string plain_decimal(double d) {
    std::string text = fmt::format("{}", d);
    if (text.find('e') == std::string::npos) return text;
    return d > -1e19 && d < 1e19 && (d > 1e-9 || d < -1e-9) ? fmt::format("{:f}", d) : text;
  }

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> columns_;
  std::vector<std::string_view> cells_;
  std::deque<std::string> texts_;  // texts do not move when more are added
  std::size_t used_ = 0;
  std::string prefix_;
  bool learn_ = true;
  std::string contradicted_;
};

/// The keys and first rows as a table; `texts` keeps the cells of the sample.
Layout learn_layout(std::string_view head, Rows& rows, std::deque<std::string>& texts) {
  Layout layout;
  std::size_t lines = 0;
  while (!head.empty() && lines < kSampleRows) {
    const std::size_t end = head.find('\n');
    const std::string_view line = trim(head.substr(0, end));
    if (line.starts_with('{')) {
      if (const auto* cells = rows.parse(line, true)) {
        auto& row = layout.rows.emplace_back();
        for (const std::string_view cell : *cells) {
          row.push_back(cell.data() == nullptr ? std::string_view() : std::string_view(texts.emplace_back(cell)));
        }
      }
    }
    ++lines;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  for (const std::string& name : rows.names()) layout.names.push_back(parse_column_name(name));
  layout.cells = layout.names.size();
  return layout;
}

Match recognise(std::string_view head) {
  Rows rows;
  std::deque<std::string> texts;
  const Layout layout = learn_layout(head.substr(0, 16384), rows, texts);
  return vocabulary_suffices(layout.names) ? Match::perhaps : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  Rows rows;
  std::deque<std::string> texts;
  const Layout layout = learn_layout(input.head(), rows, texts);
  if (layout.names.empty()) {
    return fail(ErrorKind::bad_input, input.name(), "none of its first lines is a JSON object",
                "JSON lines have one object a line, as in {\"time\": 1718369824.2, \"gpu\": 0, \"power_w\": 71.1}.");
  }
  const auto map = map_columns(layout, options, input);
  if (!map) return std::unexpected(map.error());
  Table table(layout, *map, options, input, kName);
  std::string_view line;
  while (input.next_line(line)) {
    const std::string_view text = trim(line);
    if (text.empty()) continue;
    const auto* cells = text.starts_with('{') && !input.line_cut() ? rows.parse(text, false) : nullptr;
    if (cells != nullptr && !rows.contradicted().empty()) {
      table.damaged(
          fmt::format("its key '{}' stands there twice, with different values", printable(rows.contradicted(), 40)));
    } else if (cells != nullptr) {
      if (const auto read = table.row(*cells); !read) return std::unexpected(read.error());
    } else if (input.last_line_torn()) {
      table.other_line();
      table.builder().note(fmt::format("The last line is cut ('{}') and left out.", printable(text, 40)));
    } else if (text.starts_with('{')) {
      table.damaged("the line is no whole JSON object");
    } else {
      table.other_line();
    }
  }
  return table.finish();
}

}  // namespace

extern const Reader kJsonl;
const Reader kJsonl{.name = kName,
                    .summary = "JSON lines: one object a line, keys as columns (nested as a.b), named as for csv",
                    .looks_for = "lines of JSON objects with a time key and a power key",
                    .recognise = recognise,
                    .read = read};

}  // namespace wattrein::trace
