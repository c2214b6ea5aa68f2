#include "analysis/hmm.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace wattrein::analysis {

using trace::Steps;

namespace {

constexpr double kContaminated = 0.01;  // share of samples that a level's own noise need not explain
constexpr int kMaxIterations = 15;
constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

// Winsorising at the 90th percentile of |z| bounds the pull of one sample in ten. For normal z that clips at
// c = 1.6449, and E min(z^2, c^2) = (0.9 - 2 c phi(c)) + 0.1 c^2 = 0.5607 + 0.2706.
constexpr double kWinsorShare = 0.9;
constexpr double kWinsorVariance = 0.8313;

/// max(log of the level's normal, log of the wide normal): within log 2 of the mixture, without its exponentials.
struct Density {
  double log_peak = 0.0;
  double half_precision = 0.0;
  double log_wide = 0.0;
  double half_wide_precision = 0.0;

  Density(double sd, double wide_sd)
      : log_peak(std::log(1.0 - kContaminated) - std::log(sd)),
        half_precision(0.5 / (sd * sd)),
        log_wide(std::log(kContaminated) - std::log(wide_sd)),
        half_wide_precision(0.5 / (wide_sd * wide_sd)) {}
  [[nodiscard]] double operator()(double u) const {
    const double uu = u * u;
    return std::max(log_peak - half_precision * uu, log_wide - half_wide_precision * uu);
  }
};

struct StateDensity {
  double mean;
  double correlation;
  Density entry;
  Density step;

  StateDensity(const LevelState& state, const NoiseScale& scale)
      : mean(state.mean_w),
        correlation(state.correlation),
        entry(state.sd_w, scale.wide_sd_w),
        step(state.step_sd_w, scale.wide_sd_w) {}
  [[nodiscard]] double first(double x) const { return entry(x - mean); }
  [[nodiscard]] double next(double before, double x) const { return step((x - mean) - correlation * (before - mean)); }
};

/// The most samples that a stay which is not yet long enough can have, over all runs.
std::size_t longest_window(const Steps& steps, std::span<const Run> runs, std::int64_t dwell) {
  std::size_t longest = 1;
  for (const Run& run : runs) {
    std::size_t s = run.first;
    for (std::size_t t = run.first; t < run.last; ++t) {
      longest = std::max(longest, t - s + 1);
      while (s <= t && steps.end(t) - steps.begin(s) >= dwell) ++s;
    }
  }
  return longest;
}

class Decoder {
 public:
  Decoder(const Steps& steps, const LevelModel& model, std::int64_t dwell, std::size_t window)
      : steps_(steps), model_(model), dwell_(dwell), states_(model.size()), mask_(std::bit_ceil(window + 2) - 1) {
    for (const LevelState& state : model.states) density_.emplace_back(state, model.scale);
    best_.resize((mask_ + 1) * states_);
    sum_.resize((mask_ + 1) * states_);
  }

  /// Writes the states of the run's samples; returns the log likelihood.
  double decode(const Run& run, std::vector<std::int16_t>& state) {
    const bool short_run = steps_.end(run.last - 1) - steps_.begin(run.first) < dwell_;
    if (states_ == 1 || short_run) return one_stay(run, state);
    back_.assign((run.last - run.first) * states_, 0);
    forward(run);
    return backward(run, state);
  }

 private:
  // A step back from (t, k): 0 = the stay goes on; else the low byte is 1 + the state before, and the high byte
  // says which of the starts that became long enough at t it was, counted back from the latest.
  static constexpr std::size_t kMaxRank = 255;

  double* best(std::size_t t) { return best_.data() + (t & mask_) * states_; }
  double* sum(std::size_t t) { return sum_.data() + (t & mask_) * states_; }

  double one_stay(const Run& run, std::vector<std::int16_t>& state) {
    double best_score = kMinusInfinity;
    std::size_t best_state = 0;
    for (std::size_t k = 0; k < states_; ++k) {
      double score = model_.log_start[k] + density_[k].first(steps_.power[run.first]);
      for (std::size_t t = run.first + 1; t < run.last; ++t)
        score += density_[k].next(steps_.power[t - 1], steps_.power[t]);
      if (score > best_score) {
        best_score = score;
        best_state = k;
      }
    }
    for (std::size_t t = run.first; t < run.last; ++t) state[t] = static_cast<std::int16_t>(best_state);
    return best_score;
  }

