// Bytes that are not plain UTF-8 lines, as loggers and shells leave them.
#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <string>

#include "base/text.h"
#include "trace/input.h"
#include "trace/read.h"
#include "trace/text_encoding.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

using Lines = std::vector<std::string>;

std::string utf16(std::u16string_view text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const auto low = static_cast<char>(unit & 0xff);
    const auto high = static_cast<char>(unit >> 8);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

struct Taken {
  Lines lines;
  Lines notes;
  std::string head;
  bool torn = false;
  std::int64_t last_line = 0;
};

Taken take(std::string_view content) {
  Taken taken;
  auto input = Input::from_memory(content, "f");
  EXPECT_TRUE(input) << input.error().message();
  if (!input) return taken;
  taken.head = std::string(input->head());
  for (std::string_view line; input->next_line(line);) taken.lines.emplace_back(line);
  taken.notes = input->encoding_notes();
  taken.torn = input->last_line_torn();
  taken.last_line = input->line_number();
  return taken;
}

constexpr std::u16string_view kLog16 =
    u"time,gpu,power_w,name\r\n1718369824,0,71.5,\u00e4\u20ac\U0001f600\r\n1718369825,0,72.5,b\r\n";
constexpr std::string_view kLog8 =
    "time,gpu,power_w,name\n1718369824,0,71.5,\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\n1718369825,0,72.5,b\n";

TEST(Encodings, Utf16OfEitherOrderWithAndWithoutAMark) {
  const Lines expected = take(kLog8).lines;
  ASSERT_EQ(expected.size(), 3U);
  for (const bool big_endian : {false, true}) {
    const std::string_view order = big_endian ? "BE" : "LE";
    const Taken marked = take(utf16(u"\ufeff", big_endian) + utf16(kLog16, big_endian));
    EXPECT_EQ(marked.lines, expected) << order;
    EXPECT_FALSE(marked.torn);
    ASSERT_EQ(marked.notes.size(), 1U);
    EXPECT_EQ(marked.notes[0], "The file is UTF-16 " + std::string(order) + ".");
    const Taken bare = take(utf16(kLog16, big_endian));
    EXPECT_EQ(bare.lines, expected) << order;
    ASSERT_EQ(bare.notes.size(), 1U);
    EXPECT_NE(bare.notes[0].find("no byte order mark"), std::string::npos) << bare.notes[0];
  }
}

TEST(Encodings, Utf16IsReadAsATraceAndSaid) {
  const auto trace = read_memory("\xff\xfe" + utf16(kLog16, false), "log.csv", {});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.5, 72.5}));
  EXPECT_TRUE(mentions(*trace, "The file is UTF-16 LE."));
}

TEST(Encodings, Utf16MayBeLongAndStraddleChunks) {
  std::u16string text = u"\ufeff";
  std::string expected;
  for (int i = 0; i < 60'000; ++i) {
    text += u"\U0001f600";  // a pair of surrogates at every offset
    expected += "\xf0\x9f\x98\x80";
    if (i % 997 == 0) {
      text += u"a\n";
      expected += "a\n";
    }
  }
  std::string joined;
  for (const std::string& line : take(utf16(text, false)).lines) joined += line + "\n";
  joined.pop_back();  // the last line has no end
  EXPECT_EQ(joined, expected);
}

TEST(Encodings, HalvesOfPairsAndACutUnitAreReplacedAndCounted) {
  std::u16string text = u"\ufeffab";
  text += char16_t{0xd83d};  // a high half before "c"
  text += u'c';
  text += char16_t{0xde00};                            // a low half alone
  const Taken taken = take(utf16(text, false) + "x");  // and half a unit
  EXPECT_EQ(taken.lines, (Lines{"ab\xef\xbf\xbd"
                                "c\xef\xbf\xbd\xef\xbf\xbd"}));
  ASSERT_EQ(taken.notes.size(), 2U);
  EXPECT_EQ(taken.notes[1].substr(0, 19), "3 UTF-16 characters");
}

