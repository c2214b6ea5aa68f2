#pragma once
// Wiring only: options in, library calls, text out. One file a command.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/fs_root.h"

namespace wattrein::cli {

/// What a command may touch. `status` becomes the exit code: 0 ok, 1 finding, 2 usage, 3 bad input, 4 environment.
struct Context {
  FsRoot root;
  const Clock& clock;
  std::string command_line;  ///< as typed, for reports
  int status = 0;

  /// The worst thing that happened decides.
  void raise(int code) {
    if (code > status) status = code;
  }
};

inline constexpr std::string_view kVersion = WATTREIN_VERSION;

void add_analyze(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);

}  // namespace wattrein::cli
