#pragma once
// Bytes in, lines of UTF-8 out: plain, gzip or zstd, UTF-16 or not, told apart by content; file, standard input or
// memory.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fs_root.h"

namespace wattrein::trace {

/// A decompressed stream of lines, read once from front to back in bounded memory.
/// Threads: one. Errors found while reading (damaged gzip, I/O) end the stream and are in error().
class Input {
 public:
  /// "-" is standard input. Errors: environment (missing, no permission), bad_input (directory, empty, empty archive).
  [[nodiscard]] static Result<Input> open(const std::string& path, const FsRoot& root);
  /// `content` must outlive the input.
  [[nodiscard]] static Result<Input> from_memory(std::string_view content, std::string name);

  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;
  ~Input();

  [[nodiscard]] const std::string& name() const;  ///< as in messages: the path, or "standard input"
  /// The first 64 KiB, for recognition; does not move the stream.
  [[nodiscard]] std::string_view head() const;
  /// The next line without its end ("\n" or "\r\n"; "\r" where the head has it alone), valid until the next call. False
  /// at the end. A line longer than 1 MiB comes cut to that, with line_cut() true. Bytes of 8-bit encodings other than
  /// UTF-8 pass unchanged: printable() makes them fit for messages. NULs are left out, and lines that a run of them
  /// cuts.
  bool next_line(std::string_view& line);
  /// Whole lines, with their ends, that come next: about `bytes` of them, valid until the next call of any kind. They
  /// are still to be read: by skip(), or one by one. Empty where lines are not simply set apart by "\n", and at the
  /// end.
  [[nodiscard]] std::string_view peek_lines(std::size_t bytes);
  /// Passes over what peek_lines() gave, or its first lines.
  void skip(std::size_t bytes, std::int64_t lines);
  [[nodiscard]] std::int64_t line_number() const;  ///< of the last line returned, from 1
  [[nodiscard]] bool line_cut() const;
  /// The last line had no end: the file may have been cut while it was written.
  [[nodiscard]] bool last_line_torn() const;
  /// Everything that is left. Errors: bad_input beyond `max_bytes`.
  [[nodiscard]] Result<std::string> read_all(std::size_t max_bytes);
  /// Bytes of text in all, where they are known: a plain file or memory.
  [[nodiscard]] std::optional<std::int64_t> size() const;
  /// Set when the stream ended early; what was read before is good.
  [[nodiscard]] const Error* error() const;

  /// What was found out about the encoding and done about it, a sentence each; complete at the end of the stream.
  [[nodiscard]] std::vector<std::string> encoding_notes() const;

  /// "file:line" of the last line returned.
  [[nodiscard]] std::string place() const;

 private:
  struct State;
  explicit Input(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace wattrein::trace
