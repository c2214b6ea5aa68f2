#pragma once
// The fast way through a table: whole blocks of rows that hold nothing but the usual. Whatever else turns up in a
// block, the block is left to the table engine, which reads every row and knows every exception.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/cut_rows.h"
#include "trace/table_columns.h"
#include "trace/table_formats.h"
#include "trace/table_layout.h"

namespace wattrein::trace {

/// The samples of each device in the file's order. Keeps its memory from block to block.
struct PlainBlock {
  struct Columns {
    std::vector<std::int64_t> time_ns;
    std::vector<double> power_w;
  };
  std::vector<Columns> devices;  ///< as in the keys
  std::int64_t lines = 0;
  bool unit_in_cells = false;
};

/// A plain row has as many cells as is usual and no quotes; its stamp is "2025/07/27 00:22:27.858" (also with '-' or
/// 'T', any decimals or none) without a zone; its power is digits with at most one point and at most the unit W; its
/// device has been seen before. Threads: parse() may run on several at once.
class PlainRows {
 public:
  /// Nothing for tables that need more than time, power and device (see plain_rows.cc).
  [[nodiscard]] static std::optional<PlainRows> of(const Layout& layout, const ColumnMap& map,
                                                   const ColumnFormats& formats);

  /// Whole lines into `out`, the same values that the table engine would read. False where a row is not plain: then
  /// `out` holds nothing of use.
  [[nodiscard]] bool parse(std::string_view text, std::span<const std::string> keys, PlainBlock& out) const;

 private:
  struct Row;
  // Each returns where to go on, or nullptr for what is not plain. The text ends in "\n", just before `end`.
  [[nodiscard]] const char* read_line(const char* at, const char* end, Row& row) const;
  [[nodiscard]] const char* read_time(const char* at, const char* end, Row& row) const;
  [[nodiscard]] const char* read_power(const char* at, Row& row) const;

  char delimiter_ = ',';
  std::size_t cells_ = 0;
  std::size_t time_ = 0;
  std::size_t power_ = 0;
  std::size_t device_ = 0;
  std::size_t last_ = 0;  ///< the last of the three
  std::optional<double> scale_;
  std::optional<bool> unit_;  ///< whether each power carries its unit, where the sampled rows agree
  LastCell last_cell_;        ///< of a power at the line's end: what it always shows
};

}  // namespace wattrein::trace
