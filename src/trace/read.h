#pragma once
// Reading power logs. The format is recognised from content, never from the file's name.
// A reader is one file and one line in registry.cc (see src/trace/README.md).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fs_root.h"
#include "base/units.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// What the user says about a file; empty = find out. Column names match ignoring case; "#3" names the third.
struct ReadOptions {
  std::string format{};  ///< a reader's name: overrides recognition
  std::string time_column{};
  std::string power_column{};
  std::string device_column{};
  std::string phase_column{};
  std::string power_unit{};                     ///< "W", "mW", "kW"; "J", "mJ" where power comes from a counter
  std::string time_unit{};                      ///< "s", "ms", "us", "ns": of a numeric clock
  std::string decimal{};                        ///< "," or ".": what stands before the decimals of its numbers
  std::string date_order{};                     ///< "dmy" or "mdy": of dates such as 05/01/2025
  std::optional<Nanos> period{};                ///< for a log without a clock
  std::optional<std::int64_t> start_unix_ns{};  ///< wall clock of its first row
  std::optional<int> devices{};                 ///< rows a poll, where only row order tells devices apart
  bool keep_zeros = false;                      ///< 0 W is a reading, not a failed poll
  int threads = 1;       ///< at most so many, for large tables; what is read does not depend on it
  bool lenient = false;  ///< read on with more than 5 % damaged rows
};

/// Reads a file (plain, gzip or zstd by content; "-" is standard input).
/// Errors: environment (missing, no permission), bad_input (directory, unknown format, damage over 5 %, nothing
/// readable), usage (an option that does not fit the file). Each says where and what to do.
[[nodiscard]] Result<Trace> read_file(const std::string& path, const ReadOptions& options, const FsRoot& root = {});

/// The same from memory: tests and fuzz targets. `name` stands for the file in messages. May be compressed.
[[nodiscard]] Result<Trace> read_memory(std::string_view content, const std::string& name, const ReadOptions& options);

/// Names and one-line summaries of all readers, for --help and docs.
struct ReaderInfo {
  std::string_view name;
  std::string_view summary;
};
[[nodiscard]] std::vector<ReaderInfo> readers();

}  // namespace wattrein::trace
