#include "trace/unpack.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

namespace wattrein::trace {

namespace {

constexpr std::size_t kRawBytes = std::size_t{64} << 10;
constexpr std::uint64_t kBombBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kBombRatio = 1000;

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
    {std::string_view("\xff\xfe\0\0", 4), "the text is UTF-32", "Convert it with: iconv -f UTF-32 -t UTF-8 FILE"},
    {std::string_view("\0\0\xfe\xff", 4), "the text is UTF-32", "Convert it with: iconv -f UTF-32 -t UTF-8 FILE"},
    {"SQLite format 3", "this is a database, not a log", "Export the power readings from it as CSV."},
};

constexpr std::string_view kGzipMagic("\x1f\x8b", 2);
constexpr std::string_view kZstdMagic("\x28\xb5\x2f\xfd", 4);
constexpr std::string_view kZstdSkippable("\x2a\x4d\x18", 3);  // behind a byte 0x50 to 0x5f

}  // namespace

struct Unpacker::State {
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
  std::vector<char> packed;  // raw bytes not yet unpacked: [begin, end)
  std::size_t begin = 0;
  std::size_t end = 0;
  bool raw_ended = false;
  bool ended = false;
  bool between_members = false;  // of a gzip file, or frames of a zstd file
  bool inflating = false;
  z_stream gz{};
  ZSTD_DStream* zst = nullptr;
  std::uint64_t bytes_in = 0;
  std::uint64_t bytes_out = 0;
  std::optional<Error> error;

  void stop(ErrorKind kind, std::string what, std::string cure) {
    ended = true;
    if (!error) error = Error{kind, name, std::move(what), std::move(cure)};
  }
  [[nodiscard]] std::string_view packing_name() const {
    return packing == Packing::none ? "" : packing == Packing::gzip ? "gzip" : "zstd";
  }
  void stop_damaged(std::string_view what) {
    stop(ErrorKind::bad_input, fmt::format("the {} stream {}", packing_name(), what),
         "Copy the file again, or go on with what could be read.");
  }
  void stop_failed(int code) {
    raw_ended = true;
    stop(ErrorKind::environment, fmt::format("reading failed: {}", std::generic_category().message(code)),
         "Check the disk or the pipe that it comes from.");
  }
  [[nodiscard]] std::string_view packed_view() const { return {packed.data() + begin, end - begin}; }

