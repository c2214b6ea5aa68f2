#include <fmt/format.h>

#include "base/text.h"
#include "report/format.h"
#include "report/table.h"
#include "report/text.h"

namespace wattrein::report {

using experiment::ArmResult;
using experiment::DemoResult;
using experiment::Estimate;
using experiment::WindowRate;
using Align = TextTable::Align;

namespace {

/// "1.23 +-0.15", in percent: mean and half the interval's width; "0, < 0.12" where nothing was seen.
std::string share(const Estimate& e, bool with_sign) {
  const int decimals = with_sign ? 1 : 2;
  if (e.interval_95 && !with_sign && e.mean == 0.0) {
    return fmt::format("0, < {:.{}f}", e.interval_95->high * 100.0, decimals);
  }
  std::string text = with_sign ? fmt::format("{:+.1f}", e.mean * 100.0) : fmt::format("{:.2f}", e.mean * 100.0);
  if (!e.interval_95 || e.interval_95->high == e.interval_95->low) return text;
  return text + fmt::format(" +-{:.{}f}", (e.interval_95->high - e.interval_95->low) / 2 * 100.0, decimals);
}

const WindowRate* rate_at(const ArmResult& arm, analysis::WindowKind kind, Nanos window) {
  for (const WindowRate& r : arm.windows) {
    if (r.kind == kind && (kind == analysis::WindowKind::samples || r.window == window)) return &r;
  }
  return nullptr;
}

std::string rate_cell(const WindowRate* r) { return r == nullptr || r->known == 0 ? "unknown" : share(r->rate, false); }

}  // namespace

std::string demo_text(const DemoResult& result) {
  std::string text = fmt::format("SIMULATED: plant {}, {} workload\n", result.plant, result.workload);
  if (result.fitted_from) text += wrap("level, spread and autocorrelation from " + *result.fitted_from, "  ");
  text += wrap(fmt::format("limit {}; knob {}; a decision every {}; {} of {} an arm, the same random "
                           "numbers for all (seed {}); +- is a 95 % interval",
                           result.limit_text, result.knob, format_duration(result.decision_period),
                           counted(result.replications, "replication"), format_duration(result.duration), result.seed),
               "  ");
  text += '\n';
  TextTable control({{"arm", Align::left}, {"samples over %"}, {"30 s over %"}, {"tokens %"}, {"vs best-static %"}});
  TextTable cost(
      {{"arm", Align::left}, {"mean W"}, {"peak W"}, {"J/token"}, {"over J/h"}, {"plateaus/h"}, {"moves/h"}});
  for (const ArmResult& arm : result.arms) {
    const auto* samples = rate_at(arm, analysis::WindowKind::samples, Nanos(0));
    const auto* thirty = rate_at(arm, analysis::WindowKind::block, std::chrono::seconds(30));
    control.row({arm.name, rate_cell(samples), rate_cell(thirty), share(arm.tokens_vs_uncontrolled, true),
                 arm.tokens_vs_best_static ? share(*arm.tokens_vs_best_static, true) : "-"});
    cost.row({arm.name, fmt::format("{:.1f}", arm.mean_power_w.mean), fmt::format("{:.1f}", arm.peak_power_w.mean),
              fmt::format("{:.2f}", arm.j_per_token.mean), fmt::format("{:.0f}", arm.overshoot_j_per_h.mean),
              fmt::format("{:.2f}", arm.plateaus_per_h.mean), fmt::format("{:.1f}", arm.knob_moves_per_h.mean)});
  }
  text += control.text(2) + '\n' + cost.text(2) + '\n';
  text += wrap(
      "over: share above the limit. tokens are against uncontrolled; best-static is the best mix of two fixed levels "
      "at the arm's own "
      "violation rate, chosen in hindsight (- where no mix has so low a rate).",
      "  ");
  for (const ArmResult& arm : result.arms) text += wrap(arm.description, fmt::format("  {}: ", arm.name));
  text += '\n';
  for (const std::string& fact : result.facts) text += wrap(fact, "  fact  ");
  for (const std::string& note : result.notes) text += wrap(note, "  note  ");
  return text;
}

}  // namespace wattrein::report
