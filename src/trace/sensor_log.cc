#include "trace/sensor_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "base/text.h"
#include "trace/draw_words.h"
#include "trace/option_fit.h"
#include "trace/poll_sequence.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxSensors = 4096;
constexpr std::size_t kListed = 12;

constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }

/// "PSU1_InputPower" becomes "psu", "input", "power": digits and signs only separate.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!is_upper(c) && !is_lower(c)) {
      if (!words.back().empty()) words.emplace_back();
      continue;
    }
    // A new word starts at "tP" of "inputPower", and at the last capital of "PSUPower".
    const bool hump =
        is_upper(c) && i > 0 &&
        (is_lower(name[i - 1]) || (is_upper(name[i - 1]) && i + 1 < name.size() && is_lower(name[i + 1])));
    if (hump && !words.back().empty()) words.emplace_back();
    words.back() += is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

template <std::size_t N>
bool any_of_words(const std::vector<std::string>& words, const std::array<std::string_view, N>& known) {
  return std::ranges::any_of(words, [&](const std::string& w) { return std::ranges::find(known, w) != known.end(); });
}

/// Beside the words of draw_words.h.
constexpr std::array<std::string_view, 3> kNoDraw{"avg", "average", "energy"};
constexpr std::array<std::string_view, 12> kParts{"gpu",       "gpus", "pcie", "pci", "fpga",      "riser",
                                                  "backplane", "vr",   "vrm",  "soc", "processor", "proc"};
constexpr std::array<std::string_view, 15> kWhole{"total",  "system", "sys",      "node",        "chassis",
                                                  "server", "board",  "platform", "consumption", "consumed",
                                                  "meter",  "level",  "dcmi",     "intake",      "usage"};
constexpr std::array<std::string_view, 7> kSupplies{"psu", "psus", "ps", "supply", "supplies", "pin", "pout"};
constexpr std::array<std::string_view, 3> kIn{"in", "input", "pin"};
constexpr std::array<std::string_view, 3> kOut{"out", "output", "pout"};

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i == kListed) return text + fmt::format(" and {} more", names.size() - kListed);
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += fmt::format("'{}'", printable(names[i], 40));
  }
  return text;
}

std::vector<std::string> names_of(const std::vector<const Sensor*>& sensors) {
  std::vector<std::string> names;
  for (const Sensor* s : sensors) {
    if (std::ranges::find(names, s->name) == names.end()) names.push_back(s->name);
  }
  return names;
}

/// The first of each device.
std::vector<const Sensor*> one_a_device(const std::vector<const Sensor*>& sensors) {
  std::vector<const Sensor*> chosen;
  for (const Sensor* s : sensors) {
    const bool fresh = std::ranges::none_of(chosen, [s](const Sensor* c) { return c->device == s->device; });
    if (fresh) chosen.push_back(s);
  }
  return chosen;
}

/// Whether `name` is `wanted`, in which one '*' stands for any letters; case is ignored.
bool fits(std::string_view name, std::string_view wanted) {
  const std::size_t star = wanted.find('*');
  if (star == std::string_view::npos) return equal_ignoring_case(name, wanted);
  const std::string_view front = wanted.substr(0, star);
  const std::string_view back = wanted.substr(star + 1);
  return name.size() >= front.size() + back.size() && equal_ignoring_case(name.substr(0, front.size()), front) &&
         equal_ignoring_case(name.substr(name.size() - back.size()), back);
}

Result<void> check_polls(const std::vector<const Sensor*>& chosen, const SensorClock& clock, const Input& input,
                         const ReadOptions& options) {
  const bool several = std::ranges::any_of(chosen, [](const Sensor* s) { return s->readings.size() > 1; });
  if (!several || options.period || clock.assumed_period) return {};
  return fail(ErrorKind::usage, input.name(), fmt::format("the readings of {} carry no time", clock.tool),
              "Say how far apart they are with --period, as in --period 5s.");
}

