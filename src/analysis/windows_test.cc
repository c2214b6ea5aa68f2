#include "analysis/windows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "analysis/test_log.h"
#include "base/rng.h"

namespace wattrein::analysis {
namespace {

using namespace std::chrono_literals;

constexpr WindowSpec block(Nanos w) { return {WindowKind::block, w}; }
constexpr WindowSpec sliding(Nanos w) { return {WindowKind::sliding, w}; }
constexpr WindowSpec kSamples{WindowKind::samples, Nanos(0)};

/// NaN where there is none, which compares with nothing.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr Interval kNoInterval{.low = kNone, .high = kNone};
double number(const std::optional<double>& value) { return value.value_or(kNone); }
double number(const std::optional<Watts>& value) { return value.value_or(Watts(kNone)).value(); }

TEST(BlockWindows, CountOnlyThoseThatEndInsideTheTrace) {
  const TestLog log = TestLog::regular(1, {100, 200, 300, 400, 500, 600});
  // Last sample without width: the trace ends at 5 s, so [0,2) = 150 and [2,4) = 350 count, [4,6) does not.
  const WindowVerdict plain = judge_windows(log.steps(kPlainHold), block(2s), Watts(150), {});
  EXPECT_EQ(plain.means.known, 2);
  EXPECT_EQ(plain.violating, 1);  // 150 is at the limit, not above it
  EXPECT_EQ(plain.means.worst, Watts(350));
  EXPECT_EQ(plain.means.worst_start, 2s);
  EXPECT_EQ(plain.verdict, Verdict::violated);
  EXPECT_EQ(plain.rate, 0.5);
  // Held for one period, the trace ends at 6 s and [4,6) = 550 counts.
  const WindowVerdict held = judge_windows(log.steps(), block(2s), Watts(150), {});
  EXPECT_EQ(held.means.known, 3);
  EXPECT_EQ(held.violating, 2);
  EXPECT_EQ(held.means.worst, Watts(550));
}

TEST(SlidingWindows, EndAtEachSampleAndAtOneWidthAfterEach) {
  const TestLog log({0, 1, 1.5, 4}, {100, 400, 100, 100});
  // [0,1) 100; [0.5,1.5) 50+200; [1,2) 200+50; [1.5,2.5) 100; [3,4) 100. [0,1) ends at one sample and starts at
  // another: it is one window.
  const WindowVerdict v = judge_windows(log.steps(kPlainHold), sliding(1s), Watts(240), {});
  EXPECT_EQ(v.means.known, 5);
  EXPECT_EQ(v.violating, 2);
  EXPECT_EQ(v.means.worst, Watts(250));
  EXPECT_EQ(v.means.worst_start, 500ms);
  EXPECT_EQ(judge_windows(log.steps(kPlainHold), sliding(1s), Watts(250), {}).violating, 0);
}

TEST(SlidingWindows, EndWithTheTraceToo) {
  // 40 s at 100 W, then 300, 400 and 400 W for 2 s each: [41,46) holds 1 s of 300 W and 4 s of 400 W.
  std::vector<double> power(20, 100.0);
  power.insert(power.end(), {300, 400, 400});
  const WindowVerdict v = judge_windows(TestLog::regular(2, power).steps(), sliding(5s), Watts(370), {});
  EXPECT_EQ(v.verdict, Verdict::violated);
  EXPECT_EQ(v.means.worst, Watts(380));
  EXPECT_EQ(v.means.worst_start, 41s);
}

TEST(SlidingWindows, EndWhereAHoldEndsBeforeAHole) {
  // A reading holds three periods: 400 W from 3 to 6 s, then nothing until 20 s. Of the windows of 5 s, [1,6) has 2 s
  // of 100 W and 3 s of 400 W; those that begin later know more of 400 W and less in all: [2,7) 100 + 3 x 400 in 4 s.
  const TestLog log({0, 1, 2, 3, 20, 21, 22}, {100, 100, 100, 400, 100, 100, 100});
  const WindowVerdict v = judge_windows(log.steps(), sliding(5s), Watts(270), {});
  EXPECT_EQ(v.means.worst, Watts(325));
  EXPECT_EQ(v.violating, 2);
  EXPECT_EQ(v.first_over, 1s);
}

TEST(Windows, SayWhenAndHowLongTheyViolateCountingOverlapOnce) {
  const TestLog log({0, 1, 1.5, 4}, {100, 400, 100, 100});
  // [0.5,1.5) and [1,2) are above 240 W: from 0.5 s on, 1.5 s in either.
  const WindowVerdict slides = judge_windows(log.steps(kPlainHold), sliding(1s), Watts(240), {});
  EXPECT_EQ(slides.first_over, 500ms);
  EXPECT_EQ(slides.time_over, 1500ms);
  // Blocks of 1 s: 100, 250, 100, 100.
  const WindowVerdict blocks = judge_windows(log.steps(kPlainHold), block(1s), Watts(240), {});
  EXPECT_EQ(blocks.first_over, 1s);
  EXPECT_EQ(blocks.time_over, 1s);
  const WindowVerdict none = judge_windows(log.steps(kPlainHold), block(1s), Watts(300), {});
  EXPECT_FALSE(none.first_over);
  EXPECT_EQ(none.time_over, 0s);
  // Samples above 240 W have the time of their excursions, and a window that is not available has none: neither is 0 s.
  const WindowVerdict samples = judge_windows(log.steps(kPlainHold), kSamples, Watts(240), {});
  EXPECT_EQ(samples.violating, 1);
  EXPECT_FALSE(samples.time_over);
  const WindowVerdict longer = judge_windows(log.steps(kPlainHold), block(1h), Watts(240), {});
  EXPECT_EQ(longer.verdict, Verdict::not_available);
  EXPECT_FALSE(longer.time_over);
}

TEST(Windows, NameTheLongestStretchesOfThoseAbove) {
  // Means over 2 s in watts, by the second at which they begin: 250 325 300 200 100 50 200 200; above 190 are those
  // that begin from 0 to 3 s, and at 6 and 7 s.
  const TestLog log = TestLog::regular(1, {200, 300, 350, 250, 150, 50, 50, 350, 50, 150});
  const WindowVerdict v = judge_windows(log.steps(kPlainHold), sliding(2s), Watts(190), {});
  EXPECT_EQ(v.violating, 6);
  EXPECT_EQ(v.stretches, 2);
  ASSERT_EQ(v.longest.size(), 2u);
  EXPECT_EQ(v.longest[0].start, 0s);
  EXPECT_EQ(v.longest[0].duration, 5s);
  EXPECT_EQ(v.longest[0].worst, Watts(325));
  EXPECT_EQ(v.longest[1].start, 6s);
  EXPECT_EQ(v.longest[1].duration, 3s);
  EXPECT_EQ(v.longest[1].worst, Watts(200));
  EXPECT_EQ(v.time_over, 8s);
  EXPECT_EQ(judge_windows(log.steps(kPlainHold), kSamples, Watts(190), {}).stretches, 0);
  EXPECT_EQ(judge_windows(log.steps(kPlainHold), sliding(2s), Watts(400), {}).stretches, 0);
}

TEST(Windows, KeepTheLongestStretchesAndCountAll) {
  // Blocks of 1 s above 300 W, each alone but for the third and fourth; then many more.
  std::vector<double> power{400, 100, 410, 100, 420, 430, 100, 440, 100, 450, 100, 460, 100};
  const std::size_t more = kMostStretches;
  for (std::size_t i = 0; i < more; ++i) power.insert(power.end(), {400, 100});
  const TestLog log = TestLog::regular(1, power);
  const WindowVerdict v = judge_windows(log.steps(kPlainHold), block(1s), Watts(300), {});
  EXPECT_EQ(v.stretches, static_cast<std::int64_t>(6 + more));
  ASSERT_EQ(v.longest.size(), kMostStretches);
  EXPECT_EQ(v.longest[0].start, 4s);
  EXPECT_EQ(v.longest[0].duration, 2s);
  EXPECT_EQ(v.longest[0].worst, Watts(430));
  EXPECT_EQ(v.longest[1].start, 0s);
  EXPECT_EQ(v.longest[4].start, 9s) << "of equals the earliest";
  EXPECT_EQ(v.longest.back().start, 12s + 1s + Nanos(std::chrono::seconds(2 * (more - 7))));
  EXPECT_EQ(v.time_over, Nanos(std::chrono::seconds(7 + more)));
}

TEST(Windows, ConstantLoadExactlyAtTheLimitDoesNotViolate) {
  Rng rng(7);
  std::vector<double> at_s{0};
  for (int i = 0; i < 5000; ++i) at_s.push_back(at_s.back() + 0.08 + 0.04 * rng.uniform());
  const TestLog log(at_s, std::vector<double>(at_s.size(), 333.333333));
  for (const WindowSpec& spec : {kSamples, block(500ms), sliding(500ms), block(30s), sliding(30s), sliding(7s)}) {
    EXPECT_EQ(judge_windows(log.steps(), spec, Watts(333.333333), {}).violating, 0) << name(spec.kind);
    const WindowVerdict below = judge_windows(log.steps(), spec, Watts(333.333332), {});
    EXPECT_EQ(below.violating, below.means.known) << name(spec.kind);
  }
}

TEST(Windows, AreUnknownUnderFourFifthsOfCoverage) {
  // Samples at 0..9 s and 20..29 s; the one at 9 s holds three periods, to 12 s; the last to 30 s.
  std::vector<double> at_s;
  at_s.reserve(20);
  for (int i = 0; i < 10; ++i) at_s.push_back(i);
  for (int i = 20; i < 30; ++i) at_s.push_back(i);
  const TestLog log(at_s, std::vector<double>(20, 100.0));
  // [0,5) [5,10) [20,25) [25,30) known; [10,15) has 2 s of 5, [15,20) none.
  const WindowVerdict v = judge_windows(log.steps(), block(5s), Watts(150), {});
  EXPECT_EQ(v.means.known, 4);
  EXPECT_EQ(v.means.unknown, 2);
  EXPECT_EQ(v.violating, 0);
  EXPECT_EQ(v.verdict, Verdict::unknown) << "nothing above the limit was seen, but not everything was seen";
  EXPECT_NE(v.note.find("2 of 6 windows unknown"), std::string::npos) << v.note;
  // What is known still violates.
  EXPECT_EQ(judge_windows(log.steps(), block(5s), Watts(99), {}).verdict, Verdict::violated);
  // Without the gap rule everything is known.
  EXPECT_EQ(judge_windows(log.steps(kPlainHold), block(5s), Watts(150), {}).verdict, Verdict::compliant);
}

TEST(Windows, TakeTheMeanOverTheKnownPart) {
  // Polls at 1 s say N/A. [0,5): 200 + unknown + 3 x 100 = 500 J over 4 s known = 125 W, exactly 0.8 covered.
  const TestLog log = TestLog::regular(1, {200, kNotKnown, 100, 100, 100, 100});
  const WindowMeans four_fifths = window_means(log.steps(kPlainHold), block(5s), {});
  EXPECT_EQ(four_fifths.known, 1);
  EXPECT_EQ(four_fifths.worst, Watts(125));
  EXPECT_EQ(window_means(log.steps(kPlainHold), block(4s), {}).unknown, 1);  // 3 of 4 known
}

TEST(Windows, AWindowThatAHairLacksIsJudged) {
  // [0,5) lies within the first reading; [5,10) holds 0.0004 s of it and 4.9996 s of the second; [10,15) and [15,20)
  // too are all but one reading: means 1, 1.99992, 2.99984, 3.99976 W.
  const TestLog log = TestLog::regular(5.0004, {1, 2, 3, 4});
  const WindowVerdict v = judge_windows(log.steps(), block(5s), Watts(3.5), {});
  EXPECT_TRUE(v.means.available) << v.means.reason;
  EXPECT_EQ(v.means.known, 4);
  EXPECT_EQ(v.violating, 1);
  EXPECT_NEAR(v.means.worst->value(), (0.0012 * 3 + 4.9988 * 4) / 5, 1e-9);
  EXPECT_NE(v.note.find("judged as one sample period of 5.0004 s"), std::string::npos) << v.note;
  EXPECT_FALSE(is_below_period(4900ms, 5s));  // 2 %
  EXPECT_TRUE(is_below_period(4899ms, 5s));
  EXPECT_FALSE(is_below_period(5s, 5s));
}

TEST(Windows, SaysWhyOneIsNotAvailable) {
  const TestLog log = TestLog::regular(5, {1, 2, 3, 4});
  const WindowVerdict fine = judge_windows(log.steps(), block(1s), Watts(9), {});
  EXPECT_EQ(fine.verdict, Verdict::not_available);
  EXPECT_EQ(fine.means.reason, "shorter than the sample period of 5 s");
  EXPECT_FALSE(fine.rate);
  EXPECT_FALSE(fine.upper_95);
  const TestLog slow = TestLog::regular(5.2, {1, 2, 3, 4});
  EXPECT_EQ(window_means(slow.steps(), block(5s), {}).reason, "shorter than the sample period of 5.2 s");
  const WindowVerdict coarse = judge_windows(log.steps(), sliding(30s), Watts(9), {});
  EXPECT_EQ(coarse.verdict, Verdict::not_available);
  EXPECT_EQ(coarse.means.reason, "longer than the trace of 20 s");
  EXPECT_TRUE(window_means(log.steps(), block(5s), {}).available);
  EXPECT_TRUE(window_means(log.steps(), block(20s), {}).available);
  EXPECT_FALSE(window_means(log.steps(kPlainHold), block(20s), {}).available);  // ends at 15 s
  EXPECT_FALSE(window_means(TestLog().steps(), block(5s), {}).available);
  EXPECT_FALSE(window_means(TestLog({0}, {5}).steps(), block(5s), {}).available);
}

TEST(SampleWindows, CountEverySampleWhateverItsWidth) {
  const TestLog log({0, 1, 1, 2, 3}, {100, 500, 100, kNotKnown, 300});
  const WindowVerdict v = judge_windows(log.steps(kPlainHold), kSamples, Watts(299), {});
  EXPECT_EQ(v.means.known, 4);
  EXPECT_EQ(v.means.unknown, 1);
  EXPECT_EQ(v.violating, 2);  // the 500 W of no width, and the last
  EXPECT_EQ(v.means.worst, Watts(500));
  EXPECT_EQ(v.means.worst_start, 1s);
}

TEST(SampleWindows, OneReadingIsNoProofOfCompliance) {
  const TestLog log({0}, {100});
  EXPECT_EQ(judge_windows(log.steps(), kSamples, Watts(200), {}).verdict, Verdict::unknown);
  EXPECT_EQ(judge_windows(log.steps(), kSamples, Watts(50), {}).verdict, Verdict::violated);
}

TEST(SampleWindows, AreNotCompliantOverALogWithAHole) {
  // 0..3 s and 20 s: known to 6 s and from 20 to 21 s, so 14 s are unknown.
  const TestLog log({0, 1, 2, 3, 20}, {90, 90, 90, 90, 90});
  const WindowVerdict v = judge_windows(log.steps(), kSamples, Watts(100), {});
  EXPECT_EQ(v.verdict, Verdict::unknown);
  EXPECT_NE(v.note.find("power is unknown for 14 s"), std::string::npos) << v.note;
  EXPECT_EQ(judge_windows(log.steps(), kSamples, Watts(80), {}).verdict, Verdict::violated);
  EXPECT_EQ(judge_windows(log.steps(kPlainHold), kSamples, Watts(100), {}).verdict, Verdict::compliant);
}

TEST(Windows, BelowTheMetersOwnAverageAreALowerBound) {
  TestLog log = TestLog::regular(0.1, std::vector<double>(600, 100.0));
  log.series.device.meter = trace::MeterKind::average_1s;
  const WindowVerdict hidden = judge_windows(log.steps(), block(500ms), Watts(150), {});
  EXPECT_EQ(hidden.verdict, Verdict::lower_bound);
  EXPECT_FALSE(hidden.upper_95) << "what the meter hides has no bound";
  EXPECT_NE(hidden.note.find("averages over 1 s"), std::string::npos);
  EXPECT_EQ(judge_windows(log.steps(), kSamples, Watts(150), {}).verdict, Verdict::lower_bound);
  EXPECT_EQ(judge_windows(log.steps(), block(1s), Watts(150), {}).verdict, Verdict::compliant);
  EXPECT_EQ(judge_windows(log.steps(), block(500ms), Watts(99), {}).verdict, Verdict::violated);
  log.series.device.meter = trace::MeterKind::instantaneous;
  EXPECT_EQ(judge_windows(log.steps(), block(500ms), Watts(150), {}).verdict, Verdict::compliant);
}

TEST(BlockWindows, CanStartOnTheWallClock) {
  const TestLog log = TestLog::regular(1, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13});
  // The first sample is 3 s past a multiple of 5 s: blocks [2,7) and [7,12) of the trace, means 5 and 10.
  const WindowOptions clock{.align = Align::clock, .origin_unix_ns = 1'700'000'003'000'000'000, .correlation_time = 0s};
  const WindowMeans m = window_means(log.steps(kPlainHold), block(5s), clock);
  EXPECT_EQ(m.known, 2);
  EXPECT_EQ(m.worst, Watts(10));
  EXPECT_EQ(m.worst_start, 7s);
  const WindowOptions before_1970{.align = Align::clock, .origin_unix_ns = -2'000'000'000, .correlation_time = 0s};
  EXPECT_EQ(window_means(log.steps(kPlainHold), block(5s), before_1970).worst_start, 7s);  // 2 s before a multiple
  // 6 s past a multiple of 10 s: the first block would be [4,14), and the trace ends at 12 s.
  const WindowOptions late{.align = Align::clock, .origin_unix_ns = 6'000'000'000, .correlation_time = 0s};
  const WindowMeans none = window_means(log.steps(kPlainHold), block(10s), late);
  EXPECT_FALSE(none.available);
  EXPECT_EQ(none.reason, "no whole block of the clock lies inside the trace");
  EXPECT_TRUE(window_means(log.steps(kPlainHold), sliding(10s), late).available);
}

TEST(Windows, NoViolationIsGivenWithItsBound) {
  const TestLog log = TestLog::regular(1, std::vector<double>(100, 50.0));  // 100 s known
  const auto bound = [&](Nanos w, Nanos tau) {
    return *judge_windows(log.steps(), block(w), Watts(60), {.correlation_time = tau}).upper_95;
  };
  EXPECT_DOUBLE_EQ(bound(5s, 1s), 3.0 / 20);           // 100 s / 5 s
  EXPECT_DOUBLE_EQ(bound(1s, 3s), 3.0 / (100.0 / 6));  // 2 correlation times are longer
  EXPECT_DOUBLE_EQ(bound(50s, 1s), 1.0);               // two windows bound nothing
  const WindowVerdict samples = judge_windows(log.steps(), kSamples, Watts(60), {.correlation_time = 0s});
  EXPECT_DOUBLE_EQ(number(samples.upper_95), 3.0 / 100);
  // Of 58 s there are seven whole blocks of 8 s, not 7.25.
  const TestLog shorter = TestLog::regular(1, std::vector<double>(58, 50.0));
  const WindowVerdict few = judge_windows(shorter.steps(), block(8s), Watts(60), {.correlation_time = 0s});
  EXPECT_DOUBLE_EQ(number(few.upper_95), 3.0 / 7);
  EXPECT_FALSE(judge_windows(log.steps(), block(5s), Watts(40), {}).upper_95);
}

TEST(Windows, GiveAnIntervalFromTenBlocksOn) {
  std::vector<double> power(301, 50.0);
  for (std::size_t i = 0; i < power.size(); i += 7) power[i] = 100;
  const TestLog log = TestLog::regular(1, power);
  // 301 s and blocks of 30 s: ten. 2 x 5 s and 10 x 1 s are shorter.
  const WindowVerdict v = judge_windows(log.steps(), block(5s), Watts(55), {.correlation_time = 1s});
  const Interval rate_95 = v.rate_95.value_or(kNoInterval);
  EXPECT_LE(rate_95.low, number(v.rate));
  EXPECT_GE(rate_95.high, number(v.rate));
  const WindowVerdict again = judge_windows(log.steps(), block(5s), Watts(55), {.correlation_time = 1s});
  EXPECT_EQ(rate_95.low, again.rate_95.value_or(kNoInterval).low);
  // Blocks of 2 x 20 s, or of 10 x 4 s, are fewer than ten.
  for (const auto& [w, tau, why] :
       {std::tuple<Nanos, Nanos, const char*>{20s, 1s, ""}, {5s, 4s, ", ten correlation times"}}) {
    const WindowVerdict few = judge_windows(log.steps(), block(w), Watts(55), {.correlation_time = tau});
    EXPECT_EQ(few.verdict, Verdict::violated);
    EXPECT_FALSE(few.rate_95);
    EXPECT_NE(few.note.find(std::string("fewer than ten blocks of 40 s") + why + ": no interval"), std::string::npos)
        << few.note;
  }
}

// Against a second way of computing it: for each window, every segment is looked at, in doubles.
struct Counted {
  std::int64_t known = 0, unknown = 0, violating = 0;
  double worst = -1e300;
};
void count_window(const Steps& steps, std::int64_t a, std::int64_t w, double limit, Counted& out) {
  double energy = 0;
  double known = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double overlap =
        static_cast<double>(std::min(steps.end(i), a + w)) - static_cast<double>(std::max(steps.begin(i), a));
    if (overlap <= 0 || !std::isfinite(steps.power[i])) continue;
    energy += overlap * steps.power[i];
    known += overlap;
  }
  if (known / static_cast<double>(w) < 0.8 - 1e-12) {
    ++out.unknown;
    return;
  }
  ++out.known;
  out.violating += energy / known > limit ? 1 : 0;
  out.worst = std::max(out.worst, energy / known);
}

TestLog random_log(std::uint64_t seed, bool whole) {
  Rng rng(seed);
  std::vector<double> at_s{0};
  std::vector<double> power_w;
  for (int i = 0; i < 400; ++i) {
    const double u = rng.uniform();
    double gap = 0.05 + 0.1 * rng.uniform();
    if (u < 0.02) gap = 0;
    if (u > 0.97) gap = 3 * rng.uniform();
    at_s.push_back(at_s.back() + gap);
  }
  for (std::size_t i = 0; i < at_s.size(); ++i) {
    const bool unknown = !whole && rng.uniform() < 0.05;
    power_w.push_back(unknown ? kNotKnown : 100 + 20 * rng.normal());
  }
  return {at_s, std::move(power_w)};
}

TEST(Windows, AgreeWithCountingThemOneByOne) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const TestLog log = random_log(seed, false);
    const Steps steps = log.steps();
    for (const std::int64_t w : {std::int64_t{500'000'000}, std::int64_t{1'234'567'891}, std::int64_t{5'000'000'000}}) {
      Counted blocks;
      for (std::int64_t a = steps.span_begin(); a + w <= steps.span_end(); a += w) {
        count_window(steps, a, w, 103.0, blocks);
      }
      std::vector<std::int64_t> begins;
      for (const std::int64_t t : steps.time_ns) begins.insert(begins.end(), {t, t - w});
      for (std::size_t i = 0; i < steps.size(); ++i) begins.insert(begins.end(), {steps.end(i), steps.end(i) - w});
      std::ranges::sort(begins);
      begins.erase(std::ranges::unique(begins).begin(), begins.end());
      Counted slides;
      for (const std::int64_t a : begins) {
        if (a >= steps.span_begin() && a + w <= steps.span_end()) count_window(steps, a, w, 103.0, slides);
      }
      for (const auto& [kind, expected] :
           {std::pair<WindowKind, Counted>{WindowKind::block, blocks}, {WindowKind::sliding, slides}}) {
        const WindowVerdict v = judge_windows(steps, {kind, Nanos(w)}, Watts(103.0), {.correlation_time = 1s});
        EXPECT_EQ(v.means.known, expected.known) << name(kind) << " " << w << " seed " << seed;
        EXPECT_EQ(v.means.unknown, expected.unknown);
        EXPECT_EQ(v.violating, expected.violating);
        EXPECT_NEAR(number(v.means.worst), expected.worst, 1e-6);
      }
    }
  }
}

