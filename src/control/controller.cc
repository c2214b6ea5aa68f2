#include "control/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"

namespace wattrein::control {

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::unknown: return "unknown";
    case Phase::idle: return "idle";
    case Phase::generate: return "generate";
    case Phase::update: return "update";
  }
  return "unknown";
}

std::string_view name(Reason reason) {
  switch (reason) {
    case Reason::start: return "start";
    case Reason::fixed: return "fixed";
    case Reason::hold: return "hold";
    case Reason::lower: return "lower";
    case Reason::raise: return "raise";
    case Reason::at_edge: return "at-edge";
    case Reason::no_data: return "no-data";
  }
  return "hold";
}

bool KnobSpec::allows(int level) const { return std::binary_search(legal.begin(), legal.end(), level); }

std::optional<int> KnobSpec::below(int level) const {
  const auto it = std::lower_bound(legal.begin(), legal.end(), level);
  if (it == legal.begin()) return std::nullopt;
  return *(it - 1);
}

std::optional<int> KnobSpec::above(int level) const {
  const auto it = std::upper_bound(legal.begin(), legal.end(), level);
  if (it == legal.end()) return std::nullopt;
  return *it;
}

namespace {

Decision move(const Observation& o, std::optional<int> to, Reason reason) {
  if (!to) return {o.commanded, Reason::at_edge};
  return {*to, reason};
}
Decision lower(const Observation& o) { return move(o, o.knob.below(o.commanded), Reason::lower); }
Decision raise(const Observation& o) { return move(o, o.knob.above(o.commanded), Reason::raise); }

}  // namespace

Decision decide(const UncontrolledParams&, UncontrolledState&, const Observation& o) {
  return {o.knob.highest(), Reason::fixed};
}

Decision decide(const StaticParams& p, StaticState&, const Observation&) { return {p.level, Reason::fixed}; }

Decision decide(const HysteresisParams& p, HysteresisState& s, const Observation& o) {
  if (!std::exchange(s.started, true)) return {p.start_level, Reason::start};
  const double power = o.power_of_limit.front();
  if (std::isnan(power)) return {o.commanded, Reason::no_data};
  if (power > p.upper) return lower(o);
  if (power < p.lower) return raise(o);
  return {o.commanded, Reason::hold};
}

Decision decide(const AdaptiveThresholdParams& p, AdaptiveThresholdState& s, const Observation& o) {
  if (!std::exchange(s.started, true)) {
    s.margin = p.start_margin;
    return {p.start_level, Reason::start};
  }
  ++s.periods_at_level;
  if (!std::isnan(o.over_share))
    s.margin = std::clamp(s.margin + p.gain * (o.over_share - p.bar), 0.0, p.largest_margin);
  if (std::isnan(o.power_of_limit.front())) return {o.commanded, Reason::no_data};

  const auto span = static_cast<std::size_t>(std::min(s.periods_at_level, p.periods));
  double sum = 0.0;
  int known = 0;
  for (std::size_t i = 0; i < std::min(span, kHistory); ++i) {
    if (std::isnan(o.power_of_limit[i])) continue;
    sum += o.power_of_limit[i];
    ++known;
  }
  const double power = sum / known;
  Decision d{o.commanded, Reason::hold};
  if (power > 1.0 - s.margin)
    d = lower(o);
  else if (power < 1.0 - s.margin - p.dead_band)
    d = raise(o);
  if (d.level != o.commanded) s.periods_at_level = 0;
  return d;
}

ArmParams arm_params_for_spread(double sd_of_limit) {
  constexpr double kOnePercent = 2.326;  // normal quantile of 0.99
  constexpr double kBandWidth = 0.05;
  ArmParams params;
  params.hysteresis.upper = 1.0 - kOnePercent * sd_of_limit;
  params.hysteresis.lower = params.hysteresis.upper - kBandWidth;
  params.adaptive.start_margin = kOnePercent * sd_of_limit;
  return params;
}

std::vector<std::string> arm_names(const KnobSpec& knob) {
  std::vector<std::string> names{"uncontrolled"};
  for (const int level : knob.legal) names.push_back(fmt::format("static:{}", level));
  names.emplace_back("hysteresis");
  names.emplace_back("adaptive-threshold");
  return names;
}

Result<std::unique_ptr<Controller>> make_controller(std::string_view arm, const KnobSpec& knob, const ArmParams& params,
                                                    std::string_view where) {
  const std::string own(arm);
  if (arm == "uncontrolled") {
    return std::make_unique<PureController<UncontrolledParams, UncontrolledState>>(
        own, fmt::format("no control: {} = {} throughout, as a job runs today", knob.name, knob.highest()),
        UncontrolledParams{});
  }
  if (arm == "hysteresis") {
    const HysteresisParams& p = params.hysteresis;
    return std::make_unique<PureController<HysteresisParams, HysteresisState>>(
        own,
        fmt::format(
            "one level down when the last period's mean power is above {:.1f} % of the limit, one up when it is "
            "below {:.1f} %; bands fixed beforehand from the uncontrolled spread; starts at {} = {}",
            100 * p.upper, 100 * p.lower, knob.name, p.start_level),
        p);
  }
  if (arm == "adaptive-threshold") {
    const AdaptiveThresholdParams& p = params.adaptive;
    return std::make_unique<PureController<AdaptiveThresholdParams, AdaptiveThresholdState>>(
        own,
        fmt::format("a moving average of up to {} periods against a threshold whose margin under the limit follows the "
                    "share of samples above it towards {:.0f} %; starts with a margin of {:.1f} % at {} = {}",
                    p.periods, 100 * p.bar, 100 * p.start_margin, knob.name, p.start_level),
        p);
  }
  constexpr std::string_view kStatic = "static:";
  if (arm.starts_with(kStatic)) {
    const auto level = parse_int(arm.substr(kStatic.size()));
    const bool legal =
        level && *level >= knob.lowest() && *level <= knob.highest() && knob.allows(static_cast<int>(*level));
    if (!legal) {
      return fail(ErrorKind::usage, std::string(where),
                  fmt::format("'{}' is not a level of {}", printable(arm.substr(kStatic.size())), knob.name),
                  fmt::format("its levels are {}", fmt::join(knob.legal, ", ")));
    }
    const int fixed = static_cast<int>(*level);
    return std::make_unique<PureController<StaticParams, StaticState>>(
        fmt::format("static:{}", fixed), fmt::format("{} = {} throughout; looks at nothing", knob.name, fixed),
        StaticParams{fixed});
  }
  const std::vector<std::string> names = arm_names(knob);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view meant = nearest(arm, known);
  return fail(
      ErrorKind::usage, std::string(where),
      fmt::format("unknown arm '{}'{}", printable(arm),
                  meant.empty() ? std::string() : fmt::format(", did you mean '{}'?", meant)),
      fmt::format("arms: uncontrolled, static:{}..{}, hysteresis, adaptive-threshold", knob.lowest(), knob.highest()));
}

}  // namespace wattrein::control
