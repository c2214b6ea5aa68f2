#pragma once
// Interval of a violation rate from one trace, whose windows are anything but independent.

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/windows.h"
#include "base/units.h"

namespace wattrein::analysis {

/// Moving-block bootstrap (Kuensch 1989) of violating / known over windows in time order: blocks of one length in
/// time, drawn with replacement from every start, as many as fill the trace; 2000 resamples, percentile interval.
///
/// Starts lie on a grid of a 32nd of the block, so that memory and time do not grow with the number of windows.
/// A trace of more than 2000 blocks takes longer ones, 2000 of them: as valid (a block only has to outlast the
/// correlation), and bounded in time.
class RateBootstrap {
 public:
  /// `block` is the shortest length that may be taken; begin < end.
  RateBootstrap(Nanos begin, Nanos end, Nanos block);

  /// `count` windows that begin at `begin_ns`, `begin_ns` + `step_ns`, ...; calls come in order of their begin.
  void add(std::int64_t begin_ns, std::int64_t step_ns, std::int64_t count, bool known, bool violating);

  /// 95 %. Nothing when no window is known.
  [[nodiscard]] std::optional<Interval> interval(std::uint64_t seed, std::uint64_t stream) const;

  static constexpr int kResamples = 2000;

 private:
  struct Counts {
    std::int64_t known = 0;
    std::int64_t violating = 0;
  };
  void next_cell(std::int64_t begin_ns);

  std::int64_t begin_ns_;
  std::int64_t cell_ns_;
  std::size_t cell_ = 0;  // of the windows added last, and where it ends
  std::int64_t cell_end_ns_ = 0;
  std::int64_t blocks_;        // to fill the trace
  std::vector<Counts> cells_;  // windows by the cell they begin in
};

}  // namespace wattrein::analysis
