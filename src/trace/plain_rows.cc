#include "trace/plain_rows.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "trace/doubtful_readings.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::size_t kDateChars = 10;
constexpr std::size_t kMostCells = 256;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Two digits as a number, or 100.
int two(const char* at) { return is_digit(at[0]) && is_digit(at[1]) ? (at[0] - '0') * 10 + (at[1] - '0') : 100; }

std::string_view trimmed(const char* begin, const char* end) {
  while (begin != end && is_blank(*begin)) ++begin;
  while (end != begin && is_blank(end[-1])) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Reads stamps of one form; days are remembered, since logs repeat them for hours, and the last stamp, since the
/// devices of a poll share it.
class PlainClock {
 public:
  /// Whether the last stamp stands at `at` again, with `delimiter` behind it; its length then, else 0.
  [[nodiscard]] std::size_t again(const char* at, const char* end, char delimiter) const {
    const auto left = static_cast<std::size_t>(end - at);
    return size_ > 0 && left > size_ && at[size_] == delimiter && std::memcmp(at, last_.data(), size_) == 0 ? size_ : 0;
  }
  [[nodiscard]] std::int64_t last_ns() const { return last_ns_; }
  /// Remembers a stamp that read() has just read.
  void keep(std::string_view text, std::int64_t time_ns) {
    size_ = text.size();  // read() takes no more than 29 characters
    std::copy_n(text.data(), size_, last_.data());
    last_ns_ = time_ns;
  }
  bool read(std::string_view text, std::int64_t& time_ns) {
    if (text.size() < 19 || text[13] != ':' || text[16] != ':' || (text[10] != ' ' && text[10] != 'T')) return false;
    if (std::memcmp(text.data(), date_.data(), kDateChars) != 0 && !read_date(text)) return false;
    const int hour = two(text.data() + 11);
    const int minute = two(text.data() + 14);
    const int second = two(text.data() + 17);
    if (hour > 23 || minute > 59 || second > 59) return false;
    std::int64_t billionths = 0;
    if (text.size() > 19 && !read_fraction(text.substr(19), billionths)) return false;
    time_ns = midnight_ns_ + (hour * std::int64_t{3600} + minute * std::int64_t{60} + second) * kSecond + billionths;
    return true;
  }

 private:
  bool read_date(std::string_view text) {
    const int century = two(text.data());
    const int year_of = two(text.data() + 2);
    const int month = two(text.data() + 5);
    const int day = two(text.data() + 8);
    const bool separated = text[4] == text[7] && (text[4] == '/' || text[4] == '-');
    if (!separated || century > 22 || year_of > 99 || month > 12 || day > 31) return false;
    using namespace std::chrono;
    const year_month_day date{year{century * 100 + year_of}, std::chrono::month{static_cast<unsigned>(month)},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok() || century * 100 + year_of < 1970) return false;
    if (century * 100 + year_of > 2261) return false;
    midnight_ns_ = std::int64_t{sys_days{date}.time_since_epoch().count()} * 86'400 * kSecond;
    std::copy_n(text.data(), kDateChars, date_.data());
    return true;
  }

  static bool read_fraction(std::string_view text, std::int64_t& billionths) {
    if (text.size() < 2 || text.size() > 10 || text[0] != '.') return false;
    std::int64_t value = 0;
    for (const char c : text.substr(1)) {
      if (!is_digit(c)) return false;
      value = value * 10 + (c - '0');
    }
    for (std::size_t i = text.size() - 1; i < 9; ++i) value *= 10;
    billionths = value;
    return true;
  }

  std::array<char, kDateChars> date_{};
  std::array<char, 32> last_{};
  std::size_t size_ = 0;
  std::int64_t last_ns_ = 0;
  std::int64_t midnight_ns_ = 0;
};

/// "387.42" or "387.42 W". Fifteen digits over a power of ten are one correctly rounded division, which is what
/// std::from_chars gives (Clinger 1990).
bool read_plain_power(std::string_view text, std::optional<double> scale, double& power_w, bool& unit) {
  static constexpr std::array<double, 16> kTens{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  unit = text.ends_with('W');
  if (unit) {
    text.remove_suffix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  } else if (!scale) {
    return false;
  }
  if (text.empty() || text.size() > 15 || !is_digit(text.front())) return false;
  std::int64_t digits = 0;
  std::size_t decimals = 0;
  bool point = false;
  for (const char c : text) {
    if (is_digit(c)) {
      digits = digits * 10 + (c - '0');
      decimals += point ? 1 : 0;
    } else if (c == '.' && !point) {
      point = true;
    } else {
      return false;
    }
  }
  const double number = static_cast<double>(digits) / kTens[decimals];
  power_w = unit ? number : scaled(number, *scale);
  return power_w <= kMostWatts;
}

}  // namespace

/// One line's scratch, and what carries over from row to row.
struct PlainRows::Row {
  PlainClock clock;
  std::span<const std::string> keys;
  std::size_t next_key = 0;  ///< devices mostly come in the same order
  std::int64_t time_ns = 0;
  double power_w = 0.0;
  std::uint32_t device = 0;
  bool unit = false;

  bool find_key(std::string_view key) {
    if (next_key >= keys.size() || keys[next_key] != key) {
      const auto at = std::ranges::find(keys, key);
      if (at == keys.end()) return false;
      next_key = static_cast<std::size_t>(at - keys.begin());
    }
    device = static_cast<std::uint32_t>(next_key);
    next_key = next_key + 1 < keys.size() ? next_key + 1 : 0;
    return true;
  }
};

std::optional<PlainRows> PlainRows::of(const Layout& layout, const ColumnMap& map, const ColumnFormats& formats) {
  const bool more = map.host >= 0 || map.phase >= 0 || map.average >= 0 || map.limit >= 0 || map.energy >= 0 ||
                    map.date >= 0 || map.instance >= 0 || map.from_counter || !map.wide.empty();
  const bool lacks = map.time < 0 || map.power < 0 || map.device < 0;
  if (more || lacks || layout.delimiter == kBlanks || layout.cells > kMostCells) return std::nullopt;
  if (formats.power == Decimals::comma || map.time_unit) return std::nullopt;
  PlainRows rows;
  rows.delimiter_ = layout.delimiter;
  rows.cells_ = layout.cells;
  rows.time_ = static_cast<std::size_t>(map.time);
  rows.power_ = static_cast<std::size_t>(map.power);
  rows.device_ = static_cast<std::size_t>(map.device);
  rows.last_ = std::max({rows.time_, rows.power_, rows.device_});
  rows.scale_ = map.power_scale;
  if (rows.last_ >= rows.cells_ || rows.device_ == rows.time_) return std::nullopt;
  return rows;
}

bool PlainRows::parse_line(const char* at, const char* end, Row& row) const {
  std::size_t cell = 0;
  for (;; ++cell) {
    if (cell == time_) {
      if (const std::size_t size = row.clock.again(at, end, delimiter_); size > 0) {
        row.time_ns = row.clock.last_ns();
        at += size + 1;
        if (cell == last_) break;
        continue;
      }
    }
    const char* cell_end = at;  // cells are short: a loop is faster than a call
    while (cell_end != end && *cell_end != delimiter_) ++cell_end;
    if (cell == time_) {
      const std::string_view text = trimmed(at, cell_end);
      if (!row.clock.read(text, row.time_ns)) return false;
      row.clock.keep(text, row.time_ns);
    }
    if (cell == device_ && !row.find_key(trimmed(at, cell_end))) return false;
    if (cell == power_ && !read_plain_power(trimmed(at, cell_end), scale_, row.power_w, row.unit)) return false;
    if (cell_end == end) return cell + 1 == cells_;
    at = cell_end + 1;
    if (cell == last_) break;
  }
  return cell + 2 + static_cast<std::size_t>(std::count(at, end, delimiter_)) == cells_;
}

bool PlainRows::parse(std::string_view text, std::span<const std::string> keys, PlainBlock& out) const {
  out.time_ns.clear();
  out.power_w.clear();
  out.device.clear();
  out.lines = 0;
  out.unit_in_cells = false;
  if (text.find('"') != std::string_view::npos) return false;
  Row row;
  row.keys = keys;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (newline == nullptr || !parse_line(at, newline, row)) return false;
    out.time_ns.push_back(row.time_ns);
    out.power_w.push_back(row.power_w);
    out.device.push_back(row.device);
    out.unit_in_cells = out.unit_in_cells || row.unit;
    ++out.lines;
    at = newline + 1;
  }
  return true;
}

}  // namespace wattrein::trace
