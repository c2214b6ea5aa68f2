#include "trace/poll_sequence.h"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace wattrein::trace {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view take_number(std::string_view& text) {
  std::size_t n = 0;
  while (n < text.size() && is_digit(text[n])) ++n;
  std::string_view number = text.substr(0, n);
  text.remove_prefix(n);
  while (number.size() > 1 && number.front() == '0') number.remove_prefix(1);
  return number;
}

/// "GPU 2" before "GPU 10".
bool comes_before(std::string_view a, std::string_view b) {
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view x = take_number(a);
      const std::string_view y = take_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && !b.empty();
}

std::int64_t count_of(const std::vector<std::int64_t>& polls) { return polls.empty() ? 0 : polls.back() + 1; }

}  // namespace

/// `full`: every poll but the last has all devices. `marked`: all begin where a mark says so.
std::vector<std::int64_t> PollSequence::by_repetition(std::size_t devices, bool& full, bool& marked) const {
  std::vector<std::int64_t> polls(devices_.size());
  std::vector<std::int64_t> last(devices, -1);  // poll in which the device came
  std::int64_t poll = 0;
  std::size_t rows = 0;
  std::size_t mark = 0;
  full = true;
  marked = !marks_.empty();
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const bool at_mark = mark < marks_.size() && marks_[mark] == i;
    if (at_mark) ++mark;
    const bool again = last[devices_[i]] == poll;
    if (i > 0 && (at_mark || again)) {
      full = full && rows == devices;
      marked = marked && at_mark;
      ++poll;
      rows = 0;
    }
    last[devices_[i]] = poll;
    ++rows;
    polls[i] = poll;
  }
  return polls;
}

std::vector<std::int64_t> PollSequence::by_order(std::span<const std::size_t> ranks) const {
  std::vector<std::int64_t> polls(devices_.size());
  std::int64_t poll = 0;
  std::size_t mark = 0;
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    const bool marked = mark < marks_.size() && marks_[mark] == i;
    if (marked) ++mark;
    if (i > 0 && (marked || ranks[devices_[i]] <= ranks[devices_[i - 1]])) ++poll;
    polls[i] = poll;
  }
  return polls;
}

PollSequence::Polls PollSequence::polls(std::span<const std::string> names) const {
  Polls found;
  bool full = false;
  bool marked = false;
  found.of_row = by_repetition(names.size(), full, marked);
  if (marked || devices_.empty()) return found;

  std::vector<std::size_t> sorted(names.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::ranges::sort(sorted, [&names](std::size_t a, std::size_t b) {
    if (comes_before(names[a], names[b])) return true;
    return !comes_before(names[b], names[a]) && a < b;
  });
  std::vector<std::size_t> by_name(names.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) by_name[sorted[i]] = i;
  std::vector<std::size_t> as_seen(names.size(), names.size());
  std::size_t seen = 0;
  for (const std::uint32_t device : devices_) {
    if (as_seen[device] == names.size()) as_seen[device] = seen++;
  }
  std::vector<std::int64_t> ordered = by_order(by_name);
  if (std::vector<std::int64_t> other = by_order(as_seen); count_of(other) < count_of(ordered))
    ordered = std::move(other);
  // A fixed order needs hardly more polls than repetition does, though no device of a poll then goes with the next.
  const bool in_order = count_of(ordered) * 100 <= count_of(found.of_row) * 115 ||
                        (!full && static_cast<double>(devices_.size()) >=
                                      0.7 * static_cast<double>(count_of(ordered)) * static_cast<double>(seen));
  found.certain = in_order || full;
  if (in_order) found.of_row = std::move(ordered);
  return found;
}

void warn_of_uncertain_polls(Builder& builder) {
  builder.understanding().warnings.emplace_back(
      "Devices miss polls and come in no fixed order, and the log has no clock: a reading may be off by some polls. "
      "Log the time, or an index in a fixed order.");
}

Result<void> place_by_polls(Builder& builder, const PollSequence& rows, Nanos period) {
  if (builder.too_many_devices()) return {};  // which its finish() refuses
  std::vector<std::string> names;
  names.reserve(builder.device_count());
  for (std::size_t d = 0; d < builder.device_count(); ++d) names.push_back(builder.series(d).device.name);
  const PollSequence::Polls polls = rows.polls(names);
  for (std::size_t d = 0; d < names.size(); ++d) {
    for (std::int64_t& time : builder.series(d).time_ns) {
      if (__builtin_mul_overflow(polls.of_row[static_cast<std::size_t>(time)], period.count(), &time)) {
        return fail(ErrorKind::usage, "--period", "the log would span more than 95 years", "Check its unit.");
      }
    }
  }
  if (!polls.certain) warn_of_uncertain_polls(builder);
  return {};
}

}  // namespace wattrein::trace
