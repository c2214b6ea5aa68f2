#include "trace/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

namespace wattrein::trace {

namespace {

constexpr std::size_t kRawBytes = std::size_t{64} << 10;
constexpr std::size_t kHeadBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxLine = std::size_t{1} << 20;
constexpr std::size_t kTextBytes = std::size_t{128} << 10;

/// Raw bytes of a file descriptor or of memory. A file is read(2), never mapped: one that shrinks under a
/// mapping would kill the program.
class Raw {
 public:
  Raw(int fd, bool owned) : fd_(fd), owned_(owned) {}
  explicit Raw(std::string_view memory) : memory_(memory) {}
  Raw(const Raw&) = delete;
  Raw& operator=(const Raw&) = delete;
  ~Raw() {
    if (owned_) ::close(fd_);
  }

  /// Bytes put into `to`; 0 at the end; -1 with errno.
  std::ptrdiff_t read(std::span<char> to) {
    if (fd_ < 0) {
      const std::size_t n = std::min(to.size(), memory_.size());
      std::copy_n(memory_.data(), n, to.data());
      memory_.remove_prefix(n);
      return static_cast<std::ptrdiff_t>(n);
    }
    while (true) {
      const ssize_t n = ::read(fd_, to.data(), to.size());
      if (n >= 0 || errno != EINTR) return n;
    }
  }

 private:
  int fd_ = -1;
  bool owned_ = false;
  std::string_view memory_;
};

enum class Packing : unsigned char { none, gzip, zstd };

std::string_view packing_name(Packing p) { return p == Packing::gzip ? "gzip" : "zstd"; }

/// Packings and encodings that are told apart only to say what they are.
struct Foreign {
  std::string_view magic;
  std::string_view what;
  std::string_view cure;
};
constexpr Foreign kForeign[] = {
    {"\xfd"
     "7zXZ",
     "this is an xz archive, which is not read", "Unpack it with: xz -dk FILE"},
    {"BZh", "this is a bzip2 archive, which is not read", "Unpack it with: bzip2 -dk FILE"},
    {"PK\x03\x04", "this is a zip archive, which is not read", "Unpack it with: unzip FILE"},
    {"\xff\xfe", "the text is UTF-16, as PowerShell's > writes it", "Convert it with: iconv -f UTF-16 -t UTF-8 FILE"},
    {"\xfe\xff", "the text is UTF-16", "Convert it with: iconv -f UTF-16 -t UTF-8 FILE"},
    {"SQLite format 3", "this is a database, not a log", "Export the power readings from it as CSV."},
};

constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);
constexpr std::string_view kBom("\xef\xbb\xbf", 3);

}  // namespace

