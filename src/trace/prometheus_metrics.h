#pragma once
// What the two Prometheus readers share: which metrics mean power, which labels mean a device, and the joining
// of several metrics of one device into one series.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "trace/builder.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/trace.h"

namespace wattrein::trace {

using PrometheusLabels = std::vector<std::pair<std::string, std::string>>;

/// What a metric says about a device. The powers come first, in the order in which they are preferred.
enum class MetricRole : std::uint8_t {
  instant_power,
  power,
  average_power,
  energy,
  enforced_limit,   ///< after all limiters
  requested_limit,  ///< as set
  default_limit,
  max_limit,
  index,  ///< the value is the GPU's number
  info,   ///< only its labels count
};

struct MetricSpec {
  std::string name;
  MetricRole role = MetricRole::power;
  double scale = 1.0;  ///< watts or joules a unit of the metric
  MeterKind meter = MeterKind::unknown;
};

[[nodiscard]] constexpr bool is_power(MetricRole role) { return role <= MetricRole::average_power; }
/// The metrics of dcgm-exporter, nvidia_gpu_exporter, Triton and their elders; null for any other.
[[nodiscard]] const MetricSpec* known_metric(std::string_view name);
/// Whether a name speaks of a power draw: has "power" or "watt" in it, and no word of draw_words.h.
[[nodiscard]] bool sounds_like_power(std::string_view name);

/// A number as Prometheus writes it. NaN and the infinities are NaN, an unknown value; nothing on anything else.
[[nodiscard]] std::optional<double> parse_prometheus_value(std::string_view text);

/// Takes readings of any metrics in any order; finish() makes one series a device out of them.
class PrometheusCollector {
 public:
  /// `power`: the one metric that is to be power, in place of the known ones. Errors, usage: the option --unit,
  /// or a metric that counts energy.
  [[nodiscard]] static Result<PrometheusCollector> make(const Input& input, const ReadOptions& options,
                                                        std::string_view format, std::optional<std::string> power);

  /// Null when the metric says nothing about power.
  [[nodiscard]] const MetricSpec* wanted(std::string_view name) const;
  /// A handle for add(): the device that the labels name, and the metric. Requires wanted(name).
  [[nodiscard]] std::size_t series(std::string_view name, PrometheusLabels labels);
  [[nodiscard]] MetricRole role(std::size_t series) const { return metrics_[series_[series].metric].role; }
  /// `stamp` is unix nanoseconds when `stamped`, else the number of the scrape from zero. NaN = unknown. `line`
  /// is the reading's place: it grows from call to call, and of two readings of one moment the first is kept.
  void add(std::size_t series, std::int64_t stamp, bool stamped, double value, std::int64_t line);

  [[nodiscard]] Builder& builder() { return builder_; }
  [[nodiscard]] bool any_power() const;
  /// Changes the stamps of readings without one to the scrapes that they stand for.
  void number_scrapes(std::span<const std::int64_t> scrape_of);
  /// The largest number of scrapes without stamps in which one device shows its power; zero: all have stamps.
  [[nodiscard]] std::int64_t most_unstamped() const;
  /// Whether every device shows its power once and no more in each of so many scrapes without stamps.
  [[nodiscard]] bool all_in_each(std::int64_t scrapes) const;
  /// `period_ns` spaces scrapes without stamps. Errors: as Builder::finish.
  [[nodiscard]] Result<Trace> finish(const Input& input, const ReadOptions& options, std::int64_t period_ns);

 private:
  struct Reading {
    std::int64_t stamp;
    double value;
    std::int64_t line;
    std::uint32_t series;  ///< as the file has them: several may be of one device
    bool stamped;
    bool stale = false;
  };
  struct Track {  // one metric of one device
    std::size_t metric;
    std::vector<Reading> readings;
  };
  struct Known {  // one device
    PrometheusLabels labels;
    bool by_labels = false;  ///< told apart by nothing but all its labels
    bool by_uuid = false;
    bool masked = false;          ///< by a uuid that tells no devices apart: all zeros
    bool host_is_target = false;  ///< the host is but what was scraped
    std::string uuid, model, host, gpu;
    std::vector<Track> tracks;
  };
  struct Handle {
    std::size_t device;
    std::size_t metric;
    std::size_t track;
    std::string host, gpu;  ///< as its labels say
  };

  PrometheusCollector(const Input& input, const ReadOptions& options, std::string_view format)
      : options_(options), builder_(input.name(), std::string(format)) {}
  std::size_t metric_index(std::string_view name);
  std::size_t device_index(PrometheusLabels labels);
  [[nodiscard]] const Track* power_track(const Known& device) const;
  [[nodiscard]] std::vector<std::string> names(const std::vector<std::size_t>& devices) const;
  static void mark_stale(std::vector<Reading>& by_time);
  void settle(Track& track, bool power, bool stamped, const Input& input, std::int64_t period_ns);
  void emit(const Known& device, const Track& power, const std::string& name);
  [[nodiscard]] static std::string place_of(const Known& device, const Handle& series);
  [[nodiscard]] bool disagrees_with_itself(const Known& device) const;
  void split_shared_uuids();
  void split_by_place(std::size_t device);
  void warn_of_two_exporters(const std::vector<std::size_t>& devices);
  void explain(const std::vector<std::size_t>& devices);
  void pass_over_wholes(std::vector<std::size_t>& devices, std::vector<std::size_t>& powers);

  const ReadOptions& options_;
  Builder builder_;
  std::optional<MetricSpec> power_;  ///< set by the user, or the only metric there
  std::vector<MetricSpec> metrics_;
  std::vector<Known> devices_;
  std::unordered_map<std::string, std::size_t> device_at_;
  std::vector<Handle> series_;
  std::vector<std::string> told_apart_by_;
  std::int64_t repeated_ = 0;
  std::int64_t differing_ = 0;
  std::int64_t stale_ = 0;
  bool too_long_ = false;
  std::size_t passed_over_ = 0;  ///< sets of labels with power that are a sum of others
};

}  // namespace wattrein::trace
