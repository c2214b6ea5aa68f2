#include "analysis/windows.h"

#include <fmt/format.h>

#include <array>

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

/// What one pass over the windows of one size gives.
struct Tally {
  WindowMeans means;
  std::int64_t violating = 0;
  std::optional<Nanos> first_over;
  Nanos time_over{0};
};

/// Windows come in order of their begin and may overlap: time in two of them counts once.
void add_violating(Tally& t, const Window& window, std::int64_t& covered_until_ns) {
  t.violating += window.count;
  if (!t.first_over) t.first_over = Nanos(window.begin_ns);
  const std::int64_t end = window.begin_ns + window.count * window.width_ns;
  t.time_over += Nanos(std::max<std::int64_t>(0, end - std::max(window.begin_ns, covered_until_ns)));
  covered_until_ns = std::max(covered_until_ns, end);
}

Tally tally(const Steps& steps, const WindowSpec& spec, std::optional<std::int64_t> limit_uw,
            const WindowOptions& options) {
  Tally t;
  t.means.spec = spec;
  t.means.reason = unavailable_reason(steps, spec, options);
  t.means.available = t.means.reason.empty();
  if (!t.means.available) return t;
  std::optional<double> worst;
  std::int64_t covered_until_ns = steps.span_begin();
  scan_windows(steps, spec, options, [&](const Window& window) {
    if (!window.known()) {
      t.means.unknown += window.count;
      return;
    }
    t.means.known += window.count;
    const double mean = window.amount.mean_w();
    if (!worst || mean > *worst) {
      worst = mean;
      t.means.worst_start = Nanos(window.begin_ns);
    }
    if (limit_uw && window.amount.mean_above(*limit_uw)) add_violating(t, window, covered_until_ns);
  });
  if (worst) t.means.worst = Watts(*worst);
  return t;
}

/// How much time one window stands for: a sample stands for one median period.
Nanos reach(const Steps& steps, const WindowSpec& spec) {
  return spec.kind == WindowKind::samples ? steps.median_period : spec.window;
}

bool hidden_by_meter(const Steps& steps, const WindowSpec& spec) {
  return steps.meter == trace::MeterKind::average_1s && reach(steps, spec) < kMeterAverage;
}

/// Samples cover no time of their own, so holes between them leave no window unknown: the whole trace is held to the
/// coverage of a window instead.
bool too_few_samples(const Steps& steps, const WindowSpec& spec) {
  if (spec.kind != WindowKind::samples) return false;
  const std::int64_t span = steps.span_end() - steps.span_begin();
  return !Window{steps.span_begin(), span, Integral(steps).at(steps.span_end()), 1}.known();
}

/// Time of unknown power: holes, and polls that say N/A.
Nanos unknown_time(const Steps& steps) {
  return Nanos(steps.span_end() - steps.span_begin() - Integral(steps).at(steps.span_end()).known_ns);
}

Verdict verdict_of(const Steps& steps, const Tally& t) {
  if (!t.means.available) return Verdict::not_available;
  if (t.violating > 0) return Verdict::violated;
  if (t.means.known == 0) return Verdict::unknown;
  if (hidden_by_meter(steps, t.means.spec)) return Verdict::lower_bound;
  // One reading shows what was drawn at one instant, not that a limit was held.
  if (t.means.unknown > 0 || steps.span_begin() == steps.span_end()) return Verdict::unknown;
  // Samples leave no trace of a hole between them, and nobody knows what was drawn there.
  if (t.means.spec.kind == WindowKind::samples && unknown_time(steps).count() > 0) return Verdict::unknown;
  if (too_few_samples(steps, t.means.spec)) return Verdict::unknown;
  return Verdict::compliant;
}

void add_note(std::string& note, std::string_view sentence) {
  if (!note.empty()) note += "; ";
  note += sentence;
}