  void forward(const Run& run) {
    std::size_t pending = run.first;  // the earliest start whose stay is not yet long enough
    for (std::size_t t = run.first; t < run.last; ++t) {
      extend(run, t);
      std::size_t ready_end = pending;
      while (ready_end <= t && steps_.end(t) - steps_.begin(ready_end) >= dwell_) ++ready_end;
      for (std::size_t s = pending; s < ready_end; ++s)
        if (ready_end - 1 - s <= kMaxRank) enter(run, s, t, ready_end - 1 - s);
      pending = ready_end;
    }
  }

  void extend(const Run& run, std::size_t t) {
    double* const b = best(t);
    double* const c = sum(t);
    if (t == run.first) {
      std::fill_n(b, states_, kMinusInfinity);
      std::fill_n(c, states_, 0.0);
      return;
    }
    for (std::size_t k = 0; k < states_; ++k) {
      const double l = density_[k].next(steps_.power[t - 1], steps_.power[t]);
      b[k] = best(t - 1)[k] + l;
      c[k] = sum(t - 1)[k] + l;
    }
  }

  /// A stay that started at s has become long enough at t.
  void enter(const Run& run, std::size_t s, std::size_t t, std::size_t rank) {
    const bool at_start = s == run.first;
    const double* const before = at_start ? nullptr : best(s - 1);
    for (std::size_t k = 0; k < states_; ++k) {
      double from = at_start ? model_.log_start[k] : kMinusInfinity;
      std::size_t source = k;
      for (std::size_t j = 0; j < states_ && !at_start; ++j) {
        if (j == k || before[j] + model_.log_switch[j * states_ + k] <= from) continue;
        from = before[j] + model_.log_switch[j * states_ + k];
        source = j;
      }
      const double score = from + density_[k].first(steps_.power[s]) + sum(t)[k] - sum(s)[k];
      if (score <= best(t)[k]) continue;
      best(t)[k] = score;
      back_[(t - run.first) * states_ + k] = static_cast<std::uint16_t>(rank << 8 | (source + 1));
    }
  }

  double backward(const Run& run, std::vector<std::int16_t>& state) {
    const double* const last = best(run.last - 1);
    std::size_t k = static_cast<std::size_t>(std::max_element(last, last + states_) - last);
    const double score = last[k];
    std::size_t latest = run.last - 1;  // the latest start that is long enough at t
    for (std::size_t t = run.last - 1;; --t) {
      state[t] = static_cast<std::int16_t>(k);
      const std::uint16_t step = back_[(t - run.first) * states_ + k];
      if (step == 0) continue;  // never at the run's first sample: a path begins with an entry
      latest = std::min(latest, t);
      while (steps_.end(t) - steps_.begin(latest) < dwell_) --latest;
      const std::size_t s = latest - (step >> 8U);
      for (std::size_t i = s; i < t; ++i) state[i] = static_cast<std::int16_t>(k);
      if (s == run.first) return score;
      k = (step & 0xffU) - 1U;
      t = s;
    }
  }

