#include "trace/doubtful_readings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>

#include "base/parallel.h"
#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kListed = 8;
constexpr double kMostOfAGpu = 5000.0;    // several times what any accelerator draws
constexpr double kMostOfABoard = 2000.0;  // one GPU: boards are sold up to 1.4 kW, and peaks go somewhat above
constexpr double kLeastOfAGpu = 20.0;     // at its busiest moment
constexpr std::array<std::string_view, 5> kGpuWords{"gpu", "nvidia", "dcgm", "rocm", "amd-smi"};

/// 0xFFFF W; 0x7FFFFFF0 to 0x7FFFFFFF mW; 0xFFFFFFFF mW, each also as printed with two decimals. What lies above
/// kMostWatts is no reading to begin with.
bool is_full_register(double w) {
  constexpr double kRounding = 0.01;
  const auto within = [w](double least, double most) { return w >= least - kRounding && w <= most + kRounding; };
  return w == 65535.0 || within(2147483.632, 2147483.648) || within(4294967.295, 4294967.296);
}

constexpr double kLeastSentinel = 999.0;

/// Numbers of nines and of bits, as logged in watts or in tenths and thousandths of one.
bool is_sentinel(double w) {
  static constexpr std::array<double, 17> kSentinels{
      kLeastSentinel, 999.9,  999.99, 999.999, 9999.0,  9999.9,      9999.99,      99999.0,    99999.9,
      999999.0,       3276.7, 6553.5, 32767.0, 65535.0, 2147483.647, 2147483647.0, 4294967.295};
  return w >= kLeastSentinel && std::ranges::find(kSentinels, w) != kSentinels.end();
}

constexpr int kBinsADecade = 10;
constexpr int kBins = 20 * kBinsADecade;  // 1e-10 W to 1e10 W
constexpr int kLeastGap = 15;             // empty bins between two scales
constexpr std::int64_t kLeastRun = 3;
constexpr std::int64_t kRareChanges = 20;  // a unit changes with a session; one reading in twenty is the device itself

int bin_of(double w) {
  return std::clamp(static_cast<int>(std::floor((std::log10(w) + 10.0) * kBinsADecade)), 0, kBins - 1);
}

struct Group {
  std::int64_t readings = 0;
  double middle = 0.0;  ///< its bin
};

Group group_of(const std::array<std::int64_t, kBins>& bins, int begin, int end) {
  Group group;
  for (int b = begin; b < end; ++b) group.readings += bins[static_cast<std::size_t>(b)];
  std::int64_t seen = 0;
  for (int b = begin; b < end && seen * 2 < group.readings; ++b) {
    seen += bins[static_cast<std::size_t>(b)];
    group.middle = b;
  }
  return group;
}

/// The first bin of the higher of two scales; 0 where there is but one.
int higher_scale(const Series& s, const PowerExtent& extent) {
  if (extent.most_w < extent.least_w * 300.0) return 0;
  std::array<std::int64_t, kBins> bins{};
  for (const double w : s.power_w) {
    if (w > 0.0) ++bins[static_cast<std::size_t>(bin_of(w))];
  }
  int empty = 0;
  for (int b = bin_of(extent.least_w); b < kBins; ++b) {
    if (bins[static_cast<std::size_t>(b)] == 0) {
      ++empty;
      continue;
    }
    if (empty >= kLeastGap) {
      const Group low = group_of(bins, 0, b);
      const Group high = group_of(bins, b, kBins);
      const double apart = (high.middle - low.middle) / kBinsADecade;
      return apart >= 2.5 && apart <= 3.5 ? b : 0;
    }
    empty = 0;
  }
  return 0;
}

