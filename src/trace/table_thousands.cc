#include "trace/table_thousands.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trace/number_format.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kOddOnes = 20;  // one cell in so many may be damaged

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_mark(char c) { return c == ',' || c == '.'; }

bool is_usual(const Layout& layout, const std::vector<std::string_view>& row) {
  return row.size() == layout.cells || row.size() == layout.names.size();
}

enum class Form : unsigned char { other, fits, contradicts };

/// The digits, commas and points at its start, the sign aside.
std::string_view number_of(std::string_view cell) {
  if (!cell.empty() && (cell[0] == '-' || cell[0] == '+')) cell.remove_prefix(1);
  const auto end = std::ranges::find_if_not(cell, [](char c) { return is_digit(c) || is_mark(c); });
  return cell.substr(0, static_cast<std::size_t>(end - cell.begin()));
}

/// "4.316": one to three digits, then groups of three. Numbers that would have had to be grouped contradict.
Form form_of(std::string_view cell) {
  const std::string_view number = number_of(cell);
  if (number.empty() || !is_digit(number[0])) return Form::other;
  if (number.find(',') != std::string_view::npos) return Form::contradicts;  // which the column decides by itself
  const std::size_t first = std::min(number.find('.'), number.size());
  if (first == number.size()) return first > 3 ? Form::contradicts : Form::other;
  if (first > 3 || number[0] == '0') return Form::contradicts;
  for (std::size_t at = first; at < number.size(); at += 4) {
    const std::string_view group = number.substr(at + 1, 3);
    if (number[at] != '.' || group.size() != 3 || !std::ranges::all_of(group, is_digit)) return Form::contradicts;
  }
  return Form::fits;
}

/// "12,345": a decimal comma, or one between thousands. How many of the latter it would have; zero if it cannot be.
std::size_t comma_groups(std::string_view cell) {
  std::string text(number_of(cell));
  if (text.find('.') != std::string::npos) return 0;
  std::ranges::replace(text, ',', '.');
  return form_of(text) == Form::fits ? static_cast<std::size_t>(std::ranges::count(text, '.')) : 0;
}

/// What a column that is not asked about shows.
struct Elsewhere {
  std::string_view comma;  ///< a number with a decimal comma
  bool varies = false;     ///< there are several such numbers: it is no "0,1" that lists two GPUs
  bool point = false;      ///< a number with a decimal point that no groups explain
};

Elsewhere shown_in(const Layout& layout, int column) {
  Elsewhere shown;
  for (const auto& row : layout.rows) {
    const std::string_view cell = Layout::cell(row, column);
    if (!is_usual(layout, row) || is_unknown_cell(cell)) continue;
    if (const std::size_t groups = comma_groups(cell); groups > 0) {  // "1,234" says nothing, "1,234,567" does
      shown.point = shown.point || groups > 1;
      continue;
    }
    std::string_view rest = cell;
    const bool comma = cell.find(',') != std::string_view::npos;
    const auto number = read_grouped(rest, comma ? Decimals::comma : Decimals::point);
    if (!number || std::ranges::any_of(rest, [](char c) { return is_digit(c) || is_mark(c); })) return {};
    if (comma) {
      shown.varies = shown.varies || (!shown.comma.empty() && shown.comma != cell);
      if (shown.comma.empty()) shown.comma = cell;
    } else if (cell.find('.') != std::string_view::npos && form_of(cell) == Form::contradicts) {
      shown.point = true;
    }
  }
  return shown;
}

/// "17.05.2024 15:38:28,411" is written by a locale; "2024-05-17 15:38:28,411" by Python's logging, whatever the
/// locale.
struct StampComma {
  std::string_view cell;
  bool locale = false;
};

StampComma stamp_comma(const Layout& layout, int time) {
  for (const auto& row : layout.rows) {
    const std::string_view cell = Layout::cell(row, time);
    const std::size_t clock = cell.find(':');
    if (!is_usual(layout, row) || clock == std::string_view::npos) continue;
    const std::size_t comma = cell.find(',', clock);
    if (comma == std::string_view::npos || comma + 1 == cell.size() || !is_digit(cell[comma + 1])) return {};
    return {.cell = cell, .locale = cell.find('.') < clock};
  }
  return {};
}

}  // namespace

GroupedPoints grouped_points(const Layout& layout, const std::vector<int>& columns, int time, double largest) {
  GroupedPoints found;
  if (layout.has_header() && layout.header.empty()) return found;  // JSON
  std::int64_t fits = 0;
  std::int64_t contradictions = 0;
  double highest = 0.0;
  for (const auto& row : layout.rows) {
    if (!is_usual(layout, row)) continue;
    for (const int column : columns) {
      std::string_view cell = Layout::cell(row, column);
      const Form form = form_of(cell);
      if (form == Form::contradicts) ++contradictions;
      if (form != Form::fits) continue;
      ++fits;
      if (found.example.empty()) found.example = cell;
      highest = std::max(highest, read_grouped(cell, Decimals::comma).value_or(0.0));
    }
  }
  if (contradictions * kOddOnes > fits) return found;
  bool sure = false;
  bool constant = false;
  bool against = contradictions > 0 || highest > largest;
  if (const StampComma stamp = stamp_comma(layout, time); !stamp.cell.empty()) {
    found.shown_by = stamp.cell;
    sure = stamp.locale;
  }
  for (int i = 0; i < static_cast<int>(layout.width()); ++i) {
    if (i == time || std::ranges::find(columns, i) != columns.end()) continue;
    const Elsewhere shown = shown_in(layout, i);
    against = against || shown.point;
    if (shown.comma.empty()) continue;
    if (found.shown_by.empty() || (shown.varies && !sure)) found.shown_by = shown.comma;
    sure = sure || shown.varies;
    constant = constant || !shown.varies;
  }
  if (found.shown_by.empty()) return found;
  if (sure && !against) found.verdict = GroupedPoints::Verdict::grouped;
  if ((!sure || against) && fits > 0) {
    found.verdict = constant && !against ? GroupedPoints::Verdict::open : GroupedPoints::Verdict::doubtful;
  }
  return found;
}

}  // namespace wattrein::trace
