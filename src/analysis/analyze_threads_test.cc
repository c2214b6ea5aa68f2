#include <gtest/gtest.h>

#include <cmath>

#include "analysis/analysis.h"
#include "base/rng.h"

namespace wattrein::analysis {
namespace {

/// Five devices that switch between two levels together, with noise and a few unknown readings of their own.
trace::Trace job() {
  trace::Trace trace;
  for (int d = 0; d < 5; ++d) {
    Rng rng(7, static_cast<std::uint64_t>(d));
    trace::Series series;
    series.device.name = std::to_string(d);
    for (int i = 0; i < 4000; ++i) {
      const double level = i / 400 % 2 == 0 ? 150.0 : 400.0;
      series.time_ns.push_back(std::int64_t{i} * 100'000'000);
      series.power_w.push_back(i % 997 == d ? std::nan("") : level + 20.0 * rng.normal());
    }
    trace.series.push_back(std::move(series));
  }
  return trace;
}

void expect_same(const Subject& a, const Subject& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.power.p95, b.power.p95);
  EXPECT_EQ(a.phases.of_sample, b.phases.of_sample);
  ASSERT_EQ(a.limits.size(), b.limits.size());
  for (std::size_t l = 0; l < a.limits.size(); ++l) {
    EXPECT_EQ(a.limits[l].excursions.overshoot, b.limits[l].excursions.overshoot);
    EXPECT_EQ(a.limits[l].breaker.peak, b.limits[l].breaker.peak);
    ASSERT_EQ(a.limits[l].windows.size(), b.limits[l].windows.size());
    for (std::size_t w = 0; w < a.limits[l].windows.size(); ++w) {
      const WindowVerdict& x = a.limits[l].windows[w];
      const WindowVerdict& y = b.limits[l].windows[w];
      EXPECT_EQ(x.violating, y.violating);
      EXPECT_EQ(x.means.worst, y.means.worst);
      ASSERT_EQ(x.rate_95.has_value(), y.rate_95.has_value());
      if (x.rate_95) {
        EXPECT_EQ(x.rate_95->high, y.rate_95->high);
      }
    }
  }
}

TEST(AnalyzeThreads, ResultsDoNotDependOnTheirNumber) {
  const trace::Trace trace = job();
  AnalysisOptions options;
  options.limits = {*parse_limit("410W"), *parse_limit("1900W:sum@5s")};
  const auto alone = analyze(trace, options);
  ASSERT_TRUE(alone) << alone.error().message();
  ASSERT_TRUE(alone->sum);
  for (const int threads : {2, 3, 16}) {
    options.threads = threads;
    const auto together = analyze(trace, options);
    ASSERT_TRUE(together) << together.error().message();
    ASSERT_EQ(together->devices.size(), alone->devices.size());
    for (std::size_t d = 0; d < alone->devices.size(); ++d) expect_same(alone->devices[d], together->devices[d]);
    expect_same(*alone->sum, *together->sum);
    EXPECT_EQ(alone->correlation.mean, together->correlation.mean);
  }
}

}  // namespace
}  // namespace wattrein::analysis
