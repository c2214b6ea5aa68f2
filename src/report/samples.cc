#include "report/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/rng.h"
#include "base/text.h"
#include "trace/steps.h"

namespace wattrein::report::samples {

using analysis::LimitResult;
using analysis::Subject;
using analysis::Verdict;
using analysis::WindowKind;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kPeriod = 500'000'000;

double power_at(std::size_t device, std::size_t i, Rng& rng) {
  const double t = static_cast<double>(i) * 0.5;
  if (device == 1 && t >= 200 && t < 220) return kNan;
  if (t < 30) return 86 + 2 * rng.normal();
  if (device == 3 && t >= 400 && t < 445) return 412 + 4 * rng.normal();
  const double in_step = std::fmod(t + 3.0 * static_cast<double>(device), 55.0);
  return in_step > 48 ? 385 + 6 * rng.normal() : 330 + 18 * rng.normal();
}

trace::Series series_of(std::size_t device, std::size_t samples) {
  trace::Series s;
  s.device.name = fmt::format("{}", device);
  s.device.model = "NVIDIA A100-SXM4-80GB";
  s.device.meter = trace::MeterKind::instantaneous;
  Rng rng(7, device);
  for (std::size_t i = 0; i < samples; ++i) {
    if (rng.uniform() < 0.002) continue;  // a missed poll
    s.time_ns.push_back(static_cast<std::int64_t>(i) * kPeriod);
    s.power_w.push_back(power_at(device, i, rng));
  }
  return s;
}

void fill_power(Subject& subject, const trace::Steps& steps) {
  std::vector<double> known;
  double weighted = 0.0;
  double time = 0.0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (std::isnan(steps.power[i])) continue;
    known.push_back(steps.power[i]);
    weighted += steps.power[i] * static_cast<double>(steps.end(i) - steps.begin(i)) * 1e-9;
    time += static_cast<double>(steps.end(i) - steps.begin(i)) * 1e-9;
  }
  std::ranges::sort(known);
  const auto at = [&](double q) {
    return Watts(known[static_cast<std::size_t>(q * static_cast<double>(known.size() - 1))]);
  };
  double sum = 0.0;
  for (const double p : known) sum += p;
  subject.power = {.mean = Watts(sum / static_cast<double>(known.size())),
                   .tmean = Watts(weighted / time),
                   .min = at(0),
                   .max = at(1),
                   .p50 = at(0.5),
                   .p95 = at(0.95),
                   .p99 = at(0.99),
                   .average_meter_mean = {}};
  subject.energy.integral = Joules(weighted);
  auto& q = subject.sampling;
  q.samples = static_cast<std::int64_t>(steps.size());
  q.known = static_cast<std::int64_t>(known.size());
  q.span = Nanos(steps.span_end() - steps.span_begin());
  q.known_time = to_nanos(Seconds(time));
  q.coverage = time / to_seconds(q.span).value();
  q.period = Nanos(kPeriod);
  q.longest_gap = subject.name == "1" ? Nanos(seconds(20)) : Nanos(seconds(1));
  q.holes = subject.name == "1" ? 1 : 0;
}

void fill_excursions(LimitResult& result, const trace::Steps& steps) {
  analysis::Excursions& out = result.excursions;
  bool open = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double above = steps.power[i] - result.limit.power.value();
    if (!(above > 0)) {
      open = false;
      continue;
    }
    if (!open)
      out.list.push_back(
          {.start = Nanos(steps.begin(i)), .duration = Nanos(0), .peak = Watts(0), .overshoot = Joules(0)});
    open = true;
    analysis::Excursion& e = out.list.back();
    const Nanos held(steps.end(i) - steps.begin(i));
    e.duration += held;
    e.peak = std::max(e.peak, Watts(steps.power[i]));
    e.overshoot += Watts(above) * to_seconds(held);
    out.time_above += held;
    out.longest = std::max(out.longest, e.duration);
  }
  for (analysis::Excursion& e : out.list) {
    e.plateau = e.duration > seconds(30);
    ++(e.plateau ? out.plateaus : out.transients);
    out.overshoot += e.overshoot;
  }
  if (!out.list.empty()) out.removable_share = 0.64;
  result.breaker.peak = out.list.empty() ? 0.0 : 0.021;
}