/// Where the second group starts, if each of the two has a run.
std::optional<MixedScales> change_of(const Series& s, int higher) {
  std::int64_t longest[2] = {0, 0};
  std::int64_t run = 0;
  bool last = false;
  std::int64_t changes = 0;
  double before = 0.0;
  std::optional<MixedScales> change;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const double w = s.power_w[i];
    if (!(w > 0.0)) continue;
    const bool high = bin_of(w) >= higher;
    if (before > 0.0 && high != last && !change) change = {s.device.name, s.time_ns[i], before, w};
    if (before > 0.0 && high != last) ++changes;
    run = before > 0.0 && high == last ? run + 1 : 1;
    longest[high ? 1 : 0] = std::max(longest[high ? 1 : 0], run);
    last = high;
    before = w;
  }
  const bool often = changes > std::max<std::int64_t>(2, static_cast<std::int64_t>(s.size()) / kRareChanges);
  return std::min(longest[0], longest[1]) >= kLeastRun && !often ? change : std::nullopt;
}

}  // namespace

PowerExtents power_extents(const Trace& trace, int threads) {
  PowerExtents extents(trace.series.size());
  parallel_for(extents.size(), threads, [&](std::size_t i) {
    PowerExtent extent;
    for (const double w : trace.series[i].power_w) {
      extent.least_w = w > 0.0 && w < extent.least_w ? w : extent.least_w;
      extent.most_w = w > extent.most_w ? w : extent.most_w;
      extent.zeros += w == 0.0 ? 1 : 0;
      extent.unknown += w != w ? 1 : 0;
    }
    extents[i] = extent;
  });
  return extents;
}

std::optional<MixedScales> mixed_scales(const Trace& trace, const PowerExtents& extents) {
  for (std::size_t i = 0; i < trace.series.size(); ++i) {
    const Series& s = trace.series[i];
    const int higher = higher_scale(s, extents[i]);
    if (higher == 0) continue;
    if (auto change = change_of(s, higher)) return change;
  }
  return std::nullopt;
}

