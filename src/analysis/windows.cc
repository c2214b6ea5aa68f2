#include "analysis/windows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "analysis/bootstrap.h"
#include "analysis/window_scan.h"
#include "base/text.h"

namespace wattrein::analysis {

namespace {

using namespace std::chrono_literals;

constexpr std::array<Nanos, 9> kLadder{500ms, 1s, 5s, 10s, 30s, 1min, 5min, 15min, 3h};
constexpr Nanos kMeterAverage = 1s;    // of MeterKind::average_1s
constexpr Nanos kShortestBlock = 30s;  // of the bootstrap
constexpr std::int64_t kFewestBlocks = 10;

/// How much time one window stands for: a sample stands for one median period.
Nanos reach(const Steps& steps, const WindowSpec& spec) {
  return spec.kind == WindowKind::samples ? steps.median_period : spec.window;
}

bool hidden_by_meter(const Steps& steps, const WindowSpec& spec) {
  return steps.meter == trace::MeterKind::average_1s && reach(steps, spec) < kMeterAverage;
}

/// The largest mean so far, told without dividing where windows know equally much, as nearly all do.
class Worst {
 public:
  void see(const Window& window) {
    if (window.amount.known_ns == amount_.known_ns) {
      if (window.amount.energy_uw_ns <= amount_.energy_uw_ns) return;
    } else if (amount_.known_ns != 0 && window.amount.mean_w() <= amount_.mean_w()) {
      return;
    }
    amount_ = window.amount;
    begin_ns_ = window.begin_ns;
  }
  void write(WindowMeans& means) const {
    if (amount_.known_ns == 0) return;
    means.worst = Watts(amount_.mean_w());
    means.worst_start = Nanos(begin_ns_);
  }

 private:
  Amount amount_;
  std::int64_t begin_ns_ = 0;
};

/// Stretches of windows that come in order of their begin. Keeps the longest.
class Stretches {
 public:
  void see(std::int64_t begin_ns, std::int64_t end_ns, double mean_w) {
    if (count_ == 0 || begin_ns > end_ns_) {
      close();
      ++count_;
      begin_ns_ = begin_ns;
      end_ns_ = end_ns;
      worst_w_ = mean_w;
      return;
    }
    end_ns_ = std::max(end_ns_, end_ns);
    worst_w_ = std::max(worst_w_, mean_w);
  }
  /// After the last window.
  void close() {
    if (count_ == 0) return;
    const Stretch last{Nanos(begin_ns_), Nanos(end_ns_ - begin_ns_), Watts(worst_w_)};
    time_ += last.duration;
    const auto at = std::ranges::upper_bound(longest_, last.duration, std::ranges::greater(), &Stretch::duration);
    longest_.insert(at, last);
    if (longest_.size() > kMostStretches) longest_.pop_back();
  }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] Nanos time() const { return time_; }
  [[nodiscard]] const std::vector<Stretch>& longest() const { return longest_; }

 private:
  std::int64_t count_ = 0;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  double worst_w_ = 0.0;
  Nanos time_{0};
  std::vector<Stretch> longest_;
};

/// Windows against one limit.
class Tally {
 public:
  Tally(const Steps& steps, Watts limit, std::optional<Nanos> block, std::optional<Watts> unknown_draws)
      : limit_uw_(to_microwatts(limit.value())) {
    if (unknown_draws) unknown_draws_uw_ = to_microwatts(unknown_draws->value());
    if (block) rates_.emplace(Nanos(steps.span_begin()), Nanos(steps.span_end()), *block);
  }

  void see(const Window& window) {
    const bool over = window.amount.mean_above(limit_uw_);
    if (rates_) rates_->add(window.begin_ns, window.width_ns, window.count, true, over);
    if (over) add_violating(window);
    const std::int64_t dark_ns = window.width_ns - window.amount.known_ns;
    if (dark_ns == 0) return;
    partly_known_ = true;
    if (unknown_draws_uw_ < 0) return;
    const Int128 most = window.amount.energy_uw_ns + Int128{unknown_draws_uw_} * dark_ns;
    could_exceed_ = could_exceed_ || most > Int128{limit_uw_} * window.width_ns;
  }

  void write(WindowVerdict& out) const {
    out.violating = violating_;
    out.partly_known = partly_known_;
    out.could_exceed = could_exceed_;
    out.first_over = first_over_;
    if (out.means.spec.kind == WindowKind::samples || out.means.known == 0) return;
    Stretches stretches = stretches_;
    stretches.close();
    out.time_over = stretches.time();
    out.stretches = stretches.count();
    out.longest = stretches.longest();
  }
  [[nodiscard]] const std::optional<RateBootstrap>& rates() const { return rates_; }

