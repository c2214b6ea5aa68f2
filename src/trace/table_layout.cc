#include "trace/table_layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kFullHead = std::size_t{64} << 10;
constexpr std::size_t kProbeLines = 300;
constexpr std::size_t kMaxHeaders = 20;

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A piece between separators into words: "GPUId" is GPU, Id; "powerMw" is power, Mw; "mW" stays whole.
void split_piece(std::string_view piece, std::vector<std::string>& tokens) {
  if (power_unit(piece) || energy_unit(piece) || parse_time_unit(piece)) {
    tokens.push_back(lower(piece));
    return;
  }
  std::string_view unit;
  for (const std::string_view mixed : {"mW", "kW", "mJ", "kWh"}) {
    if (piece.size() > mixed.size() && piece.ends_with(mixed)) unit = piece.substr(piece.size() - mixed.size());
  }
  piece.remove_suffix(unit.size());
  std::size_t start = 0;
  for (std::size_t i = 1; i < piece.size(); ++i) {
    const bool hump = !is_upper(piece[i - 1]) && is_upper(piece[i]);
    const bool after_acronym =
        is_upper(piece[i - 1]) && is_upper(piece[i]) && i + 1 < piece.size() && is_lower(piece[i + 1]);
    if (!hump && !after_acronym) continue;
    tokens.push_back(lower(piece.substr(start, i - start)));
    start = i;
  }
  if (start < piece.size()) tokens.push_back(lower(piece.substr(start)));
  if (!unit.empty()) tokens.push_back(lower(unit));
}

void take_unit(std::string_view unit, ColumnName& name) {
  name.power_scale = power_unit(unit);
  name.energy_scale = energy_unit(unit);
  name.time_unit = parse_time_unit(unit);
}

/// "power_MW", "power MW", "powerMW": milli or mega, which only the user knows.
bool ends_in_mega(std::string_view base) {
  std::size_t start = base.size();
  while (start > 0 && (is_upper(base[start - 1]) || base[start - 1] == 'h')) --start;
  return is_mega_or_milli(base.substr(start));
}

/// Lines of the head, without a last one that the head's own end has cut.
std::vector<std::string_view> lines_of(std::string_view head) {
  std::vector<std::string_view> lines;
  const bool cut = head.size() >= kFullHead;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    if (end == std::string_view::npos && cut && !lines.empty()) break;
    const std::string_view line = trim(head.substr(0, end));
    if (!line.empty()) lines.push_back(line);
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return lines;
}

std::size_t usual_count(std::span<const std::size_t> counts, std::size_t& lines_with_it) {
  std::map<std::size_t, std::size_t> seen;
  for (const std::size_t n : counts) ++seen[n];
  std::size_t best = 0;
  lines_with_it = 0;
  for (const auto& [count, lines] : seen) {
    if (lines >= lines_with_it) {
      best = count;
      lines_with_it = lines;
    }
  }
  return best;
}

/// The delimiter that cuts most lines into the same number (two or more) of cells. Semicolons and tabs go before
/// commas, which cells and decimals may hold.
char find_delimiter(std::span<const std::string_view> lines) {
  char best = ',';
  std::size_t best_lines = 0;
  std::vector<std::string_view> cells;
  for (const char delimiter : {'\t', ';', ',', kBlanks}) {
    std::vector<std::size_t> counts;
    for (const std::string_view line : lines.first(std::min(lines.size(), kProbeLines))) {
      split_cells(line, delimiter, cells);
      if (cells.size() > 1) counts.push_back(cells.size());
    }
    std::size_t with_it = 0;
    usual_count(counts, with_it);
    if (with_it > best_lines) {
      best_lines = with_it;
      best = delimiter;
    }
  }
  return best;
}

/// A cell that only a data row has: a number, with or without a unit, or a stamp.
bool is_data(std::string_view cell) {
  // "8-Pin #1 Power [W]" is a name.
  if (cell.empty() || cell.back() == ']' || cell.back() == ')') return false;
  return is_digit(cell.front()) ||
         ((cell.front() == '-' || cell.front() == '+' || cell.front() == '.') && cell.size() > 1 && is_digit(cell[1]));
}

std::vector<ColumnName> names_of(std::span<const std::string_view> cells) {
  std::vector<ColumnName> names;
  for (std::string_view cell : cells) {
    if (names.empty() && cell.starts_with('#')) cell = trim(cell.substr(1));
    names.push_back(parse_column_name(cell));
  }
  return names;
}

}  // namespace

bool ColumnName::has(std::string_view token) const { return std::ranges::find(tokens, token) != tokens.end(); }

std::string_view odd_unit(std::string_view name) {
  if (name.empty() || (name.back() != 'W' && name.back() != 'J')) return {};
  std::size_t start = name.size() - 1;
  while (start > 0 && (is_digit(name[start - 1]) || is_lower(name[start - 1]) || name[start - 1] == '.')) --start;
  const std::string_view piece = name.substr(start);
  const std::string_view prefix = piece.substr(0, piece.size() - 1);
  const bool number = !prefix.empty() && std::ranges::all_of(prefix, [](char c) { return is_digit(c) || c == '.'; });
  static constexpr std::array<std::string_view, 5> kPrefixes{"d", "c", "h", "da", "n"};
  return number || std::ranges::find(kPrefixes, prefix) != kPrefixes.end() ? piece : std::string_view();
}

