#pragma once
// Lines into cells, and cells into watts: the inner loop of every table reader. No allocation per cell.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/number_format.h"

namespace wattrein::trace {

/// kBlanks: columns set apart by two or more blanks, as tools print tables.
inline constexpr char kBlanks = '\0';

/// Splits into trimmed cells. Quotes around a cell are taken off and delimiters inside them do not count; a
/// doubled quote stays doubled (undoubled() is for names). `cells` keeps its memory between calls.
void split_cells(std::string_view line, char delimiter, std::vector<std::string_view>& cells);
/// A name with doubled quotes made single.
[[nodiscard]] std::string undoubled(std::string_view cell);

/// A cell that says that there is no value: "", "N/A", "[Not Supported]", "ERR!", "nan", "-", "null", ...
[[nodiscard]] bool is_unknown_cell(std::string_view cell);

/// "MW", "MJ", "MWh": mega by the book, and as often milli in capitals. No unit, so that it has to be stated.
[[nodiscard]] bool is_mega_or_milli(std::string_view name);

/// Watts (or joules) a unit of this name in any case; nothing for other names, and for those above.
[[nodiscard]] std::optional<double> power_unit(std::string_view name);
[[nodiscard]] std::optional<double> energy_unit(std::string_view name);

/// number * scale; divides by whole numbers where the scale is a fraction, so that 32402 mW is 32.402 W to the last
/// bit.
[[nodiscard]] double scaled(double number, double scale);

struct Reading {
  enum class Kind : std::uint8_t { value, unknown, unreadable };
  Kind kind = Kind::unreadable;
  double value = 0.0;         ///< in the base unit
  bool unit_in_cell = false;  ///< "71.25 W"
};
/// `scale` is that of a cell without a unit of its own; nothing = such a cell is unreadable.
/// `decimals` is the column's, from DecimalsEvidence.
[[nodiscard]] Reading read_power(std::string_view cell, std::optional<double> scale,
                                 Decimals decimals = Decimals::unknown);
/// A number times `scale`; a unit behind it is not looked at.
[[nodiscard]] std::optional<double> read_number(std::string_view cell, double scale,
                                                Decimals decimals = Decimals::unknown);

}  // namespace wattrein::trace
