#include "trace/line_prefix.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "base/text.h"
#include "trace/json_cells.h"

namespace wattrein::trace {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_digit(c) || is_letter(c) || c == '.' || c == '_' || c == '-'; }

/// Where `text` has the shape of `form` at its start: 'd' a digit, 'D' a digit or a blank, 'L' a letter, all else
/// itself. The place behind it, or zero.
std::size_t shaped(std::string_view text, std::string_view form) {
  if (text.size() < form.size()) return 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const char c = text[i];
    const bool fits = form[i] == 'd'   ? is_digit(c)
                      : form[i] == 'D' ? is_digit(c) || c == ' '
                      : form[i] == 'L' ? is_letter(c)
                                       : c == form[i];
    if (!fits) return 0;
  }
  return form.size();
}

std::size_t words(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_word) - text.begin());
}

std::size_t past(std::string_view text, std::string_view end) {
  const std::size_t at = text.substr(0, 200).find(end);
  return at == std::string_view::npos ? 0 : at + end.size();
}

std::size_t bracket(std::string_view line, bool (*first)(char)) {
  return line.size() > 1 && line[0] == '[' && first(line[1]) ? past(line, "] ") : 0;
}
std::size_t named_bracket(std::string_view line) { return bracket(line, is_letter); }
std::size_t stamped_bracket(std::string_view line) { return bracket(line, is_digit); }

std::size_t stamp(std::string_view line) { return shaped(line, "dddd-dd-ddTdd:dd:dd") > 0 ? past(line, " ") : 0; }

std::size_t container(std::string_view line) {
  const std::size_t at = stamp(line);
  if (at == 0) return 0;
  for (const std::string_view stream : {"stdout F ", "stderr F ", "stdout P ", "stderr P "}) {
    if (line.substr(at).starts_with(stream)) return at + stream.size();
  }
  return 0;
}

std::size_t ts(std::string_view line) { return shaped(line, "LLL Dd dd:dd:dd "); }

/// Behind the stamp: "node1 smi[4242]: ".
std::size_t program(std::string_view line, std::size_t at) {
  if (at == 0) return 0;
  const std::size_t host = words(line.substr(at));
  if (host == 0 || !line.substr(at + host).starts_with(' ')) return 0;
  const std::size_t name = at + host + 1;
  const std::size_t blank = std::min(line.find(' ', name), line.size());
  return blank > name + 1 && blank < line.size() && line[blank - 1] == ':' ? blank + 1 : 0;
}

std::size_t syslog(std::string_view line) { return program(line, ts(line)); }

std::size_t journal(std::string_view line) { return program(line, stamp(line)); }

std::size_t compose(std::string_view line) {
  const std::size_t name = words(line);
  if (name == 0 || name == line.size()) return 0;
  const std::size_t bar = line.find_first_not_of(' ', name);
  return bar != std::string_view::npos && line.substr(bar).starts_with("| ") ? bar + 2 : 0;
}

std::size_t host(std::string_view line) {
  const std::size_t name = words(line);
  return name > 0 && is_letter(line[0]) && line.substr(name).starts_with(": ") ? name + 2 : 0;
}

std::size_t epoch(std::string_view line) {
  const std::size_t at = static_cast<std::size_t>(
      std::ranges::find_if_not(line, [](char c) { return is_digit(c) || c == '.'; }) - line.begin());
  return at >= 10 && line.substr(at).starts_with(' ') ? at + 1 : 0;
}

