#pragma once
// Errors are values (std::expected) and are written for people: what was wrong, where, and what to do.

#include <expected>
#include <string>
#include <utility>

namespace wattrein {

/// Closed set; each kind has one exit code (exit_code()). Programming errors are not here: WATTREIN_CHECK.
enum class ErrorKind {
  usage,        ///< a flag or argument that cannot be: exit 2
  bad_input,    ///< a file or stream whose content cannot be used: exit 3
  environment,  ///< the machine said no (permission, missing file, full disk): exit 4
};

struct Error {
  ErrorKind kind = ErrorKind::bad_input;
  std::string where;  ///< "power.csv:12", "--limit", "GPU 3"; may be empty
  std::string what;   ///< one sentence, no trailing newline
  std::string cure;   ///< what to do about it; may be empty

  /// "where: what\n  cure", for a terminal.
  [[nodiscard]] std::string message() const;
};

[[nodiscard]] int exit_code(ErrorKind kind);

template <class T>
using Result = std::expected<T, Error>;

[[nodiscard]] inline std::unexpected<Error> fail(ErrorKind kind, std::string where, std::string what,
                                                 std::string cure = {}) {
  return std::unexpected(Error{kind, std::move(where), std::move(what), std::move(cure)});
}

}  // namespace wattrein
