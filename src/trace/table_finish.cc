// The end of a table: devices by row order, and what was understood.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/energy_counter.h"
#include "trace/identity.h"
#include "trace/nvidia_smi.h"
#include "trace/steps.h"
#include "trace/table.h"

namespace wattrein::trace {

std::unexpected<Error> Table::undecided(const PollFailure& failure) const {
  const std::string where = failure.row > 0 && failure.row < ordered_.size()
                                ? fmt::format("{}:{}", input_.name(), ordered_[failure.row].line)
                                : input_.name();
  std::string damage;
  for (const Damage& d : builder_.understanding_of().first_damaged) {
    damage += fmt::format("\n  {}: {}", d.where, d.reason);
  }
  if (!damage.empty()) {
    damage =
        fmt::format(" (with rows that cannot be read, {} of them:{})", builder_.understanding_of().damaged, damage);
  }
  return fail(
      ErrorKind::bad_input, where,
      fmt::format("no column tells the devices apart, and row order does not decide: {}{}", failure.reason, damage),
      failure.row > 0 ? "Split the file there, and say of each part how many rows make one poll with --devices N, or "
                        "name a column with "
                        "--device."
                      : "Say how many rows make one poll with --devices N (1 for a single device), or name a column "
                        "with --device.");
}

/// Of a log with the newest row first, devices may come in either order, so that only a single one is believed; and
/// only a tool that writes a row for each device shows by its polls how many there are: one device may be read in
/// bursts.
std::expected<std::size_t, PollFailure> Table::found_rows_per_poll(std::vector<std::int64_t> times) {
  std::vector<RowRange> runs = runs_;
  const bool reversed = newest_first(times, runs);
  if (reversed) {
    std::ranges::reverse(times);
    std::ranges::reverse(runs);
    for (RowRange& run : runs) run = {times.size() - run.end, times.size() - run.begin};
  }
  auto found = rows_per_poll(times, runs);
  if (!found) {
    if (reversed) found.error() = {"its newest row stands first, and " + found.error().reason, 0};
    return found;
  }
  if (*found == 1) {
    if (reversed) builder_.note("The newest row stands first, and all stamps fall: it is read as one device.");
    return found;
  }
  if (reversed) {
    return std::unexpected(
        PollFailure{fmt::format("its newest row stands first, and its rows come {} at a time", *found), 0});
  }
  found = without_copies(*found);
  if (*found > 1 && !map_.row_a_device) {
    return std::unexpected(PollFailure{
        fmt::format("its rows come {} at a time, which {} devices and one device that is read in bursts share", *found,
                    *found),
        0});
  }
  return found;
}

/// Devices by their place in a poll are mixed up from the first poll on that lacks a row.
void Table::warn_of_lost_rows(const std::vector<std::int64_t>& times, std::size_t n) {
  const RowGroups seen = row_groups(times, runs_);
  if (seen.rows != n || !seen.odd) return;
  const bool first = std::ranges::any_of(runs_, [&](const RowRange& run) { return run.begin == *seen.odd; });
  builder_.understanding().warnings.push_back(fmt::format(
      "{}:{}: this poll has {}, not {}: {}", input_.name(), ordered_[*seen.odd].line, counted(seen.odd_rows, "row"), n,
      first ? "polls are counted from the first row on, and end within the logger's own."
            : "from here on rows may be taken for other devices'. Split the file there."));
}

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

Result<void> Table::spread_over_devices() {
  runs_.back().end = ordered_.size();
  if (runs_.back().begin == runs_.back().end && runs_.size() > 1) runs_.pop_back();
  std::vector<std::int64_t> times(ordered_.size());
  for (std::size_t i = 0; i < ordered_.size(); ++i) times[i] = ordered_[i].time_ns;
  // Damaged rows before the first readable one take its stamp.
  const auto first = std::ranges::find_if(ordered_, &Values::readable);
  if (first == ordered_.end()) return {};
  std::fill_n(times.begin(), first - ordered_.begin(), first->time_ns);

  std::size_t n = 1;
  if (options_.devices) {
    if (*options_.devices < 1 || static_cast<std::size_t>(*options_.devices) > ordered_.size()) {
      return fail(ErrorKind::usage, "--devices",
                  fmt::format("{} cannot be: the log has {}", counted(*options_.devices, "device"),
                              counted(ordered_.size(), "row")),
                  "Say how many rows make one poll.");
    }
    n = static_cast<std::size_t>(*options_.devices);
    if (n > Builder::kMaxDevices) {
      return fail(ErrorKind::usage, "--devices", fmt::format("more than {} devices cannot be", Builder::kMaxDevices),
                  "Say how many rows make one poll.");
    }
    devices_ = fmt::format("row order, {} a poll (as stated)", counted(n, "row"));
    if (map_.time >= 0 && n > 1) warn_of_lost_rows(times, n);
  } else if (map_.time < 0) {
    return undecided({"the log has no clock", 0});
  } else {
    const auto found = found_rows_per_poll(times);
    if (!found) return undecided(found.error());
    n = *found;
    devices_ = n == 1 ? "one device" : fmt::format("row order, {} rows a poll", n);
    if (n > 1) {
      builder_.note(
          fmt::format("No column names the device: {} rows a poll were found from the stamps, and devices are "
                      "numbered by their place in the poll.",
                      n));
    }
  }
  std::size_t incomplete = 0;
  std::size_t in_last = 0;
  for (std::size_t d = 0; d < n; ++d) {
    Device& device = builder_.series(builder_.device(fmt::format("{}", d))).device;
    if (d >= first_rows_.size()) continue;
    device.model = first_rows_[d].model;
    device.nameplate = first_rows_[d].nameplate;
    device.host = first_rows_[d].host;
  }
  std::int64_t poll = 0;
  for (const RowRange& run : runs_) {
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const std::size_t device = (i - run.begin) % n;
      Values values = ordered_[i];
      if (map_.time < 0) {
        const auto time = counted_time(poll);
        if (!time) return std::unexpected(time.error());
        values.time_ns = *time;
      }
      if (values.readable) add(device, values);
      if (device + 1 == n || i + 1 == run.end) ++poll;
    }
    if (const std::size_t rest = (run.end - run.begin) % n; rest != 0) {
      ++incomplete;
      in_last = rest;
    }
  }
  if (incomplete == 1) {
    builder_.note(fmt::format("One poll is incomplete: it has {} of {} rows.", in_last, n));
  } else if (incomplete > 1) {
    builder_.note(fmt::format("{} polls are incomplete, each at the end of a run of the logger.", incomplete));
  }
  return {};
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
