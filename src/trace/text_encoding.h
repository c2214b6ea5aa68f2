#pragma once
// What stands between unpacked bytes and lines: UTF-16 into UTF-8, and the NUL bytes of a logger that lost power.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wattrein::trace {

enum class Encoding : std::uint8_t { utf8, utf16_le, utf16_be };

struct DetectedEncoding {
  Encoding encoding = Encoding::utf8;  ///< also for bytes of any other 8-bit encoding, which pass unchanged
  std::size_t mark_bytes = 0;          ///< of the byte order mark
  bool by_pattern = false;             ///< UTF-16 without a mark, known by its alternating NUL bytes
};
/// From the first bytes of a text: a byte order mark, else the zero halves that ASCII has in UTF-16.
[[nodiscard]] DetectedEncoding detect_encoding(std::string_view start);

/// UTF-16 to UTF-8, piece by piece: a unit or a pair of surrogates may straddle two calls. Halves of pairs become
/// U+FFFD and are counted. Threads: one.
class Utf16Decoder {
 public:
  explicit Utf16Decoder(Encoding encoding = Encoding::utf16_le) : big_endian_(encoding == Encoding::utf16_be) {}
  /// At most 3 bytes for every 2, and 6 for what was pending.
  static constexpr std::size_t room_for(std::size_t bytes) { return bytes / 2 * 3 + 6; }
  /// Writes to `out`, which has room_for(bytes.size()); the number of bytes written.
  std::size_t decode(std::string_view bytes, char* out);
  /// The end of the text: what is pending is damage.
  std::size_t finish(char* out);
  [[nodiscard]] std::int64_t damaged() const { return damaged_; }

 private:
  char* put(std::uint32_t unit, char* out);

  bool big_endian_;
  bool half_ = false;
  unsigned char half_byte_ = 0;
  std::uint32_t high_ = 0;  ///< a high surrogate that waits for its other half; 0 = none
  std::int64_t damaged_ = 0;
};

/// Takes NUL bytes out of a text. A short run (the padding of a fixed-size field) becomes one blank, between digits a
/// substitute character (0x1a): what stands on both sides is never read as one number. A long one (a block that was
/// never written) becomes a single NUL as a mark, at which Input ends the line: what stands before it was cut. Text
/// without NULs is searched once and not moved. Threads: one.
class NulFilter {
 public:
  /// In place; `text` has room for one byte more than `size`. The new size.
  std::size_t apply(char* text, std::size_t size);
  /// At the end of the text: whether a mark is to follow, for a long run that nothing came behind.
  [[nodiscard]] bool mark_at_end();
  [[nodiscard]] bool has_marks() const { return marks_; }
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t run() const { return run_; }  ///< NULs in a row up to here

 private:
  char replacement(char before, char behind);

  std::int64_t count_ = 0;
  std::int64_t run_ = 0;
  bool marks_ = false;
};

/// Whether carriage returns end lines in `start`: one is followed by neither "\n" nor another.
enum class CarriageReturns : std::uint8_t {
  none,   ///< or only before "\n"
  alone,  ///< the only line ends: an old Mac's text
  mixed,  ///< between lines that end in "\n": a progress bar
};
[[nodiscard]] CarriageReturns find_carriage_returns(std::string_view start);

}  // namespace wattrein::trace
