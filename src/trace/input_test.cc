#include "trace/input.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>

namespace wattrein::trace {
namespace {

std::string gzip(std::string_view text) {
  z_stream z{};
  EXPECT_EQ(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(text.size() + 1000, '\0');
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&z, Z_FINISH), Z_STREAM_END);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

std::string zstd(std::string_view text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

std::vector<std::string> lines_of(Input& input) {
  std::vector<std::string> lines;
  for (std::string_view line; input.next_line(line);) lines.emplace_back(line);
  return lines;
}

std::vector<std::string> lines_of(std::string_view content) {
  auto input = Input::from_memory(content, "f");
  EXPECT_TRUE(input) << input.error().message();
  return input ? lines_of(*input) : std::vector<std::string>{};
}

std::string message_of(std::string_view content) {
  const auto input = Input::from_memory(content, "power.csv");
  return input ? "read" : input.error().message();
}

using Lines = std::vector<std::string>;

TEST(Input, LinesEndInEitherWay) {
  auto input = Input::from_memory(
      "\xef\xbb\xbf"
      "a\r\nb\n\nc",
      "f");
  ASSERT_TRUE(input);
  EXPECT_EQ(input->head(), "a\r\nb\n\nc");  // the byte order mark is gone
  EXPECT_EQ(lines_of(*input), (Lines{"a", "b", "", "c"}));
  EXPECT_EQ(input->line_number(), 4);
  EXPECT_EQ(input->place(), "f:4");
  EXPECT_TRUE(input->last_line_torn());
  EXPECT_EQ(input->error(), nullptr);
}

TEST(Input, UnpacksByContent) {
  EXPECT_EQ(lines_of(gzip("a\nb\n")), (Lines{"a", "b"}));
  EXPECT_EQ(lines_of(zstd("a\nb\n")), (Lines{"a", "b"}));
}

TEST(Input, JoinsConcatenatedMembers) {
  EXPECT_EQ(lines_of(gzip("a\nb") + gzip("c\nd\n")), (Lines{"a", "bc", "d"}));
  EXPECT_EQ(lines_of(zstd("a\nb") + zstd("c\nd\n")), (Lines{"a", "bc", "d"}));
  EXPECT_EQ(lines_of(gzip("a\n") + std::string(512, '\0')), (Lines{"a"}));
}

TEST(Input, KeepsWhatStoodBeforeACut) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += std::to_string(i * 7919 % 100'003) + "\n";
  for (const std::string& packed : {gzip(text), zstd(text)}) {
    auto input = Input::from_memory(std::string_view(packed).substr(0, packed.size() * 3 / 4), "f");
    ASSERT_TRUE(input);
    const Lines lines = lines_of(*input);
    EXPECT_GT(lines.size(), 10'000U);
    EXPECT_LT(lines.size(), 200'000U);
    EXPECT_EQ(lines[10'000], std::to_string(10'000LL * 7919 % 100'003));
    ASSERT_NE(input->error(), nullptr);
    EXPECT_NE(input->error()->what.find("ends early"), std::string::npos);
  }
}

TEST(Input, DamageInsideAnArchiveEndsTheStream) {
  const std::string packed = gzip("a\n") + "junk";
  auto trailing = Input::from_memory(packed, "f");
  ASSERT_TRUE(trailing);
  EXPECT_EQ(lines_of(*trailing), (Lines{"a"}));
  ASSERT_NE(trailing->error(), nullptr);
}

/// How reading ended: what was wrong, or the lines.
std::string end_of(const std::string& content) {
  auto input = Input::from_memory(content, "f");
  if (!input) return input.error().what;
  std::string lines;
  for (const std::string& line : lines_of(*input)) lines += line + " ";
  return input->error() == nullptr ? lines : lines + input->error()->what;
}

TEST(Input, ACutZstdSaysAsMuchAsACutGzip) {
  for (const auto& [packed, name] : {std::pair{gzip("a\nb\n"), "gzip"}, {zstd("a\nb\n"), "zstd"}}) {
    const std::string early = std::string("the ") + name + " stream ends early: the file was cut";
    EXPECT_TRUE(end_of(packed.substr(0, packed.size() - 3)).ends_with(early)) << name;
    EXPECT_EQ(end_of(packed + packed.substr(0, 1)), "a b " + early);  // the next member's first byte
    EXPECT_EQ(end_of(packed + "junk"),
              std::string("a b the ") + name + " stream is followed by bytes that do not belong to it");
    EXPECT_EQ(end_of(packed + std::string(512, '\0')), "a b ");
  }
}

TEST(Input, RefusesWhatHoldsNothing) {
  EXPECT_EQ(message_of("").substr(0, 28), "power.csv: the file is empty");
  EXPECT_EQ(message_of("\xef\xbb\xbf").substr(0, 28), "power.csv: the file is empty");
  EXPECT_NE(message_of(gzip("")).find("the gzip archive holds nothing"), std::string::npos);
  EXPECT_NE(message_of(zstd("")).find("the zstd archive holds nothing"), std::string::npos);
  EXPECT_NE(message_of(std::string_view("\x1f\x8b", 2)).find("ends early"), std::string::npos);
}

TEST(Input, SaysWhatItCannotRead) {
  EXPECT_NE(message_of("BZh91AY").find("bzip2"), std::string::npos);
  EXPECT_NE(message_of(std::string_view("\xff\xfe\0\0t\0\0\0", 8)).find("iconv"), std::string::npos);
}

TEST(Input, CutsEndlessLines) {
  const std::string text = std::string(3'000'000, 'x') + "\nnext\n";
  auto input = Input::from_memory(text, "f");
  ASSERT_TRUE(input);
  std::string_view line;
  ASSERT_TRUE(input->next_line(line));
  EXPECT_EQ(line.size(), std::size_t{1} << 20);
  EXPECT_TRUE(input->line_cut());
  ASSERT_TRUE(input->next_line(line));
  EXPECT_EQ(line, "next");
  EXPECT_FALSE(input->line_cut());
}

TEST(Input, LinesMayStraddleItsBuffers) {
  std::string text;
  for (int i = 0; i < 300'000; ++i) text += std::to_string(i) + "\n";
  const Lines lines = lines_of(text);
  ASSERT_EQ(lines.size(), 300'000U);
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i], std::to_string(i));
}

TEST(Input, ReadsAllOrRefusesIt) {
  auto input = Input::from_memory("one\ntwo\n", "f");
  std::string_view line;
  ASSERT_TRUE(input->next_line(line));
  EXPECT_EQ(input->read_all(100).value_or(""), "two\n");
  auto large = Input::from_memory("one\ntwo\n", "f");
  EXPECT_FALSE(large->read_all(7));
}

class InputFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("wattrein-input-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_ / "logs");
    std::ofstream(folder_ / "logs/a.csv") << "x\ny\n";
    std::ofstream(folder_ / "logs/empty.gz");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::filesystem::path folder_;
};

TEST_F(InputFile, OpensUnderTheRoot) {
  auto input = Input::open("/logs/a.csv", FsRoot(folder_));
  ASSERT_TRUE(input);
  EXPECT_EQ(lines_of(*input), (Lines{"x", "y"}));
  EXPECT_FALSE(input->last_line_torn());
}

TEST_F(InputFile, SaysWhyItCannotOpen) {
  const FsRoot root(folder_);
  const auto missing = Input::open("/logs/b.csv", root);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::environment);
  EXPECT_EQ(missing.error().where, "/logs/b.csv");
  EXPECT_EQ(missing.error().what, "there is no such file");
  const auto folder = Input::open("/logs", root);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(folder.error().what, "this is a directory");
  const auto empty = Input::open("/logs/empty.gz", root);
  ASSERT_FALSE(empty);
  EXPECT_EQ(empty.error().what, "the file is empty");
  if (::geteuid() == 0) return;  // root may read everything
  ::chmod((folder_ / "logs/a.csv").c_str(), 0);
  const auto denied = Input::open("/logs/a.csv", root);
  ASSERT_FALSE(denied);
  EXPECT_EQ(denied.error().kind, ErrorKind::environment);
}

}  // namespace
}  // namespace wattrein::trace
