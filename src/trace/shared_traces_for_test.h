#pragma once
// Real power logs beside the checkout, for tests that run where they are: they are not ours to copy.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace wattrein::trace {

inline constexpr const char* kNoSharedTraces =
    "no ../shared/traces beside the checkout, and WATTREIN_SHARED does not name one";

/// Path of a recorded log; empty where there is none. Tests run in the source root.
inline std::string shared_trace(const std::string& file) {
  const char* named = std::getenv("WATTREIN_SHARED");
  const std::filesystem::path root = named != nullptr ? named : "../shared";
  const std::filesystem::path path = root / "traces" / file;
  std::error_code ignored;
  return std::filesystem::exists(path, ignored) ? path.string() : std::string();
}

}  // namespace wattrein::trace
