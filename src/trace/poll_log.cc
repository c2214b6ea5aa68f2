#include "trace/poll_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kLongestStamp = 100;

/// Takes off what scripts put around a stamp: "=== ... ===", "[...]", "timestamp: ...".
std::string_view bare_stamp(std::string_view text) {
  constexpr std::string_view kFrame = " \t=#*[]()\"'-,";
  const std::size_t first = text.find_first_not_of(kFrame);
  if (first == std::string_view::npos) return {};
  text = text.substr(first, text.find_last_not_of(kFrame) - first + 1);
  for (const std::string_view label : {"timestamp", "time", "date"}) {
    if (text.size() > label.size() && equal_ignoring_case(text.substr(0, label.size()), label) &&
        std::string_view(":= ").find(text[label.size()]) != std::string_view::npos) {
      return text.substr(std::min(text.size(), text.find_first_not_of(":= \t", label.size())));
    }
  }
  return text;
}

}  // namespace

PollLog::PollLog(Builder& builder, const Input& input, const ReadOptions& options)
    : builder_(builder), input_(input), options_(options) {
  stamps_.set_in_order();
}

bool PollLog::stamp(std::string_view text) {
  if (text.size() > kLongestStamp) return false;
  text = bare_stamp(text);
  if (!StampParser().parse(text)) return false;
  pending_ = text;
  return true;
}

std::optional<std::int64_t> PollLog::read_stamp(std::string_view text) {
  const auto stamp = stamps_.parse(text);
  if (stamp) back_steps_.watch(stamps_, *stamp, input_);
  return stamp;
}

/// Only a stamp that is used may say what kind of clock this is: `date; nvidia-smi` prints two.
std::int64_t PollLog::take_pending() {
  if (pending_.empty()) return kNoStamp;
  return read_stamp(std::exchange(pending_, {})).value_or(kNoStamp);
}

void PollLog::next_poll() { polls_.push_back(take_pending()); }

void PollLog::row(std::size_t device, std::int64_t time_ns, double power_w) {
  if (polls_.empty()) next_poll();
  own_stamps_ = own_stamps_ || time_ns != kNoStamp;
  rows_.push_back(
      {time_ns, power_w, static_cast<std::uint32_t>(device), static_cast<std::uint32_t>(polls_.size() - 1)});
}

void PollLog::set(Column column, double value) {
  auto& values = extra_[static_cast<std::size_t>(column)];
  values.resize(rows_.size(), std::numeric_limits<double>::quiet_NaN());
  values.back() = value;
}

void PollLog::own_clock(std::string text, bool wall, bool has_zone) {
  own_clock_ = std::move(text);
  wall_ = wall;
  has_zone_ = has_zone;
}

void PollLog::give(std::size_t row) {
  const Row& r = rows_[row];
  builder_.add(r.device, r.time_ns, r.power_w);
  for (const ColumnSpec& spec : kColumns) {
    const auto& values = extra_[static_cast<std::size_t>(spec.column)];
    if (row < values.size() && !std::isnan(values[row])) builder_.set(r.device, spec.column, values[row]);
  }
}

Result<void> PollLog::place_without_clock(std::optional<Nanos> assumed) {
  const auto period = options_.period ? options_.period : assumed;
  if (!period && polls_.size() > 1) {
    return fail(ErrorKind::bad_input, input_.name(),
                fmt::format("it holds {} polls and no stamp, so that their times are not known", polls_.size()),
                "Say how far apart they are, as in --period 1s.");
  }
  builder_.clock(false, false);
  builder_.understanding().clock = !period ? "none: a snapshot"
                                           : fmt::format("none: {} a poll {}", format_duration(*period),
                                                         options_.period ? "(--period)" : "from zero (assumed)");
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (__builtin_mul_overflow(std::int64_t{rows_[i].poll}, period.value_or(Nanos(0)).count(), &rows_[i].time_ns)) {
      return fail(ErrorKind::usage, "--period", "the rows would span more than 95 years", "Give a shorter period.");
    }
    give(i);
  }
  return {};
}

void PollLog::place_by_stamps() {
  const auto stamped = static_cast<std::size_t>(std::ranges::count_if(polls_, [](auto t) { return t != kNoStamp; }));
  // `tool >> log; date >> log` puts each stamp behind its poll.
  if (!own_stamps_ && polls_.front() == kNoStamp && !pending_.empty() && stamped + 1 == polls_.size()) {
    polls_.erase(polls_.begin());
    polls_.push_back(take_pending());
    builder_.note("Each stamp stands behind its poll, since the first poll has none before it.");
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].time_ns == kNoStamp) rows_[i].time_ns = polls_[rows_[i].poll];
    if (rows_[i].time_ns != kNoStamp) {
      give(i);
    } else {
      builder_.damaged(fmt::format("{}: poll {}", input_.name(), rows_[i].poll + 1),
                       "it has no stamp, and others have");
    }
  }
  if (own_clock_.empty()) own_clock(stamps_.describe(), stamps_.wall(), stamps_.has_zone());
  builder_.clock(wall_, has_zone_);
  builder_.understanding().clock = own_clock_;
  if (options_.period) builder_.note("--period is not used: the log has a clock of its own.");
  if (std::string note = stamps_.zone_note(); !note.empty()) builder_.note(std::move(note));
}

Result<void> PollLog::close(std::optional<Nanos> assumed) {
  const bool stamped = own_stamps_ || (!pending_.empty() && polls_.size() == 1) ||
                       std::ranges::any_of(polls_, [](auto t) { return t != kNoStamp; });
  if (!stamped || polls_.empty()) return place_without_clock(assumed);
  place_by_stamps();
  return back_steps_.settle(builder_, input_);
}

}  // namespace wattrein::trace
