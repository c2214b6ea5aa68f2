#include "trace/table_cells.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "trace/doubtful_readings.h"

namespace wattrein::trace {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view strip(const char* begin, const char* end) {
  while (begin != end && is_blank(*begin)) ++begin;
  while (end != begin && is_blank(end[-1])) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

void split_quoted(std::string_view line, char delimiter, std::vector<std::string_view>& cells) {
  std::size_t at = 0;
  while (true) {
    std::size_t start = at;
    while (start < line.size() && line[start] != delimiter && is_blank(line[start])) ++start;
    if (start < line.size() && line[start] == '"') {
      std::size_t close = start + 1;
      while (close < line.size() && (line[close] != '"' || (close + 1 < line.size() && line[close + 1] == '"'))) {
        close += line[close] == '"' ? std::size_t{2} : std::size_t{1};
      }
      close = std::min(close, line.size());
      cells.push_back(strip(line.data() + start + 1, line.data() + close));
      at = std::min(line.find(delimiter, close), line.size());
    } else {
      at = std::min(line.find(delimiter, at), line.size());
      cells.push_back(strip(line.data() + start, line.data() + std::max(start, at)));
    }
    if (at >= line.size()) return;
    ++at;
  }
}

void split_blanks(std::string_view line, std::vector<std::string_view>& cells) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at != end && is_blank(*at)) ++at;
  const char* start = at;
  for (; at != end; ++at) {
    const bool gap = *at == '\t' || (*at == ' ' && at + 1 != end && is_blank(at[1]));
    if (!gap) continue;
    cells.push_back(strip(start, at));
    while (at != end && is_blank(*at)) ++at;
    start = at;
    if (at == end) break;
  }
  if (start != end) cells.push_back(strip(start, end));
}

/// read_grouped() also for a column that shows no decimals: "1 234" is the same in any.
std::optional<double> grouped_number(std::string_view& cell, Decimals decimals) {
  if (decimals == Decimals::unknown) {
    if (cell.find_first_of(",.") != std::string_view::npos) return std::nullopt;
    decimals = Decimals::point;
  }
  return read_grouped(cell, decimals);
}

/// Behind a number: more of it, or of another one.
bool goes_on(std::string_view rest) {
  return !rest.empty() && std::ranges::any_of(rest, [](char c) { return c >= '0' && c <= '9'; });
}

Reading power_of(double number, std::optional<double> scale, bool unit_in_cell) {
  if (!scale) return {};
  const double value = scaled(number, *scale);
  if (value < 0.0 || value > kMostWatts) return {};
  return {.kind = Reading::Kind::value, .value = value, .unit_in_cell = unit_in_cell};
}

/// The slow way, for numbers that are not plain.
Reading read_grouped_power(std::string_view cell, std::optional<double> scale, Decimals decimals) {
  std::string_view rest = cell;
  const auto number = grouped_number(rest, decimals);
  if (!number) return {.kind = is_unknown_cell(cell) ? Reading::Kind::unknown : Reading::Kind::unreadable};
  const std::string_view unit = strip(rest.data(), rest.data() + rest.size());
  if (unit.empty()) return power_of(*number, scale, false);
  return power_of(*number, power_unit(unit), true);
}

}  // namespace

double scaled(double number, double scale) { return scale < 1.0 ? number / std::round(1.0 / scale) : number * scale; }

void split_cells(std::string_view line, char delimiter, std::vector<std::string_view>& cells) {
  cells.clear();
  if (delimiter == kBlanks) return split_blanks(line, cells);
  if (line.find('"') != std::string_view::npos) return split_quoted(line, delimiter, cells);
  const char* start = line.data();
  const char* const end = start + line.size();
  for (const char* at = start;; ++at) {
    if (at != end && *at != delimiter) continue;
    cells.push_back(strip(start, at));
    if (at == end) return;
    start = at + 1;
  }
}

bool is_unknown_cell(std::string_view cell) {
  if (cell.size() > 1 && cell.front() == '[' && cell.back() == ']') return true;  // nvidia-smi's own wording, any of it
  if (cell.size() > 1 && cell.front() == '<' && cell.back() == '>') cell = cell.substr(1, cell.size() - 2);
  static constexpr std::array<std::string_view, 16> kWords{
      "",     "n/a",   "na",      "nan",           "-nan",          "-",   "--",           "null", "none",
      "err!", "error", "unknown", "unknown error", "not supported", "nil", "not available"};
  return std::ranges::any_of(kWords, [cell](std::string_view word) { return equal_ignoring_case(cell, word); });
}

