#include "analysis/level_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"

namespace wattrein::analysis {

using trace::Steps;

namespace {

constexpr int kMostStates = 8;

// Levels nearer than this share of the higher one are one level: temperature and the mix of sequence lengths
// move power by several per cent without any change of phase.
constexpr double kLeastSeparation = 0.10;
// Levels nearer than this share may still be a slow disturbance cut in two, unless power steps between them.
constexpr double kStepNeeded = 0.25;
constexpr double kLeastStep = 0.5;            // of the distance between the levels, ...
constexpr std::size_t kStepWindowDwells = 5;  // ... between the means over so long before and after a change
// A stay between a lower and a higher level whose power crosses more than this share of the way between them is
// the ramp from one to the other and not a level.
constexpr double kPassage = 1.0 / 3.0;

std::size_t dwell_samples(const Steps& steps, Nanos min_dwell) {
  const std::int64_t period = std::max<std::int64_t>(1, steps.median_period.count());
  return static_cast<std::size_t>(std::clamp<std::int64_t>(min_dwell.count() / period, 1, 1'000'000'000));
}

/// Sorted medians over blocks of one dwell: where power stays, without spikes and with less noise.
std::vector<double> block_medians(const Steps& steps, std::span<const Run> runs, Nanos min_dwell) {
  const std::size_t block = dwell_samples(steps, min_dwell);
  std::vector<double> medians;
  std::vector<double> values;
  for (const Run& run : runs) {
    for (std::size_t i = run.first; i < run.last; i += block) {
      const std::size_t end = std::min(i + block, run.last);
      values.assign(steps.power.begin() + static_cast<std::ptrdiff_t>(i),
                    steps.power.begin() + static_cast<std::ptrdiff_t>(end));
      medians.push_back(take_quantile(values, 0.5));
    }
  }
  std::ranges::sort(medians);
  return medians;
}

/// Lloyd's k-means in one dimension; `sorted` ascending. Centres that lose all values stay where they are.
std::vector<double> k_means(std::span<const double> sorted, std::vector<double> centres) {
  for (int i = 0; i < 50; ++i) {
    std::ranges::sort(centres);
    std::vector<double> next = centres;
    auto from = sorted.begin();
    for (std::size_t k = 0; k < centres.size(); ++k) {
      const bool last = k + 1 == centres.size();
      const auto to = last ? sorted.end() : std::upper_bound(from, sorted.end(), 0.5 * (centres[k] + centres[k + 1]));
      double total = 0.0;
      for (auto v = from; v != to; ++v) total += *v;
      if (to != from) next[k] = total / static_cast<double>(to - from);
      from = to;
    }
    if (next == centres) break;
    centres = std::move(next);
  }
  return centres;
}

/// Places to start `states` levels from: spread over the range, at quantiles, and with each level of the best
/// smaller model split in two.
std::vector<std::vector<double>> starting_levels(std::span<const double> medians, std::size_t states,
                                                 const std::vector<double>& smaller) {
  std::vector<double> spaced;
  std::vector<double> quantiles;
  const std::size_t last = medians.size() - 1;
  for (std::size_t k = 0; k < states; ++k) {
    const double at = static_cast<double>(k) / static_cast<double>(states - 1);
    spaced.push_back(medians.front() + at * (medians.back() - medians.front()));
    quantiles.push_back(medians[(2 * k + 1) * last / (2 * states)]);
  }
  std::vector<std::vector<double>> starts{spaced, k_means(medians, spaced), k_means(medians, quantiles)};
  for (std::size_t k = 0; k < smaller.size(); ++k) {
    const auto low = k == 0 ? medians.begin() : std::ranges::lower_bound(medians, 0.5 * (smaller[k - 1] + smaller[k]));
    const auto high = k + 1 == smaller.size() ? medians.end()
                                              : std::ranges::lower_bound(medians, 0.5 * (smaller[k] + smaller[k + 1]));
    if (high - low < 2) continue;
    const auto halves = k_means(std::span(low, high), {*low, *(high - 1)});
    std::vector<double> start = smaller;
    start[k] = halves[0];
    start.push_back(halves[1]);
    starts.push_back(start);
  }
  for (auto& start : starts) std::ranges::sort(start);
  std::erase_if(starts, [](const auto& start) { return std::ranges::adjacent_find(start) != start.end(); });
  std::ranges::sort(starts);
  const auto same = std::ranges::unique(starts);
  starts.erase(same.begin(), same.end());
  return starts;
}

double mean_of(std::span<const double> x) {
  double total = 0.0;
  for (const double v : x) total += v;
  return total / static_cast<double>(x.size());
}

bool is_passage(const Steps& steps, const LevelModel& model, const Stay& stay) {
  if (stay.before < 0 || stay.after < 0) return false;
  const double from = model.states[static_cast<std::size_t>(stay.before)].mean_w;
  const double to = model.states[static_cast<std::size_t>(stay.after)].mean_w;
  const double here = model.states[static_cast<std::size_t>(stay.state)].mean_w;
  const std::size_t third = std::max<std::size_t>(1, (stay.last - stay.first) / 3);
  if ((here - from) * (to - here) <= 0.0) return false;
  const auto power = steps.power.subspan(stay.first, stay.last - stay.first);
  const double crossed = mean_of(power.last(third)) - mean_of(power.first(third));
  return crossed / (to - from) > kPassage;
}

bool far_enough_apart(const std::vector<double>& means_w) {
  for (std::size_t k = 1; k < means_w.size(); ++k) {
    const double higher = std::max(std::fabs(means_w[k]), std::fabs(means_w[k - 1]));
    if (means_w[k] - means_w[k - 1] < kLeastSeparation * higher) return false;
  }
  return true;
}

/// False where near levels pass into each other without a step: power, averaged over several dwells on either
/// side of a change, hardly differs although the levels do.
bool steps_between_near_levels(const Steps& steps, const std::vector<double>& means_w, const std::vector<Stay>& stays,
                               std::size_t window) {
  std::vector<std::vector<double>> step_shares(means_w.size());  // between level k - 1 and k
  for (std::size_t s = 1; s < stays.size(); ++s) {
    const Stay& a = stays[s - 1];
    const Stay& b = stays[s];
    if (b.before < 0 || std::abs(a.state - b.state) != 1) continue;
    const std::size_t left = std::min(window, a.last - a.first);
    const std::size_t right = std::min(window, b.last - b.first);
    const double step =
        mean_of(steps.power.subspan(b.first, right)) - mean_of(steps.power.subspan(a.last - left, left));
    const double distance = means_w[static_cast<std::size_t>(b.state)] - means_w[static_cast<std::size_t>(a.state)];
    step_shares[static_cast<std::size_t>(std::max(a.state, b.state))].push_back(step / distance);
  }
  for (std::size_t k = 1; k < means_w.size(); ++k) {
    const double higher = std::max(std::fabs(means_w[k]), std::fabs(means_w[k - 1]));
    if (means_w[k] - means_w[k - 1] >= kStepNeeded * higher || step_shares[k].empty()) continue;
    if (take_quantile(step_shares[k], 0.5) < kLeastStep) return false;
  }
  return true;
}

/// False where half of a level's time or more is ramps between the levels around it.
bool stayed_at(const Steps& steps, const LevelModel& model, const std::vector<Stay>& stays) {
  std::vector<std::size_t> samples(model.size(), 0);
  std::vector<std::size_t> passing(model.size(), 0);
  for (const Stay& stay : stays) {
    const auto k = static_cast<std::size_t>(stay.state);
    samples[k] += stay.last - stay.first;
    if (is_passage(steps, model, stay)) passing[k] += stay.last - stay.first;
  }
  for (std::size_t k = 0; k < model.size(); ++k)
    if (2 * passing[k] >= samples[k]) return false;
  return true;
}

bool are_levels(const Steps& steps, std::span<const Run> runs, const LevelFit& fit, Nanos min_dwell) {
  const std::vector<double> means_w = means_of(fit.model);
  const std::vector<Stay> stays = stays_of(runs, fit.path.state);
  const std::size_t window = kStepWindowDwells * dwell_samples(steps, min_dwell);
  return far_enough_apart(means_w) && stayed_at(steps, fit.model, stays) &&
         steps_between_near_levels(steps, means_w, stays, window);
}

/// Bayesian information criterion: the noise's correlation is in the model, so samples count in full. A level has
/// a mean, two spreads and a correlation; each ordered pair of levels has a rate.
double penalised(const LevelFit& fit, std::size_t samples) {
  const auto states = static_cast<double>(fit.model.size());
  const double parameters = 4.0 * states + states * (states - 1.0);
  return fit.path.log_likelihood - 0.5 * parameters * std::log(static_cast<double>(samples));
}

}  // namespace

LevelModel choose_levels(const Steps& steps, std::span<const Run> runs, const PhaseOptions& options) {
  std::size_t samples = 0;
  for (const Run& run : runs) samples += run.last - run.first;
  const NoiseScale scale = noise_scale(steps, runs);
  const std::vector<double> medians = block_medians(steps, runs, options.min_dwell);

  auto one = fit_levels(steps, runs, {medians[medians.size() / 2]}, scale, options.min_dwell);
  WATTREIN_CHECK(one.has_value());  // a single level takes every sample
  double best_score = penalised(*one, samples);
  LevelModel best = one->model;
  std::vector<double> smaller = means_of(one->model);

  const auto most = static_cast<std::size_t>(std::clamp(options.max_states, 1, kMostStates));
  for (std::size_t n = 2; n <= most && n <= medians.size(); ++n) {
    std::optional<LevelFit> leading;
    bool leading_counts = false;
    for (const auto& start : starting_levels(medians, n, smaller)) {
      auto fit = fit_levels(steps, runs, start, scale, options.min_dwell);
      if (!fit) continue;
      const bool counts = are_levels(steps, runs, *fit, options.min_dwell);
      const bool better = !leading || (counts && !leading_counts) ||
                          (counts == leading_counts && fit->path.log_likelihood > leading->path.log_likelihood);
      if (!better) continue;
      leading = std::move(fit);
      leading_counts = counts;
    }
    if (!leading) continue;
    smaller = means_of(leading->model);
    const double score = penalised(*leading, samples);
    if (!leading_counts || score <= best_score) continue;
    best_score = score;
    best = leading->model;
  }
  return best;
}

}  // namespace wattrein::analysis
