#pragma once

#include <string>

#include "trace/trace.h"

namespace wattrein::trace {

/// How a trace was understood, in one line for people: format, devices, power column, clock, meter kind, period.
[[nodiscard]] std::string understanding_line(const Trace& trace);

}  // namespace wattrein::trace
