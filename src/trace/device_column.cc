// Which column tells the rows of a table apart: what table_columns.h says of devices.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "trace/table_cells.h"
#include "trace/table_columns.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kCollisionRows = 2000;

struct DeviceSample {
  std::size_t distinct = 0;
  std::size_t known = 0;
  std::size_t repeats = 0;    ///< rows whose stamp and device both stood in the rows just before
  std::size_t shared = 0;     ///< rows with the stamp of the row before
  std::size_t changes = 0;    ///< rows with another device than the row before
  std::size_t polls = 0;      ///< as many as are needed if a device comes once in each
  std::size_t shares = 0;     ///< cells that end in '%'
  std::size_t counted = 0;    ///< rows whose number is the one after that of the row before
  std::size_t fractions = 0;  ///< cells such as "71.25"
  bool numbers = true;
  double largest = 0.0;

  /// How much of the devices a poll has: 1 where they come in turn, 1 / distinct where each is repeated at once.
  [[nodiscard]] double fullness() const {
    return known == 0 ? 0.0 : static_cast<double>(known) / static_cast<double>(polls * distinct);
  }
};

DeviceSample sample_device(const Layout& layout, int time, int column) {
  DeviceSample sample;
  std::unordered_set<std::string_view> all;
  std::vector<std::string_view> poll;  // devices under the current stamp
  std::string_view stamp;
  std::unordered_set<std::string_view> turn;  // devices of the present turn
  std::string_view before;
  std::optional<double> number_before;
  for (const auto& row : std::span(layout.rows).first(std::min(layout.rows.size(), kCollisionRows))) {
    const std::string_view device = Layout::cell(row, column);
    if (device.empty() || is_unknown_cell(device)) continue;
    ++sample.known;
    all.insert(device);
    if (turn.contains(device) || sample.polls == 0) {
      ++sample.polls;
      turn.clear();
    }
    turn.insert(device);
    if (device != before) ++sample.changes;
    before = device;
    if (device.ends_with('%')) ++sample.shares;
    const auto number = parse_double(device);
    sample.numbers = sample.numbers && number.has_value();
    if (number && *number != std::floor(*number)) ++sample.fractions;
    sample.largest = std::max(sample.largest, number.value_or(0.0));
    if (number && number_before && *number == *number_before + 1.0) ++sample.counted;
    number_before = number;
    if (time < 0) continue;
    const std::string_view now = Layout::cell(row, time);
    if (now == stamp) ++sample.shared;
    if (now != stamp) {
      stamp = now;
      poll.clear();
    }
    if (std::ranges::find(poll, device) != poll.end()) ++sample.repeats;
    if (poll.size() < 64) poll.push_back(device);
  }
  sample.distinct = all.size();
  return sample;
}

/// "gpu [%]", or cells such as "50 %".
bool is_share(const Layout& layout, int column, const DeviceSample& sample) {
  return layout.label(column).find('%') != std::string::npos || sample.shares * 2 > sample.known;
}

/// `gpu` is also what a GPU's utilisation is called.
bool is_named_gpu(const Layout& layout, int column) {
  const auto index = static_cast<std::size_t>(column);
  return index < layout.names.size() && layout.names[index].words == "gpu";
}

bool is_of_readings(const DeviceSample& sample) {
  constexpr std::size_t kEnough = 6;
  return sample.known >= kEnough && sample.fractions * 2 > sample.known && sample.distinct * 2 > sample.known;
}

/// Numbers at random, one a stamp, or with much between them.
bool may_be_utilisation(const Layout& layout, int column, const DeviceSample& sample) {
  constexpr double kMostIndex = 15.0;
  if (!is_named_gpu(layout, column) || !sample.numbers || sample.distinct < 2 || sample.shared * 20 > sample.known)
    return false;
  const bool at_random = sample.fullness() < 0.5 && sample.changes >= 2 * sample.distinct;
  const bool sparse = sample.largest > kMostIndex && sample.largest >= 4.0 * static_cast<double>(sample.distinct);
  return at_random || (sparse && sample.largest <= 100.0);
}

