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
  EXPECT_EQ(sentence,
            "400 W, each device: VIOLATED by 1 of 2 devices: device 0 for 7 s in 2 excursions, the longest 5 s, "
            "the first at 00:22:37.858; at 30 s: 2 of 71 sliding windows.");
}

TEST(Format, TheFirstIsTheEarliestOfAllDevicesAndNotTheWorstOnes) {
  Case c = two_devices();
  c.analysis.devices[1] = device("1", c.analysis.limits[0], true);
  auto& other = c.analysis.devices[1].limits[0].excursions;  // earlier, but above for less
  other.list = {{.start = 4s, .duration = 1s, .peak = Watts(401), .overshoot = Joules(1)}};
  other.time_above = other.longest = 1s;
  EXPECT_EQ(verdict_sentence(c.trace, c.analysis, c.analysis.limits[0]),
            "400 W, each device: VIOLATED by 2 of 2 devices, the first at 00:22:31.858 on device 1; most by device 0: "
            "for 7 s in 2 excursions, the longest 5 s; at 30 s: 2 of 71 sliding windows.");
}

TEST(Format, TheFirstWindowIsTheEarliestOfAllDevices) {
  const Limit limit{.power = Watts(400), .scope = Limit::Scope::each_device, .window = 30s, .origin = "given"};
  Case c = two_devices();
  c.analysis.limits = {limit};
  c.analysis.devices = {device("0", limit, true), device("1", limit, true)};
  const auto over = [](analysis::Subject& s, Nanos first, Nanos time) {
    analysis::WindowVerdict& w = s.limits[0].windows[4];
    w.first_over = first;
    w.time_over = time;
  };
  over(c.analysis.devices[0], 20s, 40s);
  over(c.analysis.devices[1], 10s, 31s);
  const std::string sentence = verdict_sentence(c.trace, c.analysis, limit);
  EXPECT_NE(sentence.find("VIOLATED by 2 of 2 devices, the first from 00:22:37.858 on device 1; most by device 0: in "),
            std::string::npos)
      << sentence;
}

/// A limit on 30-s means of a log that has none: 20 s long, all of its readings above.
analysis::Subject too_short(std::string name, const Limit& limit) {
  analysis::Subject s = device(std::move(name), limit, false);
  s.sampling = {.samples = 20, .known = 20, .span = 20s, .known_time = 20s, .coverage = 1.0, .period = 1s};
  s.limits[0].undecided = true;
  s.limits[0].windows = {window(WindowKind::samples, 0s, Verdict::violated, 20, 20),
                         window(WindowKind::block, *limit.window, Verdict::not_available, 0, 0),
                         window(WindowKind::sliding, *limit.window, Verdict::not_available, 0, 0)};
  return s;
}

TEST(Format, WhatNoWindowShowsCannotBeToldAndIsNotCalledUnviolated) {
  Case c = two_devices();
  Limit limit{.power = Watts(400), .scope = Limit::Scope::each_device, .window = 30s, .origin = "given"};
  c.analysis.limits = {limit};
  c.analysis.devices = {too_short("0", limit), too_short("1", limit)};
  EXPECT_EQ(
      verdict_sentence(c.trace, c.analysis, limit),
      "400 W, each device, mean over 30 s: cannot be told for 2 of 2 devices: the log has no whole 30 s window: it "
      "is 20 s long; 40 of 40 readings were above it, but single readings do not decide a limit on means.");
  limit.window = 500ms;
  c.analysis.limits = {limit};
  c.analysis.devices = {too_short("0", limit)};
  EXPECT_EQ(verdict_sentence(c.trace, c.analysis, limit),
            "400 W, each device, mean over 500 ms: cannot be told: readings are 1 s apart, so a mean over 500 ms is "
            "unknown; 20 of 20 readings were above it, but single readings do not decide a limit on means.");
  analysis::Subject& s = c.analysis.devices[0];
  s.sampling = {.samples = 1, .known = 1};
  s.limits[0].windows[0] = window(WindowKind::samples, 0s, Verdict::violated, 1, 1);
  EXPECT_EQ(verdict_sentence(c.trace, c.analysis, limit),
            "400 W, each device, mean over 500 ms: cannot be told: one reading makes no 500 ms window; 1 of 1 reading "
            "was above it, but single readings do not decide a limit on means.");
}

