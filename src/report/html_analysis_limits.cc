// Limits: windows, excursions, breaker.

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "report/format.h"
#include "report/html_analysis.h"
#include "report/html_format.h"
#include "report/html_page.h"
#include "report/html_verdict.h"

namespace wattrein::report::html {

using analysis::Analysis;
using analysis::Excursion;
using analysis::Limit;
using analysis::LimitResult;
using analysis::Subject;
using analysis::WindowKind;
using analysis::WindowMeans;
using analysis::WindowVerdict;

namespace {

constexpr std::size_t kMostExcursions = 20;
constexpr std::size_t kMostWindowTables = 12;

struct Judged {
  const Subject* subject = nullptr;
  const LimitResult* result = nullptr;
};

std::vector<Judged> judged(const Analysis& analysis, const Limit& limit) {
  std::vector<Judged> out;
  for (const Subject* s : subjects_of(analysis, limit)) out.push_back({s, result_of(*s, limit)});
  return out;
}

/// A moment: on the clock of the log where it has one, else "+00:02:24" from its first sample.
std::string when(const FileView& file, const Subject& subject, Nanos offset) {
  if (!file.trace.start_unix_ns) return "+" + clock(offset);
  return escape(moment(file.trace, offset, subject.sampling.span));
}

std::string worst_from(const FileView& file, const Subject& subject, const WindowMeans& means) {
  return means.worst ? when(file, subject, means.worst_start) : "";
}

std::string window_label(const WindowMeans& means) {
  if (means.spec.kind == WindowKind::samples) return "samples";
  return escape(exact_duration(means.spec.window)) + " " + escape(analysis::name(means.spec.kind));
}

/// With a mark on the sizes that decide the limit.
std::string window_label(const WindowMeans& means, const Limit& limit) {
  const bool own = limit.window ? means.spec.kind != WindowKind::samples && means.spec.window == *limit.window
                                : means.spec.kind == WindowKind::samples;
  return window_label(means) + (own ? " <b>(limit)</b>" : "");
}

std::string interval_cell(const WindowVerdict& w) {
  if (w.rate_95) return percent(w.rate_95->low) + " to " + percent(w.rate_95->high);
  if (w.upper_95) {
    return fmt::format("at most {}<span class=\"interval\">3/n, n&nbsp;=&nbsp;{}</span>", percent(*w.upper_95),
                       independent_windows(*w.upper_95));
  }
  return w.means.available ? word("no interval") : "";
}

std::string verdict_cell(const WindowVerdict& w) {
  using enum analysis::Verdict;
  const std::string_view kind = w.verdict == violated ? "bad" : w.verdict == compliant ? "good" : "open";
  return chip(kind, analysis::name(w.verdict));
}

std::string note_of(const WindowVerdict& w) {
  if (w.means.available || w.means.reason.empty()) return escape(w.note);
  return escape(w.means.reason) + (w.note.empty() || w.note == w.means.reason ? "" : "; " + escape(w.note));
}

void window_row(Table& table, const FileView& file, const Judged& j, const WindowVerdict& w) {
  const double limit = j.result->limit.power.value();
  const WindowMeans& m = w.means;
  if (!m.available) {
    table.row({window_label(m, j.result->limit), "", "", "", "", "", "", "", verdict_cell(w), note_of(w)}, "faint");
    return;
  }
  table.row({window_label(m, j.result->limit), number(m.known), number(m.unknown),
             m.known > 0 ? number(w.violating) : unknown(), w.rate ? percent(*w.rate) : unknown(), interval_cell(w),
             m.worst ? watts_beside(m.worst->value(), limit) : unknown(), worst_from(file, *j.subject, m),
             verdict_cell(w), note_of(w)});
}

std::string window_table(const FileView& file, const Judged& j) {
  Table table(
      fmt::format("{} against {} by window", subject_text(*j.subject, file.analysis), limit_text(j.result->limit)),
      {{"Window", true},
       {"Known"},
       {"Unknown"},
       {"Above"},
       {"Rate"},
       {"95&nbsp;% of rate"},
       {"Worst mean (W)"},
       {"Worst from"},
       {"Verdict", true},
       {"Note", true, true}});
  for (const WindowVerdict& w : j.result->windows) window_row(table, file, j, w);
  return table.empty() ? "" : table.html();
}

/// Those worth a table of their own when there are too many: the sum, then whoever was above the longest.
std::vector<Judged> shown_windows(const Analysis& analysis, const Limit& limit) {
  std::vector<Judged> all = judged(analysis, limit);
  const std::size_t each =
      std::max<std::size_t>(1, kMostWindowTables / std::max<std::size_t>(1, analysis.limits.size()));
  if (all.size() <= each) return all;
  std::ranges::sort(all, std::ranges::greater(), [](const Judged& j) {
    return std::tuple(j.result->violated, j.result->excursions.time_above, j.subject->name);
  });
  all.resize(each);
  return all;
}

std::string means_table(const FileView& file, const Subject& subject) {
  Table table(fmt::format("{} by window, without a limit", subject_text(subject, file.analysis)),
              {{"Window", true}, {"Known"}, {"Unknown"}, {"Worst mean (W)"}, {"Worst from"}, {"Note", true, true}});
  for (const WindowMeans& m : subject.windows) {
    if (m.available) {
      table.row(
          {window_label(m), number(m.known), number(m.unknown), watts(m.worst), worst_from(file, subject, m), ""});
    } else {
      table.row({window_label(m), "", "", word("not available"), "", escape(m.reason)}, "faint");
    }
  }
  return table.empty() ? "" : table.html();
}

std::string summary_table(const FileView& file, const Limit& limit) {
  Table table(fmt::format("Who was above {}", limit_text(limit)),
              {{limit.scope == Limit::Scope::sum ? "Of" : "Device", true},
               {"Outcome", true},
               {"Excursions"},
               {"Plateaus"},
               {"Transients"},
               {"Time above"},
               {"Longest"},
               {"Overshoot"},
               {"Removable share"}});
  for (const Judged& j : judged(file.analysis, limit)) {
    const analysis::Excursions& e = j.result->excursions;
    const bool any = !e.list.empty();
    table.row({subject_name(*j.subject, file.analysis), outcome_chip(*j.result, file.analysis.limits_proposed),
               number(static_cast<std::int64_t>(e.list.size())), number(e.plateaus), number(e.transients),
               duration(e.time_above), any ? duration(e.longest) : "", escape(energy(e.overshoot)),
               e.removable_share ? percent(*e.removable_share)
               : any             ? unknown()
                                 : ""});
  }
  return table.empty() ? "" : table.html();
}

struct Found {
  const Subject* subject = nullptr;
  const Excursion* excursion = nullptr;
};

std::string excursion_table(const FileView& file, const Limit& limit) {
  std::vector<Found> all;
  for (const Judged& j : judged(file.analysis, limit)) {
    for (const Excursion& e : j.result->excursions.list) all.push_back({j.subject, &e});
  }
  if (all.empty()) return "";
  const std::size_t shown = std::min(all.size(), kMostExcursions);
  std::ranges::partial_sort(
      all, all.begin() + static_cast<std::ptrdiff_t>(shown), std::ranges::greater(),
      [](const Found& f) { return std::pair(f.excursion->duration, f.excursion->overshoot.value()); });
  const bool wall = file.trace.start_unix_ns.has_value();
  std::vector<Table::Column> columns{{"Of", true}, {"Start"},     {"Duration"},
                                     {"Peak (W)"}, {"Overshoot"}, {"Kind", true}};
  if (wall) columns.push_back({file.trace.start_has_zone ? "UTC" : "Clock of the log", true});
  Table table(fmt::format("Longest excursions above {}", limit_text(limit)), columns);
  for (std::size_t i = 0; i < shown; ++i) {
    const Excursion& e = *all[i].excursion;
    std::vector<std::string> cells{subject_name(*all[i].subject, file.analysis),
                                   "+" + clock(e.start),
                                   duration(e.duration),
                                   watts_beside(e.peak.value(), limit.power.value()),
                                   escape(energy(e.overshoot)),
                                   e.plateau ? "plateau" : "transient"};
    if (wall) cells.push_back(escape(format_unix_ns(*file.trace.start_unix_ns + e.start.count())));
    table.row(cells);
  }
  std::string out = table.html();
  if (all.size() > shown) {
    out += fmt::format("<p class=\"hint\">The {} longest of {}; {} shorter ones are not listed.</p>\n", shown,
                       plural(static_cast<std::int64_t>(all.size()), "excursion"),
                       number(static_cast<std::int64_t>(all.size() - shown)));
  }
  return out;
}

/// Of a limit on means: the longest stretches of its sliding windows above it.
std::string stretch_table(const FileView& file, const Limit& limit) {
  if (!limit.window) return "";
  Table table(fmt::format("Longest stretches of sliding windows above {}", limit_text(limit)),
              {{"Of", true}, {"From"}, {"Duration"}, {"Worst mean (W)"}});
  std::int64_t all = 0;
  std::int64_t shown = 0;
  for (const Judged& j : judged(file.analysis, limit)) {
    const WindowVerdict* own = own_windows(*j.result).decisive;
    if (own == nullptr) continue;
    all += own->stretches;
    for (const analysis::Stretch& s : std::span(own->longest).first(std::min(own->longest.size(), kShownStretches))) {
      if (++shown > static_cast<std::int64_t>(kMostExcursions)) continue;
      table.row({subject_name(*j.subject, file.analysis), when(file, *j.subject, s.start), duration(s.duration),
                 watts_beside(s.worst.value(), limit.power.value())});
    }
  }
  if (table.empty()) return "";
  shown = std::min(shown, static_cast<std::int64_t>(kMostExcursions));
  const std::string rest = all > shown
                               ? fmt::format("<p class=\"hint\">{} of {} are listed, at most {} a device.</p>\n",
                                             number(shown), number(all), kShownStretches)
                               : "";
  return table.html() + rest;
}

std::string limit_heading(const FileView& file, const Limit& limit) {
  return fmt::format("<h4>{}{}</h4>\n", file.analysis.limits_proposed ? "Proposed: " : "", limit_name(limit));
}

}  // namespace

std::string windows_section(const FileView& file) {
  if (file.analysis.snapshot) return "";
  std::string out = "<h3>Power by window</h3>\n" + window_charts(file);
  out += fmt::format(
      "<p class=\"hint\">Worst from: when the window with the highest mean begins, {}. 3/n: none was above, and n "
      "independent windows allow that share.</p>\n",
      file.trace.start_unix_ns ? "on the clock of the log" : "counted from the first sample");
  for (const Limit& limit : file.analysis.limits) {
    const auto shown = shown_windows(file.analysis, limit);
    std::string tables;
    for (const Judged& j : shown) {
      const std::string table = window_table(file, j);
      if (table.empty()) continue;
      // The first is open; the others are a click (or a print) away.
      tables += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", tables.empty() ? " open" : "",
                            subject_name(*j.subject, file.analysis), table);
    }
    if (tables.empty()) continue;
    out += limit_heading(file, limit) + tables;
    const std::size_t all = subjects_of(file.analysis, limit).size();
    if (all > shown.size()) {
      out += fmt::format(
          "<p class=\"hint\">The {} of {} devices that exceeded it most; all are in the JSON "
          "output.</p>\n",
          shown.size(), all);
    }
  }
  if (file.analysis.sum && file.analysis.sum->limits.empty()) {
    const std::string table = means_table(file, *file.analysis.sum);
    if (!table.empty()) out += "<details><summary>The sum, without a limit</summary>\n" + table + "</details>\n";
  }
  return out;
}

