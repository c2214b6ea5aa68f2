#pragma once
// Small charts that are drawn here, as SVG within the page: they need no JavaScript and print as they are.

#include <optional>
#include <string>
#include <vector>

#include "analysis/windows.h"
#include "report/downsample.h"

namespace wattrein::report::chart {

struct Point {
  std::optional<double> y;  ///< nothing is a gap in the line
  std::optional<analysis::Interval> interval;
};
struct PointLine {
  std::string name;  ///< plain text, as everything here
  std::vector<Point> points;
};
struct Level {
  std::string label;
  double y = 0.0;
};

/// Values over a few named steps (window sizes): lines with a marker each, whiskers, and horizontal levels.
struct CategoryChart {
  std::string title;
  std::string alternative;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> categories;
  std::vector<PointLine> lines;
  std::vector<Level> levels;
  bool from_zero = false;
};
[[nodiscard]] std::string figure(const CategoryChart& chart);

/// Power in the size of a word: the envelope with its limit. Decorative; the figures beside it say it.
[[nodiscard]] std::string sparkline(const Envelope& power, std::optional<double> limit);

/// Round numbers that span [low, high] in about `n` steps; at least two.
[[nodiscard]] std::vector<double> ticks(double low, double high, int n);

}  // namespace wattrein::report::chart
