#include "trace/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/large.h"
#include "base/parallel.h"
#include "base/text.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kDescribedRows = 256;
constexpr std::int64_t kLargestCorrection = 600'000'000'000;
constexpr std::size_t kRunBeforeRestart = 4;  // samples; fewer may be a jitter at the start

/// Cells that a row may have; one that ends in a delimiter has an empty cell more.
std::size_t widest(const Layout& layout) { return layout.has_header() ? layout.names.size() : layout.cells; }

double known_or_nan(const Reading& reading) { return reading.kind == Reading::Kind::value ? reading.value : kUnknown; }

}  // namespace

Table::Table(const Layout& layout, const ColumnMap& map, const ReadOptions& options, const Input& input,
             std::string_view format)
    : layout_(layout),
      map_(map),
      options_(options),
      input_(input),
      formats_(column_formats(layout, map, options, input).value_or(ColumnFormats{})),  // check_map() has seen errors
      builder_(input.name(), std::string(format)),
      clock_(map.time_unit),
      usual_cells_(layout.cells),
      most_cells_(widest(layout)),
      by_order_(map.device < 0 && map.wide.empty()) {
  for (const std::string& note : map.notes) builder_.note(note);
  for (const std::string& note : formats_.notes) builder_.note(note);
  for (const std::string& warning : formats_.warnings) builder_.understanding().warnings.push_back(warning);
  clock_.set_decimals(formats_.time);
  clock_.set_date_order(formats_.date_order);
  if (formats_.spreadsheet_days) clock_.set_spreadsheet_days();
  if (by_order_) runs_.push_back({});
  if (map_.from_counter) builder_.power_from_counter();
  if (map.wide.empty()) builder_.devices_are_named_by_cells();
}

bool Table::is_name_of(Cells cells, int column) const {
  const auto index = static_cast<std::size_t>(column);
  return column >= 0 && index < layout_.names.size() && !layout_.names[index].text.empty() &&
         equal_ignoring_case(cell(cells, column), layout_.names[index].text);
}

void Table::repeated_header() {
  ++builder_.understanding().repeated_headers;
  if (!by_order_) return sequence_.new_poll();
  if (runs_.back().begin == ordered_.size()) return;
  runs_.back().end = ordered_.size();
  runs_.push_back({ordered_.size(), 0});
}

void Table::damaged(std::string_view reason) {
  builder_.damaged(input_.place(), std::string(reason));
  if (!by_order_) return;
  // It was some device's row all the same: the ones behind it keep their places.
  Values hole;
  hole.time_ns = ordered_.empty() ? std::numeric_limits<std::int64_t>::min() : ordered_.back().time_ns;
  hole.line = input_.line_number();
  hole.readable = false;
  ordered_.push_back(hole);
}

/// Sorts out a row without a readable time and power: damage is only what is clearly a device's row.
Result<void> Table::not_a_sample(Cells cells, bool time_read, bool power_read, Reading::Kind power_kind) {
  if (is_name_of(cells, map_.power) || is_name_of(cells, map_.time)) {
    if (!is_name_of(cells, map_.power) || (map_.time >= 0 && !is_name_of(cells, map_.time))) {
      return fail(ErrorKind::bad_input, input_.place(), "the columns change here",
                  "Split the file at this line and read the parts one by one.");
    }
    repeated_header();
    return {};
  }
  const std::string_view device = cell(cells, map_.device);
  const bool usual = cells.size() == usual_cells_ || cells.size() == layout_.names.size();
  const auto known = std::ranges::find(keys_, device);
  const bool known_device = map_.device >= 0 && known != keys_.end();
  const bool device_row = map_.device >= 0 ? !device.empty() && (time_read || known_device || (usual && power_read))
                                           : time_read || (usual && (power_read || cells.size() > 2));
  if (!device_row && !(cuts_ && cuts_->starts_a_row(cells))) {
    other_line();
    return {};
  }
  if (map_.time < 0 && known_device) sequence_.row(static_cast<std::size_t>(known - keys_.begin()));
  if (!device_row) {
    damaged(fmt::format("the row is cut: it has {} of {} cells", cells.size(), usual_cells_));
  } else if (!time_read && map_.time >= 0) {
    const std::string_view time = cell(cells, map_.time);
    damaged(fmt::format("the time '{}' {}", printable(time, 40), why_no_stamp(time, map_, options_)));
  } else if (cell(cells, map_.power).data() == nullptr) {
    damaged("the row ends before its power");
  } else if (power_kind == Reading::Kind::unreadable) {
    damaged(fmt::format("the power '{}' cannot be read", printable(cell(cells, map_.power), 40)));
  } else {
    damaged(fmt::format("the row has {} cells, more than its columns", cells.size()));
  }
  return {};
}

