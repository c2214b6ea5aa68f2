#include "report/html_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "base/text.h"
#include "report/format.h"
#include "report/html_format.h"
#include "report/html_page.h"

namespace wattrein::report::html {

using analysis::Analysis;
using analysis::Limit;
using analysis::LimitResult;
using analysis::Subject;
using analysis::WindowKind;
using analysis::WindowVerdict;

namespace {

constexpr Nanos kInfrastructure = std::chrono::seconds(30);  ///< what a breaker or a tariff may see

bool all_digits(std::string_view s) {
  return !s.empty() && std::ranges::all_of(s, [](char c) { return c >= '0' && c <= '9'; });
}

std::string watts_unit(double w) { return watts(w) + " W"; }

/// " for 12.3 s in 4 excursions, the longest 6.1 s from 00:02:31".
std::string excursion_clause(const LimitResult& result) {
  const auto& list = result.excursions.list;
  if (list.empty()) return "";
  const auto longest = std::ranges::max_element(list, {}, &analysis::Excursion::duration);
  std::string text = fmt::format(" for {} in {}", duration(result.excursions.time_above),
                                 plural(static_cast<std::int64_t>(list.size()), "excursion"));
  text += list.size() == 1
              ? fmt::format(" from {}", clock(longest->start))
              : fmt::format(", the longest {} from {}", duration(longest->duration), clock(longest->start));
  return text;
}

/// "2 of 23", "none of 23 (4 more unknown)".
std::string count_of(const WindowVerdict& w) {
  if (!w.means.available || w.means.known == 0) return w.means.unknown > 0 ? "unknown" : "not available";
  std::string text = (w.violating == 0 ? "none" : number(w.violating)) + " of " + number(w.means.known);
  if (w.means.unknown > 0) text += fmt::format(" ({} more unknown)", number(w.means.unknown));
  return text;
}

/// "; at 30 s windows: none of 23", of blocks, or of sliding windows where only those are above.
std::string window_clause(const LimitResult& result, Nanos window) {
  const WindowVerdict* block = find_window(result, WindowKind::block, window);
  const WindowVerdict* sliding = find_window(result, WindowKind::sliding, window);
  if (block == nullptr) return "";
  std::string text = fmt::format("; at {} windows: {}", duration(window), count_of(*block));
  if (block->violating == 0 && sliding != nullptr && sliding->violating > 0) {
    text += fmt::format(", but {} sliding ones", count_of(*sliding));
  }
  return text;
}

std::string windowed_violation(const LimitResult& result) {
  const Nanos window = *result.limit.window;
  const WindowVerdict* shown = find_window(result, WindowKind::block, window);
  const WindowVerdict* sliding = find_window(result, WindowKind::sliding, window);
  std::string kind = "block";
  if ((shown == nullptr || shown->violating == 0) && sliding != nullptr) {
    shown = sliding;
    kind = "sliding";
  }
  if (shown == nullptr) return "";
  std::string text = fmt::format(" in {} of {} {} windows", number(shown->violating), number(shown->means.known), kind);
  if (shown->means.unknown > 0) text += fmt::format(" ({} more unknown)", number(shown->means.unknown));
  if (shown->means.worst) {
    text +=
        fmt::format(", the worst {} W from {}", watts_beside(shown->means.worst->value(), result.limit.power.value()),
                    clock(shown->means.worst_start));
  }
  return text;
}

std::string limit_phrase(const Limit& limit) {
  std::string text = watts_unit(limit.power.value());
  if (limit.window) text += " as a mean over " + duration(*limit.window);
  return text;
}

std::string violated_sentence(const Analysis& analysis, const Subject& worst, const LimitResult& result,
                              std::size_t n_violated, std::size_t n_subjects) {
  std::string text;
  const std::string limit = limit_phrase(result.limit);
  if (n_subjects > 1) {
    text = fmt::format("{} of {} exceeded {}. {} did so most,", number(static_cast<std::int64_t>(n_violated)),
                       plural(static_cast<std::int64_t>(n_subjects), "device"), limit, subject_name(worst, analysis));
  } else {
    text = subject_name(worst, analysis) + " exceeded " + limit;
  }
  if (result.limit.window) return text + windowed_violation(result) + ".";
  return text + excursion_clause(result) + window_clause(result, kInfrastructure) + ".";
}

const WindowVerdict* own_window(const LimitResult& result) {
  return result.limit.window ? find_window(result, WindowKind::block, *result.limit.window)
                             : find_window(result, WindowKind::samples, Nanos(0));
}

std::string undecided_sentence(const Analysis& analysis, const Subject& subject, const LimitResult& result) {
  std::string text = fmt::format("{} was not seen above {}, but that is not shown", subject_name(subject, analysis),
                                 limit_phrase(result.limit));
  if (const WindowVerdict* own = own_window(result)) {
    const std::string& why = own->means.available ? own->note : own->means.reason;
    text += ": " + word(analysis::name(own->verdict));
    if (!why.empty()) text += fmt::format(" ({})", escape(why));
    if (own->means.unknown > 0) text += fmt::format(", {} unknown", plural(own->means.unknown, "window"));
  }
  return text + ".";
}

std::string held_sentence(const Analysis& analysis, const Subject& highest, const LimitResult& result,
                          std::size_t n_subjects) {
  std::string text =
      n_subjects > 1 ? fmt::format("All {} devices stayed", n_subjects) : subject_name(highest, analysis) + " stayed";
  text += " at or under " + limit_phrase(result.limit);
  const WindowVerdict* own = own_window(result);
  if (own != nullptr && own->means.worst) {
    text += fmt::format(": the highest {} was {} W{}", result.limit.window ? "mean" : "sample",
                        watts_beside(own->means.worst->value(), result.limit.power.value()),
                        n_subjects > 1 ? " on " + subject_name(highest, analysis) : "");
  }
  if (!result.limit.window) text += window_clause(result, kInfrastructure);
  return text + ".";
}

std::string snapshot_sentence(const Analysis& analysis, const std::vector<const Subject*>& subjects,
                              const Limit& limit) {
  if (subjects.size() == 1) {
    const Subject& s = *subjects.front();
    if (!s.power.max) return subject_name(s, analysis) + " is " + word("unknown") + ".";
    return fmt::format("At the one moment that was logged, {} drew {} W, {} {}. Energy and windows are {}.",
                       subject_name(s, analysis), watts_beside(s.power.max->value(), limit.power.value()),
                       *s.power.max > limit.power ? "more than" : "not more than", watts_unit(limit.power.value()),
                       unknown());
  }
  std::string above;
  std::int64_t n = 0;
  for (const Subject* s : subjects) {
    if (!s->power.max || s->power.max->value() <= limit.power.value()) continue;
    ++n;
    if (n <= 8)
      above += (n > 1 ? ", " : "") + fmt::format("{} at {} W", subject_name(*s, analysis), watts(s->power.max));
  }
  if (n > 8) above += fmt::format(" and {} more", n - 8);
  std::string text =
      fmt::format("At the one moment that was logged, {} of {} drew more than {}", n == 0 ? "none" : number(n),
                  plural(static_cast<std::int64_t>(subjects.size()), "device"), watts_unit(limit.power.value()));
  if (n > 0) text += " (" + above + ")";
  return text + ". Energy and windows are " + word("unknown") + ".";
}

struct Ranked {
  const Subject* subject = nullptr;
  const LimitResult* result = nullptr;
};

/// Violated before not, then by time above, then by the highest mean at the limit's own window.
bool less(const Ranked& a, const Ranked& b) {
  const auto key = [](const Ranked& r) {
    const WindowVerdict* own = own_window(*r.result);
    return std::tuple(r.result->violated, r.result->excursions.time_above,
                      own != nullptr && own->means.worst ? own->means.worst->value() : 0.0);
  };
  return key(a) < key(b);
}

std::string sentence(const Analysis& analysis, const Limit& limit) {
  const auto subjects = subjects_of(analysis, limit);
  if (subjects.empty()) return "applies to nothing in this file.";
  if (analysis.snapshot) return snapshot_sentence(analysis, subjects, limit);
  std::vector<Ranked> ranked;
  for (const Subject* s : subjects) ranked.push_back({s, result_of(*s, limit)});
  const Ranked worst = *std::ranges::max_element(ranked, less);
  const auto n_violated = std::ranges::count_if(ranked, [](const Ranked& r) { return r.result->violated; });
  if (n_violated > 0) {
    return violated_sentence(analysis, *worst.subject, *worst.result, static_cast<std::size_t>(n_violated),
                             ranked.size());
  }
  const auto open = std::ranges::find_if(ranked, [](const Ranked& r) { return r.result->undecided; });
  if (open != ranked.end()) return undecided_sentence(analysis, *open->subject, *open->result);
  return held_sentence(analysis, *worst.subject, *worst.result, ranked.size());
}

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
  return all_digits(subject.name) ? "GPU " + subject.name : subject.name;
}

std::string subject_name(const Subject& subject, const Analysis& analysis) {
  const std::string text = subject_text(subject, analysis);
  return subject.is_sum || all_digits(subject.name) ? escape(text) : name(text);
}

std::string limit_text(const Limit& limit) {
  std::string text = fmt::format("{:g} W", limit.power.value());
  if (limit.window) text += " over " + format_duration(*limit.window);
  return text;
}

std::string limit_name(const Limit& limit) {
  std::string text = watts_unit(limit.power.value());
  text += limit.scope == Limit::Scope::sum ? " for the sum" : " for each device";
  if (limit.window) text += " as a mean over " + duration(*limit.window);
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

std::string verdict(const Analysis& analysis, const Limit& limit) {
  std::string text = chip_of(analysis, limit) + " ";
  if (analysis.limits_proposed) {
    text += fmt::format("Proposed limit {} ({}): ", limit_name(limit),
                        limit.origin.empty() ? "from the data" : escape(limit.origin));
  }
  return text + sentence(analysis, limit);
}

}  // namespace wattrein::report::html
