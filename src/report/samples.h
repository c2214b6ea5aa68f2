#pragma once
// Synthetic traces and results made by hand for the tests of the reports. The figures are plausible, not analysed:
// what the tests check is that a report says what it was given.

#include <string>

#include "analysis/analysis.h"
#include "experiment/demo.h"
#include "trace/trace.h"

namespace wattrein::report::samples {

struct Sample {
  trace::Trace trace;
  analysis::Analysis analysis;
};

/// `devices` GPUs, one sample each half second: idle, then generation around 330 W with updates at 385 W and a
/// plateau on GPU 3; power of GPU 1 is unknown for 20 s, and every device misses a poll at times. Limits: 400 W each
/// and, for several devices, their sum over 30 s.
[[nodiscard]] Sample training(std::size_t devices, std::size_t samples);
/// The same with proposals in place of given limits.
[[nodiscard]] Sample proposed();
/// One sample a device.
[[nodiscard]] Sample snapshot();
/// File, devices, labels and notes that try to be HTML, script and JSON ends.
[[nodiscard]] Sample hostile();
/// Every Verdict, every optional absent, NaN where a double can be.
[[nodiscard]] Sample unknowns();

[[nodiscard]] experiment::DemoResult demo();
/// Names that try to be HTML; NaN in a course; an arm without a fair baseline.
[[nodiscard]] experiment::DemoResult hostile_demo();

/// What the hostile samples carry.
inline constexpr const char* kAttack = "</script><img src=x onerror=alert(1)>";

}  // namespace wattrein::report::samples
