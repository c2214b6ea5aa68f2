// The end of a table: copies of its rows, and what was understood.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/energy_counter.h"
#include "trace/identity.h"
#include "trace/nvidia_smi.h"
#include "trace/steps.h"
#include "trace/table.h"

namespace wattrein::trace {

/// Whether polls of n rows hold every row so many times: each behind itself, or all behind all.
bool Table::is_repeated(std::size_t n, std::size_t copies, bool behind_each_other) const {
  constexpr std::size_t kLeastPolls = 4;
  std::size_t polls = 0;
  for (const RowRange& run : runs_) {
    for (std::size_t poll = run.begin; poll + n <= run.end; poll += n, ++polls) {
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t first = behind_each_other ? i - i % copies : i % (n / copies);
        if (ordered_[poll + i].content != ordered_[poll + first].content || !ordered_[poll + i].readable) return false;
      }
    }
  }
  return polls >= kLeastPolls;
}

/// Rows that were written several times, byte for byte, look like devices that share a stamp: their copies go, and what
/// remains of the rows a poll comes back.
std::size_t Table::without_copies(std::size_t n) {
  for (std::size_t copies = n; copies > 1; --copies) {
    if (n % copies != 0) continue;
    const bool behind_each_other = is_repeated(n, copies, true);
    if (!behind_each_other && !is_repeated(n, copies, false)) continue;
    const std::size_t all = ordered_.size();
    std::size_t kept = 0;
    for (RowRange& run : runs_) {
      const std::size_t begin = kept;
      for (std::size_t i = run.begin; i < run.end; ++i) {
        const std::size_t at = (i - run.begin) % n;
        if (behind_each_other ? at % copies != 0 : at >= n / copies) continue;
        if (i < first_rows_.size()) first_rows_[kept] = first_rows_[i];
        ordered_[kept++] = ordered_[i];
      }
      run = {begin, kept};
    }
    ordered_.resize(kept);
    builder_.note(
        fmt::format("Every row stands in the file {} times, byte for byte: {} copies were left out. If they are "
                    "devices that agree throughout, say --devices {}.",
                    copies, all - kept, n));
    return n / copies;
  }
  return n;
}

/// The column or columns that power was taken from, and their unit where the name does not state it.
std::string Table::power_columns() const {
  const std::string label = printable(layout_.label(map_.power), 60);
  if (map_.from_counter) {
    std::string unit = map_.power_scale == 1.0 ? "J" : map_.power_scale == 1e-3 ? "mJ" : "";
    if (unit.empty()) unit = fmt::format("x {} J", map_.power_scale.value_or(1.0));
    return map_.wide.size() < 2 ? fmt::format("energy counter '{}' in {}", label, unit)
                                : fmt::format("{} energy counters '{}' to '{}' in {}", map_.wide.size(), label,
                                              printable(layout_.label(map_.wide.back().power), 60), unit);
  }
  std::string scale;
  if (!unit_in_cells_ && map_.power_scale && layout_.label(map_.power).find_first_of("[(") == std::string::npos) {
    scale = *map_.power_scale == 1.0    ? " in W"
            : *map_.power_scale == 1e-3 ? " in mW"
            : *map_.power_scale == 1e3  ? " in kW"
                                        : fmt::format(" x {} W", *map_.power_scale);
  }
  const bool mixed = std::ranges::any_of(
      map_.wide, [this](const DeviceColumns& device) { return device.power_scale != map_.power_scale; });
  if (mixed && !unit_in_cells_) scale = ", each in the unit of its name";
  const std::string_view unit = unit_in_cells_ ? " (unit from its cells)" : "";
  if (map_.wide.size() < 2) return fmt::format("column '{}'{}{}", label, scale, unit);
  return fmt::format("{} columns '{}' to '{}'{}{}", map_.wide.size(), label,
                     printable(layout_.label(map_.wide.back().power), 60), scale, unit);
}

std::string Table::device_columns() const {
  const auto quoted = [this](int column) { return fmt::format("'{}'", printable(layout_.label(column), 40)); };
  if (map_.wide.size() == 1 && map_.host < 0) return "one device";
  if (!map_.wide.empty()) {
    return map_.host >= 0 ? fmt::format("column {} and a column each", quoted(map_.host)) : "a column each";
  }
  if (map_.shown >= 0) {
    const std::string name = map_.host < 0 ? fmt::format("column {}", quoted(map_.shown))
                                           : fmt::format("columns {} and {}", quoted(map_.host), quoted(map_.shown));
    return fmt::format("{}, told apart by {}", name, quoted(map_.device));
  }
  if (map_.host >= 0) return fmt::format("columns {} and {}", quoted(map_.host), quoted(map_.device));
  return fmt::format("column {}", quoted(map_.device));
}

