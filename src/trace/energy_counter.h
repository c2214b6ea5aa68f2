#pragma once
// Cumulative energy counters: beside a power column, and in its place.

#include <string>
#include <vector>

#include "base/error.h"
#include "trace/builder.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// A counter that falls was reset, or is none: its differences are not energy. Takes the energy column from every
/// device on which it falls, and notes how many those are.
void drop_falling_counters(Builder& builder);

/// Power from the energy column of series that are sorted by time: between two readings of a counter the mean power
///   P = (E_i - E_k) / (t_i - t_k)
/// is exact, and it is that of the samples k to i-1, since a sample holds from its stamp on. Readings at which the
/// counter has not moved (sensors slower than the poll), and those within a twentieth of the usual period of the one
/// before, start no interval of their own. A counter that counts in steps of q joules, or that moves some time before
/// it is read to have moved, gives a power to 10 % or none: min(q / (E_i - E_k), late / (t_i - t_k)) is kept below
/// that by longer intervals. Unknown: before the first move of a counter slower than the log, behind the last move,
/// where the counter falls (a reset or a wrap), and where it jumps (above 20 kW, and ten times what the device draws
/// otherwise). Sets the meter kind. Returns sentences for what was found.
/// Errors, bad_input: a column that falls in more than 5 % of its steps is no counter. `where` is for its message.
[[nodiscard]] Result<std::vector<std::string>> power_from_energy(Trace& trace, const std::string& where);

}  // namespace wattrein::trace