 private:
  void add_violating(const Window& window) {
    violating_ += window.count;
    if (!first_over_) first_over_ = Nanos(window.begin_ns);
    stretches_.see(window.begin_ns, window.begin_ns + window.count * window.width_ns, window.amount.mean_w());
  }

  std::int64_t limit_uw_;
  std::int64_t unknown_draws_uw_ = -1;
  bool partly_known_ = false;
  bool could_exceed_ = false;
  std::int64_t violating_ = 0;
  std::optional<Nanos> first_over_;
  Stretches stretches_;
  std::optional<RateBootstrap> rates_;
};

/// One pass over the windows of one size. Every window that is known is shown to each tally.
WindowMeans scan(const Prefix& prefix, const WindowSpec& spec, std::span<Tally> tallies, const WindowOptions& options) {
  WindowMeans means;
  means.spec = spec;
  means.reason = unavailable_reason(prefix.steps(), spec, options);
  means.available = means.reason.empty();
  if (!means.available) return means;
  Worst worst;
  scan_windows(prefix, spec, options, [&](const Window& window) {
    if (!window.known()) {
      means.unknown += window.count;
      return;
    }
    means.known += window.count;
    worst.see(window);
    for (Tally& tally : tallies) tally.see(window);
  });
  worst.write(means);
  return means;
}

/// The trace as a whole.
struct Whole {
  Nanos span{0};
  Nanos known{0};
  Nanos correlation{0};
};

Whole whole_of(const Prefix& prefix, const WindowOptions& options) {
  return {.span = Nanos(prefix.steps().span_end() - prefix.steps().span_begin()),
          .known = Nanos(prefix.total().known_ns),
          .correlation = options.correlation_time ? *options.correlation_time : correlation_time(prefix)};
}

Verdict verdict_of(const Steps& steps, const WindowMeans& means, std::int64_t violating, const Whole& whole) {
  if (!means.available) return Verdict::not_available;
  if (violating > 0) return Verdict::violated;
  if (means.known == 0) return Verdict::unknown;
  if (hidden_by_meter(steps, means.spec)) return Verdict::lower_bound;
  // One reading shows what was drawn at one instant, not that a limit was held.
  if (means.unknown > 0 || whole.span.count() == 0) return Verdict::unknown;
  // Samples leave no trace of a hole between them, and nobody knows what was drawn there.
  if (means.spec.kind == WindowKind::samples && whole.known < whole.span) return Verdict::unknown;
  return Verdict::compliant;
}

void add_note(std::string& note, std::string_view sentence) {
  if (!note.empty()) note += "; ";
  note += sentence;
}

Nanos bootstrap_block(const Steps& steps, const WindowSpec& spec, const Whole& whole) {
  return std::max({kShortestBlock, 2 * reach(steps, spec), 10 * whole.correlation});
}

/// 3/n: where none of n independent windows violates, the rate is below that with 95 % confidence.
std::optional<double> rule_of_three(const Steps& steps, const WindowMeans& means, const Whole& whole) {
  const Nanos apart = std::max(reach(steps, means.spec), 2 * whole.correlation);
  if (whole.known.count() <= 0 || apart.count() <= 0) return std::nullopt;
  const double independent = std::min(to_seconds(whole.known) / to_seconds(apart), static_cast<double>(means.known));
  return std::min(1.0, 3.0 / independent);
}

/// What the counts amount to: verdict, rate and how sure it is.
WindowVerdict conclude(const Steps& steps, const WindowMeans& means, const Tally& tally, const Whole& whole,
                       std::uint64_t seed) {
  const WindowSpec& spec = means.spec;
  WindowVerdict out;
  out.means = means;
  tally.write(out);
  out.verdict = verdict_of(steps, means, out.violating, whole);
  if (!means.available) return out;

  if (spec.kind != WindowKind::samples && spec.window < steps.median_period) {
    add_note(out.note, fmt::format("judged as one sample period of {}, which is longer by a hair",
                                   duration_beside(steps.median_period, spec.window)));
  }
  if (means.unknown > 0) {
    add_note(out.note, fmt::format("{} of {} unknown", means.unknown, counted(means.known + means.unknown, "window")));
  }
  if (spec.kind == WindowKind::samples && steps.size() > 1 && whole.known < whole.span) {
    add_note(out.note, fmt::format("power is unknown for {}", format_duration(whole.span - whole.known)));
  }
  if (hidden_by_meter(steps, spec)) add_note(out.note, "the meter averages over 1 s: shorter excursions are hidden");
  if (means.known == 0) return out;

  out.rate = static_cast<double>(out.violating) / static_cast<double>(means.known);
  if (steps.size() == 1) return out;
  const std::optional<RateBootstrap>& rates = tally.rates();
  if (out.violating > 0 && rates) {
    // A stream of its own for each size and kind, so that no two intervals share their luck.
    const auto stream = static_cast<std::uint64_t>(spec.window.count()) * 4 + static_cast<std::uint64_t>(spec.kind);
    out.rate_95 = rates->interval(seed, stream);
  } else if (out.violating > 0) {
    const Nanos block = bootstrap_block(steps, spec, whole);
    const bool correlated = block == 10 * whole.correlation;
    add_note(out.note, fmt::format("fewer than ten blocks of {}{}: no interval", format_duration(block),
                                   correlated ? ", ten correlation times" : ""));
  } else if (out.verdict != Verdict::lower_bound) {  // a bound on what the meter shows bounds nothing it hides
    out.upper_95 = rule_of_three(steps, means, whole);
  }
  return out;
}

}  // namespace

