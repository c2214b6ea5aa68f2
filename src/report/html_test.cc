#include "report/html.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "report/embedded.h"
#include "report/html_format.h"
#include "report/html_verdict.h"
#include "report/samples.h"

namespace wattrein::report {
namespace {

const ReportMeta kMeta{.version = "1.2.3", .command_line = "wattrein analyze \"a<b\".csv", .when = "2025-01-01 UTC"};

std::string page_of(const samples::Sample& sample) {
  const std::vector<AnalysedTrace> files{{sample.trace, sample.analysis}};
  return analysis_html(files, kMeta);
}

bool has(std::string_view page, std::string_view text) { return page.find(text) != std::string_view::npos; }

/// The page without what is not ours or not markup: style, scripts, licence.
std::string markup(std::string page) {
  for (const auto& [open, close] : {std::pair("<style>", "</style>"), std::pair("<script", "</script>"),
                                    std::pair("<details class=\"licence\">", "</details>")}) {
    for (std::size_t at = page.find(open); at != std::string::npos; at = page.find(open)) {
      const std::size_t end = page.find(close, at);
      page.erase(at, end + std::string_view(close).size() - at);
    }
  }
  return page;
}

/// What a reader sees: the markup without tags.
std::string text_of(const std::string& page) {
  std::string out;
  bool tag = false;
  for (const char c : markup(page)) {
    if (c == '<') tag = true;
    if (!tag) out += c;
    if (c == '>') tag = false;
  }
  return out;
}

/// The first tag that does not close what is open; empty when all is balanced.
std::string first_unbalanced(const std::string& page) {
  static const std::vector<std::string> kVoid{"meta", "link", "br", "img", "!doctype", "input"};
  std::vector<std::string> open;
  const std::string html = markup(page);
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string::npos) return "an unfinished tag";
    const bool closing = html[at + 1] == '/';
    std::string tag;
    for (std::size_t i = at + (closing ? 2 : 1);
         i < end && !std::isspace(static_cast<unsigned char>(html[i])) && html[i] != '/'; ++i) {
      tag += static_cast<char>(std::tolower(static_cast<unsigned char>(html[i])));
    }
    if (html[end - 1] == '/' || std::ranges::find(kVoid, tag) != kVoid.end()) continue;
    if (!closing) {
      open.push_back(tag);
    } else if (open.empty() || open.back() != tag) {
      return "</" + tag + "> at " + html.substr(at, 80);
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "<" + open.back() + "> stays open";
}

std::vector<std::pair<std::string, std::string>> all_pages() {
  return {
      {"training", page_of(samples::training(3, 800))}, {"single", page_of(samples::training(1, 200))},
      {"proposed", page_of(samples::proposed())},       {"snapshot", page_of(samples::snapshot())},
      {"hostile", page_of(samples::hostile())},         {"unknowns", page_of(samples::unknowns())},
      {"demo", demo_html(samples::demo(), kMeta)},      {"hostile demo", demo_html(samples::hostile_demo(), kMeta)}};
}

TEST(Html, EveryTagIsClosed) {
  for (const auto& [what, page] : all_pages()) EXPECT_EQ(first_unbalanced(page), "") << what;
}

TEST(Html, NoFigureIsNotANumber) {
  for (const auto& [what, page] : all_pages()) {
    const std::string text = text_of(page);
    for (const char* bad : {"nan", "NaN", "inf ", "-inf", "inf\u202f"})
      EXPECT_FALSE(has(text, bad)) << what << ": " << bad;
  }
}

TEST(Html, NothingOutsideIsReferenced) {
  for (const auto& [what, page] : all_pages()) {
    EXPECT_TRUE(has(page, "default-src 'none'")) << what;
    const std::string html = markup(page);
    for (const char* bad : {" src=\"", "url(", "@import", "href=\"http"})
      EXPECT_FALSE(has(html, bad)) << what << ": " << bad;
    EXPECT_FALSE(has(page, "sourceMappingURL=dygraph")) << what;
  }
}

TEST(Html, NamesStayText) {
  for (const std::string& page : {page_of(samples::hostile()), demo_html(samples::hostile_demo(), kMeta)}) {
    EXPECT_FALSE(has(page, "<img")) << "no tag comes from a name";
    EXPECT_FALSE(has(page, "<svg onload"));
    EXPECT_FALSE(has(page, "<!--<script>"));
    EXPECT_TRUE(has(page, "&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;"));
  }
  EXPECT_TRUE(has(page_of(samples::snapshot()), "&quot;a&lt;b&quot;.csv")) << "the command line";
}

TEST(Html, ScriptsRunWithTheNonceOnly) {
  const std::string page = page_of(samples::hostile());
  const std::size_t at = page.find("'nonce-") + 7;
  const std::string nonce = page.substr(at, page.find('\'', at) - at);
  EXPECT_EQ(nonce.size(), 16U);
  EXPECT_FALSE(has(page.substr(0, 700), "script-src 'unsafe-inline'"));
  std::size_t scripts = 0;
  for (std::size_t s = page.find("<script nonce=\"" + nonce); s != std::string::npos;
       s = page.find("<script nonce=\"" + nonce, s + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2U);
  EXPECT_NE(nonce, [] {
    const std::string other = page_of(samples::proposed());
    const std::size_t o = other.find("'nonce-") + 7;
    return other.substr(o, 16);
  }());
}

TEST(Html, EmbeddedFilesCannotEndTheirElement) {
  EXPECT_GT(embedded::dygraph_js().size(), 50'000U);
  EXPECT_TRUE(has(embedded::dygraph_js(), "@license"));
  for (const std::string_view js : {embedded::dygraph_js(), embedded::report_js()}) {
    EXPECT_FALSE(has(js, "</script"));
    EXPECT_FALSE(has(js, "<!--"));
  }
  for (const std::string_view css : {embedded::dygraph_css(), embedded::report_css()})
    EXPECT_FALSE(has(css, "</style"));
  EXPECT_TRUE(has(page_of(samples::snapshot()), "Permission is hereby granted")) << "dygraphs' licence";
}

TEST(Html, EveryVerdictIsAWord) {
  const std::string page = page_of(samples::unknowns());
  for (const auto verdict : {analysis::Verdict::compliant, analysis::Verdict::violated, analysis::Verdict::lower_bound,
                             analysis::Verdict::unknown, analysis::Verdict::not_available}) {
    EXPECT_TRUE(has(page, ">" + std::string(analysis::name(verdict)) + "</span></td>")) << analysis::name(verdict);
  }
}

TEST(Html, AViolationSaysHowLongWhenAndAtThirtySeconds) {
  // By hand: two excursions, the second the longer.
  analysis::Analysis a;
  a.limits = {{.power = Watts(400), .origin = "given"}};
  analysis::Subject s;
  s.name = "3";
  analysis::LimitResult r;
  r.limit = a.limits[0];
  r.violated = true;
  r.excursions.list = {{.start = Nanos(std::chrono::seconds(5)),
                        .duration = Nanos(std::chrono::seconds(2)),
                        .peak = Watts(410),
                        .overshoot = Joules(9)},
                       {.start = Nanos(std::chrono::seconds(151)),
                        .duration = Nanos(std::chrono::milliseconds(6100)),
                        .peak = Watts(420),
                        .overshoot = Joules(50)}};
  r.excursions.time_above = Nanos(std::chrono::milliseconds(8100));
  r.excursions.longest = Nanos(std::chrono::milliseconds(6100));
  analysis::WindowVerdict w;
  w.means.spec = {analysis::WindowKind::block, Nanos(std::chrono::seconds(30))};
  w.means.available = true;
  w.means.known = 23;
  r.windows = {w};
  s.limits = {r};
  a.devices = {s};
  const trace::Trace trace;
  s.sampling.span = Nanos(std::chrono::seconds(690));
  a.devices = {s};
  EXPECT_EQ(
      html::verdict(trace, a, a.limits[0]),
      "<span class=\"chip bad\">violated</span> 400 W, each device: VIOLATED by device <bdi>3</bdi> for 8.1 s in 2 "
      "excursions, the longest 6.1 s, the first at +5.0 s; at 30 s: none of 23 windows.");
  a.devices[0].limits[0].windows[0].violating = 2;
  a.devices[0].limits[0].windows[0].means.unknown = 4;
  EXPECT_TRUE(has(html::verdict(trace, a, a.limits[0]), "at 30 s: 2 of 23 windows (4 more unknown)."));
}

TEST(Html, MomentsAreOnTheClockOfTheLogOrMarkedAsCounted) {
  samples::Sample s = samples::training(1, 200);
  ASSERT_TRUE(s.trace.start_unix_ns);
  const std::string with = page_of(s);
  EXPECT_TRUE(has(with, "\"t0\":" + std::to_string(*s.trace.start_unix_ns / 1'000'000)));
  EXPECT_TRUE(has(with, "Worst from"));
  EXPECT_TRUE(has(with, "on the clock of the log"));
  s.trace.start_unix_ns.reset();
  const std::string without = page_of(s);
  EXPECT_FALSE(has(without, "\"t0\":"));
  EXPECT_TRUE(has(without, "counted from the first sample"));
  EXPECT_TRUE(has(without, ">+00:0"));
  EXPECT_FALSE(has(without, ">00:0")) << "that would read as a time of day";
}

TEST(Html, ADoubtfulSumIsMarked) {
  samples::Sample s = samples::training(2, 200);
  s.trace.understanding.warnings = {"b.csv could not be read: it is missing here."};
  const std::string text = text_of(page_of(s));
  EXPECT_TRUE(has(text, "Warning. b.csv could not be read"));
  EXPECT_TRUE(has(text, "in doubt"));
  EXPECT_TRUE(has(text, "The sum is in doubt: see the warnings."));
}

TEST(Html, EnergiesHaveTheUnitOfTheText) {
  samples::Sample s = samples::training(1, 200);
  s.analysis.devices[0].energy.integral = Joules(40'000);
  s.analysis.devices[0].energy.counter.reset();
  EXPECT_TRUE(has(page_of(s), "Integral of power (kJ)"));
}

TEST(Html, AProposalIsCalledOneAndNotJudged) {
  const std::string page = page_of(samples::proposed());
  const std::string text = text_of(page);
  EXPECT_TRUE(has(text, "Proposed (99th percentile of samples): 388 W, each device: "));
  EXPECT_TRUE(has(text, "No limit was given."));
  EXPECT_FALSE(has(page, "<span class=\"chip bad\">violated</span> Proposed"));
  EXPECT_FALSE(has(text_of(page_of(samples::training(1, 200))), "roposed"));
}

TEST(Html, ASnapshotKnowsNoEnergyAndNoWindows) {
  const std::string page = page_of(samples::snapshot());
  const std::string text = text_of(page);
  EXPECT_TRUE(has(text, "Energy and windows are unknown"));
  EXPECT_TRUE(has(text, "VIOLATED by 2 of 4 devices in their one sample (device 2 at 310.0 W, device 3 at 325.0 W)"));
  EXPECT_FALSE(has(page, "Power by window"));
  EXPECT_FALSE(has(page, "class=\"chart-data\""));
}

TEST(Html, UndecidedSaysWhy) {
  samples::Sample s = samples::unknowns();
  auto& own = s.analysis.devices[0].limits[0].windows[0];
  own.verdict = analysis::Verdict::lower_bound;
  own.means.available = true;
  own.means.unknown = 0;
  own.note = "meter averages over 1 s";
  const std::string text = html::verdict(s.trace, s.analysis, s.analysis.limits[0]);
  EXPECT_TRUE(has(text, "not decided")) << text;
  EXPECT_TRUE(has(text, "395 W, each device: not violated in what is known, but not shown to be held either")) << text;
  EXPECT_TRUE(has(text, "lower bound, meter averages over 1 s)")) << text;
}

TEST(Html, ADemoSaysSimulatedBeforeAnyFigure) {
  const std::string text = text_of(demo_html(samples::demo(), kMeta));
  EXPECT_LT(text.find("simulated"), text.find("17.7"));
  EXPECT_TRUE(has(text, "proxy"));
  EXPECT_TRUE(has(text, "against the best mix of two fixed levels at the same rate"));
  EXPECT_TRUE(has(text, "no mix of two fixed levels reaches so low a rate"));
}

TEST(Html, EightGpusForAnHourStayUnderAMegabyte) { EXPECT_LT(page_of(samples::training(8, 7000)).size(), 1'000'000U); }

TEST(Html, SeveralFilesHaveASectionAndALinkEach) {
  const samples::Sample a = samples::training(2, 200);
  const samples::Sample b = samples::snapshot();
  const std::vector<AnalysedTrace> files{{a.trace, a.analysis}, {b.trace, b.analysis}};
  const std::string page = analysis_html(files, kMeta);
  EXPECT_TRUE(has(page, "<a href=\"#f1\">"));
  EXPECT_TRUE(has(page, "<section id=\"f1\">"));
  EXPECT_EQ(first_unbalanced(page), "");
}

}  // namespace
}  // namespace wattrein::report
