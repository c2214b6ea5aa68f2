#include "trace/json_stream.h"

#include <gtest/gtest.h>

#include <vector>

namespace wattrein::trace {
namespace {

struct Document {
  std::string text{};
  std::string before{};
  std::int64_t line = 0;
  bool operator==(const Document&) const = default;
};

std::vector<Document> cut(const std::string& content, bool* torn = nullptr) {
  auto input = Input::from_memory(content, "stream");
  std::vector<Document> all;
  if (!input) return all;
  JsonStream stream(*input);
  while (stream.next()) all.push_back({std::string(stream.text()), std::string(stream.before()), stream.line()});
  if (torn != nullptr) *torn = stream.torn();
  return all;
}

TEST(JsonStream, CutsByBracketsAndNotByThoseInStrings) {
  EXPECT_EQ(cut("{\"a\": \"}{\\\"\"}[1]\n {\n}\n"),
            (std::vector<Document>{{"{\"a\": \"}{\\\"\"}", "", 1}, {"[1]", "", 1}, {"{\n}", "", 2}}));
}

TEST(JsonStream, GivesTheTextBetween) {
  EXPECT_EQ(cut("one\n{}\n\n two \n[]"), (std::vector<Document>{{"{}", "one", 2}, {"[]", "two", 5}}));
}

TEST(JsonStream, ALineThatBeginsAnewEndsATornDocument) {
  EXPECT_EQ(cut("{\"a\": \"to\n{\"b\": 1}\n"),
            (std::vector<Document>{{"{\"a\": \"to\n", "", 1}, {"{\"b\": 1}", "", 2}}));
}

TEST(JsonStream, SaysThatTheEndIsTorn) {
  bool torn = false;
  EXPECT_EQ(cut("{}\n{\"a\": ", &torn).size(), 1U);
  EXPECT_TRUE(torn);
  cut("{}\n", &torn);
  EXPECT_FALSE(torn);
}

}  // namespace
}  // namespace wattrein::trace