/// Of a last line without an end: nothing shows that it was cut.
bool Table::is_whole(Cells cells, const Reading& power) const {
  const bool unit_lost = unit_in_cells_ && !power.unit_in_cell && power.kind == Reading::Kind::value;
  const bool new_device = !by_order_ && map_.host < 0 && !keys_.empty() &&
                          std::ranges::find(keys_, cell(cells, map_.device)) == keys_.end();
  return cells.size() >= usual_cells_ && !unit_lost && !new_device && ends_whole(cells);
}

/// Whether the last cell of a line without an end is all there: it is no shorter than any other in its column, or has
/// the decimals that they all have, or is none that is read.
bool Table::ends_whole(Cells cells) const {
  if (cells.empty()) return false;
  const auto decimals = [](std::string_view cell) {
    const std::size_t point = cell.find_last_of(".,");
    return point == std::string_view::npos ? std::size_t{0} : cell.size() - point - 1;
  };
  const std::string_view last = cells.back();
  std::size_t longest = 0;
  bool same_decimals = decimals(last) > 0;
  for (const auto& row : layout_.rows) {
    if (row.size() != cells.size() || row.back().data() == last.data()) continue;
    longest = std::max(longest, row.back().size());
    same_decimals = same_decimals && decimals(row.back()) == decimals(last);
  }
  const int column = static_cast<int>(cells.size()) - 1;
  const bool is_read = column == map_.time || column == map_.power || column == map_.device || column == map_.shown ||
                       column == map_.host || !map_.wide.empty();
  return !is_read || same_decimals || last.size() >= longest;
}

/// Whether a cell that is not read as a power carries a power's unit.
bool Table::has_unit_elsewhere(Cells cells) const {
  for (int column = 0; std::cmp_less(column, cells.size()); ++column) {
    if (column == map_.power || column == map_.average || column == map_.second || column == map_.limit ||
        column == map_.nameplate) {
      continue;
    }
    if (read_power(cell(cells, column), {}).unit_in_cell) return true;
  }
  return false;
}

/// Of columns set apart by blanks a missing cell moves all others.
bool Table::is_short(Cells cells) const {
  return layout_.delimiter == kBlanks && cells.size() < usual_cells_ &&
         (!layout_.has_header() || cells.size() < layout_.names.size());
}

/// A last line that may have been cut within: left out and said, which is no damage. Whether it is whole takes a look
/// at all sampled rows, which no other line is worth.
bool Table::left_out_as_torn(Cells cells, bool whole) {
  if (whole) return false;
  builder_.note(fmt::format("The last line is cut ('{}'), or may be since it has no end: it is left out.",
                            printable(cells.empty() ? "" : cells[0], 40)));
  other_line();
  return true;
}

