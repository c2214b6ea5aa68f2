#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "analysis/phases.h"
#include "trace/steps.h"

namespace wattrein::analysis {

namespace {

constexpr double kCoverage = 0.8;             // of a cell, as for windows
constexpr std::int64_t kMostCells = 500'000;  // a coarser grid past that
constexpr std::size_t kLeastFreedom = 3;      // shared cells less the means taken out
constexpr double kVaries = 1e-9;              // relative sd below which a series counts as constant

struct Grid {
  std::int64_t from = 0;
  std::int64_t cell_ns = 0;
  std::int64_t cells = 0;
};

/// A device's mean over each cell that it knows, cells ascending.
struct Cells {
  std::vector<std::int64_t> index;
  std::vector<double> mean_w;
};

Grid common_grid(const std::vector<Steps>& devices) {
  Grid grid{.from = devices.front().span_begin()};
  std::int64_t to = devices.front().span_end();
  for (const Steps& steps : devices) {
    grid.from = std::max(grid.from, steps.span_begin());
    to = std::min(to, steps.span_end());
    grid.cell_ns = std::max(grid.cell_ns, steps.median_period.count());
  }
  if (to <= grid.from || grid.cell_ns <= 0) return grid;
  grid.cell_ns = std::max(grid.cell_ns, (to - grid.from) / kMostCells);
  grid.cells = (to - grid.from) / grid.cell_ns;
  return grid;
}

Cells cells_of(const Steps& steps, const Grid& grid) {
  Cells cells;
  std::int64_t current = -1;
  double known_ns = 0.0;
  double sum = 0.0;
  const auto finish = [&] {
    if (current >= 0 && known_ns >= kCoverage * static_cast<double>(grid.cell_ns)) {
      cells.index.push_back(current);
      cells.mean_w.push_back(sum / known_ns);
    }
  };
  const std::int64_t grid_end = grid.from + grid.cells * grid.cell_ns;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!std::isfinite(steps.power[i])) continue;
    const std::int64_t end = std::min(steps.end(i), grid_end);
    for (std::int64_t at = std::max(steps.begin(i), grid.from); at < end;) {
      const std::int64_t cell = (at - grid.from) / grid.cell_ns;
      if (cell != current) {
        finish();
        current = cell;
        known_ns = sum = 0.0;
      }
      const std::int64_t stop = std::min(end, grid.from + (cell + 1) * grid.cell_ns);
      known_ns += static_cast<double>(stop - at);
      sum += static_cast<double>(stop - at) * steps.power[i];
      at = stop;
    }
  }
  finish();
  return cells;
}

/// Cells that every device knows.
std::vector<std::int64_t> shared_cells(const std::vector<Cells>& devices) {
  std::vector<std::int64_t> shared = devices.front().index;
  for (const Cells& cells : devices) {
    std::vector<std::int64_t> both;
    std::ranges::set_intersection(shared, cells.index, std::back_inserter(both));
    shared = std::move(both);
  }
  return shared;
}

/// The phase of each shared cell, -1 where a cell is not wholly within one stretch.
std::vector<int> phase_of_cells(const std::vector<std::int64_t>& shared, const Grid& grid, const Phases& phases) {
  std::vector<int> level(shared.size(), -1);
  std::size_t s = 0;
  for (std::size_t c = 0; c < shared.size(); ++c) {
    const std::int64_t begin = grid.from + shared[c] * grid.cell_ns;
    while (s < phases.stretches.size() && phases.stretches[s].end.count() <= begin) ++s;
    if (s == phases.stretches.size()) break;
    const PhaseStretch& stretch = phases.stretches[s];
    if (stretch.start.count() <= begin && begin + grid.cell_ns <= stretch.end.count()) level[c] = stretch.level;
  }
  return level;
}

