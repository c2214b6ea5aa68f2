#include "analysis/phases.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "analysis/hmm.h"
#include "analysis/level_choice.h"
#include "base/check.h"

namespace wattrein::analysis {

namespace {

constexpr std::size_t kFitSamples = 200'000;  // the model is found on at most about so many, then applied to all
constexpr std::size_t kPieceSamples = 4'000;  // taken in pieces of at least this many consecutive samples
constexpr double kPieceDwells = 20.0;         // and this many dwells

constexpr double kExplainedSds = 3.0;  // a level's noise explains samples within so many sds

/// A single sample cannot be told from a spike, however long its period: any two samples last more than 1.5.
Nanos at_least_two_samples(Nanos min_dwell, Nanos period) { return std::max(min_dwell, period + period / 2); }

/// Evenly spaced pieces of a long trace, with a hole after each.
struct Excerpt {
  std::vector<std::int64_t> time_ns;
  std::vector<double> power_w;
  Steps like;

  [[nodiscard]] Steps steps() const {
    Steps out = like;
    out.time_ns = time_ns;
    out.power = power_w;
    return out;
  }
};

Excerpt excerpt_of(const Steps& steps, Nanos min_dwell) {
  Excerpt out{.time_ns = {}, .power_w = {}, .like = steps};
  const auto per_dwell = static_cast<double>(min_dwell.count()) /
                         static_cast<double>(std::max<std::int64_t>(1, steps.median_period.count()));
  const auto for_dwells = static_cast<std::size_t>(std::min(kPieceDwells * per_dwell, 1e9));
  const std::size_t piece = std::min(std::max(kPieceSamples, for_dwells), kFitSamples);
  const std::size_t pieces = kFitSamples / piece;
  for (std::size_t p = 0; p < pieces; ++p) {
    const std::size_t spread = steps.size() - piece;
    const std::size_t first = pieces == 1 ? spread / 2 : p * spread / (pieces - 1);
    for (std::size_t i = first; i < first + piece; ++i) {
      out.time_ns.push_back(steps.begin(i));
      out.power_w.push_back(steps.power[i]);
    }
    out.time_ns.push_back(steps.end(first + piece - 1));
    out.power_w.push_back(std::nan(""));
  }
  return out;
}

/// True for a sample that the noise of neither level explains: on the ramp between them.
bool on_ramp(double power_w, const LevelState& a, const LevelState& b) {
  return std::fabs(power_w - a.mean_w) > kExplainedSds * a.sd_w &&
         std::fabs(power_w - b.mean_w) > kExplainedSds * b.sd_w;
}

/// Where power ramps from one level to the next, neither level's noise says where to change: the level whose noise
/// wanders more would claim the most of it. So among the samples of the ramp around each change of the path the
/// change is put where two levels of equal noise would meet: at the least-squares change point, halfway. Samples
/// beyond either level count as at it, so that a spike does not pull. Stays remain at least a dwell long.
void centre_changes(const Steps& steps, std::span<const Run> runs, const LevelModel& model, Nanos min_dwell,
                    std::vector<std::int16_t>& state) {
  const std::int64_t dwell = min_dwell.count();
  std::vector<Stay> stays = stays_of(runs, state);
  for (std::size_t s = 1; s < stays.size(); ++s) {
    Stay& a = stays[s - 1];
    Stay& b = stays[s];
    if (b.before < 0) continue;
    const LevelState& from = model.states[static_cast<std::size_t>(a.state)];
    const LevelState& to = model.states[static_cast<std::size_t>(b.state)];
    std::size_t first = b.first;  // the ramp is [first, last)
    std::size_t last = b.first;
    while (first > a.first + 1 && steps.end(first - 2) - steps.begin(a.first) >= dwell &&
           on_ramp(steps.power[first - 1], from, to))
      --first;
    while (last + 1 < b.last && steps.end(b.last - 1) - steps.begin(last + 1) >= dwell &&
           on_ramp(steps.power[last], from, to))
      ++last;
    double cost = 0.0;  // of changing at t rather than at `first`, in squares of the levels' distance
    double least = 0.0;
    std::size_t best = first;
    for (std::size_t t = first; t < last; ++t) {
      const double share = std::clamp((steps.power[t] - from.mean_w) / (to.mean_w - from.mean_w), 0.0, 1.0);
      cost += share * share - (1.0 - share) * (1.0 - share);
      if (cost >= least) continue;
      least = cost;
      best = t + 1;
    }
    for (std::size_t i = best; i < b.first; ++i) state[i] = static_cast<std::int16_t>(b.state);
    for (std::size_t i = b.first; i < best; ++i) state[i] = static_cast<std::int16_t>(a.state);
    a.last = b.first = best;
  }
}

/// Time-weighted where the samples have width; by number where none has.
struct Moments {
  double weight = 0.0;
  double mean = 0.0;
  double square = 0.0;  // weighted squared deviations

