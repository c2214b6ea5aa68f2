#include "trace/mllog_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "trace/json_cells.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kNode = "node";
constexpr std::size_t kMaxNodes = 4096;
constexpr std::size_t kMaxName = 100;
constexpr std::size_t kMaxRuns = 128;      // of a clock that goes back; more are no logs in one piece each
constexpr std::size_t kEnough = 8;         // readings that show how often a node is read
constexpr std::size_t kSharedMoments = 3;  // that two pieces of one log have in common at least
constexpr std::array<std::string_view, 6> kMembers{"node", "node_id", "node_name", "hostname", "host", "server"};

std::string text_or_number(const net::Json* value) {
  if (value == nullptr) return {};
  if (const auto* number = std::get_if<std::int64_t>(&value->value())) return fmt::format("{}", *number);
  return json_text(value);
}

std::string node_member(const net::Json& object) {
  for (const std::string_view key : kMembers) {
    if (std::string text = text_or_number(object.find(key)); !text.empty()) return text;
  }
  return {};
}

/// "[node3:7] ", "0: ", "node1 | ", "power/node_0.txt:", "node_0.txt:12:": the name, without the process or line behind
/// it. Empty for anything else, such as a time.
std::string_view name_before(std::string_view before) {
  before = trim(before);
  std::string_view name = before;
  if (before.starts_with('[')) {
    const std::size_t end = before.find(']');
    if (end == std::string_view::npos) return {};
    name = before.substr(1, end - 1);
  } else {
    while (!name.empty() && std::string_view(":| ").find(name.back()) != std::string_view::npos) name.remove_suffix(1);
    if (name.size() == before.size()) return {};
  }
  if (const std::size_t colon = name.rfind(':'); colon != std::string_view::npos) {
    if (!parse_int(name.substr(colon + 1))) return {};
    name = name.substr(0, colon);
  }
  return name.find_first_of(": ") == std::string_view::npos ? name : std::string_view();
}

/// Three quarters of the steps are no longer; 0 where there are none.
std::int64_t usual_pause(std::vector<std::int64_t> steps) {
  if (steps.empty()) return 0;
  const auto upper = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() * 3 / 4);
  std::ranges::nth_element(steps, upper);
  return *upper;
}

bool equal_power(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

/// Readings [begin, end) whose clock does not go back, but for some that are late.
struct NodeReadings::Run {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::int64_t from_ns = 0;
  std::int64_t to_ns = 0;

  [[nodiscard]] bool overlaps(const Run& other) const { return from_ns <= other.to_ns && other.from_ns <= to_ns; }
};

bool NodeReadings::heading(std::string_view line) {
  line = trim(line);
  constexpr std::string_view kOpen = "==> ";
  constexpr std::string_view kClose = " <==";
  if (!line.starts_with(kOpen) || !line.ends_with(kClose) || line.size() <= kOpen.size() + kClose.size()) return false;
  file_ = mark(file, line.substr(kOpen.size(), line.size() - kOpen.size() - kClose.size()));
  return true;
}

std::uint32_t NodeReadings::mark(Kind kind, std::string_view name) {
  Marks& marks = marks_[kind];
  if (name.empty() || marks.names.size() > kMaxNodes) return kNone;
  const auto index = static_cast<std::uint32_t>(marks.names.size());
  const auto [at, fresh] = marks.index.try_emplace(std::string(name.substr(0, kMaxName)), index);
  if (fresh) marks.names.push_back(at->first);
  return at->second;
}

void NodeReadings::add(const net::Json& entry, std::string_view before, std::int64_t time_ns, double power_w,
                       std::int64_t line) {
  std::string node = node_member(entry);
  const net::Json* metadata = entry.find("metadata");
  if (node.empty() && metadata != nullptr) node = node_member(*metadata);
  Reading reading{.time_ns = time_ns, .power_w = power_w, .line = line, .mark = {}};
  reading.mark = {mark(member, node), mark(name_space, json_text(entry.find("namespace"))),
                  mark(prefix, name_before(before)), file_};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    marks_[kind].everywhere = marks_[kind].everywhere && reading.mark[kind] != kNone;
  }
  readings_.push_back(reading);
}

bool NodeReadings::tells(Kind kind) const {
  const std::size_t names = marks_[kind].names.size();
  return marks_[kind].everywhere && names > 1 && names <= kMaxNodes && names * 2 <= readings_.size();
}

Result<void> NodeReadings::give(Builder& builder, const Input& input) {
  for (const Kind kind : {member, name_space, prefix, file}) {
    if (!tells(kind)) continue;
    give_by_mark(builder, kind);
    return {};
  }
  for (const Marks& marks : marks_) {
    if (marks.names.size() < 2 || marks.names.size() > kMaxNodes) continue;
    builder.note(
        fmt::format("Some lines name a node ('{}', '{}'), but not all, or each but once: they are not told apart "
                    "by it.",
                    printable(marks.names[0], 40), printable(marks.names[1], 40)));
  }
  return give_by_clock(builder, input);
}

void NodeReadings::give_by_mark(Builder& builder, Kind kind) const {
  static constexpr std::array<std::string_view, kinds> kBy{
      "their member 'node' or 'host'", "their namespace", "what stands before the mark", "the headings of their files"};
  const std::vector<std::string>& names = marks_[kind].names;
  for (const Reading& r : readings_) {
    const std::size_t device = builder.device(names[r.mark[kind]]);
    builder.series(device).device.names_host = kind == member;
    builder.add(device, r.time_ns, r.power_w);
  }
  builder.understanding().devices = fmt::format("{} nodes, told apart by {}", names.size(), kBy[kind]);
  builder.note(
      fmt::format("The lines of {} nodes stand in the file: they are told apart by {}.", names.size(), kBy[kind]));
}

