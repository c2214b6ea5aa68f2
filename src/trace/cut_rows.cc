#include "trace/cut_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kLeastUsual = 3;      // rows; fewer may be cut alike by chance
constexpr std::size_t kUsualShare = 20;     // one in so many; more damage than that is refused anyway
constexpr std::size_t kLeastEmpty = 2;      // of them, where their last cell is empty
constexpr std::size_t kLeastSeparator = 3;  // lines between the polls
constexpr std::size_t kAskedRows = 300;
constexpr std::size_t kLeastSampled = 4;                     // whole rows
constexpr std::int64_t kMostAsked = 10'000;                  // a file of more such lines is no table with a few cuts
constexpr std::size_t kMostSuspects = std::size_t{1} << 22;  // of a file of gigabytes

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// How a number is written: its decimals, and whether a unit stands behind it.
struct Number {
  std::size_t decimals = 0;
  std::size_t digits = 0;  ///< decimals among them
  bool unit = false;
  bool padded = false;  ///< the last decimal is a zero
  bool zero = false;    ///< nothing but "0"
};

/// Nothing for what is no plain number ("N/A", "1e-5").
std::optional<Number> number_of(std::string_view cell, char point) {
  Number number;
  std::size_t at = !cell.empty() && (cell[0] == '-' || cell[0] == '+') ? 1 : 0;
  const std::size_t begin = at;
  bool behind_point = false;
  for (; at < cell.size(); ++at) {
    if (is_digit(cell[at])) {
      ++number.digits;
      if (behind_point) ++number.decimals;
    } else if (cell[at] == point && !behind_point) {
      behind_point = true;
    } else {
      break;
    }
  }
  if (at == begin) return std::nullopt;
  if (at < cell.size() && (cell[at] == 'e' || cell[at] == 'E')) return std::nullopt;
  number.padded = number.decimals > 0 && cell[at - 1] == '0';
  number.zero = cell == "0";
  number.unit = !trim(cell.substr(at)).empty();
  return number;
}

/// The stamp's fraction is what its last cell may lose: the decimals behind its last point.
std::optional<Number> last_number_of(std::string_view cell, char point) {
  const std::size_t colon = cell.find_last_of(": T");
  return number_of(colon == std::string_view::npos ? cell : cell.substr(colon + 1), point);
}

template <class Take>
void for_each_read(const ColumnMap& map, Take take) {
  for (const int column : {map.time, map.date, map.power, map.device, map.host, map.instance}) take(column);
  if (map.model_tells) take(map.model);
  for (const DeviceColumns& columns : map.wide) take(columns.power);
}

char point_of_time(const ColumnFormats& formats) { return formats.time == Decimals::comma ? ',' : '.'; }
char point_of(const ColumnFormats& formats) { return formats.power == Decimals::comma ? ',' : '.'; }

/// As many letters as digits: "2025/07/2" is the start of any stamp of that form.
bool starts_like(std::string_view text, std::string_view whole) {
  if (text.size() > whole.size()) return false;
  return std::ranges::equal(text, whole.substr(0, text.size()),
                            [](char a, char b) { return a == b || (is_digit(a) && is_digit(b)); });
}

}  // namespace

LastCell last_cell_of(const Layout& layout, const ColumnMap& map, const ColumnFormats& formats) {
  LastCell found;
  if (layout.cells == 0) return found;
  const int last = static_cast<int>(layout.cells) - 1;
  const bool is_power =
      last == map.power || std::ranges::any_of(map.wide, [last](const DeviceColumns& d) { return d.power == last; });
  if (!is_power && last != map.time) return found;
  const char point = is_power ? point_of(formats) : point_of_time(formats);
  std::size_t all = 0;
  std::size_t with_unit = 0;
  std::map<std::size_t, std::size_t> decimals;
  std::map<std::size_t, bool> padded;
  std::size_t digits = 0;
  for (const auto& row : layout.rows) {
    if (row.size() != layout.cells) continue;
    const auto number = is_power ? number_of(row.back(), point) : last_number_of(row.back(), point);
    if (!number) continue;
    ++all;
    if (number->unit) ++with_unit;
    ++decimals[number->decimals];
    digits = std::max(digits, number->digits);
    padded[number->decimals] = padded[number->decimals] || number->padded;
  }
  const std::size_t exceptions = std::max<std::size_t>(1, all / kUsualShare);
  if (all < kLeastSampled) return found;
  found.unit = is_power && with_unit > 0 && all - with_unit <= exceptions;
  const auto& [most, rows] = *decimals.rbegin();
  if (!found.unit && most > 0 && padded[most] && all - rows <= exceptions) found.decimals = most;
  found.digits = digits;
  return found;
}

CutRows::CutRows(const Layout& layout, const ColumnMap& map, const ColumnFormats& formats)
    : layout_(layout),
      time_last_(layout.cells > 0 && static_cast<int>(layout.cells) - 1 == map.time),
      point_(time_last_ ? point_of_time(formats) : point_of(formats)),
      last_(last_cell_of(layout, map, formats)) {
  needed_.resize(std::max(layout.cells, layout.names.size()));
  for_each_read(map, [this](int column) {
    if (column >= 0 && static_cast<std::size_t>(column) < needed_.size()) {
      needed_[static_cast<std::size_t>(column)] = true;
    }
  });
  for (const auto& row : layout.rows) ++sampled_[row.size()];
}

