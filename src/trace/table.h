#pragma once
// The table engine: rows of cells in, a Trace out. What the readers of CSV, TSV and JSON lines share.

#include <cstdint>
#include <expected>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/back_steps.h"
#include "trace/builder.h"
#include "trace/clock_polls.h"
#include "trace/cut_rows.h"
#include "trace/input.h"
#include "trace/plain_rows.h"
#include "trace/poll_sequence.h"
#include "trace/read.h"
#include "trace/second_power.h"
#include "trace/table_cells.h"
#include "trace/table_columns.h"
#include "trace/table_formats.h"
#include "trace/table_layout.h"
#include "trace/table_polls.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

/// Reads row by row under a ColumnMap that has passed check_map(). Tells devices apart by their column, or by row
/// order where there is none. Threads: one. All references must outlive it.
class Table {
 public:
  using Cells = std::span<const std::string_view>;
  Table(const Layout& layout, const ColumnMap& map, const ReadOptions& options, const Input& input,
        std::string_view format);

  /// Rows are lines, which may have been cut (JSON that was cut cannot be read anyway).
  void rows_are_lines() { cuts_.emplace(layout_, map_, formats_); }
  /// A row; a cell without data() is missing. Errors: bad_input where the columns change or name no devices.
  [[nodiscard]] Result<void> row(std::span<const std::string_view> cells);
  /// The header once more: the logger was started anew, and with it the order of rows.
  void repeated_header();
  /// A device's row that cannot be taken apart at all.
  void damaged(std::string_view reason);
  /// Rows may come by take(): devices have names, and all stamps so far were of the plain kind.
  [[nodiscard]] bool takes_plain_rows() const {
    return !by_order_ && !map_.model_tells && clock_.plain_calendar() && !keys_.empty();
  }
  [[nodiscard]] std::span<const std::string> keys() const { return keys_; }
  [[nodiscard]] const ColumnFormats& formats() const { return formats_; }
  void take(std::span<const PlainBlock> blocks);
  /// Makes room for so many rows in all, as far as is known: one allocation instead of many, and their holes.
  void expect(std::size_t rows);
  /// A row that ends within the column or before it.
  [[nodiscard]] bool is_cut_before(Cells cells, int column) {
    return cuts_ && cells.size() <= static_cast<std::size_t>(column) + 1 && cuts_->starts_a_row(cells);
  }
  void other_line() { ++builder_.understanding().other_lines; }
  [[nodiscard]] Builder& builder() { return builder_; }
  /// Errors: as Builder::finish, and bad_input where row order does not tell the devices.
  [[nodiscard]] Result<Trace> finish();

