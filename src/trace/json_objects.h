#pragma once
// JSON print-outs that were appended to one file, with anything between them: one object at a time, in bounded memory.

#include <string>
#include <string_view>

#include "net/json.h"
#include "trace/input.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

/// Gives the outermost objects of a file, those inside an outermost array too, and the lines that are no JSON.
/// A document that was cut is told from the next one by indentation or by what stands before it.
class JsonObjects {
 public:
  enum class Item : unsigned char {
    end,
    line,      ///< text() is a line, or its rest, outside any object; blanks around it taken off
    object,    ///< text() is an object, not yet parsed
    torn,      ///< an object that was cut: by the end of the file (at_end) or by the next document
    too_long,  ///< an object beyond 16 MiB, or a line beyond 1 MiB; there is nothing to go on with
  };
  explicit JsonObjects(Input& input) : input_(input) {}

  [[nodiscard]] Item next();
  [[nodiscard]] std::string_view text() const { return text_; }
  /// The object is the first of a document: a poll begins.
  [[nodiscard]] bool first() const { return first_; }
  [[nodiscard]] bool at_end() const { return ended_ || input_.last_line_torn(); }
  [[nodiscard]] const std::string& place() const { return place_; }  ///< of the item's first line

 private:
  bool read_line();
  bool starts_anew();
  bool outside(Item& item);
  bool inside(Item& item);

  Input& input_;
  std::string_view line_;
  std::size_t at_ = 0;
  bool held_ = false;    ///< line_ holds something unread
  bool opened_ = false;  ///< line_ is at the brace that opens an object
  std::string text_;
  std::string place_;
  int depth_ = 0;
  std::size_t lines_ = 0;  ///< of the object so far
  bool indented_ = false;
  bool string_ = false;
  bool escape_ = false;
  bool array_ = false;
  bool fresh_ = true;
  bool first_ = false;
  bool ended_ = false;
};

/// Watts as vendors' tools write them: 71, "71.0", "71 W", {"value": 71, "unit": "W"}; "N/A..." is unknown.
[[nodiscard]] Reading power_of(const net::Json& value);
/// A string, or a number as text; empty for anything else.
[[nodiscard]] std::string text_of(const net::Json* value);

}  // namespace wattrein::trace
