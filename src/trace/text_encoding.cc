#include "trace/text_encoding.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace wattrein::trace {

namespace {

constexpr std::size_t kPatternBytes = 4096;
constexpr std::size_t kPatternUnits = 4;  // "a\n" alone could be anything
constexpr std::int64_t kLongRun = 64;     // longer than a padded field
constexpr char kSubstitute = '\x1a';      // belongs to no number, where a blank may stand between thousands
constexpr std::uint32_t kReplacement = 0xfffd;

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_high(std::uint32_t unit) { return unit >= 0xd800 && unit < 0xdc00; }
constexpr bool is_low(std::uint32_t unit) { return unit >= 0xdc00 && unit < 0xe000; }

char* put_utf8(std::uint32_t code, char* out) {
  const auto byte = [&out](std::uint32_t value) { *out++ = static_cast<char>(static_cast<unsigned char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | (code >> 6));
    byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | (code >> 12));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | (code >> 18));
    byte(0x80 | ((code >> 12) & 0x3f));
    byte(0x80 | ((code >> 6) & 0x3f));
    byte(0x80 | (code & 0x3f));
  }
  return out;
}

}  // namespace

DetectedEncoding detect_encoding(std::string_view start) {
  if (start.starts_with("\xef\xbb\xbf")) return {.mark_bytes = 3};
  if (start.starts_with("\xff\xfe")) return {.encoding = Encoding::utf16_le, .mark_bytes = 2};
  if (start.starts_with("\xfe\xff")) return {.encoding = Encoding::utf16_be, .mark_bytes = 2};
  start = start.substr(0, std::min(start.size(), kPatternBytes));
  const std::size_t units = start.size() / 2;
  std::size_t zero_first = 0;
  std::size_t zero_second = 0;
  for (std::size_t i = 0; i < units; ++i) {
    if (start[2 * i] == '\0') ++zero_first;
    if (start[2 * i + 1] == '\0') ++zero_second;
  }
  if (units < kPatternUnits) return {};
  // A log is ASCII for the most part, whatever language its names are in.
  if (zero_second * 10 >= units * 7 && zero_first * 20 <= units) {
    return {.encoding = Encoding::utf16_le, .by_pattern = true};
  }
  if (zero_first * 10 >= units * 7 && zero_second * 20 <= units) {
    return {.encoding = Encoding::utf16_be, .by_pattern = true};
  }
  return {};
}

char* Utf16Decoder::put(std::uint32_t unit, char* out) {
  if (high_ != 0) {
    const std::uint32_t high = std::exchange(high_, 0U);
    if (is_low(unit)) return put_utf8(0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00), out);
    ++damaged_;
    out = put_utf8(kReplacement, out);
  }
  if (is_high(unit)) {
    high_ = unit;
    return out;
  }
  if (is_low(unit)) {
    ++damaged_;
    unit = kReplacement;
  }
  return put_utf8(unit, out);
}

std::size_t Utf16Decoder::decode(std::string_view bytes, char* out) {
  char* const begin = out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (!half_) {
      half_byte_ = byte;
      half_ = true;
      continue;
    }
    half_ = false;
    const std::uint32_t unit =
        big_endian_ ? (std::uint32_t{half_byte_} << 8) | byte : (std::uint32_t{byte} << 8) | std::uint32_t{half_byte_};
    out = put(unit, out);
  }
  return static_cast<std::size_t>(out - begin);
}

std::size_t Utf16Decoder::finish(char* out) {
  if (!half_ && high_ == 0) return 0;
  half_ = false;
  high_ = 0;
  ++damaged_;
  return static_cast<std::size_t>(put_utf8(kReplacement, out) - out);
}

char NulFilter::replacement(char before, char behind) {
  const bool long_run = std::exchange(run_, 0) >= kLongRun;
  marks_ = marks_ || long_run;
  if (long_run) return '\0';
  return is_digit(before) && is_digit(behind) ? kSubstitute : ' ';
}

std::size_t NulFilter::apply(char* text, std::size_t size) {
  if (size == 0 || (run_ == 0 && std::memchr(text, '\0', size) == nullptr)) return size;
  std::size_t from = 0;
  std::size_t to = 0;
  if (run_ > 0 && text[0] != '\0') {              // the run ended with the piece before
    const char mark = replacement('0', text[0]);  // what stood before may have been a digit
    std::memmove(text + 1, text, size);
    text[0] = mark;
    from = to = 1;
    ++size;
  }
  while (from < size) {
    if (text[from] == '\0') {
      const std::size_t start = from;
      while (from < size && text[from] == '\0') ++from;
      run_ += static_cast<std::int64_t>(from - start);
      count_ += static_cast<std::int64_t>(from - start);
      if (from < size) {
        const char mark = replacement(to > 0 ? text[to - 1] : '0', text[from]);
        text[to++] = mark;
      }
      continue;
    }
    const auto* nul = static_cast<const char*>(std::memchr(text + from, '\0', size - from));
    const std::size_t length = (nul == nullptr ? size : static_cast<std::size_t>(nul - text)) - from;
    std::memmove(text + to, text + from, length);
    from += length;
    to += length;
  }
  return to;
}

bool NulFilter::mark_at_end() { return run_ > 0 && replacement('\n', '\n') == '\0'; }

CarriageReturns find_carriage_returns(std::string_view start) {
  bool found = false;
  for (std::size_t at = start.find('\r'); at != std::string_view::npos && !found; at = start.find('\r', at + 1)) {
    found = at + 1 < start.size() && start[at + 1] != '\n' && start[at + 1] != '\r';
  }
  if (!found) return CarriageReturns::none;
  return start.find('\n') == std::string_view::npos ? CarriageReturns::alone : CarriageReturns::mixed;
}

}  // namespace wattrein::trace
