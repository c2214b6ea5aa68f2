// Rows that are not simply one device's power: a column for each device, stamps in two columns, MIG instances,
// energy counters.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "trace/dcgm_blank.h"
#include "trace/doubtful_readings.h"
#include "trace/table.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostJoules = kDcgmFp64Blank * 1e-3;  // seven years at 700 W

/// A number that no meter gives though it stands where a power does: below zero, or as large as a blank of DCGM.
std::optional<double> impossible_power(std::string_view text, std::optional<double> scale) {
  double number = 0.0;
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || !std::isfinite(number)) return std::nullopt;
  const std::string_view unit = trim({rest, static_cast<std::size_t>(text.data() + text.size() - rest)});
  if (!unit.empty()) scale = power_unit(unit);
  if (!scale) return std::nullopt;
  const double watts = number * *scale;
  return watts < 0.0 || watts > kMostWatts ? std::optional(watts) : std::nullopt;
}

}  // namespace

double known_energy(std::string_view text, double scale, Decimals decimals) {
  const double joules = read_number(text, scale, decimals).value_or(kUnknown);
  return joules >= 0.0 && joules < kMostJoules ? joules : kUnknown;
}

Reading Table::read_value(std::string_view text, std::optional<double> scale, Decimals decimals) const {
  if (map_.from_counter) {
    if (is_unknown_cell(text)) return {.kind = Reading::Kind::unknown};
    if (!read_number(text, 1.0, decimals)) return {};
    const double joules = known_energy(text, scale.value_or(1.0), decimals);
    return {.kind = std::isnan(joules) ? Reading::Kind::unknown : Reading::Kind::value, .value = joules};
  }
  Reading reading = read_power(text, scale, decimals);
  if (reading.kind != Reading::Kind::unreadable) return reading;
  if (const auto watts = impossible_power(text, scale)) {  // the builder counts it, and keeps the poll as unknown
    reading.kind = Reading::Kind::value;
    reading.value = *watts;
  }
  return reading;
}

std::optional<std::int64_t> Table::stamp_of(Cells cells) {
  const auto stamp = clock_.parse(stamp_text(cells));
  if (stamp) back_steps_.watch(clock_, *stamp, input_);
  if (mixed_zones_line_ == 0 && clock_.mixed_zones()) mixed_zones_line_ = input_.line_number();
  return stamp;
}

std::string_view Table::stamp_text(Cells cells) {
  if (map_.date < 0) return cell(cells, map_.time);
  const std::string_view date = cell(cells, map_.date);
  if (date.size() == 8 && date.find_first_not_of("0123456789") == std::string_view::npos) {  // 20251022
    joined_.assign(date.substr(0, 4));
    joined_ += '-';
    joined_ += date.substr(4, 2);
    joined_ += '-';
    joined_ += date.substr(6);
  } else {
    joined_.assign(date);
  }
  joined_ += ' ';
  joined_ += cell(cells, map_.time);
  return joined_;
}

/// Where in wide_devices_ the devices of the row's host start (all of them, where no column names a host).
Result<std::size_t> Table::first_wide_device(Cells cells) {
  const std::string_view host = cell(cells, map_.host);
  if (!hosts_.empty() && (map_.host < 0 || hosts_[last_host_] == host)) return last_host_ * map_.wide.size();
  const auto at = std::ranges::find(hosts_, host);
  last_host_ = static_cast<std::size_t>(at - hosts_.begin());
  if (at != hosts_.end()) return last_host_ * map_.wide.size();
  if (wide_devices_.size() + map_.wide.size() > Builder::kMaxDevices) {
    return fail(ErrorKind::bad_input, input_.place(),
                fmt::format("its hosts and columns make more than {} devices", Builder::kMaxDevices),
                "Split the file, or check what its host column holds.");
  }
  hosts_.emplace_back(host);
  for (const DeviceColumns& columns : map_.wide) {
    const std::size_t device = builder_.device(map_.host < 0 ? columns.name : fmt::format("{}/{}", host, columns.name));
    wide_devices_.push_back(device);
    Device& described = builder_.series(device).device;
    if (map_.host >= 0) described.host = std::string(host);
  }
  return last_host_ * map_.wide.size();
}