  void add(double x, double w) {
    if (w <= 0.0) return;
    weight += w;
    const double d = x - mean;
    mean += d * w / weight;
    square += w * d * (x - mean);
  }
};

/// Stretches, and what each level amounts to; drops levels without a sample. `phases.of_sample` is given.
void summarise(const Steps& steps, const std::vector<std::string>& names, Phases& phases) {
  std::vector<Moments> by_time(names.size());
  std::vector<Moments> by_number(names.size());
  std::vector<PhaseLevel> levels(names.size());
  const auto& of = phases.of_sample;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (of[i] < 0) continue;
    const auto k = static_cast<std::size_t>(of[i]);
    const std::int64_t width = steps.end(i) - steps.begin(i);
    by_time[k].add(steps.power[i], static_cast<double>(width));
    by_number[k].add(steps.power[i], 1.0);
    levels[k].time += Nanos(width);
    const bool goes_on = i > 0 && of[i - 1] == of[i] && steps.end(i - 1) == steps.begin(i);
    if (goes_on) {
      phases.stretches.back().end = Nanos(steps.end(i));
    } else {
      phases.stretches.push_back({.start = Nanos(steps.begin(i)), .end = Nanos(steps.end(i)), .level = of[i]});
      ++levels[k].visits;
    }
  }

  double time = 0.0;
  double number = 0.0;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    time += by_time[k].weight;
    number += by_number[k].weight;
  }
  std::vector<std::int16_t> renumbered(levels.size(), -1);
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (by_number[k].weight <= 0.0) continue;
    const Moments& moments = by_time[k].weight > 0.0 ? by_time[k] : by_number[k];
    levels[k].name = names[k];
    levels[k].mean = Watts(moments.mean);
    levels[k].sd = Watts(std::sqrt(moments.square / moments.weight));
    levels[k].share = time > 0.0 ? by_time[k].weight / time : by_number[k].weight / number;
    renumbered[k] = static_cast<std::int16_t>(phases.levels.size());
    phases.levels.push_back(std::move(levels[k]));
  }
  for (std::int16_t& level : phases.of_sample)
    if (level >= 0) level = renumbered[static_cast<std::size_t>(level)];
  for (PhaseStretch& stretch : phases.stretches) stretch.level = renumbered[static_cast<std::size_t>(stretch.level)];
}

/// Names "level 1" ... in the order of the levels' means, which a path can leave out of order by a little.
void name_by_power(Phases& phases) {
  std::vector<std::size_t> order(phases.levels.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::ranges::sort(order, {}, [&](std::size_t k) { return phases.levels[k].mean; });
  std::vector<std::int16_t> rank(order.size());
  std::vector<PhaseLevel> levels;
  for (std::size_t r = 0; r < order.size(); ++r) {
    rank[order[r]] = static_cast<std::int16_t>(r);
    levels.push_back(std::move(phases.levels[order[r]]));
    levels.back().name = "level " + std::to_string(r + 1);
  }
  phases.levels = std::move(levels);
  for (std::int16_t& level : phases.of_sample)
    if (level >= 0) level = rank[static_cast<std::size_t>(level)];
  for (PhaseStretch& stretch : phases.stretches) stretch.level = rank[static_cast<std::size_t>(stretch.level)];
}

}  // namespace

Phases find_phases(const Steps& steps, const PhaseOptions& given) {
  Phases phases;
  PhaseOptions options = given;
  options.min_dwell = at_least_two_samples(given.min_dwell, steps.median_period);
  const std::vector<Run> runs = known_runs(steps);
  if (runs.empty()) {
    phases.of_sample.assign(steps.size(), -1);
    return phases;
  }
  LevelModel model;
  if (steps.size() > kFitSamples) {
    const Excerpt excerpt = excerpt_of(steps, options.min_dwell);
    const Steps pieces = excerpt.steps();
    const std::vector<Run> piece_runs = known_runs(pieces);
    // Pieces of a mostly unknown trace can miss all that is known; then there is little enough to take it whole.
    model = piece_runs.empty() ? choose_levels(steps, runs, options) : choose_levels(pieces, piece_runs, options);
  } else {
    model = choose_levels(steps, runs, options);
  }
  phases.of_sample = best_path(steps, runs, model, options.min_dwell).state;
  centre_changes(steps, runs, model, options.min_dwell, phases.of_sample);
  summarise(steps, std::vector<std::string>(model.size()), phases);
  name_by_power(phases);
  return phases;
}

Phases labelled_phases(const trace::Series& series, const std::vector<std::string>& names, const Steps& steps) {
  WATTREIN_CHECK(!series.phase.empty() && series.phase.size() == steps.size());
  Phases phases;
  phases.from_labels = true;
  phases.of_sample = series.phase;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::int16_t& level = phases.of_sample[i];
    const bool named = level >= 0 && static_cast<std::size_t>(level) < names.size();
    if (!named || !std::isfinite(steps.power[i])) level = -1;
  }
  summarise(steps, names, phases);
  return phases;
}

}  // namespace wattrein::analysis
