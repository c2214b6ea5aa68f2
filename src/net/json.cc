#include "net/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/check.h"
#include "base/text.h"

namespace wattrein::net {

namespace {

constexpr std::size_t kMaxDepth = 64;

/// Builds a Json from the parser's events. Boost's own tree would keep the last of duplicate keys, and its
/// doubles may be off in the last digit; the parser hands over the digits, so they are read again exactly.
class Builder {
 public:
  using Error = boost::json::error_code;
  using Text = boost::json::string_view;
  // NOLINTBEGIN(readability-identifier-naming): Boost's names
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;
  // NOLINTEND(readability-identifier-naming)

  explicit Builder(bool lenient) : lenient_(lenient) {}

  [[nodiscard]] Json take() { return std::move(root_); }
  /// The first key that stands in one object with different values.
  [[nodiscard]] const std::optional<std::string>& contradicted() const { return contradicted_; }

  bool on_document_begin(Error&) { return true; }
  bool on_document_end(Error&) { return true; }
  bool on_object_begin(Error&) { return open(Json::Object{}); }
  bool on_object_end(std::size_t, Error& error) {
    keep_each_key_once();
    if (contradicted_ && !lenient_) {
      error = boost::json::error::syntax;  // stops the parser; parse_json has better words for it
      return false;
    }
    return close();
  }
  bool on_array_begin(Error&) { return open(Json::Array{}); }
  bool on_array_end(std::size_t, Error&) { return close(); }
  bool on_key_part(Text part, std::size_t, Error&) { return append(part); }
  bool on_key(Text part, std::size_t, Error&) {
    append(part);
    keys_.push_back(std::exchange(text_, {}));
    return true;
  }
  bool on_string_part(Text part, std::size_t, Error&) { return append(part); }
  bool on_string(Text part, std::size_t, Error&) {
    append(part);
    return put(std::exchange(text_, {}));
  }
  bool on_number_part(Text part, Error&) { return append(part); }
  bool on_int64(std::int64_t number, Text, Error&) { return put_number(number); }
  bool on_uint64(std::uint64_t number, Text, Error&) { return put_number(static_cast<double>(number)); }
  bool on_double(double number, Text part, Error& error) {
    append(part);
    if (!std::isfinite(number)) {
      error = boost::json::error::exponent_overflow;
      return false;
    }
    double exact = 0;
    const auto [end, failed] = std::from_chars(text_.data(), text_.data() + text_.size(), exact);
    return put_number(failed == std::errc{} && end == text_.data() + text_.size() ? exact : number);
  }
  bool on_bool(bool flag, Error&) { return put(flag); }
  bool on_null(Error&) { return put(nullptr); }
  bool on_comment_part(Text, Error&) { return true; }
  bool on_comment(Text, Error&) { return true; }

 private:
  bool append(Text part) {
    text_.append(part.data(), part.size());
    return true;
  }

  template <class T>
  bool put_number(T number) {
    text_.clear();
    return put(number);
  }

  bool put(Json::Value value) {
    if (open_.empty()) {
      root_ = Json(std::move(value));
    } else if (auto* array = std::get_if<Json::Array>(&open_.back())) {
      array->emplace_back(std::move(value));
    } else {
      std::get<Json::Object>(open_.back()).emplace_back(std::move(keys_.back()), Json(std::move(value)));
      keys_.pop_back();
    }
    return true;
  }

  bool open(Json::Value container) {
    open_.push_back(std::move(container));
    return true;
  }

  bool close() {
    Json::Value done = std::move(open_.back());
    open_.pop_back();
    return put(std::move(done));
  }

  /// In the object that ends here.
  void keep_each_key_once() {
    auto& members = std::get<Json::Object>(open_.back());
    if (members.size() < 2) return;
    order_.resize(members.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    const auto key = [&members](std::size_t i) -> const std::string& { return members[i].first; };
    // By place too, so that the first of equal keys stays.
    std::ranges::sort(order_, {},
                      [&key](std::size_t i) { return std::pair<std::string_view, std::size_t>(key(i), i); });
    again_.clear();
    std::size_t first = order_.front();
    for (std::size_t n = 1; n < order_.size(); ++n) {
      const std::size_t i = order_[n];
      if (key(i) != key(first)) {
        first = i;
        continue;
      }
      if (!contradicted_ && members[i].second != members[first].second) contradicted_ = key(i);
      again_.push_back(i);
    }
    if (again_.empty()) return;
    Json::Object kept;
    std::ranges::sort(again_);
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (!std::ranges::binary_search(again_, i)) kept.push_back(std::move(members[i]));
    }
    members = std::move(kept);
  }

