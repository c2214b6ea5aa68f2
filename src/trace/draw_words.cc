#include "trace/draw_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr auto kNoDraw = std::to_array<std::string_view>(
    {// what it may be, or is meant to be
     "limit", "limits", "cap", "caps", "powercap", "capacity", "max", "maximum", "min", "minimum", "default",
     "enforced", "requested", "management", "tdp", "tgp", "budget", "target", "setpoint", "threshold", "rated",
     "rating", "nominal", "nameplate", "allocated", "allocation", "reserved", "provisioned", "predicted", "forecast",
     // what is left of it, or changed
     "headroom", "available", "remaining", "unused", "saved", "saving", "savings", "loss", "losses", "delta", "diff",
     "difference",
     // statistics and sums of it
     "peak", "highest", "lowest", "std", "stddev", "stdev", "variance", "error", "cumulative", "cum", "cumsum", "count",
     // no power
     "state", "mode", "brake", "slowdown", "throttle", "violation", "util", "utilization", "pct", "percent",
     "percentage", "ratio", "fraction", "factor", "smoothing", "cost", "hour", "hours", "hrs", "wh", "kwh",
     // of alternating current
     "reactive", "apparent", "va", "var", "kva", "kvar", "pf", "dpf", "thd", "phi"});

constexpr auto kOfCounters =
    std::to_array<std::string_view>({"cumulative", "cum", "cumsum", "hour", "hours", "hrs", "wh", "kwh"});

constexpr std::size_t kListed = 3;

bool has_any(const ColumnName& name, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&name](std::string_view word) { return name.has(word); });
}

}  // namespace

bool says_no_draw(std::string_view word) { return std::ranges::find(kNoDraw, word) != kNoDraw.end(); }

bool says_no_counter(std::string_view word) {
  return says_no_draw(word) && std::ranges::find(kOfCounters, word) == kOfCounters.end();
}

std::optional<std::string> passed_over_for(const ColumnName& name) {
  const bool energy = name.energy_scale.has_value();
  if (!energy && !name.power_scale && !has_any(name, {"power", "watts", "watt", "pwr", "draw"})) return std::nullopt;
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
