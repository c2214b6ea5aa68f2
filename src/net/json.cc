#include "net/json.h"

#include <fmt/format.h>

#include <boost/json/src.hpp>
#include <cmath>

#include "base/check.h"

namespace wattrein::net {

namespace {

constexpr std::size_t kMaxDepth = 64;

Json convert(const boost::json::value& v) {
  switch (v.kind()) {
    case boost::json::kind::null: return Json();
    case boost::json::kind::bool_: return Json(Json::Value(v.get_bool()));
    case boost::json::kind::int64: return Json(Json::Value(v.get_int64()));
    case boost::json::kind::uint64: return Json(Json::Value(static_cast<double>(v.get_uint64())));
    case boost::json::kind::double_: return Json(Json::Value(v.get_double()));
    case boost::json::kind::string: return Json(Json::Value(std::string(v.get_string())));
    case boost::json::kind::array: {
      Json::Array array;
      array.reserve(v.get_array().size());
      for (const auto& item : v.get_array()) array.push_back(convert(item));
      return Json(Json::Value(std::move(array)));
    }
    case boost::json::kind::object: {
      Json::Object object;
      object.reserve(v.get_object().size());
      for (const auto& member : v.get_object()) object.emplace_back(std::string(member.key()), convert(member.value()));
      return Json(Json::Value(std::move(object)));
    }
  }
  return Json();
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  if (const Object* members = object()) {
    for (const auto& [name, member] : *members) {
      if (name == key) return &member;
    }
  }
  return nullptr;
}

Result<Json> parse_json(std::string_view text, std::string_view where) {
  boost::json::parse_options options;
  options.max_depth = kMaxDepth;
  boost::json::stream_parser parser({}, options);
  boost::system::error_code error;
  const std::size_t used = parser.write_some(text.data(), text.size(), error);
  if (!error) parser.finish(error);
  if (!error && text.find_first_not_of(" \t\r\n", used) != std::string_view::npos) {
    return fail(ErrorKind::bad_input, fmt::format("{}: byte {}", where, used),
                "there is more text behind the JSON document", "One JSON document a file is expected.");
  }
  if (error) {
    return fail(ErrorKind::bad_input, fmt::format("{}: byte {}", where, used),
                fmt::format("not valid JSON ({})", error.message()), "Check that the file was written to its end.");
  }
  return convert(parser.release());
}

std::string json_quote(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (u < 0x20) {
      out += fmt::format("\\u{:04x}", u);
    } else if (c == '<') {
      out += "\\u003c";  // neither "</script>" nor "<!--" can arise
    } else {
      out += c;
    }
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
