#include "trace/json_objects.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxObject = std::size_t{16} << 20;
constexpr std::string_view kBlanksAndEnds = " \t\r\n";

}  // namespace

bool JsonObjects::read_line() {
  if (held_) return true;
  at_ = 0;
  held_ = input_.next_line(line_);
  ended_ = !held_;
  return held_;
}

/// A new document where the one before was cut: it starts in the first column, where none of an indented document
/// does, or behind something that no value can follow.
bool JsonObjects::starts_anew() {
  if (!line_.starts_with('{') && !line_.starts_with('[')) return false;
  if (indented_) return true;
  const std::size_t last = text_.find_last_not_of(kBlanksAndEnds);
  return last == std::string::npos || std::string_view("[{,:").find(text_[last]) == std::string_view::npos;
}

/// Outside any object. True when there is an item.
bool JsonObjects::outside(Item& item) {
  at_ = line_.find_first_not_of(kBlanksAndEnds, at_);
  if (at_ == std::string_view::npos) {
    held_ = false;
    return false;
  }
  const char c = line_[at_];
  if (c == '[' || (c == ']' && array_) || (c == ',' && array_)) {
    if (c == '[') fresh_ = true;
    if (c != ',') array_ = c == '[';
    ++at_;
    return false;
  }
  place_ = input_.place();
  if (c == '{') {
    first_ = fresh_ || !array_;
    fresh_ = false;
    opened_ = true;
    text_.clear();
    lines_ = 0;
    indented_ = false;
    return false;
  }
  text_ = trim(line_.substr(at_));
  array_ = false;
  held_ = false;
  item = Item::line;
  return true;
}

/// From the object's start, or on. True when there is an item.
bool JsonObjects::inside(Item& item) {
  const std::size_t start = at_;
  for (; at_ < line_.size(); ++at_) {
    const char c = line_[at_];
    if (escape_) {
      escape_ = false;
    } else if (string_) {
      if (c == '\\') escape_ = true;
      if (c == '"') string_ = false;
    } else if (c == '"') {
      string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      ++at_;
      text_ += line_.substr(start, at_ - start);
      item = Item::object;
      return true;
    }
  }
  text_ += line_.substr(start);
  text_ += '\n';
  held_ = false;
  ++lines_;
  const bool too_long = input_.line_cut() || text_.size() > kMaxObject;
  if (!too_long && !string_) return false;
  item = too_long ? Item::too_long : Item::torn;  // no string goes over the end of a line
  depth_ = 0;
  string_ = escape_ = false;
  return true;
}

JsonObjects::Item JsonObjects::next() {
  Item item = Item::end;
  while (read_line()) {
    if (depth_ > 0 && at_ == 0) {
      if (lines_ == 1) indented_ = line_.starts_with(' ') || line_.starts_with('\t');
      if (starts_anew()) {
        depth_ = 0;
        array_ = false;
        fresh_ = true;
        return Item::torn;
      }
    }
    if (depth_ == 0) {
      if (outside(item)) return item;
      if (!std::exchange(opened_, false)) continue;
    }
    if (inside(item)) return item;
  }
  if (depth_ == 0) return Item::end;
  depth_ = 0;
  return Item::torn;
}

Reading power_of(const net::Json& value) {
  constexpr double kWatt = 1.0;
  if (const auto* d = std::get_if<double>(&value.value())) return read_power(fmt::format("{}", *d), kWatt);
  if (const auto* i = std::get_if<std::int64_t>(&value.value())) return read_power(fmt::format("{}", *i), kWatt);
  if (value.is_null()) return {.kind = Reading::Kind::unknown};
  if (const std::string* text = value.string()) {
    if (text->starts_with("N/A")) return {.kind = Reading::Kind::unknown};
    return read_power(*text, kWatt);
  }
  const net::Json* number = value.find("value");
  if (number == nullptr || number->object() != nullptr || number->array() != nullptr) return {};
  Reading reading = power_of(*number);
  const auto scale = power_unit(text_of(value.find("unit")));
  if (reading.kind == Reading::Kind::value && !reading.unit_in_cell && scale) reading.value *= *scale;
  return reading;
}

std::string text_of(const net::Json* value) {
  if (value == nullptr) return {};
  if (const std::string* text = value->string()) return *text;
  if (const auto* i = std::get_if<std::int64_t>(&value->value())) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&value->value())) return fmt::format("{}", *d);
  return {};
}

}  // namespace wattrein::trace