analysis::WindowVerdict window_of(const trace::Steps& steps, WindowKind kind, Nanos window, double limit) {
  analysis::WindowVerdict out;
  out.means.spec = {kind, window};
  if (window.count() > steps.span_end() - steps.span_begin()) {
    out.means.reason = "longer than the trace of " + exact_duration(Nanos(steps.span_end() - steps.span_begin()));
    return out;
  }
  out.means.available = true;
  const std::size_t per =
      kind == WindowKind::samples ? 1 : std::max<std::size_t>(1, static_cast<std::size_t>(window.count() / kPeriod));
  const std::size_t stride = kind == WindowKind::block ? per : 1;
  for (std::size_t i = 0; i + per <= steps.size(); i += stride) {
    double mean = 0.0;
    for (std::size_t k = i; k < i + per; ++k) mean += steps.power[k] / static_cast<double>(per);
    if (std::isnan(mean)) {
      ++out.means.unknown;
      continue;
    }
    ++out.means.known;
    if (mean > limit) ++out.violating;
    if (!out.means.worst || mean > out.means.worst->value()) {
      out.means.worst = Watts(mean);
      out.means.worst_start = Nanos(steps.begin(i));
    }
  }
  if (out.means.known > 0) out.rate = static_cast<double>(out.violating) / static_cast<double>(out.means.known);
  if (out.violating > 0) {
    out.verdict = Verdict::violated;
    out.rate_95 = analysis::Interval{*out.rate * 0.6, *out.rate * 1.5};
  } else {
    out.verdict = out.means.unknown > 0 ? Verdict::unknown : Verdict::compliant;
    if (out.means.known > 0) out.upper_95 = 3.0 / static_cast<double>(out.means.known);
  }
  return out;
}

LimitResult judge(const trace::Steps& steps, const analysis::Limit& limit) {
  LimitResult out;
  out.limit = limit;
  out.windows.push_back(window_of(steps, WindowKind::samples, Nanos(0), limit.power.value()));
  for (const Nanos window : {Nanos(milliseconds(500)), Nanos(seconds(1)), Nanos(seconds(5)), Nanos(seconds(10)),
                             Nanos(seconds(30)), Nanos(seconds(60)), Nanos(seconds(300)), Nanos(seconds(10800))}) {
    for (const WindowKind kind : {WindowKind::block, WindowKind::sliding}) {
      out.windows.push_back(window_of(steps, kind, window, limit.power.value()));
    }
  }
  fill_excursions(out, steps);
  for (const auto& w : out.windows) {
    const bool own = limit.window ? w.means.spec.window == *limit.window && w.means.spec.kind != WindowKind::samples
                                  : w.means.spec.kind == WindowKind::samples;
    if (own && w.verdict == Verdict::violated) out.violated = true;
    if (own && w.verdict != Verdict::violated && w.verdict != Verdict::compliant) out.undecided = true;
  }
  if (out.violated) out.undecided = false;
  return out;
}