bool is_mega_or_milli(std::string_view name) { return name == "MW" || name == "MJ" || name == "MWh" || name == "MWH"; }

std::optional<double> power_unit(std::string_view name) {
  if (is_mega_or_milli(name)) return std::nullopt;
  static constexpr std::array<std::pair<std::string_view, double>, 15> kUnits{{{"w", 1.0},
                                                                               {"watt", 1.0},
                                                                               {"watts", 1.0},
                                                                               {"mw", 1e-3},
                                                                               {"milliwatt", 1e-3},
                                                                               {"milliwatts", 1e-3},
                                                                               {"kw", 1e3},
                                                                               {"kilowatt", 1e3},
                                                                               {"kilowatts", 1e3},
                                                                               {"uw", 1e-6},
                                                                               {"microwatt", 1e-6},
                                                                               {"microwatts", 1e-6},
                                                                               {"\xc2\xb5w", 1e-6},
                                                                               {"\xce\xbcw", 1e-6},
                                                                               {"\xb5w", 1e-6}}};
  for (const auto& [unit, scale] : kUnits) {
    if (equal_ignoring_case(unit, name)) return scale;
  }
  return std::nullopt;
}

std::optional<double> energy_unit(std::string_view name) {
  if (is_mega_or_milli(name)) return std::nullopt;
  static constexpr std::array<std::pair<std::string_view, double>, 12> kUnits{{{"j", 1.0},
                                                                               {"joule", 1.0},
                                                                               {"joules", 1.0},
                                                                               {"mj", 1e-3},
                                                                               {"millijoule", 1e-3},
                                                                               {"millijoules", 1e-3},
                                                                               {"kj", 1e3},
                                                                               {"uj", 1e-6},
                                                                               {"wh", 3600.0},
                                                                               {"kwh", 3.6e6},
                                                                               {"mwh", 3.6},
                                                                               {"microjoules", 1e-6}}};
  for (const auto& [unit, scale] : kUnits) {
    if (equal_ignoring_case(unit, name)) return scale;
  }
  return std::nullopt;
}

std::string undoubled(std::string_view cell) {
  std::string name;
  for (std::size_t at = cell.find("\"\""); at != std::string_view::npos; at = cell.find("\"\"")) {
    name += cell.substr(0, at + 1);
    cell.remove_prefix(at + 2);
  }
  return name += cell;
}

Reading read_power(std::string_view cell, std::optional<double> scale, Decimals decimals) {
  if (decimals == Decimals::comma) return read_grouped_power(cell, scale, decimals);
  const char* begin = cell.data();
  const char* const end = begin + cell.size();
  if (begin != end && *begin == '+') ++begin;
  double number = 0.0;
  const auto [rest, code] = std::from_chars(begin, end, number);
  if (code != std::errc{} || !std::isfinite(number)) {
    return {.kind = is_unknown_cell(cell) ? Reading::Kind::unknown : Reading::Kind::unreadable};
  }
  const std::string_view unit = strip(rest, end);
  if (unit.empty()) return power_of(number, scale, false);
  if (unit == "W") return power_of(number, 1.0, true);
  if (is_mega_or_milli(unit)) return power_of(number, scale, false);
  if (const auto stated = power_unit(unit)) return power_of(number, stated, true);
  return read_grouped_power(cell, scale, decimals);
}

std::optional<double> read_number(std::string_view cell, double scale, Decimals decimals) {
  double number = 0.0;
  const auto [rest, code] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  const std::size_t taken = static_cast<std::size_t>(rest - cell.data());
  if (decimals == Decimals::comma || (taken < cell.size() && goes_on(cell.substr(taken)))) {
    const auto grouped = grouped_number(cell, decimals);
    if (!grouped || goes_on(cell)) return std::nullopt;
    number = *grouped;
  } else if (code != std::errc{} || taken == 0 || !std::isfinite(number)) {
    return std::nullopt;
  }
  const double value = scaled(number, scale);
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace wattrein::trace
