#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "report/format.h"
#include "report/table.h"
#include "report/verdict.h"
#include "trace/understanding.h"

namespace wattrein::report {

using analysis::Analysis;
using analysis::Excursion;
using analysis::Limit;
using analysis::LimitResult;
using analysis::Subject;
using analysis::Verdict;
using analysis::WindowKind;
using analysis::WindowVerdict;
using Align = TextTable::Align;

namespace {

constexpr std::size_t kShownExcursions = 5;

std::string number(std::optional<Watts> p) { return p ? fmt::format("{:.1f}", p->value()) : "unknown"; }

std::string energy_cell(const Subject& s, const EnergyUnit& unit) {
  std::string cell = energy(s.energy.integral, unit);
  if (s.energy.marked) cell += " !";
  return cell;
}

/// How far the integral is from the counter, over the time that both know.
std::string disagreement_cell(const Subject& s) {
  return s.energy.disagreement ? fmt::format("{:+.2f} %", *s.energy.disagreement * 100.0) : "-";
}

std::string subjects_table(const Analysis& analysis) {
  const bool counters =
      std::ranges::any_of(analysis.devices, [](const Subject& s) { return s.energy.counter.has_value(); });
  std::vector<TextTable::Column> columns{
      {"device", Align::left}, {"mean W"}, {"p95 W"}, {"max W"}, {"energy"}, {"known"}, {"period"}};
  if (counters) columns.insert(columns.end(), {{"counter"}, {"off by"}});
  TextTable table(columns);
  const EnergyUnit unit = energy_unit(analysis);
  const auto add = [&](const Subject& s) {
    const bool snapshot = s.sampling.span.count() == 0;
    std::vector<std::string> row{printable_ends(s.name, 28),
                                 number(s.power.tmean ? s.power.tmean : s.power.mean),
                                 number(s.power.p95),
                                 number(s.power.max),
                                 energy_cell(s, unit),
                                 snapshot ? "-" : percent(s.sampling.coverage),
                                 snapshot ? "-" : format_duration(s.sampling.period)};
    if (counters && !s.is_sum) {
      row.push_back(s.energy.counter ? energy(s.energy.counter, unit) : "-");
      row.push_back(disagreement_cell(s));
    }
    table.row(std::move(row));
  };
  for (const Subject& s : analysis.devices) add(s);
  if (analysis.sum) add(*analysis.sum);
  return table.text(2);
}

std::string phases_text(const Analysis& analysis) {
  const Subject* subject = analysis.sum ? &*analysis.sum : analysis.devices.empty() ? nullptr : &analysis.devices[0];
  if (subject == nullptr || subject->phases.levels.empty()) return "";
  std::string text;
  for (const analysis::PhaseLevel& level : subject->phases.levels) {
    text += fmt::format("{}{}: {:.1f} W, sd {:.1f} W, {} of the time in {} stretch{}", text.empty() ? "" : "; ",
                        printable(level.name, 30), level.mean.value(), level.sd.value(), percent(level.share),
                        level.visits, level.visits == 1 ? "" : "es");
  }
  const std::string_view how = subject->phases.from_labels ? "from labels" : "found from power";
  return wrap(fmt::format("{}, {}: {}", subject->is_sum ? "sum" : "device " + subject->name, how, text),
              "  phases    ");
}

std::string correlation_text(const Analysis& analysis) {
  const analysis::Correlation& c = analysis.correlation;
  if (!c.mean || !c.min || !c.max) return "";
  const std::string some =
      c.devices < analysis.devices.size() ? fmt::format(", of {} devices taken evenly", c.devices) : "";
  return wrap(fmt::format("pairwise mean {:.2f}, from {:.2f} to {:.2f}{}{}", *c.mean, *c.min, *c.max,
                          c.within_phase ? ", within phases" : "", some),
              "  correlation ");
}

std::string sampling_text(const Analysis& analysis) {
  const Subject* worst = nullptr;
  for (const Subject& s : analysis.devices) {
    if (worst == nullptr || s.sampling.holes > worst->sampling.holes) worst = &s;
  }
  if (worst == nullptr || worst->sampling.span.count() == 0) return "";
  const analysis::Sampling& q = worst->sampling;
  return wrap(
      fmt::format("device {}: {}, jitter {}, {} (longest gap {}), {} repeat the value before, "
                  "stamps: {} duplicate, {} backward",
                  worst->name, counted(q.samples, "sample"), format_duration(q.jitter), counted(q.holes, "hole"),
                  format_duration(q.longest_gap), percent(q.repeated, 2), q.duplicate_stamps, q.backward_stamps),
      "  sampling  ");
}

/// The verdict on one window size, from its block and its sliding windows.
std::string window_word(const WindowVerdict& block, const WindowVerdict* sliding) {
  if (block.verdict == Verdict::violated || sliding == nullptr) return std::string(analysis::name(block.verdict));
  if (sliding->verdict == Verdict::violated) return "violated, sliding";
  if (block.verdict == Verdict::not_available) return std::string(analysis::name(sliding->verdict));
  return std::string(analysis::name(block.verdict));
}

std::string rate_cell(const WindowVerdict& w) { return w.rate ? percent(*w.rate) : "unknown"; }

/// A reason, and the windows that it is of.
class Reasons {
 public:
  void add(const std::string& reason, const std::string& window) {
    const auto at = std::ranges::find(list_, reason, &std::pair<std::string, std::string>::first);
    if (at == list_.end()) {
      list_.emplace_back(reason, window);
    } else {
      at->second += ", " + window;
    }
  }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& list() const { return list_; }

