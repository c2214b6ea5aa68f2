// Lines into a table: block by block where rows are plain, else one by one.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "base/parallel.h"
#include "base/text.h"
#include "trace/plain_rows.h"
#include "trace/table.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kFirstLines = 300;  // one by one: devices and their clock become known
constexpr std::size_t kBlockBytes = std::size_t{256} << 10;
constexpr std::size_t kBlocksAThread = 4;                  // so that a thread which others hold up is not waited for
constexpr std::size_t kMostBytes = std::size_t{16} << 20;  // of all blocks together, on a machine with many threads
constexpr int kMostRefusals = 3;                           // blocks in a row that were not plain: none will be

/// Blocks of plain rows, taken apart on several threads and put into the table in the file's order.
class PlainReader {
 public:
  PlainReader(Input& input, Table& table, const Layout& layout, const ColumnMap& map, int threads)
      : input_(input),
        table_(table),
        threads_(std::max(1, threads)),
        blocks_(static_cast<std::size_t>(threads_) * kBlocksAThread) {
    rows_ = PlainRows::of(layout, map, table.formats());
  }

  /// Reads on as far as rows are plain.
  void read_on() {
    while (rows_ && lines_left_ <= 0 && table_.takes_plain_rows() && read_block()) {}
  }
  /// To be called for every line that is read alone.
  void count_line() { --lines_left_; }

 private:
  bool read_block() {
    const std::string_view text = input_.peek_lines(std::min(kBlockBytes * blocks_.size(), kMostBytes));
    if (text.empty()) {
      rows_.reset();
      return false;
    }
    const std::vector<std::string_view> parts = cut(text);
    std::vector<char> plain(parts.size(), 0);
    parallel_for(parts.size(), threads_,
                 [&](std::size_t i) { plain[i] = rows_->parse(parts[i], table_.keys(), blocks_[i]) ? 1 : 0; });
    const auto good = static_cast<std::size_t>(std::ranges::find(plain, 0) - plain.begin());
    if (good > 0) {
      if (!expected_) expect(parts[0], blocks_[0].lines);
      table_.take(std::span(blocks_).first(good));
      for (std::size_t i = 0; i < good; ++i) input_.skip(parts[i].size(), blocks_[i].lines);
      refusals_ = 0;
    }
    if (good == parts.size()) return true;
    lines_left_ = std::ranges::count(parts[good], '\n');
    if (++refusals_ == kMostRefusals) rows_.reset();
    return false;
  }

  /// From the first plain part, how many rows the file will have.
  void expect(std::string_view part, std::int64_t lines) {
    expected_ = true;
    const auto bytes = input_.size();
    if (!bytes || lines == 0) return;
    const double rows = static_cast<double>(*bytes) / static_cast<double>(part.size()) * static_cast<double>(lines);
    table_.expect(static_cast<std::size_t>(rows * 1.02) + 1);
  }

  /// Into as many parts as there are blocks, at ends of lines.
  [[nodiscard]] std::vector<std::string_view> cut(std::string_view text) const {
    std::vector<std::string_view> parts;
    for (std::size_t left = blocks_.size(); left > 1 && !text.empty(); --left) {
      const std::size_t end = text.find('\n', text.size() / left);
      if (end == std::string_view::npos) break;
      parts.push_back(text.substr(0, end + 1));
      text.remove_prefix(end + 1);
    }
    if (!text.empty()) parts.push_back(text);
    return parts;
  }

  Input& input_;
  Table& table_;
  std::optional<PlainRows> rows_;
  int threads_;
  std::vector<PlainBlock> blocks_;
  std::int64_t lines_left_ = kFirstLines;
  int refusals_ = 0;
  bool expected_ = false;
};

}  // namespace

Result<Trace> read_lines(Input& input, const Layout& layout, const ColumnMap& map, const ReadOptions& options,
                         std::string_view format) {
  Table table(layout, map, options, input, format);
  table.rows_are_lines();
  std::vector<std::string_view> cells;
  std::string_view line;
  bool header_seen = false;
  PlainReader plain(input, table, layout, map, options.threads);
  while (plain.read_on(), input.next_line(line)) {
    plain.count_line();
    if (layout.has_header() && line.size() >= layout.header.size() && trim(line) == layout.header) {
      if (header_seen) table.repeated_header();
      header_seen = true;
      continue;
    }
    if (trim(line).empty()) continue;
    if (input.line_cut()) {
      table.other_line();
      table.builder().note(fmt::format("{}: a line longer than 1 MiB was passed over.", input.place()));
      continue;
    }
    split_cells(line, layout.delimiter, cells);
    if (const auto read = table.row(cells); !read) return std::unexpected(read.error());
  }
  return table.finish();
}

}  // namespace wattrein::trace
