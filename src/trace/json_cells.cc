#include "trace/json_cells.h"

#include <fmt/format.h>

#include <string_view>

#include "base/text.h"

namespace wattrein::trace {

std::optional<double> json_number(const net::Json* value) {
  if (value == nullptr) return std::nullopt;
  if (const auto* d = std::get_if<double>(&value->value())) return *d;
  if (const auto* i = std::get_if<std::int64_t>(&value->value())) return static_cast<double>(*i);
  const std::string* text = value->string();
  return text == nullptr ? std::nullopt : parse_double(*text);
}

std::string json_text(const net::Json* value) {
  const std::string* text = value == nullptr ? nullptr : value->string();
  return text == nullptr ? std::string() : *text;
}

std::string json_scalar(const net::Json* value) {
  if (value == nullptr) return {};
  if (const auto* i = std::get_if<std::int64_t>(&value->value())) return fmt::format("{}", *i);
  if (const auto* d = std::get_if<double>(&value->value())) return fmt::format("{}", *d);
  return json_text(value);
}

bool json_not_available(const net::Json& value) {
  if (value.is_null()) return true;
  const std::string* text = value.string();
  if (text == nullptr) return false;
  for (const std::string_view word : {"", "null", "none", "nan", "n/a", "na", "-"}) {
    if (equal_ignoring_case(trim(*text), word)) return true;
  }
  return false;
}

Reading json_power(const net::Json& value) {
  constexpr double kWatt = 1.0;
  if (value.is_null()) return {.kind = Reading::Kind::unknown};
  if (const std::string* text = value.string()) {
    if (text->starts_with("N/A")) return {.kind = Reading::Kind::unknown};
    return read_power(*text, kWatt);
  }
  if (const std::string number = json_scalar(&value); !number.empty()) return read_power(number, kWatt);
  const net::Json* number = value.find("value");
  if (number == nullptr || number->object() != nullptr || number->array() != nullptr) return {};
  Reading reading = json_power(*number);
  if (reading.kind != Reading::Kind::value || reading.unit_in_cell) return reading;
  const std::string unit = json_scalar(value.find("unit"));
  if (unit.empty()) return reading;
  const auto scale = power_unit(unit);
  if (!scale) return {};
  reading.value *= *scale;
  return reading;
}

}  // namespace wattrein::trace
