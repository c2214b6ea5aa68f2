#include "cli/cli.h"
#include "cli/output.h"
#include "cli/read_options.h"
#include "trace/write.h"

namespace wattrein::cli {

namespace {

struct Flags {
  std::string file;
  ReadFlags read;
  std::string to = "csv";
  std::string out = "-";  ///< standard output
};

void run(Context& context, const Flags& flags) {
  if (flags.out != "-") {
    if (const auto fits = check_output(flags.out, "--output", {flags.file}); !fits) {
      complain(context, fits.error());
      return;
    }
  }
  const auto trace = flags.read.read(context, flags.file);
  if (!trace) {
    complain(context, trace.error());
    return;
  }
  FileWriter file(flags.out);
  auto result = file.open();
  if (result) {
    const trace::Write write = [&file](std::string_view text) { return file.write(text); };
    flags.to == "json" ? trace::write_json(*trace, write) : trace::write_native(*trace, write);
    result = file.finish();
  }
  if (!result) complain(context, result.error());
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("export", "Rewrite a power log as native CSV or JSON");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->file, "A power log, plain, gzip or zstd; - is standard input")->required();
  command->add_option("--to", flags->to, "csv (native, with units in the header) or json")
      ->check(CLI::IsMember({"csv", "json"}));
  command->add_option("-o,--output", flags->out, "Where to write; standard output otherwise");
  flags->read.add(*command);
  command->callback([flags, &context] { run(context, *flags); });
}

}  // namespace wattrein::cli
