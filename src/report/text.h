#pragma once
// What the terminal shows: 80 columns, no colour of its own.

#include <string>

#include "analysis/analysis.h"
#include "experiment/demo.h"
#include "trace/trace.h"

namespace wattrein::report {

[[nodiscard]] std::string analysis_text(const trace::Trace& trace, const analysis::Analysis& analysis);
[[nodiscard]] std::string demo_text(const experiment::DemoResult& result);

}  // namespace wattrein::report
