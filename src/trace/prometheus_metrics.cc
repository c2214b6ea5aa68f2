#include "trace/prometheus_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/text.h"
#include "trace/dcgm_blank.h"
#include "trace/draw_words.h"
#include "trace/option_fit.h"
#include "trace/same_names.h"
#include "trace/table_layout.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Units are those of the exporters' own documentation: DCGM power in W and energy in mJ, Triton energy in J.
/// NVML's plain power is a 1-s average on some GPUs and instantaneous on others: its kind takes the model's name.
const std::vector<MetricSpec>& known_metrics() {
  using enum MetricRole;
  static const std::vector<MetricSpec> all{
      {"DCGM_FI_DEV_POWER_USAGE_INSTANT", instant_power, 1.0, MeterKind::instantaneous},
      {"nvidia_smi_power_draw_instant_watts", instant_power, 1.0, MeterKind::instantaneous},
      {"DCGM_FI_DEV_POWER_USAGE", power, 1.0, MeterKind::unknown},
      {"nvidia_smi_power_draw_watts", power, 1.0, MeterKind::unknown},
      {"dcgm_power_usage", power, 1.0, MeterKind::unknown},
      {"nv_gpu_power_usage", power, 1.0, MeterKind::unknown},
      {"nvidia_gpu_power_usage_milliwatts", power, 1e-3, MeterKind::unknown},
      {"nvidia_smi_power_draw_average_watts", average_power, 1.0, MeterKind::average_1s},
      {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", energy, 1e-3, MeterKind::unknown},
      {"dcgm_total_energy_consumption", energy, 1e-3, MeterKind::unknown},
      {"nv_energy_consumption", energy, 1.0, MeterKind::unknown},
      {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", enforced_limit, 1.0, MeterKind::unknown},
      {"nvidia_smi_enforced_power_limit_watts", enforced_limit, 1.0, MeterKind::unknown},
      {"DCGM_FI_DEV_POWER_MGMT_LIMIT", requested_limit, 1.0, MeterKind::unknown},
      {"nvidia_smi_power_limit_watts", requested_limit, 1.0, MeterKind::unknown},
      {"nv_gpu_power_limit", requested_limit, 1.0, MeterKind::unknown},
      {"DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", default_limit, 1.0, MeterKind::unknown},
      {"nvidia_smi_power_default_limit_watts", default_limit, 1.0, MeterKind::unknown},
      {"DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX", max_limit, 1.0, MeterKind::unknown},
      {"nvidia_smi_power_max_limit_watts", max_limit, 1.0, MeterKind::unknown},
      {"nvidia_smi_index", index, 1.0, MeterKind::unknown},
      {"nvidia_smi_gpu_info", info, 1.0, MeterKind::unknown},
  };
  return all;
}

/// The unit in a metric's name, by Prometheus' naming rules; nothing where it carries none.
std::optional<double> unit_in_name(std::string_view name) {
  struct Suffix {
    std::string_view text;
    double scale;
  };
  constexpr Suffix kSuffixes[] = {{"_milliwatts", 1e-3}, {"_milliwatt", 1e-3}, {"_mw", 1e-3},
                                  {"_microwatts", 1e-6}, {"_microwatt", 1e-6}, {"_kilowatts", 1e3},
                                  {"_kilowatt", 1e3},    {"_kw", 1e3},         {"_watts", 1.0},
                                  {"_watt", 1.0},        {"_w", 1.0}};
  const std::string low = lower(name);
  for (const Suffix& s : kSuffixes) {
    if (low.ends_with(s.text)) return s.scale;
  }
  return std::nullopt;
}

/// Errors, usage: a metric that the user named counts energy in hours, or is a part of something.
Result<void> check_is_power(const std::string& metric, const ReadOptions& options) {
  const std::vector<std::string> words = parse_column_name(metric).tokens;
  const auto any = [&words](std::initializer_list<std::string_view> wanted) {
    return std::ranges::find_first_of(words, wanted) != words.end();
  };
  if (any({"hour", "hours", "wh", "kwh"})) {
    return fail(ErrorKind::usage, "--power", fmt::format("'{}' counts energy", printable(metric)),
                fmt::format("Query its rate in watts: rate({}[1m]) * 3600 of watt-hours, * 3600000 of kilowatt-hours.",
                            printable(metric)));
  }
  if (options.power_unit.empty() && any({"percent", "percentage", "pct", "ratio", "fraction"})) {
    return fail(ErrorKind::usage, "--power", fmt::format("'{}' is a part of something, in no watts", printable(metric)),
                "Name a metric in watts, or state its unit with --unit.");
  }
  return {};
}

std::string label(const PrometheusLabels& labels, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const auto& [key, value] : labels) {
      if (key == name && !value.empty()) return value;
    }
  }
  return {};
}