struct Kind {
  std::string_view written_by;
  std::size_t (*length)(std::string_view line);
  std::string_view strip;
  bool has_stamp;
  bool names;  ///< a host, pod or container, which may differ from line to line
};
constexpr std::array<Kind, 10> kKinds{{
    {"journald or syslog", syslog, R"(sed -E 's/^[A-Za-z]{3} [ 0-9]{2} [0-9:]{8} [^ ]+ [^ ]+: //')", true, false},
    {"journald or syslog", journal, R"(sed -E 's/^[^ ]+ [^ ]+ [^ ]+: //')", true, false},
    {"Kubernetes", container, R"(sed -E 's/^[^ ]+ std(out|err) [FP] //')", true, false},
    {"kubectl logs --timestamps", stamp, R"(sed -E 's/^[^ ]+ //')", true, false},
    {"ts", ts, R"(sed -E 's/^[A-Za-z]{3} [ 0-9]{2} [0-9:]{8} //')", true, false},
    {"ts", epoch, R"(sed -E 's/^[0-9.]+ //')", true, false},
    {"a logger", stamped_bracket, R"(sed -E 's/^\[[^]]*\] //')", true, false},
    {"kubectl logs --prefix", named_bracket, R"(sed -E 's/^\[[^]]*\] //')", false, true},
    {"docker compose", compose, R"(sed -E 's/^[^ |]+ *\| //')", false, true},
    {"pdsh or its like", host, R"(sed -E 's/^[^ :]+: //')", false, true},
}};

std::vector<std::string_view> lines_of(std::string_view head) {
  std::vector<std::string_view> lines;
  while (!head.empty()) {
    const std::size_t end = head.find('\n');
    const std::string_view line = head.substr(0, end);
    if (end == std::string_view::npos && !lines.empty()) break;  // it may be cut
    if (!trim(line).empty()) lines.push_back(line);
    if (end == std::string_view::npos) break;
    head.remove_prefix(end + 1);
  }
  return lines;
}

std::optional<LinePrefix> of_kind(const Kind& kind, const std::vector<std::string_view>& lines) {
  LinePrefix found{
      .written_by = std::string(kind.written_by), .strip = std::string(kind.strip), .has_stamp = kind.has_stamp};
  for (const std::string_view line : lines) {
    std::size_t n = kind.length(line);
    // A line that is empty behind its prefix may have lost the blank.
    if (n == 0) n = kind.length(std::string(line) + " ") == line.size() + 1 ? line.size() : 0;
    if (n == 0) return std::nullopt;
    const std::string_view prefix = line.substr(0, n);
    if (found.example.empty()) found.example = prefix;
    if (kind.names && found.other.empty() && trim(prefix) != trim(found.example)) found.other = prefix;
    found.rest += line.substr(n);
    found.rest += '\n';
  }
  return found;
}

/// {"log":"a line\n","stream":"stdout","time":"..."}
std::optional<LinePrefix> of_docker(const std::vector<std::string_view>& lines) {
  constexpr std::string_view kStart = "{\"log\":\"";
  LinePrefix found{.example = std::string(kStart), .written_by = "docker", .strip = "jq -j .log"};
  for (const std::string_view line : lines) {
    if (!line.starts_with(kStart)) return std::nullopt;
    const auto json = net::parse_json(line, "");
    if (!json) return std::nullopt;
    found.rest += json_text(json->find("log"));
  }
  return found;
}

}  // namespace

std::optional<LinePrefix> line_prefix(std::string_view head) {
  const std::vector<std::string_view> lines = lines_of(head);
  if (lines.size() < 2) return std::nullopt;
  if (lines[0].starts_with('{')) return of_docker(lines);
  for (const Kind& kind : kKinds) {
    if (auto found = of_kind(kind, lines)) return found;
  }
  return std::nullopt;
}

std::optional<NodePrefixes> node_prefixes(std::string_view head) {
  NodePrefixes found;
  std::size_t bare = 0;
  std::size_t named = 0;
  for (const std::string_view line : lines_of(head)) {
    std::size_t n = host(line);
    if (n == 0 && host(std::string(line) + " ") == line.size() + 1) n = line.size();
    ++(n == 0 ? bare : named);
    found.rest += line.substr(n);
    found.rest += '\n';
    if (n == 0) continue;
    const std::string_view name = line.substr(0, line.find(':'));
    if (found.first.empty()) found.first = name;
    if (found.second.empty() && name != found.first) found.second = name;
  }
  return found.second.empty() || bare > named ? std::nullopt : std::optional(std::move(found));
}

}  // namespace wattrein::trace