/// A row with the power of every device in a column of its own.
Result<void> Table::wide_row(Cells cells) {
  std::optional<std::int64_t> time;
  if (map_.time >= 0) time = stamp_of(cells);
  const Reading first = read_value(cell(cells, map_.power), map_.power_scale, formats_.power);
  // Without a clock its shape and one power show that a row is a poll, which has its place in time.
  const bool clockless = map_.time < 0;
  const auto has_value = [&](const DeviceColumns& columns) {
    return read_value(cell(cells, columns.power), columns.power_scale, formats_.power).kind == Reading::Kind::value;
  };
  const bool time_read =
      clockless ? cells.size() == usual_cells_ && std::ranges::any_of(map_.wide, has_value) : time.has_value();
  if (input_.last_line_torn() &&
      left_out_as_torn(cells, time_read && cells.size() >= usual_cells_ && ends_whole(cells))) {
    return {};
  }
  const CutRows::Doubt doubt = cuts_ ? cuts_->doubt(cells) : CutRows::Doubt::none;
  const bool cut_time = doubt == CutRows::Doubt::width && map_.time >= 0 &&
                        cells.size() <= 1U + static_cast<std::size_t>(std::max(map_.time, map_.date));
  if (!time_read || cut_time || is_too_long(cells)) {
    const std::int64_t before = builder_.understanding().damaged;
    auto sorted_out = not_a_sample(cells, time_read && !clockless, first.kind == Reading::Kind::value, first.kind);
    // A poll that cannot be read has its place in time all the same.
    if (clockless && hosts_.size() == 1 && builder_.understanding().damaged > before) ++rows_of_[0];
    return sorted_out;
  }
  if (cuts_) cuts_->count(cells.size());
  const auto base = first_wide_device(cells);
  if (!base) return std::unexpected(base.error());
  std::int64_t stamp = time.value_or(0);
  if (clockless) {
    rows_of_.resize(hosts_.size());
    const auto counted = counted_time(rows_of_[last_host_]++);
    if (!counted) return std::unexpected(counted.error());
    stamp = *counted;
  }
  // What stands beside the power is not taken from a cell that may be cut.
  const bool cut = cuts_ && cuts_->is_short(cells.size());
  const Cells beside = cut ? cells.first(cells.size() - 1) : cells;
  const std::int16_t phase = phase_of(beside);
  for (std::size_t k = 0; k < map_.wide.size(); ++k) {
    const DeviceColumns& columns = map_.wide[k];
    const std::size_t device = wide_devices_[*base + k];
    const std::string_view text = cell(cells, columns.power);
    const Reading value = text.data() == nullptr ? Reading{} : read_value(text, columns.power_scale, formats_.power);
    if (value.kind == Reading::Kind::unreadable) {
      damaged(text.data() == nullptr
                  ? fmt::format("the row ends before the power of device {}", columns.name)
                  : fmt::format("the power '{}' of device {} cannot be read", printable(text, 40), columns.name));
      continue;
    }
    unit_in_cells_ = unit_in_cells_ || value.unit_in_cell;
    const double known = value.kind == Reading::Kind::value ? value.value : kUnknown;
    builder_.add(device, stamp, map_.from_counter ? kUnknown : known);
    if (map_.from_counter) builder_.set(device, Column::energy_j, known);
    if (columns.power + 1 == static_cast<int>(cells.size())) {
      doubt_last(device, builder_.series(device).size() - 1, cells, doubt);
    }
    if (columns.energy >= 0) {
      builder_.set(device, Column::energy_j,
                   known_energy(cell(beside, columns.energy), columns.energy_scale, formats_.energy));
    }
    if (columns.limit >= 0) {
      const Reading limit = read_power(cell(beside, columns.limit), columns.limit_scale, formats_.limit);
      builder_.set(device, Column::limit_w, limit.kind == Reading::Kind::value ? limit.value : kUnknown);
    }
    if (map_.phase >= 0) builder_.set_phase(device, phase);
  }
  return {};
}

