#pragma once
// Members of JSON objects as logs write them: numbers that may stand in strings, words for "not available", units.

#include <optional>
#include <string>

#include "net/json.h"
#include "trace/table_cells.h"

namespace wattrein::trace {

/// A number, or a string that holds one.
[[nodiscard]] std::optional<double> json_number(const net::Json* value);
/// A string; empty for anything else.
[[nodiscard]] std::string json_text(const net::Json* value);
/// A string, or a number as text; empty for anything else.
[[nodiscard]] std::string json_scalar(const net::Json* value);
/// A poll that says it has no reading: null, or a word for it.
[[nodiscard]] bool json_not_available(const net::Json& value);
/// Watts as vendors' tools write them: 71, "71.0", "71 W", {"value": 71, "unit": "W"}; "N/A..." is unknown.
[[nodiscard]] Reading json_power(const net::Json& value);

}  // namespace wattrein::trace
