#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <numeric>
#include <vector>

namespace wattrein {

namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct Unit {
  std::string_view name;
  double scale;
};
constexpr std::array<Unit, 4> kPowerUnits{{{"W", 1.0}, {"kW", 1e3}, {"mW", 1e-3}, {"MW", 1e6}}};
constexpr std::array<Unit, 6> kTimeUnits{
    {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}};

/// Splits "3.2kW" into its number and what follows it.
struct Amount {
  double number;
  std::string_view unit;
};
std::optional<Amount> split_amount(std::string_view s) {
  s = trim(s);
  if (s.starts_with('+') && !s.starts_with("+-")) s.remove_prefix(1);
  double number = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), number);
  if (ec != std::errc{} || !std::isfinite(number)) return std::nullopt;
  return Amount{number, trim(s.substr(static_cast<std::size_t>(end - s.data())))};
}

template <std::size_t N>
Result<double> parse_amount(std::string_view s, std::string_view where, const std::array<Unit, N>& units,
                            std::string_view noun, std::string_view example) {
  const auto amount = split_amount(s);
  if (!amount) {
    return fail(ErrorKind::usage, std::string(where), fmt::format("'{}' is not a {}", printable(s), noun),
                fmt::format("Write a number and its unit, as in {}.", example));
  }
  const auto unit = std::ranges::find(units, amount->unit, &Unit::name);
  if (unit == units.end()) {
    std::string names;
    for (const Unit& u : units) names += (names.empty() ? "" : ", ") + std::string(u.name);
    return fail(ErrorKind::usage, std::string(where),
                amount->unit.empty() ? fmt::format("'{}' has no unit", printable(s))
                                     : fmt::format("'{}' has a unit that is not known", printable(s)),
                fmt::format("Write one of {} behind the number, as in {}.", names, example));
  }
  if (amount->number <= 0) {
    return fail(ErrorKind::usage, std::string(where), fmt::format("'{}' is not above zero", printable(s)),
                fmt::format("A {} has to be positive, as in {}.", noun, example));
  }
  const double value = amount->number * unit->scale;
  if (!std::isfinite(value) || value <= 0) {
    return fail(ErrorKind::usage, std::string(where), fmt::format("'{}' is out of range", printable(s)),
                fmt::format("Write a number and its unit, as in {}.", example));
  }
  return value;
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (to_lower(a[i - 1]) == to_lower(b[j - 1]) ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view trim(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

std::string lower(std::string_view s) {
  std::string out(s);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, to_lower, to_lower);
}

std::optional<double> parse_double(std::string_view s) {
  const auto amount = split_amount(s);
  if (!amount || !amount->unit.empty()) return std::nullopt;
  return amount->number;
}

std::optional<std::int64_t> parse_int(std::string_view s) {
  s = trim(s);
  std::int64_t value = 0;
  const auto [end, ec] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (ec != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

Result<Watts> parse_watts(std::string_view s, std::string_view where) {
  const auto w = parse_amount(s, where, kPowerUnits, "power", "400W or 3.2kW");
  if (!w) return std::unexpected(w.error());
  return Watts(*w);
}

Result<Nanos> parse_duration(std::string_view s, std::string_view where) {
  const auto t = parse_amount(s, where, kTimeUnits, "duration", "500ms, 30s or 15min");
  if (!t) return std::unexpected(t.error());
  if (*t > 9e9 || *t < 1e-9) {
    return fail(ErrorKind::usage, std::string(where), fmt::format("'{}' is out of range", printable(s)),
                "Durations reach from 1ns to 2500000h.");
  }
  return to_nanos(Seconds(*t));
}

std::string_view nearest(std::string_view unknown, std::span<const std::string_view> known) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(2, unknown.size() / 3) + 1;
  for (const std::string_view name : known) {
    const std::size_t d = edit_distance(unknown, name);
    if (d < best_distance && d < std::max(unknown.size(), name.size())) {  // something has to be common
      best_distance = d;
      best = name;
    }
  }
  return best;
}

std::string format_duration(Nanos t) {
  if (t < Nanos(0) && t > Nanos::min()) return "-" + format_duration(-t);
  const double s = to_seconds(t).value();
  if (s >= 59.95) {
    // Tenths of a second below an hour, whole seconds from there; both end in what exact_duration makes of them.
    const auto tenths = static_cast<std::int64_t>(std::llround(s * 10));
    if (tenths < 36'000) return exact_duration(Nanos(tenths * 100'000'000));
    const auto whole_s = static_cast<std::int64_t>(std::llround(s));
    return whole_s < 9'000'000'000 ? exact_duration(Nanos(whole_s * 1'000'000'000))
                                   : fmt::format("{} h", whole_s / 3600);
  }
  // Each unit starts where three digits of the one below would round up to 1000.
  if (s >= 0.9995 || t == Nanos(0)) return fmt::format("{:.3g} s", s);
  if (s >= 0.9995e-3) return fmt::format("{:.3g} ms", s * 1e3);
  if (s >= 0.9995e-6) return fmt::format("{:.3g} us", s * 1e6);
  return fmt::format("{} ns", t.count());
}

std::string exact_duration(Nanos t) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  if (t < Nanos(0) && t > Nanos::min()) return "-" + exact_duration(-t);
  const std::int64_t ns = t.count();
  const auto digits = [](std::int64_t whole, std::int64_t rest, int places) {
    std::string text = fmt::format("{}.{:0{}}", whole, rest, places);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  };
  if (ns < 1'000) return format_duration(t);
  if (ns < 1'000'000) return digits(ns / 1'000, ns % 1'000, 3) + " us";
  if (ns < kSecond) return digits(ns / 1'000'000, ns % 1'000'000, 6) + " ms";
  const std::int64_t h = ns / (3600 * kSecond);
  const std::int64_t min = ns / (60 * kSecond) % 60;
  const std::int64_t below_min = ns % (60 * kSecond);
  std::string text;
  if (h > 0) text += fmt::format("{} h", h);
  if (min > 0 || (h > 0 && below_min > 0)) text += fmt::format("{}{} min", text.empty() ? "" : " ", min);
  if (below_min > 0) text += (text.empty() ? "" : " ") + digits(below_min / kSecond, below_min % kSecond, 9) + " s";
  return text;
}

std::string duration_beside(Nanos t, Nanos other) {
  const Nanos rounded = std::chrono::round<std::chrono::milliseconds>(t);
  const bool tells = (other < t) == (other < rounded) && (other > t) == (other > rounded) && rounded.count() > 0;
  return exact_duration(tells ? rounded : t);
}

std::string times(std::int64_t n) { return n == 1 ? "once" : n == 2 ? "twice" : fmt::format("{} times", n); }

std::string duration_key(Nanos t) {
  struct Step {
    std::string_view unit;
    std::int64_t ns;
  };
  static constexpr std::array<Step, 5> kSteps{
      {{"h", 3'600'000'000'000}, {"min", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}}};
  if (t == Nanos(0)) return "0s";
  for (const Step& step : kSteps) {
    if (t.count() % step.ns == 0) return fmt::format("{}{}", t.count() / step.ns, step.unit);
  }
  return fmt::format("{}ns", t.count());
}

std::string format_unix_ns(std::int64_t unix_ns) {
  using namespace std::chrono;
  std::int64_t ms = unix_ns / 1'000'000 - (unix_ns % 1'000'000 < 0 ? 1 : 0);
  std::int64_t day = ms / 86'400'000;
  ms %= 86'400'000;
  if (ms < 0) {
    ms += 86'400'000;
    --day;
  }
  const year_month_day date{sys_days{days{day}}};
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02}.{:03}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), ms / 3'600'000,
                     ms / 60'000 % 60, ms / 1000 % 60, ms % 1000);
}

