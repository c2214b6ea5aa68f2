#include "trace/turbostat_header.h"

#include <algorithm>

#include "base/text.h"

namespace wattrein::trace::turbostat {

namespace {

constexpr std::array<std::string_view, 9> kTopology{"Package", "Die",  "L3",     "Node", "Core",
                                                    "CPU",     "APIC", "X2APIC", "pk"};
/// Names that nobody else gives to a column, and others that turbostat has too.
constexpr std::array<std::string_view, 11> kOwn{"Avg_MHz", "Bzy_MHz", "TSC_MHz", "PkgWatt", "CorWatt", "GFXWatt",
                                                "RAMWatt", "SysWatt", "Pkg_W",   "Pkg_J",   kTime};
constexpr std::array<std::string_view, 13> kShared{"Package", "Die", "Node", "Core", "CPU",     "APIC",  "X2APIC",
                                                   "Busy%",   "IPC", "IRQ",  "SMI",  "CoreTmp", "PkgTmp"};

template <std::size_t N>
bool among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// Shares of time and frequencies are no power, whoever asks for them.
bool is_in_watts(std::string_view name) {
  return name.ends_with("Watt") || name.ends_with("_W") || lower(name).find("power") != std::string::npos;
}

}  // namespace

void split(std::string_view line, bool tabs, std::vector<std::string_view>& cells) {
  cells.clear();
  if (tabs) {
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      cells.push_back(trim(line.substr(at, end - at)));
      at = end + 1;
    }
    return;
  }
  std::size_t at = line.find_first_not_of(' ');
  while (at != std::string_view::npos) {
    const std::size_t end = line.find_first_of(" \r", at);
    cells.push_back(line.substr(at, end - at));
    at = end == std::string_view::npos ? end : line.find_first_not_of(" \r", end);
  }
}

bool is_header(const std::vector<std::string_view>& cells) {
  if (cells.empty() || cells.size() > 1000) return false;
  if (cells.size() == 1) return among(kPackageWatts, cells[0]);
  const auto own = std::ranges::count_if(cells, [](std::string_view c) { return among(kOwn, c); });
  const auto shared = std::ranges::count_if(cells, [](std::string_view c) { return among(kShared, c); });
  const bool numbers = std::ranges::any_of(cells, [](std::string_view c) { return parse_double(c).has_value(); });
  return own >= 1 && own + shared >= 2 && !numbers;
}

bool is_topology(std::string_view name) { return among(kTopology, name); }

std::optional<std::size_t> Header::find(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (equal_ignoring_case(names[i], name)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> power_column(const Header& h, std::string_view wanted) {
  std::optional<std::size_t> at;
  if (wanted.starts_with('#')) {
    const auto number = parse_int(wanted.substr(1));
    if (number && *number >= 1 && static_cast<std::size_t>(*number) <= h.names.size()) {
      at = static_cast<std::size_t>(*number) - 1;
    }
  } else if (!wanted.empty()) {
    at = h.find(wanted);
  } else {
    at = h.find(kPackageWatts[0]);
    if (!at) at = h.find(kPackageWatts[1]);
  }
  return at && is_in_watts(h.names[*at]) ? at : std::nullopt;
}

}  // namespace wattrein::trace::turbostat