std::string gpu_label(const PrometheusLabels& labels) { return label(labels, {"gpu", "minor_number", "index"}); }
std::string host_label(const PrometheusLabels& labels) {
  return label(labels, {"Hostname", "hostname", "node", "nodename"});
}

/// The scrape target's port says nothing about the host.
std::string without_port(std::string text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos && colon > 0 && parse_int(std::string_view(text).substr(colon + 1))) {
    text.resize(colon);
  }
  return text;
}

std::string key_of(const PrometheusLabels& labels) {
  std::string key;
  for (const auto& [name, value] : labels) key += fmt::format("{}\x1f{}\x1e", name, value);
  return key;
}

void fill(std::string& field, std::string value) {
  if (field.empty()) field = std::move(value);
}

}  // namespace

const MetricSpec* known_metric(std::string_view name) {
  const auto at = std::ranges::find(known_metrics(), name, &MetricSpec::name);
  return at == known_metrics().end() ? nullptr : &*at;
}

bool sounds_like_power(std::string_view name) {
  const std::string low = lower(name);
  const auto has = [&low](std::string_view part) { return low.find(part) != std::string::npos; };
  if (!has("power") && !has("watt")) return false;
  // Words may be written as one: "powerlimit".
  if (has("limit") || has("cap") || has("violation")) return false;
  const ColumnName parts = parse_column_name(name);
  return !parts.time_unit && !parts.energy_scale && std::ranges::none_of(parts.tokens, says_no_draw);
}

std::optional<double> parse_prometheus_value(std::string_view text) {
  if (const auto number = parse_double(text)) return number;
  std::string low = lower(trim(text));
  if (low.starts_with('+') || low.starts_with('-')) low.erase(0, 1);
  if (low == "nan" || low == "inf" || low == "infinity") return kUnknown;
  return std::nullopt;
}

Result<PrometheusCollector> PrometheusCollector::make(const Input& input, const ReadOptions& options,
                                                      std::string_view format, std::optional<std::string> power) {
  const ColumnOptions usable{.power = true, .device = true};
  if (auto fit = check_column_options(options, usable, format, input); !fit) return std::unexpected(fit.error());
  PrometheusCollector collector(input, options, format);
  if (!power) {
    if (options.power_unit.empty()) return collector;
    return fail(ErrorKind::usage, "--unit", "the unit of the known metrics is known",
                "Name the metric that it is for with --power.");
  }
  if (auto fits = check_is_power(*power, options); !fits) return std::unexpected(fits.error());
  if (lower(*power).find("joule") != std::string::npos) {
    return fail(ErrorKind::usage, "--power", fmt::format("'{}' counts energy", printable(*power)),
                fmt::format("Query its rate, rate({}[1m]), which is power in watts.", printable(*power)));
  }
  MetricSpec spec{*power, MetricRole::power, 1.0, MeterKind::unknown};
  if (const MetricSpec* known = known_metric(*power); known != nullptr && is_power(known->role)) {
    spec = *known;
    spec.role = MetricRole::power;
  } else if (const auto scale = unit_in_name(*power)) {
    spec.scale = *scale;
  } else if (options.power_unit.empty()) {
    collector.builder_.note(
        power->empty() ? "The query's value has no name, and so no unit: watts are assumed; --unit says otherwise."
                       : fmt::format("The name '{}' carries no unit: watts are assumed; --unit says otherwise.",
                                     printable(*power)));
  }
  if (!options.power_unit.empty()) {
    const auto scale = watts_per_unit(options.power_unit);
    if (!scale) return std::unexpected(scale.error());
    spec.scale = *scale;
  }
  collector.power_ = std::move(spec);
  return collector;
}

