#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <sstream>
#include <vector>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/output.h"

namespace {

std::string joined(int argc, char** argv) {
  std::string line = "wattrein";
  for (int i = 1; i < argc; ++i) line += ' ' + std::string(argv[i]);
  return line;
}

/// Names the nearest command or option to the first word that was not understood.
void suggest(const CLI::App& app) {
  const std::vector<std::string> words = app.remaining(true);
  if (words.empty()) return;
  const std::string word = words.front().substr(0, words.front().find('='));
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!word.starts_with('-')) names.push_back(command->get_name());
    if (!word.starts_with('-') || (!app.get_subcommands().empty() && !command->parsed())) continue;
    for (const CLI::Option* option : command->get_options()) names.push_back(option->get_name());
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = wattrein::nearest(word, views);
  if (!near.empty()) std::fprintf(stderr, "Did you mean %.*s?\n", static_cast<int>(near.size()), near.data());
}

int run(int argc, char** argv) {
  using namespace wattrein;
  RealClock clock;
  cli::Context context{.root = FsRoot(), .clock = clock, .command_line = joined(argc, argv)};

  CLI::App app("Holds a power limit on GPUs that run RL post-training, and says what power logs say.", "wattrein");
  app.set_version_flag("--version", "wattrein " + std::string(cli::kVersion));
  app.require_subcommand(1);
  app.get_formatter()->column_width(30);
  app.footer(
      "Exit status: 0 ok, 1 finding (a limit violated), 2 usage, 3 bad input, 4 environment; the worst one counts.");
  cli::add_demo(app, context);
  cli::add_analyze(app, context);
  cli::add_export(app, context);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    std::ostringstream out;
    std::ostringstream complaint;
    const int code = app.exit(e, out, complaint);
    cli::print(context, out.str());
    std::fputs(complaint.str().c_str(), stderr);
    if (code == 0) return context.status;
    suggest(app);
    return exit_code(ErrorKind::usage);
  }
  return context.status;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is seen as a failed write, not as a death
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("wattrein: out of memory\n  Give it a smaller file, or a machine with more memory.\n", stderr);
    return 4;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "wattrein: internal error: %s\n  Please report this with the command and the file.\n",
                 e.what());
    return 4;
  }
}
