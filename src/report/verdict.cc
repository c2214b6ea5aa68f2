#include "report/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/text.h"
#include "report/format.h"

namespace wattrein::report {

using analysis::Analysis;
using analysis::Limit;
using analysis::LimitResult;
using analysis::Subject;
using analysis::WindowKind;
using analysis::WindowVerdict;

namespace {

constexpr Nanos kInfrastructure = std::chrono::seconds(30);  ///< what a breaker or a tariff may see
constexpr std::size_t kMostNamed = 8;

/// What one sentence is about.
struct Case {
  const trace::Trace& trace;
  const Analysis& analysis;
  const Limit& limit;
  const Words& words;
  std::vector<const Subject*> subjects;

  [[nodiscard]] const LimitResult& of(const Subject& s) const { return *result_of(s, limit); }
  [[nodiscard]] std::string called(const Subject& s) const { return who(s, analysis, words); }
};

/// " for 12.3 s in 4 excursions, the longest 6.1 s, the first at 00:24:58.123".
std::string excursion_clause(const Case& c, const Subject& subject) {
  const analysis::Excursions& e = c.of(subject).excursions;
  if (e.list.empty()) return "";
  return fmt::format(" for {} in {}, the longest {}, the first at {}", format_duration(e.time_above),
                     plural(e.list.size(), "excursion"), format_duration(e.longest),
                     moment(c.trace, e.list.front().start, subject.sampling.span));
}

/// "; at 30 s: 2 of 23 windows (4 more unknown)", of blocks, or of sliding windows where only those are above.
std::string infrastructure_clause(const LimitResult& result) {
  const WindowVerdict* shown = nullptr;
  bool sliding = false;
  for (const WindowVerdict& w : result.windows) {
    if (w.means.spec.kind == WindowKind::samples || w.means.spec.window != kInfrastructure) continue;
    if (!w.means.available || w.means.known == 0) continue;
    if (shown != nullptr && (shown->violating > 0 || w.violating == 0)) continue;
    shown = &w;
    sliding = w.means.spec.kind == WindowKind::sliding;
  }
  if (shown == nullptr) return "";
  std::string text = fmt::format("; at {}: {} of {} {}windows", format_duration(kInfrastructure),
                                 shown->violating == 0 ? "none" : fmt::format("{}", shown->violating),
                                 shown->means.known, sliding ? "sliding " : "");
  if (shown->means.unknown > 0) text += fmt::format(" ({} more unknown)", shown->means.unknown);
  return text;
}

/// " in 2 of 23 blocks and 45 of 871 sliding windows, the first from ..., the worst (230.1 W) from ...".
std::string window_clause(const Case& c, const Subject& subject, const OwnWindows& own) {
  const WindowVerdict& w = *own.decisive;
  std::string text;
  if (own.block != nullptr && own.block->means.available) {
    text += fmt::format(" in {} of {} blocks and", own.block->violating, own.block->means.known);
  }
  text += fmt::format(" {}{} of {} sliding windows", text.empty() ? "in " : "", w.violating, w.means.known);
  if (w.means.unknown > 0) text += fmt::format(" ({} more unknown)", w.means.unknown);
  if (w.first_over) text += ", the first from " + moment(c.trace, *w.first_over, subject.sampling.span);
  if (w.means.worst) {
    text += fmt::format(", the worst ({}) from {}", watts_beside(*w.means.worst, c.limit.power),
                        moment(c.trace, w.means.worst_start, subject.sampling.span));
  }
  return text + fmt::format("; {} lie in such windows", format_duration(w.time_over));
}

/// "VIOLATED by 2 of 4 devices in their one sample (device 2 at 310.0 W, device 3 at 325.0 W)".
std::string snapshot_over(const Case& c, const std::string& word, const std::vector<const Subject*>& over) {
  std::string list;
  for (std::size_t i = 0; i < std::min(over.size(), kMostNamed); ++i) {
    if (i > 0) list += ", ";
    list += c.called(*over[i]);
    if (over[i]->power.max) list += " at " + watts_beside(*over[i]->power.max, c.limit.power);
  }
  if (over.size() > kMostNamed) list += fmt::format(" and {} more", over.size() - kMostNamed);
  if (c.subjects.size() == 1) return fmt::format("{} in the one sample: {}", word, list);
  return fmt::format("{} by {} of {} in their one sample ({})", word, over.size(), plural(c.subjects.size(), "device"),
                     list);
}

std::string over_clause(const Case& c, const std::vector<const Subject*>& over) {
  const std::string word = c.analysis.limits_proposed ? "exceeded" : "VIOLATED";
  if (c.analysis.snapshot) return snapshot_over(c, word, over);
  const Subject& worst = *worst_subject(c.analysis, c.limit);
  std::string text = word;
  if (c.subjects.size() > 1) {
    text += fmt::format(" by {} of {}; most by {}:", over.size(), plural(c.subjects.size(), "device"), c.called(worst));
  } else {
    text += " by " + c.called(worst);
  }
  const OwnWindows own = own_windows(c.of(worst));
  if (c.limit.window && own.decisive != nullptr) return text + window_clause(c, worst, own);
  return text + excursion_clause(c, worst) + infrastructure_clause(c.of(worst));
}

std::string undecided_clause(const Case& c, const Subject& subject) {
  std::string text = "not violated in what is known, but not shown to be held either";
  const WindowVerdict* own = own_windows(c.of(subject)).decisive;
  if (own == nullptr) return text;
  const std::string& why = own->means.available ? own->note : own->means.reason;
  text += fmt::format(" ({}: {}{}", c.called(subject), analysis::name(own->verdict),
                      why.empty() ? "" : ", " + c.words.text(why));
  if (own->means.unknown > 0) {
    text += fmt::format(", {} unknown", plural(static_cast<std::size_t>(own->means.unknown), "window"));
  }
  return text + ")";
}

std::string held_clause(const Case& c) {
  const Subject& highest = *worst_subject(c.analysis, c.limit);
  const WindowVerdict* own = own_windows(c.of(highest)).decisive;
  std::string text = "held";
  if (own == nullptr) return text;
  if (own->means.worst) {
    text += fmt::format("; the highest {} was {}", c.limit.window ? "mean" : "sample",
                        watts_beside(*own->means.worst, c.limit.power));
    if (c.subjects.size() > 1) text += " by " + c.called(highest);
  }
  if (own->upper_95) {
    text +=
        fmt::format("; {} windows, none above; rate {} with 95 % confidence", own->means.known, rate_interval(*own));
  }
  return text;
}

}  // namespace

Words plain_words() {
  const auto plain = [](std::string_view s) { return printable(s, 400); };
  return {.name = plain, .text = plain};
}

std::string who(const Subject& subject, const Analysis& analysis, const Words& words) {
  if (subject.is_sum) return fmt::format("the sum of {}", plural(analysis.devices.size(), "device"));
  return "device " + words.name(subject.name);
}

std::string limit_name(const Limit& limit) {
  std::string text = fmt::format("{:g} W", limit.power.value());
  text += limit.scope == Limit::Scope::sum ? ", sum of devices" : ", each device";
  if (limit.window) text += ", mean over " + exact_duration(*limit.window);
  return text;
}

std::string verdict_sentence(const trace::Trace& trace, const Analysis& analysis, const Limit& limit,
                             const Words& words) {
  const Case c{trace, analysis, limit, words, subjects_of(analysis, limit)};
  if (c.subjects.empty()) return limit_name(limit) + ": applies to nothing in this file.";
  std::vector<const Subject*> over;
  const Subject* undecided = nullptr;
  for (const Subject* s : c.subjects) {
    if (c.of(*s).violated) over.push_back(s);
    if (c.of(*s).undecided && undecided == nullptr) undecided = s;
  }
  std::string text = limit_name(limit) + ": ";
  if (!over.empty()) {
    text += over_clause(c, over);
  } else {
    text += undecided != nullptr ? undecided_clause(c, *undecided) : held_clause(c);
  }
  text += ".";
  if (c.subjects.front()->is_sum && !trace.understanding.warnings.empty()) {
    text += " The sum is in doubt: see the warnings.";
  }
  return text;
}

}  // namespace wattrein::report
