#pragma once
// Rows of a table that were cut in mid-file: by a logger that was killed and started again into the same file, by a
// full disk, by a second writer. The last cell of such a row may have lost its end, so that what stands there is no
// reading; the cells before it are whole. Rows that are short again and again are no cut rows: whether they are is
// known at the end of the file only.

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/table_columns.h"
#include "trace/table_formats.h"
#include "trace/table_layout.h"

namespace wattrein::trace {

/// What the last cell of whole rows always shows, as far as the sampled rows have it; only of a column that is read.
struct LastCell {
  bool unit = false;         ///< a power carries its unit
  std::size_t decimals = 0;  ///< and a number so many decimals, also where the last ones are zeros; 0: not always
  std::size_t digits = 0;    ///< the most that one has, decimals among them
};
[[nodiscard]] LastCell last_cell_of(const Layout& layout, const ColumnMap& map, const ColumnFormats& formats);

/// Threads: one. All references must outlive it.
class CutRows {
 public:
  enum class Doubt : std::uint8_t { none, width, unit, decimals };
  static constexpr std::size_t kNoDevice = std::numeric_limits<std::size_t>::max();

  /// A reading that stands in a cell that may have been cut.
  struct Suspect {
    std::size_t device = kNoDevice;
    std::size_t row = 0;  ///< of the device's, or of all where there is none
    std::int64_t line = 0;
    std::uint32_t width = 0;
    Doubt doubt = Doubt::none;
  };

  CutRows(const Layout& layout, const ColumnMap& map, const ColumnFormats& formats);

  /// Shorter than most rows, and than those that come again and again in the sample.
  [[nodiscard]] bool is_short(std::size_t width) const;
  /// Longer than most rows, and than those that come again and again in the sample: two lines run into each other.
  [[nodiscard]] bool is_long(std::size_t width) const;
  /// Time, power, device or host: a row without it gives no reading.
  [[nodiscard]] bool is_needed(std::size_t column) const;
  /// Whether the last cell may have lost its end; none where it holds nothing that a reading needs.
  [[nodiscard]] Doubt doubt(std::span<const std::string_view> cells);
  /// A row that ends before what a reading needs, or runs into the next: its first cell looks as those of others do.
  [[nodiscard]] bool starts_a_row(std::span<const std::string_view> cells);

  /// To be called for every row that gives readings, and for every doubtful reading of them.
  void count(std::size_t width, std::int64_t rows = 1);
  void suspect(const Suspect& reading);
  /// At the end: the readings that were cut. `rows_of` gives the number of a device's rows.
  [[nodiscard]] std::vector<Suspect> cut(const std::function<std::size_t(std::size_t)>& rows_of) const;
  [[nodiscard]] std::string reason(const Suspect& reading) const;

 private:
  [[nodiscard]] bool is_usual(std::int64_t rows) const;

  const Layout& layout_;
  bool time_last_;  ///< the last column is the time, whose decimals `point_` begins
  char point_;
  LastCell last_;
  std::vector<bool> needed_;
  std::map<std::size_t, std::size_t> sampled_;    ///< rows of each width
  std::map<std::size_t, std::int64_t> of_width_;  ///< in the whole file
  std::map<Doubt, std::int64_t> doubts_;          ///< in the whole file
  std::int64_t rows_ = 0;
  std::int64_t asked_ = 0;      ///< lines that may start a row
  bool more_decimals_ = false;  ///< some row has more than the sampled ones: their number is not fixed
  std::vector<Suspect> suspects_;
};

}  // namespace wattrein::trace
