#include "report/html_verdict.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/format.h"
#include "report/html_format.h"
#include "report/html_page.h"
#include "report/verdict.h"

namespace wattrein::report::html {

using analysis::Analysis;
using analysis::Limit;
using analysis::LimitResult;
using analysis::Subject;
using analysis::WindowKind;
using analysis::WindowVerdict;

namespace {

bool all_digits(std::string_view s) {
  return !s.empty() && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
}

std::string watts_unit(double w) { return watts(w) + " W"; }

/// The graver of all its subjects' outcomes.
std::string chip_of(const Analysis& analysis, const Limit& limit) {
  if (analysis.limits_proposed) return chip("note", "proposal");
  if (analysis.snapshot) return chip("open", "snapshot");
  const LimitResult* gravest = nullptr;
  for (const Subject* s : subjects_of(analysis, limit)) {
    const LimitResult* r = result_of(*s, limit);
    if (gravest == nullptr || (r->violated && !gravest->violated) ||
        (r->undecided && !gravest->violated && !gravest->undecided)) {
      gravest = r;
    }
  }
  return gravest == nullptr ? chip("open", "not available") : outcome_chip(*gravest, false);
}

}  // namespace

std::string subject_text(const Subject& subject, const Analysis& analysis) {
  if (subject.is_sum) return fmt::format("The sum of {} devices", analysis.devices.size());
  return all_digits(subject.name) ? "device " + subject.name : subject.name;
}

std::string subject_name(const Subject& subject, const Analysis& analysis) {
  const std::string text = subject_text(subject, analysis);
  return subject.is_sum || all_digits(subject.name) ? escape(text) : name(text);
}

std::string limit_text(const Limit& limit) {
  std::string text = fmt::format("{:g} W", limit.power.value());
  if (limit.window) text += " over " + exact_duration(*limit.window);
  return text;
}

std::string limit_name(const Limit& limit) {
  std::string text = watts_unit(limit.power.value());
  text += limit.scope == Limit::Scope::sum ? " for the sum" : " for each device";
  if (limit.window) text += " as a mean over " + escape(exact_duration(*limit.window));
  return text;
}

const WindowVerdict* find_window(const LimitResult& result, WindowKind kind, Nanos window) {
  const auto it = std::ranges::find_if(result.windows, [&](const WindowVerdict& w) {
    return w.means.spec.kind == kind && (kind == WindowKind::samples || w.means.spec.window == window);
  });
  return it == result.windows.end() ? nullptr : &*it;
}

std::string outcome_chip(const LimitResult& result, bool proposed) {
  if (proposed) return chip("note", "proposal");
  return chip(result.violated ? "bad" : result.undecided ? "open" : "good", outcome(result));
}

std::string verdict(const trace::Trace& trace, const Analysis& analysis, const Limit& limit) {
  const std::string sentence = verdict_sentence(trace, analysis, limit, {.name = name, .text = escape});
  std::string text = chip_of(analysis, limit) + " ";
  if (in_doubt(trace, limit)) text += chip("open", "in doubt") + " ";
  if (!analysis.limits_proposed) return text + sentence;
  return text +
         fmt::format("Proposed ({}): {}", limit.origin.empty() ? "from the data" : escape(limit.origin), sentence);
}

}  // namespace wattrein::report::html