  const Steps& steps_;
  const LevelModel& model_;
  std::int64_t dwell_;
  std::size_t states_;
  std::size_t mask_;
  std::vector<StateDensity> density_;
  std::vector<double> best_;  // ring over samples: score of the best path that is in k, long enough
  std::vector<double> sum_;   // ring over samples: sum of step densities since the run's start
  std::vector<std::uint16_t> back_;
};

struct Spread {
  double clip = 0.0;
  double sd = 0.0;
};
/// Robust spread of deviations around zero; `deviations` is reordered.
Spread winsorised(std::vector<double>& deviations) {
  for (double& d : deviations) d = std::fabs(d);
  Spread spread{.clip = take_quantile(deviations, kWinsorShare)};
  double total = 0.0;
  for (const double d : deviations) total += std::min(d, spread.clip) * std::min(d, spread.clip);
  spread.sd = std::sqrt(total / static_cast<double>(deviations.size()) / kWinsorVariance);
  return spread;
}

/// Calls f(t) for each sample t > first of a run whose state and whose predecessor's is k.
template <class F>
void for_each_pair(std::span<const Run> runs, const std::vector<std::int16_t>& state, std::size_t k, F f) {
  for (const Run& run : runs)
    for (std::size_t t = run.first + 1; t < run.last; ++t)
      if (state[t] == static_cast<std::int16_t>(k) && state[t - 1] == state[t]) f(t);
}

std::optional<LevelState> estimate_state(const Steps& steps, std::span<const Run> runs,
                                         const std::vector<std::int16_t>& state, std::size_t k, const NoiseScale& scale,
                                         std::vector<double>& scratch) {
  scratch.clear();
  for (const Run& run : runs)
    for (std::size_t t = run.first; t < run.last; ++t)
      if (state[t] == static_cast<std::int16_t>(k)) scratch.push_back(steps.power[t]);
  if (scratch.empty()) return std::nullopt;

  LevelState out;
  out.mean_w = take_quantile(scratch, 0.5);
  for (double& x : scratch) x -= out.mean_w;
  const Spread spread = winsorised(scratch);
  out.sd_w = std::max(spread.sd, scale.floor_sd_w);

  double product = 0.0;
  double square = 0.0;
  for_each_pair(runs, state, k, [&](std::size_t t) {
    const double a = std::clamp(steps.power[t - 1] - out.mean_w, -spread.clip, spread.clip);
    const double b = std::clamp(steps.power[t] - out.mean_w, -spread.clip, spread.clip);
    product += a * b;
    square += 0.5 * (a * a + b * b);
  });
  out.correlation = square > 0.0 ? std::clamp(product / square, -0.9, 0.998) : 0.0;

  scratch.clear();
  for_each_pair(runs, state, k, [&](std::size_t t) {
    scratch.push_back(steps.power[t] - out.mean_w - out.correlation * (steps.power[t - 1] - out.mean_w));
  });
  out.step_sd_w = std::max(scratch.empty() ? out.sd_w : winsorised(scratch).sd, scale.floor_sd_w);
  return out;
}

/// Rates of the Poisson process of changes: a change from j to k costs its rate's logarithm, and staying costs
/// rate x time, which along a path is one nat a change.
void estimate_switches(std::span<const Run> runs, const std::vector<std::int16_t>& state, LevelModel& model) {
  const std::size_t n = model.size();
  std::vector<double> changes(n * n, 0.5);  // half a change of each kind: none is impossible
  std::vector<double> samples(n, 1.0);
  for (const Run& run : runs) {
    for (std::size_t t = run.first; t < run.last; ++t) {
      const auto k = static_cast<std::size_t>(state[t]);
      samples[k] += 1.0;
      if (t > run.first && state[t - 1] != state[t]) changes[static_cast<std::size_t>(state[t - 1]) * n + k] += 1.0;
    }
  }
  double total = 0.0;
  for (const double s : samples) total += s;
  model.log_switch.assign(n * n, 0.0);
  model.log_start.assign(n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    model.log_start[j] = std::log(samples[j] / total);
    for (std::size_t k = 0; k < n; ++k)
      if (j != k) model.log_switch[j * n + k] = std::log(std::min(1.0, changes[j * n + k] / samples[j])) - 1.0;
  }
}

/// False when a state has no sample.
bool estimate_states(const Steps& steps, std::span<const Run> runs, const std::vector<std::int16_t>& state,
                     LevelModel& model) {
  std::vector<double> scratch;
  for (std::size_t k = 0; k < model.size(); ++k) {
    const auto estimate = estimate_state(steps, runs, state, k, model.scale, scratch);
    if (!estimate) return false;
    model.states[k] = *estimate;
  }
  return true;
}

std::vector<std::int16_t> nearest_levels(const Steps& steps, std::span<const Run> runs,
                                         const std::vector<double>& levels_w) {
  std::vector<std::int16_t> state(steps.size(), -1);
  for (const Run& run : runs) {
    for (std::size_t t = run.first; t < run.last; ++t) {
      const auto nearest = std::ranges::min_element(
          levels_w, {}, [x = steps.power[t]](double level_w) { return std::fabs(x - level_w); });
      state[t] = static_cast<std::int16_t>(nearest - levels_w.begin());
    }
  }
  return state;
}

/// Before any path is known, a stay lasts ten dwells and noise counts as independent: a cut by power alone mixes
/// levels, and the correlation estimated on it would explain the changes away.
void set_first_guess(const Steps& steps, Nanos min_dwell, LevelModel& model) {
  for (LevelState& state : model.states) {
    state.correlation = 0.0;
    state.step_sd_w = state.sd_w;
  }
  const double period = static_cast<double>(std::max<std::int64_t>(1, steps.median_period.count()));
  const double stay = 10.0 * std::max(1.0, static_cast<double>(min_dwell.count()) / period);
  const auto n = static_cast<double>(model.size());
  model.log_switch.assign(model.size() * model.size(), -std::log(stay * std::max(1.0, n - 1.0)) - 1.0);
  model.log_start.assign(model.size(), -std::log(n));
}

}  // namespace

