#pragma once
// What every reader fills: it keeps the columns aligned, counts what was passed over, and makes the Trace.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "trace/doubtful_readings.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/same_names.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// Collects samples with absolute stamps and turns them into a Trace (origin at the earliest sample, series
/// sorted by time in a stable way, duplicates and backward steps counted before that).
class Builder {
 public:
  Builder(std::string source, std::string format) {
    trace_.source = std::move(source);
    trace_.understanding.format = std::move(format);
  }

  static constexpr std::size_t kMaxDevices = 4096;  ///< more names than that are no devices, and each costs memory

  /// The series of a device, made at its first mention; a uuid or bus id in another spelling (plain_id()) is the same.
  /// Beyond kMaxDevices it is one that takes nothing, and finish()
  /// refuses: a reader need not ask, but may stop at too_many_devices().
  std::size_t device(std::string_view name);
  [[nodiscard]] bool too_many_devices() const { return too_many_devices_; }
  [[nodiscard]] Series& series(std::size_t index) {
    return index < trace_.series.size() ? trace_.series[index] : no_series_;
  }
  [[nodiscard]] std::size_t device_count() const { return trace_.series.size(); }
  std::int16_t phase(std::string_view label);  ///< index into Trace::phases, made at first mention

  /// A sample; power_w NaN is a poll that says N/A (counted as unknown power), and so is a number that is no power
  /// (below zero, or a blank of DCGM). `time_ns` is absolute: unix
  /// nanoseconds, or from zero where there is no clock (start_known(false)).
  void add(std::size_t device, std::int64_t time_ns, double power_w);
  /// The same for samples in a row, each of a power from 0 to kMostWatts; their number is for the caller to count in
  /// understanding().rows. Threads: several at once, for different devices.
  void extend(std::size_t device, std::span<const std::int64_t> time_ns, std::span<const double> power_w);
  /// Sets an optional column of the sample just added to `device`; samples without it hold NaN.
  void set(std::size_t device, Column column, double value);
  void set_phase(std::size_t device, std::int16_t phase);
  /// There is no power but an energy counter: finish() takes power from the differences of Column::energy_j.
  void power_from_counter() { from_counter_ = true; }
  /// The format has a word for unknown and uses it: doubtful readings, zeros among them, are left as they are.
  void readings_are_meant() { readings_are_meant_ = true; }

  /// Devices are called as the log's own cells call them: finish() passes over totals and parts (aggregate_rows.h),
  /// unless --device names their column.
  void devices_are_named_by_cells() { named_by_cells_ = true; }

  /// A device's row that could not be read; `where` as Input::place().
  void damaged(std::string where, std::string reason);
  [[nodiscard]] Understanding& understanding() { return trace_.understanding; }
  [[nodiscard]] const Understanding& understanding_of() const { return trace_.understanding; }
  [[nodiscard]] Trace& trace() { return trace_; }
  void note(std::string sentence);        ///< once: the same sentence again is dropped
  void clock(bool wall, bool has_zone) {  ///< default: a wall clock with a zone
    wall_ = wall;
    has_zone_ = has_zone;
  }

  /// Takes out what no meter read (doubtful_readings.h).
  /// Errors, bad_input: more than 5 % of the device rows damaged (unless lenient), no sample at all, no known
  /// power at all. Carries the places of the first damaged rows and an early end of `input`.
  [[nodiscard]] Result<Trace> finish(const Input& input, const ReadOptions& options);

 private:
  Result<std::string> settle_power(const ReadOptions& options);
  Result<void> check_scales(const ReadOptions& options, const PowerExtents& extents);
  void pass_over_aggregates();
  bool spread_stamps();  ///< whether it did
  [[nodiscard]] std::size_t other_spelling(std::string_view name, std::size_t fresh);
  void unite_spellings();

  [[nodiscard]] bool takes(std::size_t device);

  Trace trace_;
  Series no_series_;  ///< what is said of devices beyond the last
  std::unordered_map<std::string, std::size_t> device_index_;
  std::unordered_map<std::string, std::size_t> spelled_;  ///< by host and plain_id()
  std::string two_spellings_;                             ///< of the first device that has them
  std::int64_t respelled_ = 0;
  std::vector<FileRows> rows_;  ///< one a series: where it stands among the rows of all
  std::unordered_map<std::string, std::int16_t> phase_index_;
  bool wall_ = true;
  bool has_zone_ = true;
  bool too_many_devices_ = false;
  bool from_counter_ = false;
  bool readings_are_meant_ = false;
  bool named_by_cells_ = false;
  std::int64_t impossible_ = 0;  ///< readings below zero, or above kMostWatts
};

}  // namespace wattrein::trace
