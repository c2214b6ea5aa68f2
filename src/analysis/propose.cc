#include "analysis/propose.h"

#include <algorithm>
#include <cmath>

namespace wattrein::analysis {

namespace {

void propose(std::vector<Limit>& limits, Watts power, Limit::Scope scope, std::string origin) {
  // A reading of 400.0000000001 W is float noise on 400 W, not a reason for 401 W.
  const Watts whole(std::ceil(power.value() - 1e-6));
  if (whole <= Watts(0)) return;
  const auto same = [&](const Limit& l) { return l.power == whole && l.scope == scope; };
  if (std::ranges::any_of(limits, same)) return;
  limits.push_back({.power = whole, .scope = scope, .origin = std::move(origin)});
}

bool has_series(const Subject& subject) { return subject.sampling.samples > 1; }

}  // namespace

std::vector<Limit> propose_limits(const std::vector<std::optional<Watts>>& nameplates,
                                  const std::vector<Subject>& devices, const Subject* sum) {
  std::vector<Limit> limits;
  std::optional<Watts> nameplate;
  bool several = false;
  for (const std::optional<Watts>& watts : nameplates) {
    if (!watts) continue;
    several = several || (nameplate && *nameplate != *watts);
    nameplate = nameplate ? std::min(*nameplate, *watts) : *watts;
  }
  if (nameplate) {
    propose(limits, *nameplate, Limit::Scope::each_device,
            several ? "lowest nameplate in the log" : "nameplate in the log");
  }

  const Subject* highest = nullptr;
  for (const Subject& device : devices) {
    if (!has_series(device) || !device.power.p99) continue;
    if (highest == nullptr || *device.power.p99 > *highest->power.p99) highest = &device;
  }
  if (highest != nullptr) {
    std::string origin = "99th percentile of samples";
    if (devices.size() > 1) origin += " of device " + highest->name + ", the highest";
    propose(limits, *highest->power.p99, Limit::Scope::each_device, std::move(origin));
  }
  if (sum != nullptr && has_series(*sum)) {
    if (sum->power.p99) propose(limits, *sum->power.p99, Limit::Scope::sum, "99th percentile of samples of the sum");
    if (sum->power.p95) propose(limits, *sum->power.p95, Limit::Scope::sum, "95th percentile of samples of the sum");
  }
  return limits;
}

}  // namespace wattrein::analysis
