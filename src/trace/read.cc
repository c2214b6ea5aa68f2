#include "trace/read.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/doubtful_readings.h"
#include "trace/input.h"
#include "trace/line_prefix.h"
#include "trace/reader.h"

namespace wattrein::trace {

namespace {

const Reader* by_name(std::string_view name) {
  for (const Reader* reader : registry()) {
    if (equal_ignoring_case(reader->name, name)) return reader;
  }
  return nullptr;
}

std::string_view first_line(std::string_view head) {
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const std::string_view line = trim(head.substr(0, end));
    if (!line.empty() || end == std::string_view::npos) return line;
    head.remove_prefix(end + 1);
  }
  return {};
}

Result<const Reader*> named_format(std::string_view format) {
  if (const Reader* reader = by_name(format)) return reader;
  std::vector<std::string_view> names;
  std::string list;
  for (const Reader* reader : registry()) {
    names.push_back(reader->name);
    list += (list.empty() ? "" : ", ") + std::string(reader->name);
  }
  const std::string_view near = nearest(format, names);
  return fail(ErrorKind::usage, "--format", fmt::format("'{}' is not a format", printable(format)),
              near.empty() ? fmt::format("The formats are {}.", list)
                           : fmt::format("Did you mean '{}'? The formats are {}.", near, list));
}

/// For a shell.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// A log whose lines another program has put something in front of, if it is known behind that.
std::optional<Error> prefixed(const Input& input) {
  const auto prefix = line_prefix(input.head());
  if (!prefix) return std::nullopt;
  const auto known = std::ranges::find_if(
      registry(), [&](const Reader* reader) { return reader->recognise(prefix->rest) == Match::sure; });
  if (known == registry().end()) return std::nullopt;
  const std::string file = shell_quoted(printable(input.name(), 200));
  std::string command = fmt::format("{} {}", prefix->strip, file);
  std::string several;
  if (!prefix->other.empty()) {
    const std::string_view first = trim(prefix->example);
    several = fmt::format(" or '{}'", printable(prefix->other, 60));
    command = fmt::format("grep -F {} {} | {}", shell_quoted(printable(first, 60)), file, prefix->strip);
  }
  std::string cure = fmt::format("Take it off: {} > bare.log{}.", command,
                                 prefix->other.empty() ? "" : ", and so for each of the others");
  if (prefix->has_stamp) cure += " If the log has no clock of its own, state --start and --period with it.";
  return Error{ErrorKind::bad_input, input.name(),
               fmt::format("every line has '{}'{} in front, put there by {}; behind that it is {}",
                           printable(prefix->example, 60), several, prefix->written_by, (*known)->name),
               std::move(cure)};
}

/// Lines of several nodes, which a reader of free text would take for one's. mllog tells them apart itself.
std::optional<Error> of_several_nodes(const Input& input, const Reader& reader) {
  if (reader.name == "mllog" || reader.recognise(input.head()) != Match::sure) return std::nullopt;
  const auto nodes = node_prefixes(input.head());
  if (!nodes || reader.recognise(nodes->rest) != Match::sure) return std::nullopt;
  const std::string file = shell_quoted(printable(input.name(), 200));
  const std::string first = printable(nodes->first, 60);
  return Error{ErrorKind::bad_input, input.name(),
               fmt::format("its lines are of several nodes, '{}' and '{}' first: read as one they would be one device",
                           first, printable(nodes->second, 60)),
               fmt::format("Split it by node and give all parts in one command: sed -E -n -e 's/^{}: ?//p;t' -e "
                           "'/^[A-Za-z0-9._-]+:( |$)/!p' {} > {}.log, and so for each of the others.",
                           first, file, first)};
}

std::unexpected<Error> unknown_format(const Input& input) {
  if (auto error = prefixed(input)) return std::unexpected(std::move(*error));
  std::string looked_for;
  for (const Reader* reader : registry()) looked_for += fmt::format("\n    {}: {}", reader->name, reader->looks_for);
  return fail(
      ErrorKind::bad_input, input.name(),
      fmt::format("the format was not recognised; the first line is\n    {}", printable(first_line(input.head()))),
      fmt::format("Name the columns with --time and --power, or the format with --format. Looked for:{}", looked_for));
}

/// Asks every reader; the only sure one, else the first that could read it.
Result<const Reader*> recognise(const Input& input, const ReadOptions& options) {
  const Reader* sure = nullptr;
  const Reader* perhaps = nullptr;
  for (const Reader* reader : registry()) {
    switch (reader->recognise(input.head())) {
      case Match::no: break;
      case Match::perhaps:
        if (perhaps == nullptr) perhaps = reader;
        break;
      case Match::sure:
        if (sure != nullptr) {
          return fail(ErrorKind::bad_input, input.name(),
                      fmt::format("it looks like {} and like {}", sure->name, reader->name),
                      fmt::format("Say which with --format {} or --format {}.", sure->name, reader->name));
        }
        sure = reader;
    }
  }
  if (sure != nullptr) return sure;
  if (perhaps != nullptr) return perhaps;
  // Named columns make any table readable.
  const bool named = !options.time_column.empty() || !options.power_column.empty();
  if (named) {
    if (const Reader* any = by_name(first_line(input.head()).starts_with('{') ? "jsonl" : "csv")) return any;
  }
  return unknown_format(input);
}

Result<Trace> read(Result<Input> input, const ReadOptions& options) {
  if (!input) return std::unexpected(input.error());
  const auto reader = options.format.empty() ? recognise(*input, options) : named_format(options.format);
  if (!reader) return std::unexpected(reader.error());
  const bool table = (*reader)->name == "csv" || (*reader)->name == "jsonl" || (*reader)->name == "nvidia-smi";
  if (!table) {
    if (auto error = of_several_nodes(*input, **reader)) return std::unexpected(std::move(*error));
  }
  auto trace = (*reader)->read(*input, options);
  if (!trace && options.format.empty() && table) {
    if (auto error = prefixed(*input)) return std::unexpected(std::move(*error));
  }
  if (trace && !options.power_unit.empty()) warn_of_unit(*trace, options.power_unit);
  return trace;
}

}  // namespace

Result<Trace> read_file(const std::string& path, const ReadOptions& options, const FsRoot& root) {
  return read(Input::open(path, root), options);
}

Result<Trace> read_memory(std::string_view content, const std::string& name, const ReadOptions& options) {
  return read(Input::from_memory(content, name), options);
}

std::vector<ReaderInfo> readers() {
  std::vector<ReaderInfo> all;
  for (const Reader* reader : registry()) all.push_back({reader->name, reader->summary});
  return all;
}

}  // namespace wattrein::trace
