#pragma once
// Figures as people read them, the same in the terminal and in HTML. Unknown is "unknown", never a number.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::report {

[[nodiscard]] std::string watts(std::optional<Watts> p);  ///< "1145.2 W", "unknown"
/// With as many decimals (four at most) as it takes to tell it from a limit.
[[nodiscard]] std::string watts_beside(Watts p, Watts limit);
[[nodiscard]] std::string energy(std::optional<Joules> e);  ///< "798.3 kJ", "1.78 kWh", "unknown"
/// One unit for all energies of a table, so that they can be compared: kWh, kJ or J by the largest.
struct EnergyUnit {
  std::string_view name;
  double joules = 1.0;
};
[[nodiscard]] EnergyUnit energy_unit(const analysis::Analysis& analysis);
[[nodiscard]] std::string energy(std::optional<Joules> e, const EnergyUnit& unit);  ///< "798.3 kJ", "unknown"
[[nodiscard]] std::string percent(double share, int digits = 3);                    ///< "3.33 %": significant digits
/// "1.9 to 5.0 %"; "at most 13 %" where nothing violated; "no interval" otherwise.
[[nodiscard]] std::string rate_interval(const analysis::WindowVerdict& verdict);
/// Why a window against a limit has neither an interval nor a bound: "fewer than ten blocks of 30 s".
[[nodiscard]] std::string no_interval_reason(const analysis::WindowVerdict& verdict);
/// "48": independent windows, of which 3/n is a bound; "3 or fewer" where that is all there may be.
[[nodiscard]] std::string independent_windows(double upper_95);
[[nodiscard]] std::string window_name(const analysis::WindowSpec& spec);  ///< "samples", "30 s"
/// A moment of the trace: wall clock where it has one ("00:24:58.123", with the date when the trace spans more
/// than one day), else the offset alone.
[[nodiscard]] std::string moment(const trace::Trace& trace, Nanos offset, Nanos span);
[[nodiscard]] std::string offset_text(Nanos offset);  ///< "+151.2 s"

/// Of a window's longest stretches above a limit, so many are listed; charts show all.
inline constexpr std::size_t kShownStretches = 5;

/// When a subject was first above a limit, at the limit's own windows; nothing when it was not.
[[nodiscard]] std::optional<Nanos> first_over(const analysis::LimitResult& result);
/// The limit is on a sum that the warnings of the trace make doubtful.
[[nodiscard]] bool in_doubt(const trace::Trace& trace, const analysis::Limit& limit);

/// What a limit came to, in one word: "violated", "compliant", "not decided".
[[nodiscard]] std::string_view outcome(const analysis::LimitResult& result);

/// Who a limit's scope covers: the sum, or the devices.
[[nodiscard]] std::vector<const analysis::Subject*> subjects_of(const analysis::Analysis& analysis,
                                                                const analysis::Limit& limit);
/// The subject's result for a limit; null when the limit is not its own.
[[nodiscard]] const analysis::LimitResult* result_of(const analysis::Subject& subject, const analysis::Limit& limit);

/// Of those that a limit covers, the one to speak of: violated first, then the longest above, then the highest. Null
/// without any.
[[nodiscard]] const analysis::Subject* worst_subject(const analysis::Analysis& analysis, const analysis::Limit& limit);
/// A limit's own windows: the block and the sliding ones of its size, or the samples (then no block). Those that show
/// it violated where its own are unknown (LimitResult::seen_at).
struct OwnWindows {
  const analysis::WindowVerdict* block = nullptr;
  const analysis::WindowVerdict* decisive = nullptr;  ///< sliding, or samples; null only when nothing was judged
};
[[nodiscard]] OwnWindows own_windows(const analysis::LimitResult& result);

/// "54456 rows read; 3 damaged (...)": what was passed over.
[[nodiscard]] std::string rows_line(const trace::Trace& trace);
[[nodiscard]] std::string evidence_line(const trace::Trace& trace);

}  // namespace wattrein::report
