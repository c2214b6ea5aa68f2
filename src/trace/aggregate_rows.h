#pragma once
// Rows beside the devices' own that sum them up, average them, or are a part of the machine: a sum over all would
// count power twice.

#include <string>
#include <vector>

#include "trace/trace.h"

namespace wattrein::trace {

/// Takes out, from series whose names are a log's own words:
/// - totals and averages ("Total", "avg", "*", -1 beside numbers) where the same host has another device;
/// - parts and the whole of the machine ("cpu", "dram", "psys", "node") where its other devices are GPUs;
/// - MIG instances by name ("GPU 0 MIG 1" beside "GPU 0"; "0:1" beside "0" where it repeats that one's power).
/// Returns a sentence for each, with the number of rows.
[[nodiscard]] std::vector<std::string> drop_aggregates(std::vector<Series>& series);

/// Devices that read the sum or the mean of all others at nearly every stamp, a sentence each. Only where all devices
/// were polled together, and on at most 256 polls, evenly spread.
[[nodiscard]] std::vector<std::string> aggregates_by_value(const std::vector<Series>& series);

/// Devices that are named unlike the numbered ones of their host (two at least) and draw as much as these together: a
/// machine's own meter among its GPUs. A sentence each.
[[nodiscard]] std::vector<std::string> meters_by_value(const std::vector<Series>& series);

}  // namespace wattrein::trace
