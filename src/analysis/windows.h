#pragma once
// Power against a limit over windows of time (DESIGN section 4).

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/units.h"
#include "trace/steps.h"

namespace wattrein::analysis {

using trace::Steps;
class Prefix;  // integral.h

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

enum class WindowKind : std::uint8_t { samples, block, sliding };
[[nodiscard]] std::string_view name(WindowKind kind);

enum class Verdict : std::uint8_t {
  compliant,      ///< every known window is at or under the limit, and enough is known to say so
  violated,       ///< at least one window is over it
  lower_bound,    ///< none seen, but the meter averages over longer than the window: excursions can hide
  unknown,        ///< none seen, but some windows are unknown (coverage under 0.8)
  not_available,  ///< the window is shorter than the sample period, or longer than the trace
};
[[nodiscard]] std::string_view name(Verdict verdict);

/// Where block windows start: at the first sample, or at multiples of the window on the wall clock.
enum class Align : std::uint8_t { first_sample, clock };

struct WindowSpec {
  WindowKind kind = WindowKind::block;
  Nanos window{0};  ///< unused for samples
};

/// Windows of one size without a limit: how high the mean gets.
struct WindowMeans {
  WindowSpec spec;
  bool available = false;
  std::string reason{};    ///< why not available
  std::int64_t known = 0;  ///< windows with coverage of at least 0.8
  std::int64_t unknown = 0;
  std::optional<Watts> worst{};  ///< largest known mean
  Nanos worst_start{0};
};

/// Time that lies in violating windows without a break: windows that overlap or touch are one stretch.
struct Stretch {
  Nanos start{0};
  Nanos duration{0};
  Watts worst{};  ///< the largest mean of its windows
};
inline constexpr std::size_t kMostStretches = 200;  // so many can still be told apart in a picture

/// The same against a limit. A window mean above the limit violates; counting is exact (integer microwatt
/// nanoseconds), so a constant load at the limit does not.
struct WindowVerdict {
  WindowMeans means;
  Verdict verdict = Verdict::not_available;
  std::int64_t violating = 0;
  std::optional<Nanos> first_over{};  ///< begin of the first violating window
  std::optional<Nanos> time_over{};   ///< time that lies in any violating window; nothing where none is known, and for
                                      ///< samples, whose time is that of excursions
  std::int64_t stretches = 0;         ///< of violating windows; none for samples, which have excursions
  std::vector<Stretch> longest{};     ///< of those, at most kMostStretches; the longest first, of equals the earliest
  std::optional<double> rate;         ///< violating / known; nothing when none is known
  std::optional<Interval> rate_95;    ///< moving-block bootstrap; nothing with fewer than ten blocks
  std::optional<double> upper_95;     ///< with no violation: 3/n, n = known time / max(w, 2 correlation times), and no
                                      ///< more than the windows counted
  bool partly_known = false;          ///< power is unknown in a part of a window that counts as known
  bool could_exceed = false;  ///< of those, one would exceed if its unknown part drew WindowOptions::unknown_draws
  std::string note;           ///< "fewer than ten blocks: no interval", "meter averages over 1 s"
};

/// In the note of blocks that comply while windows that begin between them do not.
inline constexpr std::string_view kBetweenBlocks = "windows between the blocks are above the limit";

/// Whether readings are too far apart for a mean over such a window. One that is shorter than the period by at most 2 %
/// counts as the period: a logger asked for a reading a second takes one every 1.00003 s, and what a reading holds
/// covers the window but for a hair.
[[nodiscard]] bool is_below_period(Nanos window, Nanos period);

struct WindowOptions {
  Align align = Align::first_sample;
  std::int64_t origin_unix_ns = 0;          ///< for Align::clock
  std::optional<Nanos> correlation_time{};  ///< integrated; computed from the steps when absent
  std::uint64_t seed = 1;                   ///< of the bootstrap
  std::optional<Watts> unknown_draws{};     ///< what unknown time may have drawn at most; nothing: not asked
};

[[nodiscard]] WindowMeans window_means(const Steps& steps, const WindowSpec& spec, const WindowOptions& options);
[[nodiscard]] WindowVerdict judge_windows(const Steps& steps, const WindowSpec& spec, Watts limit,
                                          const WindowOptions& options);
/// The same for whoever asks for many sizes, with the integrals made once; and against several limits in one pass over
/// the trace: a verdict each, in their order.
[[nodiscard]] WindowMeans window_means(const Prefix& prefix, const WindowSpec& spec, const WindowOptions& options);
[[nodiscard]] std::vector<WindowVerdict> judge_windows(const Prefix& prefix, const WindowSpec& spec,
                                                       std::span<const Watts> limits, const WindowOptions& options);

/// Integrated correlation time of power: dt (1/2 + sum of autocorrelations), Sokal's window. Zero when unknown.
[[nodiscard]] Nanos correlation_time(const Prefix& prefix);
[[nodiscard]] Nanos correlation_time(const Steps& steps);

/// The ladder that is reported without being asked for: 0.5 s, 1, 5, 10, 30 s, 1, 5, 15 min, 3 h.
[[nodiscard]] std::span<const Nanos> default_windows();

}  // namespace wattrein::analysis
