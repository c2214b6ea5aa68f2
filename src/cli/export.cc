#include <fmt/format.h>

#include "cli/cli.h"
#include "cli/join_options.h"
#include "cli/output.h"
#include "cli/read_options.h"
#include "trace/write.h"

namespace wattrein::cli {

namespace {

struct Flags {
  std::vector<std::string> files;
  ReadFlags read;
  JoinFlags join;
  std::string to = "csv";
  std::string out = "-";  ///< standard output
};

Error apart(const std::vector<trace::Trace>& traces, std::size_t files) {
  const std::vector<std::string>& notes = traces.front().understanding.notes;
  std::string why = fmt::format("the {} files are not one recording", files);
  if (!notes.empty() && traces.front().understanding.parts.empty()) why += ". " + notes.front();
  return {ErrorKind::usage, "export", std::move(why),
          "Export them one by one, or say how they belong together with --join clock, same-start or append."};
}

void run(Context& context, const Flags& flags) {
  if (flags.out != "-") {
    if (const auto fits = check_output(flags.out, "--output", flags.files); !fits) {
      complain(context, fits.error());
      return;
    }
  }
  auto join = flags.join.options(flags.files);
  if (!join) {
    complain(context, join.error());
    return;
  }
  const auto read = read_and_join(context, flags.read, std::move(*join), flags.files);
  if (!read) complain(context, read.error());
  if (!read || !read->all_read) return;
  if (read->traces.size() != 1) {
    complain(context, apart(read->traces, flags.files.size()));
    return;
  }
  const trace::Trace& trace = read->traces.front();
  for (const std::string& warning : trace.understanding.warnings) warn(warning);
  FileWriter file(flags.out);
  auto result = file.open();
  if (result) {
    const trace::Write write = [&file](std::string_view text) { return file.write(text); };
    flags.to == "json" ? trace::write_json(trace, write) : trace::write_native(trace, write);
    result = file.finish();
  }
  if (!result) complain(context, result.error());
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("export", "Rewrite a power log as native CSV or JSON");
  auto flags = std::make_shared<Flags>();
  command->add_option("FILE", flags->files, "Power logs, plain, gzip or zstd; - is standard input; several are joined")
      ->required();
  command->add_option("--to", flags->to, "csv (native, with units in the header) or json")
      ->check(CLI::IsMember({"csv", "json"}));
  command->add_option("-o,--output", flags->out, "Where to write; standard output otherwise");
  flags->join.add(*command);
  flags->read.add(*command);
  command->callback([flags, &context] { run(context, *flags); });
}

}  // namespace wattrein::cli
