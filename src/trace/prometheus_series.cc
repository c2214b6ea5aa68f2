// The second half of PrometheusCollector: from readings in any order to one series a device.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>

#include "base/text.h"
#include "trace/energy_counter.h"
#include "trace/nvidia_smi.h"
#include "trace/prometheus_metrics.h"

namespace wattrein::trace {

namespace {

std::string_view unit_name(double watts) {
  if (watts == 1e-3) return "mW";
  if (watts == 1e-6) return "uW";
  return watts == 1e3 ? "kW" : "W";
}

constexpr std::int64_t kDoubtful = 3;  // readings that differ at one moment, by chance of two scrapes

/// Prometheus goes on to answer with a series' last scrape for so long after its target has gone.
constexpr std::int64_t kStaleness = 300'000'000'000;

}  // namespace

/// Where an exporter or pod was replaced, its series repeats its last value beside the one that takes over: its
/// readings from the newer series' start on, if they are one value and last no longer than Prometheus repeats it.
void PrometheusCollector::mark_stale(std::vector<Reading>& by_time) {
  struct Extent {
    std::int64_t first = 0;
    std::int64_t constant_from = 0;
    std::int64_t last = 0;
    double value = std::numeric_limits<double>::quiet_NaN();
    std::int64_t newer_from = std::numeric_limits<std::int64_t>::max();
  };
  std::unordered_map<std::uint32_t, Extent> extents;
  for (const Reading& r : by_time) {
    const auto [at, is_new] = extents.try_emplace(r.series, Extent{.first = r.stamp, .constant_from = r.stamp});
    Extent& e = at->second;
    if (r.value != e.value) e.constant_from = r.stamp;
    e.value = r.value;
    e.last = r.stamp;
  }
  if (extents.size() < 2) return;
  std::vector<std::int64_t> firsts;
  for (const auto& [series, extent] : extents) firsts.push_back(extent.first);
  std::ranges::sort(firsts);
  for (auto& [series, e] : extents) {
    const auto newer = std::ranges::lower_bound(firsts, std::max(e.constant_from, e.first + 1));
    const bool repeats = e.last > e.constant_from && newer != firsts.end() && *newer <= e.last;
    if (repeats && e.last - *newer <= kStaleness) e.newer_from = *newer;
  }
  for (Reading& r : by_time) r.stale = r.stamp >= extents.at(r.series).newer_from;
}

/// Brings a track's stamps to nanoseconds and order. A reading of the same moment is kept once: MIG instances,
/// pods and time slices repeat their GPU's.
void PrometheusCollector::settle(Track& track, bool power, bool stamped, const Input& input, std::int64_t period_ns) {
  std::vector<Reading> kept;
  kept.reserve(track.readings.size());
  for (Reading r : track.readings) {
    if (r.stamped != stamped) {
      if (power) {
        builder_.damaged(fmt::format("{}:{}", input.name(), r.line), "no timestamp, where other readings have one");
      }
      continue;
    }
    if (!stamped && __builtin_mul_overflow(r.stamp, period_ns, &r.stamp)) {
      too_long_ = true;
      continue;
    }
    kept.push_back(r);
  }
  const auto by_time = [](const Reading& r) { return std::tuple(r.stamp, r.stale, r.line); };
  std::ranges::sort(kept, {}, by_time);
  if (stamped) mark_stale(kept);
  std::ranges::sort(kept, {}, by_time);
  track.readings.clear();
  for (const Reading& r : kept) {
    if (track.readings.empty() || track.readings.back().stamp != r.stamp) {
      track.readings.push_back(r);
      continue;
    }
    Reading& first = track.readings.back();
    double& value = first.value;
    if (r.stale && !first.stale && r.value != value) {
      stale_ += power ? 1 : 0;
      continue;
    }
    if (std::isnan(value)) value = r.value;
    if (!power) continue;
    ++repeated_;
    if (!std::isnan(r.value) && value != r.value) ++differing_;
  }
}

/// Where a series says that its GPU is: host and number; of a masked uuid the host alone says something too. Else
/// empty.
std::string PrometheusCollector::place_of(const Known& device, const Handle& series) {
  const bool tells = !series.gpu.empty() || (device.masked && !series.host.empty());
  return tells ? fmt::format("{}\x1f{}", series.host, series.gpu) : std::string();
}

/// Whether series of other numbers than each other, read as one device, mostly differ at the moments that they share: a
/// uuid that was replaced by one for all. What a replaced exporter repeats does not count.
bool PrometheusCollector::disagrees_with_itself(const Known& device) const {
  for (const Track& track : device.tracks) {
    if (!is_power(metrics_[track.metric].role)) continue;
    std::vector<Reading> readings = track.readings;
    std::ranges::sort(readings, {}, [](const Reading& r) { return std::tuple(r.stamp, r.line); });
    mark_stale(readings);
    std::size_t shared = 0;
    std::size_t differing = 0;
    const Reading* first = nullptr;
    for (const Reading& r : readings) {
      if (r.stale || std::isnan(r.value) || series_[r.series].gpu.empty()) continue;
      if (first == nullptr || first->stamp != r.stamp || first->stamped != r.stamped) {
        first = &r;
        continue;
      }
      if (series_[first->series].gpu == series_[r.series].gpu) continue;
      ++shared;
      differing += first->value != r.value ? 1 : 0;
    }
    if (differing * 2 > shared) return true;
  }
  return false;
}

/// One device becomes one for each of its places; series that name none stay with the first.
void PrometheusCollector::split_by_place(std::size_t device) {
  Known whole = std::move(devices_[device]);
  std::vector<std::pair<std::string, std::size_t>> part_of;  // a place
  const auto part = [&](const Handle& h) -> Known& {
    const std::string place = place_of(whole, h);
    const auto at = std::ranges::find(part_of, place, &std::pair<std::string, std::size_t>::first);
    if (at != part_of.end()) return devices_[at->second];
    if (place.empty() && !part_of.empty()) return devices_[part_of.front().second];
    const std::size_t index = part_of.empty() ? device : devices_.size();
    part_of.emplace_back(place, index);
    if (index == devices_.size()) devices_.emplace_back();
    Known& d = devices_[index];
    d.model = whole.model;
    d.labels = whole.labels;
    d.host = h.host.empty() ? whole.host : h.host;
    d.gpu = h.gpu;
    return d;
  };
  devices_[device] = Known{};
  for (Track& track : whole.tracks) {
    for (const Reading& r : track.readings) {
      Known& d = part(series_[r.series]);
      auto at = std::ranges::find(d.tracks, track.metric, &Track::metric);
      if (at == d.tracks.end()) at = d.tracks.insert(d.tracks.end(), Track{track.metric, {}});
      at->readings.push_back(r);
    }
    track.readings = {};
  }
  builder_.note(whole.masked
                    ? std::string("The UUIDs are masked: GPUs are told apart by host and number.")
                    : fmt::format("The UUID {} stands for several GPUs, which differ at the same moments: they "
                                  "are told apart by label 'gpu'.",
                                  printable(whole.uuid, 60)));
}

void PrometheusCollector::split_shared_uuids() {
  std::unordered_map<std::size_t, std::string> place_seen;
  std::vector<std::size_t> several;
  for (const Handle& h : series_) {
    const Known& device = devices_[h.device];
    if (!device.by_uuid || !is_power(metrics_[h.metric].role)) continue;
    const std::string place = place_of(device, h);
    if (place.empty()) continue;
    const auto at = place_seen.try_emplace(h.device, place).first;
    if (at->second != place && std::ranges::find(several, h.device) == several.end()) several.push_back(h.device);
  }
  for (const std::size_t device : several) {
    if (devices_[device].masked || disagrees_with_itself(devices_[device])) split_by_place(device);
  }
}

/// Devices that are read from other metrics, and of which nothing says that they are other devices.
void PrometheusCollector::warn_of_two_exporters(const std::vector<std::size_t>& devices) {
  const auto may_be_one = [this](const Known& a, const Known& b) {
    const std::size_t metric = power_track(a)->metric;
    if (metric == power_track(b)->metric || (!a.uuid.empty() && !b.uuid.empty())) return false;
    if (!a.gpu.empty() && !b.gpu.empty() && a.gpu != b.gpu) return false;
    const bool hosts_tell = !a.host.empty() && !b.host.empty() && a.host_is_target == b.host_is_target;
    return !hosts_tell || a.host == b.host;
  };
  constexpr std::size_t kMost = 256;  // pairs are looked at
  for (std::size_t i = 0; i < std::min(devices.size(), kMost); ++i) {
    for (std::size_t k = i + 1; k < std::min(devices.size(), kMost); ++k) {
      const Known& a = devices_[devices[i]];
      const Known& b = devices_[devices[k]];
      if (!may_be_one(a, b)) continue;
      const std::string first = printable(metrics_[power_track(a)->metric].name, 60);
      const std::string second = printable(metrics_[power_track(b)->metric].name, 60);
      builder_.understanding().warnings.push_back(fmt::format(
          "Some devices are read from {} and others from {}, and nothing says that they are not the same: if "
          "two exporters show one GPU, a sum counts it twice; --power {} reads that metric alone.",
          first, second, first));
      return;
    }
  }
}

void PrometheusCollector::emit(const Known& device, const Track& power, const std::string& name) {
  const std::size_t index = builder_.device(name);
  Device& d = builder_.series(index).device;
  d.uuid = device.uuid;
  d.model = device.model;
  d.host = device.host;
  const MetricSpec& metric = metrics_[power.metric];
  d.meter = metric.meter;
  // The known ones without a kind in their name all pass on nvmlDeviceGetPowerUsage.
  if (d.meter == MeterKind::unknown && known_metric(metric.name) != nullptr) d.meter = meter_of_model(d.model);

  const auto track_of = [&](MetricRole role) -> const Track* {
    for (const Track& t : device.tracks) {
      if (metrics_[t.metric].role == role && &t != &power && !t.readings.empty()) return &t;
    }
    return nullptr;
  };
  const Track* limit = track_of(MetricRole::enforced_limit);
  if (limit == nullptr) limit = track_of(MetricRole::requested_limit);
  struct Joined {
    Column column;
    const Track* track;
    std::size_t next = 0;
  };
  Joined joined[] = {{Column::energy_j, track_of(MetricRole::energy)},
                     {Column::average_w, track_of(MetricRole::average_power)},
                     {Column::limit_w, limit}};

  const Track* rating = track_of(MetricRole::default_limit);
  if (rating == nullptr) rating = track_of(MetricRole::max_limit);
  if (rating == nullptr) rating = limit;
  double nameplate = 0;
  if (rating != nullptr) {
    for (const Reading& r : rating->readings) nameplate = std::fmax(nameplate, r.value);
  }
  if (nameplate > 0) d.nameplate = Watts(nameplate);
  if (nameplate > 0 && rating == limit) {
    builder_.note("The nameplate is the largest power limit in force: the board may be rated higher.");
  }

  for (const Reading& r : power.readings) {
    builder_.add(index, r.stamp, r.value);
    for (Joined& j : joined) {
      if (j.track == nullptr) continue;
      const auto& readings = j.track->readings;
      while (j.next < readings.size() && readings[j.next].stamp < r.stamp) ++j.next;
      if (j.next == readings.size() || readings[j.next].stamp != r.stamp) continue;
      if (!std::isnan(readings[j.next].value)) builder_.set(index, j.column, readings[j.next].value);
    }
  }
}

void PrometheusCollector::explain(const std::vector<std::size_t>& devices) {
  std::vector<std::string> used;  // names of the metrics that are read
  std::vector<std::string> beside;
  std::vector<std::string> shown;
  const auto once = [](std::vector<std::string>& list, const std::string& name) {
    if (std::ranges::find(list, name) == list.end()) list.push_back(name);
  };
  for (const std::size_t i : devices) {
    const MetricSpec& m = metrics_[power_track(devices_[i])->metric];
    once(used, m.name);
    once(shown, fmt::format("{} [{}]", m.name.empty() ? "the query's value" : printable(m.name), unit_name(m.scale)));
  }
  for (const std::size_t i : devices) {
    for (const Track& t : devices_[i].tracks) {
      const MetricSpec& m = metrics_[t.metric];
      const bool read = std::ranges::find(used, m.name) != used.end() || m.role == MetricRole::average_power;
      if (is_power(m.role) && !t.readings.empty() && !read) once(beside, m.name);
    }
  }
  Understanding& u = builder_.understanding();
  for (const std::string& text : shown) u.power += (u.power.empty() ? "" : ", ") + text;
  for (const std::string& how : told_apart_by_) u.devices += (u.devices.empty() ? "" : ", ") + how;
  for (const std::string& name : beside) {
    builder_.note(fmt::format("{} is in the file too; --power {} reads it instead.", printable(name), printable(name)));
  }
  if (used.size() > 1) {
    builder_.note("Not every device reports the same power metric: each is read from its best.");
    warn_of_two_exporters(devices);
  }
  if (devices.size() + passed_over_ < devices_.size()) {
    const std::size_t n = devices_.size() - devices.size() - passed_over_;
    builder_.note(fmt::format("{} of labels without power {} left out.", counted(n, "set"), n == 1 ? "is" : "are"));
  }
}

/// Series that name no GPU beside some that do are sums or means over them: a query without "by (gpu)".
void PrometheusCollector::pass_over_wholes(std::vector<std::size_t>& devices, std::vector<std::size_t>& powers) {
  const auto is_whole = [this](std::size_t i) { return devices_[i].by_labels; };
  if (std::ranges::all_of(devices, is_whole)) return;
  std::size_t kept = 0;
  std::size_t readings = 0;
  for (std::size_t k = 0; k < devices.size(); ++k) {
    if (is_whole(devices[k])) {
      readings += devices_[devices[k]].tracks[powers[k]].readings.size();
      continue;
    }
    devices[kept] = devices[k];
    powers[kept++] = powers[k];
  }
  if (kept == devices.size()) return;
  builder_.note(
      fmt::format("{} of {} series that {} no GPU {} passed over: beside those of GPUs {} their sum "
                  "or mean. --device LABEL reads all.",
                  counted(readings, "reading"), devices.size() - kept, devices.size() - kept == 1 ? "names" : "name",
                  readings == 1 ? "was" : "were", devices.size() - kept == 1 ? "it is" : "they are"));
  passed_over_ = devices.size() - kept;
  devices.resize(kept);
  powers.resize(kept);
}

Result<Trace> PrometheusCollector::finish(const Input& input, const ReadOptions& options, std::int64_t period_ns) {
  if (options_.device_column.empty()) split_shared_uuids();
  std::vector<std::size_t> devices;
  std::vector<std::size_t> powers;  // index of each device's power track
  bool stamped = false;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const Track* power = power_track(devices_[i]);
    if (power == nullptr) continue;
    devices.push_back(i);
    powers.push_back(static_cast<std::size_t>(power - devices_[i].tracks.data()));
    stamped = stamped || std::ranges::any_of(power->readings, &Reading::stamped);
  }
  pass_over_wholes(devices, powers);
  explain(devices);
  const std::vector<std::string> device_names = names(devices);
  for (std::size_t k = 0; k < devices.size(); ++k) {
    Known& d = devices_[devices[k]];
    // Other power metrics of the device are not read, so their repeats are nobody's concern.
    for (std::size_t t = 0; t < d.tracks.size(); ++t) {
      const MetricRole role = metrics_[d.tracks[t].metric].role;
      const bool unread = is_power(role) && role != MetricRole::average_power && t != powers[k];
      if (!unread) settle(d.tracks[t], t == powers[k], stamped, input, period_ns);
    }
    emit(d, d.tracks[powers[k]], device_names[k]);
  }
  if (too_long_) {
    return fail(ErrorKind::usage, "--period", "the scrapes would span more than 95 years", "Give a shorter period.");
  }
  if (repeated_ > 0) {
    std::string text = fmt::format(
        "{} of the same device and moment {} dropped: MIG instances and pods "
        "repeat their GPU's power.",
        counted(repeated_, "reading"), repeated_ == 1 ? "is" : "are");
    if (differing_ > 0) text += fmt::format(" In {} the value differs; --device LABEL tells them apart.", differing_);
    const bool doubtful = differing_ >= kDoubtful && differing_ * 2 > repeated_;
    if (doubtful) {
      builder_.understanding().warnings.push_back(std::move(text));
    } else {
      builder_.note(std::move(text));
    }
  }
  if (stale_ > 0) {
    builder_.note(fmt::format(
        "{} {} dropped where a newer series of the same device reports already: Prometheus repeats the last value of a "
        "series for up to 5 min after its exporter or pod is gone.",
        counted(stale_, "reading"), stale_ == 1 ? "is" : "are"));
  }
  builder_.devices_are_named_by_cells();
  drop_falling_counters(builder_);
  builder_.clock(stamped, stamped);
  return builder_.finish(input, options);
}

}  // namespace wattrein::trace