const MetricSpec* PrometheusCollector::wanted(std::string_view name) const {
  if (power_ && power_->name == name) return &*power_;
  const MetricSpec* known = known_metric(name);
  if (known == nullptr) return nullptr;
  // Beside a named power metric only the average keeps a place of its own.
  const bool other_power = is_power(known->role) && known->role != MetricRole::average_power;
  return power_ && other_power ? nullptr : known;
}

std::size_t PrometheusCollector::metric_index(std::string_view name) {
  const auto at = std::ranges::find(metrics_, name, &MetricSpec::name);
  if (at != metrics_.end()) return static_cast<std::size_t>(at - metrics_.begin());
  metrics_.push_back(*wanted(name));
  return metrics_.size() - 1;
}

/// A UUID says it all; a number needs its host; else every distinct set of labels is a device.
std::size_t PrometheusCollector::device_index(PrometheusLabels labels) {
  std::erase_if(labels, [](const auto& l) { return l.first == "__name__"; });
  std::ranges::sort(labels);
  const std::string uuid = label(labels, {"UUID", "uuid", "gpu_uuid"});
  const std::string gpu = gpu_label(labels);
  const std::string host = host_label(labels);
  const std::string instance = without_port(label(labels, {"instance"}));
  const std::string& place = host.empty() ? instance : host;
  std::string identity;
  std::string how;
  if (!options_.device_column.empty()) {
    identity = label(labels, {options_.device_column});
    how = fmt::format("label '{}' (--device)", options_.device_column);
  } else if (!uuid.empty()) {
    const std::string key = uuid_key(uuid);
    identity = "uuid:" + (key.empty() ? uuid : key);
    how = "label 'UUID'";
  } else if (!gpu.empty()) {
    identity = fmt::format("gpu:{}\x1f{}", place, gpu);
    how = place.empty() ? "label 'gpu'" : "labels 'Hostname' and 'gpu'";
  } else {
    identity = "labels:" + key_of(labels);
    how = labels.empty() ? "one device: no labels" : "every set of labels";
  }
  if (std::ranges::find(told_apart_by_, how) == told_apart_by_.end()) told_apart_by_.push_back(how);
  const auto [at, fresh] = device_at_.try_emplace(identity, devices_.size());
  if (fresh) {
    devices_.emplace_back();
    devices_.back().by_labels = options_.device_column.empty() && uuid.empty() && gpu.empty();
    devices_.back().by_uuid = options_.device_column.empty() && !uuid.empty();
    devices_.back().masked = devices_.back().by_uuid && !tells_devices(uuid);
    devices_.back().host_is_target = host.empty();
  }
  Known& d = devices_[at->second];
  // A masked UUID (all zeros) joins the metrics of one GPU where nothing else does, and is not worth showing.
  if (tells_devices(uuid)) fill(d.uuid, uuid);
  fill(d.model, label(labels, {"modelName", "model", "name"}));
  if (d.host_is_target && !host.empty()) {
    d.host = host;
    d.host_is_target = false;
  }
  fill(d.host, place);
  fill(d.gpu, options_.device_column.empty() ? gpu : identity.empty() ? "no " + options_.device_column : identity);
  if (fresh) d.labels = std::move(labels);
  return at->second;
}

std::size_t PrometheusCollector::series(std::string_view name, PrometheusLabels labels) {
  const std::size_t metric = metric_index(name);
  std::string host = host_label(labels);
  std::string gpu = gpu_label(labels);
  const std::size_t device = device_index(std::move(labels));
  std::vector<Track>& tracks = devices_[device].tracks;
  auto at = std::ranges::find(tracks, metric, &Track::metric);
  if (at == tracks.end()) at = tracks.insert(tracks.end(), Track{metric, {}});
  const auto track = static_cast<std::size_t>(at - tracks.begin());
  series_.push_back({device, metric, track, std::move(host), std::move(gpu)});
  return series_.size() - 1;
}

void PrometheusCollector::add(std::size_t series, std::int64_t stamp, bool stamped, double value, std::int64_t line) {
  const Handle& h = series_[series];
  const MetricSpec& metric = metrics_[h.metric];
  Known& device = devices_[h.device];
  if (metric.role == MetricRole::info) return;
  if (metric.role == MetricRole::index) {
    if (value >= 0 && value < 1e6) fill(device.gpu, fmt::format("{}", static_cast<int>(value)));
    return;
  }
  const bool blank = metric.role == MetricRole::energy ? is_dcgm_blank_energy(value) : is_dcgm_blank_power(value);
  device.tracks[h.track].readings.push_back(
      {stamp, blank ? kUnknown : value * metric.scale, line, static_cast<std::uint32_t>(series), stamped});
}

