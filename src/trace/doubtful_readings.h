#pragma once
// Readings that no meter took: failed polls that were logged as 0 W, full registers, numbers below zero.

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace wattrein::trace {

/// No machine draws more, and no blank of DCGM is less (dcgm_blank.h): a wrong unit, or no power at all.
inline constexpr double kMostWatts = 1e9;

/// What a device's readings hold, in one pass over them.
struct PowerExtent {
  double least_w = std::numeric_limits<double>::infinity();  ///< above zero
  double most_w = 0.0;
  std::int64_t zeros = 0;
  std::int64_t unknown = 0;
};
/// Of each series, on up to `threads` threads. The functions below take it, so that they look at the readings only
/// where there is something to find.
using PowerExtents = std::vector<PowerExtent>;
[[nodiscard]] PowerExtents power_extents(const Trace& trace, int threads);

/// A device whose readings fall into two groups a thousand times apart: watts and milliwatts in one column.
struct MixedScales {
  std::string device;
  std::int64_t from_ns = 0;  ///< the first sample of the other scale
  double before_w = 0.0;     ///< the reading before it
  double behind_w = 0.0;
};
/// Groups of three readings in a row and more, that change rarely, 2.5 to 3.5 decades apart from middle to middle, with
/// nothing in between for a decade and a half. Nothing where no device has such.
[[nodiscard]] std::optional<MixedScales> mixed_scales(const Trace& trace, const PowerExtents& extents);

/// Makes full registers unknown: 65535 W, and 2^31-1 and 2^32-1 mW and thereabouts (DCGM's int32 blanks). A device
/// whose other readings come within a factor of ten of one may really draw it, and keeps it. Of other numbers that
/// programs write for "none" (9999, 6553.5, 32767, ...) only those that come twice and more, and are three times all
/// that the device reads otherwise. Returns a sentence for each value that was taken out.
[[nodiscard]] std::vector<std::string> drop_full_registers(Trace& trace, const PowerExtents& extents);

/// Makes exact 0 W unknown: no running device draws nothing. Where every reading of a device is 0 W it has no meter,
/// and a sum that counted it as nothing would be too low. Returns a sentence for each kind.
[[nodiscard]] std::vector<std::string> drop_zeros(Trace& trace, const PowerExtents& extents);

/// Warnings where the log's own unit cannot be: what the log calls a GPU above 2 kW, or at more than twice its own
/// power limit in most readings; two devices a thousand times apart, one above 5 kW, of which both would be GPUs if
/// the higher one were in mW; or a device whose median is 700 to 1400 times below or above that of the devices of its
/// kind (machines, or names that are equal but for host and digits).
[[nodiscard]] std::vector<std::string> doubtful_scales(const Trace& trace, const PowerExtents& extents);

/// Warns in `trace` where a unit that the user stated makes a GPU draw more than any does (over 2 kW).
void warn_of_unit(Trace& trace, std::string_view unit);

}  // namespace wattrein::trace
