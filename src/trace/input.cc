#include "trace/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "base/text.h"
#include "trace/text_encoding.h"
#include "trace/unpack.h"

namespace wattrein::trace {

namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxLine = std::size_t{1} << 20;
constexpr std::size_t kTextBytes = std::size_t{128} << 10;
constexpr std::int64_t kMaxNuls = std::int64_t{1} << 30;  // in a row: a disk image or a hole, no log

constexpr std::string_view kByteOrderMark("\xef\xbb\xbf", 3);

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\r") == std::string_view::npos; }

}  // namespace

struct Input::State {
  State(std::string file_name, Unpacker bytes) : name(std::move(file_name)), unpacker(std::move(bytes)) {}

  std::string name;
  Unpacker unpacker;
  DetectedEncoding encoding;
  Utf16Decoder utf16;
  std::vector<char> wide;  // UTF-16 on its way to UTF-8
  NulFilter nuls;
  CarriageReturns carriage_returns = CarriageReturns::none;

  std::vector<char> text;  // not yet handed out: [begin, end)
  std::size_t begin = 0;
  std::size_t end = 0;
  bool ended = false;
  std::optional<Error> error;

  std::int64_t file_bytes = -1;  // of the file; below zero where they are not known

  std::string head;
  std::int64_t line_number = 0;
  bool same_line = false;  // the next line stands on the same line of the file: a progress bar's
  bool cut = false;
  bool torn = false;
  std::int64_t lines_lost = 0;  // cut by NULs

  void finish_text() {
    ended = true;
    if (unpacker.error() != nullptr && !error) error = *unpacker.error();
    if (wide_text()) end += utf16.finish(text.data() + end);
    if (nuls.mark_at_end()) text[end++] = '\0';
  }
  [[nodiscard]] bool wide_text() const { return encoding.encoding != Encoding::utf8; }

  /// More text behind `end`, where make_room() has made some. False at the end.
  bool read_text() {
    const std::size_t before = end;
    while (end == before && !ended) {
      std::size_t n = 0;
      if (wide_text()) {
        const std::size_t bytes = unpacker.read(wide);
        n = utf16.decode({wide.data(), bytes}, text.data() + end);
        if (bytes == 0) finish_text();
      } else {
        // A byte is left for the mark of a run of NULs, and three for a character cut at the end.
        n = unpacker.read(std::span(text).subspan(end, text.size() - end - 4));
        if (n == 0) finish_text();
      }
      if (n > 0) end += nuls.apply(text.data() + end, n);
      if (nuls.run() > kMaxNuls) {
        ended = true;
        error = Error{ErrorKind::bad_input, name, "it holds more than a GiB of NUL bytes in a row",
                      "Check that it is a log, and not the image of a disk or a file with a hole."};
      }
    }
    return end != before;
  }

