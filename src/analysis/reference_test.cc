// Real logs against figures computed apart from this program (shared/traces/xcheck.py: pure Python, its own
// parsers): windows, energies, means. Skipped where that folder is absent.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "analysis/energy.h"
#include "analysis/sampling.h"
#include "analysis/stats.h"
#include "analysis/windows.h"
#include "net/json.h"
#include "trace/read.h"

namespace wattrein::analysis {
namespace {

using namespace std::chrono_literals;
using net::Json;

std::filesystem::path traces() {
  if (const char* shared = std::getenv("WATTREIN_SHARED")) return std::filesystem::path(shared) / "traces";
  return "../shared/traces";  // tests run in the root of the sources
}

double number(const Json& json) {
  if (const auto* whole = std::get_if<std::int64_t>(&json.value())) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&json.value())) return *real;
  return std::nan("");
}

double number(const Json& object, std::string_view key) {
  const Json* member = object.find(key);
  return member == nullptr ? std::nan("") : number(*member);
}

void expect_near(double value, double expected, const std::string& what) {
  EXPECT_NEAR(value, expected, 1e-6 * std::abs(expected)) << what;
}

void compare_windows(const Steps& steps, const Json& reference, const std::string& who) {
  const std::map<std::string, Nanos> sizes{{"w0.5", 500ms}, {"w1", 1s}, {"w5", 5s}, {"w30", 30s}};
  for (const auto& [key, size] : sizes) {
    const std::string what = who + " " + key;
    const WindowVerdict v =
        judge_windows(steps, {WindowKind::block, size}, Watts(number(reference, "cap")), {.correlation_time = 0s});
    const Json* expected = reference.find(key);
    ASSERT_NE(expected, nullptr) << what;
    // The reference knows no window below the period, be it by a hair.
    if (expected->is_null() && size < steps.median_period && !is_below_period(size, steps.median_period)) continue;
    if (expected->is_null()) {
      EXPECT_EQ(v.verdict, Verdict::not_available) << what;
      continue;
    }
    ASSERT_NE(expected->array(), nullptr) << what;
    const Json::Array& figures = *expected->array();  // windows, violating, worst mean
    ASSERT_TRUE(v.means.available) << what << ": " << v.means.reason;
    EXPECT_EQ(static_cast<double>(v.means.known), number(figures.at(0))) << what;
    EXPECT_EQ(v.means.unknown, 0) << what;
    EXPECT_EQ(static_cast<double>(v.violating), number(figures.at(1))) << what;
    expect_near(v.means.worst->value(), number(figures.at(2)), what);
  }
}

void compare_series(const trace::Series& series, const Steps& steps, const Json& reference, const std::string& who) {
  const Sampling sampling = sampling_of(steps, series.duplicate_stamps, series.backward_stamps);
  const PowerStats power = power_stats(steps, {});
  EXPECT_EQ(static_cast<double>(sampling.known), number(reference, "n")) << who;
  EXPECT_EQ(static_cast<double>(sampling.duplicate_stamps), number(reference, "dup")) << who;
  EXPECT_EQ(static_cast<double>(sampling.backward_stamps), number(reference, "back")) << who;
  expect_near(power.mean->value(), number(reference, "mean"), who + " mean");
  expect_near(power.tmean->value(), number(reference, "tmean"), who + " tmean");
  expect_near(power.min->value(), number(reference, "min"), who + " min");
  expect_near(power.max->value(), number(reference, "max"), who + " max");
  expect_near(energy_of(steps, {}).energy.integral->value(), number(reference, "E"), who + " E");
  const WindowVerdict samples =
      judge_windows(steps, {WindowKind::samples, Nanos(0)}, Watts(number(reference, "cap")), {.correlation_time = 0s});
  EXPECT_EQ(static_cast<double>(samples.violating), number(reference, "above")) << who;
  compare_windows(steps, reference, who);
}

struct File {
  const char* name;
  trace::ReadOptions options{};
};

File file(const char* name) { return {name}; }
File at_1s(const char* name) {
  File f{name};
  f.options.period = 1s;
  return f;
}
File columns(const char* name, const char* time, const char* power) {
  File f{name};
  f.options.time_column = time;
  f.options.power_column = power;
  return f;
}

class Reference : public testing::TestWithParam<File> {};

TEST_P(Reference, EveryDeviceAndTheirSumAgree) {
  const std::filesystem::path folder = traces();
  const File& f = GetParam();
  if (!std::filesystem::exists(folder / f.name)) {
    GTEST_SKIP() << "the real logs are not here: " << folder << " (or $WATTREIN_SHARED/traces)";
  }
  std::ifstream in(folder / "reference.json");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto all = net::parse_json(text, "reference.json");
  ASSERT_TRUE(all) << all.error().message();
  const Json* reference = all->find(f.name);
  ASSERT_NE(reference, nullptr);

  const auto trace = trace::read_file((folder / f.name).string(), f.options);
  ASSERT_TRUE(trace) << trace.error().message();
  const Json::Object& devices = *reference->find("dev")->object();
  ASSERT_EQ(trace->series.size(), devices.size());
  constexpr trace::HoldRule kPlain{.max_gap = trace::HoldRule::MaxGap::none, .last_holds = false};
  for (const auto& [name, figures] : devices) {
    const trace::Series* series = nullptr;
    for (const trace::Series& s : trace->series) {
      if (devices.size() == 1 || s.device.name == name) series = &s;
    }
    ASSERT_NE(series, nullptr) << "no device " << name;
    const Steps steps = trace::steps_of(*series, kPlain);
    compare_series(*series, steps, figures, "device " + name);
    const Sampling sampling = sampling_of(steps, 0, 0);
    EXPECT_EQ(static_cast<double>(sampling.holes), number(figures, "gaps3")) << name;
    expect_near(sampling.repeated, number(figures, "same"), "repeated " + name);
  }
  const auto sum = trace::sum_of(*trace, kPlain);
  const Json* sum_figures = reference->find("ALL");
  ASSERT_EQ(sum.has_value(), sum_figures != nullptr);
  if (sum) compare_series(sum->series, sum->steps(), *sum_figures, "sum");
}

INSTANTIATE_TEST_SUITE_P(RealLogs, Reference,
                         testing::Values(file("01_h100x8-train-ckpt1-smi100ms.csv"),
                                         file("08_rtx4000ada-noheader-5s.csv"), file("10_h100x8-mislabelled-index.csv"),
                                         at_1s("20_h200x8-kimi-c64-dcgmi-1s.txt"),
                                         at_1s("22_h200x8-kimi-ramp-c16r-dcgmi.txt"), file("26_dcgm-instant-us.csv"),
                                         file("54_h100x8-tp-pp-train-node0-10hz.csv"),
                                         columns("59_rtx-dynamic-powercap-mW.csv", "Time", "Power (W)")),
                         [](const auto& f) { return "File" + std::string(f.param.name).substr(0, 2); });

}  // namespace
}  // namespace wattrein::analysis
