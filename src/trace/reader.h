#pragma once
// What a reader is: one file with a `const Reader kXxx`, and one line in registry.cc.

#include <span>
#include <string_view>

#include "base/error.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// How surely a reader knows its format from the first 64 KiB.
enum class Match : unsigned char {
  no,
  perhaps,  ///< readable, if nobody is surer: any table with a time and a power column
  sure,     ///< carries the format's own marks
};

struct Reader {
  std::string_view name;       ///< for --format
  std::string_view summary;    ///< one line: which tool writes it
  std::string_view looks_for;  ///< what recognition looks for, for the message that nothing was recognised
  Match (*recognise)(std::string_view head);
  Result<Trace> (*read)(Input& input, const ReadOptions& options);
};

/// All readers in the order in which they are asked.
[[nodiscard]] std::span<const Reader* const> registry();

}  // namespace wattrein::trace