/// Numbers of the polls of each sensor's readings; warns where they are not certain.
std::vector<std::vector<std::int64_t>> polls_of(const std::vector<const Sensor*>& chosen, Builder& builder) {
  struct Place {
    std::int64_t line;
    std::int64_t order;
    std::size_t sensor;
    std::size_t reading;
  };
  std::vector<Place> places;
  std::vector<std::string> names;
  std::vector<std::vector<std::int64_t>> polls;
  for (std::size_t s = 0; s < chosen.size(); ++s) {
    names.push_back(chosen[s]->device + " " + chosen[s]->name);
    polls.emplace_back(chosen[s]->readings.size());
    for (std::size_t r = 0; r < chosen[s]->readings.size(); ++r) {
      places.push_back({chosen[s]->readings[r].line, chosen[s]->readings[r].order, s, r});
    }
  }
  std::ranges::sort(places, {}, [](const Place& p) { return std::tuple(p.line, p.order, p.sensor, p.reading); });
  PollSequence sequence;
  for (const Place& p : places) sequence.row(p.sensor);
  const PollSequence::Polls found = sequence.polls(names);
  for (std::size_t i = 0; i < places.size(); ++i) polls[places[i].sensor][places[i].reading] = found.of_row[i];
  if (!found.certain) warn_of_uncertain_polls(builder);
  return polls;
}

}  // namespace

bool Sensor::known() const {
  return std::ranges::any_of(readings, [](const SensorReading& r) { return !std::isnan(r.power_w); });
}

SensorScope scope_of(std::string_view name) {
  const auto words = words_of(name);
  const bool out = any_of_words(words, kOut);
  const auto is_no_draw = [](const std::string& w) { return says_no_draw(w) && !is_drawn_elsewhere(w); };
  if (any_of_words(words, kNoDraw) || std::ranges::any_of(words, is_no_draw)) return SensorScope::no_draw;
  if (any_of_words(words, kParts) || std::ranges::any_of(words, is_drawn_elsewhere)) return SensorScope::part;
  const bool supply = any_of_words(words, kSupplies);
  const bool total = std::ranges::find(words, "total") != words.end();
  if (any_of_words(words, kWhole) && (!supply || total)) return out ? SensorScope::node_output : SensorScope::node;
  if (!supply) return SensorScope::other;
  if (out) return SensorScope::supply_output;
  return any_of_words(words, kIn) ? SensorScope::supply_input : SensorScope::supply;
}

Sensor* SensorLog::sensor(std::string_view name, std::string_view device) {
  std::string key(name);
  key += '\n';
  key += device;
  if (const auto at = index_.find(key); at != index_.end()) return &sensors_[at->second];
  if (sensors_.size() == kMaxSensors) return nullptr;
  index_.emplace(std::move(key), sensors_.size());
  sensors_.push_back({.name = std::string(name), .device = std::string(device)});
  return &sensors_.back();
}

bool SensorLog::any_known() const { return std::ranges::any_of(sensors_, &Sensor::known); }

std::string SensorLog::list() const {
  std::vector<const Sensor*> power;
  for (const Sensor& s : sensors_) {
    if (s.known()) power.push_back(&s);
  }
  return join(names_of(power));
}

std::vector<const Sensor*> SensorLog::named(std::string_view name) const {
  std::vector<const Sensor*> found;
  for (const Sensor& s : sensors_) {
    if (s.known() && fits(s.name, name)) found.push_back(&s);
  }
  return found;
}

std::vector<const Sensor*> SensorLog::of_the_node(Builder& builder, bool one_node) const {
  std::array<std::vector<const Sensor*>, 8> by_scope;
  std::vector<const Sensor*> draw;
  for (const Sensor& s : sensors_) {
    if (!s.known()) continue;
    const SensorScope scope = s.whole ? SensorScope::node : scope_of(s.words.empty() ? s.name : s.words);
    by_scope[static_cast<std::size_t>(scope)].push_back(&s);
    if (scope != SensorScope::no_draw) draw.push_back(&s);
  }
  std::vector<const Sensor*> chosen;
  for (const SensorScope scope : {SensorScope::node, SensorScope::node_output}) {
    const auto& sensors = by_scope[static_cast<std::size_t>(scope)];
    if (!sensors.empty() && chosen.empty()) chosen = one_a_device(sensors);
    if (one_node && chosen.size() > 1) chosen.resize(1);
  }
  for (const SensorScope scope : {SensorScope::supply_input, SensorScope::supply_output, SensorScope::supply}) {
    const auto& sensors = by_scope[static_cast<std::size_t>(scope)];
    if (!sensors.empty() && chosen.empty()) {
      chosen = sensors;
      builder.note(
          fmt::format("No sensor of the whole node: the power supplies ({}) are devices of their own, and their sum is "
                      "the node's {}.",
                      join(names_of(chosen)), scope == SensorScope::supply_output ? "power behind them" : "power"));
    }
  }
  if (chosen.empty() && draw.size() == 1) chosen = draw;
  std::vector<const Sensor*> others;
  for (const Sensor* s : draw) {
    if (std::ranges::find(chosen, s) == chosen.end()) others.push_back(s);
  }
  if (!chosen.empty() && !others.empty()) {
    builder.note(fmt::format("Power is {}; {} also in watts and never added to it: --power NAME reads another.",
                             join(names_of(chosen)),
                             join(names_of(others)) + (names_of(others).size() == 1 ? " is" : " are")));
  }
  return chosen;
}