std::string excursions_section(const FileView& file) {
  if (file.analysis.snapshot || file.analysis.limits.empty()) return "";
  std::string out =
      "<h3>Excursions</h3>\n<p class=\"hint\">An excursion is an unbroken run of samples above the limit. It is a "
      "plateau "
      "where a mean over the infrastructure window (30&nbsp;s unless set otherwise) is above the limit too, else a "
      "transient. The removable share is the part of the overshoot that feedback could take away without lowering the "
      "mean.</p>\n";
  for (const Limit& limit : file.analysis.limits) {
    out += limit_heading(file, limit) + summary_table(file, limit) + stretch_table(file, limit) +
           excursion_table(file, limit);
  }
  return out;
}

std::string breaker_section(const FileView& file) {
  if (file.analysis.snapshot || file.analysis.limits.empty()) return "";
  Table table("Breaker state, were the limit its rating",
              {{"Of", true}, {"Rating (W)"}, {"Highest state"}, {"Tripped", true}, {"Time of unknown power"}});
  const analysis::BreakerParams* params = nullptr;
  for (const Limit& limit : file.analysis.limits) {
    for (const Judged& j : judged(file.analysis, limit)) {
      const analysis::BreakerState& b = j.result->breaker;
      params = &b.params;
      table.row({subject_name(*j.subject, file.analysis), watts(limit.power.value()), number(b.peak, 3),
                 b.tripped ? "yes, at " + when(file, *j.subject, *b.tripped) : "no",
                 b.unknown.count() > 0 ? duration(b.unknown) : "none"});
    }
  }
  if (table.empty() || params == nullptr) return "";
  return fmt::format(
      "<h3>Breaker</h3>\n<p>An assumption, not a measurement: an inverse-time curve (IEC 60255-151, extremely inverse) "
      "t&nbsp;=&nbsp;TMS&nbsp;·&nbsp;k&nbsp;/&nbsp;((P/rating)<sup>α</sup>&nbsp;−&nbsp;1) with "
      "TMS&nbsp;=&nbsp;{}&nbsp;s, "
      "k&nbsp;=&nbsp;{}, α&nbsp;=&nbsp;{}, cooling with a time constant of {}&nbsp;s below the rating. At a state of 1 "
      "it "
      "trips; over unknown power the state is held.</p>\n{}",
      significant(params->tms_s, 3), significant(params->k, 3), significant(params->alpha, 3),
      significant(params->cooling.value(), 3), table.html());
}

}  // namespace wattrein::report::html