bool PrometheusCollector::any_power() const {
  return std::ranges::any_of(devices_, [this](const Known& d) { return power_track(d) != nullptr; });
}

void PrometheusCollector::number_scrapes(std::span<const std::int64_t> scrape_of) {
  for (Known& d : devices_) {
    for (Track& track : d.tracks) {
      for (Reading& r : track.readings) {
        if (!r.stamped) r.stamp = scrape_of[static_cast<std::size_t>(r.stamp)];
      }
    }
  }
}

bool PrometheusCollector::all_in_each(std::int64_t scrapes) const {
  return std::ranges::all_of(devices_, [&](const Known& d) {
    const Track* power = power_track(d);
    if (power == nullptr) return true;
    if (std::ssize(power->readings) != scrapes) return false;
    for (std::int64_t i = 0; i < scrapes; ++i) {
      const Reading& r = power->readings[static_cast<std::size_t>(i)];
      if (r.stamped || r.stamp != i) return false;
    }
    return true;
  });
}

std::int64_t PrometheusCollector::most_unstamped() const {
  std::int64_t most = 0;
  for (const Known& d : devices_) {
    const Track* power = power_track(d);
    if (power == nullptr) continue;
    std::int64_t scrapes = 0;
    std::int64_t last = -1;  // scrapes come in order
    for (const Reading& r : power->readings) {
      if (r.stamped || r.stamp == last) continue;
      ++scrapes;
      last = r.stamp;
    }
    most = std::max(most, scrapes);
  }
  return most;
}

/// The preferred power metric of those that know at least half as many values as any other does.
const PrometheusCollector::Track* PrometheusCollector::power_track(const Known& device) const {
  const auto is_candidate = [this](const Track& t) { return is_power(metrics_[t.metric].role) && !t.readings.empty(); };
  const auto known = [](const Track& t) {
    return std::ranges::count_if(t.readings, [](const Reading& r) { return !std::isnan(r.value); });
  };
  std::ptrdiff_t most = 0;
  for (const Track& t : device.tracks) most = is_candidate(t) ? std::max(most, known(t)) : most;
  const Track* best = nullptr;
  for (const Track& t : device.tracks) {
    if (!is_candidate(t) || known(t) * 2 < most) continue;
    if (best == nullptr || metrics_[t.metric].role < metrics_[best->metric].role) best = &t;
  }
  return best;
}

std::vector<std::string> PrometheusCollector::names(const std::vector<std::size_t>& devices) const {
  std::set<std::string> hosts;
  std::map<std::string, std::pair<std::string, std::size_t>> seen;  // label -> first value, devices that share it
  std::size_t by_labels = 0;
  for (const std::size_t i : devices) {
    const Known& d = devices_[i];
    if (!d.host.empty()) hosts.insert(d.host);
    if (!d.by_labels) continue;
    ++by_labels;
    for (const auto& [key, value] : d.labels) {
      auto& entry = seen.try_emplace(key, value, 0).first->second;
      if (entry.first == value) ++entry.second;
    }
  }
  std::vector<std::string> all;
  std::set<std::string> taken;
  for (const std::size_t i : devices) {
    const Known& d = devices_[i];
    std::string name = d.gpu;
    if (d.by_labels && name.empty()) {
      for (const auto& [key, value] : d.labels) {
        if (seen.at(key).second != by_labels) name += (name.empty() ? "" : ",") + value;
      }
      if (name.empty()) name = "0";
    } else {
      if (name.empty()) name = devices.size() == 1 || d.uuid.empty() ? "0" : d.uuid;
      if (hosts.size() > 1 && !d.host.empty() && options_.device_column.empty()) name = d.host + "/" + name;
    }
    const std::string base = name;
    for (int k = 2; !taken.insert(name).second; ++k) name = fmt::format("{} #{}", base, k);
    all.push_back(std::move(name));
  }
  return all;
}

}  // namespace wattrein::trace