double take_quantile(std::vector<double>& values, double q) {
  const auto at = static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1) + 0.5);
  std::ranges::nth_element(values, values.begin() + at);
  return values[static_cast<std::size_t>(at)];
}

std::vector<Run> known_runs(const Steps& steps) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!std::isfinite(steps.power[i])) continue;
    const bool goes_on = !runs.empty() && runs.back().last == i && steps.end(i - 1) == steps.begin(i);
    if (goes_on) {
      runs.back().last = i + 1;
    } else {
      runs.push_back({.first = i, .last = i + 1});
    }
  }
  return runs;
}

NoiseScale noise_scale(const Steps& steps, std::span<const Run> runs) {
  std::vector<double> x;
  for (const Run& run : runs)
    for (std::size_t t = run.first; t < run.last; ++t) x.push_back(steps.power[t]);
  if (x.empty()) return {};
  const double high = take_quantile(x, 0.99);
  const double low = take_quantile(x, 0.01);
  NoiseScale scale;
  scale.floor_sd_w = std::max({0.01 * (high - low), 0.001 * std::max(std::fabs(high), std::fabs(low)), 1e-6});
  scale.wide_sd_w = std::max(high - low, 10.0 * scale.floor_sd_w);
  return scale;
}

Path best_path(const Steps& steps, std::span<const Run> runs, const LevelModel& model, Nanos min_dwell) {
  const std::int64_t dwell = std::max<std::int64_t>(0, min_dwell.count());
  Path path{.state = std::vector<std::int16_t>(steps.size(), -1)};
  Decoder decoder(steps, model, dwell, longest_window(steps, runs, dwell));
  for (const Run& run : runs) path.log_likelihood += decoder.decode(run, path.state);
  return path;
}

std::optional<LevelFit> fit_levels(const Steps& steps, std::span<const Run> runs, std::vector<double> start_w,
                                   const NoiseScale& scale, Nanos min_dwell) {
  std::ranges::sort(start_w);
  LevelFit fit;
  fit.model.scale = scale;
  fit.model.states.resize(start_w.size());
  if (!estimate_states(steps, runs, nearest_levels(steps, runs, start_w), fit.model)) return std::nullopt;
  set_first_guess(steps, min_dwell, fit.model);
  for (int i = 0; i < kMaxIterations; ++i) {
    Path path = best_path(steps, runs, fit.model, min_dwell);
    const bool settled = path.state == fit.path.state;
    fit.path = std::move(path);
    if (settled) break;
    if (!estimate_states(steps, runs, fit.path.state, fit.model)) return std::nullopt;
    estimate_switches(runs, fit.path.state, fit.model);
  }
  const bool ascending = std::ranges::is_sorted(fit.model.states, {}, &LevelState::mean_w);
  if (!ascending) return std::nullopt;  // levels that crossed were one level
  return fit;
}

std::vector<Stay> stays_of(std::span<const Run> runs, const std::vector<std::int16_t>& state) {
  std::vector<Stay> stays;
  for (const Run& run : runs) {
    for (std::size_t t = run.first; t < run.last; ++t) {
      if (t > run.first && state[t] == state[t - 1]) {
        stays.back().last = t + 1;
        continue;
      }
      Stay stay{.first = t, .last = t + 1, .before = -1, .state = state[t], .after = -1};
      if (t > run.first) {
        stay.before = state[t - 1];
        stays.back().after = state[t];
      }
      stays.push_back(stay);
    }
  }
  return stays;
}

std::vector<double> means_of(const LevelModel& model) {
  std::vector<double> means;
  for (const LevelState& state : model.states) means.push_back(state.mean_w);
  return means;
}

}  // namespace wattrein::analysis
