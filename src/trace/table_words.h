#pragma once
// The words that columns of logs are called by which belong to no one tool: what a single name says.

#include <optional>
#include <span>
#include <vector>

#include "trace/table_columns.h"
#include "trace/table_layout.h"
#include "trace/table_wide.h"

namespace wattrein::trace {

[[nodiscard]] bool is_time(const ColumnName& name);
[[nodiscard]] bool is_limit(const ColumnName& name);
/// Power that is drawn: no limit, no peak, no part of the machine beside its GPUs.
[[nodiscard]] bool is_draw(const ColumnName& name);
[[nodiscard]] bool is_average(const ColumnName& name);

/// Columns, by their places: -1 or none where there is no such name.
[[nodiscard]] int find_time(std::span<const ColumnName> names);
[[nodiscard]] int find_limit(std::span<const ColumnName> names);
[[nodiscard]] int find_energy(std::span<const ColumnName> names);
/// Those that draw, averages only where there are no others.
[[nodiscard]] std::vector<int> draws(std::span<const ColumnName> names);
/// Of several, those that say more: a unit, then "instant", then "gpu" (where no other is a power of nothing named).
[[nodiscard]] std::vector<int> narrowed(std::span<const ColumnName> names, std::vector<int> found);
/// Cumulative energy counters.
[[nodiscard]] std::vector<int> energies(std::span<const ColumnName> names);
/// The one family of columns that stands for devices. Several that are equally good make none.
[[nodiscard]] std::optional<ColumnFamily> device_family(std::span<const ColumnName> names,
                                                        std::span<const int> columns);
/// What may name the device of a row, the best first.
[[nodiscard]] std::vector<int> device_candidates(std::span<const ColumnName> names);
/// What says which host, model, phase and instance a row is of.
void find_labels(std::span<const ColumnName> names, ColumnMap& map);

}  // namespace wattrein::trace