/// The device's deviations from its own mean in each group, over the shared cells of a group >= 0, scaled to length 1;
/// empty for a device that does not vary.
std::vector<double> deviations(const Cells& cells, const std::vector<std::int64_t>& shared,
                               const std::vector<int>& group, std::size_t groups) {
  std::vector<double> value;
  std::vector<std::size_t> of;
  std::vector<double> total(groups, 0.0);
  std::vector<double> count(groups, 0.0);
  std::size_t at = 0;
  for (std::size_t c = 0; c < shared.size(); ++c) {
    while (cells.index[at] < shared[c]) ++at;
    if (group[c] < 0) continue;
    of.push_back(static_cast<std::size_t>(group[c]));
    value.push_back(cells.mean_w[at]);
    total[of.back()] += value.back();
    count[of.back()] += 1.0;
  }
  double square = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    size += value[i] * value[i];
    value[i] -= total[of[i]] / count[of[i]];
    square += value[i] * value[i];
  }
  if (square <= kVaries * kVaries * size) return {};
  const double length = std::sqrt(square);
  for (double& v : value) v /= length;
  return value;
}

/// Of deviations of length 1.
std::optional<double> pearson(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || b.empty()) return std::nullopt;
  return std::clamp(std::inner_product(a.begin(), a.end(), b.begin(), 0.0), -1.0, 1.0);
}

bool knows_anything(const Steps& steps) {
  return steps.size() >= 2 && std::ranges::any_of(steps.power, [](double p) { return std::isfinite(p); });
}

void summarise_pairs(Correlation& out) {
  double sum = 0.0;
  double count = 0.0;
  for (const PairCorrelation& pair : out.pairs) {
    if (!pair.r) continue;
    sum += *pair.r;
    count += 1.0;
    out.min = out.min ? std::min(*out.min, *pair.r) : *pair.r;
    out.max = out.max ? std::max(*out.max, *pair.r) : *pair.r;
  }
  if (count > 0.0) out.mean = sum / count;
}

/// Deviations of each device, empty where too little is shared.
std::vector<std::vector<double>> shared_deviations(const std::vector<Steps>& devices, const Phases* phases) {
  const Grid grid = common_grid(devices);
  if (grid.cells <= 0) return {};
  std::vector<Cells> cells;
  for (const Steps& steps : devices) cells.push_back(cells_of(steps, grid));
  const std::vector<std::int64_t> shared = shared_cells(cells);

  const std::size_t groups = phases != nullptr ? phases->levels.size() : 1;
  std::vector<int> group(shared.size(), 0);
  if (phases != nullptr) group = phase_of_cells(shared, grid, *phases);
  std::vector<bool> used(groups, false);
  std::size_t counted = 0;
  for (const int g : group) {
    if (g < 0) continue;
    used[static_cast<std::size_t>(g)] = true;
    ++counted;
  }
  const auto means = static_cast<std::size_t>(std::ranges::count(used, true));
  if (counted < means + kLeastFreedom) return {};

  std::vector<std::vector<double>> out;
  for (const Cells& c : cells) out.push_back(deviations(c, shared, group, groups));
  return out;
}

}  // namespace

Correlation pairwise_correlation(const trace::Trace& trace, const trace::HoldRule& hold, const Phases* phases) {
  Correlation out;
  out.within_phase = phases != nullptr;
  out.devices = std::min(trace.series.size(), kMostCorrelated);
  std::vector<std::size_t> chosen;  // evenly over the trace's devices
  for (std::size_t k = 0; k < out.devices; ++k) chosen.push_back(k * trace.series.size() / out.devices);
  std::vector<Steps> devices;
  std::vector<std::size_t> place;  // of a chosen one among `devices`
  for (const std::size_t i : chosen) {
    const Steps steps = steps_of(trace.series[i], hold);
    const bool known = knows_anything(steps);
    place.push_back(known ? devices.size() : trace.series.size());
    if (known) devices.push_back(steps);
  }
  std::vector<std::vector<double>> values;
  if (devices.size() >= 2) values = shared_deviations(devices, phases);
  for (std::size_t a = 0; a < chosen.size(); ++a) {
    for (std::size_t b = a + 1; b < chosen.size(); ++b) {
      PairCorrelation pair{.a = chosen[a], .b = chosen[b], .r = std::nullopt};
      if (place[a] < values.size() && place[b] < values.size()) pair.r = pearson(values[place[a]], values[place[b]]);
      out.pairs.push_back(pair);
    }
  }
  summarise_pairs(out);
  return out;
}

}  // namespace wattrein::analysis
