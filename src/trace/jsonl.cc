// JSON lines: one object a line, its keys as columns; nested keys as "a.b".
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

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
constexpr std::size_t kSampleCells = 400'000;

/// Objects into rows of cells. The columns are the keys of the first objects, in order of appearance. An object with a
/// list of objects that have powers ("gpus": [{"index": 0, "power_w": 71}, ...]) makes a row of each, with what stands
/// around the list in all of them.
class Rows {
 public:
  /// False when the line is no JSON object. Then next() gives its rows.
  bool parse(std::string_view line, bool learn) {
    contradicted_.clear();
    auto json = net::parse_json(line, "line", &contradicted_);
    if (!json || json->object() == nullptr) return false;
    json_.emplace(std::move(*json));
    learn_ = learn;
    used_ = 0;
    item_ = 0;
    around_.assign(names_.size(), std::string_view());
    list_ = find_list();
    if (list_ != nullptr && learn) {
      for (const net::Json& item : *list_) learn_keys(item);
    }
    flatten(*json_, around_);
    used_around_ = used_;
    return true;
  }
  /// Null behind the last row. The cells live until the next call.
  const std::vector<std::string_view>* next() {
    if (item_ == (list_ == nullptr ? 1 : list_->size())) return nullptr;
    if (list_ == nullptr) {
      ++item_;
      return &around_;
    }
    used_ = used_around_;
    cells_ = around_;
    const net::Json& item = (*list_)[item_];
    in_item_ = true;
    prefix_ = list_name_ + ".";
    if (item.object() != nullptr) {
      flatten(item, cells_);
      if (!names_itself(item)) put(list_name_ + " (place)", net::Json(static_cast<std::int64_t>(item_)), cells_);
    }
    prefix_.clear();
    in_item_ = false;
    ++item_;
    cells_.resize(names_.size());
    around_.resize(names_.size());
    return &cells_;
  }
  [[nodiscard]] std::vector<ColumnName> columns() const {
    std::vector<ColumnName> columns;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      columns.push_back(parse_column_name(meant_[i]));
      columns.back().text = names_[i];
    }
    return columns;
  }
  /// Of the object parsed last: a key that stands there twice with different values; empty where there is none.
  [[nodiscard]] const std::string& contradicted() const { return contradicted_; }

 private:
  using Cells = std::vector<std::string_view>;

  static bool sounds_like_power(std::string_view key) {
    const std::string small = lower(key);
    return std::ranges::any_of(std::array<std::string_view, 4>{"power", "watt", "pwr", "draw"},
                               [&small](std::string_view word) { return small.find(word) != std::string::npos; });
  }
  static bool has_power(const net::Json& item) {
    if (item.object() == nullptr) return false;
    return std::ranges::any_of(*item.object(), [](const auto& member) { return sounds_like_power(member.first); });
  }
  /// A key that names a device; `gpu` alone may be a utilisation.
  static bool names_itself(const net::Json& item) {
    static constexpr std::array<std::string_view, 10> kKeys{"index", "gpu_index", "gpu_id",       "id",   "device",
                                                            "uuid",  "gpu_uuid",  "device_index", "card", "device_id"};
    return std::ranges::any_of(*item.object(), [](const auto& member) {
      return std::ranges::find(kKeys, lower(member.first)) != kKeys.end();
    });
  }

  /// The only member of the object that is a list of objects with powers; once known, the one of that name.
  const net::Json::Array* find_list() {
    const net::Json::Array* found = nullptr;
    for (const auto& [key, member] : *json_->object()) {
      const auto* array = member.array();
      if (array == nullptr) continue;
      if (!list_name_.empty()) {
        if (key == list_name_) return array;
        continue;
      }
      if (!std::ranges::any_of(*array, has_power)) continue;
      if (found != nullptr) return nullptr;
      found = array;
      new_list_ = key;
    }
    if (found != nullptr && learn_) list_name_ = new_list_;
    return list_name_.empty() ? nullptr : found;
  }

  /// What stands around the list under a key of its items is another thing: a total, or the host's name.
  void learn_keys(const net::Json& item) {
    if (item.object() == nullptr || item_keys_.size() > kMaxColumns) return;
    for (const auto& [key, member] : *item.object()) item_keys_.insert(key);
  }

  void flatten(const net::Json& value, Cells& cells) {
    const std::size_t length = prefix_.size();
    if (const auto* object = value.object()) {
      for (const auto& [key, member] : *object) {
        const bool outermost = !in_item_ && length == 0;
        const bool of_all = sounds_like_power(key) || item_keys_.contains(key);  // a total, the machine's name
        if (outermost && list_ != nullptr && (member.array() == list_ || of_all)) continue;
        if (length > 0 && prefix_.back() != '.') prefix_ += '.';
        prefix_ += key;
        flatten(member, cells);
        prefix_.resize(length);
      }
      return;
    }
    if (const auto* array = value.array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        prefix_ += fmt::format(".{}", i);
        flatten((*array)[i], cells);
        prefix_.resize(length);
      }
      return;
    }
    put(prefix_, value, cells);
  }

  void put(const std::string& name, const net::Json& value, Cells& cells) {
    auto at = columns_.find(name);
    if (at == columns_.end()) {
      if (!learn_ || names_.size() == kMaxColumns) return;
      at = columns_.emplace(name, names_.size()).first;
      names_.push_back(name);
      meant_.push_back(meaning(name));
    }
    if (cells.size() <= at->second) cells.resize(at->second + 1);
    std::string_view& cell = cells[at->second];
    if (cell.data() == nullptr) {
      cell = text_of(value);
    } else if (contradicted_.empty() && cell != text_of(value)) {  // "a.b" and "b" in "a"
      contradicted_ = prefix_;
    }
  }

  /// What a column is judged by: of an item's, its key alone.
  [[nodiscard]] std::string meaning(std::string_view name) const {
    if (!in_item_) return std::string(name);
    const std::string_view key = name.substr(list_name_.size() + 1);
    if (key == "(place)") return "device_index";
    return key == "id" ? "device_id" : std::string(key);
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
  std::vector<std::string> meant_;  ///< per column
  std::unordered_map<std::string, std::size_t> columns_;
  std::optional<net::Json> json_;
  const net::Json::Array* list_ = nullptr;  ///< in json_
  std::string list_name_;
  std::string new_list_;
  std::unordered_set<std::string> item_keys_;
  std::size_t item_ = 0;
  bool in_item_ = false;
  Cells around_;
  Cells cells_;
  std::deque<std::string> texts_;  // texts do not move when more are added
  std::size_t used_ = 0;
  std::size_t used_around_ = 0;
  std::string prefix_;
  bool learn_ = true;
  std::string contradicted_;
};

/// The keys and first rows as a table; `texts` keeps the cells of the sample.
Layout learn_layout(std::string_view head, Rows& rows, std::deque<std::string>& texts) {
  Layout layout;
  std::size_t lines = 0;
  std::size_t cells_kept = 0;
  while (!head.empty() && lines < kSampleRows && cells_kept < kSampleCells) {
    const std::size_t end = head.find('\n');
    const std::string_view line = trim(head.substr(0, end));
    if (line.starts_with('{') && rows.parse(line, true)) {
      while (const auto* cells = rows.next()) {
        if ((cells_kept += cells->size()) > kSampleCells) break;
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
  layout.names = rows.columns();
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
    if (text.starts_with('{') && !input.line_cut() && rows.parse(text, false)) {
      while (const auto* cells = rows.next()) {
        if (!rows.contradicted().empty()) {
          table.damaged(fmt::format("its key '{}' stands there twice, with different values",
                                    printable(rows.contradicted(), 40)));
          break;
        }
        if (const auto read = table.row(*cells); !read) return std::unexpected(read.error());
      }
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
