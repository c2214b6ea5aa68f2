// Redfish: the JSON of a BMC's resources on power, one document or many that a loop has put behind each other.
// Source: DMTF DSP0268 (schemas Power, EnvironmentMetrics, Sensor, MetricReport).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/text.h"
#include "trace/json_cells.h"
#include "trace/json_stream.h"
#include "trace/reader.h"
#include "trace/sensor_log.h"
#include "trace/timestamp.h"

namespace wattrein::trace {

namespace {

using net::Json;

constexpr std::string_view kName = "redfish";
constexpr int kMaxDepth = 24;
constexpr std::size_t kMaxName = 100;
constexpr std::size_t kMaxPath = 1000;
constexpr std::size_t kMaxBefore = 200;
constexpr int kMaxSameName = 16;
constexpr std::int64_t kClockSet = 631'152'000'000'000'000;  // 1990: a BMC that never learnt the time is before that
constexpr std::array<std::string_view, 8> kStampKeys{"timestamp", "time",  "ts",       "datetime",
                                                     "date",      "epoch", "unixtime", "collected_at"};
constexpr std::array<std::string_view, 3> kHostKeys{"host", "hostname", "node"};

/// Where a reading comes from, the most certain first; the first kind that has one is read and the others are not
/// added to it.
enum class Kind : unsigned char { power_control, environment, sensor, metric };
constexpr std::array<std::string_view, 4> kKindNames{"PowerControl", "PowerWatts", "Sensor", "MetricReport"};

/// A member's text, which lives as long as the document.
std::string_view text_in(const Json& object, std::string_view key) {
  const Json* value = object.find(key);
  const std::string* text = value == nullptr ? nullptr : value->string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

/// "/redfish/v1/Chassis/1U/Sensors/TotalPower" -> "1U": what the resource belongs to.
std::string owner_of(std::string_view path) {
  for (const std::string_view collection : {"/Processors/", "/Chassis/", "/Systems/", "/Managers/"}) {
    const std::size_t at = path.rfind(collection);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = path.substr(at + collection.size());
    const std::string_view owner = rest.substr(0, rest.find_first_of("/#")).substr(0, kMaxName);
    if (!owner.empty()) return std::string(owner);
  }
  return "node";
}

/// What is above a document's parts.
struct Context {
  std::string_view path{};  ///< the nearest "@odata.id"
  std::string_view host{};
  std::optional<std::int64_t> stamp{};
};

struct Found {
  Kind kind = Kind::power_control;
  std::string name{};
  std::string words{};  ///< what the scope is judged by
  std::string device{};
  bool whole = false;
  const Json* value = nullptr;
  double scale = 1.0;
  double limit_w = std::numeric_limits<double>::quiet_NaN();
  std::optional<std::int64_t> stamp{};  ///< its own
};

class Redfish {
 public:
  Redfish(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {}

  Result<Trace> read();

 private:
  void read_text(std::string_view text);
  void read_object(const Json& root, const JsonStream& items);
  void walk(const Json& value, Context context, int depth);
  void power_control(const Json& member, const Context& context);
  void environment(const Json& power, const Json& resource, const Context& context);
  void sensor(const Json& resource, const Context& context);
  void metric_report(const Json& values, const Json& report, const Context& context);
  void add(const Found& found, const Context& context);
  [[nodiscard]] Sensor* sensor_of(const Found& found, const std::string& device, std::optional<std::int64_t> stamp);
  [[nodiscard]] std::optional<std::int64_t> stamp_member(const Json& object);
  [[nodiscard]] std::optional<std::int64_t> own_stamp(const Json* value);
  [[nodiscard]] std::vector<const Sensor*> choose();

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  std::array<SensorLog, 4> logs_;
  StampParser stamps_;
  std::string before_;                 ///< text in front of the next document
  std::optional<std::int64_t> above_;  ///< its stamp
  std::int64_t line_ = 0;              ///< where the object began
  std::int64_t document_ = 0;          ///< an object in an array is one
  std::int64_t barren_ = 0;            ///< 1: nothing was found yet in the documents of this array, or in the one
  std::int64_t found_ = 0;
  bool whole_found_ = false;  ///< in this document
  bool own_clock_ = false;
  bool time_found_ = false;  ///< a member that the loop put in
  bool too_many_ = false;
};

std::optional<std::int64_t> Redfish::own_stamp(const Json* value) {
  const std::string text = json_text(value);
  if (text.size() < 8) return std::nullopt;
  const auto at = stamps_.parse(text);
  return at && *at >= kClockSet ? at : std::nullopt;
}

/// The time that the loop put in: --time KEY, or a usual key.
std::optional<std::int64_t> Redfish::stamp_member(const Json& object) {
  const Json::Object* members = object.object();
  if (members == nullptr) return std::nullopt;
  for (const auto& [key, value] : *members) {
    const auto is_key = [&name = key](std::string_view k) { return equal_ignoring_case(k, name); };
    const bool wanted =
        options_.time_column.empty() ? std::ranges::any_of(kStampKeys, is_key) : is_key(options_.time_column);
    if (!wanted) continue;
    std::string text = json_text(&value);
    if (const auto* i = std::get_if<std::int64_t>(&value.value())) text = fmt::format("{}", *i);
    if (const auto* d = std::get_if<double>(&value.value())) text = fmt::format("{:.6f}", *d);
    const auto at = stamps_.parse(text);
    time_found_ = time_found_ || at.has_value();
    if (at) return at;
  }
  return std::nullopt;
}

/// A second reading of one name in a document is of another sensor, unless it has another time.
Sensor* Redfish::sensor_of(const Found& found, const std::string& device, std::optional<std::int64_t> stamp) {
  SensorLog& log = logs_[static_cast<std::size_t>(found.kind)];
  const std::string name = found.name.substr(0, kMaxName);
  for (int n = 1; n <= kMaxSameName; ++n) {
    Sensor* sensor = log.sensor(n == 1 ? name : fmt::format("{} #{}", name, n), device);
    if (sensor == nullptr || sensor->stamp_line != document_) return sensor;
    const SensorReading& last = sensor->readings.back();
    if (stamp && last.timed && last.time_ns != *stamp) return sensor;
  }
  return nullptr;
}

void Redfish::add(const Found& found, const Context& context) {
  ++found_;
  const std::string_view host = context.host.substr(0, kMaxName);
  const std::string device = host.empty() ? found.device : fmt::format("{}/{}", host, found.device);
  const auto stamp = found.stamp ? found.stamp : context.stamp;
  Sensor* sensor = sensor_of(found, device, stamp);
  if (sensor == nullptr) {
    too_many_ = true;
    return;
  }
  sensor->stamp_line = document_;
  sensor->words = found.words.substr(0, 3 * kMaxName);
  sensor->host = host;
  sensor->whole = sensor->whole || found.whole;
  SensorReading r{.line = line_, .limit_w = found.limit_w};
  r.timed = stamp.has_value();
  r.time_ns = stamp.value_or(static_cast<std::int64_t>(sensor->readings.size()));
  own_clock_ = own_clock_ || found.stamp.has_value();
  if (found.value != nullptr && !json_not_available(*found.value)) {
    const auto number = json_number(found.value);
    r.readable = number.has_value();
    if (number) r.power_w = *number * found.scale;
  }
  sensor->readings.push_back(r);
}

/// A member of PowerControl: the first that is not of a part (PhysicalContext, name) is the whole.
void Redfish::power_control(const Json& member, const Context& context) {
  Found f{.kind = Kind::power_control, .value = member.find("PowerConsumedWatts")};
  f.name = json_text(member.find("Name"));
  if (f.name.empty()) f.name = json_text(member.find("MemberId"));
  if (f.name.empty()) f.name = "PowerConsumedWatts";
  f.device = owner_of(context.path);
  f.words = fmt::format("{} {}", f.name, json_text(member.find("PhysicalContext")));
  f.whole = !whole_found_ && scope_of(f.words) != SensorScope::part;
  whole_found_ = whole_found_ || f.whole;
  if (const Json* limit = member.find("PowerLimit")) {
    if (const auto watts = json_number(limit->find("LimitInWatts"))) f.limit_w = *watts;
  }
  add(f, context);
}

/// PowerWatts of EnvironmentMetrics: an excerpt of a sensor.
void Redfish::environment(const Json& power, const Json& resource, const Context& context) {
  Found f{.kind = Kind::environment, .value = power.find("Reading")};
  f.device = owner_of(context.path);
  f.name = "PowerWatts";
  f.whole = true;
  f.stamp = own_stamp(power.find("ReadingTime"));
  if (const Json* limit = resource.find("PowerLimitWatts")) {
    if (const auto watts = json_number(limit->find("SetPoint"))) f.limit_w = *watts;
  }
  add(f, context);
}

void Redfish::sensor(const Json& resource, const Context& context) {
  const std::string unit = json_text(resource.find("ReadingUnits"));
  Found f{.kind = Kind::sensor, .value = resource.find("Reading")};
  f.scale = unit == "W" || unit == "Watts" ? 1.0 : unit == "mW" ? 1e-3 : unit == "kW" ? 1e3 : 0.0;
  if (f.scale == 0.0) return;  // a temperature, a fan
  const std::string id = json_text(resource.find("Id"));
  f.name = json_text(resource.find("Name"));
  f.words = fmt::format("{} {} {}", id, f.name, json_text(resource.find("PhysicalContext")));
  if (!id.empty()) f.name = id;
  if (f.name.empty()) f.name = "Sensor";
  f.device = owner_of(context.path);
  f.stamp = own_stamp(resource.find("ReadingTime"));
  add(f, context);
}

/// Metrics whose name says that they are power; their id is a name of the maker's choice.
void Redfish::metric_report(const Json& values, const Json& report, const Context& context) {
  const auto report_stamp = own_stamp(report.find("Timestamp"));
  for (const Json& v : *values.array()) {
    const std::string property = json_text(v.find("MetricProperty"));
    Found f{.kind = Kind::metric, .value = v.find("MetricValue")};
    f.name = json_text(v.find("MetricId"));
    if (f.name.empty()) f.name = property.substr(property.find_last_of('/') + 1);
    f.words = f.name;
    const std::string small = lower(f.name);
    const bool power = small.find("power") != std::string::npos || small.find("watt") != std::string::npos;
    if (!power || scope_of(f.words) == SensorScope::no_draw) continue;
    f.device = owner_of(property);
    f.stamp = own_stamp(v.find("Timestamp"));
    if (!f.stamp) f.stamp = report_stamp;
    add(f, context);
  }
}

void Redfish::walk(const Json& value, Context context, int depth) {
  if (depth > kMaxDepth) return;
  if (const Json::Array* array = value.array()) {
    for (const Json& item : *array) walk(item, context, depth + 1);
    return;
  }
  const Json::Object* members = value.object();
  if (members == nullptr) return;
  // A path is looked at for every reading under it.
  if (const std::string_view path = text_in(value, "@odata.id"); !path.empty() && path.size() <= kMaxPath) {
    context.path = path;
  }
  const bool report = value.find("MetricValues") != nullptr;
  if (depth <= 2 && !report) {
    if (const auto stamp = stamp_member(value)) context.stamp = stamp;
  }
  for (const std::string_view key : kHostKeys) {
    if (depth <= 1 && context.host.empty()) context.host = text_in(value, key);
  }
  if (value.find("PowerConsumedWatts") != nullptr) return power_control(value, context);
  if (value.find("ReadingUnits") != nullptr && value.find("Reading") != nullptr) return sensor(value, context);
  for (const auto& [key, member] : *members) {
    if (key == "PowerWatts" && member.object() != nullptr) {
      environment(member, value, context);
    } else if (key == "MetricValues" && member.array() != nullptr) {
      metric_report(member, value, context);
    } else if (key != "PowerSupplies" && key != "Oem") {  // supplies are parts; what vendors add has no fixed meaning
      walk(member, context, depth + 1);
    }
  }
}

void Redfish::read_text(std::string_view text) {
  if (text.size() <= kMaxBefore) before_ = text;
}

void Redfish::read_object(const Json& root, const JsonStream& items) {
  if (items.first()) {
    above_ = stamps_.parse(before_);
    before_.clear();
    builder_.understanding().other_lines += std::exchange(barren_, 1);
  }
  line_ = items.line();
  ++document_;
  whole_found_ = false;
  const std::int64_t found = found_;
  walk(root, {.stamp = above_}, 0);
  if (found_ > found) barren_ = 0;
}

std::vector<const Sensor*> Redfish::choose() {
  std::vector<const Sensor*> chosen;
  for (std::size_t k = 0; k < logs_.size(); ++k) {
    SensorLog& log = logs_[k];
    if (!log.any_known()) continue;
    if (!options_.power_column.empty()) {
      if (chosen.empty()) chosen = log.named(options_.power_column);
      continue;
    }
    if (!chosen.empty()) {
      builder_.note(fmt::format("Readings of {} ({}) are there too and never added: --power NAME reads another.",
                                kKindNames[k], log.list()));
      continue;
    }
    chosen = log.of_the_node(builder_, false);
    if (chosen.size() > 1 && k != static_cast<std::size_t>(Kind::power_control)) {
      builder_.note("Where one of the resources contains another, a sum over the devices counts it twice.");
    }
  }
  return chosen;
}

Result<Trace> Redfish::read() {
  if (auto fit = check_sensor_options(options_, kName, input_, true); !fit) return std::unexpected(fit.error());
  if (const auto unit = parse_time_unit(options_.time_unit)) stamps_ = StampParser(unit);
  JsonStream items(input_);
  const bool torn = read_json_stream(
      items, builder_, [&](const Json& root) { read_object(root, items); }, [&] { read_text(items.text()); });
  builder_.understanding().other_lines += barren_;
  if (torn) builder_.note("The last document was cut while it was written and is left out.");
  if (!options_.time_column.empty() && !time_found_) {
    return fail(ErrorKind::usage, input_.name(),
                fmt::format("no document has a time under '{}'", printable(options_.time_column)),
                "Name the member that the loop put in, or leave --time out.");
  }
  const auto chosen = choose();
  if (chosen.empty() && builder_.understanding().damaged == 0) {
    std::string list;
    for (const SensorLog& log : logs_) {
      const std::string here = log.list();
      if (!here.empty()) list += (list.empty() ? "" : ", ") + here;
    }
    return no_choice(list, input_, options_);
  }
  const SensorClock clock{
      .described = own_clock_ ? "the BMC's own stamps (ReadingTime, Timestamp)" : stamps_.describe(),
      .assumed_period = {},
      .tool = "Redfish documents"};
  builder_.clock(stamps_.wall(), stamps_.has_zone());
  if (std::string note = stamps_.zone_note(); !note.empty()) builder_.note(std::move(note));
  if (auto fed = feed(builder_, chosen, clock, input_, options_); !fed) return std::unexpected(fed.error());
  Understanding& u = builder_.understanding();
  if (!chosen.empty()) u.power = fmt::format("'{}' [W]", printable(chosen.front()->name, 40));
  u.devices = "the chassis, system or processor in the resource's path";
  if (too_many_) builder_.note("There are more than 4096 sensors; those after that are left out.");
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  const auto has = [head](std::string_view part) { return head.find(part) != std::string_view::npos; };
  if (head.find_first_of("{[") == std::string_view::npos) return Match::no;
  if (has("\"PowerConsumedWatts\"") || has("\"MetricValues\"")) return Match::sure;
  const bool reading = has("\"PowerWatts\"") || (has("\"Reading\"") && has("\"ReadingUnits\""));
  return reading && (has("\"@odata.") || has("\"ReadingUnits\"")) ? Match::sure : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return Redfish(input, options).read(); }

}  // namespace

extern const Reader kRedfish;
const Reader kRedfish{
    .name = kName,
    .summary = "Redfish JSON of a BMC: Power, EnvironmentMetrics, Sensor, MetricReport",
    .looks_for = "JSON with PowerConsumedWatts, PowerWatts, MetricValues, or a Reading with ReadingUnits",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