 private:
  std::vector<std::pair<std::string, std::string>> list_;
};

/// What "at most" and "no interval" in the column of intervals stand for.
std::string intervals_legend(const std::vector<const WindowVerdict*>& shown) {
  std::string independent;
  Reasons none;
  for (const WindowVerdict* w : shown) {
    if (w->rate_95) continue;
    const std::string window = window_name(w->means.spec);
    if (!w->upper_95) {
      none.add(no_interval_reason(*w), window);
      continue;
    }
    independent += fmt::format("{}{} ({})", independent.empty() ? "" : ", ", independent_windows(*w->upper_95), window);
  }
  std::string text;
  if (!independent.empty()) {
    text += wrap(
        "at most: none of those counted was above; n independent windows allow a share of 3/n, and n is " + independent,
        "    ");
  }
  std::string reasons;
  for (const auto& [reason, windows] : none.list()) {
    // "fewer than ten blocks of 30 s (samples), of 1 min (30 s)": what is said already is not said again.
    constexpr std::string_view kBlocks = "fewer than ten blocks ";
    const bool again = reason.starts_with(kBlocks) && reasons.find(kBlocks) != std::string::npos;
    reasons += reasons.empty() ? "" : again ? ", " : "; ";
    reasons += again ? reason.substr(kBlocks.size()) : reason;
    if (none.list().size() > 1) reasons += " (" + windows + ")";
  }
  return reasons.empty() ? text : text + wrap("no interval: " + reasons, "    ");
}

std::string windows_table(const LimitResult& result) {
  TextTable table(
      {{"window", Align::left}, {"over / known"}, {"rate"}, {"95 %"}, {"worst mean"}, {"verdict", Align::left}});
  std::vector<const WindowVerdict*> shown;
  Reasons unavailable;
  for (std::size_t i = 0; i < result.windows.size(); ++i) {
    const WindowVerdict& w = result.windows[i];
    if (w.means.spec.kind == WindowKind::sliding) continue;
    const bool has_sliding = w.means.spec.kind == WindowKind::block && i + 1 < result.windows.size() &&
                             result.windows[i + 1].means.spec.kind == WindowKind::sliding;
    const WindowVerdict* sliding = has_sliding ? &result.windows[i + 1] : nullptr;
    if (!w.means.available && (sliding == nullptr || !sliding->means.available)) {
      unavailable.add(w.means.reason, window_name(w.means.spec));
      continue;
    }
    std::optional<Watts> worst = w.means.worst;
    if (sliding != nullptr && sliding->means.worst && (!worst || *sliding->means.worst > *worst)) {
      worst = sliding->means.worst;
    }
    shown.push_back(&w);
    const bool own = w.means.spec.kind == WindowKind::block && result.limit.window == w.means.spec.window;
    table.row({window_name(w.means.spec) + (own ? " (limit)" : ""), fmt::format("{} / {}", w.violating, w.means.known),
               rate_cell(w), rate_interval(w), worst ? watts_beside(*worst, result.limit.power) : "unknown",
               window_word(w, sliding)});
  }
  std::string text = table.empty() ? "" : table.text(4) + intervals_legend(shown);
  std::string list;
  for (const auto& [reason, windows] : unavailable.list()) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : "; ", windows, reason);
  }
  return list.empty() ? text : text + wrap("not available: " + list, "    ");
}

