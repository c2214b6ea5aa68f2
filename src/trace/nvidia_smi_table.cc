// The table that plain nvidia-smi prints, once or in a loop (nvidia-smi -l 1; while true; do nvidia-smi; ...).
// Two lines a GPU in both layouts (until and since 530): number, name, bus id; then fan, temperature, state and
// "Pwr:Usage/Cap". Whole watts, and a stamp of whole seconds in front.

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/text.h"
#include "trace/builder.h"
#include "trace/nvidia_smi.h"
#include "trace/option_fit.h"
#include "trace/poll_log.h"
#include "trace/reader.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::string_view kName = "nvidia-smi-table";

/// "00000000:1B:00.0" at the start of a cell.
bool starts_with_bus_id(std::string_view cell) {
  const std::string_view id = cell.substr(0, cell.find(' '));
  return id.size() >= 10 && id.size() <= 16 && id[id.size() - 2] == '.' && std::ranges::count(id, ':') == 2 &&
         id.find_first_not_of("0123456789abcdefABCDEF:.") == std::string_view::npos;
}

void split_row(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  line = trim(line);
  if (!line.starts_with('|')) return;
  split_cells(line.substr(1), '|', cells);
  if (!cells.empty() && cells.back().empty()) cells.pop_back();  // behind the last bar
}

/// "  0  NVIDIA H100 80GB HBM3          On": number, name, persistence mode or driver model.
struct Named {
  std::string_view number;
  std::string_view model;
};
std::optional<Named> named_gpu(const std::vector<std::string_view>& cells) {
  if (cells.size() < 3 || !starts_with_bus_id(cells[1])) return std::nullopt;
  const std::string_view cell = cells[0];
  const std::size_t end = cell.find(' ');
  const std::string_view number = cell.substr(0, end);
  if (!parse_int(number) || end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trim(cell.substr(end));
  const std::size_t last = rest.find_last_of(' ');
  return Named{number, last == std::string_view::npos ? rest : trim(rest.substr(0, last))};
}

/// "71W / 400W" at the end of the second line's first cell.
struct Draw {
  Reading power;
  Reading limit;
};
std::optional<Draw> draw_of(const std::vector<std::string_view>& cells) {
  if (cells.size() < 3) return std::nullopt;
  const std::size_t slash = cells[0].rfind('/');
  if (slash == std::string_view::npos) return std::nullopt;
  std::string_view before = trim(cells[0].substr(0, slash));
  std::string_view after = trim(cells[0].substr(slash + 1));
  if (after == "A" && before.ends_with('N')) {  // the slash of a limit that is "N/A"
    after = "N/A";
    before = trim(before.substr(0, before.size() - 1));
    if (!before.ends_with('/')) return std::nullopt;
    before = trim(before.substr(0, before.size() - 1));
  }
  const std::size_t blank = before.find_last_of(" \t");
  if (blank != std::string_view::npos) before = before.substr(blank + 1);
  if (before == "Error]" || before == "Error") before = "N/A";  // "[Unknown Error]"
  return Draw{read_power(before, {}), read_power(after, {})};
}

class SmiTable {
 public:
  SmiTable(Input& input, const ReadOptions& options)
      : input_(input),
        builder_(input.name(), std::string(kName)),
        polls_(builder_, input, options),
        options_(options) {}

  Result<Trace> read();

 private:
  void read_line(std::string_view line);
  void read_draw(const Draw& draw);
  void give_up_gpu();

  Input& input_;
  Builder builder_;
  PollLog polls_;
  const ReadOptions& options_;
  std::vector<std::string_view> cells_;
  std::optional<std::size_t> open_;  ///< the GPU whose second line comes next
  std::string open_place_;
  std::int64_t tables_ = 0;
  std::int64_t gpus_ = 0;
};

/// A GPU whose second line did not come.
void SmiTable::give_up_gpu() {
  if (!open_) return;
  open_.reset();
  builder_.damaged(open_place_, "the line with this GPU's power is missing");
}

void SmiTable::read_draw(const Draw& draw) {
  if (!open_) return;
  const std::size_t device = *open_;
  open_.reset();
  if (draw.power.kind == Reading::Kind::unreadable) {
    return builder_.damaged(input_.place(), "its power is no number of watts");
  }
  polls_.row(device, draw.power.kind == Reading::Kind::value ? draw.power.value : kUnknown);
  if (draw.limit.kind != Reading::Kind::value) return;
  polls_.set(Column::limit_w, draw.limit.value);
  auto& nameplate = builder_.series(device).device.nameplate;
  nameplate = std::max(nameplate.value_or(Watts(0)), Watts(draw.limit.value));
}

void SmiTable::read_line(std::string_view line) {
  const std::string_view text = trim(line);
  if (text.empty()) return;
  if (!text.starts_with('|') && !text.starts_with('+')) {
    give_up_gpu();
    if (!polls_.stamp(text)) ++builder_.understanding().other_lines;
    return;
  }
  split_row(text, cells_);
  if (const auto gpu = named_gpu(cells_)) {
    give_up_gpu();
    ++gpus_;
    open_ = builder_.device(gpu->number);
    open_place_ = input_.place();
    Device& device = builder_.series(*open_).device;
    if (device.model.empty()) device.model = printable(gpu->model, 80);
    return;
  }
  if (open_) {
    if (const auto draw = draw_of(cells_)) return read_draw(*draw);
    give_up_gpu();
  } else if (const auto draw = draw_of(cells_); draw && draw->power.kind == Reading::Kind::value) {
    builder_.damaged(input_.place(), "a power whose GPU's line is missing");
  }
  if (text.find("NVIDIA-SMI") == std::string_view::npos) return;
  if (tables_++ > 0) ++builder_.understanding().repeated_headers;
  polls_.next_poll();
}

Result<Trace> SmiTable::read() {
  if (auto fit = check_column_options(options_, {}, kName, input_); !fit) return std::unexpected(fit.error());
  std::string_view line;
  bool cut = false;
  while (input_.next_line(line)) {
    cut = input_.last_line_torn() && !trim(line).ends_with('+');
    if (cut) break;  // digits may be missing
    read_line(line);
  }
  if (open_ || cut) builder_.note("The last table was cut while it was written.");
  if (gpus_ == 0) {
    return fail(ErrorKind::bad_input, input_.name(), "there is no line of a GPU with its bus id in it",
                "Record the whole table that nvidia-smi prints, or better "
                "`nvidia-smi --query-gpu=timestamp,index,power.draw --format=csv -l 1`.");
  }
  Understanding& u = builder_.understanding();
  u.power = "the cell under Pwr:Usage/Cap [W]";
  u.devices = "number in the table";
  builder_.note("nvidia-smi's table has whole watts and whole seconds: a reading is known to half a watt.");
  if (auto placed = polls_.close(); !placed) return std::unexpected(placed.error());
  auto trace = builder_.finish(input_, options_);
  if (!trace) return trace;
  for (Series& s : trace->series) s.device.meter = meter_of_model(s.device.model);
  return trace;
}

Match recognise(std::string_view head) {
  return head.find("| NVIDIA-SMI ") != std::string_view::npos && head.find("Pwr:Usage/Cap") != std::string_view::npos
             ? Match::sure
             : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) { return SmiTable(input, options).read(); }

}  // namespace

extern const Reader kNvidiaSmiTable;
const Reader kNvidiaSmiTable{
    .name = kName,
    .summary = "the table that plain nvidia-smi prints, once or in a loop",
    .looks_for = "a table headed NVIDIA-SMI with Pwr:Usage/Cap",
    .recognise = recognise,
    .read = read,
};

}  // namespace wattrein::trace
