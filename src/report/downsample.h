#pragma once
// A step function made small enough to draw, without losing what a reader looks for: peaks, dips and gaps.

#include <cstddef>
#include <vector>

#include "base/units.h"
#include "trace/steps.h"

namespace wattrein::report {

/// From `at` until the next point. A gap (unknown power) has NaN in all three.
struct EnvelopePoint {
  Nanos at{0};
  double min = 0.0;
  double mean = 0.0;  ///< time-weighted over what is known of the bucket
  double max = 0.0;
};

struct Envelope {
  std::vector<EnvelopePoint> points;  ///< ascending; the last one marks the end and repeats the value before it
  Nanos bucket{0};                    ///< width; zero where every sample is a point of its own
};

/// At most `max_buckets` buckets of equal width over the span; every sample as it is where there are no more
/// samples than that. Each bucket keeps the smallest and largest known value that touches it; one with any
/// unknown time ends in a gap of up to half its width, so that no gap is too short to be drawn. At most two points a
/// bucket.
[[nodiscard]] Envelope envelope(const trace::Steps& steps, std::size_t max_buckets);

}  // namespace wattrein::report
