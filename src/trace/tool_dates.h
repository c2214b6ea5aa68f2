#pragma once
// Calendar stamps as command-line tools print them, turned into the ISO form that StampParser reads.

#include <optional>
#include <string>
#include <string_view>

namespace wattrein::trace {

/// "Thu Aug 15 09:14:41 2024", also with a zone before or behind the year ("... 09:14:41 UTC 2024", "... 2024 +0200").
/// A zone that is a name other than UTC or GMT is dropped: names are not unique. Nothing when it is no such stamp.
[[nodiscard]] std::optional<std::string> iso_of_ctime(std::string_view text);

/// Month first: "08/15/2024 09:14:41 UTC", "10/08/26 06:02:12 PM EDT", "11-30-2026 17:41:14". Zones as above.
[[nodiscard]] std::optional<std::string> iso_of_month_first(std::string_view text);

}  // namespace wattrein::trace