std::vector<std::string> drop_full_registers(Trace& trace, const PowerExtents& extents) {
  std::map<double, std::int64_t> dropped;
  for (std::size_t i = 0; i < trace.series.size(); ++i) {
    if (extents[i].most_w < kLeastSentinel) continue;
    Series& s = trace.series[i];
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
  for (std::size_t i = 0; i < trace.series.size(); ++i) {
    Series& s = trace.series[i];
    if (extents[i].most_w < kLeastSentinel || std::ranges::none_of(s.power_w, is_sentinel)) continue;
    double largest = 0.0;
    std::map<double, std::int64_t> seen;
    for (const double w : s.power_w) {
      if (is_sentinel(w)) {
        ++seen[w];
      } else if (w > largest) {
        largest = w;
      }
    }
    for (const auto& [sentinel, n] : seen) {
      if (n < 2 || largest == 0.0 || sentinel < 3.0 * largest) continue;
      dropped[sentinel] += n;
      std::ranges::replace(s.power_w, sentinel, kUnknown);
    }
  }
  std::vector<std::string> sentences;
  for (const auto& [w, n] : dropped) {
    sentences.push_back(
        fmt::format("{} of {} W {} a full register or a word for none, not a power, and taken as unknown.",
                    counted(n, "reading"), w, n == 1 ? "is" : "are"));
  }
  return sentences;
}

std::vector<std::string> drop_zeros(Trace& trace, const PowerExtents& extents) {
  std::int64_t failed = 0;
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < trace.series.size(); ++i) {
    if (extents[i].zeros == 0) continue;
    Series& s = trace.series[i];
    if (extents[i].most_w > 0.0) {
      failed += extents[i].zeros;
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

namespace {

bool speaks_of_gpus(std::string_view text) {
  const std::string words = lower(text);
  return std::ranges::any_of(kGpuWords, [&](std::string_view w) { return words.find(w) != std::string::npos; });
}

/// "gpu0", "host/GPU 3", "nvidia0", "GPU-c452...": not "gpu-node-1", which is a machine.
bool is_called_gpu(std::string_view name) {
  if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) name.remove_prefix(slash + 1);
  constexpr std::size_t kLeastOfUuid = 20;
  if (name.starts_with("GPU-") && name.size() >= kLeastOfUuid) return true;
  const std::string low = lower(name);
  const auto word = std::ranges::find_if(kGpuWords, [&low](std::string_view w) { return low.starts_with(w); });
  return word != kGpuWords.end() && low.find_first_not_of("0123456789-_:# ", word->size()) == std::string::npos;
}

/// What devices of one kind have in common: a machine, or the last part of the name but for its digits.
std::string kind_of(const Device& d) {
  if (d.names_host) return "/";
  std::string kind = lower(std::string_view(d.name).substr(d.name.rfind('/') + 1));
  std::erase_if(kind, [](char c) { return c >= '0' && c <= '9'; });
  return kind;
}

/// Of the readings above zero; nothing for a few.
std::optional<double> median_w(const Series& s) {
  std::vector<double> known;
  std::ranges::copy_if(s.power_w, std::back_inserter(known), [](double w) { return w > 0.0; });
  if (std::ssize(known) < kLeastRun) return std::nullopt;
  const auto middle = known.begin() + static_cast<std::ptrdiff_t>(known.size() / 2);
  std::ranges::nth_element(known, middle);
  return *middle;
}

/// Of devices of one kind the one whose usual power is a thousand times below or above that of the others: one logger
/// writes kW or mW. The factor of two that is left for their load lies evenly about 1000.
std::optional<std::string> scale_of_one(const Trace& trace, const PowerExtents& extents) {
  constexpr double kLeast = 700.0;
  constexpr double kMost = 1400.0;
  struct Usual {
    std::size_t series;
    double watts;
  };
  std::map<std::string, std::vector<std::size_t>> kinds;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i].most_w > 0.0) kinds[kind_of(trace.series[i].device)].push_back(i);
  }
  for (const auto& [kind, members] : kinds) {
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    for (const std::size_t i : members) {
      least = std::min(least, extents[i].least_w);
      most = std::max(most, extents[i].most_w);
    }
    if (members.size() < 2 || most < least * kLeast) continue;
    std::vector<Usual> usual;
    for (const std::size_t i : members) {
      if (const auto w = median_w(trace.series[i])) usual.push_back({i, *w});
    }
    if (usual.size() < 2) continue;
    std::vector<Usual> sorted = usual;
    std::ranges::sort(sorted, {}, &Usual::watts);
    const Usual middle = sorted[sorted.size() / 2];
    for (const Usual& u : usual) {
      const double times = std::max(u.watts, middle.watts) / std::min(u.watts, middle.watts);
      if (times < kLeast || times > kMost) continue;
      return fmt::format(
          "Device {} reads {:.4g} W in the median and device {} of its kind {:.4g} W, about a thousand times apart: if "
          "one of them is in kW or mW, every figure of the sum is wrong.",
          printable(trace.series[u.series].device.name, 40), u.watts,
          printable(trace.series[middle.series].device.name, 40), middle.watts);
    }
  }
  return std::nullopt;
}

/// What the log itself says: machines with GPUs are often called after them, so that a host's name says nothing.
bool says_gpu(const Understanding& u, const Device& d) {
  if (speaks_of_gpus(u.format) || speaks_of_gpus(u.devices) || speaks_of_gpus(d.model) || speaks_of_gpus(d.uuid)) {
    return true;
  }
  const bool are_hosts =
      std::ranges::any_of(std::array<std::string_view, 4>{"host", "node", "server", "machine"},
                          [&](std::string_view w) { return u.devices.find(w) != std::string::npos; });
  return !are_hosts && is_called_gpu(d.name);
}

constexpr std::string_view kDoubtful =
    "it is several of them, or the unit, the decimals or the reading is doubtful, and with it every figure in watts or "
    "joules";

