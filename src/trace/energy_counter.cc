#include "trace/energy_counter.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "trace/steps.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kTooClose = 20;  // parts of a period: closer than one, a counter's own steps show

/// Whether a counter has been reset somewhere, or is none.
bool falls(const std::vector<double>& energy) {
  double last = -std::numeric_limits<double>::infinity();
  for (const double e : energy) {
    if (e < last) return true;
    if (!std::isnan(e)) last = e;
  }
  return false;
}

struct Counts {
  std::int64_t steps = 0;
  std::int64_t falls = 0;
  std::int64_t unmoved = 0;
  std::int64_t close = 0;
};

void differentiate(Series& s, Counts& counts) {
  const std::vector<double>& energy = s.column(Column::energy_j);
  const std::size_t n = s.size();
  s.power_w.assign(n, kUnknown);
  s.device.meter = MeterKind::counter_difference;
  if (energy.empty()) return;
  const std::int64_t least = median_period(s.time_ns).count() / kTooClose;
  std::size_t from = 0;
  while (from < n && std::isnan(energy[from])) ++from;
  std::int64_t unmoved = 0;
  for (std::size_t i = from + 1; i < n; ++i) {
    if (std::isnan(energy[i])) continue;
    ++counts.steps;
    const std::int64_t elapsed = s.time_ns[i] - s.time_ns[from];
    if (energy[i] < energy[from]) {
      ++counts.falls;
    } else if (energy[i] == energy[from]) {
      ++unmoved;
      continue;
    } else if (elapsed <= least) {
      ++counts.close;
      continue;
    } else {
      const double mean = (energy[i] - energy[from]) / (static_cast<double>(elapsed) * 1e-9);
      std::fill(s.power_w.begin() + static_cast<std::ptrdiff_t>(from),
                s.power_w.begin() + static_cast<std::ptrdiff_t>(i), mean);
      counts.unmoved += unmoved;
    }
    unmoved = 0;
    from = i;
  }
}

}  // namespace

void drop_falling_counters(Builder& builder) {
  int dropped = 0;
  for (std::size_t d = 0; d < builder.device_count(); ++d) {
    auto& energy = builder.series(d).column(Column::energy_j);
    if (!falls(energy)) continue;
    energy.clear();
    ++dropped;
  }
  if (dropped == 0) return;
  builder.note(fmt::format("The energy counter falls on {} device{} (a reset, or joined runs) and is left out there.",
                           dropped, dropped == 1 ? "" : "s"));
}

Result<std::vector<std::string>> power_from_energy(Trace& trace, const std::string& where) {
  Counts counts;
  for (Series& s : trace.series) differentiate(s, counts);
  if (counts.falls > 1 && counts.falls * 20 > counts.steps) {
    return fail(ErrorKind::bad_input, where,
                fmt::format("the energy falls in {} of {} steps, so that it is no running count and gives no power",
                            counts.falls, counts.steps),
                "Log the power itself, or the cumulative counter of the device.");
  }
  std::vector<std::string> sentences;
  if (counts.falls > 0) {
    sentences.push_back(fmt::format("The energy counter falls {} (a reset or a wrap): power is unknown there.",
                                    counts.falls == 1 ? "once" : fmt::format("{} times", counts.falls)));
    for (Series& s : trace.series) {
      // The whole span is no longer one difference.
      if (falls(s.column(Column::energy_j))) s.column(Column::energy_j).clear();
    }
  }
  if (counts.unmoved > 0) {
    sentences.push_back(
        fmt::format("At {} of {} readings the energy counter has not moved: it is slower than the log, "
                    "and power is the mean until it moved.",
                    counts.unmoved, counts.steps));
  }
  if (counts.close > 0) {
    sentences.push_back(
        fmt::format("{} reading{} within a twentieth of a period of the one before, too close for a difference.",
                    counts.close, counts.close == 1 ? " lies" : "s lie"));
  }
  return sentences;
}

}  // namespace wattrein::trace
