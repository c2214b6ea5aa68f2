#include "analysis/bootstrap.h"

#include <algorithm>
#include <limits>

#include "analysis/stats.h"
#include "base/check.h"
#include "base/rng.h"

namespace wattrein::analysis {

namespace {

constexpr std::int64_t kCellsPerBlock = 32;
constexpr std::int64_t kMostBlocks = 2000;

}  // namespace

RateBootstrap::RateBootstrap(Nanos begin, Nanos end, Nanos block) : begin_ns_(begin.count()) {
  const std::int64_t span = (end - begin).count();
  WATTREIN_CHECK(span > 0 && block.count() > 0);
  const std::int64_t length = std::min(std::max(block.count(), span / kMostBlocks), span);
  cell_ns_ = std::max<std::int64_t>(1, length / kCellsPerBlock);
  cells_.resize(static_cast<std::size_t>((span + cell_ns_ - 1) / cell_ns_));
  blocks_ = std::max<std::int64_t>(1, (span + length / 2) / length);
  next_cell(begin_ns_);
}

/// Moves to the cell that `begin_ns` lies in; the last one takes what lies behind it.
void RateBootstrap::next_cell(std::int64_t begin_ns) {
  cell_ = std::min(static_cast<std::size_t>((begin_ns - begin_ns_) / cell_ns_), cells_.size() - 1);
  const bool last = cell_ + 1 == cells_.size();
  cell_end_ns_ =
      last ? std::numeric_limits<std::int64_t>::max() : begin_ns_ + (static_cast<std::int64_t>(cell_) + 1) * cell_ns_;
}

void RateBootstrap::add(std::int64_t begin_ns, std::int64_t step_ns, std::int64_t count, bool known, bool violating) {
  if (!known) return;
  while (count > 0) {
    if (begin_ns >= cell_end_ns_) next_cell(begin_ns);
    std::int64_t here = count;
    if (count > 1 && cell_ + 1 < cells_.size()) {
      here = std::clamp<std::int64_t>((cell_end_ns_ - begin_ns + step_ns - 1) / step_ns, 1, count);
    }
    cells_[cell_].known += here;
    if (violating) cells_[cell_].violating += here;
    begin_ns += here * step_ns;
    count -= here;
  }
}

std::optional<Interval> RateBootstrap::interval(std::uint64_t seed, std::uint64_t stream) const {
  // Sums of every block of kCellsPerBlock cells, by its first cell.
  const std::size_t width = std::min<std::size_t>(kCellsPerBlock, cells_.size());
  std::vector<Counts> starts(cells_.size() - width + 1);
  Counts sum;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    sum.known += cells_[i].known;
    sum.violating += cells_[i].violating;
    if (i + 1 < width) continue;
    starts[i + 1 - width] = sum;
    sum.known -= cells_[i + 1 - width].known;
    sum.violating -= cells_[i + 1 - width].violating;
  }

  Rng rng(seed, stream);
  std::vector<double> rates;
  rates.reserve(kResamples);
  for (int r = 0; r < kResamples; ++r) {
    Counts drawn;
    for (std::int64_t b = 0; b < blocks_; ++b) {
      const Counts& block = starts[rng.below(starts.size())];
      drawn.known += block.known;
      drawn.violating += block.violating;
    }
    if (drawn.known > 0) rates.push_back(static_cast<double>(drawn.violating) / static_cast<double>(drawn.known));
  }
  if (rates.empty()) return std::nullopt;
  return Interval{*percentile(rates, 0.025), *percentile(rates, 0.975)};
}

}  // namespace wattrein::analysis
