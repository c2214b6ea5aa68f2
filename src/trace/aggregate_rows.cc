#include "trace/aggregate_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kLooks = 256;
constexpr std::size_t kLeastLooks = 8;
constexpr std::int64_t kOnePollNs = 500'000'000;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_number(std::string_view name) { return !name.empty() && std::ranges::all_of(name, is_digit); }

/// Words of a name in lower case, without digits: "Total_GPU:" is total, gpu; "cpu0" is cpu.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && is_letter(name[end])) ++end;
    if (end > i) words.push_back(lower(name.substr(i, end - i)));
    i = std::max(end, i + 1);
  }
  return words;
}

template <std::size_t N>
bool among(const std::string& word, const std::array<std::string_view, N>& list) {
  return std::ranges::find(list, word) != list.end();
}

bool is_aggregate_word(const std::string& word) {
  static constexpr std::array<std::string_view, 24> kWords{
      "total",   "totals", "sum",     "summe",    "gesamt",    "somme",    "suma",     "avg",
      "average", "mean",   "moyenne", "mittel",   "median",    "max",      "min",      "maximum",
      "minimum", "all",    "overall", "combined", "aggregate", "\xce\xa3", "\xcf\x83", "\xe2\x88\x91"};
  return among(word, kWords);
}

/// "Total", "sum", "Total GPU", "*": nothing but a word for all devices, and words for devices and power.
bool is_aggregate(std::string_view name) {
  static constexpr std::array<std::string_view, 15> kBeside{"gpu",  "gpus",  "device", "devices", "power",
                                                            "w",    "watts", "draw",   "of",      "the",
                                                            "card", "cards", "node",   "host",    "usage"};
  if (name == "*") return true;
  if (std::ranges::any_of(name, is_digit)) return false;
  const std::vector<std::string> words = words_of(name);
  return std::ranges::any_of(words, is_aggregate_word) && std::ranges::all_of(words, [](const std::string& word) {
           return is_aggregate_word(word) || among(word, kBeside);
         });
}

/// What stands in a machine beside its GPUs, or holds them.
bool is_part_or_whole(std::string_view name) {
  static constexpr std::array<std::string_view, 15> kParts{"cpu",    "cpus",    "dram", "ram",  "memory",
                                                           "psys",   "package", "pkg",  "core", "cores",
                                                           "uncore", "socket",  "psu",  "fan",  "fans"};
  static constexpr std::array<std::string_view, 6> kWholes{"node", "host", "system", "server", "chassis", "platform"};
  static constexpr std::array<std::string_view, 5> kBeside{"power", "w", "watts", "rapl", "intel"};
  const std::vector<std::string> words = words_of(name);
  const bool numbered = std::ranges::any_of(name, is_digit);  // "node7" is one machine of several
  const auto is_one = [numbered](const std::string& word) {
    return among(word, kParts) || (!numbered && among(word, kWholes));
  };
  return std::ranges::any_of(words, is_one) && std::ranges::all_of(words, [&](const std::string& word) {
           return is_one(word) || among(word, kBeside) || is_aggregate_word(word);
         });
}

bool is_gpu(std::string_view name) {
  if (is_number(name)) return true;
  const std::string low = lower(name);
  return std::ranges::any_of(std::array<std::string_view, 3>{"gpu", "card", "cuda"},
                             [&low](std::string_view word) { return low.find(word) != std::string::npos; });
}

/// The device's name without its host in front.
std::string_view bare(const Series& s) {
  std::string_view name = s.device.name;
  const std::string& host = s.device.host;
  if (!host.empty() && name.size() > host.size() + 1 && name.starts_with(host) && name[host.size()] == '/') {
    name.remove_prefix(host.size() + 1);
  }
  return trim(name);
}

bool repeats(const Series& part, const Series& whole) {
  std::size_t i = 0;
  std::size_t met = 0;
  std::size_t equal = 0;
  for (std::size_t k = 0; k < part.size(); ++k) {
    while (i < whole.size() && whole.time_ns[i] < part.time_ns[k]) ++i;
    if (i == whole.size()) break;
    if (whole.time_ns[i] != part.time_ns[k]) continue;
    ++met;
    if (whole.power_w[i] == part.power_w[k] || (std::isnan(whole.power_w[i]) && std::isnan(part.power_w[k]))) ++equal;
  }
  return met > 0 && equal * 20 >= met * 19;
}