/// An index that counts rows, as pandas writes it, also where tables were put one behind the other and it starts again:
/// it goes up by one with the clock, further than devices do or too seldom from the start.
bool counts_rows(const Layout& layout, int time, int column, const DeviceSample& sample) {
  constexpr std::size_t kMostDevices = 16;
  constexpr std::size_t kFewTurns = 3;
  constexpr std::size_t kFewDevices = 8;
  constexpr std::int64_t kLongestPoll = 2'000'000'000;
  const std::string words = static_cast<std::size_t>(column) < layout.names.size()
                                ? layout.names[static_cast<std::size_t>(column)].words
                                : std::string();
  const bool named = words == "index" || words == "idx";
  if (!named || !sample.numbers || time < 0 || sample.counted + sample.polls < sample.known) return false;
  if (sample.shared * 20 > sample.known || sample.polls == 0) return false;
  const std::size_t rows = sample.known / sample.polls;
  if (rows <= kFewDevices || (rows <= kMostDevices && sample.polls > kFewTurns)) return false;
  // The first turn lasts longer than a poll can.
  StampParser clock(static_cast<std::size_t>(time) < layout.names.size()
                        ? layout.names[static_cast<std::size_t>(time)].time_unit
                        : std::nullopt);
  std::optional<std::int64_t> begin;
  std::optional<std::int64_t> end;
  for (const auto& row : std::span(layout.rows).first(std::min(layout.rows.size(), rows))) {
    const auto at = clock.parse(Layout::cell(row, time));
    if (!at) continue;
    if (!begin) begin = at;
    end = at;
  }
  return begin && *end - *begin > kLongestPoll;
}

}  // namespace

int choose_device(const Layout& layout, std::span<const int> candidates, ColumnMap& map) {
  std::vector<std::string>& notes = map.notes;
  int best = -1;
  DeviceSample best_sample;
  for (const int column : candidates) {
    if (column < 0) continue;
    const DeviceSample sample = sample_device(layout, map.time, column);
    if (sample.known == 0) continue;
    const std::string label = printable(layout.label(column), 40);
    if (sample.distinct > 64 && sample.distinct == sample.known) {
      notes.push_back(fmt::format("Column '{}' has another value in every row, so it does not name devices.", label));
      continue;
    }
    if (is_of_readings(sample)) {
      notes.push_back(fmt::format("Column '{}' holds readings, so it does not name devices.", label));
      continue;
    }
    if (is_share(layout, column, sample)) {
      notes.push_back(fmt::format("Column '{}' is in percent, so it does not name devices.", label));
      continue;
    }
    if (counts_rows(layout, map.time, column, sample)) {
      notes.push_back(
          fmt::format("Column '{}' counts rows, from the start again at times: it does not name devices.", label));
      continue;
    }
    if (may_be_utilisation(layout, column, sample)) {
      map.doubtful_device = column;
      continue;
    }
    const bool tells_apart = sample.distinct > 1 && sample.repeats * 20 <= sample.known;
    if (best >= 0 && is_named_gpu(layout, best) && best_sample.numbers && best_sample.fullness() < 0.75 &&
        sample.distinct > 1 && sample.fullness() > 0.95) {
      notes.push_back(
          fmt::format("Column '{}' is passed over as the device: its values come at random, and those of '{}' in turn.",
                      printable(layout.label(best), 40), label));
      return column;
    }
    if (best < 0) {
      best = column;
      best_sample = sample;
    } else if (best_sample.repeats * 20 > best_sample.known && tells_apart) {
      notes.push_back(
          fmt::format("Column '{}' is passed over as the device: it repeats within a stamp, and '{}' does not.",
                      printable(layout.label(best), 40), printable(layout.label(column), 40)));
      return column;
    }
  }
  if (best >= 0 && map.doubtful_device >= 0) {
    notes.push_back(fmt::format("Column '{}' is passed over as the device: its values are as a utilisation's.",
                                printable(layout.label(map.doubtful_device), 40)));
  }
  return best;
}

bool is_instance_name(std::string_view name) {
  return name.starts_with("MIG-") || name.starts_with("GPU-I ") || name.starts_with("GPU-CI ");
}

bool holds_readings(const Layout& layout, int column) { return is_of_readings(sample_device(layout, -1, column)); }

bool values_recur(const Layout& layout, int column) {
  const DeviceSample sample = sample_device(layout, -1, column);
  if (is_of_readings(sample)) return false;
  return sample.distinct > 1 && sample.distinct < sample.known;
}

Result<void> take_host_as_device(const Layout& layout, const Input& input, ColumnMap& map) {
  const DeviceSample sample = sample_device(layout, map.time, map.host);
  if (sample.repeats * 20 <= sample.known) {
    map.device = std::exchange(map.host, -1);
    map.names_hosts = true;
    return {};
  }
  if (sample.distinct == 1) return {};  // its devices go by row order
  const std::string label = printable(layout.label(map.host), 40);
  return fail(ErrorKind::bad_input, input.name(),
              fmt::format("column '{}' names several hosts with several rows a stamp, and no column tells the devices "
                          "of a host apart",
                          label),
              fmt::format("Name that column with --device, or say --device {} where each host has one meter.", label));
}

}  // namespace wattrein::trace