namespace {

/// A name whose unit, if it has one, stands at its end.
ColumnName parse_plain_name(std::string_view text) {
  ColumnName name;
  name.text = std::string(trim(text));
  std::string_view base = trim(text);
  if (const std::size_t open = base.find_last_of("[("); open != std::string_view::npos && open > 0) {
    const char close = base[open] == '[' ? ']' : ')';
    if (base.back() == close) {
      const std::string_view unit = trim(base.substr(open + 1, base.size() - open - 2));
      take_unit(unit, name);
      name.states_unit = is_mega_or_milli(unit);
      base = trim(base.substr(0, open));
    }
  }
  const bool unit_in_brackets = base.size() < trim(text).size();
  name.base = lower(base);
  std::size_t start = 0;
  for (std::size_t i = 0; i <= base.size(); ++i) {
    const bool inside = i < base.size() && (is_upper(base[i]) || is_lower(base[i]) || is_digit(base[i]) ||
                                            static_cast<unsigned char>(base[i]) >= 0x80);
    if (inside) continue;
    if (i > start) split_piece(base.substr(start, i - start), name.tokens);
    start = i + 1;
  }
  if (!unit_in_brackets && name.tokens.size() > 1 && (ends_in_mega(base) || !odd_unit(base).empty())) {
    name.tokens.pop_back();
    name.states_unit = true;
  } else if (!unit_in_brackets && name.tokens.size() > 1) {
    take_unit(name.tokens.back(), name);
    if (name.power_scale || name.energy_scale || name.time_unit) name.tokens.pop_back();
  } else if (!unit_in_brackets && name.tokens.size() == 1) {
    name.power_scale = power_unit(name.tokens.back());  // "Watts" is a name and a unit at once
  }
  name.states_unit = name.states_unit || name.power_scale || name.energy_scale || name.time_unit;
  return name;
}

/// What stands before the last separator where a device's number or numbered name follows: "power_w" of "power_w.1",
/// "power_w.gpu3". Empty where none does.
std::string_view before_device(std::string_view name) {
  constexpr std::size_t kMaxDigits = 4;
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  std::size_t start = digits;
  while (start > 0 && (is_lower(name[start - 1]) || is_upper(name[start - 1]))) --start;
  if (digits == name.size() || name.size() - digits > kMaxDigits || start < 2) return {};
  static constexpr std::array<std::string_view, 7> kDevices{"", "gpu", "card", "device", "cuda", "node", "host"};
  const std::string device = lower(name.substr(start, digits - start));
  const char separator = name[start - 1];
  if (std::ranges::find(kDevices, device) == kDevices.end() || (separator != '.' && separator != '_')) return {};
  // "0.5": a number of its own.
  return is_digit(name[start - 2]) && device.empty() ? std::string_view() : name.substr(0, start - 1);
}

}  // namespace

ColumnName parse_column_name(std::string_view text) {
  ColumnName name = parse_plain_name(text);
  if (const std::string_view front = before_device(trim(text)); !name.states_unit && !front.empty()) {
    ColumnName of_all = parse_plain_name(front);
    if (of_all.states_unit && !of_all.time_unit) {
      of_all.tokens.push_back(name.tokens.back());
      of_all.text = std::move(name.text);
      of_all.base = std::move(name.base);
      name = std::move(of_all);
    }
  }
  for (const std::string& token : name.tokens) name.words += (name.words.empty() ? "" : "_") + token;
  return name;
}

std::string Layout::label(int column) const {
  const auto index = static_cast<std::size_t>(column);
  return index < names.size() && !names[index].text.empty() ? names[index].text : fmt::format("#{}", column + 1);
}

bool are_json_lines(std::string_view head) {
  std::vector<std::string_view> lines = lines_of(head);
  lines.resize(std::min(lines.size(), kProbeLines));
  return !lines.empty() && std::ranges::all_of(lines, [](std::string_view line) { return line.starts_with('{'); });
}

std::optional<Layout> find_layout(std::string_view head, const HeaderScore& score, std::optional<char> delimiter) {
  const std::vector<std::string_view> lines = lines_of(head);
  if (lines.empty()) return std::nullopt;
  Layout layout;
  layout.delimiter = delimiter ? *delimiter : find_delimiter(lines);

  int best_score = -1;
  std::size_t headers = 0;
  std::vector<std::size_t> counts;
  std::vector<std::string_view> cells;
  for (const std::string_view line : lines) {
    split_cells(line, layout.delimiter, cells);
    if (std::ranges::any_of(cells, is_data)) {
      counts.push_back(cells.size());
      layout.rows.push_back(cells);
      continue;
    }
    if (headers == kMaxHeaders || line == layout.header) continue;
    ++headers;
    std::vector<ColumnName> names = names_of(cells);
    if (const int points = score(names); points > best_score) {
      best_score = points;
      layout.names = std::move(names);
      layout.header = std::string(line);
    }
  }
  std::size_t rows = 0;
  layout.cells = usual_count(counts, rows);
  // A line that says nothing to the reader and has another number of cells is a banner, not a header.
  if (best_score <= 0 && layout.names.size() != layout.cells) {
    layout.names.clear();
    layout.header.clear();
  }
  if (layout.cells == 0) layout.cells = layout.names.size();
  return layout;
}

}  // namespace wattrein::trace
