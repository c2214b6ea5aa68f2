#pragma once
// Logs that a loop wrote: the same print-out poll after poll, with or without a stamp in front of each.

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "trace/builder.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

/// What `date`, ctime and `date -R` print ("Mon Nov 30 17:41:14 CET 2026", "Mon, 30 Nov 2026 05:41:14 PM +0100"), as
/// "2026-11-30 17:41:14+0100" for StampParser; empty when it is no such stamp. Zones other than UTC and offsets are
/// dropped: CET and IST mean several things.
[[nodiscard]] std::string iso_of_date_line(std::string_view text);

/// Keeps rows until it is known what clock the log has, then gives them to the Builder.
/// Threads: one. Every reference must outlive it.
class PollLog {
 public:
  PollLog(Builder& builder, const Input& input, const ReadOptions& options)
      : builder_(builder), input_(input), options_(options) {}

  /// Takes `text` as the stamp of the next poll: a date in a usual form, or an epoch, also with a label or frame
  /// ("timestamp: ...", "=== ... ==="). False: it is none.
  bool stamp(std::string_view text);
  void next_poll();
  /// A row of the poll that is open, at the poll's stamp or at one of its own (nanoseconds as for Builder::add).
  void row(std::size_t device, double power_w) { row(device, kNoStamp, power_w); }
  void row(std::size_t device, std::int64_t time_ns, double power_w);
  /// An optional column of the last row.
  void set(Column column, double value);
  /// For rows with stamps of their own: as in Understanding::clock and Builder::clock.
  void own_clock(std::string text, bool wall, bool has_zone);
  [[nodiscard]] StampParser& stamps() { return stamps_; }

  /// Gives all rows to the builder. Without any stamp: one poll is a snapshot, several are options.period or `assumed`
  /// apart; that it was assumed is for the reader to say. Errors: bad_input, several polls and no period; usage, a
  /// period that carries the rows beyond 292 years.
  [[nodiscard]] Result<void> close(std::optional<Nanos> assumed = {});

 private:
  static constexpr std::int64_t kNoStamp = std::numeric_limits<std::int64_t>::min();
  struct Row {
    std::int64_t time_ns;
    double power_w;
    std::uint32_t device;
    std::uint32_t poll;
  };
  [[nodiscard]] Result<void> place_without_clock(std::optional<Nanos> assumed);
  void place_by_stamps();
  void give(std::size_t row);
  [[nodiscard]] std::int64_t take_pending();

  Builder& builder_;
  const Input& input_;
  const ReadOptions& options_;
  StampParser stamps_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> polls_;  ///< stamp of each, kNoStamp where it has none
  std::string pending_;              ///< the stamp of the next poll, as StampParser takes it
  std::array<std::vector<double>, kColumns.size()> extra_;
  std::string own_clock_;
  bool wall_ = true;
  bool has_zone_ = false;
  bool own_stamps_ = false;
  bool zone_dropped_ = false;  ///< in pending_
};

}  // namespace wattrein::trace