/// Of a limit on means: when, for how long and how high, for the longest stretches of its sliding windows above it.
std::string stretches_table(const trace::Trace& trace, const Subject& subject, const LimitResult& result) {
  const WindowVerdict* own = own_windows(result).decisive;
  if (!result.limit.window || own == nullptr || own->longest.empty()) return "";
  const std::string size = exact_duration(own->means.spec.window);
  TextTable table({{"longest above in means over " + size, Align::left}, {"offset"}, {"for"}, {"worst mean"}});
  for (const analysis::Stretch& s : std::span(own->longest).first(std::min(own->longest.size(), kShownStretches))) {
    table.row({"from " + moment(trace, s.start, subject.sampling.span), offset_text(s.start),
               format_duration(s.duration), watts(s.worst)});
  }
  return table.text(4) + wrap(fmt::format("{} {} of {} windows above it, {} in all", own->stretches,
                                          own->stretches == 1 ? "stretch" : "stretches", size,
                                          format_duration(own->time_over.value_or(Nanos(0)))),
                              "    ");
}

std::string excursions_table(const trace::Trace& trace, const Subject& subject, const LimitResult& result) {
  const analysis::Excursions& all = result.excursions;
  if (all.list.empty() || subject.sampling.span.count() == 0) return "";
  std::vector<const Excursion*> longest;
  longest.reserve(all.list.size());
  for (const Excursion& e : all.list) longest.push_back(&e);
  std::ranges::sort(longest, {}, [](const Excursion* e) {
    return std::tuple(-e->duration, -e->overshoot.value(), e->start);  // of equals, those that matter most
  });
  longest.resize(std::min(longest.size(), kShownExcursions));
  TextTable table(
      {{"longest excursions at", Align::left}, {"offset"}, {"for"}, {"peak"}, {"overshoot"}, {"kind", Align::left}});
  for (const Excursion* e : longest) {
    table.row({moment(trace, e->start, subject.sampling.span), offset_text(e->start), format_duration(e->duration),
               watts(e->peak), energy(e->overshoot), e->plateau ? "plateau" : "transient"});
  }
  std::string text = table.text(4);
  std::string summary =
      fmt::format("{} above it ({}, {}), {} in all, overshoot {}", counted(all.list.size(), "excursion"),
                  counted(all.plateaus, "plateau"), counted(all.transients, "transient"),
                  format_duration(all.time_above), energy(all.overshoot));
  if (all.removable_share)
    summary += fmt::format(", of which feedback could remove {}", percent(*all.removable_share, 2));
  return text + wrap(summary, "    ");
}

std::string breaker_text(const LimitResult& result) {
  const analysis::BreakerState& b = result.breaker;
  std::string state = b.tripped ? fmt::format("would trip {} into the log", format_duration(*b.tripped))
                                : fmt::format("reaches {} of a trip", percent(b.peak, 2));
  return wrap(fmt::format("a breaker rated at the limit (assumed curve: extremely inverse, TMS {:g} s) {}",
                          b.params.tms_s, state),
              "    ");
}

