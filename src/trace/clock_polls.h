#pragma once
// Polls as the clock shows them: rows that stand close together in time, with pauses between. A poll that lacks a row
// is seen by its own size, and moves no other poll's devices.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trace/table_polls.h"

namespace wattrein::trace {

/// Rows of one poll, as indices [begin, end).
struct Poll {
  enum class Kind : std::uint8_t {
    whole,  ///< a row of every device, in their order
    cut,    ///< the first or last of a run, with fewer rows
    odd,    ///< fewer or more rows than devices: nothing shows whose they are
  };
  std::size_t begin = 0;
  std::size_t end = 0;
  Kind kind = Kind::whole;

  [[nodiscard]] std::size_t rows() const { return end - begin; }
};

struct ClockPolls {
  std::size_t devices = 1;  ///< as stated; else the rows that most polls have
  std::size_t usual = 1;    ///< rows of most polls, before any was taken apart
  std::vector<Poll> polls;  ///< all rows, in order
  std::size_t whole = 0;
  std::size_t odd = 0;
  std::size_t broken = 0;                  ///< of the whole ones: put together from pieces that a stall set apart
  std::size_t larger = 0;                  ///< of the odd ones: with more rows than devices
  std::optional<std::size_t> first_odd{};  ///< index into polls
  bool shared_stamps = false;              ///< several polls share a stamp: a lost row may stay unseen
};

/// The rows of all polls where the stamps show them clearly: little time passes within polls against the pauses between
/// (a quarter of all time at most), and polls come in steps that are not shorter than half the usual one. Where the
/// number of devices is `stated`, polls that nearly fill their period are seen as well, by their size.
/// `time_ns` in file order and not falling on the whole; `unreadable` marks rows that carry the stamp before them.
/// Nothing: the stamps do not show polls.
[[nodiscard]] std::optional<ClockPolls> clock_polls(std::span<const std::int64_t> time_ns,
                                                    std::span<const RowRange> runs,
                                                    std::span<const std::uint8_t> unreadable,
                                                    std::optional<std::size_t> stated = {});

/// A row that follows another of what seems to be one device at once, between pauses as usual, where that happens more
/// than once: a second device may have been lost early.
[[nodiscard]] std::optional<std::size_t> rows_in_pairs(std::span<const std::int64_t> time_ns,
                                                       std::span<const RowRange> runs);

}  // namespace wattrein::trace
