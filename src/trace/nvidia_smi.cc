#include "trace/nvidia_smi.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace wattrein::trace {

namespace {

std::vector<std::string> words_of(std::string_view model) {
  std::vector<std::string> words;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= model.size(); ++i) {
    if (i < model.size() && model[i] != ' ' && model[i] != '-' && model[i] != '_') continue;
    if (i > start) words.push_back(lower(model.substr(start, i - start)));
    start = i + 1;
  }
  return words;
}

bool any_of(const std::vector<std::string>& words, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return std::ranges::find(names, word) != names.end(); });
}

/// The number of a GeForce: 3090 of "3090", 4060 of "4060"; 0 for other words.
int geforce_number(std::string_view word) {
  if (word.size() < 4 || word.size() > 6) return 0;
  return static_cast<int>(parse_int(word.substr(0, 4)).value_or(0));
}

}  // namespace

MeterKind meter_of_model(std::string_view model) {
  const std::vector<std::string> words = words_of(model);
  if (any_of(words, {"h100", "h200", "h800",  "h20",   "gh200", "b100",  "b200",  "b300",  "gb200",    "gb300",
                     "l2",   "l4",   "l20",   "l40",   "l40s",  "a2",    "a10",   "a10g",  "a10m",     "a16",
                     "a40",  "ada",  "a2000", "a4000", "a4500", "a5000", "a5500", "a6000", "blackwell"})) {
    return MeterKind::average_1s;
  }
  if (any_of(words, {"a100", "a800", "a30", "a30x", "a100x", "v100", "v100s", "p100", "p40", "p4", "t4", "t4g", "k80",
                     "m60", "gtx", "quadro"})) {
    return MeterKind::instantaneous;
  }
  if (any_of(words, {"rtx"})) {
    for (const std::string& word : words) {
      const int number = geforce_number(word);
      if (any_of(words, {"geforce"}) && number >= 3000 && number < 6000) return MeterKind::average_1s;
      if (any_of(words, {"geforce"}) && number >= 2000 && number < 2100) return MeterKind::instantaneous;
    }
  }
  return MeterKind::unknown;
}

MeterKind meter_of(PowerKind kind, std::string_view model) {
  switch (kind) {
    case PowerKind::instant: return MeterKind::instantaneous;
    case PowerKind::average: return MeterKind::average_1s;
    case PowerKind::plain: return meter_of_model(model);
  }
  return MeterKind::unknown;
}

}  // namespace wattrein::trace
