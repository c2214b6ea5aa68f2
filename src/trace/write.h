#pragma once
// The native trace format (docs/formats/trace.md): CSV with units in the header, what `record` and `export` write.

#include <functional>
#include <string_view>

#include "trace/trace.h"

namespace wattrein::trace {

/// Receives the output piece by piece; returns false to stop (full disk, closed pipe).
using Write = std::function<bool(std::string_view)>;

/// Rows in time order over all devices. False when `write` said so.
bool write_native(const Trace& trace, const Write& write);
/// The same content as JSON (docs/formats/trace.md): one object, columns as arrays, unknown as null.
bool write_json(const Trace& trace, const Write& write);

}  // namespace wattrein::trace
