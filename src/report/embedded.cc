#include "report/embedded.h"

extern "C" {
extern const char wattrein_report_css_begin[];
extern const char wattrein_report_css_end[];
extern const char wattrein_report_js_begin[];
extern const char wattrein_report_js_end[];
extern const char wattrein_dygraph_js_begin[];
extern const char wattrein_dygraph_js_end[];
extern const char wattrein_dygraph_css_begin[];
extern const char wattrein_dygraph_css_end[];
extern const char wattrein_dygraph_licence_begin[];
extern const char wattrein_dygraph_licence_end[];
}

namespace wattrein::report::embedded {

namespace {

std::string_view between(const char* begin, const char* end) { return {begin, static_cast<std::size_t>(end - begin)}; }

/// A source map is a second file, which a report does not have.
std::string_view without_source_map(std::string_view text, std::string_view mark) {
  const std::size_t at = text.rfind(mark);
  return at == std::string_view::npos ? text : text.substr(0, at);
}

}  // namespace

std::string_view report_css() { return between(wattrein_report_css_begin, wattrein_report_css_end); }
std::string_view report_js() { return between(wattrein_report_js_begin, wattrein_report_js_end); }
std::string_view dygraph_js() {
  return without_source_map(between(wattrein_dygraph_js_begin, wattrein_dygraph_js_end), "//# sourceMappingURL");
}
std::string_view dygraph_css() {
  return without_source_map(between(wattrein_dygraph_css_begin, wattrein_dygraph_css_end), "/*# sourceMappingURL");
}
std::string_view dygraph_licence() { return between(wattrein_dygraph_licence_begin, wattrein_dygraph_licence_end); }

}  // namespace wattrein::report::embedded