  /// Makes room behind `end` for at least one more chunk.
  void make_room() {
    if (begin > 0) {
      std::memmove(text.data(), text.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    if (text.size() - end < kChunk) text.resize(end + kChunk);
  }

  void find_encoding();
  Result<void> prepare();
  const char* find_end(const char* from, std::size_t available) const;
  bool hard_line(std::string_view& line);
  bool drop_lost(std::string_view& line);
};

/// From the first chunk, which is still as it came.
void Input::State::find_encoding() {
  encoding = detect_encoding({text.data(), end});
  begin = encoding.mark_bytes;
  if (!wide_text()) {
    end = begin + nuls.apply(text.data() + begin, end - begin);
    return;
  }
  utf16 = Utf16Decoder(encoding.encoding);
  wide.resize(kChunk / 2);
  const std::string raw(text.data() + begin, end - begin);
  text.resize(std::max(kTextBytes, Utf16Decoder::room_for(raw.size()) + kChunk));
  begin = 0;
  end = utf16.decode(raw, text.data());
  end = nuls.apply(text.data(), end);
}

/// Finds packing and encoding, fills the head and refuses what holds nothing.
Result<void> Input::State::prepare() {
  if (const auto ready = unpacker.prepare(); !ready) return std::unexpected(ready.error());
  text.resize(kTextBytes);
  while (end < kHeadBytes) {
    const std::size_t n = unpacker.read(std::span(text).subspan(end, text.size() - end - 4));
    if (n == 0) break;
    end += n;
  }
  find_encoding();
  while (end - begin < kHeadBytes) {
    make_room();
    if (!read_text()) break;
  }
  const std::string_view start{text.data() + begin, end - begin};
  if (nuls.count() > 0 && ended && start.find_first_not_of(std::string_view(" \r\n\0", 4)) == start.npos) begin = end;
  if (begin == end) {
    if (error) return std::unexpected(*error);
    const std::string_view packing = unpacker.packing();
    std::string what = packing.empty() ? "the file is empty" : fmt::format("the {} archive holds nothing", packing);
    if (nuls.count() > 0) what = "the file holds nothing but NUL bytes";
    return fail(ErrorKind::bad_input, name, std::move(what),
                "Check the program that writes it, or wait for its first rows.");
  }
  head.assign(text.data() + begin, std::min(kHeadBytes, end - begin));
  carriage_returns = find_carriage_returns(head);
  // Recognition sees the lines that next_line() will give.
  if (carriage_returns != CarriageReturns::none) std::ranges::replace(head, '\r', '\n');
  if (nuls.has_marks()) std::ranges::replace(head, '\0', '\n');
  return {};
}

Input::Input(std::unique_ptr<State> state) : state_(std::move(state)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Result<Input> Input::open(const std::string& path, const FsRoot& root) {
  std::unique_ptr<State> state;
  if (path == "-") {
    state = std::make_unique<State>("standard input", Unpacker("standard input", STDIN_FILENO, false));
  } else {
    const int fd = ::open(root.path(path).c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
      const int code = errno;
      if (code == ENOENT) return fail(ErrorKind::environment, path, "there is no such file", "Check the path.");
      if (code == EACCES || code == EPERM) {
        return fail(ErrorKind::environment, path, "no permission to read it",
                    "Let its owner allow it (chmod +r), or run as a user who may.");
      }
      return fail(ErrorKind::environment, path, fmt::format("cannot open: {}", std::generic_category().message(code)),
                  "Check the path.");
    }
    state = std::make_unique<State>(path, Unpacker(path, fd, true));
    struct stat info{};
    if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
      return fail(ErrorKind::bad_input, path, "this is a directory", "Name the log files in it.");
    }
    if (S_ISREG(info.st_mode)) state->file_bytes = info.st_size;
  }
  if (const auto ready = state->prepare(); !ready) return std::unexpected(ready.error());
  return Input(std::move(state));
}

Result<Input> Input::from_memory(std::string_view content, std::string name) {
  auto state = std::make_unique<State>(name, Unpacker(name, content));
  if (const auto ready = state->prepare(); !ready) return std::unexpected(ready.error());
  return Input(std::move(state));
}

const std::string& Input::name() const { return state_->name; }
std::string_view Input::head() const { return state_->head; }

/// The next line's end in the text, or null.
const char* Input::State::find_end(const char* from, std::size_t available) const {
  if (available == 0) return nullptr;
  if (carriage_returns == CarriageReturns::none) {
    return static_cast<const char*>(std::memchr(from, '\n', available));
  }
  const char* const stop = from + available;
  const char* at = std::find_if(from, stop, [](char c) { return c == '\n' || c == '\r'; });
  // "\r\n" is one end, and its second byte may not have been read yet.
  if (at != stop && *at == '\r' && at + 1 == stop && !ended) return nullptr;
  if (at != stop && *at == '\r' && at + 1 != stop && at[1] == '\n') ++at;
  return at == stop ? nullptr : at;
}

/// Up to an end of line.
bool Input::State::hard_line(std::string_view& line) {
  cut = false;
  std::size_t searched = 0;
  bool skipping = false;  // past the limit of a long line: its start stays at [begin, begin + kMaxLine)
  while (true) {
    const char* newline = find_end(text.data() + begin + searched, end - begin - searched);
    if (newline == nullptr && end - begin > kMaxLine) {
      skipping = true;
      end = begin + kMaxLine;
    }
    if (newline == nullptr) {
      searched = end - begin;
      if (carriage_returns != CarriageReturns::none && searched > 0) --searched;  // a "\r" to be looked at again
      make_room();
      if (read_text()) continue;
      if (begin == end) return false;
      newline = find_end(text.data() + begin + searched, end - begin - searched);
      torn = newline == nullptr;
    }
    std::size_t length = newline != nullptr ? static_cast<std::size_t>(newline - text.data()) - begin : end - begin;
    const std::size_t taken = newline != nullptr ? length + 1 : length;
    cut = skipping || length > kMaxLine;
    length = std::min(length, kMaxLine);
    line = {text.data() + begin, length};
    if (!cut && line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty() && line.front() == '\xef' && line.starts_with(kByteOrderMark)) {
      line.remove_prefix(kByteOrderMark.size());  // of a file that was appended
    }
    begin += taken;
    if (!same_line) ++line_number;
    same_line = carriage_returns == CarriageReturns::mixed && newline != nullptr && *newline == '\r';
    return true;
  }
}

/// Of a line with marks of NULs: what stands before one was cut, unless the NULs reach to the line's own end. False
/// where nothing is left.
bool Input::State::drop_lost(std::string_view& line) {
  std::size_t mark = line.rfind('\0');
  if (mark == std::string_view::npos) return true;
  if (!torn && is_blank(line.substr(mark + 1))) {
    line = line.substr(0, mark);
    mark = line.rfind('\0');
  }
  if (mark != std::string_view::npos) {
    std::string_view before = line.substr(0, mark);
    line.remove_prefix(mark + 1);
    while (true) {
      const std::size_t at = before.rfind('\0');
      if (!is_blank(before.substr(at == std::string_view::npos ? 0 : at + 1))) ++lines_lost;
      if (at == std::string_view::npos) break;
      before = before.substr(0, at);
    }
  }
  if (!is_blank(line)) return true;
  torn = false;
  return false;
}

bool Input::next_line(std::string_view& line) {
  State& s = *state_;
  do {
    if (!s.hard_line(line)) return false;
  } while (s.nuls.has_marks() && !s.drop_lost(line));
  return true;
}

std::string_view Input::peek_lines(std::size_t bytes) {
  State& s = *state_;
  if (s.carriage_returns != CarriageReturns::none) return {};
  s.text.reserve(bytes + 2 * kChunk);  // grows once, not chunk by chunk
  while (s.end - s.begin < bytes) {
    s.make_room();
    if (!s.read_text()) break;
  }
  if (s.nuls.has_marks()) return {};
  const std::string_view ahead(s.text.data() + s.begin, s.end - s.begin);
  const std::size_t last = ahead.rfind('\n');
  return last == std::string_view::npos ? std::string_view() : ahead.substr(0, last + 1);
}

void Input::skip(std::size_t bytes, std::int64_t lines) {
  state_->begin += bytes;
  state_->line_number += lines;
}

std::int64_t Input::line_number() const { return state_->line_number; }
bool Input::line_cut() const { return state_->cut; }
bool Input::last_line_torn() const { return state_->torn; }

Result<std::string> Input::read_all(std::size_t max_bytes) {
  State& s = *state_;
  std::string all;
  do {
    if (s.end - s.begin > max_bytes - all.size()) {
      return fail(ErrorKind::bad_input, s.name,
                  fmt::format("it is larger than {} MiB, the most that this format is read with", max_bytes >> 20),
                  "Split it, or ask for a shorter span.");
    }
    all.append(s.text.data() + s.begin, s.end - s.begin);
    s.begin = s.end = 0;
  } while (s.read_text());
  if (s.nuls.has_marks()) std::ranges::replace(all, '\0', ' ');
  return all;
}

std::optional<std::int64_t> Input::size() const {
  const State& s = *state_;
  if (s.file_bytes < 0 || !s.unpacker.packing().empty() || s.wide_text()) return std::nullopt;
  return s.file_bytes;
}

const Error* Input::error() const { return state_->error ? &*state_->error : nullptr; }

std::string Input::place() const { return fmt::format("{}:{}", state_->name, state_->line_number); }

std::vector<std::string> Input::encoding_notes() const {
  const State& s = *state_;
  std::vector<std::string> notes;
  if (s.wide_text()) {
    const std::string_view order = s.encoding.encoding == Encoding::utf16_le ? "LE" : "BE";
    notes.push_back(
        s.encoding.by_pattern
            ? fmt::format("The text was taken for UTF-16 {} by its zero bytes: it has no byte order mark.", order)
            : fmt::format("The file is UTF-16 {}.", order));
    if (s.utf16.damaged() > 0) {
      notes.push_back(fmt::format("{} {} damaged and shown as U+FFFD.", counted(s.utf16.damaged(), "UTF-16 character"),
                                  s.utf16.damaged() == 1 ? "is" : "are"));
    }
  }
  if (s.carriage_returns == CarriageReturns::alone) {
    notes.emplace_back("Its lines end in carriage returns alone.");
  } else if (s.carriage_returns == CarriageReturns::mixed) {
    notes.emplace_back("Carriage returns inside its lines were taken as ends of lines.");
  }
  if (s.nuls.count() > 0) {
    notes.push_back(fmt::format("{} {} left out, as a logger leaves them that loses power{}.",
                                counted(s.nuls.count(), "NUL byte"), s.nuls.count() == 1 ? "was" : "were",
                                s.lines_lost == 0 ? ""
                                : s.lines_lost == 1
                                    ? "; so was the line that they cut off"
                                    : fmt::format("; so were {} lines that they cut off", s.lines_lost)));
  }
  return notes;
}

}  // namespace wattrein::trace
