#include "plant/params.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace wattrein::plant {

namespace {

std::string plain(double x) { return fmt::format("{:.4g}", x); }

std::string watts_text(Watts w) {
  return w.value() == std::round(w.value()) ? fmt::format("{:.0f}", w.value()) : fmt::format("{:.1f}", w.value());
}

std::string power_levels(const Params& p) {
  std::string out;
  for (int level = 0; level < p.levels; ++level) {
    out += fmt::format("{}{:.3f}", level == 0 ? "" : " ", p.power_of_max[static_cast<std::size_t>(level)]);
  }
  return out;
}

constexpr std::array<ParamInfo, 14> kTable{{
    {"gpus", "1", "published", [](const Params& p) { return fmt::format("{}", p.gpus); }},
    {"levels", "1", "published: the sweep's batch, 1 to 8",
     [](const Params& p) { return fmt::format("{}", p.levels); }},
    {"gpu_mean", "W", "assumed: absolute watts are not published, only 250 to 315 W a GPU while generating",
     [](const Params& p) { return plain(p.gpu_mean.value()); }},
    {"power_of_max", "1", "assumed curve; its span meets the published authority of 22.5 %", power_levels},
    {"token_knee", "sequences", "assumed: n / (1 + n/12) meets the published throughput ratio of 5.2",
     [](const Params& p) { return plain(p.token_knee); }},
    {"token_scale", "tokens/s", "assumed: no absolute token rate is published; read ratios only",
     [](const Params& p) { return plain(p.token_scale); }},
    {"sigma_of_max", "1", "assumed: sd of the sum's 0.5-s samples; the published facts allow up to 0.0409",
     [](const Params& p) { return plain(p.sigma_of_max); }},
    {"slow_share", "1", "assumed: slow part of the variance, common to the GPUs",
     [](const Params& p) { return plain(p.slow_share); }},
    {"slow_tau", "s", "assumed", [](const Params& p) { return plain(p.slow_tau.value()); }},
    {"ar1", "1", "assumed: follows from the published rates of the 72B job at 0.5 s and 30 s",
     [](const Params& p) { return plain(p.ar1); }},
    {"correlation", "1", "published: between any two of the 72B job's GPUs",
     [](const Params& p) { return plain(p.correlation); }},
    {"knob_delay", "", "assumed: a command acts from the next sample on",
     [](const Params& p) { return p.knob_delay == Nanos{0} ? std::string("0 s") : format_duration(p.knob_delay); }},
    {"sample_period", "s", "published: NVML polled twice a second",
     [](const Params&) { return plain(to_seconds(kSamplePeriod).value()); }},
    {"limit", "W", "set once so that 17.7 % of uncontrolled samples lie above it (published rate), then frozen",
     [](const Params& p) { return watts_text(p.limit); }},
}};

}  // namespace

std::span<const ParamInfo> param_table() { return kTable; }

std::vector<std::string> describe(const Params& params, std::span<const SourceOverride> overrides) {
  std::vector<std::string> lines;
  for (const ParamInfo& info : kTable) {
    std::string source(info.source);
    for (const SourceOverride& o : overrides) {
      if (o.name == info.name) source = o.source;
    }
    const bool has_unit = !info.unit.empty() && info.unit != "1";
    lines.push_back(fmt::format("{} = {}{}{}: {}", info.name, info.value(params), has_unit ? " " : "",
                                has_unit ? info.unit : std::string_view{}, source));
  }
  return lines;
}

Watts mean_at(const Params& p, int level) {
  WATTREIN_CHECK(level >= 1 && level <= p.levels);
  return p.power_of_max[static_cast<std::size_t>(level - 1)] * mean_at_max(p);
}

double tokens_per_s(const Params& p, int level) {
  const double n = level;
  return p.token_scale * n / (1.0 + n / p.token_knee);
}

Watts limit_for_uncontrolled_rate(Watts mean, Watts sd) {
  constexpr double kQuantile = 0.92686;                  // Phi^-1(1 - 0.177)
  const double digits = sd.value() < 20.0 ? 10.0 : 1.0;  // so that rounding moves the rate by under a point
  return Watts(std::round(digits * (mean + kQuantile * sd).value()) / digits);
}

}  // namespace wattrein::plant
