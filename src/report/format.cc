#include "report/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

std::string watts_beside(Watts p, Watts limit) {
  for (int decimals = std::abs(p.value()) < 10 ? 2 : 1;; ++decimals) {
    std::string text = fmt::format("{:.{}f}", p.value(), decimals);
    if (decimals == 4 || p == limit || text != fmt::format("{:.{}f}", limit.value(), decimals)) return text + " W";
  }
}

std::string energy(std::optional<Joules> e) {
  if (!e) return "unknown";
  const double j = e->value();
  if (std::abs(j) >= 3.6e6) return fmt::format("{:.4g} kWh", to_kwh(*e));
  if (std::abs(j) >= 1e3) return fmt::format("{:.4g} kJ", j * 1e-3);
  return fmt::format("{:.4g} J", j);
}

EnergyUnit energy_unit(const Analysis& analysis) {
  double most = 0.0;
  const auto see = [&](const Subject& s) {
    if (s.energy.integral) most = std::max(most, std::abs(s.energy.integral->value()));
    if (s.energy.counter) most = std::max(most, std::abs(s.energy.counter->value()));
  };
  for (const Subject& device : analysis.devices) see(device);
  if (analysis.sum) see(*analysis.sum);
  if (most >= 3.6e6) return {"kWh", 3.6e6};
  return most >= 1e3 ? EnergyUnit{"kJ", 1e3} : EnergyUnit{"J", 1.0};
}

std::string energy(std::optional<Joules> e, const EnergyUnit& unit) {
  return e ? fmt::format("{:.4g} {}", e->value() / unit.joules, unit.name) : "unknown";
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

std::string no_interval_reason(const WindowVerdict& verdict) {
  constexpr std::string_view kBlocks = "fewer than ten blocks of ";
  if (!verdict.means.available) return "no block of that size lies in the log";
  if (verdict.means.known == 0) return "no window is known";
  const std::size_t at = verdict.note.find(kBlocks);
  if (at != std::string::npos) return verdict.note.substr(at, verdict.note.find_first_of(":;", at) - at);
  if (verdict.note.find(analysis::kBetweenBlocks) != std::string::npos) return std::string(analysis::kBetweenBlocks);
  if (verdict.verdict == analysis::Verdict::lower_bound) return "the meter averages over longer than that";
  return "too little is known";
}

std::string independent_windows(double upper_95) {
  if (!(upper_95 < 1.0)) return "3 or fewer";
  const double n = 3.0 / upper_95;
  return n < 10.0 ? fmt::format("{:.2g}", n) : fmt::format("{:.0f}", n);
}

std::string window_name(const analysis::WindowSpec& spec) {
  return spec.kind == analysis::WindowKind::samples ? "samples" : exact_duration(spec.window);
}

std::string offset_text(Nanos offset) { return fmt::format("+{:.1f} s", to_seconds(offset).value()); }

std::string moment(const trace::Trace& trace, Nanos offset, Nanos span) {
  if (!trace.start_unix_ns) return offset_text(offset);
  const std::string full = format_unix_ns(*trace.start_unix_ns + offset.count());
  const std::string first = format_unix_ns(*trace.start_unix_ns);
  const std::string last = format_unix_ns(*trace.start_unix_ns + span.count());
  return first.substr(0, 10) == last.substr(0, 10) ? full.substr(11) : full;
}

std::optional<Nanos> first_over(const LimitResult& result) {
  if (!result.violated) return std::nullopt;
  const OwnWindows own = own_windows(result);
  if (result.limit.window) return own.decisive != nullptr ? own.decisive->first_over : std::nullopt;
  return result.excursions.list.empty() ? std::nullopt : std::optional(result.excursions.list.front().start);
}

bool in_doubt(const trace::Trace& trace, const Limit& limit) {
  return limit.scope == Limit::Scope::sum && !trace.understanding.warnings.empty();
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

OwnWindows own_windows(const LimitResult& result) {
  OwnWindows own;
  const std::optional<Nanos> size = result.seen_at ? result.seen_at : result.limit.window;
  for (const WindowVerdict& w : result.windows) {
    const auto kind = w.means.spec.kind;
    if (!size && kind == analysis::WindowKind::samples) own.decisive = &w;
    if (!size || kind == analysis::WindowKind::samples || w.means.spec.window != *size) continue;
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
    const Nanos over =
        limit.window && own.decisive != nullptr ? own.decisive->time_over.value_or(Nanos(0)) : r.excursions.time_above;
    const double highest =
        own.decisive != nullptr && own.decisive->means.worst ? own.decisive->means.worst->value() : 0;
    return std::tuple(r.violated, over, r.excursions.longest, highest);
  };
  return *std::ranges::max_element(subjects, {}, key);
}

std::string rows_line(const trace::Trace& trace) {
  const trace::Understanding& u = trace.understanding;
  std::string text = fmt::format("{} read", counted(u.rows, "row"));
  text += fmt::format(", {} damaged", u.damaged);
  if (u.unknown_power > 0) text += fmt::format(", {} with unknown power (N/A)", u.unknown_power);
  if (u.repeated_headers > 0) text += ", " + counted(u.repeated_headers, "repeated header");
  if (u.other_lines > 0) text += fmt::format(", {} passed over", counted(u.other_lines, "other line"));
  return text;
}

std::string evidence_line(const trace::Trace& trace) {
  return fmt::format("{}, workload {}", trace::name(trace.evidence),
                     trace.workload.empty() ? "not stated (--workload)" : trace.workload);
}

}  // namespace wattrein::report
