#pragma once

#include "analysis/analysis.h"
#include "trace/trace.h"

namespace wattrein::report {

/// A trace and what was found in it; both must outlive this.
struct AnalysedTrace {
  const trace::Trace& trace;
  const analysis::Analysis& analysis;
};

}  // namespace wattrein::report
