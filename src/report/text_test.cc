#include "report/text.h"

#include <gtest/gtest.h>
#include <algorithm>

#include <cmath>

#include "net/json.h"
#include "report/format.h"
#include "report/json.h"
#include "report/table.h"
#include "report/verdict.h"

namespace wattrein::report {
namespace {

using namespace std::chrono_literals;
using analysis::Limit;
using analysis::Verdict;
using analysis::WindowKind;

analysis::WindowVerdict window(WindowKind kind, Nanos w, Verdict verdict, std::int64_t violating, std::int64_t known) {
  analysis::WindowVerdict v;
  v.means = {.spec = {.kind = kind, .window = w}, .available = verdict != Verdict::not_available, .known = known};
  if (!v.means.available) v.means.reason = "shorter than the sample period of 1 s";
  v.verdict = verdict;
  v.violating = violating;
  if (known > 0) {
    v.rate = static_cast<double>(violating) / static_cast<double>(known);
    v.means.worst = Watts(violating > 0 ? 450.0 : 390.0);
  }
  if (known > 0 && violating == 0) v.upper_95 = std::min(1.0, 3.0 / static_cast<double>(known));
  return v;
}

analysis::Subject device(std::string name, const Limit& limit, bool violated) {
  analysis::Subject s;
  s.name = std::move(name);
  s.sampling = {.samples = 100, .known = 100, .span = 100s, .known_time = 100s, .coverage = 1.0, .period = 1s};
  s.power = {.mean = Watts(300), .tmean = Watts(300.04), .min = Watts(90), .max = Watts(violated ? 450 : 390)};
  s.energy.integral = Joules(30004);
  analysis::LimitResult r;
  r.limit = limit;
  r.violated = violated;
  r.windows = {
      window(WindowKind::samples, 0s, violated ? Verdict::violated : Verdict::compliant, violated ? 7 : 0, 100),
      window(WindowKind::block, 500ms, Verdict::not_available, 0, 0),
      window(WindowKind::sliding, 500ms, Verdict::not_available, 0, 0),
      window(WindowKind::block, 30s, Verdict::compliant, 0, 3),
      window(WindowKind::sliding, 30s, violated ? Verdict::violated : Verdict::compliant, violated ? 2 : 0, 71)};
  if (violated) {
    r.excursions.list = {{.start = 10s, .duration = 2s, .peak = Watts(450), .overshoot = Joules(60)},
                         {.start = 50s, .duration = 5s, .peak = Watts(420), .overshoot = Joules(90), .plateau = true}};
    r.excursions.plateaus = r.excursions.transients = 1;
    r.excursions.time_above = 7s;
    r.excursions.longest = 5s;
    r.excursions.overshoot = Joules(150);
  }
  s.limits = {r};
  return s;
}

struct Case {
  trace::Trace trace;
  analysis::Analysis analysis;
};

Case two_devices() {
  Case c;
  c.trace.source = "power.csv";
  c.trace.start_unix_ns = 1753575747858000000;  // 2025-07-27 00:22:27.858 UTC
  c.trace.understanding.format = "nvidia-smi";
  c.trace.understanding.rows = 200;
  c.trace.series.resize(2);
  const Limit limit{.power = Watts(400), .scope = Limit::Scope::each_device, .window = std::nullopt, .origin = "given"};
  c.analysis.limits = {limit};
  c.analysis.devices = {device("0", limit, true), device("1", limit, false)};
  return c;
}

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    longest = std::max(longest, end - at);
    at = end + 1;
  }
  return longest;
}

TEST(Format, FiguresForPeople) {
  EXPECT_EQ(watts(Watts(1145.196)), "1145.2 W");
  EXPECT_EQ(watts(Watts(3.567)), "3.57 W");
  EXPECT_EQ(watts(std::nullopt), "unknown");
  EXPECT_EQ(energy(Joules(798333.4)), "798.3 kJ");
  EXPECT_EQ(energy(Joules(6.4e6)), "1.778 kWh");
  EXPECT_EQ(percent(0.0333), "3.33 %");
  EXPECT_EQ(percent(0.0), "0 %");
  EXPECT_EQ(percent(1.0), "100 %");
  EXPECT_EQ(percent(0.00001234), "0.00123 %");
}

TEST(Format, SaysWhoWhenAndForHowLong) {
  const Case c = two_devices();
  const std::string sentence = verdict_sentence(c.trace, c.analysis, c.analysis.limits[0]);
  EXPECT_EQ(
      sentence,
      "400 W, each device: VIOLATED by 1 of 2 devices; most by device 0: for 7 s in 2 excursions, the longest 5 s, "
      "the first at 00:22:37.858; at 30 s: 2 of 71 sliding windows.");
}