/// The device that draws most and, a thousand times below, one that is plainly a GPU.
std::optional<std::string> thousand_apart(const Trace& trace, const PowerExtents& extents, std::size_t highest) {
  const double most = extents[highest].most_w;
  if (most <= kMostOfAGpu) return std::nullopt;
  std::optional<std::size_t> other;
  for (std::size_t i = 0; i < extents.size() && !other; ++i) {
    const double w = extents[i].most_w;
    const double times = w > 0.0 ? most / w : 0.0;
    const bool both_gpus = w >= kLeastOfAGpu && w <= kMostOfAGpu && most / 1000.0 >= kLeastOfAGpu;
    if (both_gpus && times > 300.0 && times < 3000.0) other = i;
  }
  if (!other) return std::nullopt;
  return fmt::format(
      "Device {} draws up to {:.6g} W and device {} up to {:.6g} W, about a thousand times apart: if one of them is in "
      "mW, every figure of the sum is wrong.",
      printable(trace.series[highest].device.name, 40), most, printable(trace.series[*other].device.name, 40),
      extents[*other].most_w);
}

/// A limiter may overshoot for a moment, never to twice its limit most of the time.
bool is_mostly_above_its_limit(const Series& s) {
  constexpr double kTimes = 2.0;
  const std::vector<double>& limit_w = s.column(Column::limit_w);
  std::size_t known = 0;
  std::size_t above = 0;
  for (std::size_t i = 0; i < std::min(limit_w.size(), s.power_w.size()); ++i) {
    if (std::isnan(s.power_w[i]) || !(limit_w[i] > 0.0)) continue;
    ++known;
    if (s.power_w[i] > kTimes * limit_w[i]) ++above;
  }
  return above * 2 > known;
}

}  // namespace

std::vector<std::string> doubtful_scales(const Trace& trace, const PowerExtents& extents) {
  if (extents.empty()) return {};
  const auto by_most = [&](std::size_t a, std::size_t b) { return extents[a].most_w < extents[b].most_w; };
  std::size_t highest = 0;
  std::optional<std::size_t> highest_gpu;
  std::optional<std::size_t> above_limit;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (by_most(highest, i)) highest = i;
    if (!says_gpu(trace.understanding, trace.series[i].device)) continue;
    if (!highest_gpu || by_most(*highest_gpu, i)) highest_gpu = i;
    if (!above_limit && is_mostly_above_its_limit(trace.series[i])) above_limit = i;
  }
  if (auto apart = thousand_apart(trace, extents, highest)) return {std::move(*apart)};
  if (auto apart = scale_of_one(trace, extents)) return {std::move(*apart)};
  if (highest_gpu && extents[*highest_gpu].most_w > kMostOfABoard) {
    return {fmt::format("Device {} draws up to {:.6g} W, more than any single GPU: {}. --unit states the unit.",
                        printable(trace.series[*highest_gpu].device.name, 40), extents[*highest_gpu].most_w,
                        kDoubtful)};
  }
  if (above_limit) {
    return {fmt::format("Device {} draws more than twice its own power limit in most readings: {}.",
                        printable(trace.series[*above_limit].device.name, 40), kDoubtful)};
  }
  return {};
}

void warn_of_unit(Trace& trace, std::string_view unit) {
  Understanding& u = trace.understanding;
  const Series* worst = nullptr;
  double highest = kMostOfABoard;
  for (const Series& s : trace.series) {
    if (!says_gpu(u, s.device)) continue;
    for (const double w : s.power_w) {
      if (!(w > highest)) continue;  // unknown is not above anything
      highest = w;
      worst = &s;
    }
  }
  if (worst == nullptr) return;
  u.warnings.push_back(fmt::format(
      "With --unit {} device {} draws up to {:.6g} W, more than any single GPU: the unit is doubtful, and with it "
      "every figure in watts or joules.",
      printable(unit, 10), printable(worst->device.name, 40), highest));
}

}  // namespace wattrein::trace
