#include "report/chart_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "report/html_format.h"

namespace wattrein::report::chart {

namespace {

using html::escape;

constexpr double kWidth = 720, kHeight = 320;
constexpr double kLeft = 64, kRight = 132, kTop = 36, kBottom = 52;
constexpr std::size_t kStyles = 6;  ///< s0 ... in report.css

struct Scale {
  double low = 0.0;
  double high = 1.0;
  std::size_t n = 1;
  [[nodiscard]] double x(std::size_t i) const {
    const double step = (kWidth - kLeft - kRight) / static_cast<double>(n);
    return kLeft + step * (static_cast<double>(i) + 0.5);
  }
  [[nodiscard]] double y(double v) const {
    return kHeight - kBottom - (v - low) / (high - low) * (kHeight - kTop - kBottom);
  }
};

std::string marker(std::size_t style, double x, double y) {
  switch (style % kStyles) {
    case 0: return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"/>", x, y);
    case 1: return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"8\" height=\"8\"/>", x - 4, y - 4);
    case 2: return fmt::format("<path d=\"M{:.1f} {:.1f}l5 9h-10z\"/>", x, y - 6);
    case 3: return fmt::format("<path d=\"M{:.1f} {:.1f}l5.5 5.5l-5.5 5.5l-5.5-5.5z\"/>", x, y - 5.5);
    case 4: return fmt::format("<path d=\"M{:.1f} {:.1f}l-5-9h10z\"/>", x, y + 6);
    default: return fmt::format("<path d=\"M{:.1f} {:.1f}h8v-8h-8zm4-2v-8v12m-6-6h12\"/>", x - 4, y + 4);
  }
}

Scale scale_of(const CategoryChart& chart) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  const auto take = [&](double v) {
    if (!std::isfinite(v)) return;
    low = std::min(low, v);
    high = std::max(high, v);
  };
  for (const PointLine& line : chart.lines) {
    for (const Point& p : line.points) {
      if (p.y) take(*p.y);
      if (p.y && p.interval) {
        take(p.interval->low);
        take(p.interval->high);
      }
    }
  }
  for (const Level& level : chart.levels) take(level.y);
  if (low > high) low = high = 0;
  if (chart.from_zero) low = std::min(low, 0.0);
  if (high - low < 1e-12) high = low + 1;
  const auto marks = ticks(low, high, 5);
  return {marks.front(), marks.back(), std::max<std::size_t>(chart.categories.size(), 1)};
}

std::string axes(const CategoryChart& chart, const Scale& scale) {
  std::string out;
  for (const double v : ticks(scale.low, scale.high, 5)) {
    const double y = scale.y(v);
    out += fmt::format("<line class=\"grid\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft, kWidth - kRight,
                       y, y);
    out += fmt::format("<text class=\"end\" x=\"{}\" y=\"{:.1f}\">{}</text>", kLeft - 8, y + 4,
                       html::trimmed(std::abs(v) < 1e-9 ? 0.0 : v, 6));
  }
  for (std::size_t i = 0; i < chart.categories.size(); ++i) {
    out += fmt::format("<text class=\"mid\" x=\"{:.1f}\" y=\"{}\">{}</text>", scale.x(i), kHeight - kBottom + 18,
                       escape(chart.categories[i]));
  }
  out += fmt::format("<text class=\"mid\" x=\"{:.1f}\" y=\"{}\">{}</text>", (kLeft + kWidth - kRight) / 2, kHeight - 10,
                     escape(chart.x_label));
  return out + fmt::format("<text class=\"mid\" transform=\"translate(14 {:.1f}) rotate(-90)\">{}</text>",
                           (kTop + kHeight - kBottom) / 2, escape(chart.y_label));
}

std::string line_svg(const PointLine& line, std::size_t index, const Scale& scale) {
  std::string path;
  std::string marks;
  bool pen_down = false;
  for (std::size_t i = 0; i < line.points.size(); ++i) {
    const Point& p = line.points[i];
    if (!p.y || !std::isfinite(*p.y)) {
      pen_down = false;
      continue;
    }
    // Lines that coincide are told apart by a small step to the side.
    const double x = scale.x(i) + (static_cast<double>(index % kStyles) - 1.5) * 3.0;
    const double y = scale.y(*p.y);
    path += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", x, y);
    pen_down = true;
    if (p.interval && std::isfinite(p.interval->low) && std::isfinite(p.interval->high)) {
      marks += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>", x,
                           scale.y(p.interval->low), scale.y(p.interval->high));
    }
    marks += marker(index, x, y);
  }
  return fmt::format("<g class=\"s{}\"><path class=\"line\" d=\"{}\"/>{}</g>", index % kStyles, path, marks);
}

