#include "trace/number_format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMostDigits = 40;
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// A separator other than comma and point: blank, apostrophe, and their typographic forms, in UTF-8 and Latin-1.
constexpr std::array<std::string_view, 8> kSpacers{" ", "\xc2\xa0",     "\xe2\x80\xaf", "\xe2\x80\x89",
                                                   "'", "\xe2\x80\x99", "\xa0",         "\x92"};

std::string_view spacer_at(std::string_view text) {
  for (const std::string_view spacer : kSpacers) {
    if (text.starts_with(spacer)) return spacer;
  }
  return {};
}

std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

/// The digits and separators at the start of a cell.
struct Shape {
  std::size_t first = 0;  ///< digits before any separator
  std::size_t last = 0;   ///< digits after the last comma or point
  int commas = 0;
  int points = 0;
  char last_mark = '\0';      ///< the last comma or point
  bool leading_zero = false;  ///< "0,125": no thousands
};

Shape shape_of(std::string_view cell) {
  cell = without_sign(cell);
  Shape shape;
  shape.first = digits_at(cell);
  shape.leading_zero = shape.first > 0 && cell[0] == '0';
  cell.remove_prefix(shape.first);
  while (!cell.empty()) {
    const bool mark = cell[0] == ',' || cell[0] == '.';
    const std::string_view spacer = mark ? cell.substr(0, 1) : spacer_at(cell);
    if (spacer.empty() || cell.size() == spacer.size() || !is_digit(cell[spacer.size()])) break;
    cell.remove_prefix(spacer.size());
    const std::size_t n = digits_at(cell);
    cell.remove_prefix(n);
    if (!mark) continue;
    shape.last_mark = spacer[0];
    shape.last = n;
    ++(spacer[0] == ',' ? shape.commas : shape.points);
  }
  return shape;
}

}  // namespace

std::optional<Decimals> parse_decimals(std::string_view option) {
  if (option == "." || equal_ignoring_case(option, "point")) return Decimals::point;
  if (option == "," || equal_ignoring_case(option, "comma")) return Decimals::comma;
  return std::nullopt;
}

void DecimalsEvidence::add(std::string_view cell) {
  const Shape shape = shape_of(cell);
  const int marks = shape.commas + shape.points;
  if (marks == 0) return;
  const bool comma_last = shape.last_mark == ',';
  if (marks > 1 && (shape.commas == 0 || shape.points == 0)) {  // repeated: thousands
    ++(comma_last ? point_ : comma_);
  } else if (marks > 1 || shape.last != 3 || shape.first > 3 || shape.first == 0 || shape.leading_zero) {
    // Of both kinds the last one stands before the decimals.
    ++(comma_last ? comma_ : point_);
  } else if (comma_last) {
    ++either_;
    if (example_.empty()) example_ = cell;
  }
  // A single point before three digits is "1.234" as programs print it, unless other cells show a decimal comma.
}

Decimals DecimalsEvidence::decided() const {
  if (point_ > 0 && comma_ * 20 <= point_) return Decimals::point;
  if (comma_ > 0 && point_ * 20 <= comma_) return Decimals::comma;
  return Decimals::unknown;
}

std::optional<double> read_grouped(std::string_view& cell, Decimals decimals) {
  const char mark = decimals == Decimals::comma ? ',' : '.';
  const std::string_view other = decimals == Decimals::comma ? "." : ",";
  std::array<char, kMostDigits + 2> plain{};
  std::size_t size = 0;
  const bool negative = cell.starts_with('-');
  std::string_view rest = without_sign(cell);
  std::size_t n = digits_at(rest);
  if (n == 0 || n > kMostDigits / 2) return std::nullopt;
  const auto take = [&](std::size_t count) {
    std::ranges::copy(rest.substr(0, count), plain.data() + size);
    size += count;
    rest.remove_prefix(count);
  };
  const bool may_group = n <= 3;
  take(n);
  std::string_view spacer;
  while (may_group && !rest.empty()) {
    const std::string_view next = rest.starts_with(other) ? other : spacer_at(rest);
    if (next.empty() || digits_at(rest.substr(next.size())) != 3) break;
    if (!spacer.empty() && next != spacer) return std::nullopt;
    spacer = next;
    rest.remove_prefix(next.size());
    if (size + 3 > kMostDigits / 2) return std::nullopt;
    take(3);
  }
  if (rest.size() > 1 && rest[0] == mark && is_digit(rest[1])) {
    rest.remove_prefix(1);
    plain[size++] = '.';
    n = digits_at(rest);
    if (size + n > plain.size()) return std::nullopt;
    take(n);
  }
  double number = 0.0;
  const auto [end, code] = std::from_chars(plain.data(), plain.data() + size, number);
  if (code != std::errc{} || end != plain.data() + size || !std::isfinite(number)) return std::nullopt;
  cell = rest;
  return negative ? -number : number;
}

}  // namespace wattrein::trace
