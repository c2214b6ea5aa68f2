#pragma once
// Names of one device or machine that programs spell in several ways.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace wattrein::trace {

/// A uuid without "GPU-" or "MIG-" and in lower case, as some exporters print it; a PCI bus id with four digits of
/// domain, in lower case ("00000000:53:00.0" is "0000:53:00.0"). Anything else is empty: it has one spelling.
[[nodiscard]] std::string plain_id(std::string_view text);

/// What a device's uuid is compared by: plain_id(), or the text where that is no uuid; empty where it tells nothing.
[[nodiscard]] std::string uuid_key(std::string_view uuid);
/// False where there is none, or one that was masked (one character throughout, as "GPU-00000000-0000-...").
[[nodiscard]] bool tells_devices(std::string_view uuid);
/// As equal keys, without making them.
[[nodiscard]] bool same_uuid(std::string_view a, std::string_view b);

/// One key a host, equal for one machine: names ignore case, and a name without a domain is the one full name of that
/// first label where the input has exactly one. Addresses are as they are.
[[nodiscard]] std::vector<std::string> host_keys(std::span<const std::string> hosts);

/// A series and where its rows stand in the file; equal numbers where that is not known.
struct FileRows {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

struct HostNotes {
  std::vector<std::string> notes;
  std::vector<std::string> warnings;
  std::vector<std::size_t> emptied;  ///< series that were put into another, ascending
  std::int64_t both = 0;             ///< readings that two of them had
};

/// Makes one series of those that are one device of one machine under several spellings of its name; the first
/// spelling stays. Series whose rows stand one behind the other in the file are put together in that order, others by
/// time, a reading of both once. Where they cover the same time and their means there differ by more than a tenth, or
/// their uuids differ, they stay apart; the former with a warning. Series that were put into another are left empty.
/// `rows`, one a series. Requires stamps on one axis.
[[nodiscard]] HostNotes unite_hosts(std::vector<Series>& series, std::span<const FileRows> rows);

/// Gives machines that several traces spell in several ways one name, the first one. Notes it in those that change.
void spell_hosts_alike(std::vector<Trace>& traces);

}  // namespace wattrein::trace