std::string_view name(WindowKind kind) {
  switch (kind) {
    case WindowKind::samples: return "samples";
    case WindowKind::block: return "block";
    case WindowKind::sliding: return "sliding";
  }
  return "block";
}

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::compliant: return "compliant";
    case Verdict::violated: return "violated";
    case Verdict::lower_bound: return "lower bound";
    case Verdict::unknown: return "unknown";
    case Verdict::not_available: return "not available";
  }
  return "unknown";
}

bool is_below_period(Nanos window, Nanos period) {
  constexpr std::int64_t kHair = 50;  // one part in so many of the period
  return window < period - period / kHair;
}

std::string unavailable_reason(const Steps& steps, const WindowSpec& spec, const WindowOptions& options) {
  if (steps.size() == 0) return "no samples";
  if (spec.kind == WindowKind::samples) return {};
  if (steps.size() == 1) return "a single sample";
  const Nanos span(steps.span_end() - steps.span_begin());
  if (spec.window.count() <= 0) return "a window has to be longer than zero";
  if (is_below_period(spec.window, steps.median_period)) {
    return "shorter than the sample period of " + duration_beside(steps.median_period, spec.window);
  }
  if (spec.window > span) return "longer than the trace of " + duration_beside(span, spec.window);
  if (spec.kind == WindowKind::block) {
    const std::int64_t first = first_block(steps, spec.window.count(), options);
    if (steps.span_end() - first < spec.window.count()) return "no whole block of the clock lies inside the trace";
  }
  return {};
}

WindowMeans window_means(const Prefix& prefix, const WindowSpec& spec, const WindowOptions& options) {
  return scan(prefix, spec, {}, options);
}

WindowMeans window_means(const Steps& steps, const WindowSpec& spec, const WindowOptions& options) {
  return window_means(Prefix(steps), spec, options);
}

std::vector<WindowVerdict> judge_windows(const Prefix& prefix, const WindowSpec& spec, std::span<const Watts> limits,
                                         const WindowOptions& options) {
  const Steps& steps = prefix.steps();
  const Whole whole = whole_of(prefix, options);
  const Nanos block = bootstrap_block(steps, spec, whole);
  const bool enough = whole.known / block >= kFewestBlocks;
  std::vector<Tally> tallies;
  for (const Watts limit : limits) {
    tallies.emplace_back(steps, limit, enough ? std::optional(block) : std::nullopt, options.unknown_draws);
  }
  const WindowMeans means = scan(prefix, spec, tallies, options);
  std::vector<WindowVerdict> verdicts;
  verdicts.reserve(tallies.size());
  for (const Tally& tally : tallies) verdicts.push_back(conclude(steps, means, tally, whole, options.seed));
  return verdicts;
}

WindowVerdict judge_windows(const Steps& steps, const WindowSpec& spec, Watts limit, const WindowOptions& options) {
  return std::move(judge_windows(Prefix(steps), spec, std::span(&limit, 1), options).front());
}

std::span<const Nanos> default_windows() { return kLadder; }

}  // namespace wattrein::analysis
