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
#include "trace/back_steps.h"
#include "trace/builder.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

/// Keeps rows until it is known what clock the log has, then gives them to the Builder.
/// Threads: one. Every reference must outlive it.
class PollLog {
 public:
  PollLog(Builder& builder, const Input& input, const ReadOptions& options);

  /// Takes `text` as the stamp of the next poll: what StampParser reads, also with a label or frame ("timestamp: ...",
  /// "=== ... ==="). False: it is none.
  bool stamp(std::string_view text);
  void next_poll();
  /// A row of the poll that is open, at the poll's stamp or at one of its own (nanoseconds as for Builder::add).
  void row(std::size_t device, double power_w) { row(device, kNoStamp, power_w); }
  void row(std::size_t device, std::int64_t time_ns, double power_w);
  /// An optional column of the last row.
  void set(Column column, double value);
  /// For rows with stamps of their own: as in Understanding::clock and Builder::clock.
  void own_clock(std::string text, bool wall, bool has_zone);
  /// A stamp that a row has of its own; nothing when it is none.
  [[nodiscard]] std::optional<std::int64_t> read_stamp(std::string_view text);
  [[nodiscard]] const StampParser& stamps() const { return stamps_; }

  /// Gives all rows to the builder. Without any stamp: one poll is a snapshot, several are options.period or `assumed`
  /// apart; that it was assumed is for the reader to say. Errors: bad_input, several polls and no period, or a clock
  /// that goes back again and again (back_steps.h); usage, a period that carries the rows beyond 95 years.
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
  BackSteps back_steps_;
  std::vector<Row> rows_;
  std::vector<std::int64_t> polls_;  ///< stamp of each, kNoStamp where it has none
  std::string pending_;              ///< the stamp of the next poll, for StampParser
  std::array<std::vector<double>, kColumns.size()> extra_;
  std::string own_clock_;
  bool wall_ = true;
  bool has_zone_ = false;
  bool own_stamps_ = false;
};

}  // namespace wattrein::trace
