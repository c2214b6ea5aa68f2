#pragma once

#include <string>

#include "cli/cli.h"
#include "trace/read.h"

namespace wattrein::cli {

/// The options that say how a file is to be read, shared by every command that takes one.
class ReadFlags {
 public:
  void add(CLI::App& command);
  /// Errors: usage, for a value that cannot be.
  [[nodiscard]] Result<trace::ReadOptions> options() const;
  /// Reads a file and stamps it with --workload. Without `with_start`, --start is another file's.
  [[nodiscard]] Result<trace::Trace> read(Context& context, const std::string& path, bool with_start = true) const;

 private:
  trace::ReadOptions options_;
  std::string period_;
  std::string start_;
  int devices_ = 0;
  std::string zeros_ = "unknown";
  std::string workload_;
};

}  // namespace wattrein::cli
