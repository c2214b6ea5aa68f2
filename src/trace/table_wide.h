#pragma once
// Tables with a power column for each device: columns whose names differ in one number only.

#include <span>
#include <string>
#include <vector>

#include "trace/table_columns.h"
#include "trace/table_layout.h"

namespace wattrein::trace {

/// "gpu0_power_w", "gpu1_power_mw": `pattern` is "gpu#_power", each column has a unit of its own, and the numbers are
/// all different and in the file's order. pandas calls columns of one name "power_w", "power_w.1", ...: numbers 0, 1,
/// ...
struct ColumnFamily {
  std::string pattern;
  std::vector<std::int64_t> numbers;
  std::vector<int> columns;
  bool copies = false;  ///< of pandas' kind
};

/// The families of two columns and more among `columns`. Numbers that count something else (seconds of an average,
/// percentiles, pins, rails, cores) make none.
[[nodiscard]] std::vector<ColumnFamily> column_families(std::span<const ColumnName> names,
                                                        std::span<const int> columns);

/// Whether the number of a family stands for a device by what stands before it ("gpu#", "card #").
[[nodiscard]] bool names_devices(const ColumnFamily& family);

}  // namespace wattrein::trace
