#pragma once
// Logs that print many sensors a poll, of which one stands for what is asked: their readings are gathered, and once
// all are there it is decided which sensor that is. Sensors are never added up.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "trace/builder.h"
#include "trace/input.h"
#include "trace/read.h"

namespace wattrein::trace {

struct SensorReading {
  std::int64_t time_ns = 0;  ///< absolute; without a stamp the poll's number from 0
  std::int64_t line = 0;
  std::int64_t order = 0;                                     ///< among readings of one line
  double power_w = std::numeric_limits<double>::quiet_NaN();  ///< NaN: the sensor says that it has no reading
  double limit_w = std::numeric_limits<double>::quiet_NaN();
  bool timed = false;
  bool readable = true;
};

struct Sensor {
  std::string name{};    ///< as the log calls it
  std::string device{};  ///< what the trace calls it, with the host where there is one
  std::string host{};
  std::string words{};          ///< what it is judged by, where that is more than its name
  bool other_quantity = false;  ///< it gave a reading in another unit than watts
  bool whole = false;           ///< the log itself says that it stands for the whole
  std::int64_t stamp_line = 0;  ///< for the reader: where the stamp of its last reading stood
  std::vector<SensorReading> readings{};

  [[nodiscard]] bool known() const;  ///< at least one reading in watts
};

/// What a power sensor of a server measures, by the words of its name, best first.
enum class SensorScope : unsigned char { node, node_output, supply_input, supply_output, supply, other, part, no_draw };
/// `no_draw`: limits, peaks, averages and capacities.
[[nodiscard]] SensorScope scope_of(std::string_view name);

class SensorLog {
 public:
  /// The sensor of that name and device, made at its first mention; null when there are too many to be sensors.
  Sensor* sensor(std::string_view name, std::string_view device);
  [[nodiscard]] std::vector<Sensor>& sensors() { return sensors_; }
  [[nodiscard]] bool any_known() const;
  /// "A, B and C": those that gave a reading in watts.
  [[nodiscard]] std::string list() const;
  /// All of that name which gave watts; case is ignored, and one '*' stands for any letters.
  [[nodiscard]] std::vector<const Sensor*> named(std::string_view name) const;
  /// The sensor of the whole node, one a device (or one in all: `one_node`); else the inputs of its power supplies;
  /// else the only one there is. Notes what was decided. Empty where the names leave it open.
  [[nodiscard]] std::vector<const Sensor*> of_the_node(Builder& builder, bool one_node) const;

 private:
  std::vector<Sensor> sensors_;
  std::unordered_map<std::string, std::size_t> index_;
};

struct SensorClock {
  std::string described{};                ///< of the stamps, as in Understanding::clock
  std::optional<Nanos> assumed_period{};  ///< without stamps and without --period; nothing: it must be said
  std::string_view tool{};                ///< for messages
  bool period_used = false;               ///< --period made the stamps finer
  bool count_polls = false;               ///< times without a stamp only number a sensor's own readings
};

/// Hands the readings of the chosen sensors to `builder`: with their stamps, else by --period.
/// Errors, usage: several polls without stamps and without a period.
[[nodiscard]] Result<void> feed(Builder& builder, const std::vector<const Sensor*>& chosen, const SensorClock& clock,
                                const Input& input, const ReadOptions& options);

/// Errors, usage: options that do not fit logs whose sensors have names and units of their own; --power does.
[[nodiscard]] Result<void> check_sensor_options(const ReadOptions& options, std::string_view format, const Input& input,
                                                bool time_key = false);

/// That several power sensors leave it open which is meant, or that there is none at all.
[[nodiscard]] std::unexpected<Error> no_choice(const std::string& list, const Input& input, const ReadOptions& options);

}  // namespace wattrein::trace
