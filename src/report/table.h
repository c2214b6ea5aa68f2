#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattrein::report {

/// A plain text table: columns as wide as their widest cell, two blanks between them. ASCII cells.
class TextTable {
 public:
  enum class Align : unsigned char { left, right };
  struct Column {
    std::string header;
    Align align = Align::right;
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// Missing cells at the end stay blank.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text(std::size_t indent) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// `text` broken at blanks so that no line is longer than `width`; the first line starts with `first`, the
/// others with as many blanks.
[[nodiscard]] std::string wrap(std::string_view text, std::string_view first, std::size_t width = 80);

}  // namespace wattrein::report
