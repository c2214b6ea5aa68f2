#pragma once
// What a reader of an analysis has to know beside its figures: a sentence each.

#include <string>
#include <vector>

#include "analysis/analysis.h"

namespace wattrein::analysis {

/// `steps` are the devices', in the trace's order; `left_out` names the devices that the sum does without.
[[nodiscard]] std::vector<std::string> notes_of(const trace::Trace& trace, const std::vector<Steps>& steps,
                                                const AnalysisOptions& options, const Analysis& analysis,
                                                const std::vector<std::string>& left_out);

}  // namespace wattrein::analysis
