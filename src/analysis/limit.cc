#include "analysis/limit.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace wattrein::analysis {

namespace {

constexpr std::string_view kGrammar =
    "A limit is POWER[:sum][@WINDOW], as in 400W (each device), 3200W:sum (all devices together) or 3200W:sum@30s.";

std::unexpected<Error> refuse(std::string_view where, std::string what) {
  return fail(ErrorKind::usage, std::string(where), std::move(what), std::string(kGrammar));
}

}  // namespace

std::string Limit::text() const {
  std::string out = fmt::format("{}W", power.value());
  if (scope == Scope::sum) out += ":sum";
  if (window) out += "@" + duration_key(*window);
  return out;
}

Result<Limit> parse_limit(std::string_view s, std::string_view where) {
  const std::string_view whole = trim(s);
  Limit limit;
  limit.origin = "given";

  const std::size_t at = whole.find('@');
  if (at != std::string_view::npos) {
    const std::string_view window = trim(whole.substr(at + 1));
    if (window.empty()) return refuse(where, fmt::format("'{}' has no window behind the @", printable(whole)));
    if (window.find(':') != std::string_view::npos) {
      return refuse(where, fmt::format("'{}' has its window before its scope", printable(whole)));
    }
    const auto duration = parse_duration(window, where);
    if (!duration) {
      auto refused =
          refuse(where, fmt::format("the window of '{}' cannot be: {}", printable(whole), duration.error().what));
      refused.error().cure = duration.error().cure + " " + refused.error().cure;
      return refused;
    }
    limit.window = *duration;
  }

  const std::string_view front = whole.substr(0, at);
  const std::size_t colon = front.find(':');
  if (colon != std::string_view::npos) {
    const std::string_view scope = trim(front.substr(colon + 1));
    if (scope != "sum") {
      return refuse(where, fmt::format("'{}' has a scope that is not known: '{}'", printable(whole), printable(scope)));
    }
    limit.scope = Limit::Scope::sum;
  }

  const auto power = parse_watts(front.substr(0, colon), where);
  if (!power) {
    Error error = power.error();
    error.cure += " " + std::string(kGrammar);
    return std::unexpected(std::move(error));
  }
  // Windows are judged in whole microwatts, so a limit is one too: 1.239kW is 1239 W and prints as that.
  const double microwatts = std::round(power->value() * 1e6);
  if (microwatts < 1 || microwatts > 1e15) {
    return refuse(where, fmt::format("'{}' is out of range: limits reach from 0.001mW to 1000MW", printable(whole)));
  }
  limit.power = Watts(microwatts / 1e6);
  return limit;
}

}  // namespace wattrein::analysis
