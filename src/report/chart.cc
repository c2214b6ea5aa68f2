#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include "net/json.h"
#include "report/html_format.h"

namespace wattrein::report::chart {

namespace {

using html::escape;
using net::json_quote;

/// A tenth of a watt (of a unit) is finer than a pixel; unknown is null.
std::string value(double v) {
  if (!std::isfinite(v)) return "null";
  std::string text = fmt::format("{:.1f}", v);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::int64_t ms(Nanos t) { return t.count() / 1'000'000; }

template <class Range, class Write>
std::string array(const Range& range, Write write) {
  std::string out = "[";
  for (const auto& item : range) {
    if (out.size() > 1) out += ',';
    out += write(item);
  }
  return out + "]";
}

/// Times as differences in milliseconds: mostly the same few digits.
std::string times(const std::vector<EnvelopePoint>& points) {
  std::int64_t before = 0;
  return array(points, [&](const EnvelopePoint& p) {
    const std::int64_t step = ms(p.at) - before;
    before += step;
    return fmt::format("{}", step);
  });
}

std::string limit_json(const LimitLine& limit) {
  return fmt::format("{{\"label\":{},\"w\":{},\"bands\":{}}}", json_quote(limit.label),
                     std::isfinite(limit.watts) ? fmt::format("{}", limit.watts) : "null",
                     array(limit.bands, [](const Band& b) {
                       return fmt::format("[{},{},{}]", ms(b.start), ms(b.end), b.plateau ? 1 : 0);
                     }));
}

std::string course_json(const PowerCourse& course) {
  const auto& points = course.power.points;
  std::string out =
      fmt::format("{{\"name\":{},\"alt\":{},\"bucketMs\":{},\"dt\":{},\"mid\":{}", json_quote(course.name),
                  json_quote(course.alternative), value(to_seconds(course.power.bucket).value() * 1e3), times(points),
                  array(points, [](const EnvelopePoint& p) { return value(p.mean); }));
  if (course.power.bucket.count() > 0) {
    out += fmt::format(",\"lo\":{},\"hi\":{}", array(points, [](const EnvelopePoint& p) { return value(p.min); }),
                       array(points, [](const EnvelopePoint& p) { return value(p.max); }));
  }
  return out + fmt::format(",\"limits\":{},\"phaseNames\":{},\"phases\":{}}}", array(course.limits, limit_json),
                           array(course.phase_names, json_quote), array(course.phases, [](const PhaseSpan& s) {
                             return fmt::format("[{},{},{}]", ms(s.start), ms(s.end), s.level);
                           }));
}

std::string frame(const std::string& id, const std::string& title, const std::string& alternative, bool small,
                  const std::string& controls, const std::string& json) {
  return fmt::format(
      "<figure class=\"chart{5}\" id=\"{0}\">\n<p class=\"title\">{1}</p>\n{2}"
      "<div class=\"plot\" tabindex=\"0\" role=\"img\" aria-labelledby=\"{0}-alt\"></div>\n"
      "<div class=\"readout\" aria-hidden=\"true\"></div>\n<div class=\"legend\"></div>\n"
      "<figcaption id=\"{0}-alt\">{3}</figcaption>\n"
      "<script type=\"application/json\" class=\"chart-data\">{4}</script>\n</figure>\n",
      id, escape(title), controls, escape(alternative), json, small ? " small" : "");
}

std::string selector(const std::string& id, const std::string& css_class, const std::string& label,
                     const std::vector<std::string>& names, std::size_t selected) {
  std::string out =
      fmt::format("<label for=\"{}\">{}</label> <select id=\"{}\" class=\"{}\" disabled>", id, label, id, css_class);
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format("<option value=\"{}\"{}>{}</option>", i, i == selected ? " selected" : "", escape(names[i]));
  }
  return out + "</select>\n";
}

std::string controls_of(const PowerChart& chart) {
  std::string out = "<div class=\"controls\">\n";
  if (chart.courses.size() > 1) {
    std::vector<std::string> names;
    std::ranges::transform(chart.courses, std::back_inserter(names), &PowerCourse::name);
    out += selector(chart.id + "-course", "course", "Power of", names, chart.first);
  }
  const bool several_limits =
      std::ranges::any_of(chart.courses, [](const PowerCourse& c) { return c.limits.size() > 1; });
  if (several_limits) {
    std::vector<std::string> labels;
    std::ranges::transform(chart.courses[chart.first].limits, std::back_inserter(labels), &LimitLine::label);
    out += selector(chart.id + "-limit", "limit", "Shade time above", labels, 0);
  }
  if (!chart.small) out += "<button type=\"button\" class=\"whole\" disabled>Whole time</button>\n";
  return out + "</div>\n";
}

}  // namespace

std::string figure(const PowerChart& chart) {
  if (chart.courses.empty()) return "";
  std::string json =
      fmt::format("{{\"kind\":\"power\",\"group\":{},\"first\":{}", json_quote(chart.group), chart.first);
  if (chart.low && chart.high) json += fmt::format(",\"range\":[{},{}]", value(*chart.low), value(*chart.high));
  if (chart.start_unix_ms) json += fmt::format(",\"t0\":{}", *chart.start_unix_ms);
  json += ",\"courses\":" + array(chart.courses, course_json) + "}";
  return frame(chart.id, chart.title, chart.courses[chart.first].alternative, chart.small,
               chart.small ? "" : controls_of(chart), json);
}

std::string figure(const LineChart& chart) {
  const auto plain = [](double v) { return std::isfinite(v) ? fmt::format("{:.6g}", v) : std::string("null"); };
  const std::string json = fmt::format(
      "{{\"kind\":\"lines\",\"group\":{},\"unit\":{},\"steps\":{},\"x\":{},\"lines\":{}}}", json_quote(chart.group),
      json_quote(chart.unit), chart.steps, array(chart.time_s, [](double t) { return fmt::format("{:.7g}", t); }),
      array(chart.lines, [&](const Line& line) {
        return fmt::format("{{\"name\":{},\"y\":{}}}", json_quote(line.name), array(line.y, plain));
      }));
  return frame(chart.id, chart.title, chart.alternative, false, "", json);
}

std::vector<Band> joined(const std::vector<Band>& bands, Nanos apart) {
  std::vector<Band> out;
  for (const Band& band : bands) {
    if (!out.empty() && band.start - out.back().end < apart) {
      out.back().end = std::max(out.back().end, band.end);
      out.back().plateau = out.back().plateau || band.plateau;
    } else {
      out.push_back(band);
    }
  }
  return out;
}

}  // namespace wattrein::report::chart