Result<void> Table::row(Cells cells) {
  if (!map_.wide.empty()) return wide_row(cells);
  std::optional<std::int64_t> time;
  if (map_.time >= 0) time = stamp_of(cells);
  const std::string_view power_cell = cell(cells, map_.power);
  const Reading power =
      power_cell.data() == nullptr ? Reading{} : read_value(power_cell, map_.power_scale, formats_.power);
  // Without a clock only the shape of a row says that "N/A" is a poll and not part of a banner.
  const bool clockless = map_.time < 0;
  const bool power_read = power.kind == Reading::Kind::value ||
                          (power.kind == Reading::Kind::unknown && (!clockless || cells.size() == usual_cells_));
  const bool time_read = clockless || time.has_value();
  if (input_.last_line_torn() && left_out_as_torn(cells, time_read && power_read && is_whole(cells, power))) return {};
  if (!time_read || !power_read || is_too_long(cells)) {
    return not_a_sample(cells, time_read && !clockless, power_read, power.kind);
  }
  if (unit_in_cells_ && power.kind == Reading::Kind::value && !power.unit_in_cell && has_unit_elsewhere(cells)) {
    damaged(
        fmt::format("the power '{}' has no unit, as those before it have, and another cell has: its columns have "
                    "changed",
                    printable(power_cell, 40)));
    return {};
  }
  if (is_short(cells)) {
    damaged(fmt::format("the row has {} where others have {}: nothing shows which one is missing",
                        counted(cells.size(), "cell"), usual_cells_));
    return {};
  }
  const CutRows::Doubt doubt = cuts_ ? cuts_->doubt(cells) : CutRows::Doubt::none;
  if (cuts_) cuts_->count(cells.size());
  // What stands beside the power is not taken from a cell that may be cut.
  if (cuts_ && cuts_->is_short(cells.size()) && doubt == CutRows::Doubt::none) cells = cells.first(cells.size() - 1);
  Values values;
  values.line = input_.line_number();
  values.time_ns = time.value_or(0);
  (map_.from_counter ? values.energy_j : values.power_w) = known_or_nan(power);
  unit_in_cells_ = unit_in_cells_ || power.unit_in_cell;
  if (by_order_) {
    if (!instance_of(cells).empty()) {
      ++other_instances_;
      return {};
    }
    read_beside(cells, values);
    if (first_rows_.size() < kDescribedRows && first_rows_.size() == ordered_.size()) {
      first_rows_.emplace_back();
      describe(first_rows_.back(), cells);
    }
    for (const std::string_view text : cells)
      values.content = values.content * 31 + std::hash<std::string_view>{}(text);
    ordered_.push_back(values);
    doubt_last(CutRows::kNoDevice, ordered_.size() - 1, cells, doubt);
    return {};
  }
  return named_row(cells, values, doubt);
}

/// A readable row of a table whose devices have a column.
Result<void> Table::named_row(Cells cells, Values& values, CutRows::Doubt doubt) {
  const std::string_view name = cell(cells, map_.device);
  const auto by_name = is_unknown_cell(name) ? device_by_name(cells) : std::nullopt;
  if (name.empty() && !by_name && std::isnan(values.power_w) && std::isnan(values.energy_j)) {
    other_line();  // a separator
    return {};
  }
  if (is_unknown_cell(name) && !by_name) {
    damaged(name.empty() ? "it has a power and names no device"
                         : fmt::format("its device is '{}'", printable(name, 40)));
    return {};
  }
  if (is_instance_name(name)) {
    ++other_instances_;
    return {};
  }
  const int last = static_cast<int>(cells.size()) - 1;
  const bool name_is_last = last == map_.device || last == map_.host;
  if (doubt == CutRows::Doubt::width && name_is_last && !by_name &&
      std::ranges::find(keys_, key_of(cells)) == keys_.end()) {
    damaged(fmt::format("the row is cut: it has {} of {} cells, and its device '{}' is not known", cells.size(),
                        usual_cells_, printable(name, 40)));
    return {};
  }
  auto device = by_name ? Result<std::size_t>(*by_name) : device_of(cells);
  if (!device) return std::unexpected(device.error());
  if (map_.model_tells) device = of_its_model(*device, cells);
  if (!device) return std::unexpected(device.error());
  if (map_.instance >= 0 && is_other_instance(*device, cells)) {
    ++other_instances_;
    return {};
  }
  if (map_.time < 0) values.time_ns = sequence_.row(*device);
  read_beside(cells, values);
  add(*device, values);
  doubt_last(*device, builder_.series(*device).size() - 1, cells, doubt);
  if (!described_[*device]) {
    described_[*device] = true;
    describe(builder_.series(*device).device, cells);
  }
  if (map_.shown >= 0) note_shown(*device, cells);
  return {};
}

