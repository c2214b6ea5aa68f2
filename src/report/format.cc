#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <vector>

#include "base/text.h"

namespace wattrein::report {

using analysis::Analysis;
using analysis::Limit;
using analysis::LimitResult;
using analysis::Subject;
using analysis::WindowVerdict;

std::string watts(std::optional<Watts> p) {
  return p ? fmt::format("{:.{}f} W", p->value(), std::abs(p->value()) < 10 ? 2 : 1) : "unknown";
}

std::string energy(std::optional<Joules> e) {
  if (!e) return "unknown";
  const double j = e->value();
  if (std::abs(j) >= 3.6e6) return fmt::format("{:.4g} kWh", to_kwh(*e));
  if (std::abs(j) >= 1e3) return fmt::format("{:.4g} kJ", j * 1e-3);
  return fmt::format("{:.4g} J", j);
}

std::string percent(double share, int digits) {
  const double value = share * 100.0;
  if (value == 0.0) return "0 %";
  if (value >= 100.0) return fmt::format("{:.0f} %", value);
  // Significant digits without an exponent: 0.000123 % is what a rare violation looks like.
  const int decimals = std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 6);
  return fmt::format("{:.{}f} %", value, decimals);
}

std::string rate_interval(const WindowVerdict& verdict) {
  if (verdict.rate_95) {
    const std::string low = percent(verdict.rate_95->low, 2);
    return low.substr(0, low.size() - 2) + " to " + percent(verdict.rate_95->high, 2);
  }
  if (verdict.upper_95) return "at most " + percent(*verdict.upper_95, 2);
  return "no interval";
}

std::string window_name(const analysis::WindowSpec& spec) {
  return spec.kind == analysis::WindowKind::samples ? "samples" : format_duration(spec.window);
}

std::string offset_text(Nanos offset) { return fmt::format("+{:.1f} s", to_seconds(offset).value()); }

std::string moment(const trace::Trace& trace, Nanos offset, Nanos span) {
  if (!trace.start_unix_ns) return offset_text(offset);
  const std::string full = format_unix_ns(*trace.start_unix_ns + offset.count());
  const std::string first = format_unix_ns(*trace.start_unix_ns);
  const std::string last = format_unix_ns(*trace.start_unix_ns + span.count());
  return first.substr(0, 10) == last.substr(0, 10) ? full.substr(11) : full;
}

std::string_view outcome(const LimitResult& result) {
  if (result.violated) return "violated";
  return result.undecided ? "not decided" : "compliant";
}

const LimitResult* result_of(const Subject& subject, const Limit& limit) {
  const auto it = std::ranges::find(subject.limits, limit, &LimitResult::limit);
  return it == subject.limits.end() ? nullptr : &*it;
}

std::vector<const Subject*> subjects_of(const Analysis& analysis, const Limit& limit) {
  std::vector<const Subject*> subjects;
  for (const Subject& device : analysis.devices) {
    if (result_of(device, limit) != nullptr) subjects.push_back(&device);
  }
  if (analysis.sum && result_of(*analysis.sum, limit) != nullptr) subjects.push_back(&*analysis.sum);
  return subjects;
}

