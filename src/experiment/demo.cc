#include "experiment/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "base/text.h"
#include "control/simulated_job.h"
#include "experiment/arm_run.h"
#include "experiment/best_static.h"
#include "experiment/estimate.h"
#include "plant/fit.h"
#include "plant/plant.h"

namespace wattrein::experiment {

namespace {

constexpr int kMostReplications = 10'000;
constexpr Nanos kLongest = std::chrono::hours(24 * 7);

/// One arm over all replications.
struct ArmRuns {
  std::unique_ptr<control::Controller> controller;
  std::vector<Measured> replications;
  ArmCourse course;           ///< of the first
  Nanos correlation_time{0};  ///< of the first's power
};

/// One experiment: the arms asked for, and every fixed level for the baseline, each run once.
class Experiment {
 public:
  Experiment(const plant::Params& params, const DemoOptions& options)
      : options_(options),
        model_(plant::prepare(params)),
        knob_(control::inflight_knob(params, levels_)),
        arm_params_(control::arm_params_for_spread(plant::sigma(params) / params.limit)),
        recording_(static_cast<std::size_t>(options.duration / plant::kSamplePeriod) + 1) {}
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// The arms' own names, in the order asked for, each once.
  Result<std::vector<std::string>> run(const std::vector<std::string>& arms);
  [[nodiscard]] ArmResult result(const std::string& arm) const;
  [[nodiscard]] const ArmCourse& course(const std::string& arm) const { return runs_.at(arm).course; }
  [[nodiscard]] const control::KnobSpec& knob() const { return knob_; }

 private:
  void run_one(ArmRuns& runs);
  [[nodiscard]] std::vector<WindowRate> window_rates(const ArmRuns& runs) const;
  [[nodiscard]] std::optional<Estimate> against_best_static(const ArmRuns& runs) const;
  [[nodiscard]] const ArmRuns& level(int n) const { return runs_.at(fmt::format("static:{}", n)); }

