#include "trace/second_power.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/text.h"

namespace wattrein::trace {

void SecondPower::add(std::size_t device, double first_w, double second_w) {
  if (device >= devices_.size()) devices_.resize(device + 1);
  Kept& kept = devices_[device];
  if (std::isnan(first_w)) {
    if (!std::isnan(second_w)) ++kept.lacking;
  } else if (!kept.known) {
    kept.known = true;
    kept.second_w = {};
  }
  if (!kept.known) kept.second_w.push_back(second_w);
}

std::vector<std::size_t> SecondPower::settle(Builder& builder, std::string_view first, std::string_view second) {
  std::vector<std::size_t> replaced;
  std::int64_t lacking = 0;
  for (std::size_t d = 0; d < devices_.size(); ++d) {
    Kept& kept = devices_[d];
    if (kept.lacking == 0) continue;
    Series& series = builder.series(d);
    if (kept.known || kept.second_w.size() != series.size()) {
      lacking += kept.lacking;
      continue;
    }
    series.power_w = std::move(kept.second_w);
    replaced.push_back(d);
  }
  if (!replaced.empty()) {
    const std::string name = printable(builder.series(replaced.front()).device.name, 40);
    builder.note(fmt::format("{} no reading of '{}': '{}' is taken as the power instead.",
                             replaced.size() == 1
                                 ? fmt::format("Device {} has", name)
                                 : fmt::format("Device {} and {} more have", name, replaced.size() - 1),
                             printable(first, 40), printable(second, 40)));
  }
  if (lacking > 0) {
    builder.note(
        fmt::format("At {} '{}' has no value and '{}' has: power is unknown there; --power \"{}\" "
                    "reads that column throughout.",
                    counted(lacking, "reading"), printable(first, 40), printable(second, 40), printable(second, 40)));
  }
  return replaced;
}

}  // namespace wattrein::trace