namespace {

std::string who(const Subject& subject) { return subject.is_sum ? "the sum" : "device " + subject.name; }

std::string limit_name(const Limit& limit) {
  std::string text = fmt::format("{:g} W", limit.power.value());
  text += limit.scope == Limit::Scope::sum ? ", sum of devices" : ", each device";
  if (limit.window) text += ", mean over " + format_duration(*limit.window);
  return text;
}

std::string plural(std::size_t n, std::string_view noun) { return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s"); }

/// " for 12.3 s in 4 excursions, the longest 6.1 s, the first at 00:24:58.123".
std::string excursion_clause(const trace::Trace& trace, const Subject& subject, const analysis::Excursions& e) {
  if (e.list.empty()) return "";
  if (subject.sampling.span.count() == 0) return " in its one sample";
  return fmt::format(" for {} in {}, the longest {}, the first at {}", format_duration(e.time_above),
                     plural(e.list.size(), "excursion"), format_duration(e.longest),
                     moment(trace, e.list.front().start, subject.sampling.span));
}

/// " in 2 of 23 blocks and 45 of 871 sliding windows, the first from ..., the worst (230.1 W) from ...".
std::string window_clause(const trace::Trace& trace, const Subject& subject, const OwnWindows& own) {
  const WindowVerdict& w = *own.decisive;
  std::string text;
  if (own.block != nullptr && own.block->means.available) {
    text += fmt::format(" in {} of {} blocks and", own.block->violating, own.block->means.known);
  }
  text += fmt::format(" {}{} of {} sliding windows", text.empty() ? "in " : "", w.violating, w.means.known);
  if (w.first_over) text += ", the first from " + moment(trace, *w.first_over, subject.sampling.span);
  if (w.means.worst) {
    text += fmt::format(", the worst ({}) from {}", watts(w.means.worst),
                        moment(trace, w.means.worst_start, subject.sampling.span));
  }
  return text + fmt::format("; {} lie in such windows", format_duration(w.time_over));
}

}  // namespace

OwnWindows own_windows(const LimitResult& result) {
  OwnWindows own;
  for (const WindowVerdict& w : result.windows) {
    const auto kind = w.means.spec.kind;
    if (!result.limit.window && kind == analysis::WindowKind::samples) own.decisive = &w;
    if (!result.limit.window || kind == analysis::WindowKind::samples || w.means.spec.window != *result.limit.window) {
      continue;
    }
    (kind == analysis::WindowKind::block ? own.block : own.decisive) = &w;
  }
  return own;
}

const Subject* worst_subject(const Analysis& analysis, const Limit& limit) {
  const std::vector<const Subject*> subjects = subjects_of(analysis, limit);
  if (subjects.empty()) return nullptr;
  const auto key = [&](const Subject* s) {
    const LimitResult& r = *result_of(*s, limit);
    const OwnWindows own = own_windows(r);
    const Nanos over = limit.window && own.decisive != nullptr ? own.decisive->time_over : r.excursions.time_above;
    return std::tuple(r.violated, over, r.excursions.longest);
  };
  return *std::ranges::max_element(subjects, {}, key);
}

std::string verdict_sentence(const trace::Trace& trace, const Analysis& analysis, const Limit& limit) {
  const std::vector<const Subject*> subjects = subjects_of(analysis, limit);
  if (subjects.empty()) return limit_name(limit) + ": applies to nothing in this file.";
  const auto violated = [&](const Subject* s) { return result_of(*s, limit)->violated; };
  const auto n_violated = static_cast<std::size_t>(std::ranges::count_if(subjects, violated));
  const Subject& worst = *worst_subject(analysis, limit);
  const LimitResult& result = *result_of(worst, limit);

  std::string text = limit_name(limit) + ": ";
  if (n_violated > 0) {
    text += "VIOLATED";
    if (subjects.size() > 1) text += fmt::format(" by {} of {}", n_violated, plural(subjects.size(), "device"));
    text += subjects.size() > 1 ? fmt::format("; most by {}:", who(worst)) : " by " + who(worst);
    const OwnWindows own = own_windows(result);
    text += limit.window && own.decisive != nullptr ? window_clause(trace, worst, own)
                                                    : excursion_clause(trace, worst, result.excursions);
    text += ".";
    return text;
  }
  const auto undecided =
      std::ranges::find_if(subjects, [&](const Subject* s) { return result_of(*s, limit)->undecided; });
  const Subject& shown = undecided != subjects.end() ? **undecided : worst;
  const WindowVerdict* own = own_windows(*result_of(shown, limit)).decisive;
  if (undecided != subjects.end()) {
    text += "not violated in what is known, but not shown to be held either";
    if (own != nullptr) {
      const std::string& why = own->means.available ? own->note : own->means.reason;
      text += fmt::format(" ({}: {}{})", who(shown), analysis::name(own->verdict), why.empty() ? "" : ", " + why);
    }
    return text + ".";
  }
  text += "held";
  if (own != nullptr && own->upper_95) {
    text +=
        fmt::format("; {} windows, none above; rate {} with 95 % confidence", own->means.known, rate_interval(*own));
  }
  return text + ".";
}

std::string understanding_line(const trace::Trace& trace, const Analysis& analysis) {
  const trace::Understanding& u = trace.understanding;
  std::string text = fmt::format("{}, {}", u.format, plural(analysis.devices.size(), "device"));
  if (!u.devices.empty()) text += fmt::format(" ({})", u.devices);
  if (!u.power.empty()) text += ", power from " + u.power;
  if (!u.clock.empty()) text += ", clock: " + u.clock;
  if (trace.start_unix_ns) text += ", from " + format_unix_ns(*trace.start_unix_ns);
  if (!analysis.devices.empty()) {
    const Subject& first = analysis.devices.front();
    const bool same_meter =
        std::ranges::all_of(analysis.devices, [&](const Subject& s) { return s.meter == first.meter; });
    text += fmt::format(", meter kind {}", same_meter ? trace::name(first.meter) : "mixed");
    if (first.sampling.period.count() > 0) {
      text += fmt::format(", a sample every {} for {}", format_duration(first.sampling.period),
                          format_duration(first.sampling.span));
    }
  }
  return text;
}

std::string rows_line(const trace::Trace& trace) {
  const trace::Understanding& u = trace.understanding;
  std::string text = fmt::format("{} read", plural(static_cast<std::size_t>(u.rows), "row"));
  text += fmt::format(", {} damaged", u.damaged);
  if (u.unknown_power > 0) text += fmt::format(", {} with unknown power (N/A)", u.unknown_power);
  if (u.repeated_headers > 0) text += fmt::format(", {} repeated headers", u.repeated_headers);
  if (u.other_lines > 0) text += fmt::format(", {} other lines passed over", u.other_lines);
  return text;
}

std::string evidence_line(const trace::Trace& trace) {
  return fmt::format("{}, workload {}", trace::name(trace.evidence),
                     trace.workload.empty() ? "not stated (--workload)" : trace.workload);
}

}  // namespace wattrein::report
