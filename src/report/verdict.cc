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

/// " for 12.3 s in 4 excursions, the longest 6.1 s".
std::string excursion_clause(const Case& c, const Subject& subject) {
  const analysis::Excursions& e = c.of(subject).excursions;
  if (e.list.empty()) return "";
  if (e.time_above == Nanos(0)) {
    return fmt::format(" in {} of no known length (readings that share their stamp with the next)",
                       counted(e.list.size(), "excursion"));
  }
  return fmt::format(" for {} in {}, the longest {}", format_duration(e.time_above),
                     counted(e.list.size(), "excursion"), format_duration(e.longest));
}

/// ", the first at 00:24:58.123": the earliest of all; and on whom, where there are several.
std::string first_clause(const Case& c, const std::vector<const Subject*>& over) {
  const Subject* who_first = nullptr;
  std::optional<Nanos> earliest;
  for (const Subject* s : over) {
    const auto at = first_over(c.of(*s));
    if (!at || (earliest && *at >= *earliest)) continue;
    earliest = at;
    who_first = s;
  }
  if (!earliest) return "";
  std::string text = fmt::format(", the first {} {}", c.limit.window ? "from" : "at",
                                 moment(c.trace, *earliest, who_first->sampling.span));
  return over.size() > 1 ? text + " on " + c.called(*who_first) : text;
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
  std::string text = fmt::format("; at {}: {} of {}", format_duration(kInfrastructure),
                                 shown->violating == 0 ? "none" : fmt::format("{}", shown->violating),
                                 counted(shown->means.known, sliding ? "sliding window" : "window"));
  if (shown->means.unknown > 0) text += fmt::format(" ({} more unknown)", shown->means.unknown);
  return text;
}

/// " in 2 of 23 blocks and in 45 of 871 sliding windows, the worst (230.1 W) from ..."; `first` stands before the
/// worst.
std::string window_clause(const Case& c, const Subject& subject, const OwnWindows& own, const std::string& first) {
  const WindowVerdict& w = *own.decisive;
  std::string text;
  if (own.block != nullptr && own.block->means.available) {
    text += own.block->violating > 0
                ? fmt::format(" in {} of {} and", own.block->violating, counted(own.block->means.known, "block"))
                : fmt::format(" in none of {}, but", counted(own.block->means.known, "block"));
  }
  text += fmt::format(" in {} of {}", w.violating, counted(w.means.known, "sliding window"));
  if (w.means.unknown > 0) text += fmt::format(" ({} more unknown)", w.means.unknown);
  text += first;
  if (w.means.worst) {
    text += fmt::format(", the worst ({}) from {}", watts_beside(*w.means.worst, c.limit.power),
                        moment(c.trace, w.means.worst_start, subject.sampling.span));
  }
  return text + fmt::format("; such windows cover {} in {}", format_duration(w.time_over.value_or(Nanos(0))),
                            w.stretches == 1 ? "one stretch" : fmt::format("{} stretches", w.stretches));
}

/// ", as longer means show (readings are 2 s apart, and means over 10 s above it have means over 1 s above it):" where
/// that is how it is known.
std::string seen_clause(const Case& c, const Subject& subject) {
  const LimitResult& r = c.of(subject);
  if (!r.seen_at || !c.limit.window) return "";
  return fmt::format(
      ", as means over {} show, which hold means over {} above it (readings are {} apart):", exact_duration(*r.seen_at),
      exact_duration(*c.limit.window), format_duration(subject.sampling.period));
}

/// "VIOLATED by 2 of 4 devices in their one sample (device 2 at 310.0 W, device 3 at 325.0 W)".
std::string snapshot_over(const Case& c, const std::string& word, const std::vector<const Subject*>& over) {
  std::string list;
  for (std::size_t i = 0; i < std::min(over.size(), kMostNamed); ++i) {
    if (i > 0) list += ", ";
    list += c.called(*over[i]);
    if (const auto& highest = over[i]->power.max) list += " at " + watts_beside(*highest, c.limit.power);
  }
  if (over.size() > kMostNamed) list += fmt::format(" and {} more", over.size() - kMostNamed);
  if (c.subjects.size() == 1) return fmt::format("{} in the one sample: {}", word, list);
  return fmt::format("{} by {} of {} in their one sample ({})", word, over.size(), counted(c.subjects.size(), "device"),
                     list);
}

