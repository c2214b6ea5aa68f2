#include "trace/table_fixed.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "trace/option_fit.h"
#include "trace/table.h"

namespace wattrein::trace {

Match FixedTable::recognise(std::string_view head) const {
  const auto layout = find_layout(head, score, delimiter);
  return layout && score(layout->names) > 0 ? Match::sure : Match::no;
}

Result<Layout> FixedTable::layout(const Input& input) const {
  auto layout = find_layout(input.head(), score, delimiter);
  if (layout && score(layout->names) > 0) return std::move(*layout);
  return fail(ErrorKind::bad_input, input.name(), fmt::format("there is no header {}", header), std::string(cure));
}

int exact_column(const Layout& layout, std::string_view text) {
  const auto at = std::ranges::find_if(layout.names,
                                       [text](const ColumnName& name) { return equal_ignoring_case(name.text, text); });
  return at == layout.names.end() ? -1 : static_cast<int>(at - layout.names.begin());
}

int based_column(const Layout& layout, std::string_view base) {
  const auto at = std::ranges::find(layout.names, base, &ColumnName::base);
  return at == layout.names.end() ? -1 : static_cast<int>(at - layout.names.begin());
}

void take_one_device(ColumnMap& map, int column, double scale) {
  map.power = column;
  map.power_scale = scale;
  map.wide.assign(1, {});
  map.wide[0].name = "0";
  map.wide[0].power = column;
  map.wide[0].power_scale = scale;
}

Result<Trace> read_fixed(Input& input, const Layout& layout, ColumnMap map, const ReadOptions& options,
                         std::string_view format) {
  const ColumnOptions usable{.time = true, .power = true, .phase = true};
  if (const auto fit = check_column_options(options, usable, format, input); !fit) return std::unexpected(fit.error());
  if (const auto applied = apply_options(layout, options, input, map); !applied)
    return std::unexpected(applied.error());
  if (map.wide.empty()) take_one_device(map, map.power, map.power_scale.value_or(1.0));
  if (const auto fit = check_map(layout, map, options, input); !fit) return std::unexpected(fit.error());
  return read_lines(input, layout, map, options, format);
}

}  // namespace wattrein::trace
