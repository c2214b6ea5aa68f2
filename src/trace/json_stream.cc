#include "trace/json_stream.h"

#include <algorithm>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kMaxDocument = std::size_t{8} << 20;
constexpr std::size_t kMaxBetween = 200;

}  // namespace

bool JsonStream::take_line() {
  std::string_view line;
  if (!input_.next_line(line)) return false;
  rest_.assign(line);
  rest_at_ = 0;
  have_line_ = true;
  at_line_start_ = true;
  return true;
}

/// Characters of `part` up to the end of the open document, or all.
std::size_t JsonStream::scan(std::string_view part) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const char c = part[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      return i + 1;
    }
  }
  return part.size();
}

bool JsonStream::next() {
  text_.clear();
  before_.clear();
  depth_ = 0;
  in_string_ = escaped_ = too_long_ = false;
  while (have_line_ || take_line()) {
    const std::string_view part = std::string_view(rest_).substr(rest_at_);
    const bool line_start = at_line_start_;
    at_line_start_ = false;
    if (depth_ == 0) {
      const std::size_t begin = part.find_first_of("{[");
      const std::string_view loose = trim(part.substr(0, begin));
      if (!loose.empty() && loose.size() <= kMaxBetween) between_ = loose;
      if (begin == std::string_view::npos) {
        have_line_ = false;
        continue;
      }
      from_line_start_ = line_start && begin == 0 && part[0] == '{';
      line_ = input_.line_number();
      before_ = between_;
      between_.clear();
      rest_at_ += begin;
    } else if (line_start && from_line_start_ && part.starts_with('{')) {
      at_line_start_ = true;  // this line begins the next document
      return true;
    }
    const std::string_view body = std::string_view(rest_).substr(rest_at_);
    const std::size_t taken = scan(body);
    too_long_ = too_long_ || text_.size() + taken > kMaxDocument;
    if (!too_long_) text_.append(body.substr(0, taken));
    rest_at_ += taken;
    have_line_ = rest_at_ < rest_.size();
    if (depth_ == 0) return true;
    if (!too_long_) text_ += '\n';
  }
  torn_ = torn_ || depth_ > 0;
  return false;
}

}  // namespace wattrein::trace
