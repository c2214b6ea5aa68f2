#include "cli/join_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"
#include "cli/output.h"

namespace wattrein::cli {

namespace {

using trace::Join;

constexpr std::array<std::pair<std::string_view, Join>, 5> kModes{{{"auto", Join::automatic},
                                                                   {"clock", Join::clock},
                                                                   {"same-start", Join::same_start},
                                                                   {"append", Join::append},
                                                                   {"no", Join::none}}};

/// "+1.5s", "-2h", "0s".
Result<Nanos> signed_duration(std::string_view text, std::string_view whole) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  constexpr std::array<std::string_view, 5> kZero{"0", "0s", "0ms", "0min", "0h"};
  if (std::ranges::find(kZero, text) != kZero.end()) return Nanos(0);
  auto value = parse_duration(text, fmt::format("--offset {}", printable(whole)));
  if (!value) return std::unexpected(value.error());
  return negative ? -*value : *value;
}

/// The file that an --offset means: its place as #2, or its name as given.
Result<std::size_t> file_of(std::string_view name, const std::vector<std::string>& files) {
  const auto number = name.starts_with('#') ? parse_int(name.substr(1)) : std::nullopt;
  if (number && *number >= 1 && static_cast<std::size_t>(*number) <= files.size()) {
    return static_cast<std::size_t>(*number) - 1;
  }
  const auto at = std::ranges::find(files, name);
  if (at == files.end()) {
    return fail(ErrorKind::usage, "--offset", fmt::format("'{}' is none of the files", printable(name)),
                "Give the file as it stands on the command line, or its place, as in '#2=+1.5s'.");
  }
  if (std::ranges::count(files, name) > 1) {
    return fail(ErrorKind::usage, "--offset", fmt::format("'{}' is given more than once", printable(name)),
                "Give its place among the files, as in '#2=+1.5s'.");
  }
  return static_cast<std::size_t>(at - files.begin());
}

}  // namespace

void JoinFlags::add(CLI::App& command) {
  const std::string group = "Several files";
  std::vector<std::string> names;
  names.reserve(kModes.size());
  for (const auto& [name, mode] : kModes) names.emplace_back(name);
  command
      .add_option("--join", mode_,
                  "auto (one trace of what overlaps in time or continues a device, and is alike), clock (all, by their "
                  "clocks), same-start (all began together), append (one behind the other), or no")
      ->check(CLI::IsMember(names))
      ->group(group);
  command
      .add_option(
          "--offset", offsets_,
          "Shift a file's clock: FILE=+1.5s, or '#2=-2h' for the second file; without a clock it begins so long "
          "after the earliest that has one; may be repeated")
      ->take_all()
      ->group(group);
}

Result<trace::JoinOptions> JoinFlags::options(const std::vector<std::string>& files) const {
  trace::JoinOptions options;
  options.mode = std::ranges::find(kModes, mode_, [](const auto& m) { return m.first; })->second;
  options.offsets.resize(files.size());
  for (const std::string& text : offsets_) {
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorKind::usage, "--offset", fmt::format("'{}' names no file", printable(text)),
                  "Write it as in node2.csv=+1.5s, or '#2=+1.5s' for the second file.");
    }
    const auto file = file_of(text.substr(0, equals), files);
    if (!file) return std::unexpected(file.error());
    const auto offset = signed_duration(text.substr(equals + 1), text);
    if (!offset) return std::unexpected(offset.error());
    if (options.offsets[*file]) {
      return fail(ErrorKind::usage, "--offset", fmt::format("'{}' has two offsets", printable(files[*file])),
                  "Give one for each file.");
    }
    options.offsets[*file] = *offset;
  }
  return options;
}

Result<ReadFiles> read_and_join(Context& context, const ReadFlags& read, trace::JoinOptions join,
                                const std::vector<std::string>& files) {
  ReadFiles out;
  std::vector<std::optional<Nanos>> offsets;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < files.size(); ++i) {
    // Of files one behind the other, --start is the first one's.
    auto trace = read.read(context, files[i], join.mode != Join::append || i == 0);
    if (!trace) {
      complain(context, trace.error());
      missing.push_back(fmt::format("{} could not be read: it is missing here.", printable(files[i], 200)));
      continue;
    }
    out.traces.push_back(std::move(*trace));
    offsets.push_back(join.offsets[i]);
  }
  out.all_read = missing.empty();
  const bool together = join.mode != Join::none;
  join.offsets = std::move(offsets);
  auto joined = trace::join(std::move(out.traces), join);
  if (!joined) return std::unexpected(joined.error());
  out.traces = std::move(*joined);
  if (missing.empty() || !together) return out;
  for (trace::Trace& trace : out.traces) {
    std::vector<std::string>& warnings = trace.understanding.warnings;
    warnings.insert(warnings.end(), missing.begin(), missing.end());
    trace.understanding.unread_files = std::ssize(missing);
  }
  return out;
}

}  // namespace wattrein::cli
