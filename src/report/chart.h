#pragma once
// Charts over time: a figure, its text alternative, and its data as JSON that assets/report.js draws with dygraphs.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "report/downsample.h"

namespace wattrein::report::chart {

/// A stretch above a limit; a plateau gets a bar at the top beside its shade.
struct Band {
  Nanos start{0};
  Nanos end{0};
  bool plateau = false;
};

struct LimitLine {
  std::string label;  ///< "400 W"; plain text, as everything here
  double watts = 0.0;
  std::vector<Band> bands;
};

struct PhaseSpan {
  Nanos start{0};
  Nanos end{0};
  int level = 0;
};

/// One device's (or the sum's, or an arm's) power.
struct PowerCourse {
  std::string name;
  std::string alternative;  ///< a sentence that says what the chart shows
  Envelope power;
  std::vector<LimitLine> limits;
  std::vector<std::string> phase_names;
  std::vector<PhaseSpan> phases;
};

/// Courses of which one is shown at a time, with a selector where there are several.
struct PowerChart {
  std::string id;  ///< unique in the page; letters, digits and dashes
  std::string title;
  std::vector<PowerCourse> courses;
  std::size_t first = 0;                        ///< shown at first
  std::optional<std::int64_t> start_unix_ms{};  ///< wall clock of time zero; without one times are "+00:02:24"
  std::string group;                            ///< charts of one group share the range of time
  std::optional<double> low;                    ///< of the axis, so that charts can be compared; with `high`
  std::optional<double> high;
  bool small = false;
};

struct Line {
  std::string name;
  std::vector<double> y;  ///< NaN is a gap
};
struct LineChart {
  std::string id;
  std::string title;
  std::string alternative;
  std::string unit;  ///< "kWh", "sequences in flight"
  std::vector<double> time_s;
  std::vector<Line> lines;
  std::string group;
  bool steps = false;
};

[[nodiscard]] std::string figure(const PowerChart& chart);
[[nodiscard]] std::string figure(const LineChart& chart);

/// Neighbours less than `apart` from each other joined, so that at most about span / apart are left. A joined band
/// is a plateau when one of its parts is.
[[nodiscard]] std::vector<Band> joined(const std::vector<Band>& bands, Nanos apart);

}  // namespace wattrein::report::chart
