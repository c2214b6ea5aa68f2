#pragma once
// What other programs put in front of every line: journald, kubectl, docker compose, ts, pdsh.

#include <optional>
#include <string>
#include <string_view>

namespace wattrein::trace {

struct LinePrefix {
  std::string example{};  ///< in front of the first line
  std::string other{};    ///< another one, where they name hosts or containers that differ
  std::string written_by{};
  std::string strip{};  ///< the command that takes it off, to be followed by the file's name
  bool has_stamp = false;
  std::string rest{};  ///< `head` without it
};

/// Nothing unless every line of `head`, the start of a file, has one; its last line may be cut.
[[nodiscard]] std::optional<LinePrefix> line_prefix(std::string_view head);

/// The lines of several nodes in one file, each behind its node's name as pdsh and clush put it; lines without one may
/// stand between them, as the stamps of a loop do, but not more than every other line. `rest` is without the names.
struct NodePrefixes {
  std::string first{};
  std::string second{};
  std::string rest{};
};
[[nodiscard]] std::optional<NodePrefixes> node_prefixes(std::string_view head);

}  // namespace wattrein::trace
