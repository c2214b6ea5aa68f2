#pragma once
// The shared look: the page around a report's sections, and tables.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/html.h"

namespace wattrein::report::html {

struct Title {
  std::string_view document;  ///< in the window's frame; plain text
  std::string_view heading;   ///< over the page; plain text
};

/// One whole document. `lead` and `body` are HTML.
[[nodiscard]] std::string page(const Title& title, std::string_view lead, std::string_view body,
                               const ReportMeta& meta);

/// A table with a caption (plain text), scoped headers and its own horizontal scroll. Cells and headers are HTML.
class Table {
 public:
  struct Column {
    std::string header;
    bool text = false;  ///< left-aligned; figures are right-aligned
    bool wrap = false;  ///< sentences, which may take several lines
  };
  explicit Table(std::string caption, std::vector<Column> columns)
      : caption_(std::move(caption)), columns_(std::move(columns)) {}
  /// As many cells as columns; the first heads its row.
  void row(const std::vector<std::string>& cells, std::string_view css_class = {});
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string html() const;

 private:
  std::string caption_;
  std::vector<Column> columns_;
  std::string rows_;
};

/// A list of label and value pairs, both HTML; pairs with an empty value are left out.
[[nodiscard]] std::string facts(const std::vector<std::pair<std::string, std::string>>& pairs);
[[nodiscard]] std::string list(const std::vector<std::string>& items_text);  ///< escapes its items
/// A word with a colour behind it; the word alone says it. `kind`: bad, good, open, note.
[[nodiscard]] std::string chip(std::string_view kind, std::string_view text);

}  // namespace wattrein::report::html
