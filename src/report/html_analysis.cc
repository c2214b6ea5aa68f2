#include "report/html_analysis.h"

#include <fmt/format.h>

#include "report/format.h"
#include "report/html_format.h"
#include "report/html_page.h"
#include "report/html_verdict.h"

namespace wattrein::report {

namespace html {

std::vector<const analysis::Subject*> subjects_in_order(const analysis::Analysis& analysis) {
  std::vector<const analysis::Subject*> out;
  if (analysis.sum) out.push_back(&*analysis.sum);
  for (const analysis::Subject& device : analysis.devices) out.push_back(&device);
  return out;
}

namespace {

std::string verdicts(const FileView& file) {
  std::string out = "<ul class=\"verdicts\">\n";
  for (const analysis::Limit& limit : file.analysis.limits) {
    out += "<li>" + verdict(file.trace, file.analysis, limit) + "</li>\n";
  }
  if (file.analysis.limits.empty()) out += "<li>No limit was given, and none could be proposed from the data.</li>\n";
  out += "</ul>\n";
  if (file.analysis.limits_proposed) {
    out +=
        "<p class=\"notice\">No limit was given. The limits here are proposals taken from the data, so that there is "
        "something to read power against; they are nobody's promise. State your own with <code>--limit</code>.</p>\n";
  }
  if (file.analysis.snapshot) {
    out += "<p class=\"notice\">This file is a snapshot, one sample a device. Energy and windows are " + unknown() +
           ".</p>\n";
  }
  return out;
}

std::string file_section(const FileView& file) {
  std::string out = fmt::format("<section id=\"f{}\">\n<h2>{}</h2>\n", file.number, name(file.trace.source));
  out += fmt::format("<p class=\"evidence\">Evidence: <strong>{}</strong> · Workload: <strong>{}</strong></p>\n",
                     escape(trace::name(file.trace.evidence)),
                     file.trace.workload.empty() ? word("not stated") : escape(file.trace.workload));
  for (const std::string& warning : file.trace.understanding.warnings) {
    out += "<p class=\"notice\"><strong>Warning.</strong> " + escape(warning) + "</p>\n";
  }
  out += verdicts(file);
  out += understanding_section(file);
  out += power_section(file);
  out += windows_section(file);
  out += excursions_section(file);
  out += energy_section(file);
  out += phases_section(file);
  out += correlation_section(file);
  out += sampling_section(file);
  out += breaker_section(file);
  if (!file.analysis.notes.empty()) out += "<h3>Notes</h3>\n" + list(file.analysis.notes);
  return out + "</section>\n";
}

std::string contents(std::span<const AnalysedTrace> files) {
  if (files.size() < 2) return "";
  std::string out = "<nav aria-label=\"Files\">\n<ul>\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    out += fmt::format("<li><a href=\"#f{}\">{}</a></li>\n", i, name(files[i].trace.source));
  }
  return out + "</ul>\n</nav>\n";
}

}  // namespace

}  // namespace html

std::string analysis_html(std::span<const AnalysedTrace> files, const ReportMeta& meta) {
  std::string body;
  for (std::size_t i = 0; i < files.size(); ++i) {
    body += html::file_section({files[i].trace, files[i].analysis, i, meta.hold});
  }
  const std::string title = files.size() == 1 ? "Power report: " + files.front().trace.source
                                              : fmt::format("Power report: {} files", files.size());
  return html::page({title, "Power against its limits"}, html::contents(files), body, meta);
}

}  // namespace wattrein::report