/// The only device that has been called as this row's is: for a row that lacks its uuid.
std::optional<std::size_t> Table::device_by_name(Cells cells) const {
  const std::string_view name = cell(cells, map_.shown);
  if (map_.host >= 0 || is_unknown_cell(name)) return std::nullopt;
  const auto at = std::ranges::find(shown_, name);
  if (at == shown_.end() || std::ranges::find(at + 1, shown_.end(), name) != shown_.end()) return std::nullopt;
  return static_cast<std::size_t>(at - shown_.begin());
}

void Table::note_shown(std::size_t device, Cells cells) {
  const std::string_view name = cell(cells, map_.shown);
  if (device >= shown_.size()) shown_.resize(device + 1);
  if (is_unknown_cell(name) || shown_[device] == name) return;
  moved_ = moved_ || !shown_[device].empty();
  if (shown_[device].empty()) shown_[device] = undoubled(name);
}

/// What tells the row's device apart, until the next call.
std::string_view Table::key_of(Cells cells) {
  const std::string_view device = cell(cells, map_.device);
  if (map_.host < 0) return device;
  key_.assign(cell(cells, map_.host));
  key_ += '/';
  key_ += device;
  return key_;
}

Result<std::size_t> Table::device_of(Cells cells) {
  const std::string_view key = key_of(cells);
  // Devices mostly come in the same order, poll after poll.
  if (!keys_.empty()) {
    if (keys_[last_device_] == key) return last_device_;
    const std::size_t next = last_device_ + 1 < keys_.size() ? last_device_ + 1 : 0;
    if (keys_[next] == key) return last_device_ = next;
  }
  return new_device(key);
}

Result<std::size_t> Table::new_device(std::string_view key) {
  const bool doubled = key.find("\"\"") != std::string_view::npos;
  const std::size_t device = doubled ? builder_.device(undoubled(key)) : builder_.device(key);
  if (builder_.too_many_devices()) {
    const std::string label = printable(layout_.label(map_.device), 40);
    const std::string columns = map_.host < 0 ? fmt::format("column '{}' has", label)
                                              : fmt::format("columns '{}' and '{}' together have",
                                                            printable(layout_.label(map_.host), 40), label);
    return fail(ErrorKind::bad_input, input_.place(),
                fmt::format("{} more than {} different values{}", columns, Builder::kMaxDevices,
                            map_.host < 0 ? ", so it does not name devices" : ": that many devices are not read"),
                map_.host < 0 ? "Name the right one with --device."
                              : "Split the file by its hosts, or name the right column with --device.");
  }
  if (device == keys_.size()) {
    keys_.emplace_back(key);
    described_.push_back(false);
  }
  return last_device_ = device;
}

/// Takes the model, uuid and nameplate from a row.
void Table::describe(Device& device, Cells cells) const {
  if (const auto model = cell(cells, map_.model); !is_unknown_cell(model)) device.model = undoubled(model);
  if (const auto uuid = cell(cells, map_.uuid); !is_unknown_cell(uuid)) device.uuid = undoubled(uuid);
  if (const auto host = cell(cells, map_.host); !is_unknown_cell(host)) device.host = undoubled(host);
  device.names_host = map_.names_hosts;
  const Reading plate = read_power(cell(cells, map_.nameplate), map_.nameplate_scale, formats_.nameplate);
  if (plate.kind == Reading::Kind::value && plate.value > 0) device.nameplate = Watts(plate.value);
}

