#pragma once
// An index says which place a GPU has on its host, and changes with a reboot; its uuid stays. Where a table has both,
// devices are told apart by the uuid and called by the index.

#include <string>
#include <vector>

#include "trace/table_columns.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// Makes the column of uuids (or of serial numbers) the device of `map` and its former one what devices are called by
/// (ColumnMap::shown), where (nearly) every sampled row has one and it tells at least as many devices apart. Notes
/// indices that stand for several devices, and devices that change theirs.
void identify_by_uuid(const Layout& layout, ColumnMap& map);

/// Where only an index names devices, which every host has from 0 on, and a column of their models stands beside it:
/// rows of one index and another model are of another device (ColumnMap::model_tells).
void tell_by_model(ColumnMap& map);

/// Calls each series by its host and `shown` (one a series), where no other has that name; else the start of its own
/// present name, the uuid, stands behind.
void name_by_index(std::vector<Series>& series, const std::vector<std::string>& shown);

/// "instance", "pod", "job", ...: columns that name a host in some logs only. The one that tells rows of one device
/// and overlapping times apart: its values come back, and go with the same devices each. -1 where there is none.
[[nodiscard]] int find_doubtful_host(const Layout& layout, int device);

}  // namespace wattrein::trace
