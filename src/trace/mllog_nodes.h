#pragma once
// Of which node each power reading of MLPerf logs is, where the lines of several nodes stand in one file.

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "net/json.h"
#include "trace/builder.h"
#include "trace/input.h"

namespace wattrein::trace {

/// Keeps the readings of a file until it is known what tells their nodes apart: a member such as "node" of the entry or
/// of its metadata; the entry's namespace; what a launcher or grep put before the mark ("[node3:7]", "0:",
/// "power/node_0.txt:"); a heading above the lines ("==> power/node_0.txt <=="). What is used is there on every
/// reading, takes several values, and each of them again and again. Else the clock decides. Threads: one.
class NodeReadings {
 public:
  /// A line without the mark: true where it is a heading.
  bool heading(std::string_view line);
  /// `before`: what stands before the mark. Time in unix nanoseconds; power NaN where the entry gives none.
  void add(const net::Json& entry, std::string_view before, std::int64_t time_ns, double power_w, std::int64_t line);

  /// Gives all readings to `builder`, with what they were told apart by. Without any mark, a clock that goes back to
  /// times that were read already begins the log of another node, where each node's log is in one piece.
  /// Errors, bad_input: the logs of several nodes are mixed, and nothing says which reading is whose.
  [[nodiscard]] Result<void> give(Builder& builder, const Input& input);

 private:
  enum Kind : std::uint8_t { member, name_space, prefix, file, kinds };
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  struct Reading {
    std::int64_t time_ns;
    double power_w;
    std::int64_t line;
    std::array<std::uint32_t, kinds> mark;
  };
  struct Marks {
    std::vector<std::string> names;
    std::unordered_map<std::string, std::uint32_t> index;
    bool everywhere = true;
  };
  struct Run;

  std::uint32_t mark(Kind kind, std::string_view name);
  [[nodiscard]] bool tells(Kind kind) const;
  void give_by_mark(Builder& builder, Kind kind) const;
  Result<void> give_by_clock(Builder& builder, const Input& input) const;
  [[nodiscard]] std::vector<std::int64_t> steps() const;
  [[nodiscard]] bool is_mixed() const;
  [[nodiscard]] std::vector<Run> runs() const;
  [[nodiscard]] bool same_log(const Run& a, const Run& b) const;
  [[nodiscard]] std::unexpected<Error> nothing_tells(const Input& input, const std::string& how) const;

  std::vector<Reading> readings_;
  std::array<Marks, kinds> marks_;
  std::uint32_t file_ = kNone;  ///< of the last heading
};

}  // namespace wattrein::trace
