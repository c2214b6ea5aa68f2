#include "trace/table_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "base/text.h"
#include "trace/table_cells.h"
#include "trace/table_thousands.h"

namespace wattrein::trace {

namespace {

struct NumberColumn {
  int column;
  Decimals& decimals;
};

/// Banners and torn rows have other cells in a column's place.
bool is_usual(const Layout& layout, std::span<const std::string_view> row) {
  return row.size() == layout.cells || row.size() == layout.names.size();
}

void add_decimals_of(const Layout& layout, int column, DecimalsEvidence& evidence) {
  for (const auto& row : layout.rows) {
    if (!is_usual(layout, row)) continue;
    const std::string_view cell = Layout::cell(row, column);
    // "12:00:01,5" and "31.12.2025" are no numbers.
    if (cell.find_first_of(":/") == std::string_view::npos) evidence.add(cell);
  }
}

std::array<NumberColumn, 6> number_columns(const ColumnMap& map, ColumnFormats& formats) {
  return {{{map.power, formats.power},
           {map.time, formats.time},
           {map.average, formats.average},
           {map.limit, formats.limit},
           {map.nameplate, formats.nameplate},
           {map.energy, formats.energy}}};
}

std::unexpected<Error> decimals_open(const Layout& layout, int column, std::string_view cell, const Input& input) {
  return fail(ErrorKind::bad_input, input.name(),
              cell.empty() ? fmt::format("some numbers of column '{}' have a decimal comma and some a decimal point",
                                         printable(layout.label(column), 40))
                           : fmt::format("a number such as '{}' in column '{}' has a comma either before its decimals "
                                         "or between thousands, and no other cell decides",
                                         printable(cell, 40), printable(layout.label(column), 40)),
              "State it: --decimal , if decimals stand behind the comma, --decimal . if thousands do.");
}

std::unexpected<Error> thousands_open(const Layout& layout, int column, std::string_view cell, const Input& input) {
  return fail(
      ErrorKind::bad_input, input.name(),
      fmt::format("a number such as '{}' in column '{}' has a point either between thousands, since other columns "
                  "have decimal commas, or before its decimals, and no other cell decides",
                  printable(cell, 40), printable(layout.label(column), 40)),
      "State it: --decimal , if thousands stand before the point, --decimal . if decimals stand behind it.");
}

/// What the columns that are not read show, as far as they agree.
Decimals decimals_of_the_rest(const Layout& layout) {
  Decimals common = Decimals::unknown;
  for (std::size_t i = 0; i < layout.width(); ++i) {
    const Decimals shown = decimals_of(layout, static_cast<int>(i)).decided();
    if (shown == Decimals::unknown) continue;
    if (common != Decimals::unknown && common != shown) return Decimals::unknown;
    common = shown;
  }
  return common;
}

Result<void> find_decimals(const Layout& layout, const ColumnMap& map, const Input& input, ColumnFormats& formats) {
  std::array<DecimalsEvidence, 6> evidence;
  const auto columns = number_columns(map, formats);
  Decimals common = Decimals::unknown;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].column < 0) continue;
    evidence[i] = decimals_of(layout, columns[i].column);
    if (i == 0) {
      for (const DeviceColumns& device : map.wide) add_decimals_of(layout, device.power, evidence[i]);
    }
    columns[i].decimals = evidence[i].decided();
    if (common == Decimals::unknown) common = columns[i].decimals;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].column < 0 || columns[i].decimals != Decimals::unknown) continue;
    // A column without any comma is read as it stands, whatever the others do.
    if (!evidence[i].undecided()) continue;
    if (common == Decimals::unknown) common = decimals_of_the_rest(layout);
    if (common == Decimals::unknown || evidence[i].example().empty()) {
      return decimals_open(layout, columns[i].column, evidence[i].example(), input);
    }
    columns[i].decimals = common;
  }
  return {};
}

/// The numbers of columns that show nothing may still grow decimals or thousands further on: they are read as the
/// other columns are, unless they have points that would then be thousands.
void lend_decimals(const Layout& layout, const ColumnMap& map, ColumnFormats& formats) {
  const auto columns = number_columns(map, formats);
  const auto known =
      std::ranges::find_if(columns, [](const NumberColumn& c) { return c.decimals != Decimals::unknown; });
  if (known == columns.end()) return;
  for (const NumberColumn& c : columns) {
    if (c.column < 0 || c.decimals != Decimals::unknown) continue;
    const bool points = std::ranges::any_of(layout.rows, [&](const auto& row) {
      return is_usual(layout, row) && Layout::cell(row, c.column).find('.') != std::string_view::npos;
    });
    if (!points) c.decimals = known->decimals;
  }
}

