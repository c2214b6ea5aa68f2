#pragma once
// The same values as one HTML file that needs nothing else: it makes no request, opens without a network, prints,
// and reads without JavaScript but for the charts over time. No clock inside: when it was made is passed in.

#include <span>
#include <string>

#include "experiment/demo.h"
#include "report/analysed.h"
#include "trace/steps.h"

namespace wattrein::report {

/// What the foot of a report says about itself. Any text; escaped where it is written.
struct ReportMeta {
  std::string version;       ///< of the program
  std::string command_line;  ///< that made the report
  std::string when;          ///< "2025-07-27 00:22:27 UTC"; empty is left out
  trace::HoldRule hold{};    ///< that the analysis was made with, so that gaps are drawn where it saw them
};

/// One section a file. Whatever stands in file, device and phase names stays text.
[[nodiscard]] std::string analysis_html(std::span<const AnalysedTrace> files, const ReportMeta& meta);
[[nodiscard]] std::string demo_html(const experiment::DemoResult& result, const ReportMeta& meta);

}  // namespace wattrein::report
