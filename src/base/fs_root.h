#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

namespace wattrein {

/// Where "/" is. Everything that reads the machine (/proc, /sys, a user's files in tests) asks this for its
/// path, so that a test can stand a checked-in fake machine in its place.
class FsRoot {
 public:
  FsRoot() : root_("/") {}
  explicit FsRoot(std::filesystem::path root) : root_(std::move(root)) {}
  /// `absolute` with its leading slash taken as the root's; a relative path is returned as it is.
  [[nodiscard]] std::filesystem::path path(std::string_view absolute) const {
    const std::filesystem::path p(absolute);
    return p.is_absolute() ? root_ / p.relative_path() : p;
  }

 private:
  std::filesystem::path root_;
};

}  // namespace wattrein
