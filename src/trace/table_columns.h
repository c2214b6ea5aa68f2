#pragma once
// Which column is what. A reader fills a ColumnMap from its own vocabulary; what the user names goes first.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/table_layout.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// What the power column says of itself.
enum class PowerKind : unsigned char { plain, instant, average };

/// A device that has columns of its own, in a table with one row a poll.
struct DeviceColumns {
  std::string name;
  int power = -1;  ///< of energy, with ColumnMap::from_counter
  int limit = -1;
  int energy = -1;
  std::optional<double> power_scale;
  std::optional<double> limit_scale;
  double energy_scale = 1.0;
};

struct ColumnMap {
  int time = -1;
  int date = -1;     ///< of a stamp in two columns, with the time of day in `time`
  int power = -1;    ///< of energy, with from_counter; the first device's, with `wide`
  int average = -1;  ///< the meter's own average beside an instant power column
  int second = -1;   ///< another power column, for devices of which the first has no reading
  int limit = -1;
  int nameplate = -1;
  int energy = -1;
  int device = -1;
  int doubtful_device = -1;  ///< named as a device, and its values are as a utilisation's
  int shown = -1;            ///< what devices are called by, where `device` is their uuid or serial number
  int host = -1;
  bool names_hosts = false;  ///< `device` names hosts: each has one meter
  int phase = -1;
  int uuid = -1;
  int model = -1;
  bool model_tells = false;         ///< rows of one device name that are of another model are of another device
  int instance = -1;                ///< a MIG instance's id, where rows of instances repeat their GPU's power
  std::vector<DeviceColumns> wide;  ///< columns for each device; empty where devices have rows
  bool row_a_device = false;        ///< the tool writes one row for each device a poll, and nothing else
  bool from_counter = false;        ///< no power column, but a cumulative energy counter (power_scale is joules a unit)
  PowerKind power_kind = PowerKind::plain;
  std::optional<double> power_scale;  ///< watts a unit; nothing: the cells must carry it
  std::optional<double> average_scale;
  std::optional<double> second_scale;
  std::optional<double> limit_scale;
  std::optional<double> nameplate_scale;
  double energy_scale = 1.0;
  std::optional<TimeUnit> time_unit;
  bool is_nvml = false;  ///< the power columns are NVML's: power_kind and the model say what their meter does
  std::vector<std::string> notes;
};

/// The column that an option names: the header's text, or that without its unit, ignoring case, or "#3".
/// Errors, usage: no such column (says which is nearest and lists them all), or two of that name.
[[nodiscard]] Result<int> named_column(const Layout& layout, std::string_view name, std::string_view option,
                                       const Input& input);

/// Puts what the options name over what a reader found. Errors: usage.
[[nodiscard]] Result<void> apply_options(const Layout& layout, const ReadOptions& options, const Input& input,
                                         ColumnMap& map);

/// Whether two columns hold the same in every sampled row: then it does not matter which one is read.
[[nodiscard]] bool same_cells(const Layout& layout, int a, int b);

/// How many columns the options name that a header has: for HeaderScore.
[[nodiscard]] int named_by_options(std::span<const ColumnName> names, const ReadOptions& options);

/// The first of `candidates` (in order of preference) that can be the device: one that has a value, is no share in
/// percent, does not count rows, and neither repeats within a stamp nor comes at random where another one does not. -1
/// where there is none. Passing over a preferred one is noted. A `gpu` that may hold utilisation is put into
/// map.doubtful_device.
[[nodiscard]] int choose_device(const Layout& layout, std::span<const int> candidates, ColumnMap& map);

/// Whether a column holds readings, whatever it is called: numbers with fractions that seldom come again. Devices and
/// hosts are called by few names.
[[nodiscard]] bool holds_readings(const Layout& layout, int column);

/// Whether the same few values come again and again in a column, as devices do and counted rows do not.
[[nodiscard]] bool values_recur(const Layout& layout, int column);

/// "MIG-1c3b...", "GPU-I 7", "GPU-CI 2": a part of a GPU, whose rows repeat the GPU's power.
[[nodiscard]] bool is_instance_name(std::string_view name);

/// Makes the host the device, where each has one: fails where its devices cannot be told apart.
[[nodiscard]] Result<void> take_host_as_device(const Layout& layout, const Input& input, ColumnMap& map);

/// Finds the date that belongs to a column with the time of day alone.
void pair_with_date(const Layout& layout, ColumnMap& map);

/// Rows of the sample whose cell in this column is a known power.
struct PowerSample {
  std::size_t known = 0;
  std::size_t unknown = 0;
  std::size_t with_unit = 0;  ///< known ones that carry their unit
  bool varies = false;
  double largest = 0.0;  ///< in watts; without any unit: the bare number
};
[[nodiscard]] PowerSample sample_power(const Layout& layout, int column, std::optional<double> scale);

/// Errors: bad_input where the map lacks power, or time (without options.period), or the power has no unit, or a needed
/// column stands there twice with different values; and those of column_formats().
[[nodiscard]] Result<void> check_map(const Layout& layout, const ColumnMap& map, const ReadOptions& options,
                                     const Input& input);

/// ", "-joined labels of all columns, cut after 40.
[[nodiscard]] std::string column_list(const Layout& layout);

}  // namespace wattrein::trace
