#include "trace/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.h"
#include "base/text.h"
#include "trace/aggregate_rows.h"
#include "trace/clock_steps.h"
#include "trace/coarse_stamps.h"
#include "trace/doubtful_readings.h"
#include "trace/energy_counter.h"
#include "trace/interleaved.h"
#include "trace/sample_copies.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMaxPhases = 1000;
constexpr std::size_t kMostSpellings = 4 * Builder::kMaxDevices;  // of names; more are looked up anew each time

template <class T>
void permute(std::vector<T>& column, const std::vector<std::size_t>& order) {
  if (column.empty()) return;
  std::vector<T> sorted(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column = std::move(sorted);
}

bool says_something(const std::vector<double>& column) {
  return std::ranges::any_of(column, [](double v) { return !std::isnan(v); });
}

struct Closed {
  SampleCopies copies;
  bool overlap = false;  ///< sessions cover the same time with other readings
};

/// Pads the optional columns to the length of the series, and sorts it by time.
Closed close(Series& s) {
  const std::size_t n = s.size();
  for (auto& column : s.columns) {
    if (!column.empty()) column.resize(says_something(column) ? n : 0, kUnknown);
  }
  if (!s.phase.empty()) s.phase.resize(n, -1);
  const bool doubled = s.duplicate_stamps * 20 >= static_cast<std::int64_t>(n) * 9;
  if (s.backward_stamps == 0 && !doubled) return {};
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Equal stamps keep the file's order.
  std::ranges::sort(order, {}, [&s](std::size_t i) { return std::pair(s.time_ns[i], i); });
  Closed closed;
  closed.copies = drop_copies(s, order);
  if (closed.copies.dropped > 0) {  // those are no stamps that repeat
    s.duplicate_stamps = std::min(s.duplicate_stamps, repeated_stamps(s, order));
  }
  closed.overlap = sessions_overlap(s, order);
  permute(s.time_ns, order);
  permute(s.power_w, order);
  permute(s.phase, order);
  for (auto& column : s.columns) {
    permute(column, order);
    if (!says_something(column)) column.clear();  // what it said stood in copies
  }
  return closed;
}

std::string damage_list(const Understanding& u) {
  std::string text;
  for (const Damage& d : u.first_damaged) text += fmt::format("\n  {}: {}", d.where, d.reason);
  return text;
}

/// `doubtful`: what was taken out beside polls that say N/A, in sentences.
Result<void> check(const Understanding& u, bool any_known, bool lenient, const Input& input,
                   const std::string& doubtful) {
  const std::int64_t all = u.rows + u.damaged;
  const std::string ended = input.error() == nullptr ? "" : fmt::format(" ({})", input.error()->what);
  if (u.rows == 0 && u.damaged > 0) {
    return fail(ErrorKind::bad_input, input.name(),
                fmt::format("{} be read{}:{}",
                            u.damaged == 1 ? "its one device row could not"
                                           : fmt::format("none of its {} device rows could", u.damaged),
                            ended, damage_list(u)),
                "If another column holds the time or the power, name it with --time or --power.");
  }
  if (u.rows == 0) {
    const std::string passed =
        u.other_lines == 0 || !ended.empty()
            ? ended
            : fmt::format(": none of its {} lines is a row as the format {} has them", u.other_lines, u.format);
    return fail(ErrorKind::bad_input, input.name(), fmt::format("it holds no sample{}", passed),
                input.error() == nullptr || input.error()->cure.empty()
                    ? "Check that the log was written to its end, or name its format with --format."
                    : input.error()->cure);
  }
  if (!lenient && u.damaged * 20 > all) {
    return fail(ErrorKind::bad_input, input.name(),
                fmt::format("{} of {} ({:.1f} %) could not be read{}:{}", u.damaged, counted(all, "device row"),
                            100.0 * static_cast<double>(u.damaged) / static_cast<double>(all), ended, damage_list(u)),
                "More than 5 % is refused. --lenient goes on with the rest.");
  }
  if (!any_known) {
    return fail(
        ErrorKind::bad_input, input.name(),
        doubtful.empty()
            ? fmt::format("{} says that power is not available{}",
                          u.rows == 1 ? "its one poll" : fmt::format("every one of its {} polls", u.rows), ended)
            : fmt::format("{} a power that can be known{}. {}",
                          u.rows == 1 ? "its one poll has not" : fmt::format("none of its {} polls has", u.rows), ended,
                          doubtful),
        u.power.empty() ? "The device or its driver does not report power."
                        : fmt::format("Power was taken from {}; --power names another column.", u.power));
  }
  return {};
}

}  // namespace

