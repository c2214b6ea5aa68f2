// The end of a table: readings of rows that were cut in mid-file are taken out again, and counted as damage.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/table.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kLeastOfOthers = 3;  // rows

/// Takes out the places `rows` (in order) of a column that may end before the last of them.
template <class T>
void erase_at(std::vector<T>& values, std::span<const std::size_t> rows) {
  std::size_t next = 0;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (next < rows.size() && rows[next] == i) {
      ++next;
    } else {
      values[kept++] = values[i];
    }
  }
  values.resize(kept);
}

}  // namespace

void Table::doubt_last(std::size_t device, std::size_t row, Cells cells, CutRows::Doubt doubt) {
  if (doubt == CutRows::Doubt::none) return;
  cuts_->suspect({.device = device,
                  .row = row,
                  .line = input_.line_number(),
                  .width = static_cast<std::uint32_t>(cells.size()),
                  .doubt = doubt});
}

void Table::remove_rows(std::size_t device, std::span<const std::size_t> rows) {
  Series& s = builder_.series(device);
  Understanding& u = builder_.understanding();
  u.rows -= static_cast<std::int64_t>(rows.size());
  erase_at(s.time_ns, rows);
  erase_at(s.power_w, rows);
  erase_at(s.phase, rows);
  for (auto& column : s.columns) erase_at(column, rows);
  s.duplicate_stamps = 0;
  s.backward_stamps = 0;
  for (std::size_t i = 1; i < s.size(); ++i) {
    s.duplicate_stamps += s.time_ns[i] == s.time_ns[i - 1] ? 1 : 0;
    s.backward_stamps += s.time_ns[i] < s.time_ns[i - 1] ? 1 : 0;
  }
}

void Table::leave_out_cut_rows() {
  if (!cuts_) return;
  std::vector<std::vector<std::size_t>> of_device(builder_.device_count());
  for (const CutRows::Suspect& s : cuts_->cut([this](std::size_t d) { return builder_.series(d).size(); })) {
    builder_.damaged(fmt::format("{}:{}", input_.name(), s.line), cuts_->reason(s));
    if (s.device == CutRows::kNoDevice) {
      ordered_[s.row].readable = false;
    } else {
      of_device[s.device].push_back(s.row);
    }
  }
  for (std::size_t d = 0; d < of_device.size(); ++d) {
    if (!of_device[d].empty()) remove_rows(d, of_device[d]);
  }
  if (by_order_ || !map_.wide.empty()) return;
  // "GPU-7f" of "GPU-7f03c2", where lines end in the device's name; "00" of a line that was cut behind its "0", and of
  // the next, which begins with one.
  const auto is_first = [](int column) { return column == 0; };
  const auto is_last = [this](int column) { return column >= 0 && column + 1 == static_cast<int>(usual_cells_); };
  const bool may_be_cut = is_last(map_.device);
  const bool may_be_two = is_first(map_.host >= 0 ? map_.host : map_.device);
  if (!may_be_cut && !may_be_two) return;
  for (std::size_t d = 0; d < keys_.size(); ++d) {
    if (builder_.series(d).size() != 1) continue;
    const std::string& key = keys_[d];
    const bool is_piece = std::ranges::any_of(keys_, [&](const std::string& other) {
      const auto at = static_cast<std::size_t>(&other - keys_.data());
      if (builder_.series(at).size() < kLeastOfOthers) return false;
      if (may_be_cut && other.size() > key.size() && other.starts_with(key)) return true;
      return may_be_two && key.size() > other.size() && key.ends_with(other) &&
             std::ranges::any_of(keys_, [&](const std::string& k) {
               return k.starts_with(std::string_view(key).substr(0, key.size() - other.size()));
             });
    });
    if (!is_piece) continue;
    builder_.damaged(input_.name(), fmt::format("a row is cut: its device '{}' comes once, and is a piece of others'",
                                                printable(key, 60)));
    remove_rows(d, std::vector<std::size_t>{0});
  }
}

}  // namespace wattrein::trace