/// The GPU that an instance's name names: "GPU 0" of "GPU 0 MIG 1", "0" of "0:1"; empty where it is none.
std::string_view parent_of(std::string_view name, bool& says_mig) {
  const std::string low = lower(name);
  const std::size_t mig = low.find("mig");
  says_mig = mig != std::string::npos && mig > 0;
  if (says_mig) {
    const std::size_t end = name.find_last_not_of(" \t:/._-(", mig - 1);
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end + 1);
  }
  const std::size_t colon = name.find_last_of(":./");
  return colon != std::string_view::npos && is_number(name.substr(colon + 1)) ? name.substr(0, colon)
                                                                              : std::string_view();
}

bool is_instance(const Series& s, const std::vector<Series>& series) {
  bool says_mig = false;
  const std::string_view parent = parent_of(bare(s), says_mig);
  if (parent.empty()) return false;
  return std::ranges::any_of(series, [&](const Series& other) {
    return &other != &s && other.device.host == s.device.host && bare(other) == parent &&
           (says_mig || repeats(s, other));
  });
}

enum class What : unsigned char { device, aggregate, part, instance };

std::string sentence(const Series& s, What what) {
  const std::string_view why = what == What::aggregate ? "they sum up the others"
                               : what == What::part    ? "it is no GPU, as the others are"
                                                       : "a GPU's power includes its instances'";
  return fmt::format("{} of '{}' {} passed over: {}. --device with its column reads all rows.",
                     counted(s.size(), "row"), printable(s.device.name, 60), s.size() == 1 ? "was" : "were", why);
}

}  // namespace

std::vector<std::string> drop_aggregates(std::vector<Series>& series) {
  constexpr std::size_t kMostNamed = 8;
  std::vector<What> what(series.size(), What::device);
  if (series.size() < 2) return {};
  std::set<std::string_view> hosts_with_gpus;
  std::set<std::string_view> hosts_with_numbers;
  std::set<std::string_view> hosts_with_devices;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string_view name = bare(series[i]);
    if (is_aggregate(name)) {
      what[i] = What::aggregate;
    } else if (is_part_or_whole(name)) {
      what[i] = What::part;
      hosts_with_devices.insert(series[i].device.host);
    } else if (name != "-1") {
      hosts_with_devices.insert(series[i].device.host);
      if (is_gpu(name)) hosts_with_gpus.insert(series[i].device.host);
      if (is_number(name)) hosts_with_numbers.insert(series[i].device.host);
    }
  }
  for (std::size_t i = 0; i < series.size(); ++i) {
    const std::string_view host = series[i].device.host;
    if (bare(series[i]) == "-1" && hosts_with_numbers.contains(host)) what[i] = What::aggregate;
    if (what[i] == What::aggregate && !hosts_with_devices.contains(host)) what[i] = What::device;
    if (what[i] == What::part && !hosts_with_gpus.contains(host)) what[i] = What::device;
  }
  // Each look at an instance goes through all devices: a thousand of them are no MIG instances.
  for (std::size_t i = 0; i < series.size() && series.size() <= 1024; ++i) {
    if (what[i] == What::device && is_instance(series[i], series)) what[i] = What::instance;
  }
  std::vector<std::string> sentences;
  for (const Series& s : series) {
    const std::vector<std::string> words = words_of(bare(s));
    if (words != std::vector<std::string>{"psys"} || hosts_with_gpus.contains(s.device.host)) continue;
    sentences.push_back("'psys' is the power of the whole platform, the others' included: a sum counts them twice.");
    break;
  }
  std::size_t more = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (what[i] == What::device) continue;
    if (sentences.size() == kMostNamed) {
      ++more;
    } else {
      sentences.push_back(sentence(series[i], what[i]));
    }
  }
  if (more > 0)
    sentences.push_back(fmt::format("{} {} passed over for the same reasons.", counted(more, "more device"),
                                    more == 1 ? "was" : "were"));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (what[i] != What::device) continue;
    if (kept != i) series[kept] = std::move(series[i]);
    ++kept;
  }
  series.resize(kept);
  return sentences;
}

namespace {

/// How often one device read what all others make together.
struct Agreement {
  std::size_t sum = 0;
  std::size_t mean = 0;
};

bool changes(const Series& s) {
  std::set<double> values;
  for (std::size_t i = 0; i < s.size() && values.size() < 3; ++i) values.insert(s.power_w[i]);
  return values.size() >= 3;
}

}  // namespace

