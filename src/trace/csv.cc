// Any CSV or TSV whose columns are named by the user, or called what such columns are usually called.
#include "trace/reader.h"
#include "trace/table.h"
#include "trace/table_vocabulary.h"

namespace wattrein::trace {

namespace {

constexpr std::string_view kName = "csv";

HeaderScore scorer(const ReadOptions& options) {
  return [&options](std::span<const ColumnName> names) {
    return vocabulary_score(names) + 10 * named_by_options(names, options);
  };
}

Match recognise(std::string_view head) {
  if (are_json_lines(head)) return Match::no;
  const ReadOptions none;
  const auto layout = find_layout(head, scorer(none));
  return layout && vocabulary_suffices(layout->names) ? Match::perhaps : Match::no;
}

Result<Trace> read(Input& input, const ReadOptions& options) {
  const auto layout = find_layout(input.head(), scorer(options));
  if (!layout) return fail(ErrorKind::bad_input, input.name(), "it holds no line", "Check the program that writes it.");
  const auto map = map_columns(*layout, options, input);
  if (!map) return std::unexpected(map.error());
  return read_lines(input, *layout, *map, options, kName);
}

}  // namespace

extern const Reader kCsv;
const Reader kCsv{
    .name = kName,
    .summary = "any CSV or TSV with time and power columns, by usual names or --time, --power, --device, --phase",
    .looks_for = "a header with a time column and a power column (power_w, 'Power (W)', Watts, ...)",
    .recognise = recognise,
    .read = read};

}  // namespace wattrein::trace