/// Where points stand between thousands, or may.
Result<void> settle_thousands(const Layout& layout, const ColumnMap& map, const Input& input, ColumnFormats& formats) {
  for (const NumberColumn& c : number_columns(map, formats)) {
    if (c.column < 0 || c.column == map.time || c.decimals == Decimals::comma) continue;
    std::vector<int> columns{c.column};
    if (c.column == map.power) {
      for (const DeviceColumns& device : map.wide) columns.push_back(device.power);
    }
    constexpr double kMostWatts = 200'000.0;  // no feed of a rack gives more
    const double most = c.column == map.power && !map.from_counter ? kMostWatts / map.power_scale.value_or(1.0)
                                                                   : std::numeric_limits<double>::infinity();
    const GroupedPoints found = grouped_points(layout, columns, map.time, most);
    const std::string label = printable(layout.label(c.column), 40);
    const std::string shown_by = printable(found.shown_by, 40);
    if (found.verdict == GroupedPoints::Verdict::grouped) {
      c.decimals = Decimals::comma;
      formats.notes.push_back(
          found.example.empty()
              ? fmt::format("A point in column '{}' would stand between thousands: a cell such as '{}' has a decimal "
                            "comma.",
                            label, shown_by)
              : fmt::format("The points of column '{}' stand between thousands, as in '{}': a cell such as '{}' has a "
                            "decimal comma.",
                            label, printable(found.example, 40), shown_by));
    }
    if (found.verdict == GroupedPoints::Verdict::open) return thousands_open(layout, c.column, found.example, input);
    if (found.verdict == GroupedPoints::Verdict::doubtful && c.column == map.power) {
      formats.warnings.push_back(fmt::format(
          "A number such as '{}' in column '{}' is read with a decimal point, though a cell such as '{}' has a comma "
          "there: say --decimal , if its point stands between thousands, --decimal . if not.",
          printable(found.example, 40), label, shown_by));
    }
  }
  return {};
}

Result<void> find_date_order(const Layout& layout, const ColumnMap& map, const Input& input, ColumnFormats& formats) {
  std::vector<std::string> stamps;
  for (const auto& row : layout.rows) {
    if (!is_usual(layout, row)) continue;
    const std::string_view time = Layout::cell(row, map.time);
    stamps.push_back(map.date < 0 ? std::string(time) : fmt::format("{} {}", Layout::cell(row, map.date), time));
  }
  const std::vector<std::string_view> cells(stamps.begin(), stamps.end());
  const DateOrderSample sample = sample_date_order(cells);
  if (sample.example.empty()) return {};
  formats.date_order = sample.order;
  if (sample.order == DateOrder::unknown) {
    return fail(
        ErrorKind::bad_input, input.name(),
        fmt::format("a date such as '{}' in column '{}' may have its day or its month first, and no other decides",
                    printable(sample.example, 40), printable(layout.label(map.time), 40)),
        "State it: --date-order dmy if the day comes first, --date-order mdy if the month does.");
  }
  formats.notes.push_back(fmt::format("Its dates have the {} first: one of the numbers is above 12.",
                                      sample.order == DateOrder::dmy ? "day" : "month"));
  return {};
}

/// Polls that are minutes apart at most, if numbers of this size are days: seconds since some zero would be polls of a
/// few thousandths.
bool are_spreadsheet_days(const Layout& layout, const ColumnMap& map, Decimals decimals) {
  constexpr double kMostDaysApart = 0.005;
  std::vector<double> steps;
  double before = 0.0;
  for (const auto& row : layout.rows) {
    const std::string_view cell = Layout::cell(row, map.time);
    if (!is_usual(layout, row) || is_unknown_cell(cell)) continue;
    if (!is_spreadsheet_day(cell, decimals)) return false;
    const double day = read_number(cell, 1.0, decimals).value_or(0.0);
    if (before > 0.0 && day != before) steps.push_back(std::abs(day - before));
    before = day;
  }
  if (steps.empty()) return false;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return *middle <= kMostDaysApart;
}

void find_spreadsheet_days(const Layout& layout, const ColumnMap& map, const ReadOptions& options,
                           ColumnFormats& formats) {
  if (map.time < 0 || map.date >= 0 || !are_spreadsheet_days(layout, map, formats.time)) return;
  if (!map.time_unit) {
    formats.spreadsheet_days = true;
    formats.notes.push_back("The stamps are numbers as a spreadsheet keeps a moment: days since 1899-12-30.");
  } else if (!options.time_unit.empty()) {
    formats.warnings.push_back(fmt::format(
        "The stamps look like a spreadsheet's days since 1899-12-30, and were read in {} as stated: without "
        "--time-unit they are read as days.",
        name(*map.time_unit)));
  }
}

