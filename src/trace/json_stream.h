#pragma once
// JSON print-outs one behind the other, as loops write them: indented, one a line or mixed, bare or in an array, with
// anything between them. One object at a time, in bounded memory.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "net/json.h"
#include "trace/builder.h"
#include "trace/input.h"

namespace wattrein::trace {

/// Gives the outermost objects of a file, those inside an outermost array too, and the text that is no JSON.
/// A document that was cut ends where a line stands that cannot go on with it; that line is read anew.
class JsonStream {
 public:
  enum class Item : unsigned char {
    end,
    line,      ///< text() is a line outside any object, or the part of it that is; blanks around it taken off
    object,    ///< text() is an object, not yet parsed
    torn,      ///< an object that was cut: by the end of the file (at_end) or by what stands behind
    too_long,  ///< an object beyond 16 MiB, or with a line beyond 1 MiB
  };
  explicit JsonStream(Input& input) : input_(input) {}

  [[nodiscard]] Item next();
  [[nodiscard]] std::string_view text() const { return text_; }  ///< until the next call
  /// The object is the first of a document: a poll begins.
  [[nodiscard]] bool first() const { return first_; }
  [[nodiscard]] bool at_end() const { return ended_; }
  [[nodiscard]] std::int64_t line() const { return start_; }         ///< the item's first
  [[nodiscard]] const std::string& place() const { return place_; }  ///< "file:line" of that

 private:
  bool read_line();
  [[nodiscard]] bool starts_anew() const;
  bool outside(Item& item);
  bool inside(Item& item);
  Item cut();

  Input& input_;
  std::string_view line_;
  std::size_t at_ = 0;
  bool held_ = false;  ///< line_ holds something unread
  bool ended_ = false;
  int arrays_ = 0;     ///< that are open around objects
  bool fresh_ = true;  ///< no object yet in the array

  std::string text_;
  std::string place_;
  std::int64_t start_ = 0;
  bool first_ = false;
  int depth_ = 0;  ///< of brackets; above zero inside an object
  bool string_ = false;
  bool escape_ = false;
  bool lost_ = false;       ///< where the object would end can no longer be told
  bool too_long_ = false;   ///< text_ is only its begin
  std::int64_t lines_ = 0;  ///< of the object so far, blank ones aside
  bool indented_ = false;
  char last_ = '{';  ///< character of its last line that is no blank
};

/// Gives all of `stream` to its reader: each object parsed, and each text, which is text() then. An object that is
/// none, is cut, or has a key with two values is damaged. True when the last one was cut by the end of the file: that
/// one is not counted.
[[nodiscard]] bool read_json_stream(JsonStream& stream, Builder& builder,
                                    const std::function<void(const net::Json&)>& on_object,
                                    const std::function<void()>& on_text);

}  // namespace wattrein::trace
