#include "report/html_page.h"

#include <fmt/format.h>

#include <cstdint>

#include "base/check.h"
#include "report/embedded.h"
#include "report/html_format.h"

namespace wattrein::report::html {

namespace {

/// FNV-1a. Scripts run only with the page's nonce, so an event handler that slipped through an escape would not. It
/// hangs on all of the content, so what is written into a trace cannot name it.
std::string nonce_of(std::string_view body) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : body) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return fmt::format("{:016x}", hash);
}

std::string head(std::string_view title, std::string_view nonce) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'nonce-{}'; "
      "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}\n{}</style>\n</head>\n",
      nonce, escape(title), embedded::dygraph_css(), embedded::report_css());
}

std::string foot(const ReportMeta& meta) {
  std::string out = "<footer>\n<p>Made by wattrein " + escape(meta.version);
  if (!meta.when.empty()) out += " on " + escape(meta.when);
  out += ".";
  if (!meta.command_line.empty()) out += " Command: <code>" + escape(meta.command_line) + "</code>";
  out += "</p>\n<details class=\"licence\"><summary>Licence of the embedded chart library</summary>\n<pre>";
  out += escape(embedded::dygraph_licence());
  return out + "</pre></details>\n</footer>\n";
}

}  // namespace

std::string page(const Title& title, std::string_view lead, std::string_view body, const ReportMeta& meta) {
  const std::string nonce = nonce_of(body);
  std::string out = head(title.document, nonce);
  out += fmt::format("<body>\n<main>\n<header>\n<h1>{}</h1>\n{}</header>\n", escape(title.heading), lead);
  out +=
      "<noscript><p class=\"notice\">JavaScript is off: the charts over time are not drawn. Everything else on this "
      "page is complete.</p></noscript>\n";
  out += body;
  out += foot(meta);
  out += "</main>\n";
  out += fmt::format("<script nonce=\"{}\">{}</script>\n", nonce, embedded::dygraph_js());
  out += fmt::format("<script nonce=\"{}\">{}</script>\n", nonce, embedded::report_js());
  return out + "</body>\n</html>\n";
}

void Table::row(const std::vector<std::string>& cells, std::string_view css_class) {
  WATTREIN_CHECK(cells.size() == columns_.size());
  rows_ += css_class.empty() ? "<tr>" : fmt::format("<tr class=\"{}\">", css_class);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view align = columns_[i].wrap   ? " class=\"text wrap\""
                                   : columns_[i].text ? " class=\"text\""
                                                      : "";
    rows_ += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", align, cells[i])
                    : fmt::format("<td{}>{}</td>", align, cells[i]);
  }
  rows_ += "</tr>\n";
}

std::string Table::html() const {
  // The box scrolls, so it takes the keyboard's focus and needs a name.
  const std::string caption = escape(caption_);
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n<table>\n<caption>{}</caption>\n"
      "<thead><tr>",
      caption, caption);
  for (const Column& c : columns_) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", c.text ? " class=\"text\"" : "", c.header);
  }
  return out + "</tr></thead>\n<tbody>\n" + rows_ + "</tbody>\n</table>\n</div>\n";
}

std::string facts(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string out = "<dl class=\"facts\">\n";
  for (const auto& [label, value] : pairs) {
    if (!value.empty()) out += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, value);
  }
  return out + "</dl>\n";
}

std::string list(const std::vector<std::string>& items_text) {
  std::string out = "<ul>\n";
  for (const std::string& item : items_text) out += "<li>" + escape(item) + "</li>\n";
  return out + "</ul>\n";
}

std::string chip(std::string_view kind, std::string_view text) {
  return fmt::format("<span class=\"chip {}\">{}</span>", kind, escape(text));
}

}  // namespace wattrein::report::html
