#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <list>

#include "analysis/analysis.h"
#include "base/parallel.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/join_options.h"
#include "cli/output.h"
#include "cli/read_options.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

namespace wattrein::cli {

namespace {

using analysis::AnalysisOptions;
using PhaseSource = AnalysisOptions::PhaseSource;

struct Flags {
  std::vector<std::string> files;
  ReadFlags read;
  JoinFlags join;
  std::vector<std::string> limits;
  std::vector<std::string> windows;
  std::string max_gap = "auto";
  std::string last = "hold";
  std::string align = "first";
  std::string infrastructure = "30s";
  std::string control_period = "20s";
  std::string knob_delay;
  double breaker_tms_s = analysis::BreakerParams{}.tms_s;
  std::string phases = "auto";
  bool undecided_fails = false;
  bool json = false;
  std::string report;
};

/// A duration option; the first failure is kept in `error`.
Nanos duration(const std::string& text, std::string_view where, std::optional<Error>& error) {
  const auto value = parse_duration(text, where);
  if (!value && !error) error = value.error();
  return value.value_or(Nanos(0));
}

Result<AnalysisOptions> options_of(const Flags& flags) {
  AnalysisOptions options;
  std::optional<Error> error;
  for (const std::string& text : flags.limits) {
    auto limit = analysis::parse_limit(text);
    if (!limit) return std::unexpected(limit.error());
    options.limits.push_back(std::move(*limit));
  }
  for (const std::string& text : flags.windows) options.extra_windows.push_back(duration(text, "--window", error));
  if (flags.max_gap == "none") {
    options.hold.max_gap = trace::HoldRule::MaxGap::none;
  } else if (flags.max_gap != "auto") {
    options.hold.max_gap = trace::HoldRule::MaxGap::fixed;
    options.hold.fixed_gap = duration(flags.max_gap, "--max-gap", error);
  }
  options.hold.last_holds = flags.last == "hold";
  options.align = flags.align == "clock" ? analysis::Align::clock : analysis::Align::first_sample;
  options.excursions.infrastructure = duration(flags.infrastructure, "--infrastructure", error);
  options.excursions.control_period = duration(flags.control_period, "--control-period", error);
  if (!flags.knob_delay.empty()) options.excursions.knob_delay = duration(flags.knob_delay, "--knob-delay", error);
  options.breaker.tms_s = flags.breaker_tms_s;
  options.threads = hardware_threads();
  options.phase_source = flags.phases == "labels"  ? PhaseSource::labels
                         : flags.phases == "power" ? PhaseSource::power
                         : flags.phases == "none"  ? PhaseSource::none
                                                   : PhaseSource::automatic;
  if (error) return std::unexpected(*error);
  if (!(flags.breaker_tms_s > 0.0) || !std::isfinite(flags.breaker_tms_s)) {
    return fail(ErrorKind::usage, "--breaker-tms", "is no time above zero", "Give seconds, as in 2.68.");
  }
  return options;
}

struct Analysed {
  trace::Trace trace;
  analysis::Analysis analysis;
};

bool any_undecided(const analysis::Analysis& analysis) {
  const auto undecided = [](const analysis::Subject& s) {
    return std::ranges::any_of(s.limits, &analysis::LimitResult::undecided);
  };
  return !analysis.limits_proposed &&
         (std::ranges::any_of(analysis.devices, undecided) || (analysis.sum && undecided(*analysis.sum)));
}

std::optional<Analysed> analyse(Context& context, const AnalysisOptions& options, bool undecided_fails,
                                trace::Trace trace) {
  auto analysis = analysis::analyze(trace, options);
  if (!analysis) {
    complain(context, analysis.error());
    return std::nullopt;
  }
  if (analysis->violated() || (undecided_fails && any_undecided(*analysis))) context.raise(1);
  return Analysed{std::move(trace), std::move(*analysis)};
}

void run(Context& context, const Flags& flags) {
  const auto options = options_of(flags);
  if (!options) {
    complain(context, options.error());
    return;
  }
  if (const auto read = flags.read.options(); !read) {
    complain(context, read.error());
    return;
  }
  if (const auto fits = check_output(flags.report, "--report", flags.files); !fits) {
    complain(context, fits.error());
    return;
  }
  if (flags.json) {
    if (const auto fits = check_json_takes_no_file(flags.files); !fits) {
      complain(context, fits.error());
      return;
    }
  }
  auto join = flags.join.options(flags.files);
  if (!join) {
    complain(context, join.error());
    return;
  }
  auto read = read_and_join(context, flags.read, std::move(*join), flags.files);
  if (!read) {
    complain(context, read.error());
    return;
  }
  std::list<Analysed> analysed;
  for (trace::Trace& trace : read->traces) {
    auto one = analyse(context, *options, flags.undecided_fails, std::move(trace));
    if (!one) continue;
    if (!flags.json) {
      print(context, (analysed.empty() ? "" : "\n") + coloured(report::analysis_text(one->trace, one->analysis)));
    }
    analysed.push_back(std::move(*one));
  }
  std::vector<report::AnalysedTrace> views;
  for (const Analysed& one : analysed) views.push_back({one.trace, one.analysis});
  if (flags.json) print(context, report::analysis_json(views, kVersion));
  if (flags.report.empty() || views.empty()) return;
  const report::ReportMeta meta{.version = std::string(kVersion),
                                .command_line = context.command_line,
                                .when = format_unix_ns(context.clock.wall_unix_ns()).substr(0, 19) + " UTC",
                                .hold = options->hold};
  if (const auto written = write_file(flags.report, report::analysis_html(views, meta)); !written) {
    complain(context, written.error());
  } else if (!flags.json) {
    print(context, fmt::format("\nreport written to {}\n", flags.report));
  }
}

}  // namespace

void add_analyze(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("analyze", "Say whether, when and for how long a power log exceeds a limit");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->files, "Power logs, plain, gzip or zstd; - is standard input")->required();
  command
      ->add_option("--limit", flags->limits,
                   "400W for each device, 3200W:sum for their sum, 3200W:sum@30s for 30-s means; may be repeated")
      ->take_all();
  command->add_option("--window", flags->windows, "A window beside 0.5 s to 3 h, as in 45s; may be repeated")
      ->take_all();
  command->add_flag("--undecided-fails", flags->undecided_fails,
                    "Exit with 1 also when a limit you gave could not be decided");
  command->add_flag("--json", flags->json, "Everything as JSON on standard output");
  command->add_option("--report", flags->report, "Write a self-contained HTML report to this file");

