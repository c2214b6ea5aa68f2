#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/cli.h"

namespace wattrein::cli {

/// Standard output. A closed pipe ends quietly; a full disk is an error that is said and raised.
void print(Context& context, std::string_view text);
/// "wattrein: where: what\n  cure" on standard error, and the error's exit code.
void complain(Context& context, const Error& error);
/// "wattrein: warning: ..." on standard error; no exit code.
void warn(std::string_view sentence);
/// Refuses to write a result over one of the logs it is made from. Errors: usage.
[[nodiscard]] Result<void> check_output(const std::string& path, std::string_view option,
                                        const std::vector<std::string>& inputs);
/// A missing log that is called .json beside --json was meant to be written. Errors: usage.
[[nodiscard]] Result<void> check_json_takes_no_file(const std::vector<std::string>& inputs);
/// Text of logs made safe for a terminal (control characters become '?'), then colour for the words
/// VIOLATED, violated and compliant where standard output is a terminal and NO_COLOR is unset.
[[nodiscard]] std::string coloured(std::string text);

/// A file that appears whole or not at all: written beside its place, synced, renamed. What was there stays
/// until then, and a signal that ends the program takes the unfinished one away. One at a time. "-" is standard output;
/// a path that is no regular file (a device, a pipe) is written straight.
class FileWriter {
 public:
  explicit FileWriter(std::string path) : path_(std::move(path)) {}
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter();

  [[nodiscard]] Result<void> open();
  /// False once a write has failed; the error comes from finish().
  bool write(std::string_view text);
  [[nodiscard]] Result<void> finish();

 private:
  [[nodiscard]] std::unexpected<Error> failure(int error_number, std::string_view doing);

  std::string path_;
  std::string written_;  ///< the temporary path, or path_ itself
  int fd_ = -1;
  int error_ = 0;
};

[[nodiscard]] Result<void> write_file(const std::string& path, std::string_view text);

}  // namespace wattrein::cli
