// Power over time, and the worst mean at each window, against the limits.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/chart.h"
#include "report/chart_svg.h"
#include "report/format.h"
#include "report/html_analysis.h"
#include "report/html_format.h"
#include "report/html_verdict.h"

namespace wattrein::report::html {

using analysis::Analysis;
using analysis::LimitResult;
using analysis::Phases;
using analysis::Subject;
using analysis::WindowKind;

namespace {

/// Buckets of each course, so that a file of many devices stays small.
std::size_t buckets_each(std::size_t courses) {
  constexpr std::size_t kPoints = 24'000;
  return std::clamp<std::size_t>(kPoints / std::max<std::size_t>(courses, 1), 200, 2000);
}

/// For plain text: a word comes without its tags.
std::string plain_watts(std::optional<Watts> w) {
  return w && std::isfinite(w->value()) ? watts(w->value()) + " W" : "unknown";
}

/// "; above 1500 W over 30 s in windows that cover 8 min 24 s, in 1 stretch".
std::string windows_clause(const LimitResult& result) {
  const analysis::WindowVerdict* own = own_windows(result).decisive;
  const std::string limit = limit_text(result.limit);
  if (own == nullptr || own->means.known == 0) return "; unknown whether above " + limit;
  if (own->violating == 0) return fmt::format("; never seen above {}", limit);
  std::string text = fmt::format("; above {} in windows that cover {}, in {}", limit,
                                 format_duration(own->time_over.value_or(Nanos(0))),
                                 own->stretches == 1 ? "1 stretch" : fmt::format("{} stretches", own->stretches));
  const auto drawn = static_cast<std::int64_t>(own->longest.size());
  return own->stretches > drawn ? text + fmt::format(", the {} longest shaded", drawn) : text;
}

std::string course_sentence(const Subject& subject, const Analysis& analysis) {
  const std::string whose = subject.is_sum ? "the sum of all devices" : subject_text(subject, analysis);
  std::string text =
      fmt::format("Power of {} over {}: mean {}, lowest {}, highest {}", whose, format_duration(subject.sampling.span),
                  plain_watts(subject.power.tmean), plain_watts(subject.power.min), plain_watts(subject.power.max));
  for (const LimitResult& result : subject.limits) {
    if (result.limit.window) {
      text += windows_clause(result);
      continue;
    }
    const auto n = static_cast<std::int64_t>(result.excursions.list.size());
    text += fmt::format(
        "; above {} W {}", watts(result.limit.power.value()),
        n == 0 ? "never"
               : fmt::format("for {} in {}", format_duration(result.excursions.time_above), plural(n, "excursion")));
    if (result.excursions.plateaus > 0) text += fmt::format(", {}", plural(result.excursions.plateaus, "plateau"));
  }
  const Nanos dark = subject.sampling.span - subject.sampling.known_time;
  if (dark.count() > 0) text += fmt::format("; unknown for {}, drawn as gaps", format_duration(dark));
  return text + ".";
}

/// What is shaded: excursions, or of a limit on means the windows above it.
std::vector<chart::Band> bands_of(const LimitResult& result) {
  std::vector<chart::Band> bands;
  if (!result.limit.window) {
    for (const analysis::Excursion& e : result.excursions.list) {
      bands.push_back({e.start, e.start + e.duration, e.plateau});
    }
    return bands;
  }
  const analysis::WindowVerdict* own = own_windows(result).decisive;
  if (own == nullptr) return bands;
  for (const analysis::Stretch& s : own->longest) bands.push_back({s.start, s.start + s.duration, false});
  std::ranges::sort(bands, {}, &chart::Band::start);
  return bands;
}

std::vector<chart::LimitLine> limit_lines(const Subject& subject) {
  std::vector<chart::LimitLine> out;
  out.reserve(subject.limits.size());
  const Nanos apart(subject.sampling.span.count() / 2000);
  for (const LimitResult& result : subject.limits) {
    out.push_back({limit_text(result.limit), result.limit.power.value(), chart::joined(bands_of(result), apart)});
  }
  return out;
}

/// The level that fills most of each of `n` equal parts; neighbours of the same level are one span.
std::vector<chart::PhaseSpan> thinned(const Phases& phases, std::int64_t n) {
  const std::int64_t begin = phases.stretches.front().start.count();
  const std::int64_t width = std::max<std::int64_t>((phases.stretches.back().end.count() - begin) / n, 1);
  std::map<std::int64_t, std::vector<std::int64_t>> parts;
  for (const analysis::PhaseStretch& s : phases.stretches) {
    for (std::int64_t at = s.start.count(); at < s.end.count();) {
      const std::int64_t k = (at - begin) / width;
      const std::int64_t stop = std::min(s.end.count(), begin + (k + 1) * width);
      auto& times = parts[k];
      times.resize(phases.levels.size(), 0);
      if (s.level >= 0 && static_cast<std::size_t>(s.level) < times.size()) {
        times[static_cast<std::size_t>(s.level)] += stop - at;
      }
      at = stop;
    }
  }
  std::vector<chart::PhaseSpan> out;
  for (const auto& [k, times] : parts) {
    const int level = static_cast<int>(std::ranges::max_element(times) - times.begin());
    const Nanos start(begin + k * width);
    if (!out.empty() && out.back().level == level && out.back().end == start) {
      out.back().end = start + Nanos(width);
    } else {
      out.push_back({start, start + Nanos(width), level});
    }
  }
  return out;
}

std::vector<chart::PhaseSpan> phase_spans(const Phases& phases) {
  constexpr std::int64_t kMost = 1000;
  if (phases.levels.size() < 2 || phases.stretches.empty()) return {};
  if (phases.stretches.size() > kMost) return thinned(phases, kMost);
  std::vector<chart::PhaseSpan> out;
  out.reserve(phases.stretches.size());
  for (const analysis::PhaseStretch& s : phases.stretches) out.push_back({s.start, s.end, s.level});
  return out;
}

std::optional<Envelope> envelope_of(const Subject& subject, const FileView& file, std::size_t buckets) {
  if (subject.is_sum) {
    const auto sum = trace::sum_of(file.trace, file.hold);
    if (!sum) return std::nullopt;
    return envelope(sum->steps(), buckets);
  }
  for (const trace::Series& series : file.trace.series) {
    if (series.device.name == subject.name) return envelope(trace::steps_of(series, file.hold), buckets);
  }
  return std::nullopt;
}

/// The sum where it has a limit, else the device that was above its own the longest.
std::size_t first_shown(const std::vector<const Subject*>& subjects) {
  if (subjects.front()->is_sum && !subjects.front()->limits.empty()) return 0;
  const auto above = [](const Subject* s) {
    Nanos longest(-1);
    for (const LimitResult& r : s->limits) longest = std::max(longest, r.excursions.time_above);
    return longest;
  };
  return static_cast<std::size_t>(std::ranges::max_element(subjects, {}, above) - subjects.begin());
}

chart::PowerCourse course_of(const Subject& subject, const FileView& file, std::size_t buckets) {
  chart::PowerCourse course;
  course.name = subject_text(subject, file.analysis);
  course.alternative = course_sentence(subject, file.analysis);
  if (auto power = envelope_of(subject, file, buckets)) course.power = std::move(*power);
  course.limits = limit_lines(subject);
  if (subject.phases.levels.size() > 1) {
    for (const auto& level : subject.phases.levels) course.phase_names.push_back(level.name);
  }
  course.phases = phase_spans(subject.phases);
  return course;
}

/// Largest known mean over `subjects` at each window of one kind; nothing where no subject knows one.
chart::PointLine worst_line(const std::vector<const Subject*>& subjects, WindowKind kind,
                            const std::vector<Nanos>& windows, std::string label) {
  chart::PointLine line{std::move(label), {}};
  for (const Nanos window : windows) {
    chart::Point point;
    for (const Subject* s : subjects) {
      const auto take = [&](const analysis::WindowMeans& m) {
        if (m.spec.kind != kind || m.spec.window != window || !m.available || !m.worst) return;
        point.y = std::max(point.y.value_or(m.worst->value()), m.worst->value());
      };
      for (const auto& m : s->windows) take(m);
      if (!s->limits.empty()) {
        for (const auto& v : s->limits.front().windows) take(v.means);
      }
    }
    line.points.push_back(point);
  }
  return line;
}

std::vector<Nanos> available_windows(const std::vector<const Subject*>& subjects) {
  std::vector<Nanos> out;
  const auto take = [&](const analysis::WindowMeans& m) {
    if (m.spec.kind != WindowKind::samples && m.available && m.worst) out.push_back(m.spec.window);
  };
  for (const Subject* s : subjects) {
    for (const auto& m : s->windows) take(m);
    for (const auto& r : s->limits) {
      for (const auto& v : r.windows) take(v.means);
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

std::string window_chart(const std::vector<const Subject*>& subjects, const std::string& whose) {
  const std::vector<Nanos> windows = available_windows(subjects);
  if (windows.empty()) return "";
  chart::CategoryChart figure;
  figure.title = "Highest mean power by window, " + whose;
  figure.x_label = "Window";
  figure.y_label = "Power (W)";
  figure.from_zero = true;
  for (const Nanos w : windows) figure.categories.push_back(exact_duration(w));
  figure.lines = {worst_line(subjects, WindowKind::sliding, windows, "sliding windows"),
                  worst_line(subjects, WindowKind::block, windows, "block windows")};
  std::vector<double> seen;
  std::string against;
  for (const Subject* s : subjects) {
    for (const LimitResult& r : s->limits) {
      const double w = r.limit.power.value();
      if (std::ranges::find(seen, w) != seen.end()) continue;
      seen.push_back(w);
      figure.levels.push_back({limit_text(r.limit), w});
      against += (against.empty() ? "" : ", ") + limit_text(r.limit);
    }
  }
  const auto& sliding = figure.lines.front().points;
  const auto end_value = [](const chart::Point& p) {
    return plain_watts(p.y ? std::optional(Watts(*p.y)) : std::nullopt);
  };
  figure.alternative = fmt::format("Highest mean power of {}: {} over {}, {} over {}{}.", whose,
                                   end_value(sliding.front()), figure.categories.front(), end_value(sliding.back()),
                                   figure.categories.back(), against.empty() ? "" : "; limits: " + against);
  return chart::figure(figure);
}

}  // namespace

std::string power_section(const FileView& file) {
  const auto subjects = subjects_in_order(file.analysis);
  if (subjects.empty() || file.analysis.snapshot) return "";
  chart::PowerChart figure;
  figure.id = fmt::format("f{}-power", file.number);
  figure.title = "Power";
  figure.first = first_shown(subjects);
  const std::size_t buckets = buckets_each(subjects.size());
  for (const Subject* s : subjects) figure.courses.push_back(course_of(*s, file, buckets));
  const Nanos bucket = figure.courses[figure.first].power.bucket;
  if (file.trace.start_unix_ns) figure.start_unix_ms = *file.trace.start_unix_ns / 1'000'000;
  std::string out = "<h3>Power over time</h3>\n" + chart::figure(figure) + "<p class=\"hint\">";
  if (file.trace.start_unix_ns) {
    out += fmt::format("{}; the first sample is at {}. ",
                       file.trace.start_has_zone ? "Times are UTC" : "Times are those of the log, which states no zone",
                       escape(format_unix_ns(*file.trace.start_unix_ns)));
  } else {
    out += "The log has no clock: times count from its first sample, as +hours:minutes:seconds. ";
  }
  if (bucket.count() > 0) {
    out += fmt::format("The band spans the lowest and highest sample of every {}, the line is their mean. ",
                       duration(Nanos(bucket.count() / 1'000'000 * 1'000'000)));
  }
  return out + "Unknown time is a gap. Drag, or use the arrow keys with + and −, to look closer.</p>\n";
}

std::string window_charts(const FileView& file) {
  std::vector<const Subject*> devices;
  devices.reserve(file.analysis.devices.size());
  for (const Subject& s : file.analysis.devices) devices.push_back(&s);
  std::string out =
      window_chart(devices, devices.size() == 1 ? subject_text(*devices.front(), file.analysis) : "the highest device");
  if (file.analysis.sum) out += window_chart({&*file.analysis.sum}, "the sum");
  return out;
}

}  // namespace wattrein::report::html
