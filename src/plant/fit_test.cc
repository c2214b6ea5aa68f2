#include "plant/fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "plant/plant.h"

namespace wattrein::plant {
namespace {

Params known_job() {
  Params p;
  p.gpus = 3;
  p.gpu_mean = Watts(420.0);
  p.sigma_of_max = 0.05;
  p.ar1 = 0.6;
  p.correlation = -0.2;
  return p;
}

/// A log of a plant at its highest level, `every` samples apart, with idle stretches of `idle` samples around it.
trace::Trace log_of(const Params& p, int samples, int every = 1, int idle = 0) {
  const Model model = prepare(p);
  Rng rng(11);
  trace::Trace log;
  log.source = "made.csv";
  log.series.resize(static_cast<std::size_t>(p.gpus));
  Noise noise;
  draw(model, rng, noise);
  State s = start(model, p.levels, noise);
  for (int i = -idle; i < samples + idle; ++i) {
    const bool busy = i >= 0 && i < samples;
    if (busy) step(model, s, rng);
    for (std::size_t gpu = 0; gpu < log.series.size(); ++gpu) {
      if ((i + idle) % every != 0) continue;
      trace::Series& series = log.series[gpu];
      series.device.name = std::to_string(gpu);
      series.time_ns.push_back((i + idle) * kSamplePeriod.count());
      series.power_w.push_back(busy ? s.gpu_w[gpu] : 70.0 + 0.2 * rng.normal());
    }
  }
  return log;
}

// Errors over 4 h: fast noise worth 28800 / ((1 + 0.6)/(1 - 0.6)) = 7200 samples, slow noise 4 h / 6 min = 40. Mean:
// 63 W * sqrt(0.95/7200 + 0.05/40) = 2.3 W of 1260; sd about 1 %; lag-1 about 0.005. Bounds three times that or more.
void expect_recovered(const Params& got, const Params& want) {
  EXPECT_EQ(got.gpus, want.gpus);
  EXPECT_NEAR(got.gpu_mean.value(), want.gpu_mean.value(), 0.006 * want.gpu_mean.value());
  EXPECT_NEAR(got.sigma_of_max, want.sigma_of_max, 0.04 * want.sigma_of_max);
  EXPECT_NEAR(got.ar1, want.ar1, 0.03);
  EXPECT_NEAR(got.correlation, want.correlation, 0.03);
}

TEST(Fit, RecoversAKnownJob) {
  const auto fit = fit_occupancy(log_of(known_job(), 28'800));
  ASSERT_TRUE(fit) << fit.error().message();
  expect_recovered(fit->params, known_job());
  // The rest stays as assumed, and the limit follows from level and spread: mean + 0.92686 sd.
  EXPECT_EQ(fit->params.power_of_max, Params{}.power_of_max);
  EXPECT_EQ(fit->params.slow_share, Params{}.slow_share);
  const double mean = 3.0 * fit->params.gpu_mean.value();
  EXPECT_NEAR(fit->params.limit.value(), mean * (1.0 + 0.92686 * fit->params.sigma_of_max), 0.51);
  EXPECT_EQ(fit->sources.size(), 6U);
  EXPECT_TRUE(fit->notes.empty());
}

TEST(Fit, LeavesIdleStretchesOut) {
  const auto fit = fit_occupancy(log_of(known_job(), 28'800, 1, 6000));
  ASSERT_TRUE(fit) << fit.error().message();
  expect_recovered(fit->params, known_job());
  EXPECT_FALSE(fit->notes.empty());
}

TEST(Fit, ConvertsTheAutocorrelationOfALongerPeriod) {
  Params slow_job = known_job();
  slow_job.ar1 = 0.9;  // at 2 s: 0.9^4 = 0.66 of the fast part
  const auto fit = fit_occupancy(log_of(slow_job, 57'600, 4));
  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_NEAR(fit->params.ar1, 0.9, 0.03);
  EXPECT_NE(fit->notes.at(0).find("2 s"), std::string::npos);
}

TEST(Fit, TakesOneGpuAlone) {
  Params one = known_job();
  one.gpus = 1;
  one.correlation = 0.0;
  const auto fit = fit_occupancy(log_of(one, 28'800));
  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_EQ(fit->params.gpus, 1);
  EXPECT_EQ(fit->params.correlation, 0.0);
  EXPECT_NEAR(fit->params.ar1, 0.6, 0.03);
}

TEST(Fit, FittedParametersCanAlwaysBePrepared) {
  // Devices that move exactly against each other: the sum hardly varies, and correlation is at its bound.
  trace::Trace log = log_of(known_job(), 7200);
  log.series.resize(2);
  for (std::size_t i = 0; i < log.series[0].size(); ++i) {
    const double small = i % 2 == 0 ? 2.0 : -2.0;
    log.series[1].power_w[i] = 840.0 + small - log.series[0].power_w[i];
  }
  const auto fit = fit_occupancy(log);
  ASSERT_TRUE(fit) << fit.error().message();
  EXPECT_EQ(fit->params.ar1, 0.0);  // the sum alternates: its autocorrelation is -1, which the plant has no room for
  Rng rng(1);
  const Model model = prepare(fit->params);
  State s = start(model, 8, Noise{});
  for (int i = 0; i < 100; ++i) step(model, s, rng);
  EXPECT_TRUE(std::isfinite(s.sum_w));
}

void expect_refused(const trace::Trace& log, std::string_view what) {
  const auto fit = fit_occupancy(log);
  ASSERT_FALSE(fit);
  EXPECT_EQ(fit.error().kind, ErrorKind::bad_input);
  EXPECT_NE(fit.error().what.find(what), std::string::npos) << fit.error().message();
  EXPECT_FALSE(fit.error().cure.empty());
}

TEST(Fit, RefusesWhatItCannotUseAndSaysWhatItNeeds) {
  expect_refused(log_of(known_job(), 590), "of busy time");     // 4 min 55 s
  expect_refused(log_of(known_job(), 7200, 12), "too coarse");  // one in 6 s
  expect_refused(trace::Trace{}, "no device");
  trace::Trace constant = log_of(known_job(), 7200);
  for (auto& series : constant.series) series.power_w.assign(series.power_w.size(), 300.0);
  expect_refused(constant, "does not vary");
  trace::Trace unknown = log_of(known_job(), 7200);
  for (auto& series : unknown.series) series.power_w.assign(series.power_w.size(), std::nan(""));
  expect_refused(unknown, "nothing of busy time");
  trace::Trace single = log_of(known_job(), 1);
  expect_refused(single, "no device");
  trace::Trace many = log_of(known_job(), 7200);
  many.series.resize(kMaxGpus + 1, many.series[0]);
  expect_refused(many, "65 devices");
}

}  // namespace
}  // namespace wattrein::plant