  DemoOptions options_;
  plant::Model model_;
  std::array<int, plant::kMaxLevels> levels_{};
  control::KnobSpec knob_;
  control::ArmParams arm_params_;
  Recording recording_;
  std::map<std::string, ArmRuns> runs_;
};

Result<std::vector<std::string>> Experiment::run(const std::vector<std::string>& arms) {
  std::vector<std::string> all = arms;
  for (const int n : knob_.legal) all.push_back(fmt::format("static:{}", n));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto made = control::make_controller(all[i], knob_, arm_params_);
    if (!made) return std::unexpected(made.error());
    std::string own((*made)->name());
    if (i < arms.size() && std::find(names.begin(), names.end(), own) == names.end()) names.push_back(own);
    runs_.try_emplace(std::move(own), ArmRuns{std::move(*made), {}, {}, {}});
  }
  for (auto& [name, runs] : runs_) run_one(runs);
  return names;
}

void Experiment::run_one(ArmRuns& runs) {
  for (int i = 0; i < options_.replications; ++i) {
    run_arm(*runs.controller, model_, options_.seed, static_cast<std::uint64_t>(i), options_.duration, recording_);
    runs.replications.push_back(measure(recording_, model_.params.limit, model_.params.knob_delay));
    if (i > 0) continue;
    runs.correlation_time = analysis::correlation_time(recording_.steps());
    ArmCourse& course = runs.course;
    course.arm = runs.controller->name();
    course.power_w = recording_.power_w;
    course.level = recording_.level;
    course.tokens = recording_.tokens;
    for (const std::int64_t t : recording_.time_ns) course.time_s.push_back(to_seconds(Nanos(t)).value());
  }
}

template <class Of>
Estimate over_replications(const ArmRuns& runs, const Of& of) {
  std::vector<double> values;
  values.reserve(runs.replications.size());
  for (const Measured& m : runs.replications) values.push_back(of(m));
  return estimate(values);
}

std::vector<WindowRate> Experiment::window_rates(const ArmRuns& runs) const {
  const Nanos tau = runs.correlation_time;
  std::vector<WindowRate> rates;
  for (std::size_t w = 0; w < runs.replications.front().windows.size(); ++w) {
    const WindowCount& first = runs.replications.front().windows[w];
    WindowRate rate{first.kind, first.window, 0, 0, {}};
    for (const Measured& m : runs.replications) {
      rate.known += m.windows[w].known;
      rate.violating += m.windows[w].violating;
    }
    rate.rate = over_replications(runs, [w](const Measured& m) {
      return static_cast<double>(m.windows[w].violating) / static_cast<double>(m.windows[w].known);
    });
    if (rate.violating == 0) {
      const Nanos width = std::max(rate.window, plant::kSamplePeriod);  // samples stand for a period each
      const double independent =
          static_cast<double>(rate.known) * (to_seconds(width) / to_seconds(std::max(width, 2 * tau)));
      rate.rate.interval_95 = Interval{0.0, std::min(1.0, 3.0 / independent)};
    } else if (rate.rate.interval_95) {
      Interval& interval = *rate.rate.interval_95;
      interval = {std::max(0.0, interval.low), std::min(1.0, interval.high)};
    }
    rates.push_back(rate);
  }
  return rates;
}

/// Rates of a fixed level and of an arm are means over replications: in twenty minutes a level that violates once an
/// hour has mostly none, and an envelope of one replication would be noise.
std::optional<Estimate> Experiment::against_best_static(const ArmRuns& runs) const {
  const int n = options_.replications;
  const auto point = [n](const ArmRuns& of, int skip) {
    StaticPoint p;
    const double counted = skip < n ? n - 1 : n;
    for (int i = 0; i < n; ++i) {
      if (i == skip) continue;
      const Measured& m = of.replications[static_cast<std::size_t>(i)];
      p.rate += m.sample_rate() / counted;
      p.tokens += m.tokens / m.seconds / counted;
    }
    return p;
  };
  bool reached = true;
  const auto ratio = [&](int skip) {
    std::vector<StaticPoint> levels;
    for (const int l : knob_.legal) levels.push_back(point(level(l), skip));
    const StaticPoint arm = point(runs, skip);
    const auto best = best_mix(levels, arm.rate);
    reached = reached && best.has_value();
    return best ? arm.tokens / *best - 1.0 : 0.0;
  };
  const Estimate e = jackknife(n, ratio);
  if (!reached) return std::nullopt;
  return e;
}

ArmResult Experiment::result(const std::string& arm) const {
  const ArmRuns& runs = runs_.at(arm);
  const ArmRuns& uncontrolled = level(knob_.highest());
  ArmResult r;
  r.name = runs.controller->name();
  r.description = runs.controller->description();
  r.windows = window_rates(runs);
  const auto per_hour = [&runs](double Measured::* count) {
    return over_replications(runs, [count](const Measured& m) { return m.*count * 3600.0 / m.seconds; });
  };
  r.tokens_per_s = over_replications(runs, [](const Measured& m) { return m.tokens / m.seconds; });
  std::vector<double> gains;
  for (std::size_t i = 0; i < runs.replications.size(); ++i) {
    gains.push_back(runs.replications[i].tokens / uncontrolled.replications[i].tokens - 1.0);
  }
  r.tokens_vs_uncontrolled = estimate(gains);
  r.tokens_vs_best_static = against_best_static(runs);
  r.mean_power_w = over_replications(runs, [](const Measured& m) { return m.energy_j / m.seconds; });
  r.peak_power_w = over_replications(runs, [](const Measured& m) { return m.peak_w; });
  r.energy_j = over_replications(runs, [](const Measured& m) { return m.energy_j; });
  r.j_per_token = over_replications(runs, [](const Measured& m) { return m.energy_j / m.tokens; });
  r.tokens_per_mwh = over_replications(runs, [](const Measured& m) { return m.tokens / (m.energy_j / 3.6e9); });
  r.overshoot_j_per_h = per_hour(&Measured::overshoot_j);
  r.plateaus_per_h = per_hour(&Measured::plateaus);
  r.transients_per_h = per_hour(&Measured::transients);
  r.knob_moves_per_h = per_hour(&Measured::moves);
  r.mean_level = over_replications(runs, [](const Measured& m) { return m.mean_level; });
  double overshoot = 0.0;
  double removable = 0.0;
  for (const Measured& m : runs.replications) {
    overshoot += m.overshoot_j;
    removable += m.removable_j;
  }
  if (overshoot > 0.0) r.removable_share = removable / overshoot;
  return r;
}

Result<void> check(const DemoOptions& o) {
  if (o.replications < 1 || o.replications > kMostReplications) {
    return fail(ErrorKind::usage, "--replications", fmt::format("{} is not a number of replications", o.replications),
                fmt::format("give 1 to {}; with one there are no intervals", kMostReplications));
  }
  if (o.duration < kDecisionPeriod || o.duration > kLongest) {
    const bool is_short = o.duration < kDecisionPeriod;
    return fail(ErrorKind::usage, "--duration",
                fmt::format("{} is {}", o.duration.count() > 0 ? format_duration(o.duration) : std::string("that"),
                            is_short ? "shorter than one decision of the controllers" : "longer than a run may be"),
                fmt::format("give {} or {}", format_duration(is_short ? kDecisionPeriod : kLongest),
                            is_short ? "more" : "less"));
  }
  return {};
}

std::vector<std::string> notes_for(const plant::Params& p, const DemoOptions& o, bool fitted) {
  std::vector<std::string> notes{
      "Simulated: every figure comes from the plant, none from hardware.",
      "Proxy workload: generation alone. There is no training step, no update phase, and group size is not touched.",
      "Absolute watts and the token rate are assumptions; percentages and ratios are what to read.",
      "The limit was set once, so that 17.7 % of the uncontrolled job's samples lie above it, and then frozen.",
      fmt::format(
          "The ruled arms see the mean power of past {} periods and the share of samples above the limit in the "
          "last one, once a period: what happens within a period they cannot answer. They start at inflight = {}.",
          format_duration(kDecisionPeriod), control::HysteresisParams{}.start_level),
      "Bands, margin and gain of the ruled arms were fixed beforehand from the uncontrolled spread.",
      "The static arms know in hindsight which level suits this job; the ruled ones do not. Against the best time-mix "
      "of two fixed levels at the same violation rate is the fair comparison.",
      fmt::format("Intervals: 95 %, Student's t over {} of {} on common random numbers{}.",
                  counted(o.replications, "replication"), format_duration(o.duration),
                  o.replications < 2 ? "; one replication gives none" : ""),
  };
  notes.emplace_back(
      "Where an arm never violated at a window, its rate's interval is the bound 3/n over independent windows.");
  if (fitted) {
    notes.emplace_back(
        "Level, spread and autocorrelation are the log's; how power and tokens answer to the knob is the "
        "reference plant's, and was not measured on this job.");
  }
  if (windows_for(o.duration).size() < windows_for(kLongest).size()) {
    notes.push_back(fmt::format("Windows longer than {} do not fit into a replication and are left out.",
                                format_duration(o.duration)));
  }
  if (p.knob_delay > Nanos{0}) {
    notes.push_back(fmt::format("The knob acts {} after a decision.", format_duration(p.knob_delay)));
  }
  return notes;
}

std::vector<std::string> arms_for(const DemoOptions& o) {
  if (o.arms.empty()) return {"uncontrolled", "static:4", "hysteresis", "adaptive-threshold"};
  return o.arms;
}

Result<DemoResult> run_with(const plant::Params& params, const DemoOptions& asked) {
  if (const auto ok = check(asked); !ok) return std::unexpected(ok.error());
  DemoOptions options = asked;
  options.duration -= options.duration % plant::kSamplePeriod;
  Experiment experiment(params, options);
  const auto arms = experiment.run(arms_for(options));
  if (!arms) return std::unexpected(arms.error());

  DemoResult r;
  r.plant = params.name;
  r.knob = experiment.knob().name;
  r.limit = params.limit;
  const int digits = params.limit.value() == std::round(params.limit.value()) ? 0 : 1;
  const std::string scope = params.gpus == 1 ? "1 GPU" : fmt::format("sum over {} GPUs", params.gpus);
  r.limit_text = fmt::format("{:.{}f} W, {}", params.limit.value(), digits, scope);
  r.replications = options.replications;
  r.duration = options.duration;
  r.decision_period = kDecisionPeriod;
  r.seed = options.seed;
  for (const std::string& arm : *arms) {
    r.arms.push_back(experiment.result(arm));
    r.courses.push_back(experiment.course(arm));
  }
  return r;
}

}  // namespace

Result<DemoResult> run_demo(const DemoOptions& options) {
  const plant::Params params;
  auto r = run_with(params, options);
  if (!r) return r;
  r->facts = plant::describe(params);
  r->notes = notes_for(params, options, false);
  return r;
}

Result<DemoResult> run_demo_on(const trace::Trace& log, const DemoOptions& options) {
  const auto fit = plant::fit_occupancy(log);
  if (!fit) return std::unexpected(fit.error());
  auto r = run_with(fit->params, options);
  if (!r) return r;
  r->fitted_from = log.source;
  r->facts = plant::describe(fit->params, fit->sources);
  r->notes = notes_for(fit->params, options, true);
  r->notes.insert(r->notes.end(), fit->notes.begin(), fit->notes.end());
  return r;
}

}  // namespace wattrein::experiment
