#pragma once
// JSON documents one behind the other, as loops with curl or jq write them: indented, one a line, or mixed.

#include <cstdint>
#include <string>
#include <string_view>

#include "trace/input.h"

namespace wattrein::trace {

/// Cuts a stream into documents by their brackets. A line that starts with '{' where a document that started so too
/// is still open begins anew: the one before was torn, and is handed out as it is. Memory: one document, 8 MiB at most.
class JsonStream {
 public:
  explicit JsonStream(Input& input) : input_(input) {}

  /// False at the end. The texts live until the next call.
  bool next();
  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] std::int64_t line() const { return line_; }          ///< where it begins
  [[nodiscard]] std::string_view before() const { return before_; }  ///< text between it and the one before, trimmed
  [[nodiscard]] bool too_long() const { return too_long_; }          ///< text() is its first 8 MiB
  [[nodiscard]] bool torn() const { return torn_; }                  ///< the stream ended within a document

 private:
  bool take_line();
  std::size_t scan(std::string_view part);

  Input& input_;
  std::string rest_;  ///< of the line, behind the document handed out
  std::size_t rest_at_ = 0;
  bool have_line_ = false;
  bool at_line_start_ = false;

  std::string text_;
  std::string before_;
  std::string between_;
  std::int64_t line_ = 0;
  bool from_line_start_ = false;
  int depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool too_long_ = false;
  bool torn_ = false;
};

}  // namespace wattrein::trace