/// "1.77533E+09": what a spreadsheet leaves of a long number.
bool is_rounded(std::string_view cell) {
  const std::size_t e = cell.find_first_of("eE");
  return e != std::string_view::npos && e > 0 && cell.find_first_not_of("0123456789.,") == e;
}

}  // namespace

DecimalsEvidence decimals_of(const Layout& layout, int column) {
  DecimalsEvidence evidence;
  add_decimals_of(layout, column, evidence);
  return evidence;
}

Result<ColumnFormats> column_formats(const Layout& layout, const ColumnMap& map, const ReadOptions& options,
                                     const Input& input) {
  ColumnFormats formats;
  if (!options.decimal.empty()) {
    const auto stated = parse_decimals(options.decimal);
    if (!stated) {
      return fail(ErrorKind::usage, "--decimal", fmt::format("'{}' is no decimal sign", printable(options.decimal)),
                  "Write , or a point.");
    }
    for (const NumberColumn& c : number_columns(map, formats)) c.decimals = *stated;
  } else {
    if (auto found = find_decimals(layout, map, input, formats); !found) return std::unexpected(found.error());
    lend_decimals(layout, map, formats);
    if (formats.power == Decimals::comma) {
      formats.notes.push_back(
          fmt::format("The numbers of column '{}' have a decimal comma.", printable(layout.label(map.power), 40)));
    }
    const DecimalsEvidence power = decimals_of(layout, map.power);
    if (formats.power == Decimals::point && !power.example().empty()) {
      formats.notes.push_back(fmt::format("The commas of column '{}' stand between thousands, as in '{}'.",
                                          printable(layout.label(map.power), 40), printable(power.example(), 40)));
    }
    if (auto settled = settle_thousands(layout, map, input, formats); !settled) return std::unexpected(settled.error());
  }
  find_spreadsheet_days(layout, map, options, formats);
  if (!options.date_order.empty()) {
    const auto stated = parse_date_order(options.date_order);
    if (!stated) {
      return fail(ErrorKind::usage, "--date-order",
                  fmt::format("'{}' is no order of day and month", printable(options.date_order)), "Write dmy or mdy.");
    }
    formats.date_order = *stated;
  } else if (map.time >= 0) {
    if (auto found = find_date_order(layout, map, input, formats); !found) return std::unexpected(found.error());
  }
  return formats;
}

std::string why_no_stamp(std::string_view cell, const ColumnMap& map, const ReadOptions& options) {
  if (is_rounded(cell)) return "was rounded by a spreadsheet, its last digits are lost: read the log as it was written";
  if (!parse_double(cell) || !options.time_unit.empty()) return "cannot be read";
  const auto by_size = unit_of_epoch(cell);
  if (!map.time_unit) {
    if (is_spreadsheet_day(cell, Decimals::point)) {
      return "is a number whose unit nothing states (--time-unit s, ms, us or ns), or a spreadsheet's day (save the "
             "column as date and time)";
    }
    return "is a number whose unit nothing states (--time-unit s, ms, us or ns)";
  }
  if (!by_size) return "cannot be read";
  return fmt::format("cannot be in {}, as the header says: by its size it is in {} (--time-unit {})",
                     name(*map.time_unit), name(*by_size), name(*by_size));
}

void note_unit_conflicts(const Layout& layout, const ReadOptions& options, ColumnMap& map) {
  const auto stated = power_unit(options.power_unit);
  if (stated && map.power >= 0) {
    const DecimalsEvidence decimals = decimals_of(layout, map.power);
    for (const auto& row : layout.rows) {
      const std::string_view cell = Layout::cell(row, map.power);
      if (cell.data() == nullptr) continue;
      const Reading own = read_power(cell, {}, decimals.decided());
      const Reading as_stated =
          read_power(cell.substr(0, cell.find_last_of("0123456789") + 1), stated, decimals.decided());
      if (own.kind != Reading::Kind::value || as_stated.kind != Reading::Kind::value || own.value == as_stated.value) {
        continue;
      }
      map.notes.push_back(
          fmt::format("A cell such as '{}' carries its own unit: that was taken there, and not --unit {}.",
                      printable(cell, 40), printable(options.power_unit, 10)));
      break;
    }
  }
  const ColumnName* time =
      map.time >= 0 && layout.has_header() ? &layout.names[static_cast<std::size_t>(map.time)] : nullptr;
  const auto time_stated = parse_time_unit(options.time_unit);
  if (time_stated && time != nullptr && time->time_unit && *time->time_unit != *time_stated) {
    map.notes.push_back(fmt::format("The header says '{}' and --time-unit says {}: --time-unit was taken.",
                                    printable(time->text, 40), name(*time_stated)));
  }
}

}  // namespace wattrein::trace
