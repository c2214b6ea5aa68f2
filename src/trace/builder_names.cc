// Devices and hosts that a log spells in several ways.

#include <fmt/format.h>

#include "base/text.h"
#include "trace/builder.h"

namespace wattrein::trace {

/// The device that has been called by the same uuid or bus id spelled otherwise, of the same host; else `fresh`.
std::size_t Builder::other_spelling(std::string_view name, std::size_t fresh) {
  const std::size_t slash = name.rfind('/');
  const std::size_t id = slash == std::string_view::npos ? 0 : slash + 1;
  const std::string plain = plain_id(name.substr(id));
  if (plain.empty()) return fresh;
  const auto [at, made] = spelled_.try_emplace(std::string(name.substr(0, id)) + plain, fresh);
  if (!made && respelled_++ == 0) {
    two_spellings_ =
        fmt::format("'{}' and '{}'", printable(trace_.series[at->second].device.name, 60), printable(name, 60));
  }
  return at->second;
}

void Builder::unite_spellings() {
  if (respelled_ > 0) {
    note(fmt::format("{} are one device: its uuid or bus id in two spellings{}.", two_spellings_,
                     respelled_ == 1 ? "" : ", and so on"));
  }
  HostNotes united = unite_hosts(trace_.series, rows_);
  for (std::size_t k = united.emptied.size(); k > 0; --k) {
    trace_.series.erase(trace_.series.begin() + static_cast<std::ptrdiff_t>(united.emptied[k - 1]));
  }
  trace_.understanding.rows -= united.both;
  for (std::string& sentence : united.notes) note(std::move(sentence));
  std::vector<std::string>& warnings = trace_.understanding.warnings;
  warnings.insert(warnings.end(), united.warnings.begin(), united.warnings.end());
}

}  // namespace wattrein::trace
