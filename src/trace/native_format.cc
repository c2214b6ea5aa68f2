#include "trace/native_format.h"

#include <fmt/format.h>

#include <chrono>

namespace wattrein::trace {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::string_view kHex = "0123456789ABCDEF";

constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// Blanks only count at the ends, where readers trim; signs only at the start, where spreadsheets see a formula.
bool must_escape(std::string_view text, std::size_t i) {
  const char c = text[i];
  const auto u = static_cast<unsigned char>(c);
  if (u < 0x20 || u == 0x7f || c == ',' || c == '"' || c == '%' || c == '=') return true;
  if (c == ' ') return i == 0 || i + 1 == text.size();
  return i == 0 && (c == '+' || c == '-' || c == '@');
}

}  // namespace

std::string native_escape(std::string_view text) {
  if (text.empty()) return "%";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (must_escape(text, i)) {
      const auto u = static_cast<unsigned char>(text[i]);
      out += '%';
      out += kHex[u >> 4];
      out += kHex[u & 15];
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<std::string> native_unescape(std::string_view text) {
  if (text == "%") return std::string();
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

void append_native_time(std::string& out, std::int64_t time_ns) {
  const bool negative = time_ns < 0;
  const std::uint64_t ns = negative ? 0 - static_cast<std::uint64_t>(time_ns) : static_cast<std::uint64_t>(time_ns);
  fmt::format_to(std::back_inserter(out), "{}{}.{:09}", negative ? "-" : "", ns / kSecond, ns % kSecond);
}

std::optional<std::int64_t> parse_native_time(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  // Counted downwards, so that the lowest number fits.
  std::int64_t ns = 0;
  int decimals = -1;  // -1 before the point
  bool any = false;
  const auto push = [&ns](int digit) {
    return !__builtin_mul_overflow(ns, 10, &ns) && !__builtin_sub_overflow(ns, digit, &ns);
  };
  for (const char c : text) {
    if (c == '.' && decimals < 0 && any) {
      decimals = 0;
      continue;
    }
    if (c < '0' || c > '9' || decimals == 9) return std::nullopt;
    any = true;
    if (decimals >= 0) ++decimals;
    if (!push(c - '0')) return std::nullopt;
  }
  if (!any || decimals == 0) return std::nullopt;
  for (int i = decimals < 0 ? 0 : decimals; i < 9; ++i) {
    if (!push(0)) return std::nullopt;
  }
  if (negative) return ns;
  if (__builtin_sub_overflow(std::int64_t{0}, ns, &ns)) return std::nullopt;
  return ns;
}

std::string native_start(std::int64_t unix_ns, bool has_zone) {
  using namespace std::chrono;
  constexpr std::int64_t kDay = 86'400'000'000'000;
  std::int64_t day = unix_ns / kDay;
  std::int64_t ns = unix_ns % kDay;
  if (ns < 0) {
    ns += kDay;
    --day;
  }
  const year_month_day date{sys_days{days{day}}};
  const std::int64_t s = ns / 1'000'000'000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}{}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), s / 3600, s / 60 % 60,
                     s % 60, ns % 1'000'000'000, has_zone ? "Z" : "");
}

std::optional<MeterKind> parse_meter_kind(std::string_view text) {
  using enum MeterKind;
  for (const MeterKind kind : {unknown, instantaneous, average_1s, counter_difference}) {
    if (name(kind) == text) return kind;
  }
  return std::nullopt;
}

std::optional<Evidence> parse_evidence(std::string_view text) {
  using enum Evidence;
  for (const Evidence evidence : {measured_live, measured_replay, simulated, published, projected}) {
    if (name(evidence) == text) return evidence;
  }
  return std::nullopt;
}

}  // namespace wattrein::trace