TEST(Format, SaysThatLongerWindowsShowAViolation) {
  Case c = two_devices();
  const Limit limit{.power = Watts(400), .scope = Limit::Scope::each_device, .window = 500ms, .origin = "given"};
  c.analysis.limits = {limit};
  c.analysis.devices = {too_short("0", limit)};
  analysis::LimitResult& r = c.analysis.devices[0].limits[0];
  r.undecided = false;
  r.violated = true;
  r.seen_at = 5s;
  r.windows.push_back(window(WindowKind::block, 5s, Verdict::violated, 2, 4));
  r.windows.push_back(window(WindowKind::sliding, 5s, Verdict::violated, 7, 15));
  r.windows.back().stretches = 2;
  r.windows.back().time_over = 11s;
  EXPECT_EQ(verdict_sentence(c.trace, c.analysis, limit),
            "400 W, each device, mean over 500 ms: VIOLATED by device 0, as means over 5 s show, which hold means over "
            "500 ms above it (readings are 1 s apart): in 2 of 4 blocks and in 7 of 15 sliding windows, the worst "
            "(450.0 W) from 00:22:27.858; such windows cover 11 s in 2 stretches.");
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

std::string flat(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n') {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

TEST(Text, EveryTableSaysWhatStandsInItsColumnOfIntervals) {
  Case c = two_devices();
  c.analysis.devices[0].limits[0].windows[0].note = "fewer than ten blocks of 2 min 50 s: no interval";
  // Three windows of 30 s, none above: at most 100 %, of three or fewer.
  const std::string one = flat(analysis_text(c.trace, c.analysis));
  EXPECT_NE(one.find("at most: none of those counted was above; n independent windows allow a share of 3/n, and n is 3 "
                     "or fewer (30 s)"),
            std::string::npos)
      << one;
  EXPECT_NE(one.find("no interval: fewer than ten blocks of 2 min 50 s "), std::string::npos) << one;

  auto& thirty = c.analysis.devices[0].limits[0].windows[3];
  thirty.upper_95.reset();
  thirty.note = "fewer than ten blocks of 9 min: no interval";
  const std::string both = flat(analysis_text(c.trace, c.analysis));
  EXPECT_NE(both.find("no interval: fewer than ten blocks of 2 min 50 s (samples), of 9 min (30 s) "),
            std::string::npos)
      << both;

  const Limit limit{.power = Watts(800), .scope = Limit::Scope::sum, .window = std::nullopt, .origin = "given"};
  c.analysis.limits.push_back(limit);
  c.analysis.sum = device("sum", limit, false);
  c.analysis.sum->is_sum = true;
  const std::string two = flat(analysis_text(c.trace, c.analysis));
  const std::size_t sum = two.find("limit 800 W, sum of devices");
  ASSERT_NE(sum, std::string::npos);
  EXPECT_NE(two.find("and n is 100 (samples), 3 or fewer (30 s)", sum), std::string::npos) << two;
}

TEST(Text, CountsOneAsOne) {
  Case c = two_devices();
  auto& e = c.analysis.devices[0].limits[0].excursions;
  e.list.resize(1);
  e.plateaus = 0;
  e.transients = 1;
  c.analysis.devices[0].sampling.holes = 1;
  const std::string text = flat(analysis_text(c.trace, c.analysis));
  EXPECT_NE(text.find("1 excursion above it (0 plateaus, 1 transient)"), std::string::npos) << text;
  EXPECT_NE(text.find("1 hole (longest gap"), std::string::npos) << text;
}

TEST(Text, ALimitOnMeansListsItsStretchesAndMarksItsRow) {
  Case c = two_devices();
  Limit& limit = c.analysis.limits[0];
  limit.window = 30s;
  auto& result = c.analysis.devices[0].limits[0];
  for (auto& device : c.analysis.devices) device.limits[0].limit = limit;
  for (auto& w : result.windows) {
    if (w.means.spec.kind != analysis::WindowKind::sliding || w.means.spec.window != 30s) continue;
    w.stretches = 1;
    w.longest = {{.start = 10s, .duration = 35s, .worst = Watts(450)}};
    w.time_over = 35s;
  }
  const std::string text = flat(analysis_text(c.trace, c.analysis));
  EXPECT_NE(text.find("30 s (limit) 0 / 3"), std::string::npos) << text;
  EXPECT_NE(text.find("from 00:22:37.858 +10.0 s 35 s 450.0 W 1 stretch of 30 s windows above it, 35 s in all"),
            std::string::npos)
      << text;
}

TEST(Text, WarningsReachEveryLimit) {
  Case c = two_devices();
  c.trace.understanding.warnings = {"b.csv could not be read: it is missing here."};
  EXPECT_NE(verdict_sentence(c.trace, c.analysis, c.analysis.limits[0]).find("windows. See the warnings."),
            std::string::npos);
  // Of one device, a limit on the sum is its own: no less in doubt.
  const Limit limit{.power = Watts(800), .scope = Limit::Scope::sum, .window = std::nullopt, .origin = "given"};
  c.analysis.limits = {limit};
  c.analysis.devices = {device("0", limit, false)};
  EXPECT_NE(verdict_sentence(c.trace, c.analysis, limit).find("The sum is in doubt: see the warnings."),
            std::string::npos);
  const AnalysedTrace view{c.trace, c.analysis};
  EXPECT_NE(analysis_json({&view, 1}, "0.1.0").find("\"in_doubt\""), std::string::npos);
}

TEST(Text, EnergiesOfATableHaveOneUnit) {
  Case c = two_devices();  // 30 004 J each
  c.analysis.devices[1].energy.integral = Joules(900);
  const std::string text = analysis_text(c.trace, c.analysis);
  EXPECT_NE(text.find("30 kJ"), std::string::npos) << text;
  EXPECT_NE(text.find("0.9 kJ"), std::string::npos) << text;
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