std::size_t Builder::device(std::string_view name) {
  if (trace_.series.size() == kMaxDevices && !device_index_.contains(std::string(name))) {
    too_many_devices_ = true;
    return kMaxDevices;
  }
  if (const auto at = device_index_.find(std::string(name)); at != device_index_.end()) return at->second;
  const std::size_t fresh = trace_.series.size();
  const std::size_t index = other_spelling(name, fresh);
  if (device_index_.size() < kMostSpellings) device_index_.emplace(name, index);
  if (index == fresh) {
    trace_.series.emplace_back();
    trace_.series.back().device.name = name;
    rows_.emplace_back();
  }
  return index;
}

std::int16_t Builder::phase(std::string_view label) {
  if (const auto at = phase_index_.find(std::string(label)); at != phase_index_.end()) return at->second;
  if (trace_.phases.size() == kMaxPhases) {
    note(fmt::format("There are more than {} phase labels; those after that are left out.", kMaxPhases));
    return -1;
  }
  const auto index = static_cast<std::int16_t>(trace_.phases.size());
  trace_.phases.emplace_back(label);
  phase_index_.emplace(label, index);
  return index;
}

/// False for a device that is none, and for all once there are too many: finish() will refuse.
bool Builder::takes(std::size_t device) {
  if (device >= trace_.series.size()) too_many_devices_ = true;
  return !too_many_devices_;
}

void Builder::add(std::size_t device, std::int64_t time_ns, double power_w) {
  if (!takes(device)) return;
  Series& s = trace_.series[device];
  if (!s.time_ns.empty()) {
    if (time_ns == s.time_ns.back()) ++s.duplicate_stamps;
    if (time_ns < s.time_ns.back()) ++s.backward_stamps;
  }
  s.time_ns.push_back(time_ns);
  if (power_w < 0.0 || std::isinf(power_w) || (power_w > kMostWatts && !readings_are_meant_)) {
    ++impossible_;
    power_w = kUnknown;
  }
  s.power_w.push_back(power_w);
  FileRows& rows = rows_[device];
  rows.last = ++trace_.understanding.rows;
  if (s.size() == 1) rows.first = rows.last;
  if (std::isnan(power_w)) ++trace_.understanding.unknown_power;
}

void Builder::extend(std::size_t device, std::span<const std::int64_t> time_ns, std::span<const double> power_w) {
  if (time_ns.empty() || !takes(device)) return;
  Series& s = trace_.series[device];
  std::int64_t before = s.time_ns.empty() ? std::numeric_limits<std::int64_t>::min() : s.time_ns.back();
  for (const std::int64_t t : time_ns) {
    s.duplicate_stamps += t == before ? 1 : 0;
    s.backward_stamps += t < before ? 1 : 0;
    before = t;
  }
  FileRows& rows = rows_[device];
  rows.last = trace_.understanding.rows + 1;
  if (s.size() == 0) rows.first = rows.last;
  s.time_ns.insert(s.time_ns.end(), time_ns.begin(), time_ns.end());
  s.power_w.insert(s.power_w.end(), power_w.begin(), power_w.end());
}

void Builder::set(std::size_t device, Column column, double value) {
  if (!takes(device)) return;
  Series& s = trace_.series[device];
  std::vector<double>& values = s.column(column);
  values.resize(s.size(), kUnknown);
  values.back() = value;
}

void Builder::set_phase(std::size_t device, std::int16_t phase) {
  if (!takes(device)) return;
  Series& s = trace_.series[device];
  s.phase.resize(s.size(), -1);
  s.phase.back() = phase;
}

void Builder::damaged(std::string where, std::string reason) {
  Understanding& u = trace_.understanding;
  ++u.damaged;
  if (u.first_damaged.size() < 3) u.first_damaged.push_back({std::move(where), std::move(reason)});
}

void Builder::note(std::string sentence) {
  std::vector<std::string>& notes = trace_.understanding.notes;
  if (std::ranges::find(notes, sentence) == notes.end()) notes.push_back(std::move(sentence));
}