  /// More raw bytes behind those that are there; false at the end.
  bool read_raw() {
    if (raw_ended) return false;
    if (begin > 0) {
      std::memmove(packed.data(), packed.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    if (end == packed.size()) return true;
    const std::ptrdiff_t n = raw.read(std::span(packed).subspan(end));
    if (n < 0) {
      stop_failed(errno);
      return false;
    }
    if (n == 0) raw_ended = true;
    end += static_cast<std::size_t>(n);
    bytes_in += static_cast<std::uint64_t>(n);
    return n > 0;
  }

  /// Between two members: passes over padding and looks at what follows. False where nothing can be unpacked now.
  bool next_member() {
    // Tar-like zero padding behind the last member is usual; anything else is not ours.
    while (begin < end && packed[begin] == '\0') ++begin;
    if (begin == end) return false;
    const std::string_view next = packed_view();
    const std::string_view magic = packing == Packing::gzip ? kGzipMagic : kZstdMagic;
    if (next.size() < magic.size() && !raw_ended) return false;
    const bool skippable = packing == Packing::zstd && next.substr(1).starts_with(kZstdSkippable);
    if (!next.starts_with(magic) && !skippable) {
      // A member that was cut within its first bytes is no foreign matter.
      stop_damaged(magic.starts_with(next) ? "ends early: the file was cut"
                                           : "is followed by bytes that do not belong to it");
      return false;
    }
    if (packing == Packing::gzip) inflateReset(&gz);
    between_members = false;
    return true;
  }

  std::size_t inflate_some(std::span<char> to) {
    gz.next_in = reinterpret_cast<Bytef*>(packed.data() + begin);
    gz.avail_in = static_cast<uInt>(end - begin);
    gz.next_out = reinterpret_cast<Bytef*>(to.data());
    gz.avail_out = static_cast<uInt>(to.size());
    const int code = inflate(&gz, Z_NO_FLUSH);
    begin = end - gz.avail_in;
    if (code == Z_STREAM_END) {
      between_members = true;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      stop_damaged(gz.msg != nullptr ? fmt::format("is damaged ({})", gz.msg) : "is damaged");
    }
    return to.size() - gz.avail_out;
  }

  std::size_t unzstd_some(std::span<char> to) {
    ZSTD_inBuffer in{packed.data() + begin, end - begin, 0};
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    const std::size_t code = ZSTD_decompressStream(zst, &out, &in);
    begin += in.pos;
    if (ZSTD_isError(code) != 0) {
      stop_damaged(fmt::format("is damaged ({})", ZSTD_getErrorName(code)));
    } else if (code == 0) {
      between_members = true;
    }
    return out.pos;
  }

  std::size_t read_plain(std::span<char> to) {
    if (begin < end) {
      const std::size_t n = std::min(end - begin, to.size());
      std::copy_n(packed.data() + begin, n, to.data());
      begin += n;
      return n;
    }
    const std::ptrdiff_t got = raw_ended ? 0 : raw.read(to);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got < 0) stop_failed(errno);
    raw_ended = true;
    ended = true;
    return 0;
  }

  std::size_t read_packed(std::span<char> to) {
    while (!ended) {
      // Called without input too: both libraries may still hold text that did not fit the last time.
      const std::size_t before = end - begin;
      std::size_t n = 0;
      if (!between_members || next_member()) n = packing == Packing::gzip ? inflate_some(to) : unzstd_some(to);
      bytes_out += n;
      if (bytes_out > kBombBytes && bytes_out / kBombRatio > bytes_in) {
        stop(ErrorKind::bad_input,
             fmt::format("the {} archive is blown up more than {} times its size, which no log is", packing_name(),
                         kBombRatio),
             "If it is meant to be read all the same, unpack it first and name the plain file.");
        return 0;
      }
      if (n > 0) return n;
      if (ended || end - begin < before) continue;
      if (!read_raw() && !ended) {
        if (begin < end && between_members) continue;  // what is left is looked at once more, now as the last bytes
        if (!between_members) stop_damaged("ends early: the file was cut");
        ended = true;
      }
    }
    return 0;
  }
};

Unpacker::Unpacker(std::string name, int fd, bool owned)
    : state_(std::make_unique<State>(std::move(name), fd, owned)) {}
Unpacker::Unpacker(std::string name, std::string_view memory)
    : state_(std::make_unique<State>(std::move(name), memory)) {}
Unpacker::Unpacker(Unpacker&&) noexcept = default;
Unpacker& Unpacker::operator=(Unpacker&&) noexcept = default;
Unpacker::~Unpacker() = default;

Result<void> Unpacker::prepare() {
  State& s = *state_;
  s.packed.resize(kRawBytes);
  while (s.end < 16 && s.read_raw()) {}
  if (s.error) return std::unexpected(*s.error);
  const std::string_view start = s.packed_view();
  if (start.empty()) {
    return fail(ErrorKind::bad_input, s.name, "the file is empty",
                "Check the program that writes it, or wait for its first rows.");
  }
  if (start.starts_with(kGzipMagic)) {
    s.packing = Packing::gzip;
    s.inflating = inflateInit2(&s.gz, 15 + 16) == Z_OK;
    if (!s.inflating) return fail(ErrorKind::environment, s.name, "no memory to unpack it", "Free some memory.");
  } else if (start.starts_with(kZstdMagic)) {
    s.packing = Packing::zstd;
    s.zst = ZSTD_createDStream();
    if (s.zst == nullptr) return fail(ErrorKind::environment, s.name, "no memory to unpack it", "Free some memory.");
  } else {
    for (const Foreign& f : kForeign) {
      if (start.starts_with(f.magic)) {
        return fail(ErrorKind::bad_input, s.name, std::string(f.what), std::string(f.cure));
      }
    }
  }
  return {};
}

std::size_t Unpacker::read(std::span<char> to) {
  State& s = *state_;
  if (s.ended) return 0;
  return s.packing == Packing::none ? s.read_plain(to) : s.read_packed(to);
}

const Error* Unpacker::error() const { return state_->error ? &*state_->error : nullptr; }
std::string_view Unpacker::packing() const { return state_->packing_name(); }

}  // namespace wattrein::trace