std::string key_svg(const CategoryChart& chart) {
  std::string out;
  double x = kLeft + 6;
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    out += fmt::format("<g class=\"s{}\">{}</g><text x=\"{:.1f}\" y=\"18\">{}</text>", i % kStyles, marker(i, x, 14),
                       x + 10, escape(chart.lines[i].name));
    x += 34 + 7.0 * static_cast<double>(chart.lines[i].name.size());
  }
  return out;
}

std::string levels_svg(const CategoryChart& chart, const Scale& scale) {
  std::string out;
  double free_above = kHeight;  // labels of levels that lie close together move apart
  auto levels = chart.levels;
  std::ranges::sort(levels, {}, &Level::y);
  for (const Level& level : levels) {
    const double at = scale.y(level.y);
    const double label = std::min(at + 4, free_above);
    free_above = label - 15;
    out += fmt::format("<line class=\"limit\" x1=\"{}\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", kLeft,
                       kWidth - kRight, at, at);
    out += fmt::format("<text class=\"limit-label\" x=\"{}\" y=\"{:.1f}\">{}</text>", kWidth - kRight + 8, label,
                       escape(level.label));
  }
  return out;
}

}  // namespace

std::vector<double> ticks(double low, double high, int n) {
  const double raw = std::max(high - low, 1e-12) / std::max(n, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double nice : {1.0, 2.0, 5.0}) {
    if (nice * power >= raw * (1 - 1e-9)) {
      step = nice * power;
      break;
    }
  }
  std::vector<double> out;
  const double first = std::floor(low / step + 1e-9);
  for (double k = first; out.size() < 2 || out.back() < high - step * 1e-6; k += 1) out.push_back(k * step);
  return out;
}

std::string figure(const CategoryChart& chart) {
  const Scale scale = scale_of(chart);
  std::string out = fmt::format(
      "<figure class=\"chart\">\n<p class=\"title\">{0}</p>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{0}\">"
      "<svg class=\"categories\" viewBox=\"0 0 {1} {2}\" role=\"img\" aria-label=\"{3}\">",
      escape(chart.title), kWidth, kHeight, escape(chart.alternative));
  out += axes(chart, scale);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) out += line_svg(chart.lines[i], i, scale);
  out += key_svg(chart) + levels_svg(chart, scale);
  return out + "</svg></div>\n<figcaption>" + escape(chart.alternative) + "</figcaption>\n</figure>\n";
}

std::string sparkline(const Envelope& power, std::optional<double> limit) {
  constexpr double w = 120, h = 28;
  const auto& points = power.points;
  if (points.size() < 2) return "";
  double high = limit.value_or(0.0);
  for (const EnvelopePoint& p : points) {
    if (std::isfinite(p.max)) high = std::max(high, p.max);
  }
  if (high <= 0) return "";
  const double begin = static_cast<double>(points.front().at.count());
  const double span = std::max(static_cast<double>(points.back().at.count()) - begin, 1.0);
  const auto x = [&](std::size_t i) { return (static_cast<double>(points[i].at.count()) - begin) / span * w; };
  const auto y = [&](double v) { return h - 1 - v / high * (h - 2); };
  std::string bars;
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    if (!std::isfinite(points[i].max)) continue;
    bars += fmt::format("M{:.1f} {:.1f}H{:.1f}V{:.1f}H{:.1f}z", x(i), y(points[i].max), std::max(x(i + 1), x(i) + 0.4),
                        std::max(y(points[i].min), y(points[i].max) + 1), x(i));
  }
  std::string out =
      fmt::format("<svg class=\"spark\" viewBox=\"0 0 {} {}\" aria-hidden=\"true\"><path d=\"{}\"/>", w, h, bars);
  if (limit) out += fmt::format("<line x1=\"0\" x2=\"{}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>", w, y(*limit), y(*limit));
  return out + "</svg>";
}

}  // namespace wattrein::report::chart
