#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "analysis/analysis.h"
#include "analysis/test_log.h"
#include "base/rng.h"

namespace wattrein::analysis {
namespace {

using namespace std::chrono_literals;

trace::Trace trace_of(std::vector<TestLog> logs) {
  trace::Trace trace;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    trace.series.push_back(std::move(logs[i].series));
    trace.series.back().device.name = std::to_string(i);
  }
  return trace;
}

Limit limit(const char* text) { return *parse_limit(text); }

AnalysisOptions with(const std::vector<const char*>& limits) {
  AnalysisOptions options;
  for (const char* text : limits) options.limits.push_back(limit(text));
  return options;
}

bool noted(const Analysis& a, std::string_view part) {
  return std::ranges::any_of(a.notes, [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

std::string notes(const Analysis& a) {
  std::string all;
  for (const std::string& note : a.notes) all += note + "\n";
  return all;
}

/// 60 s at 90 W but for 2 s at 200 W; mean of any 30 s is at most (2 x 200 + 28 x 90) / 30 = 97.3 W.
TestLog with_a_spike() {
  std::vector<double> power(60, 90.0);
  power[30] = power[31] = 200;
  return TestLog::regular(1, power);
}

TEST(Analyze, JudgesALimitAtItsOwnWindow) {
  const trace::Trace trace = trace_of({with_a_spike()});
  const Analysis a = *analyze(trace, with({"100W", "100W@30s", "195W@2s", "199W@2s"}));
  ASSERT_EQ(a.devices.size(), 1U);
  EXPECT_FALSE(a.sum);
  const auto& results = a.devices[0].limits;
  ASSERT_EQ(results.size(), 4U);
  EXPECT_TRUE(results[0].violated);   // two samples are above
  EXPECT_FALSE(results[1].violated);  // no 30 s are
  EXPECT_FALSE(results[1].undecided);
  EXPECT_TRUE(results[2].violated);
  EXPECT_TRUE(results[3].violated);  // 2 s sit exactly on the spike
  EXPECT_TRUE(a.violated());
  // 2 s is in nobody's ladder but these limits'.
  const auto has_2s = [](const WindowVerdict& v) { return v.means.spec.window == 2s; };
  EXPECT_EQ(std::ranges::count_if(results[0].windows, has_2s), 2);
  EXPECT_FALSE(analyze(trace, with({"100W@30s"}))->violated());
}

TEST(Analyze, OrdersWindowsTheSameWithAndWithoutALimit) {
  AnalysisOptions options = with({"100W"});
  options.extra_windows = {7s, 30s};
  const Analysis a = *analyze(trace_of({with_a_spike()}), options);
  const Subject& device = a.devices[0];
  ASSERT_EQ(device.windows.size(), 1 + 2 * (default_windows().size() + 1));
  ASSERT_EQ(device.windows.size(), device.limits[0].windows.size());
  EXPECT_EQ(device.windows[0].spec.kind, WindowKind::samples);
  for (std::size_t i = 0; i < device.windows.size(); ++i) {
    EXPECT_EQ(device.windows[i].spec.window, device.limits[0].windows[i].means.spec.window);
    EXPECT_EQ(device.windows[i].worst, device.limits[0].windows[i].means.worst);
    if (i > 1) {
      EXPECT_GE(device.windows[i].spec.window, device.windows[i - 1].spec.window);
    }
  }
}

TEST(Analyze, ASumLimitOnOneDeviceIsThatDevicesOwn) {
  const Analysis a = *analyze(trace_of({with_a_spike()}), with({"150W:sum"}));
  ASSERT_EQ(a.devices[0].limits.size(), 1U);
  EXPECT_TRUE(a.violated());
  EXPECT_TRUE(noted(a, "a limit on the sum is a limit on that device")) << notes(a);
}

TEST(Analyze, ALimitInAnotherUnitIsPointedOut) {
  // The highest sample is 200 W: 200 MW is a million times that, 0.2 W a thousandth.
  const Analysis far = *analyze(trace_of({with_a_spike()}), with({"200MW"}));
  EXPECT_TRUE(noted(far, "is 1e+06 times the highest reading (200 W): check its unit")) << notes(far);
  const Analysis low = *analyze(trace_of({with_a_spike()}), with({"200mW"}));
  EXPECT_TRUE(noted(low, "The highest reading (200 W) is 1e+03 times the limit")) << notes(low);
  const Analysis node = *analyze(trace_of({with_a_spike()}), with({"10kW:sum"}));
  EXPECT_FALSE(noted(node, "check its unit")) << notes(node);
}

TEST(Analyze, JudgesDevicesAndTheirSumApart) {
  const Analysis a = *analyze(trace_of({TestLog::regular(1, std::vector<double>(40, 100.0)), with_a_spike()}),
                              with({"150W", "180W:sum", "400W:sum"}));
  ASSERT_EQ(a.devices.size(), 2U);
  ASSERT_TRUE(a.sum);
  EXPECT_TRUE(a.sum->is_sum);
  ASSERT_EQ(a.devices[0].limits.size(), 1U);
  ASSERT_EQ(a.sum->limits.size(), 2U);
  EXPECT_FALSE(a.devices[0].limits[0].violated);
  EXPECT_TRUE(a.devices[1].limits[0].violated);
  EXPECT_TRUE(a.sum->limits[0].violated);
  EXPECT_FALSE(a.sum->limits[1].violated);
  EXPECT_EQ(a.sum->power.max, Watts(300));
  EXPECT_EQ(a.sum->sampling.span, 40s);
  EXPECT_DOUBLE_EQ(a.sum->energy.integral->value(), 40 * 100 + 38 * 90 + 2 * 200);
  EXPECT_TRUE(noted(a, "covers the 40 s that its devices have in common")) << notes(a);
}

TEST(Analyze, ProposesLimitsThatNobodyCanViolate) {
  const Analysis a = *analyze(trace_of({with_a_spike(), with_a_spike()}), {});
  EXPECT_TRUE(a.limits_proposed);
  ASSERT_FALSE(a.limits.empty());
  for (const Limit& l : a.limits) EXPECT_NE(l.origin, "given");
  const auto violated = [](const Subject& s) {
    return std::ranges::any_of(s.limits, [](const LimitResult& r) { return r.violated; });
  };
  EXPECT_TRUE(violated(*a.sum)) << "the 95th percentile is exceeded by the spike";
  EXPECT_FALSE(a.violated());
  EXPECT_TRUE(noted(a, "proposed from the log")) << notes(a);
}

TEST(Analyze, ShowsOneSampleADeviceAsASnapshot) {
  trace::Trace trace = trace_of({TestLog({0}, {68.347}), TestLog({0}, {65.709}), TestLog({0}, {113.611})});
  const Analysis a = *analyze(trace, {});
  EXPECT_TRUE(a.snapshot);
  EXPECT_FALSE(a.violated());
  EXPECT_EQ(a.devices[2].power.max, Watts(113.611));
  EXPECT_EQ(a.devices[2].power.mean, Watts(113.611));
  EXPECT_FALSE(a.devices[2].energy.integral);
  EXPECT_FALSE(a.devices[2].power.tmean);
  ASSERT_TRUE(a.sum);
  EXPECT_NEAR(a.sum->power.mean->value(), 247.667, 1e-9);
  EXPECT_FALSE(a.sum->energy.integral);
  for (const WindowMeans& w : a.sum->windows) {
    if (w.spec.kind != WindowKind::samples) {
      EXPECT_FALSE(w.available);
      EXPECT_EQ(w.reason, "a single sample");
    }
  }
  EXPECT_TRUE(a.devices[0].phases.levels.empty());
  EXPECT_TRUE(noted(a, "snapshot")) << notes(a);

  const Analysis judged = *analyze(trace, with({"100W", "100W@30s", "300W:sum"}));
  EXPECT_TRUE(judged.devices[2].limits[0].violated);
  EXPECT_FALSE(judged.devices[0].limits[0].violated);
  EXPECT_TRUE(judged.devices[0].limits[0].undecided);
  EXPECT_TRUE(judged.devices[2].limits[1].undecided);
  EXPECT_TRUE(judged.sum->limits[0].undecided);

  trace.series[1].power_w[0] = kNotKnown;
  const Analysis partly = *analyze(trace, {});
  EXPECT_FALSE(partly.sum->power.mean) << "unknown where any part is";
  EXPECT_TRUE(noted(partly, "sum is unknown")) << notes(partly);
}

TEST(Analyze, LeavesUndecidedWhatTheLogCannotShow) {
  TestLog averaged = TestLog::regular(0.1, std::vector<double>(600, 90.0));
  averaged.series.device.meter = trace::MeterKind::average_1s;
  const Analysis a = *analyze(trace_of({averaged}), with({"100W", "100W@500ms", "100W@1s", "100W@3h"}));
  const auto& results = a.devices[0].limits;
  EXPECT_TRUE(results[0].undecided);
  EXPECT_TRUE(results[1].undecided);
  EXPECT_FALSE(results[2].undecided);
  EXPECT_TRUE(results[3].undecided);  // longer than the trace
  EXPECT_FALSE(a.violated());
  EXPECT_TRUE(noted(a, "averages over 1 s")) << notes(a);

  TestLog holed = TestLog::regular(1, std::vector<double>(60, 90.0));
  std::fill(holed.series.power_w.begin() + 20, holed.series.power_w.begin() + 40, kNotKnown);
  const Analysis h = *analyze(trace_of({holed}), with({"100W@5s"}));
  EXPECT_TRUE(h.devices[0].limits[0].undecided);
  EXPECT_TRUE(noted(h, "no power (N/A) for 20 s on device 0")) << notes(h);
}

TEST(Analyze, SeesAShortWindowsViolationInALongerOne) {
  // A reading every 2 s: nothing is known of means over 1 s, but 10 s at 200 W hold some above 150 W.
  std::vector<double> power(40, 90.0);
  for (int i = 10; i < 30; ++i) power[static_cast<std::size_t>(i)] = 200;
  const trace::Trace trace = trace_of({TestLog::regular(2, power)});
  const Analysis a = *analyze(trace, with({"150W@1s", "150W@1500ms", "199.5W@1s", "250W@1s"}));
  const auto& results = a.devices[0].limits;
  EXPECT_TRUE(results[0].violated);
  EXPECT_FALSE(results[0].undecided);
  EXPECT_EQ(results[0].seen_at, 5s);
  EXPECT_TRUE(results[1].violated);
  EXPECT_EQ(results[1].seen_at, 30s) << "the first of 5, 10, 30 s that 1.5 s divides";
  EXPECT_TRUE(results[2].violated);
  EXPECT_FALSE(results[3].violated);
  EXPECT_TRUE(results[3].undecided);
  EXPECT_FALSE(results[3].seen_at);
}

TEST(Analyze, GivesNoBoundOnBlocksWhereWindowsBetweenThemAreAbove) {
  // 10 s at 200 W that begin at 25 s: half of two blocks of 10 s, and one whole window.
  std::vector<double> power(100, 90.0);
  for (std::size_t i = 25; i < 35; ++i) power[i] = 200;
  const Analysis a = *analyze(trace_of({TestLog::regular(1, power)}), with({"150W@10s"}));
  for (const WindowVerdict& w : a.devices[0].limits[0].windows) {
    if (w.means.spec.kind != WindowKind::block) continue;
    const bool bounded = w.means.spec.window == 30s || w.means.spec.window == 60s;
    EXPECT_EQ(w.upper_95.has_value(), bounded && w.means.available) << w.means.spec.window.count();
    EXPECT_EQ(w.note.ends_with(kBetweenBlocks), w.means.spec.window == 10s) << w.note;
  }
}

TEST(Analyze, AsksWhatUnknownTimeMayHaveDrawn) {
  // 100 s at 300 W but for 100 s .. 103 s, which say N/A, and one reading of 500 W far from it. A mean over 30 s that
  // holds the three unknown seconds is (27 x 300 + 3 x 500) / 30 = 320 W at most.
  std::vector<double> power(200, 300.0);
  power[100] = power[101] = power[102] = std::nan("");
  power[20] = 500;
  const Analysis a = *analyze(trace_of({TestLog::regular(1, power)}), with({"319W@30s", "321W@30s", "321W@15s"}));
  const auto& results = a.devices[0].limits;
  EXPECT_FALSE(results[0].violated);
  EXPECT_TRUE(results[0].undecided);
  EXPECT_EQ(results[0].missing,
            "power is unknown for 3 s: had it drawn 500.0 W there, its highest reading, means would be above");
  EXPECT_FALSE(results[1].undecided);
  EXPECT_EQ(results[1].if_unknown_drew, Watts(500));
  EXPECT_TRUE(results[2].undecided) << "(12 x 300 + 3 x 500) / 15 = 340";
  const Analysis known = *analyze(trace_of({with_a_spike()}), with({"150W@30s"}));
  EXPECT_FALSE(known.devices[0].limits[0].if_unknown_drew);
}

TEST(Analyze, HoldsNoSumWithoutAFileThatCouldNotBeRead) {
  trace::Trace trace = trace_of({with_a_spike(), with_a_spike()});
  trace.understanding.unread_files = 1;
  const Analysis a = *analyze(trace, with({"250W", "500W:sum", "300W:sum"}));
  EXPECT_FALSE(a.devices[0].limits[0].undecided);
  const auto& sum = a.sum->limits;
  EXPECT_TRUE(sum[0].undecided);
  EXPECT_EQ(sum[0].missing, "the sum is without 1 file that could not be read");
  EXPECT_TRUE(sum[1].violated) << "what is missing only adds to it";
}

TEST(Analyze, LeavesUndecidedWhereRowsCouldNotBeRead) {
  trace::Trace trace = trace_of({TestLog::regular(1, std::vector<double>(60, 90.0))});
  EXPECT_FALSE(analyze(trace, with({"100W"}))->devices[0].limits[0].undecided);
  trace.understanding.damaged = 2;
  const Analysis a = *analyze(trace, with({"100W", "80W"}));
  EXPECT_TRUE(a.devices[0].limits[0].undecided);
  EXPECT_EQ(a.devices[0].limits[0].missing, "2 rows could not be read");
  EXPECT_TRUE(a.devices[0].limits[1].violated);  // what was read is enough for that
  EXPECT_FALSE(a.devices[0].limits[1].undecided);
}

TEST(Analyze, LeavesTheSumUndecidedBeyondTheTimeInCommon) {
  const TestLog whole = TestLog::regular(1, std::vector<double>(600, 90.0));
  const TestLog dies = TestLog::regular(1, std::vector<double>(60, 90.0));
  const Analysis a = *analyze(trace_of({whole, dies}), with({"200W:sum", "100W"}));
  ASSERT_TRUE(a.sum);
  EXPECT_TRUE(a.sum->limits[0].undecided);
  EXPECT_EQ(a.sum->limits[0].missing, "the sum is of the 1 min that its devices have in common, of 10 min");
  EXPECT_FALSE(a.devices[0].limits[0].undecided);
  EXPECT_FALSE(analyze(trace_of({whole, whole}), with({"200W:sum"}))->sum->limits[0].undecided);
}

TEST(Analyze, ExplainsWhatTheDefaultRulesChange) {
  // Samples at 0..9 s and 30..39 s: the reading at 9 s holds to 12 s, so 18 s are unknown.
  std::vector<double> at_s;
  at_s.reserve(20);
  for (int i = 0; i < 10; ++i) at_s.push_back(i);
  for (int i = 30; i < 40; ++i) at_s.push_back(i);
  TestLog log(at_s, std::vector<double>(20, 90.0));
  log.series.duplicate_stamps = 2;
  log.series.backward_stamps = 3;
  const trace::Trace trace = trace_of({log});
  const Analysis a = *analyze(trace, with({"100W@5s"}));
  EXPECT_TRUE(noted(a, "unknown for 18 s on device 0: a reading holds for 3 sample periods at most")) << notes(a);
  EXPECT_TRUE(noted(a, "one sample period (1 s); --last none")) << notes(a);
  EXPECT_TRUE(noted(a, "2 samples of device 0 repeat the stamp before")) << notes(a);
  EXPECT_TRUE(noted(a, "steps back 3 times on device 0")) << notes(a);
  EXPECT_TRUE(a.devices[0].limits[0].undecided);

  AnalysisOptions plain = with({"100W@5s"});
  plain.hold = kPlainHold;
  const Analysis p = *analyze(trace, plain);
  EXPECT_FALSE(noted(p, "holds for")) << notes(p);
  EXPECT_FALSE(noted(p, "--last none")) << notes(p);
  EXPECT_FALSE(p.devices[0].limits[0].undecided);

  log.series.duplicate_stamps = log.series.backward_stamps = 1;
  const Analysis one = *analyze(trace_of({log}), with({"100W@5s"}));
  EXPECT_TRUE(noted(one, "1 sample of device 0 repeats the stamp before")) << notes(one);
  EXPECT_TRUE(noted(one, "steps back once on device 0")) << notes(one);
}

TEST(Analyze, SaysWhichDevicesTheSumIsWithout) {
  const Analysis a = *analyze(trace_of({with_a_spike(), with_a_spike(), TestLog({5}, {70})}), with({"500W:sum"}));
  EXPECT_FALSE(a.snapshot);
  EXPECT_TRUE(noted(a, "The sum is without device 2")) << notes(a);
  EXPECT_TRUE(noted(a, "A single sample of device 2")) << notes(a);
  EXPECT_EQ(a.sum->power.max, Watts(400));
}

TEST(Analyze, SaysThatTheSumLacksThePollThatWasNotEnded) {
  // Six readings a device, one every 2 s; the last poll has only one of the two.
  const Analysis cut = *analyze(trace_of({TestLog::regular(2, std::vector<double>(6, 100.0)),
                                          TestLog::regular(2, std::vector<double>(5, 100.0))}),
                                {});
  EXPECT_TRUE(noted(cut, "The sum covers the 10 s that its devices have in common; the longest of them has 12 s"))
      << notes(cut);
  const Analysis whole = *analyze(trace_of({TestLog::regular(2, std::vector<double>(6, 100.0)),
                                            TestLog::regular(2, std::vector<double>(6, 100.0))}),
                                  {});
  EXPECT_FALSE(noted(whole, "in common")) << notes(whole);
}

TEST(Analyze, ALimitOnASumThatCannotBeIsNotAvailable) {
  const Analysis a =
      *analyze(trace_of({TestLog({0, 1, 2}, {50, 50, 50}), TestLog({100, 101}, {50, 50})}), with({"500W:sum"}));
  ASSERT_TRUE(a.sum);
  ASSERT_EQ(a.sum->limits.size(), 1U);
  EXPECT_TRUE(a.sum->limits[0].undecided);
  EXPECT_FALSE(a.sum->power.mean);
  EXPECT_FALSE(a.sum->energy.integral);
  EXPECT_FALSE(a.violated());
  EXPECT_TRUE(noted(a, "There is no sum")) << notes(a);
}

TEST(Analyze, AddsTheCountersOfTheDevicesInTheSum) {
  TestLog first = TestLog::regular(1, {100, 100, 100});
  TestLog second = TestLog::regular(1, {200, 200, 200});
  first.series.column(trace::Column::energy_j) = {1000, 1100, 1200};
  second.series.column(trace::Column::energy_j) = {500, 750, 1000};
  const Analysis a = *analyze(trace_of({first, second}), with({"500W:sum"}));
  EXPECT_DOUBLE_EQ(a.sum->energy.counter->value(), 700);
  EXPECT_NEAR(*a.sum->energy.disagreement, 600.0 / 700 - 1, 1e-12);
  EXPECT_TRUE(a.sum->energy.marked);
  EXPECT_FALSE(a.devices[0].energy.marked);
  EXPECT_TRUE(noted(a, "device 1 is -20.0 % off its energy counter")) << notes(a);
  second.series.column(trace::Column::energy_j).clear();
  EXPECT_FALSE(analyze(trace_of({first, second}), with({"500W:sum"}))->sum->energy.counter);
}

TEST(Analyze, RefusesOptionsThatCannotApply) {
  const trace::Trace trace = trace_of({with_a_spike()});
  AnalysisOptions clock;
  clock.align = Align::clock;
  const auto no_clock = analyze(trace, clock);
  ASSERT_FALSE(no_clock);
  EXPECT_EQ(no_clock.error().kind, ErrorKind::usage);
  EXPECT_NE(no_clock.error().cure.find("--start"), std::string::npos);
  AnalysisOptions labels;
  labels.phase_source = AnalysisOptions::PhaseSource::labels;
  const auto no_labels = analyze(trace, labels);
  ASSERT_FALSE(no_labels);
  EXPECT_EQ(no_labels.error().kind, ErrorKind::usage);
}

TEST(Analyze, TakesLabelsWhereThereAreAny) {
  trace::Trace trace = trace_of({TestLog::regular(1, {90, 90, 90, 200, 200, 200})});
  trace.phases = {"load", "train"};
  trace.series[0].phase = {0, 0, 0, 1, 1, 1};
  const Analysis a = *analyze(trace, {});
  EXPECT_TRUE(a.devices[0].phases.from_labels);
  ASSERT_EQ(a.devices[0].phases.levels.size(), 2U);
  AnalysisOptions power;
  power.phase_source = AnalysisOptions::PhaseSource::power;
  EXPECT_FALSE(analyze(trace, power)->devices[0].phases.from_labels);
}

TEST(Analyze, SurvivesEmptyAndUnknownSeries) {
  EXPECT_TRUE(analyze(trace_of({TestLog()}), with({"100W"})));
  EXPECT_TRUE(analyze(trace::Trace{}, with({"100W:sum"})));
  const Analysis dark = *analyze(trace_of({TestLog::regular(1, {kNotKnown, kNotKnown, kNotKnown}), with_a_spike()}),
                                 with({"100W@1s", "500W:sum"}));
  EXPECT_TRUE(dark.devices[0].limits[0].undecided);
  EXPECT_FALSE(dark.devices[0].energy.integral);
  EXPECT_TRUE(dark.sum->limits[0].undecided);
  EXPECT_TRUE(noted(dark, "No power at all is known of device 0")) << notes(dark);
}

}  // namespace
}  // namespace wattrein::analysis