analysis::Phases phases_of(const trace::Steps& steps) {
  analysis::Phases out;
  out.levels = {{.name = "level 1", .mean = Watts(86), .sd = Watts(2)},
                {.name = "level 2", .mean = Watts(330), .sd = Watts(18)},
                {.name = "level 3", .mean = Watts(386), .sd = Watts(7)}};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double p = steps.power[i];
    const int level = std::isnan(p) ? -1 : p < 200 ? 0 : p < 368 ? 1 : 2;
    if (level < 0) continue;
    auto& stretches = out.stretches;
    if (stretches.empty() || stretches.back().level != level || stretches.back().end != Nanos(steps.begin(i))) {
      stretches.push_back({Nanos(steps.begin(i)), Nanos(steps.end(i)), level});
      ++out.levels[static_cast<std::size_t>(level)].visits;
    }
    stretches.back().end = Nanos(steps.end(i));
    out.levels[static_cast<std::size_t>(level)].time += Nanos(steps.end(i) - steps.begin(i));
  }
  const double all = to_seconds(out.levels[0].time + out.levels[1].time + out.levels[2].time).value();
  for (auto& level : out.levels) level.share = to_seconds(level.time).value() / all;
  return out;
}

Subject subject_of(const std::string& name, const trace::Steps& steps, const std::vector<analysis::Limit>& limits,
                   bool sum) {
  Subject out;
  out.name = name;
  out.is_sum = sum;
  out.meter = steps.meter;
  fill_power(out, steps);
  out.phases = phases_of(steps);
  for (const analysis::Limit& limit : limits) {
    if ((limit.scope == analysis::Limit::Scope::sum) == sum) out.limits.push_back(judge(steps, limit));
  }
  return out;
}

analysis::Correlation correlation_of(std::size_t devices) {
  analysis::Correlation out;
  out.devices = devices;
  for (std::size_t a = 0; a < devices; ++a) {
    for (std::size_t b = a + 1; b < devices; ++b) {
      out.pairs.push_back({a, b, -0.13 + 0.02 * static_cast<double>((a * 7 + b * 3) % 5)});
    }
  }
  out.mean = -0.09;
  out.min = -0.13;
  out.max = -0.05;
  out.within_phase = true;
  return out;
}

void analyse(Sample& sample) {
  analysis::Analysis& a = sample.analysis;
  for (const trace::Series& s : sample.trace.series) {
    a.devices.push_back(subject_of(s.device.name, trace::steps_of(s, {}), a.limits, false));
    a.devices.back().energy.counter = *a.devices.back().energy.integral * (s.device.name == "2" ? 1.07 : 1.003);
    a.devices.back().energy.disagreement = s.device.name == "2" ? -0.065 : -0.003;
    a.devices.back().energy.marked = s.device.name == "2";
  }
  if (const auto sum = trace::sum_of(sample.trace, {})) {
    a.sum = subject_of("sum", sum->steps(), a.limits, true);
    a.correlation = correlation_of(sample.trace.series.size());
  }
}

trace::Trace trace_of(std::size_t devices, std::size_t samples) {
  trace::Trace t;
  t.source = "node-7/power.csv";
  t.start_unix_ns = 1'753'575'747'858'000'000;
  t.workload = "training";
  for (std::size_t d = 0; d < devices; ++d) t.series.push_back(series_of(d, samples));
  trace::Understanding& u = t.understanding;
  u.format = "nvidia-smi";
  u.power = "power.draw.instant [W]";
  u.clock = "wall clock, no zone";
  u.devices = "column 'index'";
  u.notes = {"The clock names no zone; it is taken as UTC."};
  u.rows = static_cast<std::int64_t>(devices * samples);
  u.damaged = 2;
  u.unknown_power = 40;
  u.repeated_headers = 1;
  u.first_damaged = {{"power.csv:812", "power '[ERR' is no number"}, {"power.csv:813", "time is missing"}};
  return t;
}

}  // namespace

Sample training(std::size_t devices, std::size_t samples) {
  Sample out;
  out.trace = trace_of(devices, samples);
  out.analysis.limits = {{.power = Watts(400), .origin = "given"}};
  if (devices > 1) {
    out.analysis.limits.push_back({.power = Watts(340.0 * static_cast<double>(devices)),
                                   .scope = analysis::Limit::Scope::sum,
                                   .window = Nanos(seconds(30)),
                                   .origin = "given"});
  }
  analyse(out);
  out.analysis.notes = {
      "20 s of GPU 1 are longer than three sample periods and were left unknown (--max-gap none fills them)."};
  return out;
}

