#include "report/table.h"

#include <algorithm>

namespace wattrein::report {

namespace {

void append_line(std::string& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out += line;
  out += '\n';
}

}  // namespace

std::string TextTable::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(column.header.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  const auto line = [&](const auto& cell_of) {
    std::string out(indent, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_of(i);
      const std::string pad(widths[i] - cell.size(), ' ');
      if (i > 0) out += "  ";
      out += columns_[i].align == Align::right ? pad + cell : cell + pad;
    }
    return out;
  };
  static const std::string kBlank;
  std::string out;
  append_line(out, line([&](std::size_t i) -> const std::string& { return columns_[i].header; }));
  for (const auto& row : rows_) {
    append_line(out, line([&](std::size_t i) -> const std::string& { return i < row.size() ? row[i] : kBlank; }));
  }
  return out;
}

std::string wrap(std::string_view text, std::string_view first, std::size_t width) {
  std::string out(first);
  const std::string indent(first.size(), ' ');
  std::size_t column = first.size();
  bool line_start = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line_start && column + 1 + word.size() > width) {
      out += '\n' + indent;
      column = indent.size();
      line_start = true;
    }
    if (!line_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    line_start = false;
  }
  return out + '\n';
}

}  // namespace wattrein::report