std::optional<Interval> bootstrap(const Steps& steps, const WindowSpec& spec, std::int64_t limit_uw, Nanos correlation,
                                  const WindowOptions& options, std::string& note) {
  const Nanos block = std::max({kShortestBlock, 2 * reach(steps, spec), 10 * correlation});
  const Nanos known(Integral(steps).at(steps.span_end()).known_ns);
  if (known / block < kFewestBlocks) {
    add_note(note, fmt::format("fewer than ten blocks of {}: no interval", format_duration(block)));
    return std::nullopt;
  }
  RateBootstrap rates(Nanos(steps.span_begin()), Nanos(steps.span_end()), block);
  scan_windows(steps, spec, options, [&](const Window& window) {
    rates.add(window.begin_ns, window.width_ns, window.count, window.known(), window.amount.mean_above(limit_uw));
  });
  // A stream of its own for each size and kind, so that no two intervals share their luck.
  const auto stream = static_cast<std::uint64_t>(spec.window.count()) * 4 + static_cast<std::uint64_t>(spec.kind);
  return rates.interval(options.seed, stream);
}

/// 3/n: where none of n independent windows violates, the rate is below that with 95 % confidence.
std::optional<double> rule_of_three(const Steps& steps, const WindowSpec& spec, Nanos correlation) {
  const Nanos known(Integral(steps).at(steps.span_end()).known_ns);
  const Nanos apart = std::max(reach(steps, spec), 2 * correlation);
  if (known.count() <= 0 || apart.count() <= 0) return std::nullopt;
  return std::min(1.0, 3.0 * (to_seconds(apart) / to_seconds(known)));
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

std::string unavailable_reason(const Steps& steps, const WindowSpec& spec, const WindowOptions& options) {
  if (steps.size() == 0) return "no samples";
  if (spec.kind == WindowKind::samples) return {};
  if (steps.size() == 1) return "a single sample";
  const Nanos span(steps.span_end() - steps.span_begin());
  if (spec.window.count() <= 0) return "a window has to be longer than zero";
  if (spec.window < steps.median_period) {
    return fmt::format("shorter than the sample period ({})", format_duration(steps.median_period));
  }
  if (spec.window > span) return fmt::format("longer than the trace ({})", format_duration(span));
  if (spec.kind == WindowKind::block) {
    const std::int64_t first = first_block(steps, spec.window.count(), options);
    if (steps.span_end() - first < spec.window.count()) return "no whole block of the clock lies inside the trace";
  }
  return {};
}

WindowMeans window_means(const Steps& steps, const WindowSpec& spec, const WindowOptions& options) {
  return tally(steps, spec, std::nullopt, options).means;
}

WindowVerdict judge_windows(const Steps& steps, const WindowSpec& spec, Watts limit, const WindowOptions& options) {
  const std::int64_t limit_uw = to_microwatts(limit.value());
  Tally t = tally(steps, spec, limit_uw, options);
  WindowVerdict out;
  out.verdict = verdict_of(steps, t);
  out.violating = t.violating;
  out.first_over = t.first_over;
  if (spec.kind != WindowKind::samples) out.time_over = t.time_over;
  out.means = std::move(t.means);
  if (!out.means.available) return out;

  if (out.means.unknown > 0) {
    add_note(out.note, fmt::format("{} of {} windows unknown", out.means.unknown, out.means.known + out.means.unknown));
  }
  if (too_few_samples(steps, spec)) add_note(out.note, "power is known for less than 0.8 of the time");
  if (spec.kind == WindowKind::samples && steps.size() > 1 && unknown_time(steps).count() > 0) {
    add_note(out.note, fmt::format("power is unknown for {}", format_duration(unknown_time(steps))));
  }
  if (hidden_by_meter(steps, spec)) add_note(out.note, "the meter averages over 1 s: shorter excursions are hidden");
  if (out.means.known == 0) return out;

  out.rate = static_cast<double>(out.violating) / static_cast<double>(out.means.known);
  if (steps.size() == 1) return out;
  const Nanos correlation = options.correlation_time ? *options.correlation_time : correlation_time(steps);
  if (out.violating > 0) {
    out.rate_95 = bootstrap(steps, spec, limit_uw, correlation, options, out.note);
  } else if (out.verdict != Verdict::lower_bound) {  // a bound on what the meter shows bounds nothing it hides
    out.upper_95 = rule_of_three(steps, spec, correlation);
  }
  return out;
}

std::span<const Nanos> default_windows() { return kLadder; }

}  // namespace wattrein::analysis