 private:
  /// What stands beside the power of a row; NaN where the file does not say.
  struct Values {
    std::int64_t time_ns = 0;
    double power_w = std::numeric_limits<double>::quiet_NaN();
    double average_w = std::numeric_limits<double>::quiet_NaN();
    double second_w = std::numeric_limits<double>::quiet_NaN();
    double limit_w = std::numeric_limits<double>::quiet_NaN();
    double energy_j = std::numeric_limits<double>::quiet_NaN();
    std::int64_t line = 0;      ///< in the file
    std::uint64_t content = 0;  ///< by order: of all cells
    std::int16_t phase = -1;
    bool readable = true;
  };
  [[nodiscard]] std::string_view cell(Cells cells, int column) const { return Layout::cell(cells, column); }
  [[nodiscard]] bool is_name_of(Cells cells, int column) const;
  Result<void> not_a_sample(Cells cells, bool time_read, bool power_read, Reading::Kind power_kind);
  void watch_clock(std::size_t device, const Values& values);
  [[nodiscard]] bool is_whole(Cells cells, const Reading& power) const;
  [[nodiscard]] std::optional<std::int64_t> stamp_of(Cells cells);
  /// Of one column or two, until the next call.
  [[nodiscard]] std::string_view stamp_text(Cells cells);
  /// A power, or an energy where that is all there is.
  [[nodiscard]] Reading read_value(std::string_view text, std::optional<double> scale, Decimals decimals) const;
  /// More cells than columns; an empty one behind a closing delimiter is none.
  [[nodiscard]] bool is_too_long(Cells cells) const {
    return cells.size() > most_cells_ &&
           (cells.size() > most_cells_ + 1 || !cells.back().empty() || (cuts_ && cuts_->is_long(cells.size())));
  }
  void leave_out_cut_rows();
  void remove_rows(std::size_t device, std::span<const std::size_t> rows);
  /// Puts the reading just added, of the row at hand, among those that the end of the file decides on.
  void doubt_last(std::size_t device, std::size_t row, Cells cells, CutRows::Doubt doubt);
  bool left_out_as_torn(Cells cells, bool whole);
  [[nodiscard]] bool ends_whole(Cells cells) const;
  [[nodiscard]] bool has_unit_elsewhere(Cells cells) const;
  [[nodiscard]] bool is_short(Cells cells) const;
  [[nodiscard]] std::string_view key_of(Cells cells);
  [[nodiscard]] std::optional<std::size_t> device_by_name(Cells cells) const;
  void note_shown(std::size_t device, Cells cells);
  Result<void> wide_row(Cells cells);
  Result<std::size_t> first_wide_device(Cells cells);
  [[nodiscard]] std::string_view instance_of(Cells cells) const;
  [[nodiscard]] bool is_other_instance(std::size_t device, Cells cells);
  void note_unit_by_size();
  void settle_power_columns();
  Result<void> named_row(Cells cells, Values& values, CutRows::Doubt doubt);
  Result<std::size_t> device_of(Cells cells);
  Result<std::size_t> new_device(std::string_view key);
  Result<std::size_t> of_its_model(std::size_t device, Cells cells);
  void name_by_model();
  void describe(Device& device, Cells cells) const;
  /// The stamp of a device's sample in a log without a clock.
  [[nodiscard]] Result<std::int64_t> counted_time(std::int64_t poll) const;
  void add(std::size_t device, const Values& values);
  void read_beside(Cells cells, Values& values);
  [[nodiscard]] std::int16_t phase_of(Cells cells);
  Result<void> spread_over_devices();
  [[nodiscard]] Result<void> place_counted_polls();
  /// by_order_: the rows' stamps, oldest first, and what is known of them.
  struct Ordered {
    std::vector<std::int64_t> time_ns;
    std::vector<std::uint8_t> unreadable;
    std::vector<RowRange> runs;
    bool newest_first = false;
    /// The place of the i-th row in ordered_.
    [[nodiscard]] std::size_t at(std::size_t i) const { return newest_first ? time_ns.size() - 1 - i : i; }
  };
  [[nodiscard]] Ordered ordered_rows() const;
  [[nodiscard]] static PollFailure odd_poll(const ClockPolls& polls);
  [[nodiscard]] static std::optional<PollFailure> not_set_apart(const Ordered& rows, std::size_t n);
  [[nodiscard]] std::expected<std::size_t, PollFailure> found_devices(Ordered& rows, std::optional<ClockPolls>& polls);
  [[nodiscard]] std::expected<std::optional<ClockPolls>, PollFailure> stated_polls(const Ordered& rows, std::size_t n);
  [[nodiscard]] bool first_device_first(const Ordered& rows, const ClockPolls& polls);
  void note_odd_polls(const Ordered& rows, const ClockPolls& polls);
  void describe_by_order(const Ordered& rows, std::span<const std::size_t> first_poll);
  void spread_polls(const Ordered& rows, const ClockPolls& polls);
  [[nodiscard]] Result<void> count_off(const Ordered& rows, std::size_t n);
  [[nodiscard]] std::string power_columns() const;
  [[nodiscard]] std::string device_columns() const;
  void finish_understanding();
  void say_epoch_otherwise();
  [[nodiscard]] std::unexpected<Error> undecided(const Ordered& rows, const PollFailure& failure) const;
  [[nodiscard]] bool is_repeated(std::size_t n, std::size_t copies, bool behind_each_other) const;
  [[nodiscard]] std::size_t without_copies(std::size_t n);

  const Layout& layout_;
  const ColumnMap& map_;
  const ReadOptions& options_;
  const Input& input_;
  ColumnFormats formats_;
  Builder builder_;
  SecondPower second_;
  StampParser clock_;
  BackSteps back_steps_;
  std::size_t usual_cells_;
  std::size_t most_cells_;
  bool unit_in_cells_ = false;
  bool by_order_;
  std::optional<CutRows> cuts_;  ///< rows_are_lines()
  std::vector<Values> ordered_;  ///< by_order_: rows in the file's order
  std::vector<RowRange> runs_;
  std::vector<Device> first_rows_;  ///< by_order_: what the first rows say of their devices
  std::vector<std::string> keys_;   ///< device cells as seen, by index
  std::vector<std::string> shown_;  ///< per device, what it is called by (ColumnMap::shown)
  std::vector<bool> described_;
  std::vector<std::string> models_;          ///< model_tells: per device
  std::vector<std::size_t> of_many_models_;  ///< the first device of each name that several models have
  PollSequence sequence_;                    ///< of a log without a clock
  std::vector<std::int64_t> rows_of_;        ///< wide: per host, for logs without a clock
  std::string key_;                          ///< scratch for host/device
  std::string phase_text_;                   ///< the last phase cell and its index: phases last for many rows
  std::int16_t phase_index_ = -1;
  std::size_t last_device_ = 0;
  std::int64_t mixed_zones_line_ = 0;  ///< the first stamp with a zone behind some without, or the other way round
  std::int64_t restart_line_ = 0;      ///< where a clock of the log's own began anew; 0 = it did not
  std::string devices_;
  std::string joined_;              ///< scratch for date and time
  std::vector<std::string> hosts_;  ///< wide: whose devices come in blocks, in this order
  std::vector<std::size_t> wide_devices_;
  std::size_t last_host_ = 0;
  std::vector<std::string> instance_;  ///< per device, the instance whose rows are read: none, or the first
  std::int64_t other_instances_ = 0;
  bool moved_ = false;  ///< a device changed what it is called by
};

/// Joules, where the cell holds a count that can be; NaN for DCGM's blanks, numbers below zero and everything else.
[[nodiscard]] double known_energy(std::string_view text, double scale, Decimals decimals = Decimals::unknown);

/// Reads the rest of `input` as lines of cells.
[[nodiscard]] Result<Trace> read_lines(Input& input, const Layout& layout, const ColumnMap& map,
                                       const ReadOptions& options, std::string_view format);

}  // namespace wattrein::trace
