#include "trace/plain_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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
    std::ranges::copy(text, last_.begin());
    last_ns_ = time_ns;
  }
  bool read(std::string_view text, std::int64_t& time_ns) {
    if (text.size() < 19 || text[13] != ':' || text[16] != ':' || (text[10] != ' ' && text[10] != 'T')) return false;
    if (text.substr(0, kDateChars) != std::string_view(date_.data(), kDateChars) && !read_date(text)) return false;
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
    const char* const at = text.data();
    const int century = two(at);
    const int year_of = two(at + 2);
    const int month = two(at + 5);
    const int day = two(at + 8);
    const bool separated = text[4] == text[7] && (text[4] == '/' || text[4] == '-');
    if (!separated || century > 20 || year_of > 99 || month > 12 || day > 31) return false;
    using namespace std::chrono;
    const year_month_day date{year{century * 100 + year_of}, std::chrono::month{static_cast<unsigned>(month)},
                              std::chrono::day{static_cast<unsigned>(day)}};
    if (!date.ok() || century * 100 + year_of < 1970) return false;
    if (century * 100 + year_of > 2095) return false;
    midnight_ns_ = std::int64_t{sys_days{date}.time_since_epoch().count()} * 86'400 * kSecond;
    std::ranges::copy(text.substr(0, kDateChars), date_.begin());
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

/// Whether a device is called so. Most names are one digit, or differ at their end.
bool same_name(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  return a.size() < 2 ? a == b : a.back() == b.back() && std::memcmp(a.data(), b.data(), a.size() - 1) == 0;
}

/// The end of the cell at `at`, at its delimiter or the line's end; nullptr where it holds a quote.
const char* cell_end_of(const char* at, char delimiter) {
  for (;; ++at) {  // cells are short: a loop is faster than a call
    if (*at == delimiter || *at == '\n') return at;
    if (*at == '"') return nullptr;
  }
}

/// Counts the delimiters from `at` to the line's end and moves `at` there; nothing where a quote stands between.
/// `end` is behind the last line's end.
std::optional<std::size_t> count_to_line_end(const char*& at, const char* end, char delimiter) {
  std::size_t found = 0;
#ifdef __SSE2__
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto where = [bytes](char c) {
      return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
    };
    const unsigned line_end = where('\n');
    const unsigned within = line_end == 0 ? 0xFFFFU : (line_end & (0U - line_end)) - 1U;
    if ((where('"') & within) != 0) return std::nullopt;
    for (unsigned left = where(delimiter) & within; left != 0; left &= left - 1) ++found;
    if (line_end == 0) continue;
    at += std::countr_zero(line_end);
    return found;
  }
#endif
  for (; at != end && *at != '\n'; ++at) {
    if (*at == '"') return std::nullopt;
    found += *at == delimiter ? 1 : 0;
  }
  return found;
}

/// Nothing where some of the sampled rows have a unit behind their power and some have not.
std::optional<bool> all_have_unit(const Layout& layout, std::size_t power) {
  std::optional<bool> all;
  for (const auto& row : layout.rows) {
    if (row.size() <= power) continue;
    const Reading reading = read_power(row[power], {});
    if (reading.kind != Reading::Kind::value) continue;
    if (all && *all != reading.unit_in_cell) return std::nullopt;
    all = reading.unit_in_cell;
  }
  return all;
}

}  // namespace

/// What carries over from row to row.
struct PlainRows::Row {
  PlainClock clock;
  std::span<const std::string> keys;
  std::size_t next_key = 0;  ///< devices mostly come in the same order
  std::int64_t time_ns = 0;
  double power_w = 0.0;
  std::size_t device = 0;
  bool unit = false;

  bool find_key(std::string_view key) {
    if (next_key >= keys.size() || !same_name(keys[next_key], key)) {
      const auto at = std::ranges::find(keys, key);
      if (at == keys.end()) return false;
      next_key = static_cast<std::size_t>(at - keys.begin());
    }
    device = next_key;
    next_key = next_key + 1 < keys.size() ? next_key + 1 : 0;
    return true;
  }
};

std::optional<PlainRows> PlainRows::of(const Layout& layout, const ColumnMap& map, const ColumnFormats& formats) {
  const bool more = map.host >= 0 || map.phase >= 0 || map.average >= 0 || map.second >= 0 || map.limit >= 0 ||
                    map.energy >= 0 || map.date >= 0 || map.instance >= 0 || map.from_counter || !map.wide.empty();
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
  if (rows.time_ + 1 == rows.cells_) return std::nullopt;  // a stamp at the line's end may be cut
  rows.last_cell_ = last_cell_of(layout, map, formats);
  rows.unit_ = all_have_unit(layout, rows.power_);
  const bool shared = rows.device_ == rows.time_ || rows.device_ == rows.power_ || rows.power_ == rows.time_;
  if (rows.last_ >= rows.cells_ || shared) return std::nullopt;
  return rows;
}

