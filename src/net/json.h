#pragma once
// JSON in and out. Boost.JSON does the parsing and stays inside json.cc.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"

namespace wattrein::net {

/// A parsed JSON value; objects keep the file's order, and each key once.
class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, Array, Object>;

  Json() = default;
  explicit Json(Value value) : value_(std::move(value)) {}

  [[nodiscard]] const Value& value() const { return value_; }
  [[nodiscard]] const Object* object() const { return std::get_if<Object>(&value_); }
  [[nodiscard]] const Array* array() const { return std::get_if<Array>(&value_); }
  [[nodiscard]] const std::string* string() const { return std::get_if<std::string>(&value_); }
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  /// The member named `key`; null when this is no object or has none.
  [[nodiscard]] const Json* find(std::string_view key) const;
  /// The same value, members in the same order; 70 and 70.0 are the same number.
  [[nodiscard]] bool operator==(const Json& other) const;

 private:
  Value value_ = nullptr;
};

/// A key that stands twice in one object is kept once where both values are the same. Where they differ none can say
/// which is meant: that is an error too, or, where `contradicted` is given, the first stays and `contradicted` is set
/// to the key. It is left alone where there is no such key.
/// Errors: bad_input with the byte offset. Nesting deeper than 64 is refused.
[[nodiscard]] Result<Json> parse_json(std::string_view text, std::string_view where,
                                      std::string* contradicted = nullptr);

/// Writes JSON with two-space indentation into a string it owns. Doubles take the shortest form that reads
/// back the same; NaN and infinities become null.
class JsonWriter {
 public:
  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array(bool one_line = false);
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(double number);
  JsonWriter& value(std::int64_t number);
  JsonWriter& value(int number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(std::size_t number) { return value(static_cast<std::int64_t>(number)); }
  JsonWriter& value(bool flag);
  JsonWriter& null();
  template <class T>
  JsonWriter& field(std::string_view name, const T& v) {
    key(name);
    return value(v);
  }
  /// The finished text; the writer is empty afterwards.
  [[nodiscard]] std::string take();

 private:
  struct Level {
    bool array = false;
    bool one_line = false;
    bool empty = true;
  };
  void before_value();
  void new_line();

  std::string out_;
  std::vector<Level> levels_;
  bool after_key_ = false;
};

/// `text` as a JSON string literal, also safe inside an HTML <script> ("<" is escaped). Bytes that are no UTF-8
/// become U+FFFD.
[[nodiscard]] std::string json_quote(std::string_view text);

}  // namespace wattrein::net
