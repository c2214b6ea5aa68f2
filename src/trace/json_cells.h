#pragma once
// Members of JSON objects as logs write them: numbers that may stand in strings, words for "not available".

#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "net/json.h"

namespace wattrein::trace {

/// A number, or a string that holds one.
[[nodiscard]] inline std::optional<double> json_number(const net::Json* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* d = std::get_if<double>(&value->value())) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&value->value())) return static_cast<double>(*i);
  const std::string* text = value->string();
  return text == nullptr ? std::nullopt : parse_double(*text);
}

/// Empty where there is none.
[[nodiscard]] inline std::string json_text(const net::Json* value) {
  const std::string* text = value == nullptr ? nullptr : value->string();
  return text == nullptr ? std::string() : *text;
}

/// A poll that says it has no reading: null, or a word for it.
[[nodiscard]] inline bool json_not_available(const net::Json& value) {
  if (value.is_null()) return true;
  const std::string* text = value.string();
  if (text == nullptr) return false;
  for (const std::string_view word : {"", "null", "none", "nan", "n/a", "na", "-"}) {
    if (equal_ignoring_case(trim(*text), word)) return true;
  }
  return false;
}

}  // namespace wattrein::trace
