#pragma once

#include <string>
#include <vector>

#include "cli/cli.h"
#include "cli/read_options.h"
#include "trace/join.h"

namespace wattrein::cli {

/// The options that say how several files belong together, shared by every command that takes several.
class JoinFlags {
 public:
  void add(CLI::App& command);
  /// `files` as given on the command line, which --offset refers to. Errors: usage.
  [[nodiscard]] Result<trace::JoinOptions> options(const std::vector<std::string>& files) const;

 private:
  std::string mode_ = "auto";
  std::vector<std::string> offsets_;
};

/// What came of reading and joining: the traces, and whether a file could not be read (it has been complained about).
struct ReadFiles {
  std::vector<trace::Trace> traces;
  bool all_read = true;
};

/// Reads the files and joins them. A file that cannot be read is complained about and the others go on, with a warning
/// in every trace that it may have been part of (none with --join no). Errors: what join() says.
[[nodiscard]] Result<ReadFiles> read_and_join(Context& context, const ReadFlags& read, trace::JoinOptions join,
                                              const std::vector<std::string>& files);

}  // namespace wattrein::cli