TEST(Format, DoesNotCallAnUndecidedLimitHeld) {
  Case c = two_devices();
  c.analysis.devices[0] = device("0", c.analysis.limits[0], false);
  EXPECT_NE(verdict_sentence(c.trace, c.analysis, c.analysis.limits[0]).find("held"), std::string::npos);
  c.analysis.devices[1].limits[0].undecided = true;
  c.analysis.devices[1].limits[0].windows[0].verdict = Verdict::unknown;
  const std::string sentence = verdict_sentence(c.trace, c.analysis, c.analysis.limits[0]);
  EXPECT_NE(sentence.find("not shown to be held"), std::string::npos) << sentence;
  EXPECT_NE(sentence.find("device 1: unknown"), std::string::npos) << sentence;
}

TEST(Text, FitsEightyColumnsAndNamesEveryVerdict) {
  const Case c = two_devices();
  const std::string text = analysis_text(c.trace, c.analysis);
  EXPECT_LE(longest_line(text), 80u) << text;
  EXPECT_NE(text.find("violated, sliding"), std::string::npos) << "blocks held, a sliding window did not\n" << text;
  EXPECT_NE(text.find("not available: 500 ms (shorter than the sample period of 1 s)"), std::string::npos) << text;
  EXPECT_NE(text.find("plateau"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

TEST(Text, SaysWhatAtMostMeansOnce) {
  const std::string text = [] {
    Case c = two_devices();
    c.analysis.limits.push_back(c.analysis.limits[0]);
    return analysis_text(c.trace, c.analysis);
  }();
  const std::size_t at = text.find("at most: none was above");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_EQ(text.find("at most: none was above", at + 1), std::string::npos);
}

TEST(Text, AJoinedTraceNamesItsFilesAndMarksADoubtfulSum) {
  Case c = two_devices();
  c.trace.understanding.parts = {{"a.csv", "nvidia-smi, 1 device"}, {"b.csv", "nvidia-smi, 1 device"}};
  c.trace.understanding.warnings = {"a.csv and b.csv hold the same 100 readings: a sum counts them twice."};
  const Limit limit{.power = Watts(800), .scope = Limit::Scope::sum, .window = std::nullopt, .origin = "given"};
  c.analysis.limits = {limit};
  c.analysis.sum = device("sum", limit, false);
  c.analysis.sum->is_sum = true;
  const std::string text = analysis_text(c.trace, c.analysis);
  EXPECT_NE(text.find("file      a.csv: nvidia-smi, 1 device"), std::string::npos) << text;
  EXPECT_NE(text.find("WARNING   a.csv and b.csv hold the same 100 readings"), std::string::npos) << text;
  EXPECT_NE(text.find("! the sum is in doubt"), std::string::npos) << text;
  EXPECT_NE(verdict_sentence(c.trace, c.analysis, limit).find("The sum is in doubt"), std::string::npos);
  EXPECT_LE(longest_line(text), 80u) << text;
}

TEST(Text, CallsProposalsProposals) {
  Case c = two_devices();
  c.analysis.limits_proposed = true;
  const std::string text = analysis_text(c.trace, c.analysis);
  EXPECT_NE(text.find("proposal"), std::string::npos);
  EXPECT_EQ(text.find("VIOLATED"), std::string::npos) << "nobody promised to keep it";
}

TEST(Text, SnapshotHasNoEnergy) {
  Case c = two_devices();
  c.analysis.snapshot = true;
  for (analysis::Subject& s : c.analysis.devices) {
    s.sampling = {.samples = 1, .known = 1};
    s.energy = {};
    s.limits.clear();
  }
  c.analysis.limits.clear();
  const std::string text = analysis_text(c.trace, c.analysis);
  EXPECT_NE(text.find("unknown"), std::string::npos);
  EXPECT_EQ(text.find("kJ"), std::string::npos);
}

TEST(Json, UnknownIsNullAndUnitsStandInNames) {
  Case c = two_devices();
  c.analysis.devices[1].power.p95 = std::nullopt;
  const AnalysedTrace view{c.trace, c.analysis};
  const auto json = net::parse_json(analysis_json({&view, 1}, "0.1.0"), "test");
  ASSERT_TRUE(json);
  const net::Json& file = json->find("files")->array()->front();
  EXPECT_EQ(*file.find("evidence")->string(), "measured-replay");
  EXPECT_TRUE(file.find("sum")->is_null());
  const net::Json& second = (*file.find("devices")->array())[1];
  EXPECT_TRUE(second.find("power")->find("p95_w")->is_null());
  const net::Json& limit = second.find("limits")->array()->front();
  EXPECT_EQ(*limit.find("outcome")->string(), "compliant");
}

TEST(Table, AlignsAndTrims) {
  TextTable table({{"name", TextTable::Align::left}, {"W"}});
  table.row({"a", "10.5"});
  table.row({"long name"});
  EXPECT_EQ(table.text(2), "  name          W\n  a          10.5\n  long name\n");
}

TEST(Table, WrapsAtBlanks) {
  EXPECT_EQ(wrap("one two three", "> ", 9), "> one two\n  three\n");
  EXPECT_EQ(wrap("", "x "), "x \n");
}

}  // namespace
}  // namespace wattrein::report