std::vector<std::string> aggregates_by_value(const std::vector<Series>& series) {
  const std::size_t n = series.size() < 3 ? 0 : series[0].size();
  if (n < kLeastLooks || std::ranges::any_of(series, [n](const Series& s) { return s.size() != n; })) return {};
  std::vector<Agreement> agreements(series.size());
  std::size_t looks = 0;
  const std::size_t step = std::max<std::size_t>(1, n / kLooks);
  for (std::size_t i = 0; i < n; i += step) {
    double total = 0.0;
    double least = std::numeric_limits<double>::infinity();
    double most = 0.0;
    bool together = true;
    for (const Series& s : series) {
      const std::int64_t apart = s.time_ns[i] > series[0].time_ns[i] ? s.time_ns[i] - series[0].time_ns[i]
                                                                     : series[0].time_ns[i] - s.time_ns[i];
      together = together && apart <= kOnePollNs;
      total += s.power_w[i];
      least = std::min(least, s.power_w[i]);
      most = std::max(most, s.power_w[i]);
    }
    if (!together) return {};
    if (std::isnan(total)) continue;
    ++looks;
    for (std::size_t k = 0; k < series.size(); ++k) {
      const double power = series[k].power_w[i];
      const double slack = 0.5 + 0.002 * power;
      const double others = total - power;
      const double mean = others / static_cast<double>(series.size() - 1);
      if (power > 10.0 * slack && std::abs(power - others) <= slack) ++agreements[k].sum;
      // Devices that all read alike read their mean as well.
      if (most - least > 10.0 * slack && std::abs(power - mean) <= slack) ++agreements[k].mean;
    }
  }
  std::vector<std::string> sentences;
  for (std::size_t k = 0; k < series.size() && looks >= kLeastLooks; ++k) {
    const bool is_sum = agreements[k].sum * 20 >= looks * 19;
    const bool is_mean = agreements[k].mean * 20 >= looks * 19;
    if ((!is_sum && !is_mean) || !changes(series[k])) continue;
    sentences.push_back(
        fmt::format("Device '{}' reads the {} of all others at nearly every stamp: if that is what it is, a sum counts "
                    "power twice.",
                    printable(series[k].device.name, 60), is_sum ? "sum" : "mean"));
  }
  return sentences;
}

namespace {

/// "gpu#" of "GPU0", "#" of "3": what devices of a kind have in common.
std::string stem_of(std::string_view name) {
  std::string stem;
  for (const char c : name) {
    if (!is_digit(c)) {
      stem += c;
    } else if (stem.empty() || stem.back() != '#') {
      stem += '#';
    }
  }
  return lower(stem);
}

/// Plain mean of at most kLooks known readings, evenly spread; zero where none is known.
double mean_power(const Series& s) {
  double total = 0.0;
  std::size_t known = 0;
  for (std::size_t i = 0; i < s.size(); i += std::max<std::size_t>(1, s.size() / kLooks)) {
    if (std::isnan(s.power_w[i])) continue;
    total += s.power_w[i];
    ++known;
  }
  return known == 0 ? 0.0 : total / static_cast<double>(known);
}

struct Kind {
  std::size_t devices = 0;
  double power = 0.0;
};

}  // namespace

std::vector<std::string> meters_by_value(const std::vector<Series>& series) {
  constexpr double kNearly = 0.9;
  constexpr std::size_t kMostNamed = 4;
  std::map<std::string, std::map<std::string, Kind>> kinds;  // by host and stem
  std::vector<double> power;
  for (const Series& s : series) {
    Kind& kind = kinds[s.device.host][stem_of(bare(s))];
    power.push_back(mean_power(s));
    ++kind.devices;
    kind.power += power.back();
  }
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < series.size() && sentences.size() < kMostNamed; ++i) {
    const auto& of_host = kinds[series[i].device.host];
    const std::string stem = stem_of(bare(series[i]));
    if (of_host.at(stem).devices > 1) continue;
    const bool holds_others = std::ranges::any_of(of_host, [&](const auto& other) {
      const auto& [name, kind] = other;
      return name != stem && name.find('#') != std::string::npos && kind.devices > 1 && kind.power > 0.0 &&
             power[i] >= kNearly * kind.power;
    });
    if (!holds_others) continue;
    sentences.push_back(
        fmt::format("Device '{}' is named unlike the others and draws as much as those together ({:.0f} W): if it is "
                    "their machine's own meter, a sum counts their power twice.",
                    printable(series[i].device.name, 60), power[i]));
  }
  return sentences;
}

}  // namespace wattrein::trace