std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0U; };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xc0U) == 0x80U; };
  const unsigned first = byte(0);
  if (s.empty()) return 0;
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return follows(1) ? 2 : 0;
  if ((first & 0xf0U) == 0xe0U) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) >= 0xa0;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xf0 && first < 0xf5) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool too_large = first == 0xf4 && byte(1) >= 0x90;
    return follows(1) && follows(2) && follows(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

std::string printable(std::string_view s, std::size_t max) {
  std::string out;
  std::size_t width = 0;
  std::size_t cut = 0;  // where `out` ends when dots have to follow
  while (!s.empty()) {
    const auto first = static_cast<unsigned char>(s.front());
    std::size_t length = utf8_length(s);
    const bool c1_control = length == 2 && first == 0xc2 && static_cast<unsigned char>(s[1]) < 0xa0;
    std::string piece(s.substr(0, length));
    if (first == '\t') {
      piece = " ";
    } else if (length == 0 || first < 0x20 || first == 0x7f || c1_control) {
      piece = fmt::format("\\x{:02x}", c1_control ? static_cast<unsigned char>(s[1]) : first);
      length = c1_control ? 2 : 1;
    }
    const std::size_t piece_width = length <= 1 ? piece.size() : 1;
    if (width + piece_width > max) {
      out.resize(cut);
      return out + std::string(std::min<std::size_t>(max, 3), '.');
    }
    out += piece;
    width += piece_width;
    if (width + 3 <= max) cut = out.size();
    s.remove_prefix(length);
  }
  return out;
}

std::string printable_ends(std::string_view s, std::size_t max) {
  constexpr std::size_t kDots = 3;
  const std::string whole = printable(s, s.size() * 4);
  std::vector<std::size_t> starts;  // of each character
  for (std::size_t at = 0; at < whole.size(); at += std::max<std::size_t>(1, utf8_length(whole.substr(at, 4)))) {
    starts.push_back(at);
  }
  if (starts.size() <= max || max <= kDots) return printable(s, max);
  const std::size_t head = (max - kDots) / 2;
  const std::size_t tail = max - kDots - head;
  return whole.substr(0, starts[head]) + std::string(kDots, '.') + whole.substr(starts[starts.size() - tail]);
}

}  // namespace wattrein