/// Power from counters, and without what no meter read. Notes what it did, and returns that in one string.
Result<std::string> Builder::settle_power(const ReadOptions& options) {
  std::string all;
  const auto tell = [&](const std::vector<std::string>& sentences) {
    for (const std::string& sentence : sentences) {
      note(sentence);
      all += (all.empty() ? "" : " ") + sentence;
    }
  };
  if (impossible_ > 0) {
    tell({fmt::format("{} below zero, or far above any machine, {} taken as unknown.", counted(impossible_, "reading"),
                      impossible_ == 1 ? "was" : "were")});
  }
  if (from_counter_) {
    const auto differences = power_from_energy(trace_, trace_.source);
    if (!differences) return std::unexpected(differences.error());
    tell(*differences);
  }
  PowerExtents extents = power_extents(trace_, options.threads);
  const auto drop = [&](auto kind) {
    const std::vector<std::string> sentences = kind(trace_, extents);
    tell(sentences);
    if (!sentences.empty()) extents = power_extents(trace_, options.threads);
  };
  if (!readings_are_meant_) drop(drop_full_registers);
  if (!readings_are_meant_ && !options.keep_zeros) drop(drop_zeros);
  if (!readings_are_meant_ && !from_counter_) {
    if (auto one_scale = check_scales(options, extents); !one_scale) return std::unexpected(one_scale.error());
  }
  if (!readings_are_meant_ && options.power_unit.empty()) {
    for (std::string& sentence : doubtful_scales(trace_, extents)) {
      trace_.understanding.warnings.push_back(std::move(sentence));
    }
  }
  std::int64_t& unknown = trace_.understanding.unknown_power;
  unknown = 0;
  for (const PowerExtent& extent : extents) unknown += extent.unknown;
  return all;
}

/// A column that changes between watts and milliwatts makes every figure wrong.
Result<void> Builder::check_scales(const ReadOptions& options, const PowerExtents& extents) {
  const auto mixed = mixed_scales(trace_, extents);
  if (!mixed) return {};
  const std::string at =
      wall_ ? format_unix_ns(mixed->from_ns) : fmt::format("{:.3f} s", static_cast<double>(mixed->from_ns) * 1e-9);
  std::string what = fmt::format("device '{}' reads {:g} W and then {:g} W at {}, and nothing in between",
                                 printable(mixed->device, 60), mixed->before_w, mixed->behind_w, at);
  if (!options.power_unit.empty()) {
    note(fmt::format("In {} {}: --unit was used throughout.", trace_.source, what));
    return {};
  }
  return fail(ErrorKind::bad_input, trace_.source, what + ": W and mW seem to be mixed",
              "Split the file there and read each part with its --unit; if it is one unit throughout, state it with "
              "--unit.");
}

bool Builder::spread_stamps() {
  std::string device;
  Nanos step{0};
  std::size_t devices = 0;
  for (Series& s : trace_.series) {
    const auto found = spread_coarse_stamps(s);
    if (!found) continue;
    if (devices++ == 0) {
      device = s.device.name;
      step = *found;
    }
  }
  if (devices == 0) return false;
  const std::string who = devices == 1 ? fmt::format("Device '{}' has", printable(device, 60))
                                       : fmt::format("{} devices, '{}' first, have", devices, printable(device, 60));
  trace_.understanding.warnings.push_back(fmt::format(
      "{} several readings at each stamp: either the stamps, {} apart, are coarser than the readings, or these are of "
      "several devices. They were taken for one and spread evenly over the time to the next stamp; if a column tells "
      "devices apart, name it with --device.",
      who, format_duration(step)));
  return true;
}

void Builder::pass_over_aggregates() {
  const auto rows = [this] {
    std::int64_t n = 0;
    for (const Series& s : trace_.series) n += static_cast<std::int64_t>(s.size());
    return n;
  };
  const std::int64_t before = rows();
  for (std::string& sentence : drop_aggregates(trace_.series)) note(std::move(sentence));
  trace_.understanding.rows -= before - rows();
}

