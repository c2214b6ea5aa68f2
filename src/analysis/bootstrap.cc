#include "analysis/bootstrap.h"

#include <algorithm>

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
}

void RateBootstrap::add(std::int64_t begin_ns, std::int64_t step_ns, std::int64_t count, bool known, bool violating) {
  if (!known) return;
  while (count > 0) {
    const std::int64_t offset = begin_ns - begin_ns_;
    const auto cell = std::min(static_cast<std::size_t>(offset / cell_ns_), cells_.size() - 1);
    const std::int64_t left = (static_cast<std::int64_t>(cell) + 1) * cell_ns_ - offset;
    const bool last = cell + 1 == cells_.size() || count == 1;
    const std::int64_t here = last ? count : std::clamp<std::int64_t>((left + step_ns - 1) / step_ns, 1, count);
    cells_[cell].known += here;
    if (violating) cells_[cell].violating += here;
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