/// A clock that runs from its own zero may show such numbers; polls that are nearer to each other than any meter's do
/// not belong to one.
void Table::say_epoch_otherwise() {
  const auto other = clock_.epoch_otherwise();
  if (!other) return;
  constexpr Nanos kNearest{1'000'000};
  const bool header_says = options_.time_unit.empty();
  const bool too_near = std::ranges::any_of(builder_.trace().series, [&](const Series& s) {
    const Nanos period = usual_period(s.time_ns);
    return period > Nanos(0) && period < kNearest;
  });
  std::string text =
      fmt::format("The stamps are {}{}; in {} they would be a present-day epoch, and --time-unit {} says so.",
                  clock_.describe(), header_says ? ", as the header says" : "", name(*other), name(*other));
  if (header_says && too_near) {
    builder_.understanding().warnings.push_back(std::move(text));
  } else {
    builder_.note(std::move(text));
  }
}

void Table::finish_understanding() {
  Understanding& u = builder_.understanding();
  u.power = power_columns();
  u.devices = devices_;
  if (map_.time >= 0) {
    const std::string time = printable(layout_.label(map_.time), 60);
    u.clock = map_.date < 0 ? fmt::format("column '{}': {}", time, clock_.describe())
                            : fmt::format("columns '{}' and '{}': {}", printable(layout_.label(map_.date), 60), time,
                                          clock_.describe());
    builder_.clock(clock_.wall(), clock_.has_zone());
    if (clock_.inferred()) {
      builder_.note(fmt::format("The stamps have no unit; by their size they are a {}.", clock_.describe()));
    }
    if (clock_.mixed_zones() && !clock_.away_from_utc()) {
      builder_.note("Some stamps have a zone and some have none; those without were taken as UTC.");
    } else if (clock_.mixed_zones()) {
      u.warnings.push_back(
          fmt::format("{}:{}: some stamps have a zone and some have none, first here: those without were taken as UTC "
                      "and may stand "
                      "hours away from where they belong. Give all of them their zone, or read the parts one by one.",
                      input_.name(), mixed_zones_line_));
    }
    if (options_.period) builder_.note("--period is not used: the log has a time column.");
    if (!options_.time_unit.empty() && clock_.calendar()) {
      builder_.note("--time-unit is not used: the stamps are no numbers.");
    }
    say_epoch_otherwise();
    if (std::string note = clock_.zone_note(); !note.empty()) builder_.note(std::move(note));
  } else {
    u.clock = fmt::format("none: {} a poll, as stated", format_duration(options_.period.value_or(Nanos(0))));
    builder_.clock(false, false);
  }
}

Result<void> Table::place_counted_polls() {
  if (map_.time >= 0 || !map_.wide.empty()) return {};
  return place_by_polls(builder_, sequence_, options_.period.value_or(Nanos(0)));
}

void Table::settle_power_columns() {
  if (map_.is_nvml) {
    for (Series& s : builder_.trace().series) s.device.meter = meter_of(map_.power_kind, s.device.model);
  }
  if (map_.second < 0) return;
  for (const std::size_t d : second_.settle(builder_, layout_.label(map_.power), layout_.label(map_.second))) {
    Device& device = builder_.series(d).device;
    device.meter = map_.is_nvml ? meter_of(PowerKind::plain, device.model) : MeterKind::unknown;
  }
}

Result<Trace> Table::finish() {
  if (by_order_) {
    leave_out_cut_rows();  // before their places make devices
    if (const auto spread = spread_over_devices(); !spread) return std::unexpected(spread.error());
  } else {
    devices_ = device_columns();
    if (auto placed = place_counted_polls(); !placed) return std::unexpected(placed.error());
    if (options_.devices) builder_.note("--devices is not used: a column names the devices.");
  }
  if (restart_line_ > 0) {
    return fail(ErrorKind::bad_input, fmt::format("{}:{}", input_.name(), restart_line_),
                "the clock starts again here, and nothing says how much later that was",
                "Split the file at this line and read the parts one by one.");
  }
  if (const auto fit = back_steps_.settle(builder_, input_); !fit) return std::unexpected(fit.error());
  if (other_instances_ > 0) {
    if (builder_.understanding().rows == 0) {
      return fail(ErrorKind::bad_input, input_.name(),
                  fmt::format("it holds nothing but {} of MIG instances, which repeat the power of their GPU",
                              counted(other_instances_, "row")),
                  "Name the column that holds the GPU with --device.");
    }
    builder_.note(fmt::format("{} of MIG instances {} passed over: a GPU's power includes its instances'.",
                              counted(other_instances_, "row"), other_instances_ == 1 ? "was" : "were"));
  }
  settle_power_columns();
  if (!by_order_) leave_out_cut_rows();  // what came before counted on all rows
  if (map_.shown >= 0) {
    name_by_index(builder_.trace().series, shown_);
    if (moved_) {
      builder_.note(fmt::format("A device changes its '{}' within the log: it is called by its first.",
                                printable(layout_.label(map_.shown), 40)));
    }
  }
  name_by_model();
  note_unit_by_size();
  if (!map_.from_counter) drop_falling_counters(builder_);
  finish_understanding();
  return builder_.finish(input_, options_);
}

}  // namespace wattrein::trace
