#include "trace/understanding.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/steps.h"

namespace wattrein::trace {

std::string understanding_line(const Trace& trace) {
  const Understanding& u = trace.understanding;
  const std::size_t n = trace.series.size();
  std::string text = fmt::format("{}, {}", u.format, counted(n, "device"));
  if (!u.devices.empty()) text += fmt::format(" ({})", u.devices);
  if (!u.power.empty()) text += ", power from " + u.power;
  if (!u.clock.empty()) text += ", clock: " + u.clock;
  if (trace.start_unix_ns)
    text += ", from " + format_unix_ns(*trace.start_unix_ns) + (trace.start_has_zone ? " UTC" : "");
  if (trace.series.empty()) return text;
  const Series& first = trace.series.front();
  const bool same_meter =
      std::ranges::all_of(trace.series, [&](const Series& s) { return s.device.meter == first.device.meter; });
  text += fmt::format(", meter kind {}", same_meter ? name(first.device.meter) : "mixed");
  const Steps steps = steps_of(first, {});
  if (steps.median_period.count() > 0) {
    text += fmt::format(", a sample every {} for {}", format_duration(steps.median_period),
                        format_duration(Nanos(steps.span_end() - steps.span_begin())));
  }
  return text;
}

}  // namespace wattrein::trace