TEST(Windows, WorstMeansAreOrdered) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const TestLog log = random_log(seed, true);
    const Steps steps = log.steps(kPlainHold);
    double shorter = 1e300;
    // Each size a multiple of the one before: a long window is then made of short ones, one of which is no lower.
    for (const Nanos w : {Nanos(500ms), Nanos(1s), Nanos(5s), Nanos(10s), Nanos(30s)}) {
      const WindowMeans slides = window_means(steps, sliding(w), {});
      const WindowMeans blocks = window_means(steps, block(w), {});
      ASSERT_TRUE(slides.available && blocks.available);
      EXPECT_GE(number(slides.worst), number(blocks.worst) - 1e-9);
      EXPECT_LE(number(slides.worst), shorter + 1e-9);
      shorter = number(slides.worst);
    }
  }
}

TEST(Windows, DoNotDependOnScaleOrOrigin) {
  const TestLog log = random_log(3, false);
  TestLog moved = log;
  for (std::int64_t& t : moved.series.time_ns) t += 1'000'000'000'000'007;
  TestLog doubled = log;
  for (double& p : doubled.series.power_w) p *= 2;
  for (const WindowSpec& spec : {kSamples, block(1s), sliding(1s), block(5s), sliding(5s)}) {
    const WindowVerdict v = judge_windows(log.steps(), spec, Watts(101.5), {});
    const WindowVerdict m = judge_windows(moved.steps(), spec, Watts(101.5), {});
    const WindowVerdict d = judge_windows(doubled.steps(), spec, Watts(203), {});
    EXPECT_EQ(v.means.known, m.means.known);
    EXPECT_EQ(v.violating, m.violating);
    EXPECT_EQ(v.means.worst, m.means.worst);
    EXPECT_EQ(m.means.worst_start - v.means.worst_start, Nanos(1'000'000'000'000'007));
    EXPECT_EQ(v.means.known, d.means.known);
    EXPECT_EQ(v.violating, d.violating);
    EXPECT_NEAR(2 * number(v.means.worst), number(d.means.worst), 1e-5);
  }
}

TEST(BlockWindows, AHoleOfYearsCostsNoMoreThanOne) {
  constexpr double kYear = 365.0 * 86400;
  const TestLog log({0, 1, 2, 3, 50 * kYear, 50 * kYear + 1}, {100, 100, 100, 100, 300, 300});
  const WindowVerdict held = judge_windows(log.steps(kPlainHold), block(1s), Watts(200), {.correlation_time = 0s});
  EXPECT_EQ(held.means.known, std::int64_t{50} * 365 * 86400 + 1);
  EXPECT_EQ(held.violating, 1);
  const WindowVerdict holes = judge_windows(log.steps(), block(1s), Watts(200), {.correlation_time = 0s});
  EXPECT_EQ(holes.means.known, 8);  // 0 to 6 s, and the last two
  EXPECT_EQ(holes.means.unknown, std::int64_t{50} * 365 * 86400 - 6);
}

TEST(Windows, TakeAbsurdReadingsWithoutOverflow) {
  const TestLog log = TestLog::regular(1, {1e300, -1e300, 1e300, 1e300, std::numeric_limits<double>::infinity()});
  const WindowVerdict v = judge_windows(log.steps(kPlainHold), sliding(2s), Watts(400), {});
  EXPECT_EQ(v.means.known, 3);
  EXPECT_EQ(v.violating, 1);
}

}  // namespace
}  // namespace wattrein::analysis
