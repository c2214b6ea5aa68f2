#include "trace/coarse_stamps.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "trace/steps.h"

namespace wattrein::trace {

namespace {

std::size_t median(std::vector<std::size_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::optional<Nanos> spread_coarse_stamps(Series& series) {
  std::vector<std::int64_t>& time_ns = series.time_ns;
  const auto many = [n = time_ns.size()](std::size_t repeats) { return n > 0 && repeats * 3 >= n; };
  if (!many(static_cast<std::size_t>(series.duplicate_stamps))) return std::nullopt;
  std::vector<std::int64_t> stamps;
  std::vector<std::size_t> readings;  // of each stamp
  bool all_agree = true;
  for (std::size_t i = 0; i < time_ns.size(); ++i) {
    if (stamps.empty() || stamps.back() != time_ns[i]) {
      stamps.push_back(time_ns[i]);
      readings.push_back(0);
    } else {
      all_agree = all_agree && series.power_w[i] == series.power_w[i - 1];
    }
    ++readings.back();
  }
  if (all_agree) return std::nullopt;  // rows written twice, perhaps: it makes no difference
  if (!many(time_ns.size() - stamps.size())) return std::nullopt;  // copies that were left out
  if (stamps.size() < 2) return std::nullopt;                      // a snapshot, or no clock to speak of
  const std::int64_t step = median_period(stamps).count();
  const std::size_t usual = median(readings);

  std::size_t at = 0;
  for (std::size_t i = 0; i < stamps.size(); ++i) {
    const bool last = i + 1 == stamps.size();
    const bool edge = (i == 0 || last) && readings[i] < usual;
    const auto parts = static_cast<std::int64_t>(edge ? usual : readings[i]);
    const std::int64_t width = last ? step : std::min(step, stamps[i + 1] - stamps[i]);
    const std::int64_t missing = i == 0 ? parts - static_cast<std::int64_t>(readings[i]) : 0;
    for (std::size_t k = 0; k < readings[i]; ++k) {
      // Quotient and rest apart: their product with a width of years would not fit.
      const std::int64_t place = missing + static_cast<std::int64_t>(k);
      time_ns[at++] = stamps[i] + width / parts * place + width % parts * place / parts;
    }
  }
  series.duplicate_stamps = 0;
  return Nanos(step);
}

}  // namespace wattrein::trace