  const std::string rules = "Rules";
  command->add_option("--max-gap", flags->max_gap, "How long a sample holds: auto (3 median periods), none, or 2s")
      ->group(rules);
  command->add_option("--last", flags->last, "Whether the last sample holds one period: hold or none")
      ->check(CLI::IsMember({"hold", "none"}))
      ->group(rules);
  command->add_option("--align", flags->align, "Where block windows start: first (sample) or clock (multiples)")
      ->check(CLI::IsMember({"first", "clock"}))
      ->group(rules);
  command->add_option("--phases", flags->phases, "Phases from labels, from power, auto, or none (saves time)")
      ->check(CLI::IsMember({"auto", "labels", "power", "none"}))
      ->group(rules);
  command->add_option("--infrastructure", flags->infrastructure, "An excursion over this long a mean is a plateau")
      ->group(rules);
  command->add_option("--control-period", flags->control_period, "Of the feedback that could remove overshoot")
      ->group(rules);
  command->add_option("--knob-delay", flags->knob_delay, "How late its knob acts")->group(rules);
  command->add_option("--breaker-tms", flags->breaker_tms_s, "Time multiplier of the assumed breaker curve, seconds")
      ->check(CLI::Range(1e-6, 1e6))
      ->group(rules);
  command->footer(
      "Exit status: 0 no limit that you gave is violated, which includes limits that are 'not shown to be held' or\n"
      "'cannot be told'; 1 one is violated, or with --undecided-fails not decided; 2 usage; 3 bad input (a file could "
      "not\n"
      "be understood, the others are still answered); 4 environment (a file could not be opened or written).");
  flags->join.add(*command);
  flags->read.add(*command);
  command->callback([flags, &context] { run(context, *flags); });
}

}  // namespace wattrein::cli
