#pragma once
// Files that are part of the program: wattrein_embed() in cmake/wattrein.cmake puts their bytes between two symbols.

#include <string_view>

namespace wattrein::report::embedded {

[[nodiscard]] std::string_view report_css();
[[nodiscard]] std::string_view report_js();
/// dygraphs 2.x, minified (MIT), from Debian's libjs-dygraphs; without its pointer to a source map.
[[nodiscard]] std::string_view dygraph_js();
[[nodiscard]] std::string_view dygraph_css();
[[nodiscard]] std::string_view dygraph_licence();

}  // namespace wattrein::report::embedded