TEST(Encodings, ShortTextsAndNulBlocksAreNoUtf16) {
  EXPECT_EQ(detect_encoding(std::string_view("a\0b\0", 4)).encoding, Encoding::utf8);
  EXPECT_EQ(detect_encoding(std::string(4096, '\0')).encoding, Encoding::utf8);
  EXPECT_EQ(detect_encoding(std::string(2000, '\0') + std::string(2000, 'a')).encoding, Encoding::utf8);
  EXPECT_EQ(detect_encoding("plain ASCII text").encoding, Encoding::utf8);
}

TEST(Encodings, Utf32IsRefusedByName) {
  const auto input = Input::from_memory(std::string_view("\xff\xfe\0\0t\0\0\0", 8), "f");
  ASSERT_FALSE(input);
  EXPECT_NE(input.error().what.find("UTF-32"), std::string::npos);
}

TEST(Encodings, AMarkInTheMiddleComesFromAFileThatWasAppended) {
  EXPECT_EQ(take("a\n\xef\xbb\xbf"
                 "b\n")
                .lines,
            (Lines{"a", "b"}));
}

TEST(Encodings, Latin1PassesAndMessagesStayUtf8) {
  std::string log = "time,gpu,power_w,caf\xe9\n";
  for (int i = 0; i < 30; ++i) log += std::to_string(1718369824 + i) + ",0,71.5,\xb0\n";
  log += "1718369900,0,7\xa4,\xff\n";
  const auto trace = read_memory(log, "log.csv", {});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].size(), 30U);
  ASSERT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->understanding.first_damaged[0].reason, "the power '7\\xa4' cannot be read");
  const auto refused = read_memory("caf\xe9 \xff\n", "log.csv", {});
  ASSERT_FALSE(refused);
  for (std::string_view text = refused.error().what; !text.empty(); text.remove_prefix(utf8_length(text))) {
    ASSERT_GT(utf8_length(text), 0U) << refused.error().what;
  }
}

// --- NUL bytes ------------------------------------------------------------------------------------------------

const std::string kHole(5000, '\0');

TEST(Encodings, ABlockOfNulsIsLeftOutWithTheLineThatItCut) {
  const Taken taken = take("a\nb\nc,7" + kHole + "d\ne\n");
  EXPECT_EQ(taken.lines, (Lines{"a", "b", "d", "e"}));
  EXPECT_EQ(taken.last_line, 4);  // "c,7" and "d" stand on the third
  ASSERT_EQ(taken.notes.size(), 1U);
  EXPECT_EQ(
      taken.notes[0],
      "5000 NUL bytes were left out, as a logger leaves them that loses power; so was the line that they cut off.");
  EXPECT_EQ(take("a\n" + kHole + "b\n").lines, (Lines{"a", "b"}));
  EXPECT_EQ(take("a\n" + kHole + "\nb\n").lines, (Lines{"a", "b"}));  // a line of NULs is no line
  EXPECT_EQ(take("a" + kHole + "\nb\n").lines, (Lines{"a", "b"}));    // a padded record is whole
  EXPECT_EQ(take("a\n" + kHole).lines, (Lines{"a"}));                 // a file allocated ahead
  EXPECT_FALSE(take("a\n" + kHole).torn);
  EXPECT_EQ(take("a\nb,7" + kHole).lines, (Lines{"a"}));  // cut off at the end
  EXPECT_EQ(take("a" + kHole + "b" + kHole + "c\n").lines, (Lines{"c"}));
  EXPECT_EQ(take("a\n" + kHole + "b\n").notes[0].find("cut off"), std::string::npos);
}

TEST(Encodings, AFewNulsArePaddingAndNeverJoinDigits) {
  const Taken taken =
      take(std::string("gpu0\0\0\0\0,71\n7\0"
                       "1\n",
                       16));
  ASSERT_EQ(taken.lines.size(), 2U);
  EXPECT_EQ(trim(taken.lines[0].substr(0, taken.lines[0].find(','))), "gpu0");
  EXPECT_EQ(taken.lines[1],
            "7\x1a"
            "1");
  ASSERT_EQ(taken.notes.size(), 1U);
  EXPECT_EQ(taken.notes[0].substr(0, 22), "5 NUL bytes were left ");
}

