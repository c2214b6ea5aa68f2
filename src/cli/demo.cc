#include <fmt/format.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/read_options.h"
#include "experiment/demo.h"
#include "report/html.h"
#include "report/json.h"
#include "report/text.h"

namespace wattrein::cli {

namespace {

struct Flags {
  std::string trace;
  ReadFlags read;
  experiment::DemoOptions options;
  std::string duration = "20min";
  bool json = false;
  std::string report = "wattrein-demo.html";
};

Result<experiment::DemoResult> run_on(Context& context, const Flags& flags, const experiment::DemoOptions& options) {
  if (flags.trace.empty()) return experiment::run_demo(options);
  const auto trace = flags.read.read(context, flags.trace);
  if (!trace) return std::unexpected(trace.error());
  return experiment::run_demo_on(*trace, options);
}

void run(Context& context, const Flags& flags) {
  experiment::DemoOptions options = flags.options;
  const auto duration = parse_duration(flags.duration, "--duration");
  if (!duration) {
    complain(context, duration.error());
    return;
  }
  options.duration = *duration;
  if (flags.report != "none") {
    if (const auto fits = check_output(flags.report, "--report", {flags.trace}); !fits) {
      complain(context, fits.error());
      return;
    }
  }
  const auto result = run_on(context, flags, options);
  if (!result) {
    complain(context, result.error());
    return;
  }
  print(context, flags.json ? report::demo_json(*result, kVersion) : coloured(report::demo_text(*result)));
  if (flags.report == "none") return;
  const report::ReportMeta meta{.version = std::string(kVersion),
                                .command_line = context.command_line,
                                .when = format_unix_ns(context.clock.wall_unix_ns()).substr(0, 19) + " UTC"};
  if (const auto written = write_file(flags.report, report::demo_html(*result, meta)); !written) {
    complain(context, written.error());
  } else if (!flags.json) {
    print(context, fmt::format("\nreport written to {}\n", flags.report));
  }
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("demo", "Run a simulated job under several controllers and compare them");
  auto flags = std::make_shared<Flags>();
  command->add_option("--trace", flags->trace, "Take the plant's level, spread and autocorrelation from this log");
  command->add_option("--report", flags->report, "Where to write the HTML report; 'none' for nowhere")
      ->capture_default_str();
  command->add_flag("--json", flags->json, "The comparison as JSON on standard output");
  command
      ->add_option("--arm", flags->options.arms,
                   "Run these arms only: uncontrolled, static:N, hysteresis, adaptive-threshold")
      ->take_all();
  command->add_option("--replications", flags->options.replications, "Runs of each arm")->capture_default_str();
  command->add_option("--duration", flags->duration, "Simulated time of a run")->capture_default_str();
  command->add_option("--seed", flags->options.seed, "Of the random numbers")
      ->check(CLI::Range(0.0, 9e15))
      ->capture_default_str();
  flags->read.add(*command);
  command->callback([flags, &context] { run(context, *flags); });
}

}  // namespace wattrein::cli
