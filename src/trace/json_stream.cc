#include "trace/json_stream.h"

#include <utility>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxObject = std::size_t{16} << 20;
constexpr std::string_view kBlanks = " \t\r\n";

bool is_one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

/// '[' with an object, an array or nothing behind it, unlike "[2026-11-30]" and "[INFO]".
bool opens_array(std::string_view text) {
  if (!text.starts_with('[')) return false;
  const std::size_t behind = text.find_first_not_of(kBlanks, 1);
  return behind == std::string_view::npos || is_one_of(text[behind], "{[]");
}

/// Length of the text before an object that starts in the same line, as behind a stamp; npos where there is none.
/// `text` starts neither with that nor with an array; and what starts with a quote is a piece of JSON or CSV.
std::size_t text_before_object(std::string_view text) {
  for (std::size_t at = text.find('{'); at != std::string_view::npos; at = text.find('{', at + 1)) {
    const std::size_t behind = text.find_first_not_of(kBlanks, at + 1);
    if (behind != std::string_view::npos && text[behind] != '"') continue;
    if (text.front() == '"' || is_one_of(text[at - 1], "\"'")) continue;
    return text.find_last_not_of("[ \t", at - 1) + 1;
  }
  return std::string_view::npos;
}

/// In JSON a line that starts with `c` can follow one that ends in `last`: no value goes over the end of a line.
bool may_follow(char last, char c) {
  if (last == '{') return is_one_of(c, "\"}");
  return is_one_of(last, "[:,") ? is_one_of(c, "{}[]\"-0123456789tfn") : is_one_of(c, "}],:");
}

/// `{"time":`, where the text starts so.
std::string_view first_key(std::string_view text) {
  const std::size_t colon = text.find(':');
  return text.starts_with("{\"") && colon != std::string_view::npos ? text.substr(0, colon) : std::string_view();
}

}  // namespace

bool JsonStream::read_line() {
  if (held_) return true;
  at_ = 0;
  held_ = input_.next_line(line_);
  ended_ = !held_;
  return held_;
}

/// Inside an object: line_ cannot go on with it.
bool JsonStream::starts_anew() const {
  const std::size_t begin = line_.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return false;
  const char c = line_[begin];
  if (!lost_ && !may_follow(last_, c)) return true;
  if (begin > 0) return false;
  if (lost_ || indented_) return !is_one_of(c, "}],\"");
  // One line a document, cut behind a comma or the like: the next one starts in the same way.
  return lines_ == 1 && !first_key(line_).empty() && first_key(line_) == first_key(text_);
}

/// Outside any object. True when there is an item.
bool JsonStream::outside(Item& item) {
  at_ = line_.find_first_not_of(kBlanks, at_);
  if (at_ == std::string_view::npos) {
    held_ = false;
    return false;
  }
  const std::string_view rest = line_.substr(at_);
  if (arrays_ > 0 && is_one_of(rest.front(), ",]")) {
    if (rest.front() == ']') --arrays_;
    ++at_;
    return false;
  }
  if (opens_array(rest)) {
    arrays_ = at_ == 0 ? 1 : arrays_ + 1;
    fresh_ = true;
    ++at_;
    return false;
  }
  start_ = input_.line_number();
  place_ = input_.place();
  if (rest.front() == '{') {
    first_ = fresh_ || arrays_ == 0;
    fresh_ = false;
    text_.clear();
    lines_ = 0;
    indented_ = lost_ = too_long_ = string_ = escape_ = false;
    return inside(item);
  }
  const std::size_t before = text_before_object(rest);
  text_ = trim(rest.substr(0, before));
  arrays_ = 0;
  at_ += before == std::string_view::npos ? 0 : before;
  held_ = before != std::string_view::npos;
  item = Item::line;
  return true;
}

/// From the object's start, or on. True when there is an item.
bool JsonStream::inside(Item& item) {
  const std::size_t start = at_;
  bool ends = false;
  while (!lost_ && !ends && at_ < line_.size()) {
    const char c = line_[at_++];
    if (escape_) {
      escape_ = false;
    } else if (string_) {
      if (c == '\\') escape_ = true;
      if (c == '"') string_ = false;
    } else if (c == '"') {
      string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if (c == '}' || c == ']') {
      ends = --depth_ == 0;
    }
  }
  if (!lost_ && !too_long_) text_ += line_.substr(start, at_ - start);
  too_long_ = too_long_ || text_.size() > kMaxObject;
  if (ends) {
    item = too_long_ ? Item::too_long : Item::object;
    return true;
  }
  too_long_ = too_long_ || input_.line_cut();
  lost_ = lost_ || string_ || input_.line_cut();  // no string goes over the end of a line
  if (!too_long_) text_ += '\n';
  const std::size_t last = line_.find_last_not_of(kBlanks);
  if (last != std::string_view::npos) {
    last_ = line_[last];
    ++lines_;
  }
  held_ = false;
  return false;
}

JsonStream::Item JsonStream::cut() {
  depth_ = 0;
  arrays_ = 0;
  fresh_ = true;
  return too_long_ ? Item::too_long : Item::torn;
}

JsonStream::Item JsonStream::next() {
  Item item = Item::end;
  while (read_line()) {
    if (depth_ == 0) {
      if (outside(item)) return item;
      continue;
    }
    if (at_ == 0) {
      if (lines_ == 1) indented_ = is_one_of(line_.empty() ? '{' : line_.front(), " \t");
      if (starts_anew()) return cut();
    }
    if (inside(item)) return item;
  }
  return depth_ == 0 ? Item::end : cut();
}

bool read_json_stream(JsonStream& stream, Builder& builder, const std::function<void(const net::Json&)>& on_object,
                      const std::function<void()>& on_text) {
  bool torn = false;
  while (true) {
    switch (stream.next()) {
      case JsonStream::Item::end: return torn;
      case JsonStream::Item::line: on_text(); break;
      case JsonStream::Item::object:
        if (const auto object = net::parse_json(stream.text(), stream.place())) {
          on_object(*object);
        } else {
          builder.damaged(stream.place(), object.error().what);
        }
        break;
      case JsonStream::Item::torn:
        torn = stream.at_end();
        if (!torn) builder.damaged(stream.place(), "the JSON document is cut in the middle");
        break;
      case JsonStream::Item::too_long:
        builder.damaged(stream.place(), "its JSON object is larger than 16 MiB, or has a line longer than 1 MiB");
        break;
    }
  }
}

}  // namespace wattrein::trace
