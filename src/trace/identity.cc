#include "trace/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "trace/same_names.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kNeverDevices = 64;
constexpr std::size_t kUuidStart = 12;  // "GPU-1a2b3c4d"

/// What the sampled rows say of two columns.
struct Pairing {
  std::size_t rows = 0;
  std::size_t lacking = 0;  ///< rows with an index and no identity
  std::set<std::string> indices;
  std::set<std::string> identities;
  std::string shared_index;  ///< the first that stands for several
  std::string moved;         ///< the first identity with several indices
  std::size_t repeats_of_index = 0;
  std::size_t repeats_of_identity = 0;
};

Pairing pairing_of(const Layout& layout, const ColumnMap& map, int identity) {
  Pairing pairing;
  std::map<std::string, std::string> identity_of;
  std::map<std::string, std::string> index_of;
  std::set<std::string> indices_now;
  std::set<std::string> identities_now;
  std::string_view stamp;
  for (const auto& row : layout.rows) {
    const std::string_view index = Layout::cell(row, map.device);
    const std::string_view id = Layout::cell(row, identity);
    if (row.size() < layout.cells || is_unknown_cell(index)) continue;
    if (is_unknown_cell(id)) {
      ++pairing.lacking;
      continue;
    }
    ++pairing.rows;
    const std::string host = map.host < 0 ? std::string() : std::string(Layout::cell(row, map.host)) + "/";
    const std::string placed = host + std::string(index);
    const std::string plain = plain_id(id);
    const std::string known = host + (plain.empty() ? std::string(id) : plain);
    if (const std::string_view now = Layout::cell(row, map.time); now != stamp) {
      stamp = now;
      indices_now.clear();
      identities_now.clear();
    }
    if (!indices_now.insert(placed).second) ++pairing.repeats_of_index;
    if (!identities_now.insert(known).second) ++pairing.repeats_of_identity;
    pairing.indices.insert(placed);
    pairing.identities.insert(known);
    if (identity_of.try_emplace(placed, known).first->second != known && pairing.shared_index.empty()) {
      pairing.shared_index = index;
    }
    if (index_of.try_emplace(known, placed).first->second != placed && pairing.moved.empty()) pairing.moved = id;
  }
  return pairing;
}

bool tells_devices(const Pairing& pairing) {
  const bool counts_rows = pairing.identities.size() > kNeverDevices && pairing.identities.size() == pairing.rows;
  return pairing.rows > 0 && pairing.lacking * 20 <= pairing.rows && !counts_rows &&
         pairing.identities.size() >= pairing.indices.size() && pairing.repeats_of_identity <= pairing.repeats_of_index;
}

int find_serial(const Layout& layout) {
  const auto at = std::ranges::find_if(layout.names, [](const ColumnName& name) {
    return name.is_called("serial") || name.is_called("gpu_serial") || name.is_called("serial_number");
  });
  return at == layout.names.end() ? -1 : static_cast<int>(at - layout.names.begin());
}

int find_bus_id(const Layout& layout) {
  const auto at = std::ranges::find_if(layout.names, [](const ColumnName& name) {
    return name.is_called("pci_bus_id") || name.is_called("gpu_bus_id") || name.is_called("bus_id");
  });
  return at == layout.names.end() ? -1 : static_cast<int>(at - layout.names.begin());
}

}  // namespace

void identify_by_uuid(const Layout& layout, ColumnMap& map) {
  if (map.device < 0 || map.instance >= 0 || !map.wide.empty()) return;
  const int serial = find_serial(layout);
  const int bus_id = find_bus_id(layout);
  if (map.device == map.uuid || map.device == serial || map.device == bus_id) return;
  for (const int identity : {map.uuid, serial, bus_id}) {
    if (identity < 0) continue;
    const Pairing pairing = pairing_of(layout, map, identity);
    if (!tells_devices(pairing)) continue;
    map.shown = map.device;
    map.device = identity;
    const std::string index = printable(layout.label(map.shown), 40);
    const std::string id = printable(layout.label(identity), 40);
    if (!pairing.shared_index.empty()) {
      map.notes.push_back(fmt::format("'{}' {} stands for several devices: they are told apart by '{}'.", index,
                                      printable(pairing.shared_index, 40), id));
    } else if (!pairing.moved.empty()) {
      map.notes.push_back(
          fmt::format("Device {} changes its '{}': devices are told apart by '{}', and called by "
                      "their first.",
                      printable(pairing.moved, 60), index, id));
    }
    return;
  }
}

void tell_by_model(ColumnMap& map) {
  map.model_tells = map.model >= 0 && map.device >= 0 && map.device != map.model && map.device != map.uuid &&
                    map.shown < 0 && map.host < 0 && map.instance < 0 && map.wide.empty();
}

void name_by_index(std::vector<Series>& series, const std::vector<std::string>& shown) {
  std::map<std::string, std::size_t> taken;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const Device& device = series[i].device;
    const std::string own = i < shown.size() && !shown[i].empty() ? shown[i] : device.name;
    names.push_back(device.host.empty() || own == device.name ? own : device.host + "/" + own);
    ++taken[names.back()];
  }
  std::set<std::string> given;
  for (std::size_t i = 0; i < series.size(); ++i) {
    std::string name = names[i];
    if (taken[name] > 1) {
      std::string_view id = series[i].device.name;
      const std::string& host = series[i].device.host;
      if (!host.empty() && id.starts_with(host + "/")) id.remove_prefix(host.size() + 1);
      std::string by_start = fmt::format("{} ({})", name, id.substr(0, kUuidStart));
      name = given.contains(by_start) ? fmt::format("{} ({})", name, id) : std::move(by_start);
    }
    const std::string base = name;
    for (int k = 2; !given.insert(name).second; ++k) name = fmt::format("{} #{}", base, k);
    series[i].device.name = std::move(name);
  }
}

int find_doubtful_host(const Layout& layout, int device) {
  static constexpr std::array<std::string_view, 8> kNames{"instance", "worker", "pod",   "source",
                                                          "job",      "rank",   "agent", "exporter"};
  if (device < 0) return -1;
  for (std::size_t column = 0; column < layout.names.size(); ++column) {
    const ColumnName& candidate = layout.names[column];
    if (std::ranges::none_of(kNames, [&](std::string_view wanted) { return candidate.is_called(wanted); })) continue;
    if (static_cast<int>(column) == device) continue;
    std::map<std::string_view, std::set<std::string_view>> devices_of;
    std::map<std::string_view, std::vector<std::string_view>> values_of;  // of a device, in order, without repeats
    bool comes_back = false;
    for (const auto& row : layout.rows) {
      const std::string_view value = Layout::cell(row, static_cast<int>(column));
      const std::string_view name = Layout::cell(row, device);
      if (row.size() < layout.cells || is_unknown_cell(value) || is_unknown_cell(name)) continue;
      devices_of[value].insert(name);
      std::vector<std::string_view>& values = values_of[name];
      if (!values.empty() && values.back() == value) continue;
      comes_back = comes_back || std::ranges::find(values, value) != values.end();
      if (values.size() < kNeverDevices) values.push_back(value);
    }
    const bool same_devices = !devices_of.empty() && std::ranges::all_of(devices_of, [&](const auto& entry) {
      return entry.second == devices_of.begin()->second;
    });
    if (devices_of.size() > 1 && devices_of.size() <= kNeverDevices && same_devices && comes_back) {
      return static_cast<int>(column);
    }
  }
  return -1;
}

}  // namespace wattrein::trace
