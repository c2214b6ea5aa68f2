#pragma once
// The columnar power trace: the one form that every reader produces and every analysis takes.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace wattrein::trace {

/// The longest time that a trace may span, 95 years: three sample periods, and a stamp with a period added, still fit
/// 64 bits, whatever the stamps are.
inline constexpr Nanos kLongestSpan{3'000'000'000'000'000'000};

/// What one reading of the power column stands for. A shorter window than the meter's own average can hide
/// excursions, so verdicts depend on it. Source: DOMAIN facts, NVML section (docs/formats/readers.md).
enum class MeterKind : std::uint8_t {
  unknown,
  instantaneous,       ///< a short boxcar (25 ms of every 100 ms on A100 and H100)
  average_1s,          ///< trailing mean over one second
  counter_difference,  ///< energy counter difference over time: exact over its own interval
};
[[nodiscard]] std::string_view name(MeterKind kind);  // "unknown", "instantaneous", "1-s average", "counter difference"

/// How a figure is known. Two kinds are never added.
enum class Evidence : std::uint8_t { measured_live, measured_replay, simulated, published, projected };
[[nodiscard]] std::string_view name(Evidence evidence);  // "measured-live", "measured-replay", ...

/// Optional columns beside time and power; data, not code: readers, native format and export loop over it.
enum class Column : std::uint8_t { energy_j, average_w, limit_w, tokens, step, group, prompts, inflight };
struct ColumnSpec {
  Column column;
  std::string_view name;  ///< as in the native format's header and in exports
  std::string_view description;
};
inline constexpr std::array<ColumnSpec, 8> kColumns{{
    {Column::energy_j, "energy_j", "cumulative energy counter of the device"},
    {Column::average_w, "average_w", "the meter's own 1-s average, where logged beside the instant draw"},
    {Column::limit_w, "limit_w", "power limit in force"},
    {Column::tokens, "tokens", "cumulative tokens generated"},
    {Column::step, "step", "training step"},
    {Column::group, "group", "group size in force"},
    {Column::prompts, "prompts", "prompts a batch in force"},
    {Column::inflight, "inflight", "bound on sequences in flight in force"},
}};

struct Device {
  std::string name;         ///< unique within the trace, as people call it: "0", "gpu-node-1/3", "card0"
  std::string uuid;         ///< empty where unknown
  std::string model;        ///< "NVIDIA H100 80GB HBM3"; empty where unknown
  std::string host;         ///< empty where unknown
  bool names_host = false;  ///< its name is that of a host: one meter a machine
  MeterKind meter = MeterKind::unknown;
  std::optional<Watts> nameplate;  ///< from the log itself (limit columns), not from the model's name
};

/// One device's samples. Invariants once a reader has returned it: `time_ns` ascending (equal stamps allowed,
/// in file order); every non-empty column as long as `time_ns`; NaN = unknown, never zero.
struct Series {
  Device device;
  std::vector<std::int64_t> time_ns;  ///< from the trace's origin
  std::vector<double> power_w;
  std::vector<std::int16_t> phase;  ///< index into Trace::phases, -1 = unknown; empty without labels
  std::array<std::vector<double>, kColumns.size()> columns;

  // Counted before sorting, since sorting hides them.
  std::int64_t duplicate_stamps = 0;
  std::int64_t backward_stamps = 0;

  [[nodiscard]] std::size_t size() const { return time_ns.size(); }
  [[nodiscard]] const std::vector<double>& column(Column c) const { return columns[static_cast<std::size_t>(c)]; }
  [[nodiscard]] std::vector<double>& column(Column c) { return columns[static_cast<std::size_t>(c)]; }
};

/// One damaged row: a device's row whose time or power could not be read.
struct Damage {
  std::string where;  ///< "file.csv:12"
  std::string reason;
};

/// One of the files that a joined trace was made from.
struct FilePart {
  std::string source;
  std::string read_as;  ///< understanding_line() of the file alone
};

/// How a file was understood, so that a wrong guess is seen at once, and what was passed over.
struct Understanding {
  std::string format;              ///< the reader's name
  std::string power;               ///< the column or metric taken as power, and its unit: "power.draw [W]"
  std::string clock;               ///< "wall clock, no zone", "unix epoch in us", "none: 1 s a row from zero (assumed)"
  std::string devices;             ///< how devices were told apart: "column 'index'", "row order, 8 rows a poll"
  std::vector<std::string> notes;  ///< every guess and assumption, a sentence each
  std::vector<std::string> warnings;  ///< what makes a sum over the devices doubtful, a sentence each
  std::vector<FilePart> parts;        ///< of a joined trace; empty otherwise

  std::int64_t unread_files = 0;  ///< that were given together with this, and could not be read

  std::int64_t rows = 0;           ///< device rows read
  std::int64_t damaged = 0;        ///< device rows skipped: time or power unreadable
  std::int64_t unknown_power = 0;  ///< polls that say N/A: kept as unknown power
  std::int64_t repeated_headers = 0;
  std::int64_t other_lines = 0;       ///< banners, summaries, separators that name no device
  std::vector<Damage> first_damaged;  ///< three at most
};

struct Trace {
  std::string source;                         ///< file name, or "standard input"
  std::optional<std::int64_t> start_unix_ns;  ///< wall clock of time_ns = 0; without one only durations are known
  bool start_has_zone = false;                ///< false: a local wall clock of an unknown zone, taken as UTC
  std::vector<Series> series;                 ///< in the file's order of appearance
  std::vector<std::string> phases;            ///< names of the labels
  Evidence evidence = Evidence::measured_replay;
  std::string workload;  ///< "training", "proxy", "serving", "synthetic"; empty = not stated
  Understanding understanding;
};

}  // namespace wattrein::trace
