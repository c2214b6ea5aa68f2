#pragma once
// The same values for machines. Units stand in the names; unknown is null; every file carries its evidence class.

#include <span>
#include <string>
#include <string_view>

#include "experiment/demo.h"
#include "report/analysed.h"

namespace wattrein::report {

/// {"wattrein": version, "files": [...]}: all of DESIGN section 4, documented in docs/formats/analysis-json.md.
[[nodiscard]] std::string analysis_json(std::span<const AnalysedTrace> files, std::string_view version);
[[nodiscard]] std::string demo_json(const experiment::DemoResult& result, std::string_view version);

}  // namespace wattrein::report