Result<Trace> Builder::finish(const Input& input, const ReadOptions& options) {
  if (input.error() != nullptr) {
    note(fmt::format("{}: {}; what was read before that is kept.", input.name(), input.error()->what));
  }
  for (std::string& sentence : input.encoding_notes()) note(std::move(sentence));
  if (too_many_devices_) {
    return fail(ErrorKind::bad_input, input.name(), fmt::format("it names more than {} devices", kMaxDevices),
                "If another column tells devices apart, name it with --device.");
  }
  if (trace_.understanding.other_lines > trace_.understanding.rows) {
    note(fmt::format("{} {} passed over, more than were read: if the file holds a second format, split it.",
                     counted(trace_.understanding.other_lines, "line"),
                     trace_.understanding.other_lines == 1 ? "was" : "were"));
  }
  unite_spellings();
  const auto silent = std::ranges::remove_if(trace_.series, [](const Series& s) { return s.size() == 0; });
  if (!silent.empty()) {
    note(fmt::format("{} {} named without a single readable row and left out.", counted(silent.size(), "device"),
                     silent.size() == 1 ? "was" : "were"));
    trace_.series.erase(silent.begin(), silent.end());
  }
  if (named_by_cells_ && options.device_column.empty()) pass_over_aggregates();
  if (wall_ && !has_zone_) {
    std::vector<std::string> notes;
    unfold_daylight_saving(trace_.series, notes, trace_.understanding.warnings);
    for (std::string& sentence : notes) note(std::move(sentence));
  }
  SampleCopies copies;
  std::string overlapping;
  for (Series& s : trace_.series) {
    const Closed closed = close(s);
    copies.dropped += closed.copies.dropped;
    copies.doubtful += closed.copies.doubtful;
    if (closed.overlap && overlapping.empty()) overlapping = s.device.name;
  }
  if (!overlapping.empty()) {
    trace_.understanding.warnings.push_back(
        fmt::format("Two sessions of device '{}' cover the same time with other readings: two machines in one file, or "
                    "a clock that was set back. Split the file, or name a column that tells the machines apart.",
                    printable(overlapping, 60)));
  }
  trace_.understanding.rows -= copies.dropped;
  for (std::string& sentence : notes_of(copies)) note(std::move(sentence));
  const bool spread = !readings_are_meant_ && spread_stamps();
  const auto doubtful = settle_power(options);
  if (!doubtful) return std::unexpected(doubtful.error());
  const bool any_known = std::ranges::any_of(trace_.series, [](const Series& s) {
    return std::ranges::any_of(s.power_w, [](double w) { return !std::isnan(w); });
  });
  if (const auto fit = check(trace_.understanding, any_known, options.lenient, input, *doubtful); !fit) {
    return std::unexpected(fit.error());
  }
  if (!readings_are_meant_) {
    const auto in_turns = spread ? std::nullopt : interleaved_warning(trace_.series);  // else it is said already
    if (in_turns) trace_.understanding.warnings.push_back(*in_turns);
    for (const auto& found : {aggregates_by_value(trace_.series), meters_by_value(trace_.series)}) {
      trace_.understanding.warnings.insert(trace_.understanding.warnings.end(), found.begin(), found.end());
    }
  }
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::int64_t backward = 0;
  for (Series& s : trace_.series) {
    first = std::min(first, s.time_ns.front());
    last = std::max(last, s.time_ns.back());
    backward += s.backward_stamps;
  }
  std::int64_t span = 0;
  if (__builtin_sub_overflow(last, first, &span) || span > kLongestSpan.count()) {
    return fail(ErrorKind::bad_input, input.name(), "its stamps lie more than 95 years apart",
                "If another column holds the time, name it with --time.");
  }
  parallel_for(trace_.series.size(), options.threads, [&](std::size_t i) {
    for (std::int64_t& t : trace_.series[i].time_ns) t -= first;
  });
  if (backward > 0) {
    note(fmt::format("{} {} backwards in time; the rows were sorted.", counted(backward, "stamp"),
                     backward == 1 ? "steps" : "step"));
  }
  if (wall_) {
    trace_.start_unix_ns = first;
    trace_.start_has_zone = has_zone_;
    if (options.start_unix_ns) note("--start is not used: the log has a clock of its own.");
  } else if (options.start_unix_ns) {
    trace_.start_unix_ns = options.start_unix_ns;
    trace_.start_has_zone = true;
  }
  return std::move(trace_);
}

}  // namespace wattrein::trace