/// From reading to reading, but for the same reading twice.
std::vector<std::int64_t> NodeReadings::steps() const {
  std::vector<std::int64_t> steps;
  for (std::size_t i = 1; i < readings_.size(); ++i) {
    std::int64_t step = 0;
    if (__builtin_sub_overflow(readings_[i].time_ns, readings_[i - 1].time_ns, &step)) step = 0;
    if (step != 0 || !equal_power(readings_[i].power_w, readings_[i - 1].power_w)) steps.push_back(step);
  }
  return steps;
}

/// Whether readings come two and more at a time, or as often from the past as not: no node alone is read like that.
bool NodeReadings::is_mixed() const {
  const std::vector<std::int64_t> all = steps();
  if (all.size() + 1 < kEnough) return false;
  const std::int64_t soon = usual_pause(all) / 4;
  const auto too_soon = std::ranges::count_if(all, [soon](auto step) { return step <= 0 || step < soon; });
  return static_cast<std::size_t>(too_soon) * 10 >= all.size() * 4;
}

std::vector<NodeReadings::Run> NodeReadings::runs() const {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t late = std::clamp(usual_pause(steps()), kSecond / 2, 60 * kSecond) * 2;
  std::vector<Run> runs;
  for (std::size_t i = 0; i < readings_.size(); ++i) {
    const std::int64_t t = readings_[i].time_ns;
    if (runs.empty() || t < runs.back().to_ns - late) {
      if (runs.size() > kMaxRuns) break;
      runs.push_back({.begin = i, .end = i, .from_ns = t, .to_ns = t});
    }
    runs.back().end = i + 1;
    runs.back().from_ns = std::min(runs.back().from_ns, t);
    runs.back().to_ns = std::max(runs.back().to_ns, t);
  }
  return runs;
}

/// Whether two runs that overlap hold the same readings there: a log that was put into the file twice.
bool NodeReadings::same_log(const Run& a, const Run& b) const {
  const std::int64_t from = std::max(a.from_ns, b.from_ns);
  const std::int64_t to = std::min(a.to_ns, b.to_ns);
  std::unordered_map<std::int64_t, double> power_at;
  for (std::size_t i = a.begin; i < a.end; ++i) power_at.emplace(readings_[i].time_ns, readings_[i].power_w);
  std::size_t shared = 0;
  std::size_t all = 0;
  for (std::size_t i = b.begin; i < b.end; ++i) {
    const Reading& r = readings_[i];
    if (r.time_ns < from || r.time_ns > to) continue;
    ++all;
    const auto at = power_at.find(r.time_ns);
    if (at == power_at.end()) continue;
    if (!equal_power(at->second, r.power_w)) return false;
    ++shared;
  }
  return shared >= kSharedMoments && shared * 2 >= all;
}

std::unexpected<Error> NodeReadings::nothing_tells(const Input& input, const std::string& how) const {
  return fail(
      ErrorKind::bad_input, input.name(),
      fmt::format("{}: the logs of several nodes or meters seem to be mixed, and nothing says which reading is whose",
                  how),
      "Give the nodes' own files, power/node_0.txt and so on, all in one command: each is then a node.");
}

Result<void> NodeReadings::give_by_clock(Builder& builder, const Input& input) const {
  if (is_mixed()) {
    return nothing_tells(input, "its readings come several at a time, or its clock goes back and forth");
  }
  const std::vector<Run> all = runs();
  std::vector<std::size_t> log_of(all.size());
  bool several = false;
  bool all_overlap = true;
  std::size_t clash = 0;  // the first run that shows it
  for (std::size_t k = 0; k < all.size() && all.size() <= kMaxRuns; ++k) {
    log_of[k] = k;
    for (std::size_t i = 0; i < k; ++i) {
      if (!all[k].overlaps(all[i])) {
        all_overlap = false;
      } else if (same_log(all[i], all[k])) {
        log_of[k] = std::min(log_of[k], log_of[i]);
      } else {
        if (!several) clash = k;
        several = true;
      }
    }
  }
  const bool too_many = all.size() > kMaxRuns;
  if (too_many || (several && !all_overlap)) {
    const std::size_t run = too_many ? kMaxRuns : clash;
    return nothing_tells(input,
                         fmt::format("at line {} and elsewhere its clock goes back to times that were read already",
                                     readings_[all[run].begin].line));
  }
  builder.understanding().devices = "one node a file";
  if (!several) std::ranges::fill(log_of, std::size_t{0});
  for (std::size_t k = 0; k < all.size(); ++k) {
    const std::string name = log_of[k] == 0 ? std::string(kNode) : fmt::format("{} {}", kNode, log_of[k] + 1);
    const std::size_t device = builder.device(name);
    for (std::size_t i = all[k].begin; i < all[k].end; ++i) {
      builder.add(device, readings_[i].time_ns, readings_[i].power_w);
    }
  }
  if (!several) return {};
  builder.understanding().devices = "a node each time that the clock begins again";
  builder.note(
      fmt::format("At line {} the clock goes back to times that were read already, with other readings: what "
                  "follows is taken as the log of another node.",
                  readings_[all[clash].begin].line));
  return {};
}

}  // namespace wattrein::trace
