#include "trace/table_wide.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxDigits = 4;  // of a device's number

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

std::string_view letters_before(std::string_view text, std::size_t at) {
  std::size_t begin = at;
  while (begin > 0 && is_letter(text[begin - 1])) --begin;
  return text.substr(begin, at - begin);
}

std::string_view letters_behind(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_letter(text[end])) ++end;
  return text.substr(at, end - at);
}

/// The last word before the number, over a separator: "power gpu 1", "8-pin #1".
std::string_view word_before(std::string_view text, std::size_t at) {
  while (at > 0 && !is_letter(text[at - 1]) && !is_digit(text[at - 1])) --at;
  return letters_before(text, at);
}

template <std::size_t N>
bool among(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::ranges::find(words, word) != words.end();
}

bool counts_devices(std::string_view text, std::size_t begin, std::size_t end) {
  static constexpr std::array<std::string_view, 12> kUnits{"s", "sec", "ms", "us", "m",  "min",
                                                           "h", "hz",  "v",  "w",  "mw", "th"};
  static constexpr std::array<std::string_view, 11> kOthers{"p",    "q",     "pin",     "rail", "core", "cores",
                                                            "slot", "phase", "channel", "ch",   "vdd"};
  if (end - begin > kMaxDigits) return false;
  if (begin > 0 && text[begin - 1] == '.' && begin > 1 && is_digit(text[begin - 2])) return false;  // "0.5"
  return !among(letters_behind(text, end), kUnits) && !among(word_before(text, begin), kOthers);
}

}  // namespace

std::vector<ColumnFamily> column_families(std::span<const ColumnName> names, std::span<const int> columns) {
  std::map<std::string, ColumnFamily> by_pattern;
  std::vector<std::string> order;
  for (const int column : columns) {
    const std::string text = lower(names[static_cast<std::size_t>(column)].text);
    for (std::size_t begin = 0; begin < text.size(); ++begin) {
      if (!is_digit(text[begin])) continue;
      std::size_t end = begin;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (counts_devices(text, begin, end)) {
        std::string pattern = text.substr(0, begin) + "#" + text.substr(end);
        const auto [at, fresh] = by_pattern.try_emplace(pattern);
        if (fresh) order.push_back(pattern);
        at->second.pattern = std::move(pattern);
        at->second.numbers.push_back(parse_int(std::string_view(text).substr(begin, end - begin)).value_or(0));
        at->second.columns.push_back(column);
      }
      begin = end;
    }
  }
  std::vector<ColumnFamily> families;
  for (const std::string& pattern : order) {
    ColumnFamily& family = by_pattern[pattern];
    std::vector<std::int64_t> sorted = family.numbers;
    std::ranges::sort(sorted);
    const bool distinct = std::ranges::adjacent_find(sorted) == sorted.end();
    if (sorted.size() > 1 && distinct) families.push_back(std::move(family));
  }
  return families;
}

bool names_devices(const ColumnFamily& family) {
  static constexpr std::array<std::string_view, 10> kDevices{"gpu",  "gpus",        "device", "dev", "card",
                                                             "cuda", "accelerator", "npu",    "hpu", "tpu"};
  return among(word_before(family.pattern, family.pattern.find('#')), kDevices);
}

}  // namespace wattrein::trace
