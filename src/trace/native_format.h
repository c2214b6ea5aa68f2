#pragma once
// The parts of the native trace format (docs/formats/trace.md) that its reader and its writer share.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace wattrein::trace {

inline constexpr std::string_view kNativeMagic = "# wattrein trace ";  ///< the version follows
inline constexpr int kNativeVersion = 1;

/// Names and texts in cells and metadata: bytes that could end a cell, a line or a key are written %XX, so a
/// line is split at its commas without looking at quotes. The empty name is a lone "%".
[[nodiscard]] std::string native_escape(std::string_view text);
/// Nothing when a % is not followed by two hexadecimal digits.
[[nodiscard]] std::optional<std::string> native_unescape(std::string_view text);

/// Appends seconds with nine decimals, exact.
void append_native_time(std::string& out, std::int64_t time_ns);
/// Decimal seconds with at most nine decimals, exact; nothing on anything else and beyond 292 years.
[[nodiscard]] std::optional<std::int64_t> parse_native_time(std::string_view text);

/// "2025-07-27T00:22:27.858000000Z", without the Z when the zone is unknown.
[[nodiscard]] std::string native_start(std::int64_t unix_ns, bool has_zone);

[[nodiscard]] std::optional<MeterKind> parse_meter_kind(std::string_view name);
[[nodiscard]] std::optional<Evidence> parse_evidence(std::string_view name);

}  // namespace wattrein::trace
