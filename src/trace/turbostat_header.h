#pragma once
// The headers of turbostat's table, and its lines taken apart.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wattrein::trace::turbostat {

inline constexpr std::string_view kTime = "Time_Of_Day_Seconds";
inline constexpr std::array<std::string_view, 2> kPackageWatts{"PkgWatt", "Pkg_W"};

/// By tabs where there are any: an empty cell between two of them stays one.
void split(std::string_view line, bool tabs, std::vector<std::string_view>& cells);

[[nodiscard]] bool is_header(const std::vector<std::string_view>& cells);

/// A column that says which part of the machine a row is of.
[[nodiscard]] bool is_topology(std::string_view name);

struct Header {
  std::string text{};
  std::int64_t line = 0;
  std::vector<std::string> names{};
  bool tabs = false;
  std::optional<std::size_t> power{};
  std::optional<std::size_t> time{};
  std::vector<std::size_t> topology{};

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
};

/// The column of watts that is asked for, by name or as "#3"; without a wish that of the packages.
[[nodiscard]] std::optional<std::size_t> power_column(const Header& h, std::string_view wanted);

}  // namespace wattrein::trace::turbostat
