#include "report/json.h"

#include <algorithm>
#include <span>

#include "base/text.h"
#include "net/json.h"
#include "report/format.h"
#include "report/verdict.h"

namespace wattrein::report {

using analysis::Interval;
using analysis::Limit;
using analysis::LimitResult;
using analysis::Subject;
using analysis::WindowMeans;
using analysis::WindowVerdict;
using net::JsonWriter;

namespace {

void optional_number(JsonWriter& json, std::string_view name, std::optional<double> v) {
  json.key(name);
  v ? json.value(*v) : json.null();
}
template <class Tag>
void optional_number(JsonWriter& json, std::string_view name, std::optional<Quantity<Tag>> v) {
  optional_number(json, name, v ? std::optional(v->value()) : std::nullopt);
}
void seconds(JsonWriter& json, std::string_view name, Nanos t) { json.field(name, to_seconds(t).value()); }

void interval(JsonWriter& json, std::string_view name, const std::optional<Interval>& v) {
  json.key(name);
  if (!v) {
    json.null();
    return;
  }
  json.begin_array(true).value(v->low).value(v->high).end_array();
}

void limit(JsonWriter& json, const Limit& l) {
  json.field("text", l.text());
  json.field("power_w", l.power.value());
  json.field("scope", l.scope == Limit::Scope::sum ? "sum" : "each_device");
  optional_number(json, "window_s", l.window ? std::optional(to_seconds(*l.window)) : std::nullopt);
  json.field("origin", l.origin);
}

void window_means(JsonWriter& json, const WindowMeans& w) {
  json.field("kind", analysis::name(w.spec.kind));
  if (w.spec.kind != analysis::WindowKind::samples) seconds(json, "window_s", w.spec.window);
  json.field("available", w.available);
  if (!w.available) json.field("reason", w.reason);
  json.field("known", w.known);
  json.field("unknown", w.unknown);
  optional_number(json, "worst_mean_w", w.worst);
  if (w.worst) seconds(json, "worst_start_s", w.worst_start);
}

void window_verdict(JsonWriter& json, const WindowVerdict& w) {
  json.begin_object();
  window_means(json, w.means);
  json.field("verdict", analysis::name(w.verdict));
  json.field("violating", w.violating);
  optional_number(json, "first_over_s", w.first_over ? std::optional(to_seconds(*w.first_over)) : std::nullopt);
  optional_number(json, "time_over_s", w.time_over ? std::optional(to_seconds(*w.time_over)) : std::nullopt);
  if (!w.longest.empty()) {
    json.field("stretches", w.stretches);
    json.key("longest").begin_array();
    for (const analysis::Stretch& s : std::span(w.longest).first(std::min(w.longest.size(), kShownStretches))) {
      json.begin_object();
      seconds(json, "start_s", s.start);
      seconds(json, "duration_s", s.duration);
      json.field("worst_mean_w", s.worst.value());
      json.end_object();
    }
    json.end_array();
  }
  optional_number(json, "rate", w.rate);
  interval(json, "rate_95", w.rate_95);
  optional_number(json, "rate_upper_95", w.upper_95);
  if (!w.note.empty()) json.field("note", w.note);
  json.end_object();
}

void excursions(JsonWriter& json, const analysis::Excursions& e) {
  json.key("excursions").begin_object();
  json.field("count", e.list.size());
  json.field("plateaus", e.plateaus);
  json.field("transients", e.transients);
  seconds(json, "time_above_s", e.time_above);
  seconds(json, "longest_s", e.longest);
  json.field("overshoot_j", e.overshoot.value());
  optional_number(json, "removable_share", e.removable_share);
  json.key("list").begin_array();
  for (const analysis::Excursion& x : e.list) {
    json.begin_object();
    seconds(json, "start_s", x.start);
    seconds(json, "duration_s", x.duration);
    json.field("peak_w", x.peak.value()).field("overshoot_j", x.overshoot.value());
    json.field("kind", x.plateau ? "plateau" : "transient");
    json.end_object();
  }
  json.end_array().end_object();
}

void breaker(JsonWriter& json, const analysis::BreakerState& b) {
  json.key("breaker").begin_object();
  json.field("assumption", "inverse-time curve, rating = the limit; not a certified curve");
  json.field("tms_s", b.params.tms_s).field("k", b.params.k).field("alpha", b.params.alpha);
  json.field("cooling_s", b.params.cooling.value());
  json.field("peak_state", b.peak);
  optional_number(json, "tripped_s", b.tripped ? std::optional(to_seconds(*b.tripped)) : std::nullopt);
  seconds(json, "unknown_s", b.unknown);
  json.end_object();
}

void limit_result(JsonWriter& json, const LimitResult& r) {
  json.begin_object();
  limit(json, r.limit);
  json.field("outcome", outcome(r));
  json.key("missing");
  r.missing.empty() ? json.null() : json.value(r.missing);
  optional_number(json, "if_unknown_drew_w", r.if_unknown_drew);
  optional_number(json, "seen_at_s", r.seen_at ? std::optional(to_seconds(*r.seen_at)) : std::nullopt);
  json.key("windows").begin_array();
  for (const WindowVerdict& w : r.windows) window_verdict(json, w);
  json.end_array();
  excursions(json, r.excursions);
  breaker(json, r.breaker);
  json.end_object();
}

void sampling(JsonWriter& json, const analysis::Sampling& q) {
  json.key("sampling").begin_object();
  json.field("samples", q.samples).field("known", q.known);
  seconds(json, "span_s", q.span);
  seconds(json, "known_time_s", q.known_time);
  json.field("coverage", q.coverage);
  seconds(json, "period_s", q.period);
  seconds(json, "jitter_s", q.jitter);
  seconds(json, "longest_gap_s", q.longest_gap);
  json.field("holes", q.holes).field("repeated", q.repeated);
  json.field("duplicate_stamps", q.duplicate_stamps).field("backward_stamps", q.backward_stamps);
  json.end_object();
}

void power(JsonWriter& json, const analysis::PowerStats& p) {
  json.key("power").begin_object();
  optional_number(json, "mean_w", p.mean);
  optional_number(json, "tmean_w", p.tmean);
  optional_number(json, "min_w", p.min);
  optional_number(json, "p50_w", p.p50);
  optional_number(json, "p95_w", p.p95);
  optional_number(json, "p99_w", p.p99);
  optional_number(json, "max_w", p.max);
  optional_number(json, "average_meter_mean_w", p.average_meter_mean);
  json.end_object();
}

void energy_fields(JsonWriter& json, const analysis::Energy& e) {
  json.key("energy").begin_object();
  optional_number(json, "integral_j", e.integral);
  optional_number(json, "counter_j", e.counter);
  json.field("counter_resets", e.counter_resets);
  optional_number(json, "disagreement", e.disagreement);
  json.field("marked", e.marked);
  json.end_object();
}

void phases(JsonWriter& json, const analysis::Phases& p) {
  json.key("phases").begin_object();
  json.field("source", p.levels.empty() ? "none" : p.from_labels ? "labels" : "power");
  json.key("levels").begin_array();
  for (const analysis::PhaseLevel& level : p.levels) {
    json.begin_object().field("name", level.name).field("mean_w", level.mean.value()).field("sd_w", level.sd.value());
    seconds(json, "time_s", level.time);
    json.field("share", level.share).field("visits", level.visits).end_object();
  }
  json.end_array().key("stretches").begin_array();
  for (const analysis::PhaseStretch& s : p.stretches) {
    json.begin_array(true)
        .value(to_seconds(s.start).value())
        .value(to_seconds(s.end).value())
        .value(s.level)
        .end_array();
  }
  json.end_array().end_object();
}

void subject(JsonWriter& json, const Subject& s) {
  json.begin_object();
  json.field("name", s.name).field("is_sum", s.is_sum).field("meter", trace::name(s.meter));
  sampling(json, s.sampling);
  power(json, s.power);
  energy_fields(json, s.energy);
  json.key("windows").begin_array();
  for (const WindowMeans& w : s.windows) {
    json.begin_object();
    window_means(json, w);
    json.end_object();
  }
  json.end_array();
  phases(json, s.phases);
  json.key("limits").begin_array();
  for (const LimitResult& r : s.limits) limit_result(json, r);
  json.end_array().end_object();
}

void understanding(JsonWriter& json, const trace::Trace& trace) {
  const trace::Understanding& u = trace.understanding;
  json.key("understanding").begin_object();
  json.field("format", u.format).field("power", u.power).field("clock", u.clock).field("devices", u.devices);
  json.field("rows", u.rows).field("damaged", u.damaged).field("unknown_power", u.unknown_power);
  json.field("repeated_headers", u.repeated_headers).field("other_lines", u.other_lines);
  json.key("first_damaged").begin_array();
  for (const trace::Damage& d : u.first_damaged) {
    json.begin_object().field("where", d.where).field("reason", d.reason).end_object();
  }
  json.end_array().key("notes").begin_array();
  for (const std::string& note : u.notes) json.value(note);
  json.end_array().key("warnings").begin_array();
  for (const std::string& warning : u.warnings) json.value(warning);
  json.end_array().key("files").begin_array();
  for (const trace::FilePart& part : u.parts) {
    json.begin_object().field("source", part.source).field("read_as", part.read_as).end_object();
  }
  json.end_array().end_object();
}

void correlation(JsonWriter& json, const AnalysedTrace& file) {
  const analysis::Correlation& c = file.analysis.correlation;
  json.key("correlation").begin_object();
  json.field("within_phase", c.within_phase);
  json.field("devices", c.devices);
  optional_number(json, "mean", c.mean);
  optional_number(json, "min", c.min);
  optional_number(json, "max", c.max);
  json.key("pairs").begin_array();
  for (const analysis::PairCorrelation& pair : c.pairs) {
    json.begin_object();
    json.field("a", file.trace.series[pair.a].device.name).field("b", file.trace.series[pair.b].device.name);
    optional_number(json, "r", pair.r);
    json.end_object();
  }
  json.end_array().end_object();
}

void analysed_file(JsonWriter& json, const AnalysedTrace& file) {
  const trace::Trace& trace = file.trace;
  const analysis::Analysis& analysis = file.analysis;
  json.begin_object();
  json.field("source", trace.source).field("evidence", trace::name(trace.evidence));
  json.key("workload");
  trace.workload.empty() ? json.null() : json.value(trace.workload);
  json.key("start");
  trace.start_unix_ns ? json.value(format_unix_ns(*trace.start_unix_ns)) : json.null();
  json.field("start_has_zone", trace.start_has_zone);
  understanding(json, trace);
  json.field("snapshot", analysis.snapshot).field("violated", analysis.violated());
  json.field("limits_proposed", analysis.limits_proposed);
  json.key("limits").begin_array();
  for (const Limit& l : analysis.limits) {
    json.begin_object();
    limit(json, l);
    json.field("sentence", verdict_sentence(trace, analysis, l));
    json.field("in_doubt", in_doubt(trace, l));
    json.end_object();
  }
  json.end_array().key("devices").begin_array();
  for (const Subject& s : analysis.devices) subject(json, s);
  json.end_array().key("sum");
  if (analysis.sum) {
    subject(json, *analysis.sum);
  } else {
    json.null();
  }
  correlation(json, file);
  json.key("notes").begin_array();
  for (const std::string& note : analysis.notes) json.value(note);
  json.end_array().end_object();
}

void estimate(JsonWriter& json, std::string_view name, const experiment::Estimate& e) {
  json.key(name).begin_object().field("mean", e.mean);
  interval(json, "interval_95", e.interval_95);
  json.end_object();
}

void strings(JsonWriter& json, std::string_view name, const std::vector<std::string>& list) {
  json.key(name).begin_array();
  for (const std::string& item : list) json.value(item);
  json.end_array();
}

void arm_result(JsonWriter& json, const experiment::ArmResult& arm) {
  json.begin_object().field("name", arm.name).field("description", arm.description);
  json.key("windows").begin_array();
  for (const experiment::WindowRate& w : arm.windows) {
    json.begin_object().field("kind", analysis::name(w.kind));
    seconds(json, "window_s", w.window);
    json.field("known", w.known).field("violating", w.violating);
    estimate(json, "rate", w.rate);
    json.end_object();
  }
  json.end_array();
  estimate(json, "tokens_per_s", arm.tokens_per_s);
  estimate(json, "tokens_vs_uncontrolled", arm.tokens_vs_uncontrolled);
  if (arm.tokens_vs_best_static) {
    estimate(json, "tokens_vs_best_static", *arm.tokens_vs_best_static);
  } else {
    json.key("tokens_vs_best_static").null();
  }
  estimate(json, "mean_power_w", arm.mean_power_w);
  estimate(json, "peak_power_w", arm.peak_power_w);
  estimate(json, "energy_j", arm.energy_j);
  estimate(json, "j_per_token", arm.j_per_token);
  estimate(json, "tokens_per_mwh", arm.tokens_per_mwh);
  estimate(json, "overshoot_j_per_h", arm.overshoot_j_per_h);
  estimate(json, "plateaus_per_h", arm.plateaus_per_h);
  estimate(json, "transients_per_h", arm.transients_per_h);
  estimate(json, "knob_moves_per_h", arm.knob_moves_per_h);
  estimate(json, "mean_level", arm.mean_level);
  optional_number(json, "removable_share", arm.removable_share);
  json.end_object();
}

}  // namespace

std::string analysis_json(std::span<const AnalysedTrace> files, std::string_view version) {
  JsonWriter json;
  json.begin_object().field("wattrein", version).key("files").begin_array();
  for (const AnalysedTrace& file : files) analysed_file(json, file);
  json.end_array().end_object();
  return json.take();
}

std::string demo_json(const experiment::DemoResult& result, std::string_view version) {
  JsonWriter json;
  json.begin_object().field("wattrein", version);
  json.field("evidence", trace::name(result.evidence)).field("workload", result.workload);
  json.field("plant", result.plant).field("knob", result.knob);
  json.key("fitted_from");
  result.fitted_from ? json.value(*result.fitted_from) : json.null();
  json.field("limit_w", result.limit.value()).field("limit", result.limit_text);
  json.field("replications", result.replications);
  seconds(json, "duration_s", result.duration);
  seconds(json, "decision_period_s", result.decision_period);
  json.key("seed").value(static_cast<std::int64_t>(result.seed));
  strings(json, "facts", result.facts);
  strings(json, "notes", result.notes);
  json.key("arms").begin_array();
  for (const experiment::ArmResult& arm : result.arms) arm_result(json, arm);
  json.end_array().end_object();
  return json.take();
}

}  // namespace wattrein::report
