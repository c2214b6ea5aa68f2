#include "trace/interleaved.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kLeastReadings = 24;
constexpr std::size_t kLooks = 2048;
constexpr int kMostSources = 8;

/// Median of |column[i + lag] - column[i]| at `kLooks` places, evenly spread; nothing where fewer than kLeastReadings
/// differences are known.
template <class T>
std::optional<double> usual_change(const std::vector<T>& column, std::size_t lag) {
  std::vector<double> changes;
  const std::size_t n = column.size() - lag;
  // An odd stride sees every place of a cycle.
  const std::size_t stride = std::max<std::size_t>(1, n / kLooks) | 1U;
  for (std::size_t i = 0; i < n; i += stride) {
    const double change = std::abs(static_cast<double>(column[i + lag]) - static_cast<double>(column[i]));
    if (!std::isnan(change)) changes.push_back(change);
  }
  if (changes.size() < kLeastReadings) return std::nullopt;
  const auto middle = changes.begin() + std::ssize(changes) / 2;
  std::ranges::nth_element(changes, middle);
  return *middle;
}

/// Usual power of the readings `at`, `at + step`, ...
Watts usual_power(const Series& s, std::size_t at, std::size_t step) {
  std::vector<double> powers;
  const std::size_t stride = step * std::max<std::size_t>(1, s.size() / step / kLooks);
  for (std::size_t i = at; i < s.size(); i += stride) {
    if (!std::isnan(s.power_w[i])) powers.push_back(s.power_w[i]);
  }
  if (powers.empty()) return Watts(0);
  const auto middle = powers.begin() + std::ssize(powers) / 2;
  std::ranges::nth_element(powers, middle);
  return Watts(*middle);
}

}  // namespace

std::optional<Interleaved> interleaved(const Series& series) {
  constexpr double kCloser = 3.0;
  constexpr double kMuchCloser = 6.0;
  constexpr double kLeastUneven = 0.02;  // of a step
  constexpr double kLeastShare = 0.05;   // of the power itself, so that a flat line's noise is no pattern
  if (series.size() < kLeastReadings) return std::nullopt;
  const auto near = usual_change(series.power_w, 1);
  if (!near || *near <= kLeastShare * usual_power(series, 0, 1).value()) return std::nullopt;
  std::vector<std::int64_t> steps_ns(series.size() - 1);
  for (std::size_t i = 0; i < steps_ns.size(); ++i) steps_ns[i] = series.time_ns[i + 1] - series.time_ns[i];
  const auto near_step = usual_change(steps_ns, 1);
  const auto step = usual_change(series.time_ns, 1);
  const bool uneven = near_step && step && *near_step > kLeastUneven * *step;
  for (int sources = 2; sources <= kMostSources; ++sources) {
    const auto lag = static_cast<std::size_t>(sources);
    if (series.size() < lag * 4 + kLeastReadings) return std::nullopt;
    const auto far = usual_change(series.power_w, lag);
    if (!far || *near < kCloser * *far) continue;
    const auto far_step = usual_change(steps_ns, lag);
    const bool stamps_too = uneven && far_step && *near_step >= kCloser * *far_step;
    // At even stamps a load's own cycle may look so; only one that alternates with every reading is rare enough.
    if (!stamps_too && (sources > 2 || *near < kMuchCloser * *far)) continue;
    return Interleaved{sources, usual_power(series, 0, lag), usual_power(series, 1, lag)};
  }
  return std::nullopt;
}

std::optional<std::string> interleaved_warning(const std::vector<Series>& series) {
  std::optional<Interleaved> first;
  std::string device;
  std::size_t others = 0;
  for (const Series& s : series) {
    const auto found = interleaved(s);
    if (!found) continue;
    if (first) {
      ++others;
    } else {
      first = found;
      device = s.device.name;
    }
  }
  if (!first) return std::nullopt;
  return fmt::format(
      "Readings of device '{}'{} come in turns of {} ({:.0f} W, {:.0f} W, ...): as of several devices or machines "
      "under one name, and then every figure here is of their mixture. If a column tells them apart, name it with "
      "--device; else split the file.",
      printable(device, 60), others > 0 ? fmt::format(" and of {}", counted(others, "other")) : "", first->sources,
      first->first.value(), first->second.value());
}

}  // namespace wattrein::trace
