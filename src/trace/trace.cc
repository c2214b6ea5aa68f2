#include "trace/trace.h"

namespace wattrein::trace {

std::string_view name(MeterKind kind) {
  switch (kind) {
    case MeterKind::unknown: return "unknown";
    case MeterKind::instantaneous: return "instantaneous";
    case MeterKind::average_1s: return "1-s average";
    case MeterKind::counter_difference: return "counter difference";
  }
  return "unknown";
}

std::string_view name(Evidence evidence) {
  switch (evidence) {
    case Evidence::measured_live: return "measured-live";
    case Evidence::measured_replay: return "measured-replay";
    case Evidence::simulated: return "simulated";
    case Evidence::published: return "published";
    case Evidence::projected: return "projected";
  }
  return "measured-replay";
}

}  // namespace wattrein::trace
