// Devices that row order alone tells apart: whose each row is, and which rows are nobody's for certain.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/table.h"

namespace wattrein::trace {

std::unexpected<Error> Table::undecided(const Ordered& rows, const PollFailure& failure) const {
  const std::string where = failure.row > 0 && failure.row < ordered_.size()
                                ? fmt::format("{}:{}", input_.name(), ordered_[rows.at(failure.row)].line)
                                : input_.name();
  std::string damage;
  for (const Damage& d : builder_.understanding_of().first_damaged) {
    damage += fmt::format("\n  {}: {}", d.where, d.reason);
  }
  if (!damage.empty()) {
    damage =
        fmt::format(" (with rows that cannot be read, {} of them:{})", builder_.understanding_of().damaged, damage);
  }
  return fail(
      ErrorKind::bad_input, where,
      fmt::format("no column tells the devices apart, and row order does not decide: {}{}", failure.reason, damage),
      failure.row > 0 ? "Split the file there, and say of each part how many rows make one poll with --devices N, or "
                        "name a column with "
                        "--device."
                      : "Say how many rows make one poll with --devices N (1 for a single device), or name a column "
                        "with --device.");
}

/// One poll in ten may lack rows before it is asked which number of devices is meant.
constexpr std::size_t kFewOdd = 10;

/// The rows of a log in the order of time: a log with the newest row first is turned round.
Table::Ordered Table::ordered_rows() const {
  Ordered rows;
  rows.runs = runs_;
  const std::size_t all = ordered_.size();
  rows.time_ns.resize(all);
  for (std::size_t i = 0; i < all; ++i) rows.time_ns[i] = ordered_[i].time_ns;
  // Damaged rows before the first readable one take its stamp.
  const auto first = std::ranges::find_if(ordered_, &Values::readable);
  std::fill_n(rows.time_ns.begin(), first - ordered_.begin(), first->time_ns);
  rows.newest_first = map_.time >= 0 && newest_first(rows.time_ns, rows.runs);
  rows.unreadable.resize(all);
  for (std::size_t i = 0; i < all; ++i) rows.unreadable[rows.at(i)] = ordered_[i].readable ? 0 : 1;
  if (!rows.newest_first) return rows;
  std::ranges::reverse(rows.time_ns);
  std::ranges::reverse(rows.runs);
  for (RowRange& run : rows.runs) run = {all - run.end, all - run.begin};
  // A row without a stamp stands behind its neighbour in either direction.
  for (std::size_t i = 1; i < all; ++i) {
    if (rows.unreadable[i] != 0) rows.time_ns[i] = rows.time_ns[i - 1];
  }
  return rows;
}

/// Where polls no longer have the rows that they had: the first of three alike behind three of another size, else the
/// first odd one.
PollFailure Table::odd_poll(const ClockPolls& polls) {
  constexpr std::size_t kStable = 3;
  std::size_t before = 0;
  std::size_t alike = 0;
  for (std::size_t i = 0; i < polls.polls.size(); ++i) {
    alike = i > 0 && polls.polls[i].rows() == polls.polls[i - 1].rows() ? alike + 1 : 1;
    const std::size_t rows = polls.polls[i].rows();
    if (alike < kStable || rows == before) continue;
    if (before != 0) {
      return {fmt::format("its rows come {} at a time up to there, and {} at a time from there on", before, rows),
              polls.polls[i + 1 - kStable].begin};
    }
    before = rows;
  }
  const Poll& poll = polls.polls[polls.first_odd.value_or(0)];
  if (poll.rows() == polls.usual) {
    return {fmt::format("its rows come {} at a time, not {} as stated", polls.usual, polls.devices), poll.begin};
  }
  return {fmt::format("its rows come {} at a time, but the poll that begins there has {}, and {} of its {} polls {} "
                      "another number",
                      polls.usual, poll.rows(), polls.odd, polls.polls.size(), polls.odd == 1 ? "has" : "have"),
          poll.begin};
}

/// Polls by count alone have to be shown at every one of them: no row within stands as far off as the next poll.
std::optional<PollFailure> Table::not_set_apart(const Ordered& rows, std::size_t n) {
  const auto step = [&rows](std::size_t i) {
    const double apart = static_cast<double>(rows.time_ns[i]) - static_cast<double>(rows.time_ns[i - 1]);
    return apart < 0.0 ? -apart : apart;
  };
  for (const RowRange& run : rows.runs) {
    for (std::size_t poll = run.begin; poll + n < run.end; poll += n) {
      const double pause = step(poll + n);
      for (std::size_t i = poll + 1; i < std::min(poll + 2 * n, run.end); ++i) {
        if (i == poll + n || step(i) < pause) continue;
        return PollFailure{fmt::format("from there on no pauses set its polls of {} rows apart", n), poll};
      }
    }
  }
  return std::nullopt;
}

/// Of a log with the newest row first, devices may come in either order, so that only a single one is believed; and
/// only a tool that writes a row for each device shows by its polls how many there are: one device may be read in
/// bursts.
std::expected<std::size_t, PollFailure> Table::found_devices(Ordered& rows, std::optional<ClockPolls>& polls) {
  polls = clock_polls(rows.time_ns, rows.runs, rows.unreadable);
  if (polls && polls->devices < 2) polls.reset();
  const bool gaps =
      polls && (polls->odd > 0 || std::ranges::any_of(polls->polls, [&rows](const Poll& p) {
                  return p.kind == Poll::Kind::cut &&
                         std::ranges::any_of(rows.runs, [&p](const RowRange& r) { return r.begin == p.begin; });
                }));
  std::size_t n = 1;
  if (gaps) {
    n = polls->devices;
    if (const auto hidden = hidden_by_whole_seconds(rows.time_ns, n)) return std::unexpected(*hidden);
    const bool more_devices = polls->larger > 1 && polls->larger * 1000 > polls->polls.size();
    if (polls->odd > 0 && (more_devices || polls->odd * kFewOdd > polls->polls.size())) {
      return std::unexpected(odd_poll(*polls));
    }
    if (polls->whole < 3) return std::unexpected(PollFailure{fmt::format("too few of its polls have {} rows", n), 0});
  } else {
    const auto counted_off = rows_per_poll(rows.time_ns, rows.runs);
    if (!counted_off) return counted_off;
    n = *counted_off;
    if (polls && polls->devices != n) {
      const std::string both = fmt::format("its stamps fit {} and {} rows a poll about as well", n, polls->devices);
      const auto more = clock_polls(rows.time_ns, rows.runs, rows.unreadable, std::max(n, polls->devices));
      return std::unexpected(more && more->first_odd ? odd_poll(*more) : PollFailure{both, 0});
    }
    if (n > 1 && !polls) {
      if (const auto failure = not_set_apart(rows, n)) return std::unexpected(*failure);
    }
  }
  if (n == 1) {
    const auto pair = map_.row_a_device ? rows_in_pairs(rows.time_ns, rows.runs) : std::nullopt;
    if (pair) {
      return std::unexpected(PollFailure{
          "its rows come one at a time, but the row there follows another at once, as rows of two devices do", *pair});
    }
    if (rows.newest_first) {
      builder_.note("The newest row stands first, and all stamps fall: it is read as one device.");
    }
    return n;
  }
  if (rows.newest_first) {
    return std::unexpected(
        PollFailure{fmt::format("its newest row stands first, and its rows come {} at a time", n), 0});
  }
  if (!gaps) {
    if (const std::size_t left = without_copies(n); left != n) {
      n = left;
      rows = ordered_rows();
      polls = n > 1 ? clock_polls(rows.time_ns, rows.runs, rows.unreadable, n) : std::nullopt;
    }
  }
  if (n > 1 && !map_.row_a_device) {
    return std::unexpected(PollFailure{
        fmt::format("its rows come {} at a time, which {} devices and one device that is read in bursts share", n, n),
        0});
  }
  return n;
}

/// The polls of a number of devices that was stated. Errors: the stamps contradict it.
std::expected<std::optional<ClockPolls>, PollFailure> Table::stated_polls(const Ordered& rows, std::size_t n) {
  if (n < 2 || ordered_.size() <= n) return std::nullopt;
  std::optional<ClockPolls> polls;
  if (map_.time >= 0) polls = clock_polls(rows.time_ns, rows.runs, rows.unreadable, n);
  if (!polls || (polls->usual == 1 && polls->whole == 0)) {
    builder_.note(
        fmt::format("{} where a poll begins: rows were counted off {} at a time, and behind a lost row all would be "
                    "other devices'.",
                    map_.time < 0 ? "Without a clock nothing shows" : "The stamps do not show", n));
    return std::nullopt;
  }
  if (polls->usual % n != 0 && polls->whole * 10 < polls->polls.size() * 3) {
    return std::unexpected(odd_poll(*polls));
  }
  if (polls->shared_stamps) {
    builder_.note(fmt::format(
        "Several polls share a stamp: rows were counted off {} at a time, and a lost row may stay unseen.", n));
  } else if (polls->usual != n && polls->usual % n == 0 && map_.row_a_device) {
    builder_.understanding().warnings.push_back(
        fmt::format("{}: its rows come {} at a time, not {} as stated: if that is one poll, say --devices {}.",
                    input_.name(), polls->usual, n, polls->usual));
  }
  return polls;
}

/// Whether the first row of a poll, in the order of time, is the first device's. With the newest row first nothing
/// but the stamps within polls can say.
bool Table::first_device_first(const Ordered& rows, const ClockPolls& polls) {
  if (!rows.newest_first) return true;
  std::size_t rising = 0;
  std::size_t falling = 0;
  for (const Poll& poll : polls.polls) {
    for (std::size_t i = poll.begin + 1; i < poll.end; ++i) {
      if (rows.time_ns[i] > rows.time_ns[i - 1]) ++rising;
      if (rows.time_ns[i] < rows.time_ns[i - 1]) ++falling;
    }
  }
  if (rising > 1 && falling * 20 <= rising) {
    builder_.note("The newest row stands first, within polls too: devices are numbered from the last row of each.");
    return true;
  }
  if (falling > 1 && rising * 20 <= falling) {
    builder_.note("The newest poll stands first, with its rows in order.");
    return false;
  }
  builder_.understanding().warnings.push_back(fmt::format(
      "{}: the newest row stands first, and nothing shows in which order the rows of a poll stand: devices may be "
      "numbered from the wrong end. Sort the log by time.",
      input_.name()));
  return false;
}

void Table::note_odd_polls(const Ordered& rows, const ClockPolls& polls) {
  const auto place = [&](const Poll& poll) {
    const std::size_t row = rows.newest_first ? poll.end - 1 : poll.begin;
    return fmt::format("{}:{}", input_.name(), ordered_[rows.at(row)].line);
  };
  if (polls.first_odd) {
    const Poll* first = &polls.polls[*polls.first_odd];
    for (const Poll& poll : polls.polls) {
      if (rows.newest_first && poll.kind == Poll::Kind::odd) first = &poll;
    }
    const std::string what = first->rows() == polls.devices
                                 ? "a row that cannot be read may be this poll's or its neighbour's"
                                 : fmt::format("this poll has {}, not {}: nothing shows which device each is of",
                                               counted(first->rows(), "row"), polls.devices);
    builder_.understanding().warnings.push_back(fmt::format(
        "{}: {}, so that all devices are unknown there{}.", place(*first), what,
        polls.odd == 1 ? ""
                       : fmt::format(", and in {} more such {}", polls.odd - 1, polls.odd == 2 ? "poll" : "polls")));
  }
  if (polls.broken > 0) {
    builder_.note(fmt::format("{} broken by a pause of the logger, before and behind which the rows add up to {}.",
                              polls.broken == 1 ? "One poll is" : fmt::format("{} polls are", polls.broken),
                              polls.devices));
  }
  std::size_t cut = 0;
  const Poll* last = nullptr;
  for (const Poll& poll : polls.polls) {
    if (poll.kind != Poll::Kind::cut) continue;
    ++cut;
    last = &poll;
  }
  if (cut == 1) {
    builder_.note(
        fmt::format("One poll is incomplete and left out ({}: {} of {} rows): nothing shows whose are missing.",
                    place(*last), last->rows(), polls.devices));
  } else if (cut > 1) {
    builder_.note(
        fmt::format("{} polls are incomplete, each at an end of a run of the logger: they are left out.", cut));
  }
}

void Table::describe_by_order(const Ordered& rows, std::span<const std::size_t> first_poll) {
  for (std::size_t d = 0; d < first_poll.size(); ++d) {
    Device& device = builder_.series(builder_.device(fmt::format("{}", d))).device;
    const std::size_t row = rows.at(first_poll[d]);
    if (row >= first_rows_.size()) continue;
    device.model = first_rows_[row].model;
    device.nameplate = first_rows_[row].nameplate;
    device.host = first_rows_[row].host;
  }
}

/// Rows of whole polls are their devices'; a poll with lost rows is one of unknown power for all of them.
void Table::spread_polls(const Ordered& rows, const ClockPolls& polls) {
  const std::size_t n = polls.devices;
  const bool in_order = first_device_first(rows, polls);
  const auto row_of = [&](const Poll& poll, std::size_t d) { return in_order ? poll.begin + d : poll.end - 1 - d; };
  const auto whole = [](const Poll& p) { return p.kind == Poll::Kind::whole; };
  if (const auto first = std::ranges::find_if(polls.polls, whole); first != polls.polls.end()) {
    std::vector<std::size_t> first_poll(n);
    for (std::size_t d = 0; d < n; ++d) first_poll[d] = row_of(*first, d);
    describe_by_order(rows, first_poll);
  }
  for (const Poll& poll : polls.polls) {
    if (poll.kind == Poll::Kind::cut) continue;
    for (std::size_t d = 0; d < n; ++d) {
      if (poll.kind == Poll::Kind::whole) {
        const Values& values = ordered_[rows.at(row_of(poll, d))];
        if (values.readable) add(d, values);
        continue;
      }
      Values unknown;
      unknown.time_ns = rows.time_ns[poll.begin];
      unknown.line = ordered_[rows.at(poll.begin)].line;
      add(d, unknown);
    }
  }
  note_odd_polls(rows, polls);
}

/// Where stamps do not show polls: every n-th row is a device's. At least one device.
Result<void> Table::count_off(const Ordered& rows, std::size_t n) {
  n = std::max<std::size_t>(n, 1);
  std::vector<std::size_t> first_poll(n);
  for (std::size_t d = 0; d < n; ++d) first_poll[d] = rows.at(d);
  describe_by_order(rows, first_poll);
  std::size_t incomplete = 0;
  std::size_t in_last = 0;
  std::int64_t poll = 0;
  for (const RowRange& run : runs_) {
    for (std::size_t i = run.begin; i < run.end; ++i) {
      const std::size_t device = (i - run.begin) % n;
      Values values = ordered_[i];
      if (map_.time < 0) {
        const auto time = counted_time(poll);
        if (!time) return std::unexpected(time.error());
        values.time_ns = *time;
      }
      if (values.readable) add(device, values);
      if (device + 1 == n || i + 1 == run.end) ++poll;
    }
    if (const std::size_t rest = (run.end - run.begin) % n; rest != 0) {
      ++incomplete;
      in_last = rest;
    }
  }
  if (incomplete == 1) {
    builder_.note(fmt::format("One poll is incomplete: it has {} of {} rows.", in_last, n));
  } else if (incomplete > 1) {
    builder_.note(fmt::format("{} polls are incomplete, each at the end of a run of the logger.", incomplete));
  }
  return {};
}

Result<void> Table::spread_over_devices() {
  runs_.back().end = ordered_.size();
  if (runs_.back().begin == runs_.back().end && runs_.size() > 1) runs_.pop_back();
  if (std::ranges::none_of(ordered_, &Values::readable)) return {};
  Ordered rows = ordered_rows();
  std::optional<ClockPolls> polls;
  std::size_t n = 1;
  if (options_.devices) {
    if (*options_.devices < 1 || static_cast<std::size_t>(*options_.devices) > ordered_.size()) {
      return fail(ErrorKind::usage, "--devices",
                  fmt::format("{} cannot be: the log has {}", counted(*options_.devices, "device"),
                              counted(ordered_.size(), "row")),
                  "Say how many rows make one poll.");
    }
    n = static_cast<std::size_t>(*options_.devices);
    if (n > Builder::kMaxDevices) {
      return fail(ErrorKind::usage, "--devices", fmt::format("more than {} devices cannot be", Builder::kMaxDevices),
                  "Say how many rows make one poll.");
    }
    devices_ = fmt::format("row order, {} a poll (as stated)", counted(n, "row"));
    auto stated = stated_polls(rows, n);
    if (!stated) return undecided(rows, stated.error());
    polls = std::move(*stated);
  } else if (map_.time < 0) {
    return undecided(rows, {"the log has no clock", 0});
  } else {
    const auto found = found_devices(rows, polls);
    if (!found) return undecided(rows, found.error());
    n = *found;
    devices_ = n == 1 ? "one device" : fmt::format("row order, {} rows a poll", n);
    if (n > 1) {
      builder_.note(
          fmt::format("No column names the device: {} rows a poll were found from the stamps, and devices are "
                      "numbered by their place in the poll.",
                      n));
    }
  }
  for (std::size_t d = 0; d < n; ++d) (void)builder_.device(fmt::format("{}", d));
  if (!polls) return count_off(rows, n);
  spread_polls(rows, *polls);
  return {};
}

}  // namespace wattrein::trace