/// Empty for a row of the GPU itself.
std::string_view Table::instance_of(Cells cells) const {
  if (map_.instance < 0) return {};
  const std::string_view id = cell(cells, map_.instance);
  const bool by_uuid = map_.instance == map_.uuid;
  return is_unknown_cell(id) || (by_uuid && !is_instance_name(id)) ? std::string_view() : id;
}

/// Rows of a GPU's instances repeat its power: the GPU's own are read, or where there are none those of one instance.
bool Table::is_other_instance(std::size_t device, Cells cells) {
  const std::string_view id = instance_of(cells);
  if (device >= instance_.size()) {
    instance_.resize(device + 1, "?");
    const std::string_view key = cell(cells, map_.device);
    const bool has_own_rows = std::ranges::any_of(layout_.rows, [&](const auto& row) {
      return Layout::cell(row, map_.device) == key && instance_of(row).empty();
    });
    instance_[device] = has_own_rows ? "" : std::string(id);
  }
  if (id.empty()) instance_[device].clear();
  return instance_[device] != id;
}

/// The device of that name and of the row's model: hosts that number their GPUs alike may stand in one file.
Result<std::size_t> Table::of_its_model(std::size_t device, Cells cells) {
  const std::string_view model = cell(cells, map_.model);
  if (is_unknown_cell(model) || model.starts_with('[')) return device;
  if (device >= models_.size()) models_.resize(device + 1);
  if (models_[device].empty()) models_[device] = model;
  if (models_[device] == model) return device;
  if (std::ranges::find(of_many_models_, device) == of_many_models_.end()) of_many_models_.push_back(device);
  return new_device(fmt::format("{} ({})", keys_[device], model));
}

void Table::name_by_model() {
  if (of_many_models_.empty()) return;
  const std::size_t first = of_many_models_.front();
  builder_.note(fmt::format(
      "'{}' {} stands for GPUs of several names, '{}' among them: logs of several machines seem to "
      "stand in the file, and each name is a device of its own. GPUs of one name are not told apart.",
      printable(layout_.label(map_.device), 40), printable(keys_[first], 40), printable(models_[first], 60)));
  for (const std::size_t device : of_many_models_) {
    builder_.series(device).device.name = undoubled(fmt::format("{} ({})", keys_[device], models_[device]));
  }
}

/// Watts that can only be milliwatts or kilowatts are not converted in silence: a facility may draw them.
void Table::note_unit_by_size() {
  if (map_.from_counter || unit_in_cells_ || !options_.power_unit.empty()) return;
  const std::string_view unit = map_.power_scale == 1.0    ? "W"
                                : map_.power_scale == 1e-3 ? "mW"
                                : map_.power_scale == 1e3  ? "kW"
                                                           : "";
  if (unit.empty()) return;
  constexpr double kMostOfAGpu = 5000.0;
  constexpr double kLeastOfAGpu = 2.0;
  constexpr double kMostOfANode = 20'000.0;
  double least = std::numeric_limits<double>::infinity();
  double most = 0.0;
  for (std::size_t d = 0; d < builder_.device_count(); ++d) {
    for (const double w : builder_.series(d).power_w) {
      if (w <= 0.0 || std::isnan(w)) continue;
      least = std::min(least, w);
      most = std::max(most, w);
    }
  }
  const std::string label = printable(layout_.label(map_.power), 40);
  if (unit == "mW") {
    if (most > 0.0 && most < kLeastOfAGpu) {
      builder_.note(
          fmt::format("Column '{}' says mW but never reads more than {:.4g} W: if its numbers are W, say "
                      "--unit W.",
                      label, most));
    }
  } else if (unit == "kW") {
    if (most > 0.0 && least > kMostOfANode) {
      builder_.note(
          fmt::format("Column '{}' says kW but never reads less than {:.6g} kW: if its numbers are W, say --unit W.",
                      label, least / 1000.0));
    }
  } else if (most > 0.0 && least > kMostOfAGpu) {
    builder_.note(
        fmt::format("Column '{}' says W but never reads less than {}: if that is mW, say --unit mW.", label, least));
  } else if (most > 0.0 && most < kLeastOfAGpu) {
    builder_.note(
        fmt::format("Column '{}' says W but never reads more than {}: if that is kW, say --unit kW.", label, most));
  }
}

}  // namespace wattrein::trace