std::string over_clause(const Case& c, const std::vector<const Subject*>& over) {
  const std::string word = c.analysis.limits_proposed ? "exceeded" : "VIOLATED";
  if (c.analysis.snapshot) return snapshot_over(c, word, over);
  const Subject& worst = *worst_subject(c.analysis, c.limit);
  // With several over it, the first of all stands before what the worst of them did; else among what the one did.
  const bool several = over.size() > 1;
  const std::string first = first_clause(c, over);
  std::string text = word + " by ";
  if (c.subjects.size() > 1) text += fmt::format("{} of {}", over.size(), counted(c.subjects.size(), "device"));
  if (several) text += first + "; most by ";
  if (!several && c.subjects.size() > 1) text += ": ";
  text += c.called(worst);
  const std::string_view colon = several ? ":" : "";
  const OwnWindows own = own_windows(c.of(worst));
  if (c.limit.window && own.decisive != nullptr) {
    const std::string seen = seen_clause(c, worst);
    return text + (seen.empty() ? std::string(colon) : seen) + window_clause(c, worst, own, several ? "" : first);
  }
  const std::string spell = excursion_clause(c, worst);
  if (!spell.empty()) text += std::string(colon) + spell;
  return text + (several ? "" : first) + infrastructure_clause(c.of(worst));
}

/// Why nothing at all is known of a limit's own windows.
std::string untold_reason(const Case& c, const Subject& s, const WindowVerdict& own) {
  const analysis::Sampling& q = s.sampling;
  if (s.is_sum && q.samples == 0) return "fewer than two devices have readings at the same time, so there is no sum";
  if (q.samples > 0 && q.known == 0) return "no power is known";
  if (!c.limit.window) return own.means.reason.empty() ? "no power is known" : c.words.text(own.means.reason);
  const Nanos w = *c.limit.window;
  const std::string size = exact_duration(w);
  if (q.samples == 1) return fmt::format("one reading makes no {} window", size);
  if (q.period.count() > 0 && analysis::is_below_period(w, q.period)) {
    return fmt::format("readings are {} apart, so a mean over {} is unknown", duration_beside(q.period, w), size);
  }
  if (q.span.count() > 0 && w > q.span) {
    return fmt::format("the log has no whole {} window: it is {} long", size, duration_beside(q.span, w));
  }
  if (own.means.available) return fmt::format("no {} window is known for four fifths of its time", size);
  return own.means.reason.empty() ? fmt::format("no {} window is known", size) : c.words.text(own.means.reason);
}

/// "; 20 of 20 readings were above it, but ...": what single readings say of a limit on means.
std::string readings_clause(const Case& c, const std::vector<const Subject*>& undecided) {
  if (!c.limit.window) return "";
  std::int64_t above = 0;
  std::int64_t known = 0;
  for (const Subject* s : undecided) {
    for (const WindowVerdict& w : c.of(*s).windows) {
      if (w.means.spec.kind != WindowKind::samples) continue;
      above += w.violating;
      known += w.means.known;
    }
  }
  if (above == 0) return "";
  return fmt::format("; {} of {} {} above it, but single readings do not decide a limit on means", above,
                     counted(known, "reading"), above == 1 ? "was" : "were");
}