/// "387.42" or "387.42 W" at `at`, blanks around it: the end of its cell, or nullptr. Fifteen digits over a power of
/// ten are one correctly rounded division, which is what std::from_chars gives (Clinger 1990).
const char* PlainRows::read_power(const char* at, Row& row) const {
  static constexpr std::array<double, 16> kTens{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  static constexpr std::ptrdiff_t kMostChars = 15;
  const auto skip_blanks = [&at, this] {
    while (is_blank(*at) && *at != delimiter_) ++at;
  };
  skip_blanks();
  const char* const begin = at;
  const char* point = nullptr;
  std::int64_t digits = 0;
  for (;; ++at) {
    if (is_digit(*at)) {
      digits = digits * 10 + (*at - '0');
    } else if (*at == '.' && point == nullptr && at != begin) {
      point = at;
    } else {
      break;
    }
    if (at - begin >= kMostChars) return nullptr;
  }
  if (at == begin) return nullptr;
  const std::ptrdiff_t decimals = point == nullptr ? 0 : at - point - 1;
  const double number = static_cast<double>(digits) / kTens[static_cast<std::size_t>(decimals)];
  while (*at == ' ') ++at;
  row.unit = *at == 'W';
  if (unit_ && *unit_ != row.unit) return nullptr;
  if (row.unit) {
    ++at;
  } else if (!scale_) {
    return nullptr;
  }
  skip_blanks();
  if (*at != delimiter_ && *at != '\n') return nullptr;
  const bool cut = last_cell_.unit
                       ? !row.unit
                       : last_cell_.decimals > 0 && last_cell_.decimals != static_cast<std::size_t>(decimals);
  if (cut) return nullptr;
  row.power_w = row.unit ? number : scaled(number, *scale_);
  return row.power_w <= kMostWatts ? at : nullptr;
}

/// The stamp at `at`: the end of its cell, or nullptr.
const char* PlainRows::read_time(const char* at, const char* end, Row& row) const {
  if (const std::size_t size = row.clock.again(at, end, delimiter_); size > 0) {
    row.time_ns = row.clock.last_ns();
    return at + size;
  }
  const char* const cell_end = cell_end_of(at, delimiter_);
  if (cell_end == nullptr) return nullptr;
  const std::string_view text = trimmed(at, cell_end);
  if (!row.clock.read(text, row.time_ns)) return nullptr;
  row.clock.keep(text, row.time_ns);
  return cell_end;
}

const char* PlainRows::read_line(const char* at, const char* end, Row& row) const {
  for (std::size_t cell = 0;; ++cell) {
    const char* cell_end = nullptr;
    if (cell == time_) {
      cell_end = read_time(at, end, row);
    } else if (cell == power_) {
      cell_end = read_power(at, row);
    } else {
      cell_end = cell_end_of(at, delimiter_);
      if (cell_end != nullptr && cell == device_ && !row.find_key(trimmed(at, cell_end))) return nullptr;
    }
    if (cell_end == nullptr) return nullptr;
    if (*cell_end == '\n') return cell + 1 == cells_ ? cell_end + 1 : nullptr;
    at = cell_end + 1;
    if (cell != last_) continue;
    const auto more = count_to_line_end(at, end, delimiter_);
    return more && cell + 2 + *more == cells_ ? at + 1 : nullptr;
  }
}

bool PlainRows::parse(std::string_view text, std::span<const std::string> keys, PlainBlock& out) const {
  out.devices.resize(keys.size());
  for (PlainBlock::Columns& columns : out.devices) {
    columns.time_ns.clear();
    columns.power_w.clear();
  }
  out.lines = 0;
  out.unit_in_cells = false;
  if (!text.ends_with('\n')) return false;
  Row row;
  row.keys = keys;
  const char* const end = text.data() + text.size();
  for (const char* at = text.data(); at != end;) {
    at = read_line(at, end, row);
    if (at == nullptr) return false;
    out.devices[row.device].time_ns.push_back(row.time_ns);
    out.devices[row.device].power_w.push_back(row.power_w);
    out.unit_in_cells = out.unit_in_cells || row.unit;
    ++out.lines;
  }
  return true;
}

}  // namespace wattrein::trace
