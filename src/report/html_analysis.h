#pragma once
// The sections of an analysis report. Each returns HTML, empty where it has nothing to say.

#include <cstddef>
#include <string>

#include "report/html.h"

namespace wattrein::report::html {

/// One file of a report, and where in the page it stands.
struct FileView {
  const trace::Trace& trace;
  const analysis::Analysis& analysis;
  std::size_t number = 0;  ///< for ids
  trace::HoldRule hold;
};

/// All subjects, the sum first where there is one.
[[nodiscard]] std::vector<const analysis::Subject*> subjects_in_order(const analysis::Analysis& analysis);

// html_analysis_charts.cc
[[nodiscard]] std::string power_section(const FileView& file);
[[nodiscard]] std::string window_charts(const FileView& file);

// html_analysis_limits.cc
[[nodiscard]] std::string windows_section(const FileView& file);
[[nodiscard]] std::string excursions_section(const FileView& file);
[[nodiscard]] std::string breaker_section(const FileView& file);

// html_analysis_tables.cc
[[nodiscard]] std::string understanding_section(const FileView& file);
[[nodiscard]] std::string energy_section(const FileView& file);
[[nodiscard]] std::string sampling_section(const FileView& file);
[[nodiscard]] std::string phases_section(const FileView& file);
[[nodiscard]] std::string correlation_section(const FileView& file);

}  // namespace wattrein::report::html
