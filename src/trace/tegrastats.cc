// tegrastats of NVIDIA Jetson: one line a poll, in it the power rails as "NAME now/average" in mW.
// Source: Jetson Linux Developer Guide, "tegrastats Utility" and "Jetson power rails" (which rail holds what).

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "trace/back_steps.h"
#include "trace/reader.h"
#include "trace/sensor_log.h"
#include "trace/timestamp.h"
#include "trace/whole_second_clock.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "tegrastats";
constexpr Nanos kDefaultInterval{1'000'000'000};
constexpr std::size_t kMaxDigits = 9;

/// Inputs of the whole module: of the carrier's 5 V on TX1 and Nano, of the module elsewhere.
constexpr std::array<std::string_view, 3> kInputs{"VDD_IN", "POM_5V_IN", "VIN"};
/// Modules without such an input: rails that are supplied side by side and add up to it. Other rails are inside these.
constexpr std::array<std::string_view, 3> kOrin{"VDD_GPU_SOC", "VDD_CPU_CV", "VIN_SYS_5V0"};
constexpr std::array<std::string_view, 6> kXavier{"GPU", "CPU", "SOC", "CV", "VDDRQ", "SYS5V"};

bool is_rail_name(std::string_view text) {
  const bool fine =
      std::ranges::all_of(text, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
  return fine && !text.empty() && text[0] >= 'A' && text.size() <= 40;
}

/// "1234mW/1200mW" or "1234/1200": the first is now, the second the mean since the start. "1766/3964MB" is none.
std::optional<double> milliwatts(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto amount = [](std::string_view part) -> std::optional<double> {
    if (part.ends_with("mW")) part.remove_suffix(2);
    const bool digits = std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || part.empty() || part.size() > kMaxDigits) return std::nullopt;
    return parse_double(part);
  };
  const auto now = amount(text.substr(0, slash));
  return now && amount(text.substr(slash + 1)) ? now : std::nullopt;
}

/// Where the line of a poll begins, behind a stamp or nothing: at "RAM 1766/3964MB".
std::size_t find_poll(std::string_view line) {
  for (std::size_t at = line.find("RAM "); at != std::string_view::npos; at = line.find("RAM ", at + 1)) {
    const bool word = at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t';
    const std::string_view rest = line.substr(at + 4, kMaxDigits + 1);
    const std::size_t slash = rest.find('/');
    if (word && slash != std::string_view::npos && parse_int(rest.substr(0, slash)).value_or(-1) >= 0) return at;
  }
  return std::string_view::npos;
}

class Tegrastats {
 public:
  Tegrastats(Input& input, const ReadOptions& options)
      : input_(input), options_(options), builder_(input.name(), std::string(kName)) {
    stamps_.set_in_order();
    stamps_.set_date_order(DateOrder::mdy);
  }

  Result<Trace> read();

 private:
  void read_line(std::string_view line);
  void lose_rails(std::optional<std::int64_t> stamp, std::int64_t poll);
  void unreadable_poll(std::optional<std::int64_t> stamp) { lose_rails(stamp, polls_++); }
  [[nodiscard]] bool starts_as_poll(std::string_view line) const;
  [[nodiscard]] std::optional<std::int64_t> stamp_of(std::string_view text);
  [[nodiscard]] std::vector<const Sensor*> choose();
  template <std::size_t N>
  [[nodiscard]] std::vector<const Sensor*> all_named(const std::array<std::string_view, N>& names) const;

  Input& input_;
  const ReadOptions& options_;
  Builder builder_;
  SensorLog log_;
  StampParser stamps_;
  BackSteps back_steps_;
  WholeSecondClock clock_;
  std::string begin_;  ///< of the first poll's line
  std::int64_t polls_ = 0;
  std::int64_t same_second_ = 0;
  std::optional<std::int64_t> last_stamp_;
  bool torn_ = false;
};

/// "11-30-2026 17:41:14", or what another program put in front of the line.
std::optional<std::int64_t> Tegrastats::stamp_of(std::string_view text) {
  while (!text.empty() && std::string_view(":,;|]").find(text.back()) != std::string_view::npos)
    text = trim(text.substr(0, text.size() - 1));
  const auto stamp = stamps_.parse(text);
  if (stamp) back_steps_.watch(stamps_, *stamp, input_);
  return stamp;
}

void Tegrastats::read_line(std::string_view line) {
  const std::size_t begin = find_poll(line);
  if (begin == std::string_view::npos) {
    if (!input_.last_line_torn() && starts_as_poll(line)) return unreadable_poll(std::nullopt);
    if (!trim(line).empty()) ++builder_.understanding().other_lines;
    return;
  }
  if (input_.last_line_torn()) {  // the rails are the line's end
    torn_ = true;
    return;
  }
  const bool two = find_poll(line.substr(begin + 4)) != std::string_view::npos;  // the first was cut
  const std::string_view before = trim(line.substr(0, begin));
  auto stamp = before.empty() ? std::nullopt : stamp_of(before);
  if (stamp) {
    if (last_stamp_ && *stamp == *last_stamp_) ++same_second_;
    last_stamp_ = stamp;
    if (options_.period && *stamp % 1'000'000'000 == 0) stamp = clock_.next(*stamp, options_.period->count());
  }
  if (two) return unreadable_poll(stamp);
  if (begin_.empty()) begin_ = line.substr(0, begin + 4);
  const std::int64_t poll = polls_++;
  std::string_view name;
  for (std::size_t at = begin; at < line.size();) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    const std::string_view token = line.substr(at, end - at);
    at = end + 1;
    if (token.empty()) continue;
    const auto mw = name.empty() ? std::nullopt : milliwatts(token);
    if (mw) {
      Sensor* sensor = log_.sensor(name, name);
      if (sensor != nullptr && sensor->stamp_line != input_.line_number()) {
        sensor->stamp_line = input_.line_number();
        sensor->readings.push_back({.time_ns = stamp.value_or(poll),
                                    .line = input_.line_number(),
                                    .power_w = *mw / 1e3,
                                    .timed = stamp.has_value()});
      }
    }
    name = is_rail_name(token) ? token : std::string_view();
  }
  lose_rails(stamp, poll);
}

/// A poll without a rail that other polls have was cut before it.
void Tegrastats::lose_rails(std::optional<std::int64_t> stamp, std::int64_t poll) {
  for (Sensor& s : log_.sensors()) {
    if (s.stamp_line == input_.line_number()) continue;
    s.stamp_line = input_.line_number();
    s.readings.push_back(
        {.time_ns = stamp.value_or(poll), .line = input_.line_number(), .timed = stamp.has_value(), .readable = false});
  }
}

/// The beginning of a line as polls begin, digits aside.
bool Tegrastats::starts_as_poll(std::string_view line) const {
  const auto alike = [](char a, char b) {
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return a == b || (digit(a) && digit(b));
  };
  line = line.substr(0, begin_.size());
  return !trim(line).empty() && std::ranges::equal(line, std::string_view(begin_).substr(0, line.size()), alike);
}

template <std::size_t N>
std::vector<const Sensor*> Tegrastats::all_named(const std::array<std::string_view, N>& names) const {
  std::vector<const Sensor*> all;
  for (const std::string_view name : names) {
    for (const Sensor* s : log_.named(name)) all.push_back(s);
  }
  return all.size() == N ? all : std::vector<const Sensor*>();
}

std::vector<const Sensor*> Tegrastats::choose() {
  if (!options_.power_column.empty()) return log_.named(options_.power_column);
  for (const std::string_view name : kInputs) {
    if (auto found = log_.named(name); !found.empty()) {
      if (log_.sensors().size() > 1) {
        builder_.note(
            fmt::format("{} is the input of the whole module: the other rails are parts of it and never added "
                        "to it; --power NAME reads one.",
                        name));
      }
      return found;
    }
  }
  auto rails = all_named(kOrin);
  if (rails.empty()) rails = all_named(kXavier);
  if (!rails.empty()) {
    std::string names;
    for (const Sensor* s : rails) names += (names.empty() ? "" : ", ") + s->name;
    builder_.note(
        fmt::format("This module has no rail of its whole input: {} are supplied side by side and are devices "
                    "of their own; their sum is the module's draw.",
                    names));
  }
  return rails;
}

Result<Trace> Tegrastats::read() {
  if (auto fit = check_sensor_options(options_, kName, input_); !fit) return std::unexpected(fit.error());
  std::string_view line;
  while (input_.next_line(line)) read_line(line);
  if (polls_ > 0 && !log_.any_known() && options_.power_column.empty()) {
    return fail(ErrorKind::bad_input, input_.name(), "its lines hold no power rails",
                "Run tegrastats as root on a module that has power monitors.");
  }
  if (same_second_ * 10 > polls_ && !options_.period) {
    return fail(ErrorKind::usage, input_.name(),
                fmt::format("{} of {} {} the same stamp as the one before: the stamps are whole seconds", same_second_,
                            counted(polls_, "poll"), same_second_ == 1 ? "has" : "have"),
                "Say tegrastats' --interval with --period, as in --period 100ms.");
  }
  const auto chosen = choose();
  if (chosen.empty()) return no_choice(log_.list(), input_, options_);
  const bool spread = options_.period && last_stamp_;
  const SensorClock clock{.described = spread
                                           ? fmt::format("{}, whole seconds, between them --period", stamps_.describe())
                                           : stamps_.describe(),
                          .assumed_period = kDefaultInterval,
                          .tool = kName,
                          .period_used = spread};
  builder_.clock(stamps_.wall(), stamps_.has_zone());
  if (std::string note = stamps_.zone_note(); !note.empty()) builder_.note(std::move(note));
  if (auto fit = back_steps_.settle(builder_, input_); !fit) return std::unexpected(fit.error());
  if (auto fed = feed(builder_, chosen, clock, input_, options_); !fed) return std::unexpected(fed.error());
  Understanding& u = builder_.understanding();
  u.power = fmt::format("rail '{}' [mW]", chosen.front()->name);
  u.devices = chosen.size() == 1 ? "one rail, the whole module" : "one rail a device";
  if (!options_.power_column.empty()) u.devices = "the rail named with --power";
  if (torn_) builder_.note("The last line was cut while it was written and is left out.");
  return builder_.finish(input_, options_);
}

Match recognise(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    const bool own = line.find("CPU [") != std::string_view::npos || line.find("EMC_FREQ") != std::string_view::npos ||
                     line.find("GR3D_FREQ") != std::string_view::npos;
    if (own && find_poll(line) != std::string_view::npos) return Match::sure;
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return Tegrastats(input, options).read(); }

}  // namespace

extern const Reader kTegrastats;
const Reader kTegrastats{
    .name = kName,
    .summary = "lines of tegrastats from NVIDIA Jetson modules",
    .looks_for = "lines with RAM n/nMB and CPU [...], EMC_FREQ or GR3D_FREQ",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