bool CutRows::is_short(std::size_t width) const {
  if (width >= layout_.cells) return false;
  const auto at = sampled_.find(width);
  const std::size_t rows = at == sampled_.end() ? 0 : at->second;
  return rows < kLeastUsual || rows * kUsualShare < layout_.rows.size();
}

bool CutRows::is_long(std::size_t width) const {
  const auto at = sampled_.find(width);
  return width > layout_.cells && (at == sampled_.end() || at->second < kLeastUsual);
}

bool CutRows::is_needed(std::size_t column) const { return column < needed_.size() && needed_[column]; }

CutRows::Doubt CutRows::doubt(std::span<const std::string_view> cells) {
  if (cells.empty() || !is_needed(cells.size() - 1)) return Doubt::none;
  if (is_short(cells.size())) return Doubt::width;
  if (cells.size() != layout_.cells || (!last_.unit && last_.decimals == 0)) return Doubt::none;
  const auto number = time_last_ ? last_number_of(cells.back(), point_) : number_of(cells.back(), point_);
  if (!number || number->zero) return Doubt::none;
  if (last_.unit) return number->unit ? Doubt::none : Doubt::unit;
  more_decimals_ = more_decimals_ || number->decimals > last_.decimals;
  // A meter of so many digits has fewer decimals above a power of ten: "1106.3" after "993.21".
  const bool as_many_digits = number->decimals > 0 && number->digits >= last_.digits;
  return number->decimals < last_.decimals && !as_many_digits ? Doubt::decimals : Doubt::none;
}

bool CutRows::starts_a_row(std::span<const std::string_view> cells) {
  if (cells.empty() || cells[0].empty() || asked_ == kMostAsked) return false;
  const bool longer = cells.size() > std::max(layout_.cells, layout_.names.size()) && is_long(cells.size());
  if (!longer && cells.size() >= layout_.cells) return false;
  const auto begin = needed_.begin() + static_cast<std::ptrdiff_t>(std::min(cells.size(), needed_.size())) - 1;
  if (!longer && std::find(begin, needed_.end(), true) == needed_.end()) return false;
  ++asked_;
  std::size_t alike = 0;  // lines between the polls, a date among them, come again and again
  bool fits = false;
  for (const auto& row : std::span(layout_.rows).first(std::min(layout_.rows.size(), kAskedRows))) {
    if (row.size() == cells.size() && row[0].size() == cells[0].size() && row.back().empty() == cells.back().empty()) {
      ++alike;
    }
    fits = fits || (row.size() == layout_.cells && starts_like(cells[0], row[0]));
  }
  return fits && alike < (cells.back().empty() ? kLeastEmpty : kLeastSeparator);
}

void CutRows::count(std::size_t width, std::int64_t rows) {
  rows_ += rows;
  if (width < layout_.cells) of_width_[width] += rows;
}

void CutRows::suspect(const Suspect& reading) {
  ++doubts_[reading.doubt];
  if (suspects_.size() < kMostSuspects) suspects_.push_back(reading);
}

bool CutRows::is_usual(std::int64_t rows) const {
  return rows >= static_cast<std::int64_t>(kLeastUsual) && rows * static_cast<std::int64_t>(kUsualShare) >= rows_;
}

std::vector<CutRows::Suspect> CutRows::cut(const std::function<std::size_t(std::size_t)>& rows_of) const {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> of_device;
  for (const Suspect& s : suspects_) {
    if (s.doubt == Doubt::width && s.device != kNoDevice) ++of_device[{s.device, s.width}];
  }
  std::vector<Suspect> found;
  for (const Suspect& s : suspects_) {
    if (s.doubt == Doubt::width) {
      const auto width = of_width_.find(s.width);
      if (width != of_width_.end() && is_usual(width->second)) continue;
      if (s.device != kNoDevice) {  // a device that has fewer columns
        const std::size_t rows = of_device[{s.device, s.width}];
        if (rows >= kLeastUsual && rows * 2 >= rows_of(s.device)) continue;
      }
    } else if (is_usual(doubts_.at(s.doubt)) || (s.doubt == Doubt::decimals && more_decimals_)) {
      continue;
    }
    found.push_back(s);
  }
  return found;
}

std::string CutRows::reason(const Suspect& reading) const {
  switch (reading.doubt) {
    case Doubt::unit: return "the row is cut: its last cell has no unit, and all others have";
    case Doubt::decimals:
      return fmt::format("the row is cut: its last cell has fewer than the {} that all others have",
                         counted(static_cast<std::int64_t>(last_.decimals), "decimal"));
    default:
      return fmt::format("the row is cut: it has {} of {} cells, and its reading stands in the last", reading.width,
                         layout_.cells);
  }
}

}  // namespace wattrein::trace
