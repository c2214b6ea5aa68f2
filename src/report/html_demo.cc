#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "report/chart.h"
#include "report/chart_svg.h"
#include "report/html.h"
#include "report/html_format.h"
#include "report/html_page.h"

namespace wattrein::report {

namespace html {

using analysis::WindowKind;
using experiment::ArmCourse;
using experiment::ArmResult;
using experiment::DemoResult;
using experiment::Estimate;
using experiment::WindowRate;

namespace {

constexpr Nanos kInfrastructure = std::chrono::seconds(30);

const WindowRate* rate_at(const ArmResult& arm, WindowKind kind, Nanos window) {
  const auto it = std::ranges::find_if(arm.windows, [&](const WindowRate& w) {
    return w.kind == kind && (kind == WindowKind::samples || w.window == window);
  });
  return it == arm.windows.end() ? nullptr : &*it;
}

std::string rate_cell(const WindowRate* rate) {
  if (rate == nullptr) return word("not available");
  return rate->known == 0 ? unknown() : estimate(rate->rate, percent);
}

std::string tenths(double v) { return number(v, 1); }
std::string three_digits(double v) { return significant(v, 3); }
std::string millions(double v) { return significant(v / 1e6, 4); }

/// What evidence this is, before any figure.
std::string lead(const DemoResult& r) {
  std::string out = "<p class=\"evidence\">" + chip("note", "simulated") +
                    fmt::format(
                        " No GPU took part. Plant <strong>{}</strong>, a simulated job on a <strong>{}</strong> "
                        "workload, under the limit "
                        "<strong>{}</strong>.",
                        escape(r.plant), escape(r.workload), escape(r.limit_text));
  if (r.evidence != trace::Evidence::simulated)
    out += " Evidence: <strong>" + escape(trace::name(r.evidence)) + "</strong>.";
  if (r.fitted_from) {
    out += " Its power level, spread and autocorrelation were taken from " + name(*r.fitted_from) +
           "; what the arms do with it is simulated all the same.";
  }
  return out + "</p>\n";
}

std::string arm_sentence(const ArmResult& arm, const ArmResult& first) {
  std::string out = "<strong>" + name(arm.name) + "</strong> was above the limit in ";
  const WindowRate* samples = rate_at(arm, WindowKind::samples, Nanos(0));
  const WindowRate* blocks = rate_at(arm, WindowKind::block, kInfrastructure);
  const auto share = [](const WindowRate* w) {
    return w == nullptr || w->known == 0 ? unknown() : percent(w->rate.mean);
  };
  out += share(samples) + " of samples and " + share(blocks) + " of 30-s windows";
  if (&arm != &first && arm.name != first.name) {
    out +=
        fmt::format(", with {} tokens against {}", percent_signed(arm.tokens_vs_uncontrolled.mean), name(first.name));
    out += arm.tokens_vs_best_static ? fmt::format(" and {} against the best mix of two fixed levels at the same rate",
                                                   percent_signed(arm.tokens_vs_best_static->mean))
                                     : std::string("; no mix of two fixed levels reaches so low a rate");
  }
  return out + ".";
}

std::string outcome_section(const DemoResult& r) {
  if (r.arms.empty()) return "<p class=\"notice\">No arm was run.</p>\n";
  std::string out = "<section>\n<h2>What came out</h2>\n<ul class=\"verdicts\">\n";
  for (const ArmResult& arm : r.arms) out += "<li>" + arm_sentence(arm, r.arms.front()) + "</li>\n";
  return out + "</ul>\n</section>\n";
}

std::string comparison_section(const DemoResult& r) {
  Table limit("Limit and tokens, simulated", {{"Arm", true},
                                              {"Samples above"},
                                              {"30-s windows above"},
                                              {"Tokens against uncontrolled"},
                                              {"Tokens against best static at the same rate"},
                                              {"Mean power (W)"},
                                              {"Peak power (W)"}});
  Table power("Power, energy and the knob, simulated", {{"Arm", true},
                                                        {"Tokens per second"},
                                                        {"Energy (J/token)"},
                                                        {"Million tokens per MWh"},
                                                        {"Overshoot (J/h)"},
                                                        {"Removable share"},
                                                        {"Plateaus per h"},
                                                        {"Transients per h"},
                                                        {"Knob moves per h"},
                                                        {"Mean level"}});
  for (const ArmResult& a : r.arms) {
    limit.row({name(a.name), rate_cell(rate_at(a, WindowKind::samples, Nanos(0))),
               rate_cell(rate_at(a, WindowKind::block, kInfrastructure)),
               estimate(a.tokens_vs_uncontrolled, percent_signed),
               a.tokens_vs_best_static ? estimate(*a.tokens_vs_best_static, percent_signed) : word("not available"),
               estimate(a.mean_power_w, watts), estimate(a.peak_power_w, watts)});
    power.row({name(a.name), estimate(a.tokens_per_s, three_digits), estimate(a.j_per_token, three_digits),
               estimate(a.tokens_per_mwh, millions), estimate(a.overshoot_j_per_h, three_digits),
               a.removable_share ? percent(*a.removable_share) : unknown(), estimate(a.plateaus_per_h, tenths),
               estimate(a.transients_per_h, tenths), estimate(a.knob_moves_per_h, tenths),
               estimate(a.mean_level, tenths)});
  }
  std::string out = fmt::format(
      "<section>\n<h2>Comparison</h2>\n<p class=\"hint\">{} of {} an arm, seed {}, a decision every {}; all arms on "
      "the same random numbers. Below each mean stands its 95&nbsp;% interval over the replications; where no window "
      "was "
      "above, up to its bound 3/n.</p>\n",
      plural(r.replications, "replication"), duration(r.duration), r.seed, duration(r.decision_period));
  out += limit.html() + power.html() + "<dl class=\"arms\">\n";
  for (const ArmResult& a : r.arms) {
    out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", name(a.name), escape(a.description));
  }
  return out + "</dl>\n</section>\n";
}

std::vector<chart::Band> above(const ArmCourse& course, double limit) {
  std::vector<chart::Band> out;
  bool open = false;
  for (std::size_t i = 0; i < course.time_s.size(); ++i) {
    const Nanos at = to_nanos(Seconds(course.time_s[i]));
    const bool over = i < course.power_w.size() && course.power_w[i] > limit;
    if (open) out.back().end = at;
    if (over && !open) out.push_back({at, at, false});
    open = over;
  }
  const Nanos span = out.empty() ? Nanos(0) : to_nanos(Seconds(course.time_s.back()));
  return chart::joined(out, span / 2000);
}

/// A column of watts as a step function; the last sample holds as long as the others.
struct CourseSteps {
  explicit CourseSteps(const ArmCourse& course) {
    for (const double t : course.time_s) time_ns.push_back(to_nanos(Seconds(t)).count());
    power_w = course.power_w;
    power_w.resize(time_ns.size(), std::numeric_limits<double>::quiet_NaN());
  }
  [[nodiscard]] trace::Steps steps() const {
    trace::Steps s;
    s.time_ns = time_ns;
    s.power = power_w;
    s.median_period = trace::median_period(time_ns);
    s.last_hold_ns = s.median_period.count();
    return s;
  }
  std::vector<std::int64_t> time_ns;
  std::vector<double> power_w;
};

std::string power_charts(const DemoResult& r) {
  double low = r.limit.value(), high = r.limit.value();
  for (const ArmCourse& c : r.courses) {
    for (const double p : c.power_w) {
      if (std::isfinite(p)) low = std::min(low, p), high = std::max(high, p);
    }
  }
  const double margin = (high - low) * 0.05;
  std::string out;
  for (std::size_t i = 0; i < r.courses.size(); ++i) {
    const ArmCourse& c = r.courses[i];
    if (c.time_s.empty()) continue;
    const CourseSteps course(c);
    chart::PowerCourse shown;
    shown.name = c.arm;
    shown.power = envelope(course.steps(), 2400);
    shown.limits = {{fmt::format("{:g} W", r.limit.value()), r.limit.value(), above(c, r.limit.value())}};
    const auto [least, most] = std::ranges::minmax_element(c.power_w);
    shown.alternative = fmt::format(
        "Simulated power of the job under {}, first replication, over {}: between {} and {} W against a limit of {:g} "
        "W.",
        c.arm, format_duration(r.duration), least == c.power_w.end() ? "unknown" : watts(*least),
        most == c.power_w.end() ? "unknown" : watts(*most), r.limit.value());
    chart::PowerChart figure;
    figure.id = fmt::format("arm{}-power", i);
    figure.title = c.arm;
    figure.courses.push_back(std::move(shown));
    figure.group = "demo";
    figure.low = low - margin;
    figure.high = high + margin;
    figure.small = true;
    out += chart::figure(figure);
  }
  return out;
}

double value_at(const ArmCourse& course, const std::vector<double>& column, double t) {
  const auto after = std::ranges::upper_bound(course.time_s, t);
  const auto i = static_cast<std::size_t>(after - course.time_s.begin());
  return i == 0 || i > column.size() ? std::numeric_limits<double>::quiet_NaN() : column[i - 1];
}

/// Joules so far at each sample; unknown from the first unknown power on, since a sum over it would be too low.
std::vector<double> energy_kwh(const ArmCourse& course) {
  std::vector<double> out;
  double joules = 0.0;
  for (std::size_t i = 0; i < course.time_s.size() && i < course.power_w.size(); ++i) {
    if (i > 0) joules += course.power_w[i - 1] * (course.time_s[i] - course.time_s[i - 1]);
    out.push_back(joules / 3.6e6);
  }
  return out;
}

std::vector<double> grid(const DemoResult& r) {
  constexpr int kPoints = 400;
  double end = 0.0;
  for (const ArmCourse& c : r.courses) {
    if (!c.time_s.empty()) end = std::max(end, c.time_s.back());
  }
  std::vector<double> out;
  for (int i = 0; i <= kPoints; ++i) out.push_back(end * i / kPoints);
  return out;
}

/// Every moment at which any arm's level changes, so that no move is lost; a grid where there are too many.
std::vector<double> moves(const DemoResult& r) {
  constexpr std::size_t kMost = 4000;
  std::vector<double> out;
  for (const ArmCourse& c : r.courses) {
    for (std::size_t i = 0; i < c.time_s.size() && i < c.level.size(); ++i) {
      if (i == 0 || i + 1 == c.time_s.size() || c.level[i] != c.level[i - 1]) out.push_back(c.time_s[i]);
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out.size() > kMost ? grid(r) : out;
}

template <class Column>
chart::LineChart lines_of(const DemoResult& r, const std::vector<double>& times, Column column) {
  chart::LineChart out;
  out.group = "demo";
  out.time_s = times;
  for (const ArmCourse& c : r.courses) {
    const std::vector<double> values = column(c);
    chart::Line line{c.arm, {}};
    for (const double t : times) line.y.push_back(value_at(c, values, t));
    out.lines.push_back(std::move(line));
  }
  return out;
}

std::string ends_sentence(const chart::LineChart& figure, std::string_view what) {
  std::string text = std::string(what) + " at the end: ";
  for (std::size_t i = 0; i < figure.lines.size(); ++i) {
    const auto& y = figure.lines[i].y;
    const bool known = !y.empty() && std::isfinite(y.back());
    text += fmt::format("{}{} {}", i == 0 ? "" : ", ", figure.lines[i].name,
                        known ? trimmed(y.back(), 4) + " " + figure.unit : "unknown");
  }
  return text + ". First replication of each arm, simulated.";
}

std::string line_charts(const DemoResult& r) {
  chart::LineChart level = lines_of(r, moves(r), [](const ArmCourse& c) { return c.level; });
  level.id = "demo-level";
  level.title = "Knob over time: " + r.knob;
  level.unit = r.knob;
  level.steps = true;
  level.alternative = ends_sentence(level, "Level of the knob in force");
  chart::LineChart tokens = lines_of(r, grid(r), [](const ArmCourse& c) { return c.tokens; });
  tokens.id = "demo-tokens";
  tokens.title = "Tokens generated, cumulative";
  tokens.unit = "tokens";
  tokens.alternative = ends_sentence(tokens, "Tokens");
  chart::LineChart energy = lines_of(r, grid(r), energy_kwh);
  energy.id = "demo-energy";
  energy.title = "Energy drawn, cumulative";
  energy.unit = "kWh";
  energy.alternative = ends_sentence(energy, "Energy");
  return chart::figure(level) + chart::figure(tokens) + chart::figure(energy);
}

std::string courses_section(const DemoResult& r) {
  if (r.courses.empty()) return "";
  return "<section>\n<h2>Course of the first replication</h2>\n<p class=\"hint\">Every arm saw the same random "
         "numbers. The "
         "charts share one axis of time: drag in one, and all show that stretch. Shaded: above the "
         "limit.</p>\n<h3>Power "
         "against the limit</h3>\n" +
         power_charts(r) + "<h3>Knob, tokens, energy</h3>\n" + line_charts(r) + "</section>\n";
}

std::vector<Nanos> windows_of(const DemoResult& r) {
  std::vector<Nanos> out;
  for (const ArmResult& a : r.arms) {
    for (const WindowRate& w : a.windows) {
      if (w.kind == WindowKind::block) out.push_back(w.window);
    }
  }
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

chart::Point point_of(const WindowRate* rate) {
  if (rate == nullptr || rate->known == 0) return {};
  chart::Point p{rate->rate.mean * 100, std::nullopt};
  if (rate->rate.interval_95) p.interval = {rate->rate.interval_95->low * 100, rate->rate.interval_95->high * 100};
  return p;
}

std::string windows_section(const DemoResult& r) {
  const std::vector<Nanos> windows = windows_of(r);
  if (r.arms.empty()) return "";
  chart::CategoryChart figure;
  figure.title = "Share of windows above the limit";
  figure.x_label = "Window (block)";
  figure.y_label = "Above the limit (%)";
  figure.from_zero = true;
  figure.categories = {"samples"};
  for (const Nanos w : windows) figure.categories.push_back(exact_duration(w));
  std::vector<Table::Column> columns{{"Arm", true}};
  for (const std::string& c : figure.categories) columns.push_back({escape(c)});
  Table table("Share of windows above the limit, simulated", columns);
  for (const ArmResult& a : r.arms) {
    std::vector<const WindowRate*> rates{rate_at(a, WindowKind::samples, Nanos(0))};
    for (const Nanos w : windows) rates.push_back(rate_at(a, WindowKind::block, w));
    chart::PointLine line{a.name, {}};
    std::vector<std::string> cells{name(a.name)};
    for (const WindowRate* rate : rates) {
      line.points.push_back(point_of(rate));
      cells.push_back(rate_cell(rate));
    }
    figure.lines.push_back(std::move(line));
    table.row(cells);
  }
  figure.alternative =
      "Share of block windows above the limit by size of the window, for each arm, with 95 % intervals; "
      "simulated. The table below holds the same figures.";
  return "<section>\n<h2>Violations by window</h2>\n" + chart::figure(figure) + table.html() + "</section>\n";
}

std::string background_section(const DemoResult& r) {
  std::string out = "<section>\n<h2>What was simulated</h2>\n";
  out += facts({{"Plant", escape(r.plant)},
                {"Knob", escape(r.knob)},
                {"Limit", escape(r.limit_text)},
                {"Evidence", escape(trace::name(r.evidence))},
                {"Workload", escape(r.workload)},
                {"Replications", number(static_cast<std::int64_t>(r.replications))},
                {"Length of each", duration(r.duration)},
                {"A decision every", duration(r.decision_period)},
                {"Seed", fmt::format("{}", r.seed)},
                {"Fitted from", r.fitted_from ? name(*r.fitted_from) : ""}});
  if (!r.facts.empty()) out += "<h3>Parameters and where they come from</h3>\n" + list(r.facts);
  if (!r.notes.empty()) out += "<h3>To keep in mind</h3>\n" + list(r.notes);
  return out + "</section>\n";
}

}  // namespace

}  // namespace html

std::string demo_html(const experiment::DemoResult& result, const ReportMeta& meta) {
  const std::string title = "Simulated power control: " + result.plant;
  const std::string body = html::outcome_section(result) + html::comparison_section(result) +
                           html::courses_section(result) + html::windows_section(result) +
                           html::background_section(result);
  return html::page({title, title}, html::lead(result), body, meta);
}

}  // namespace wattrein::report