struct Input::State {
  State(std::string file_name, int fd, bool owned) : name(std::move(file_name)), raw(fd, owned) {}
  State(std::string file_name, std::string_view memory) : name(std::move(file_name)), raw(memory) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    if (inflating) inflateEnd(&gz);
    if (zst != nullptr) ZSTD_freeDStream(zst);
  }

  std::string name;
  Raw raw;
  Packing packing = Packing::none;
  std::vector<char> packed;  // raw bytes not yet unpacked: [packed_begin, packed_end)
  std::size_t packed_begin = 0;
  std::size_t packed_end = 0;
  bool raw_ended = false;
  bool inflating = false;
  bool between_members = false;
  z_stream gz{};
  ZSTD_DStream* zst = nullptr;
  std::size_t zst_hint = 1;  // 0 at a frame's end

  std::vector<char> text;  // unpacked and not yet handed out: [begin, end)
  std::size_t begin = 0;
  std::size_t end = 0;
  bool ended = false;
  std::optional<Error> error;

  std::string head;
  std::int64_t line_number = 0;
  bool cut = false;
  bool torn = false;

  void stop(ErrorKind kind, std::string what, std::string cure) {
    ended = true;
    if (!error) error = Error{kind, name, std::move(what), std::move(cure)};
  }
  void stop_damaged(std::string_view what) {
    stop(ErrorKind::bad_input, fmt::format("the {} stream {}", packing_name(packing), what),
         "Copy the file again, or go on with what could be read.");
  }
  [[nodiscard]] std::string_view packed_view() const {
    return {packed.data() + packed_begin, packed_end - packed_begin};
  }

  /// More raw bytes behind those that are there; false at the end.
  bool read_raw() {
    if (raw_ended) return false;
    if (packed_begin > 0) {
      std::memmove(packed.data(), packed.data() + packed_begin, packed_end - packed_begin);
      packed_end -= packed_begin;
      packed_begin = 0;
    }
    if (packed_end == packed.size()) return true;
    const std::ptrdiff_t n = raw.read(std::span(packed).subspan(packed_end));
    if (n < 0) {
      const int code = errno;
      raw_ended = true;
      stop(ErrorKind::environment, fmt::format("reading failed: {}", std::generic_category().message(code)),
           "Check the disk or the pipe that it comes from.");
      return false;
    }
    if (n == 0) raw_ended = true;
    packed_end += static_cast<std::size_t>(n);
    return n > 0;
  }

  void inflate_some() {
    if (between_members) {
      // Tar-like zero padding behind the last member is usual; anything else is not ours.
      while (packed_begin < packed_end && packed[packed_begin] == '\0') ++packed_begin;
      if (packed_begin == packed_end) return;
      if (packed[packed_begin] != kGzipMagic[0]) return stop_damaged("is followed by bytes that do not belong to it");
      inflateReset(&gz);
      between_members = false;
    }
    gz.next_in = reinterpret_cast<Bytef*>(packed.data() + packed_begin);
    gz.avail_in = static_cast<uInt>(packed_end - packed_begin);
    gz.next_out = reinterpret_cast<Bytef*>(text.data() + end);
    gz.avail_out = static_cast<uInt>(text.size() - end);
    const int code = inflate(&gz, Z_NO_FLUSH);
    packed_begin = packed_end - gz.avail_in;
    end = text.size() - gz.avail_out;
    if (code == Z_STREAM_END) {
      between_members = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      stop_damaged(gz.msg != nullptr ? fmt::format("is damaged ({})", gz.msg) : "is damaged");
    }
  }

  void unzstd_some() {
    ZSTD_inBuffer in{packed.data() + packed_begin, packed_end - packed_begin, 0};
    ZSTD_outBuffer out{text.data() + end, text.size() - end, 0};
    const std::size_t code = ZSTD_decompressStream(zst, &out, &in);
    packed_begin += in.pos;
    end += out.pos;
    if (ZSTD_isError(code) != 0) return stop_damaged(fmt::format("is damaged ({})", ZSTD_getErrorName(code)));
    if (in.pos > 0 || out.pos > 0) zst_hint = code;
  }

  [[nodiscard]] bool whole_at_end() const { return packing == Packing::gzip ? between_members : zst_hint == 0; }

  /// More text behind `end`. Requires room there. False at the end.
  bool read_text() {
    const std::size_t before = end;
    while (end == before && !ended) {
      if (packing == Packing::none) {
        const std::size_t n = std::min(packed_end - packed_begin, text.size() - end);
        if (n > 0) {
          std::copy_n(packed.data() + packed_begin, n, text.data() + end);
          packed_begin += n;
          end += n;
        } else if (const std::ptrdiff_t got = raw_ended ? 0 : raw.read(std::span(text).subspan(end)); got > 0) {
          end += static_cast<std::size_t>(got);
        } else {
          const int code = errno;
          raw_ended = true;
          ended = true;
          if (got < 0) {
            stop(ErrorKind::environment, fmt::format("reading failed: {}", std::generic_category().message(code)),
                 "Check the disk or the pipe that it comes from.");
          }
        }
        continue;
      }
      // Called without input too: both libraries may still hold text that did not fit the last time.
      const std::size_t packed_before = packed_end - packed_begin;
      packing == Packing::gzip ? inflate_some() : unzstd_some();
      if (end != before || ended || packed_end - packed_begin < packed_before) continue;
      if (!read_raw() && !ended) {
        if (!whole_at_end()) stop_damaged("ends early: the file was cut");
        ended = true;
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
    if (text.size() - end < kRawBytes) text.resize(end + kRawBytes);
  }

  Result<void> prepare();
};

/// Finds the packing, fills the head and refuses what holds nothing.
Result<void> Input::State::prepare() {
  packed.resize(kRawBytes);
  text.resize(kTextBytes);
  while (packed_end < 16 && read_raw()) {}
  if (error) return std::unexpected(*error);
  const std::string_view start = packed_view();
  if (start.empty()) {
    return fail(ErrorKind::bad_input, name, "the file is empty",
                "Check the program that writes it, or wait for its first rows.");
  }
  if (start.starts_with(kGzipMagic)) {
    packing = Packing::gzip;
    inflating = inflateInit2(&gz, 15 + 16) == Z_OK;
    if (!inflating) return fail(ErrorKind::environment, name, "no memory to unpack it", "Free some memory.");
  } else if (start.starts_with(kZstdMagic)) {
    packing = Packing::zstd;
    zst = ZSTD_createDStream();
    if (zst == nullptr) return fail(ErrorKind::environment, name, "no memory to unpack it", "Free some memory.");
  } else {
    for (const Foreign& f : kForeign) {
      if (start.starts_with(f.magic)) {
        return fail(ErrorKind::bad_input, name, std::string(f.what), std::string(f.cure));
      }
    }
  }
  while (end < kHeadBytes && read_text()) {}
  if (std::string_view(text.data(), end).starts_with(kBom)) begin = kBom.size();
  if (begin == end) {
    if (error) return std::unexpected(*error);
    return fail(ErrorKind::bad_input, name,
                packing == Packing::none ? "the file is empty"
                                         : fmt::format("the {} archive holds nothing", packing_name(packing)),
                "Check the program that writes it, or wait for its first rows.");
  }
  head.assign(text.data() + begin, std::min(kHeadBytes, end - begin));
  return {};
}

Input::Input(std::unique_ptr<State> state) : state_(std::move(state)) {}
Input::Input(Input&&) noexcept = default;
Input& Input::operator=(Input&&) noexcept = default;
Input::~Input() = default;

Result<Input> Input::open(const std::string& path, const FsRoot& root) {
  std::unique_ptr<State> state;
  if (path == "-") {
    state = std::make_unique<State>("standard input", STDIN_FILENO, false);
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
    state = std::make_unique<State>(path, fd, true);
    struct stat info{};
    if (::fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
      return fail(ErrorKind::bad_input, path, "this is a directory", "Name the log files in it.");
    }
  }
  if (const auto ready = state->prepare(); !ready) return std::unexpected(ready.error());
  return Input(std::move(state));
}

Result<Input> Input::from_memory(std::string_view content, std::string name) {
  auto state = std::make_unique<State>(std::move(name), content);
  if (const auto ready = state->prepare(); !ready) return std::unexpected(ready.error());
  return Input(std::move(state));
}

const std::string& Input::name() const { return state_->name; }
std::string_view Input::head() const { return state_->head; }

bool Input::next_line(std::string_view& line) {
  State& s = *state_;
  s.cut = false;
  std::size_t searched = 0;
  bool skipping = false;  // past the limit of a long line: its start stays at [begin, begin + kMaxLine)
  while (true) {
    const char* from = s.text.data() + s.begin + searched;
    const std::size_t available = s.end - s.begin - searched;
    const auto* newline = available == 0 ? nullptr : static_cast<const char*>(std::memchr(from, '\n', available));
    if (newline == nullptr && s.end - s.begin > kMaxLine) {
      skipping = true;
      s.end = s.begin + kMaxLine;
    }
    if (newline == nullptr) {
      searched = s.end - s.begin;
      s.make_room();
      if (s.read_text()) continue;
      if (s.begin == s.end) return false;
      s.torn = true;
    }
    std::size_t length =
        newline != nullptr ? static_cast<std::size_t>(newline - s.text.data()) - s.begin : s.end - s.begin;
    const std::size_t taken = newline != nullptr ? length + 1 : length;
    s.cut = skipping || length > kMaxLine;
    length = std::min(length, kMaxLine);
    line = {s.text.data() + s.begin, length};
    if (!s.cut && line.ends_with('\r')) line.remove_suffix(1);
    s.begin += taken;
    ++s.line_number;
    return true;
  }
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
  return all;
}

const Error* Input::error() const { return state_->error ? &*state_->error : nullptr; }

std::string Input::place() const { return fmt::format("{}:{}", state_->name, state_->line_number); }

}  // namespace wattrein::trace