std::string devices_window_table(const trace::Trace& trace, const std::vector<const Subject*>& subjects,
                                 const Limit& limit) {
  TextTable table(
      {{"device", Align::left}, {"verdict", Align::left}, {"blocks"}, {"sliding"}, {"worst mean"}, {"worst from"}});
  const auto over = [](const WindowVerdict* w) {
    return w != nullptr && w->means.available ? fmt::format("{} / {}", w->violating, w->means.known) : "-";
  };
  for (const Subject* s : subjects) {
    const LimitResult& r = *result_of(*s, limit);
    const OwnWindows own = own_windows(r);
    const bool any = own.decisive != nullptr && own.decisive->means.worst;
    table.row({printable_ends(s->name, 16), std::string(outcome(r)), over(own.block), over(own.decisive),
               any ? watts(own.decisive->means.worst) : "-",
               any ? moment(trace, own.decisive->means.worst_start, s->sampling.span) : "-"});
  }
  return table.text(4);
}

std::string devices_table(const trace::Trace& trace, const std::vector<const Subject*>& subjects, const Limit& limit) {
  TextTable table(
      {{"device", Align::left}, {"verdict", Align::left}, {"excursions"}, {"time above"}, {"longest"}, {"first at"}});
  for (const Subject* s : subjects) {
    const LimitResult& r = *result_of(*s, limit);
    const analysis::Excursions& e = r.excursions;
    const bool any = !e.list.empty();
    table.row({printable_ends(s->name, 16), std::string(outcome(r)), fmt::format("{}", e.list.size()),
               any ? format_duration(e.time_above) : "-", any ? format_duration(e.longest) : "-",
               any ? moment(trace, e.list.front().start, s->sampling.span) : "-"});
  }
  return table.text(4);
}

std::string limit_text(const trace::Trace& trace, const Analysis& analysis, const Limit& limit) {
  std::string text =
      wrap(verdict_sentence(trace, analysis, limit), analysis.limits_proposed ? "  proposal " : "  limit ");
  if (analysis.limits_proposed) text += wrap("taken from: " + limit.origin, "    ");
  const std::vector<const Subject*> subjects = subjects_of(analysis, limit);
  if (subjects.empty()) return text;
  if (subjects.size() > 1) {
    text += limit.window ? devices_window_table(trace, subjects, limit) : devices_table(trace, subjects, limit);
  }
  if (analysis.snapshot) return text;
  const Subject& worst = *worst_subject(analysis, limit);
  const LimitResult& result = *result_of(worst, limit);
  if (subjects.size() > 1)
    text += fmt::format("    in full for device {} (all devices: --json, --report):\n", worst.name);
  text += windows_table(result);
  text += stretches_table(trace, worst, result);
  text += excursions_table(trace, worst, result);
  text += breaker_text(result);
  return text;
}

}  // namespace

std::string analysis_text(const trace::Trace& trace, const Analysis& analysis) {
  std::string text = printable(trace.source, 200) + '\n';
  for (const trace::FilePart& part : trace.understanding.parts) {
    text += wrap(printable(part.source, 200) + ": " + part.read_as, "  file      ");
  }
  text += wrap(trace::understanding_line(trace), trace.understanding.parts.empty() ? "  read as   " : "  joined    ");
  text += wrap(rows_line(trace), "  rows      ");
  for (const trace::Damage& d : trace.understanding.first_damaged) {
    text += wrap(fmt::format("{}: {}", d.where, d.reason), "    damaged ");
  }
  text += wrap(evidence_line(trace), "  evidence  ");
  text += sampling_text(analysis);
  for (const std::string& warning : trace.understanding.warnings) text += wrap(warning, "  WARNING   ");
  for (const std::string& note : trace.understanding.notes) text += wrap(note, "  note      ");
  for (const std::string& note : analysis.notes) text += wrap(note, "  note      ");
  text += '\n' + subjects_table(analysis);
  if (std::ranges::any_of(analysis.devices, [](const Subject& s) { return s.energy.marked; })) {
    text += "  ! energy counter and integral differ by more than 5 %\n";
  }
  if (analysis.sum && !trace.understanding.warnings.empty()) {
    text += "  ! the sum is in doubt: see the WARNING above\n";
  }
  text += '\n' + phases_text(analysis) + correlation_text(analysis);
  for (const Limit& limit : analysis.limits) text += '\n' + limit_text(trace, analysis, limit);
  return text;
}

}  // namespace wattrein::report