Result<void> feed(Builder& builder, const std::vector<const Sensor*>& chosen, const SensorClock& clock,
                  const Input& input, const ReadOptions& options) {
  bool timed = false;
  for (const Sensor* s : chosen) {
    timed = timed || std::ranges::any_of(s->readings, [](const SensorReading& r) { return r.timed; });
  }
  Understanding& u = builder.understanding();
  if (timed) {
    u.clock = clock.described;
    if (options.period && !clock.period_used)
      builder.note("--period is not used for the clock: the log has one of its own.");
  } else {
    if (auto fit = check_polls(chosen, clock, input, options); !fit) return fit;
    builder.clock(false, false);
    const bool several = std::ranges::any_of(chosen, [](const Sensor* s) { return s->readings.size() > 1; });
    if (options.period) {
      u.clock = fmt::format("none: {} a poll (--period)", format_duration(*options.period));
    } else if (several) {
      u.clock = fmt::format("none: {} a poll from zero (assumed)", format_duration(*clock.assumed_period));
      builder.note(fmt::format("The log has no time: {} a poll from zero is assumed; --period says otherwise.",
                               format_duration(*clock.assumed_period)));
    } else {
      u.clock = "none: a single poll";
    }
  }
  const Nanos period = options.period.value_or(clock.assumed_period.value_or(Nanos(0)));
  std::vector<std::vector<std::int64_t>> polls;
  if (!timed && clock.count_polls) polls = polls_of(chosen, builder);
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Sensor* s = chosen[k];
    // Several sensors of one device are devices of their own.
    const bool shared = std::ranges::count(chosen, s->device, &Sensor::device) > 1;
    const std::size_t device = builder.device(shared ? fmt::format("{}/{}", s->device, s->name) : s->device);
    if (!s->host.empty()) builder.series(device).device.host = s->host;
    for (std::size_t i = 0; i < s->readings.size(); ++i) {
      const SensorReading& r = s->readings[i];
      const auto place = [&] { return fmt::format("{}:{}", input.name(), r.line); };
      if (!r.readable) {
        builder.damaged(place(), fmt::format("'{}' has no readable value or time", printable(s->name, 40)));
        continue;
      }
      if (timed && !r.timed) {
        builder.damaged(place(), fmt::format("'{}' has no stamp of its own", printable(s->name, 40)));
        continue;
      }
      std::int64_t time_ns = polls.empty() ? r.time_ns : polls[k][i];
      if (!timed && __builtin_mul_overflow(time_ns, period.count(), &time_ns)) {
        return fail(ErrorKind::usage, "--period", "the polls would span more than 95 years", "Give a shorter period.");
      }
      builder.add(device, time_ns, r.power_w);
      if (!std::isnan(r.limit_w)) builder.set(device, Column::limit_w, r.limit_w);
    }
  }
  return {};
}

Result<void> check_sensor_options(const ReadOptions& options, std::string_view format, const Input& input,
                                  bool time_key) {
  if (!options.power_unit.empty()) {
    return fail(ErrorKind::usage, input.name(), fmt::format("--unit does not fit: {} says its units", format),
                "Leave --unit out.");
  }
  return check_column_options(options, {.time = time_key, .power = true}, format, input);
}

std::unexpected<Error> no_choice(const std::string& list, const Input& input, const ReadOptions& options) {
  if (!options.power_column.empty()) {
    return fail(ErrorKind::usage, input.name(),
                fmt::format("there is no power sensor '{}' with a reading in watts", printable(options.power_column)),
                list.empty() ? std::string("No sensor has one.") : fmt::format("Those in watts are {}.", list));
  }
  if (list.empty()) {
    return fail(ErrorKind::bad_input, input.name(), "no sensor in it has a reading in watts",
                "Check that the machine measures its power and that the log holds it.");
  }
  return fail(ErrorKind::bad_input, input.name(),
              fmt::format("its sensors in watts are {}, and none is known to be the whole node's draw", list),
              "Name the one that is meant with --power NAME; a * in it stands for any letters.");
}

}  // namespace wattrein::trace
