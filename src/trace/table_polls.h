#pragma once
// Devices that only the order of rows tells apart: how many rows make one poll.

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>

namespace wattrein::trace {

/// Rows of one uninterrupted run of the logger (a repeated header starts another), as indices [begin, end).
struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The rows of one poll lie close together in time, and polls lie apart. So the answer is the largest N for which
/// the time spent inside groups of N rows is at most a quarter of all time (a break counts as three usual pauses): for
/// the true N it is the spread of a poll over its period, for a multiple of it at least half. It must hold along the
/// whole file: three polls running whose inside is longer than the pause behind them mean that N has changed.
/// `time_ns` in file order; rows that could not be read carry the stamp before them.
/// One is the answer only where no such groups are to be seen: rows that come N at a time nearly everywhere, a lost row
/// aside, are nobody's single series.
/// Errors: the reason, to be put into words with the file's name, and the row where it shows.
struct PollFailure {
  std::string reason;
  std::size_t row = 0;
};
[[nodiscard]] std::expected<std::size_t, PollFailure> rows_per_poll(std::span<const std::int64_t> time_ns,
                                                                    std::span<const RowRange> runs);

/// Stamps of whole seconds do not tell so many devices from one that is polled as often.
[[nodiscard]] std::optional<PollFailure> hidden_by_whole_seconds(std::span<const std::int64_t> time_ns, std::size_t n);

/// Rows that come so many at a time, set apart by pauses that are clear and not much shorter than the groups last.
struct RowGroups {
  std::size_t rows = 1;              ///< of most groups; 1 where no such groups are to be seen
  std::optional<std::size_t> odd{};  ///< the first row of the first group of another size, the last group aside
  std::size_t odd_rows = 0;          ///< of that one
};
[[nodiscard]] RowGroups row_groups(std::span<const std::int64_t> time_ns, std::span<const RowRange> runs);

/// Whether stamps fall (nearly) throughout: an export with the newest row first.
[[nodiscard]] bool newest_first(std::span<const std::int64_t> time_ns, std::span<const RowRange> runs);

}  // namespace wattrein::trace
