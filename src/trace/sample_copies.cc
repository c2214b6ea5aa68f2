#include "trace/sample_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace wattrein::trace {

namespace {

/// Takes the samples that were put into the file a second time out of `order` (by time, then by place in the file): of
/// equal stamp and power, not neighbours in the file, and at three and more stamps in a row. Returns how many.
std::int64_t drop_second_writing(const Series& s, std::vector<std::size_t>& order) {
  constexpr std::size_t kLeastStamps = 3;
  constexpr std::size_t kMostAStamp = 64;  // that are compared with each other
  const auto same = [&s](std::size_t a, std::size_t b) {
    const double x = s.power_w[a];
    const double y = s.power_w[b];
    return x == y || (std::isnan(x) && std::isnan(y));
  };
  std::vector<char> drop(order.size(), 0);
  std::vector<std::size_t> copies;  // places in `order`, of the present run of stamps
  std::size_t stamps = 0;
  std::int64_t dropped = 0;
  const auto end_run = [&] {
    if (stamps >= kLeastStamps) {
      for (const std::size_t place : copies) drop[place] = 1;
      dropped += static_cast<std::int64_t>(copies.size());
    }
    copies.clear();
    stamps = 0;
  };
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && s.time_ns[order[end]] == s.time_ns[order[begin]]) ++end;
    const std::size_t before = copies.size();
    for (std::size_t i = begin + 1; i < std::min(end, begin + kMostAStamp); ++i) {
      for (std::size_t k = begin; k < i; ++k) {
        if (order[i] - order[k] < i - k + 1 || !same(order[i], order[k])) continue;
        copies.push_back(i);
        break;
      }
    }
    if (copies.size() > before) {
      ++stamps;
    } else {
      end_run();
    }
    begin = end;
  }
  end_run();
  if (dropped == 0) return 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (drop[i] == 0) order[kept++] = order[i];
  }
  order.resize(kept);
  return dropped;
}

/// The same for a file that has each row twice, one behind the other: only where all equal stamps agree. Where the
/// power hardly changes that may be chance, of polls that share a stamp of whole seconds: nothing is taken out.
SampleCopies drop_doubled(const Series& s, std::vector<std::size_t>& order) {
  constexpr int kLeastChanges = 3;
  std::vector<std::size_t> once;
  int changes = 0;
  for (const std::size_t i : order) {
    if (once.empty() || s.time_ns[i] != s.time_ns[once.back()]) {
      if (!once.empty() && s.power_w[i] != s.power_w[once.back()]) ++changes;
      once.push_back(i);
    } else if (s.power_w[i] != s.power_w[once.back()]) {
      return {};
    }
  }
  const std::size_t copies = order.size() - once.size();
  if (copies * 20 < order.size() * 9) return {};
  if (changes < kLeastChanges) return {.dropped = 0, .doubtful = static_cast<std::int64_t>(copies)};
  order = std::move(once);
  return {.dropped = static_cast<std::int64_t>(copies), .doubtful = 0};
}

/// Neighbours in time that stand far apart in the file, again and again.
bool far_apart(const std::vector<std::size_t>& order) {
  constexpr std::size_t kFarApart = 4;  // rows that are a little late are no session
  constexpr int kOften = 6;
  int changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const std::size_t apart = order[i] > order[i - 1] ? order[i] - order[i - 1] : order[i - 1] - order[i];
    if (apart > kFarApart && ++changes == kOften) return true;
  }
  return false;
}

/// A file that was sorted by its power has no sessions, whatever its stamps do. Two sessions step back once.
bool sorted_by_power(const Series& s) {
  constexpr std::int64_t kSeveral = 3;
  if (s.backward_stamps < kSeveral) return false;
  bool rises = false;
  bool falls = false;
  for (std::size_t i = 1; i < s.size(); ++i) {
    rises = rises || s.power_w[i] > s.power_w[i - 1];
    falls = falls || s.power_w[i] < s.power_w[i - 1];
  }
  return rises != falls;
}

}  // namespace

std::int64_t repeated_stamps(const Series& series, const std::vector<std::size_t>& order) {
  std::int64_t repeated = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    repeated += series.time_ns[order[i]] == series.time_ns[order[i - 1]] ? 1 : 0;
  }
  return repeated;
}

SampleCopies drop_copies(const Series& series, std::vector<std::size_t>& order) {
  SampleCopies copies;
  copies.dropped = drop_second_writing(series, order);
  // In order of time: what the log's own order hides is seen when its sorted rows are read again.
  if (repeated_stamps(series, order) * 20 < std::ssize(order) * 9) return copies;
  const SampleCopies doubled = drop_doubled(series, order);
  copies.dropped += doubled.dropped;
  copies.doubtful = doubled.doubtful;
  return copies;
}

std::vector<std::string> notes_of(const SampleCopies& copies) {
  std::vector<std::string> notes;
  if (copies.dropped > 0) {
    notes.push_back(fmt::format(
        "{} samples stand in the file twice, with the same stamp and power: each was kept once.", copies.dropped));
  }
  if (copies.doubtful > 0) {
    notes.push_back(fmt::format(
        "{} samples repeat the stamp and the power before, which hardly changes: rows that were written twice, "
        "or several polls a stamp. Time and energy count once either way.",
        copies.doubtful));
  }
  return notes;
}

bool sessions_overlap(const Series& series, const std::vector<std::size_t>& order) {
  // A log that was never in order has no sessions.
  if (series.backward_stamps * 10 >= std::ssize(series.time_ns)) return false;
  return far_apart(order) && !sorted_by_power(series);
}

}  // namespace wattrein::trace
