#include "report/downsample.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace wattrein::report {

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

EnvelopePoint gap(std::int64_t at) { return {Nanos(at), kNan, kNan, kNan}; }

void close(Envelope& envelope, std::int64_t end) {
  if (envelope.points.empty() || envelope.points.back().at >= Nanos(end)) return;
  EnvelopePoint last = envelope.points.back();
  last.at = Nanos(end);
  envelope.points.push_back(last);
}

Envelope every_sample(const trace::Steps& steps) {
  Envelope out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double p = steps.power[i];
    out.points.push_back({Nanos(steps.begin(i)), p, p, p});
    if (i + 1 < steps.size() && steps.end(i) < steps.begin(i + 1)) out.points.push_back(gap(steps.end(i)));
  }
  close(out, steps.span_end());
  return out;
}

struct Bucket {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double weighted = 0.0;  ///< watt nanoseconds
  std::int64_t known = 0;
  std::int64_t unknown_from = -1;  ///< -1 = nothing unknown

  [[nodiscard]] bool any() const { return min <= max; }
  void unknown(std::int64_t at) { unknown_from = unknown_from < 0 ? at : std::min(unknown_from, at); }
  void take(double p, std::int64_t duration) {
    min = std::min(min, p);
    max = std::max(max, p);
    weighted += p * static_cast<double>(duration);
    known += duration;
  }
};

class Buckets {
 public:
  Buckets(std::int64_t begin, std::int64_t end, std::size_t n)
      : begin_(begin),
        end_(end),
        width_((end - begin + static_cast<std::int64_t>(n) - 1) / static_cast<std::int64_t>(n)) {
    buckets_.resize(static_cast<std::size_t>((end - begin + width_ - 1) / width_));
  }

  /// [from, to) at `p`; NaN is unknown. An empty stretch (equal stamps) still counts with its value.
  void add(std::int64_t from, std::int64_t to, double p) {
    std::size_t k = index(from);
    do {
      const std::int64_t bucket_end = begin_ + static_cast<std::int64_t>(k + 1) * width_;
      const std::int64_t stop = std::min(to, bucket_end);
      if (!std::isnan(p)) {
        buckets_[k].take(p, stop - from);
      } else if (stop > from) {
        buckets_[k].unknown(from);
      }
      from = stop;
      ++k;
    } while (from < to && k < buckets_.size());
  }

  [[nodiscard]] Envelope points() const {
    Envelope out;
    out.bucket = Nanos(width_);
    for (std::size_t k = 0; k < buckets_.size(); ++k) {
      const Bucket& b = buckets_[k];
      const std::int64_t at = begin_ + static_cast<std::int64_t>(k) * width_;
      if (!b.any()) {
        out.points.push_back(gap(at));
        continue;
      }
      const double mean = b.known > 0 ? b.weighted / static_cast<double>(b.known) : (b.min + b.max) / 2;
      out.points.push_back({Nanos(at), b.min, std::clamp(mean, b.min, b.max), b.max});
      // Known and unknown stretches may take turns within a bucket; the known part is shown first, in its half.
      const std::int64_t middle = at + (std::min(at + width_, end_) - at) / 2;
      if (b.unknown_from >= 0) out.points.push_back(gap(std::max(b.unknown_from, middle)));
    }
    return out;
  }

 private:
  [[nodiscard]] std::size_t index(std::int64_t at) const {
    return std::min(static_cast<std::size_t>((at - begin_) / width_), buckets_.size() - 1);
  }
  std::int64_t begin_;
  std::int64_t end_;
  std::int64_t width_;
  std::vector<Bucket> buckets_;
};

}  // namespace

Envelope envelope(const trace::Steps& steps, std::size_t max_buckets) {
  const std::int64_t begin = steps.span_begin();
  const std::int64_t end = steps.span_end();
  if (steps.size() <= max_buckets || end <= begin || max_buckets == 0) return every_sample(steps);
  Buckets buckets(begin, end, max_buckets);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    buckets.add(steps.begin(i), steps.end(i), steps.power[i]);
    if (i + 1 < steps.size() && steps.end(i) < steps.begin(i + 1)) {
      buckets.add(steps.end(i), steps.begin(i + 1), kNan);
    }
  }
  Envelope out = buckets.points();
  close(out, end);
  return out;
}

}  // namespace wattrein::report
