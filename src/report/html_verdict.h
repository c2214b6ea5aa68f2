#pragma once
// What a report says first: a sentence for every limit.

#include <string>

#include "analysis/analysis.h"
#include "report/html.h"

namespace wattrein::report::html {

/// "device 3" for a device that is called "3", its name otherwise, "The sum of 8 devices". HTML.
[[nodiscard]] std::string subject_name(const analysis::Subject& subject, const analysis::Analysis& analysis);
/// The same as plain text, for charts and captions.
[[nodiscard]] std::string subject_text(const analysis::Subject& subject, const analysis::Analysis& analysis);
/// "400 W for each device", "3 200 W for the sum as a mean over 30 s". HTML.
[[nodiscard]] std::string limit_name(const analysis::Limit& limit);
/// "400 W", "3200 W over 30 s": plain text for charts.
[[nodiscard]] std::string limit_text(const analysis::Limit& limit);
[[nodiscard]] const analysis::WindowVerdict* find_window(const analysis::LimitResult& result, analysis::WindowKind kind,
                                                         Nanos window);
/// An outcome as a chip: "violated", "compliant", "not decided"; for a proposal "proposal".
[[nodiscard]] std::string outcome_chip(const analysis::LimitResult& result, bool proposed);
/// Chip and sentence of one limit. HTML.
[[nodiscard]] std::string verdict(const trace::Trace& trace, const analysis::Analysis& analysis,
                                  const analysis::Limit& limit);

}  // namespace wattrein::report::html
