#pragma once
// Every window of one size over a trace, in time order, each handed to a callback. Internal to the folder.

#include <algorithm>
#include <cstdint>
#include <string>

#include "analysis/integral.h"
#include "analysis/windows.h"

namespace wattrein::analysis {

/// `count` windows that follow one another without a gap and hold the same, so that a long hold or a long hole
/// costs one call however short the window is.
struct Window {
  std::int64_t begin_ns = 0;
  std::int64_t width_ns = 1;
  Amount amount;
  std::int64_t count = 1;

  /// DESIGN "Coverage": at least 0.8 of it known.
  [[nodiscard]] bool known() const {
    return amount.known_ns == width_ns || Int128{amount.known_ns} * 5 >= Int128{width_ns} * 4;
  }
};

/// Blocks [first + k w, first + (k+1) w) that end at or before the trace's end.
template <class OnWindow>
void scan_blocks(const Prefix& prefix, std::int64_t width, std::int64_t first, const OnWindow& on_window) {
  Integral integral(prefix);
  const std::int64_t blocks = (prefix.steps().span_end() - first) / width;
  Amount before = integral.at(first);
  std::int64_t begin = first;
  for (std::int64_t k = 0; k < blocks;) {
    const Integral::Level level = integral.level(begin);
    if (level.until_ns - begin >= 2 * width && blocks - k >= 2) {
      const std::int64_t inside = std::min((level.until_ns - begin) / width, blocks - k);
      Amount one;
      if (level.power_uw != kUnknownPower) one = {Int128{level.power_uw} * width, width};
      on_window(Window{begin, width, one, inside});
      k += inside;
      begin += inside * width;
      before = integral.at(begin);
      continue;
    }
    const Amount after = integral.at(begin + width);
    on_window(Window{begin, width, after - before, 1});
    before = after;
    begin += width;
    ++k;
  }
}

/// The instants at which power may change, ascending: each sample, and where a hold ends before the next one or at the
/// trace's end.
class Changes {
 public:
  explicit Changes(const Prefix& prefix) : prefix_(prefix) {}

  [[nodiscard]] std::int64_t at() const {
    if (i_ >= prefix_.size()) return trace::kForever;
    return at_end_ ? prefix_.steps().end(i_) : prefix_.steps().begin(i_);
  }
  /// The integral up to this instant, and up to t, which lies between the instant before and this one.
  [[nodiscard]] Amount here() const { return at_end_ ? prefix_.at(i_, at()) : prefix_.before(i_); }
  [[nodiscard]] Amount up_to(std::int64_t t) const { return prefix_.at(at_end_ ? i_ : i_ - 1, t); }
  /// To the next later instant.
  void next() {
    const std::int64_t now = at();
    const Steps& steps = prefix_.steps();
    do {
      const bool runs_out = i_ + 1 == steps.size() || steps.end(i_) < steps.begin(i_ + 1);
      if (!at_end_ && runs_out) {
        at_end_ = true;
      } else {
        at_end_ = false;
        ++i_;
      }
    } while (at() <= now);
  }

 private:
  const Prefix& prefix_;
  std::size_t i_ = 0;
  bool at_end_ = false;
};

/// Windows that start or end where power may change, wholly inside the trace; equal ones once. Between those the mean
/// of a window only rises or only falls, so that none is above the worst of them.
template <class OnWindow>
void scan_sliding(const Prefix& prefix, std::int64_t width, const OnWindow& on_window) {
  const Steps& steps = prefix.steps();
  const std::int64_t last_begin = steps.span_end() - width;
  Changes start(prefix);  // the first at or behind the next window's begin
  Changes end(prefix);    // the first at or behind its end
  while (end.at() != trace::kForever && end.at() - width < steps.span_begin()) end.next();
  while (true) {
    const std::int64_t starts = start.at() <= last_begin ? start.at() : trace::kForever;
    const std::int64_t ends = end.at() == trace::kForever ? trace::kForever : end.at() - width;
    const std::int64_t begin = std::min(starts, ends);
    if (begin == trace::kForever) return;
    const Amount tail = starts == begin ? start.here() : start.up_to(begin);
    const Amount head = ends == begin ? end.here() : end.up_to(begin + width);
    on_window(Window{begin, width, head - tail, 1});
    if (starts == begin) start.next();
    if (ends == begin) end.next();
  }
}

/// One window a sample, of width 1: its mean is the reading itself, however short the reading held.
template <class OnWindow>
void scan_samples(const Steps& steps, const OnWindow& on_window) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t power_uw = to_microwatts(steps.power[i]);
    Amount amount;
    if (power_uw != kUnknownPower) amount = {power_uw, 1};
    on_window(Window{steps.begin(i), 1, amount, 1});
  }
}

/// Begin of the first block.
inline std::int64_t first_block(const Steps& steps, std::int64_t width, const WindowOptions& options) {
  const std::int64_t begin = steps.span_begin();
  if (options.align == Align::first_sample) return begin;
  const Int128 past = (Int128{options.origin_unix_ns} + begin) % width;
  const auto into = static_cast<std::int64_t>(past < 0 ? past + width : past);
  return into == 0 ? begin : begin + (width - into);
}

/// Requires that the window is available (windows.cc).
template <class OnWindow>
void scan_windows(const Prefix& prefix, const WindowSpec& spec, const WindowOptions& options,
                  const OnWindow& on_window) {
  const Steps& steps = prefix.steps();
  switch (spec.kind) {
    case WindowKind::samples: scan_samples(steps, on_window); return;
    case WindowKind::block:
      scan_blocks(prefix, spec.window.count(), first_block(steps, spec.window.count(), options), on_window);
      return;
    case WindowKind::sliding: scan_sliding(prefix, spec.window.count(), on_window); return;
  }
}

/// Why windows of this size cannot be had from this trace; empty where they can.
[[nodiscard]] std::string unavailable_reason(const Steps& steps, const WindowSpec& spec, const WindowOptions& options);

}  // namespace wattrein::analysis