  bool lenient_;
  std::optional<std::string> contradicted_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> again_;
  Json root_;
  std::vector<Json::Value> open_;  // from the outermost inwards
  std::vector<std::string> keys_;  // of members whose value is not yet whole
  std::string text_;
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  if (const Object* members = object()) {
    for (const auto& [name, member] : *members) {
      if (name == key) return &member;
    }
  }
  return nullptr;
}

bool Json::operator==(const Json& other) const {
  if (value_ == other.value_) return true;
  const auto* whole = std::get_if<std::int64_t>(&value_);
  const auto* real = std::get_if<double>(&other.value_);
  if (whole != nullptr && real != nullptr) return static_cast<double>(*whole) == *real;
  whole = std::get_if<std::int64_t>(&other.value_);
  real = std::get_if<double>(&value_);
  return whole != nullptr && real != nullptr && static_cast<double>(*whole) == *real;
}

Result<Json> parse_json(std::string_view text, std::string_view where, std::string* contradicted) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::json::basic_parser<Builder> parser(options, contradicted != nullptr);
  boost::json::error_code error;
  const std::size_t used = parser.write_some(false, text.data(), text.size(), error);
  const std::string place = fmt::format("{}: byte {}", where, used);
  const auto& twice = parser.handler().contradicted();
  if (twice && contradicted == nullptr) {
    return fail(ErrorKind::bad_input, place,
                fmt::format("the key '{}' stands twice in one object, with different values", printable(*twice, 40)),
                "Leave only the right one in.");
  }
  if (twice) *contradicted = *twice;
  if (error == boost::json::error::incomplete) {
    return fail(ErrorKind::bad_input, place, "the JSON document ends too early",
                "Check that it was written to its end.");
  }
  if (error) {
    return fail(ErrorKind::bad_input, place,
                fmt::format("not valid JSON ({}) at '{}'", error.message(), printable(text.substr(used), 40)),
                "Correct it there, or choose the file's own format.");
  }
  if (text.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
    return fail(ErrorKind::bad_input, place, "there is more text behind the JSON document",
                "One JSON document a file is expected.");
  }
  return parser.handler().take();
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else if (c == '<') {
      out += "\\u003c";  // neither "</script>" nor "<!--" can arise
    } else if (length == 0) {
      out += "\\ufffd";  // a byte that is no UTF-8 would make the whole document unreadable
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out + '"';
}

void JsonWriter::new_line() {
  out_ += '\n';
  out_.append(2 * levels_.size(), ' ');
}

void JsonWriter::before_value() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (levels_.empty()) return;
  Level& level = levels_.back();
  WATTREIN_CHECK(level.array);
  if (!level.empty) out_ += level.one_line ? ", " : ",";
  level.empty = false;
  if (!level.one_line) new_line();
}

JsonWriter& JsonWriter::begin_object() {
  before_value();
  out_ += '{';
  levels_.push_back({.array = false, .one_line = false, .empty = true});
  return *this;
}

JsonWriter& JsonWriter::end_object() {
  WATTREIN_CHECK(!levels_.empty() && !levels_.back().array && !after_key_);
  const bool empty = levels_.back().empty;
  levels_.pop_back();
  if (!empty) new_line();
  out_ += '}';
  return *this;
}

JsonWriter& JsonWriter::begin_array(bool one_line) {
  before_value();
  out_ += '[';
  levels_.push_back({.array = true, .one_line = one_line, .empty = true});
  return *this;
}

JsonWriter& JsonWriter::end_array() {
  WATTREIN_CHECK(!levels_.empty() && levels_.back().array);
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.one_line) new_line();
  out_ += ']';
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  WATTREIN_CHECK(!levels_.empty() && !levels_.back().array && !after_key_);
  Level& level = levels_.back();
  if (!level.empty) out_ += ',';
  level.empty = false;
  new_line();
  out_ += json_quote(name);
  out_ += ": ";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  before_value();
  out_ += json_quote(text);
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  before_value();
  if (std::isfinite(number)) {
    out_ += fmt::format("{}", number);
  } else {
    out_ += "null";
  }
  return *this;
}

JsonWriter& JsonWriter::value(std::int64_t number) {
  before_value();
  out_ += fmt::format("{}", number);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) {
  before_value();
  out_ += flag ? "true" : "false";
  return *this;
}

JsonWriter& JsonWriter::null() {
  before_value();
  out_ += "null";
  return *this;
}

std::string JsonWriter::take() {
  WATTREIN_CHECK(levels_.empty());
  out_ += '\n';
  return std::exchange(out_, {});
}

}  // namespace wattrein::net