TEST(Encodings, NulsMayStraddleChunks) {
  // Runs that begin and end at every place around the chunks' limits.
  for (std::size_t start = 65'530; start < 65'542; ++start) {
    for (const std::size_t run : {std::size_t{1}, std::size_t{64}, std::size_t{65'536}, std::size_t{200'000}}) {
      const std::string content = std::string(start - 1, 'x') + "\n" + std::string(run, '\0') + "tail\nend\n";
      const Taken taken = take(content);
      ASSERT_EQ(taken.lines.size(), 3U) << start << " " << run;
      EXPECT_EQ(trim(taken.lines[1]), "tail");
      EXPECT_EQ(taken.lines[2], "end");
      ASSERT_EQ(taken.notes.size(), 1U);
      EXPECT_EQ(taken.notes[0].substr(0, taken.notes[0].find(' ')), std::to_string(run));
    }
  }
}

TEST(Encodings, AFileOfNulsSaysSo) {
  const auto input = Input::from_memory(kHole, "f");
  ASSERT_FALSE(input);
  EXPECT_EQ(input.error().what, "the file holds nothing but NUL bytes");
}

TEST(Encodings, ALogThatLostPowerKeepsItsGoodRows) {
  std::string log = "time,gpu,power_w\n";
  for (int i = 0; i < 10; ++i) log += std::to_string(1718369824 + i) + ",0,71.5\n";
  log += "1718369834,0,7" + kHole;  // the 7 of 72.5
  for (int i = 20; i < 30; ++i) log += std::to_string(1718369824 + i) + ",0,72.5\n";
  const auto trace = read_memory(log, "log.csv", {});
  ASSERT_TRUE(trace) << trace.error().message();
  Powers expected(10, 71.5);
  expected.resize(20, 72.5);
  EXPECT_EQ(trace->series[0].power_w, expected);
  EXPECT_TRUE(mentions(*trace, "5000 NUL bytes were left out"));
}

// --- Ends of lines --------------------------------------------------------------------------------------------

TEST(Encodings, CarriageReturnsAloneEndLines) {
  const Taken taken = take("a\rb\r\rc\r");
  EXPECT_EQ(taken.lines, (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(taken.last_line, 4);
  EXPECT_FALSE(taken.torn);
  EXPECT_EQ(taken.head, "a\nb\n\nc\n");
  EXPECT_EQ(taken.notes, (Lines{"Its lines end in carriage returns alone."}));
  const auto trace = read_memory("time,gpu,power_w\r1718369824,0,71.5\r1718369825,0,72.5\r", "log.csv", {});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.5, 72.5}));
}

TEST(Encodings, AProgressBarBetweenTheRows) {
  const auto trace = read_memory(
      "time,gpu,power_w\n  5 %|#\r 10 %|##\r1718369824,0,71.5\n1718369825,0,72.5\r\n 15 %|###\r1718369826,0,73.5\n",
      "log.csv", {});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{71.5, 72.5, 73.5}));
  EXPECT_EQ(trace->understanding.damaged, 0);
  EXPECT_EQ(take("h\nx\ry\nz\n").last_line, 3);  // as an editor counts
}

TEST(Encodings, CarriageReturnsBeforeANewlineAreNoLines) {
  EXPECT_EQ(take("a\r\nb\r\n").notes.size(), 0U);
  EXPECT_EQ(take("a\r\r\nb\r\r\n").notes.size(), 0U);
}

// --- Archives -------------------------------------------------------------------------------------------------

std::string gzip(std::string_view text) {
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&z, text.size()), '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

TEST(Encodings, AnArchiveOfNothingBlownUpIsNotReadToItsEnd) {
  const std::string packed = gzip(std::string(std::size_t{70} << 20, '\n'));
  auto input = Input::from_memory(packed, "f.gz");
  ASSERT_TRUE(input);
  std::int64_t lines = 0;
  for (std::string_view line; input->next_line(line);) ++lines;
  ASSERT_NE(input->error(), nullptr);
  EXPECT_NE(input->error()->what.find("blown up more than 1000 times"), std::string::npos);
  EXPECT_LT(lines, std::int64_t{70} << 20);
  const auto trace = read_memory(packed, "f.gz", {.format = "csv"});
  ASSERT_FALSE(trace);
}

}  // namespace
}  // namespace wattrein::trace