std::string undecided_clause(const Case& c, const Subject& subject) {
  std::string text = "not violated in what is known, but not shown to be held either";
  if (const std::string& missing = c.of(subject).missing; !missing.empty()) {
    return text + fmt::format(" ({})", c.words.text(missing));
  }
  const WindowVerdict* own = own_windows(c.of(subject)).decisive;
  if (own == nullptr) return text;
  std::string why = own->means.available ? own->note : own->means.reason;
  if (why.empty() && subject.sampling.samples == 1) why = "one reading shows one instant";
  text += fmt::format(" ({}: {}{}", c.called(subject), analysis::name(own->verdict),
                      why.empty() ? "" : ", " + c.words.text(why));
  if (own->means.unknown > 0 && why.find("unknown") == std::string::npos) {
    text += fmt::format(", {} unknown", counted(own->means.unknown, "window"));
  }
  return text + ")";
}

/// Of a limit that none is seen to violate. Speaks of whoever had the most readings above it.
std::string open_clause(const Case& c, const std::vector<const Subject*>& undecided) {
  const auto above = [&](const Subject* s) {
    const auto& windows = c.of(*s).windows;
    const auto samples =
        std::ranges::find(windows, WindowKind::samples, [](const auto& w) { return w.means.spec.kind; });
    return samples == windows.end() ? 0 : samples->violating;
  };
  const Subject& shown = **std::ranges::max_element(undecided, {}, above);
  const WindowVerdict* own = own_windows(c.of(shown)).decisive;
  const bool untold = own != nullptr && (own->verdict == analysis::Verdict::not_available ||
                                         (own->verdict == analysis::Verdict::unknown && own->means.known == 0));
  if (!untold) return undecided_clause(c, shown) + readings_clause(c, undecided);
  std::string text = "cannot be told";
  if (c.subjects.size() > 1) {
    text += fmt::format(" for {} of {}", undecided.size(), counted(c.subjects.size(), "device"));
  }
  return text + ": " + untold_reason(c, shown, *own) + readings_clause(c, undecided);
}

/// "; power is unknown for 3 s: held if no more than its highest reading, 395.0 W, was drawn there". Of the subject
/// with the most unknown time among those whose windows have any.
std::string unknown_clause(const Case& c) {
  const Subject* most = nullptr;
  Watts drew;
  const auto dark = [](const Subject* s) { return s->sampling.span - s->sampling.known_time; };
  for (const Subject* s : c.subjects) {
    const std::optional<Watts> needed = c.of(*s).if_unknown_drew;
    if (!needed || (most != nullptr && dark(s) <= dark(most))) continue;
    most = s;
    drew = *needed;
  }
  if (most == nullptr) return "";
  return fmt::format("; power is unknown for {}{}: held if it drew no more than {} there, its highest reading",
                     format_duration(dark(most)), c.subjects.size() > 1 ? " of " + c.called(*most) : "",
                     watts_beside(drew, c.limit.power));
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
  text += unknown_clause(c);
  if (own->upper_95 && *own->upper_95 < 1.0) {
    const bool samples = own->means.spec.kind == WindowKind::samples;
    text += fmt::format("; none of {} above; rate {} with 95 % confidence",
                        counted(own->means.known, samples ? "sample" : "sliding window"), rate_interval(*own));
  }
  return text;
}

}  // namespace

Words plain_words() {
  const auto plain = [](std::string_view s) { return printable(s, 400); };
  return {.name = plain, .text = plain};
}

std::string who(const Subject& subject, const Analysis& analysis, const Words& words) {
  if (subject.is_sum) return fmt::format("the sum of {}", counted(analysis.devices.size(), "device"));
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
  std::vector<const Subject*> undecided;
  for (const Subject* s : c.subjects) {
    if (c.of(*s).violated) over.push_back(s);
    if (c.of(*s).undecided) undecided.push_back(s);
  }
  std::string text = limit_name(limit) + ": ";
  if (!over.empty()) {
    text += over_clause(c, over);
  } else {
    text += undecided.empty() ? held_clause(c) : open_clause(c, undecided);
  }
  text += ".";
  if (in_doubt(trace, limit)) {
    text += " The sum is in doubt: see the warnings.";
  } else if (!trace.understanding.warnings.empty()) {
    text += " See the warnings.";
  }
  return text;
}

}  // namespace wattrein::report