Sample proposed() {
  Sample out;
  out.trace = trace_of(1, 1200);
  out.trace.start_unix_ns.reset();
  out.trace.workload.clear();
  out.analysis.limits_proposed = true;
  out.analysis.limits = {{.power = Watts(388), .origin = "99th percentile of samples"},
                         {.power = Watts(372), .origin = "95th percentile of samples"}};
  analyse(out);
  return out;
}

Sample snapshot() {
  Sample out;
  out.trace = trace_of(4, 1);
  out.analysis.snapshot = true;
  out.analysis.limits = {{.power = Watts(300), .origin = "given"}};
  for (std::size_t i = 0; i < out.trace.series.size(); ++i) {
    trace::Series& s = out.trace.series[i];
    s.time_ns = {0};
    s.power_w = {280.0 + 15.0 * static_cast<double>(i)};
    Subject subject;
    subject.name = s.device.name;
    subject.sampling.samples = subject.sampling.known = 1;
    subject.power.mean = subject.power.min = subject.power.max = subject.power.p50 = Watts(s.power_w[0]);
    LimitResult result;
    result.limit = out.analysis.limits[0];
    result.violated = s.power_w[0] > 300.0;
    result.undecided = !result.violated;
    subject.limits.push_back(result);
    out.analysis.devices.push_back(subject);
  }
  return out;
}

Sample hostile() {
  Sample out;
  out.trace = trace_of(2, 1200);
  out.trace.source = fmt::format("\"'{}.csv", kAttack);
  out.trace.workload = kAttack;
  out.trace.series[0].device.name = kAttack;
  out.trace.series[0].device.model = "<svg onload=alert(2)>";
  out.trace.series[1].device.name = "<!--<script>\x01\xe2\x80\xae";
  trace::Understanding& u = out.trace.understanding;
  u.format = u.power = u.clock = u.devices = kAttack;
  u.notes = {kAttack};
  u.first_damaged = {{kAttack, kAttack}};
  out.analysis.limits = {{.power = Watts(370), .origin = kAttack}};
  analyse(out);
  out.analysis.notes = {kAttack};
  for (Subject& s : out.analysis.devices) {
    s.phases.levels[0].name = kAttack;
    for (auto& w : s.limits[0].windows) w.note = kAttack;
  }
  return out;
}

Sample unknowns() {
  Sample out;
  out.trace = trace_of(1, 400);
  out.analysis.limits = {{.power = Watts(395), .origin = "given"}};
  analyse(out);
  Subject& s = out.analysis.devices[0];
  s.meter = trace::MeterKind::unknown;
  s.power = {};
  s.power.max = Watts(kNan);
  s.energy = {};
  s.sampling.coverage = kNan;
  LimitResult& r = s.limits[0];
  r.violated = false;
  r.undecided = true;
  r.breaker.peak = kNan;
  r.excursions = {};
  const std::vector<Verdict> all{Verdict::compliant, Verdict::violated, Verdict::lower_bound, Verdict::unknown,
                                 Verdict::not_available};
  for (std::size_t i = 0; i < r.windows.size(); ++i) {
    auto& w = r.windows[i];
    w.verdict = all[(i + 2) % all.size()];
    w.means.available = w.verdict != Verdict::not_available;
    w.means.reason = "shorter than the sample period of 1 s";
    w.note = w.verdict == Verdict::lower_bound ? "meter averages over 1 s" : "";
    w.rate = i % 2 == 0 ? std::optional(kNan) : std::nullopt;
    w.means.worst = i % 3 == 0 ? std::optional(Watts(std::numeric_limits<double>::infinity())) : std::nullopt;
    w.rate_95.reset();
    w.upper_95.reset();
  }
  return out;
}

}  // namespace wattrein::report::samples
