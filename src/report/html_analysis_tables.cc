// How the file was read, energy and power, phases, correlation, sampling.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/chart_svg.h"
#include "report/format.h"
#include "report/html_analysis.h"
#include "report/html_format.h"
#include "report/html_page.h"
#include "report/html_verdict.h"

namespace wattrein::report::html {

using analysis::Analysis;
using analysis::Subject;

namespace {

constexpr std::size_t kMatrixDevices = 16;

std::string meters(const Analysis& analysis) {
  std::map<std::string, std::int64_t> kinds;
  for (const Subject& s : analysis.devices) ++kinds[std::string(trace::name(s.meter))];
  std::string out;
  for (const auto& [kind, n] : kinds) {
    if (!out.empty()) out += ", ";
    out += kind == "unknown" ? unknown() : escape(kind);
    if (kinds.size() > 1) out += fmt::format(" ({})", plural(n, "device"));
  }
  return out;
}

std::string models(const trace::Trace& trace) {
  std::map<std::string, std::int64_t> models;
  for (const trace::Series& s : trace.series) {
    if (!s.device.model.empty()) ++models[s.device.model];
  }
  std::string out;
  for (const auto& [model, n] : models) out += (out.empty() ? "" : ", ") + fmt::format("{} × {}", n, name(model));
  return out;
}

std::string rows_text(const trace::Understanding& u) {
  std::string out = plural(u.rows, "row") + " read, " + number(u.damaged) + " damaged";
  if (u.unknown_power > 0) out += fmt::format(", {} with unknown power", number(u.unknown_power));
  if (u.repeated_headers > 0) out += ", " + plural(u.repeated_headers, "repeated header");
  if (u.other_lines > 0) out += ", " + plural(u.other_lines, "other line");
  if (!u.first_damaged.empty()) {
    out += "<ul>";
    for (const trace::Damage& d : u.first_damaged)
      out += fmt::format("<li>{}: {}</li>", name(d.where), escape(d.reason));
    out += "</ul>";
  }
  return out;
}

std::string device_count(const FileView& file) {
  std::string out = number(static_cast<std::int64_t>(file.analysis.devices.size()));
  if (!file.trace.understanding.devices.empty()) out += ", told apart by " + escape(file.trace.understanding.devices);
  return out;
}

std::string energy_table(const FileView& file, const std::vector<const Subject*>& subjects) {
  const EnergyUnit unit = energy_unit(file.analysis);
  const auto figure = [&](std::optional<Joules> e, std::string_view missing) {
    return e ? significant(e->value() / unit.joules, 5) : word(missing);
  };
  Table table("Energy, two ways", {{"Of", true},
                                   {fmt::format("Integral of power ({})", unit.name)},
                                   {fmt::format("Device counter ({})", unit.name)},
                                   {"Counter resets"},
                                   {"Integral against counter"},
                                   {"Mark", true}});
  for (const Subject* s : subjects) {
    const analysis::Energy& e = s->energy;
    table.row({subject_name(*s, file.analysis), figure(e.integral, "unknown"), figure(e.counter, "not available"),
               e.counter ? number(e.counter_resets) : "", e.disagreement ? percent_signed(*e.disagreement) : "",
               e.marked ? chip("bad", "differs by more than 5 %") : ""});
  }
  return table.html();
}

const trace::Series* series_of(const trace::Trace& trace, const Subject& subject) {
  const auto it = std::ranges::find_if(trace.series, [&](const auto& s) { return s.device.name == subject.name; });
  return it == trace.series.end() ? nullptr : &*it;
}

std::string spark_of(const FileView& file, const Subject& subject) {
  constexpr std::size_t kBuckets = 60;
  const std::optional<double> limit =
      subject.limits.empty() ? std::nullopt : std::optional(subject.limits.front().limit.power.value());
  if (subject.is_sum) {
    const auto sum = trace::sum_of(file.trace, file.hold);
    return sum ? chart::sparkline(envelope(sum->steps(), kBuckets), limit) : "";
  }
  const trace::Series* series = series_of(file.trace, subject);
  return series == nullptr ? "" : chart::sparkline(envelope(trace::steps_of(*series, file.hold), kBuckets), limit);
}

std::string power_table(const FileView& file, const std::vector<const Subject*>& subjects) {
  const bool average =
      std::ranges::any_of(subjects, [](const Subject* s) { return s->power.average_meter_mean.has_value(); });
  std::vector<Table::Column> columns{{"Of", true}};
  if (!file.analysis.snapshot) columns.push_back({"Course", true});
  for (const auto* header : {"Mean over time (W)", "Mean of samples (W)", "Lowest (W)", "Median (W)",
                             "95th percentile (W)", "99th percentile (W)", "Highest (W)"}) {
    columns.push_back({header});
  }
  if (average) columns.push_back({"Mean of the meter's own average (W)"});
  Table table("Power", columns);
  for (const Subject* s : subjects) {
    const analysis::PowerStats& p = s->power;
    std::vector<std::string> cells{subject_name(*s, file.analysis)};
    if (!file.analysis.snapshot) cells.push_back(spark_of(file, *s));
    for (const auto& w : {p.tmean, p.mean, p.min, p.p50, p.p95, p.p99, p.max}) cells.push_back(watts(w));
    if (average) cells.push_back(p.average_meter_mean ? watts(p.average_meter_mean) : word("not available"));
    table.row(cells);
  }
  return table.html();
}

std::string r_cell(std::optional<double> r) { return r ? number(*r, 2) : word("n/a"); }

std::string matrix(const FileView& file) {
  const auto& series = file.trace.series;
  std::vector<std::vector<std::optional<double>>> r(series.size(), std::vector<std::optional<double>>(series.size()));
  for (const analysis::PairCorrelation& pair : file.analysis.correlation.pairs) {
    if (pair.a >= series.size() || pair.b >= series.size()) continue;
    r[pair.a][pair.b] = r[pair.b][pair.a] = pair.r;
  }
  std::vector<Table::Column> columns{{"", true}};
  for (const trace::Series& s : series) columns.push_back({name(s.device.name)});
  Table table("Correlation of power between devices (Pearson's r)", columns);
  for (std::size_t a = 0; a < series.size(); ++a) {
    std::vector<std::string> cells{name(series[a].device.name)};
    for (std::size_t b = 0; b < series.size(); ++b) cells.push_back(a == b ? "1" : r_cell(r[a][b]));
    table.row(cells);
  }
  return table.html();
}

}  // namespace

std::string understanding_section(const FileView& file) {
  const trace::Understanding& u = file.trace.understanding;
  const auto text = [](std::string_view s) { return s.empty() ? unknown() : escape(s); };
  Nanos shortest(0), longest(0), span(0);
  for (const Subject& s : file.analysis.devices) {
    const Nanos p = s.sampling.period;
    if (p.count() > 0) shortest = shortest.count() == 0 ? p : std::min(shortest, p);
    longest = std::max(longest, p);
    span = std::max(span, s.sampling.span);
  }
  std::string period = longest.count() == 0 ? unknown() : duration(longest);
  if (shortest != longest) period = duration(shortest) + " to " + duration(longest);
  std::string start;
  if (file.trace.start_unix_ns) {
    start =
        escape(format_unix_ns(*file.trace.start_unix_ns)) + (file.trace.start_has_zone ? " UTC" : " (zone not stated)");
  }
  std::string out = "<h3>How the file was understood</h3>\n";
  out += facts({{"Format", text(u.format)},
                {"Power taken from", text(u.power)},
                {"Clock", text(u.clock)},
                {"First sample", start},
                {"Devices", device_count(file)},
                {"Models", models(file.trace)},
                {"Meter", meters(file.analysis)},
                {"Sample period", period},
                {"Length", file.analysis.snapshot ? word("snapshot") : duration(span)},
                {"Rows", rows_text(u)}});
  if (!u.parts.empty()) {
    std::vector<std::string> files;
    for (const trace::FilePart& part : u.parts) files.push_back(part.source + ": " + part.read_as);
    out += "<p>Joined from these files:</p>\n" + list(files);
  }
  if (!u.notes.empty()) out += list(u.notes);
  return out;
}

std::string energy_section(const FileView& file) {
  const auto subjects = subjects_in_order(file.analysis);
  if (subjects.empty()) return "";
  return "<h3>Power and energy</h3>\n" + power_table(file, subjects) + energy_table(file, subjects);
}

std::string sampling_section(const FileView& file) {
  if (file.analysis.devices.empty()) return "";
  Table table("Sampling quality", {{"Of", true},
                                   {"Meter", true},
                                   {"Samples"},
                                   {"Known"},
                                   {"Coverage"},
                                   {"Period"},
                                   {"Jitter"},
                                   {"Longest gap"},
                                   {"Holes"},
                                   {"Repeated values"},
                                   {"Equal stamps"},
                                   {"Backward stamps"}});
  for (const Subject* subject : subjects_in_order(file.analysis)) {
    const analysis::Sampling& q = subject->sampling;
    const auto time = [&](Nanos t) { return file.analysis.snapshot ? unknown() : duration(t); };
    table.row({subject_name(*subject, file.analysis),
               subject->meter == trace::MeterKind::unknown ? unknown() : escape(trace::name(subject->meter)),
               number(q.samples), number(q.known), file.analysis.snapshot ? unknown() : percent(q.coverage),
               time(q.period), time(q.jitter), time(q.longest_gap), number(q.holes), percent(q.repeated),
               number(q.duplicate_stamps), number(q.backward_stamps)});
  }
  return "<h3>Sampling</h3>\n" + table.html();
}

std::string phases_section(const FileView& file) {
  Table table("Phases", {{"Of", true},
                         {"Phase", true},
                         {"Mean (W)"},
                         {"Spread, sd (W)"},
                         {"Time"},
                         {"Share of known time"},
                         {"Stretches"}});
  bool labels = false;
  for (const Subject* subject : subjects_in_order(file.analysis)) {
    labels = labels || subject->phases.from_labels;
    for (const analysis::PhaseLevel& level : subject->phases.levels) {
      table.row({subject_name(*subject, file.analysis), name(level.name), watts(level.mean.value()),
                 watts(level.sd.value()), duration(level.time), percent(level.share), number(level.visits)});
    }
  }
  if (table.empty()) return "";
  return std::string("<h3>Phases</h3>\n<p class=\"hint\">") +
         (labels ? "From the labels in the file." : "Found from power alone: levels of power, not meanings.") +
         "</p>\n<details" + (subjects_in_order(file.analysis).size() <= 4 ? " open" : "") +
         "><summary>Levels by device</summary>\n" + table.html() + "</details>\n";
}

std::string correlation_section(const FileView& file) {
  const analysis::Correlation& c = file.analysis.correlation;
  if (c.pairs.empty()) return "";
  std::string out = "<h3>Correlation between devices</h3>\n<p>";
  if (c.mean && c.min && c.max) {
    out += fmt::format("Over {}: mean {}, from {} to {}", plural(static_cast<std::int64_t>(c.pairs.size()), "pair"),
                       number(*c.mean, 2), number(*c.min, 2), number(*c.max, 2));
  } else {
    out += "Correlation is " + unknown() + ": too little is shared, or a device does not vary";
  }
  if (c.devices < file.trace.series.size()) out += fmt::format(", of {} devices taken evenly", c.devices);
  out += c.within_phase ? ", within phases (each phase's own mean taken out).</p>\n" : ", over all of the time.</p>\n";
  if (file.trace.series.size() <= kMatrixDevices && c.mean) out += matrix(file);
  return out;
}

}  // namespace wattrein::report::html
