#include "trace/draw_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr auto kPower = std::to_array<std::string_view>({"power", "watts", "watt", "wattage", "pwr", "draw"});
/// What it may be, is meant to be, or was thought to be.
constexpr auto kMeant = std::to_array<std::string_view>(
    {"limit",       "limits",    "cap",         "caps",       "capping",    "powercap",  "capacity",    "default",
     "enforced",    "requested", "requirement", "management", "tdp",        "tgp",       "budget",      "quota",
     "target",      "goal",      "setpoint",    "threshold",  "ceiling",    "warning",   "warn",        "alarm",
     "alert",       "critical",  "crit",        "emergency",  "shutdown",   "trip",      "rated",       "rating",
     "nominal",     "nameplate", "contract",    "contracted", "subscribed", "allocated", "allocation",  "reserved",
     "provisioned", "planned",   "desired",     "reference",  "predicted",  "forecast",  "expected",    "assumed",
     "estimate",    "estimated", "model",       "modeled",    "modelled",   "simulated", "theoretical", "ideal"});
/// What is left of it, or changed.
constexpr auto kLeft = std::to_array<std::string_view>({"headroom", "available",  "remaining", "unused", "free",
                                                        "reserve",  "reserves",   "margin",    "spare",  "surplus",
                                                        "excess",   "redundancy", "saved",     "saving", "savings",
                                                        "loss",     "losses",     "delta",     "diff",   "difference"});
/// Statistics and sums of it, and what it is without work.
constexpr auto kStatistics = std::to_array<std::string_view>(
    {"max",      "maximum", "min",         "minimum",  "peak",      "highest", "lowest",   "std",        "stddev",
     "stdev",    "sigma",   "variance",    "error",    "rmse",      "mae",     "mse",      "bias",       "offset",
     "residual", "noise",   "uncertainty", "accuracy", "tolerance", "slope",   "gradient", "cumulative", "cum",
     "cumsum",   "count",   "idle",        "baseline", "standby",   "static",  "leakage"});
/// No power.
constexpr auto kOther = std::to_array<std::string_view>(
    {"state", "status", "mode", "brake", "slowdown", "throttle", "violation", "cycle", "cycles", "util", "utilization",
     "pct", "percent", "percentage", "ratio", "fraction", "factor", "smoothing", "cost", "price", "tariff", "carbon",
     "co2", "emission", "emissions", "hour", "hours", "hrs", "wh", "kwh",
     // of alternating current
     "reactive", "apparent", "va", "var", "kva", "kvar", "pf", "dpf", "thd", "phi"});
/// Of something else than the device or node: a part of it, what cools it, what feeds the house.
constexpr auto kElsewhere = std::to_array<std::string_view>(
    {"cpu",      "cpus",     "ram",      "dram",  "mem",     "memory", "dimm",    "dimms",   "hbm",      "vram",
     "uncore",   "disk",     "disks",    "hdd",   "ssd",     "nvme",   "drive",   "drives",  "storage",  "nvlink",
     "nvswitch", "network",  "ethernet", "nic",   "nics",    "tx",     "rx",      "optical", "laser",    "fan",
     "fans",     "blower",   "pump",     "pumps", "cooling", "cooler", "chiller", "hvac",    "crac",     "crah",
     "heater",   "lighting", "lights",   "solar", "pv",      "wind",   "battery", "charger", "generator"});

constexpr auto kOfCounters =
    std::to_array<std::string_view>({"cumulative", "cum", "cumsum", "hour", "hours", "hrs", "wh", "kwh"});

constexpr std::size_t kListed = 3;

template <std::size_t N>
bool is_among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

bool says_power(std::string_view word) { return is_among(word, kPower); }

bool is_drawn_elsewhere(std::string_view word) { return is_among(word, kElsewhere); }

bool says_no_draw(std::string_view word) {
  return is_among(word, kMeant) || is_among(word, kLeft) || is_among(word, kStatistics) || is_among(word, kOther) ||
         is_drawn_elsewhere(word);
}

bool says_no_counter(std::string_view word) { return says_no_draw(word) && !is_among(word, kOfCounters); }

std::optional<std::string> passed_over_for(const ColumnName& name) {
  const bool energy = name.energy_scale.has_value();
  if (!energy && !name.power_scale && std::ranges::none_of(name.tokens, says_power)) return std::nullopt;
  const auto at = std::ranges::find_if(name.tokens, energy ? says_no_counter : says_no_draw);
  return at == name.tokens.end() ? std::nullopt : std::optional(*at);
}

std::string passed_over(std::span<const ColumnName> names) {
  std::string text;
  std::size_t listed = 0;
  for (const ColumnName& name : names) {
    const auto word = passed_over_for(name);
    if (!word || listed == kListed) continue;
    text += fmt::format("{}'{}' is passed over for the word '{}'", listed == 0 ? ": " : ", ", printable(name.text, 40),
                        printable(*word, 20));
    ++listed;
  }
  return text;
}

}  // namespace wattrein::trace
