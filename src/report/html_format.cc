#include "report/html_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace wattrein::report::html {

namespace {

constexpr std::string_view kThinSpace = "\u202f";
constexpr std::string_view kMinus = "\u2212";
constexpr std::string_view kReplacement = "\ufffd";

/// Groups the digits before the point by threes; four digits too, so that a column lines up.
std::string grouped(std::string digits) {
  std::string sign;
  if (digits.starts_with('-')) {
    digits.erase(0, 1);
    if (digits.find_first_not_of("0.") != std::string::npos) sign = kMinus;
  }
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  std::string out = sign;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && i < whole && (whole - i) % 3 == 0) out += kThinSpace;
    out += digits[i];
  }
  return out;
}

int decimals_for(double value, int digits) {
  if (value == 0.0) return 0;
  return std::clamp(digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))), 0, 6);
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto u = static_cast<unsigned char>(c);
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\'') {
      out += "&#39;";
    } else if ((u < 0x20 && c != '\n' && c != '\t') || u == 0x7f) {
      out += kReplacement;
    } else {
      out += c;
    }
  }
  return out;
}

std::string name(std::string_view text) { return "<bdi>" + escape(text) + "</bdi>"; }

std::string word(std::string_view text) { return "<span class=\"word\">" + escape(text) + "</span>"; }

std::string unknown() { return word("unknown"); }

std::string number(double value, int decimals) {
  if (!std::isfinite(value)) return unknown();
  return grouped(fmt::format("{:.{}f}", value, decimals));
}

std::string number(std::int64_t value) { return grouped(fmt::format("{}", value)); }

std::string significant(double value, int digits) {
  return std::isfinite(value) ? number(value, decimals_for(value, digits)) : unknown();
}

std::string trimmed(double value, int digits) {
  std::string text = significant(value, digits);
  if (text.find('.') == std::string::npos || !std::isfinite(value)) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string watts(double value) { return number(value, std::abs(value) < 1000 ? 1 : 0); }

std::string watts(std::optional<Watts> value) { return value ? watts(value->value()) : unknown(); }

std::string watts_beside(double value, double limit) {
  if (!std::isfinite(value)) return unknown();
  int decimals = std::abs(value) < 1000 ? 1 : 0;
  const int most = decimals + 3;
  while (value != limit && decimals < most && number(value, decimals) == number(limit, decimals)) ++decimals;
  return number(value, decimals);
}

std::string percent(double share) { return std::isfinite(share) ? significant(share * 100, 3) + "\u202f%" : unknown(); }

std::string percent_signed(double change) {
  return change > 0 && std::isfinite(change) ? "+" + percent(change) : percent(change);
}

std::string duration(Nanos t) { return escape(format_duration(t)); }

std::string clock(Nanos since_start) {
  const std::int64_t tenths = (since_start.count() + 50'000'000) / 100'000'000;
  const std::int64_t s = tenths / 10;
  std::string out = fmt::format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  if (tenths % 10 != 0) out += fmt::format(".{}", tenths % 10);
  return out;
}

std::string plural(std::int64_t n, std::string_view noun) {
  return number(n) + " " + std::string(noun) + (n == 1 ? "" : "s");
}

std::string estimate(const experiment::Estimate& e, Figure figure) {
  std::string out = figure(e.mean);
  if (e.interval_95) {
    out += fmt::format("<span class=\"interval\">{} to {}</span>", figure(e.interval_95->low),
                       figure(e.interval_95->high));
  }
  return out;
}

}  // namespace wattrein::report::html