Result<std::int64_t> Table::counted_time(std::int64_t poll) const {
  std::int64_t time_ns = 0;
  if (__builtin_mul_overflow(poll, options_.period.value_or(Nanos(0)).count(), &time_ns)) {
    return fail(ErrorKind::usage, "--period", "the log would span more than 95 years", "Check its unit.");
  }
  return time_ns;
}

void Table::read_beside(Cells cells, Values& values) {
  values.average_w = map_.average < 0
                         ? kUnknown
                         : known_or_nan(read_power(cell(cells, map_.average), map_.average_scale, formats_.average));
  if (map_.second >= 0) {
    values.second_w = known_or_nan(read_power(cell(cells, map_.second), map_.second_scale, formats_.power));
  }
  values.limit_w =
      map_.limit < 0 ? kUnknown : known_or_nan(read_power(cell(cells, map_.limit), map_.limit_scale, formats_.limit));
  if (map_.energy >= 0) values.energy_j = known_energy(cell(cells, map_.energy), map_.energy_scale, formats_.energy);
  values.phase = phase_of(cells);
}

std::int16_t Table::phase_of(Cells cells) {
  if (map_.phase < 0) return -1;
  const std::string_view phase = cell(cells, map_.phase);
  if (phase != phase_text_ || phase_index_ < 0) {
    phase_text_.assign(phase);
    phase_index_ = is_unknown_cell(phase) ? std::int16_t{-1} : builder_.phase(undoubled(phase));
  }
  return phase_index_;
}

/// A clock of the log's own that goes back to its zero has begun a new session, and nothing says when.
void Table::watch_clock(std::size_t device, const Values& values) {
  const std::vector<std::int64_t>& before = builder_.series(device).time_ns;
  if (before.size() < kRunBeforeRestart || restart_line_ > 0) return;
  if (clock_.calendar()) {  // the time of day alone: midnight has been seen to, and no correction is as large
    if (before.back() - values.time_ns > kLargestCorrection) restart_line_ = values.line;
    return;
  }
  const std::int64_t first = before.front();
  const std::int64_t run = before.back() - first;
  if (run > 0 && values.time_ns < before.back() && values.time_ns - first <= run / 10) restart_line_ = values.line;
}

void Table::add(std::size_t device, const Values& values) {
  if (!clock_.wall() && map_.time >= 0) watch_clock(device, values);
  builder_.add(device, values.time_ns, values.power_w);
  if (map_.second >= 0) second_.add(device, values.power_w, values.second_w);
  if (map_.average >= 0) builder_.set(device, Column::average_w, values.average_w);
  if (map_.limit >= 0) builder_.set(device, Column::limit_w, values.limit_w);
  if (map_.energy >= 0 || map_.from_counter) builder_.set(device, Column::energy_j, values.energy_j);
  if (map_.phase >= 0) builder_.set_phase(device, values.phase);
}

void Table::expect(std::size_t rows) {
  const std::size_t devices = std::max<std::size_t>(1, builder_.device_count());
  for (std::size_t d = 0; d < builder_.device_count(); ++d) {
    Series& series = builder_.series(d);
    reserve_large(series.time_ns, rows / devices);
    reserve_large(series.power_w, rows / devices);
  }
}

void Table::take(std::span<const PlainBlock> blocks) {
  parallel_for(keys_.size(), options_.threads, [&](std::size_t d) {
    for (const PlainBlock& block : blocks) builder_.extend(d, block.devices[d].time_ns, block.devices[d].power_w);
  });
  for (const PlainBlock& block : blocks) {
    builder_.understanding().rows += block.lines;
    if (cuts_) cuts_->count(layout_.cells, block.lines);
    unit_in_cells_ = unit_in_cells_ || block.unit_in_cells;
  }
}

}  // namespace wattrein::trace
