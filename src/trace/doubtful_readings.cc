#include "trace/doubtful_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kListed = 8;
constexpr double kMostOfAGpu = 5000.0;  // several times what any accelerator draws
constexpr std::array<std::string_view, 5> kGpuWords{"gpu", "nvidia", "dcgm", "rocm", "amd-smi"};

/// 0xFFFF W; 0x7FFFFFF0 to 0x7FFFFFFF mW; 0xFFFFFFFF mW. What lies above kMostWatts is no reading to begin with.
bool is_full_register(double w) {
  return w == 65535.0 || (w >= 2147483.632 && w <= 2147483.648) || (w >= 4294967.295 && w <= 4294967.296);
}

std::string counted(std::int64_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

}  // namespace

std::vector<std::string> drop_full_registers(Trace& trace) {
  std::map<double, std::int64_t> dropped;
  for (Series& s : trace.series) {
    double largest = 0.0;
    bool any = false;
    for (const double w : s.power_w) {
      if (is_full_register(w)) {
        any = true;
      } else if (w > largest) {
        largest = w;
      }
    }
    if (!any) continue;
    for (double& w : s.power_w) {
      if (!is_full_register(w) || largest * 10.0 >= w) continue;
      ++dropped[w];
      w = kUnknown;
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [w, n] : dropped) {
    sentences.push_back(fmt::format("{} of {} W {} a full register, not a power, and taken as unknown.",
                                    counted(n, "reading"), w, n == 1 ? "is" : "are"));
  }
  return sentences;
}

std::vector<std::string> drop_zeros(Trace& trace) {
  std::int64_t failed = 0;
  std::vector<std::string> absent;
  for (Series& s : trace.series) {
    const auto zeros = std::ranges::count(s.power_w, 0.0);
    if (zeros == 0) continue;
    if (std::ranges::any_of(s.power_w, [](double w) { return w > 0.0; })) {
      failed += zeros;
    } else {
      absent.push_back(s.device.name);
    }
    std::ranges::replace(s.power_w, 0.0, kUnknown);
  }
  std::vector<std::string> sentences;
  if (failed > 0) {
    sentences.push_back(fmt::format("{} of 0 W {} taken as failed polls; --zeros keep keeps them.",
                                    counted(failed, "reading"), failed == 1 ? "was" : "were"));
  }
  if (!absent.empty()) {
    std::string list;
    for (std::size_t i = 0; i < std::min(absent.size(), kListed); ++i) list += (i == 0 ? "" : ", ") + absent[i];
    if (absent.size() > kListed) list += fmt::format(" and {} more", absent.size() - kListed);
    sentences.push_back(
        fmt::format("Every reading of device {} is 0 W: {} seems absent. Its power is unknown, and so is the sum; "
                    "--zeros keep takes the zeros as they are.",
                    list, absent.size() == 1 ? "its meter" : "their meter"));
  }
  return sentences;
}

void warn_of_unit(Trace& trace, std::string_view unit) {
  Understanding& u = trace.understanding;
  const auto speaks_of_gpus = [](std::string_view text) {
    const std::string words = lower(text);
    return std::ranges::any_of(kGpuWords, [&](std::string_view w) { return words.find(w) != std::string::npos; });
  };
  const bool all = speaks_of_gpus(u.format) || speaks_of_gpus(u.devices);
  const Series* worst = nullptr;
  double highest = kMostOfAGpu;
  for (const Series& s : trace.series) {
    if (!all && !speaks_of_gpus(s.device.name) && !speaks_of_gpus(s.device.model) && !speaks_of_gpus(s.device.uuid)) {
      continue;
    }
    for (const double w : s.power_w) {
      if (!(w > highest)) continue;  // unknown is not above anything
      highest = w;
      worst = &s;
    }
  }
  if (worst == nullptr) return;
  u.warnings.push_back(
      fmt::format("With --unit {} device {} draws up to {:.6g} W, more than any GPU: the unit is doubtful, and with it "
                  "every figure in watts or joules.",
                  printable(unit, 10), printable(worst->device.name, 40), highest));
}

}  // namespace wattrein::trace
