#include "trace/table_wide.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "trace/table_cells.h"

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

/// The name in lower case without the unit at its end: "gpu0_power" of "GPU0_power_mW" and of "gpu0 power [W]".
std::string stem(const ColumnName& name) {
  std::string text = lower(name.text);
  if (!name.power_scale && !name.energy_scale) return text;
  if (text.ends_with(']') || text.ends_with(')')) {
    text.resize(std::min(text.find_last_of("[("), text.size()));
  } else {
    std::string_view unit = letters_before(text, text.size());
    const auto is_unit = [](std::string_view t) { return power_unit(t) || energy_unit(t); };
    while (!unit.empty() && !is_unit(unit)) unit.remove_prefix(1);  // "powermw"
    if (unit.size() == text.size()) return text;
    text.resize(text.size() - unit.size());
  }
  while (!text.empty() && !is_letter(text.back()) && !is_digit(text.back())) text.pop_back();
  return text;
}

/// Families by pattern, in the file's order.
struct Families {
  std::map<std::string, ColumnFamily> by_pattern;
  std::vector<std::string> order;

  void add(std::string_view text, int column) {
    for (std::size_t begin = 0; begin < text.size(); ++begin) {
      if (!is_digit(text[begin])) continue;
      std::size_t end = begin;
      while (end < text.size() && is_digit(text[end])) ++end;
      if (counts_devices(text, begin, end)) {
        std::string pattern = std::string(text.substr(0, begin)) + "#" + std::string(text.substr(end));
        const auto [at, fresh] = by_pattern.try_emplace(pattern);
        if (fresh) order.push_back(pattern);
        at->second.pattern = std::move(pattern);
        at->second.numbers.push_back(parse_int(text.substr(begin, end - begin)).value_or(0));
        at->second.columns.push_back(column);
      }
      begin = end;
    }
  }
};

bool has_distinct_numbers(const ColumnFamily& family) {
  std::vector<std::int64_t> sorted = family.numbers;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end();
}

/// Puts "power_w" before "power_w.1", "power_w.2", ...
void take_first_copy(std::span<const ColumnName> names, std::span<const int> columns, ColumnFamily& family) {
  if (!family.pattern.ends_with(".#") || family.numbers.empty()) return;
  if (std::ranges::find(family.numbers, 0) != family.numbers.end()) return;
  const std::string_view name = std::string_view(family.pattern).substr(0, family.pattern.size() - 2);
  const auto first = std::ranges::find_if(
      columns, [&](int column) { return lower(names[static_cast<std::size_t>(column)].text) == name; });
  if (first == columns.end()) return;
  family.numbers.insert(family.numbers.begin(), 0);
  family.columns.insert(family.columns.begin(), *first);
  family.copies = true;
}

}  // namespace

std::vector<ColumnFamily> column_families(std::span<const ColumnName> names, std::span<const int> columns) {
  Families by_stem;
  for (const int column : columns) by_stem.add(stem(names[static_cast<std::size_t>(column)]), column);
  std::vector<ColumnFamily> families;
  const auto take = [&families](ColumnFamily& family) {
    if (family.columns.size() > 1 && has_distinct_numbers(family)) families.push_back(std::move(family));
  };
  for (const std::string& pattern : by_stem.order) {
    ColumnFamily& family = by_stem.by_pattern[pattern];
    take_first_copy(names, columns, family);
    if (has_distinct_numbers(family)) {
      take(family);
      continue;
    }
    // "gpu0_power_w" beside "gpu0_power_mw": a family of each unit.
    Families by_name;
    for (const int column : family.columns) {
      by_name.add(lower(names[static_cast<std::size_t>(column)].text), column);
    }
    for (const std::string& name : by_name.order) take(by_name.by_pattern[name]);
  }
  return families;
}

bool names_devices(const ColumnFamily& family) {
  static constexpr std::array<std::string_view, 10> kDevices{"gpu",  "gpus",        "device", "dev", "card",
                                                             "cuda", "accelerator", "npu",    "hpu", "tpu"};
  return among(word_before(family.pattern, family.pattern.find('#')), kDevices);
}

}  // namespace wattrein::trace
