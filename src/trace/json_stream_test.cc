#include "trace/json_stream.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wattrein::trace {
namespace {

/// One word an item: "o:TEXT" an object that starts a document, "+:TEXT" one that goes on, "l:TEXT", "torn", "end".
std::vector<std::string> items_of(const std::string& text) {
  auto input = Input::from_memory(text, "x.json");
  std::vector<std::string> items;
  if (!input) return items;
  JsonStream stream(*input);
  while (items.size() < 100) {
    switch (stream.next()) {
      case JsonStream::Item::end: items.emplace_back("end"); return items;
      case JsonStream::Item::line: items.push_back("l:" + std::string(stream.text())); break;
      case JsonStream::Item::object:
        items.push_back((stream.first() ? "o:" : "+:") + std::string(stream.text()));
        break;
      case JsonStream::Item::torn: items.emplace_back(stream.at_end() ? "torn at end" : "torn"); break;
      case JsonStream::Item::too_long: items.emplace_back("too long"); break;
    }
  }
  return items;
}
using Items = std::vector<std::string>;

TEST(JsonStream, GivesDocumentsAndLines) {
  EXPECT_EQ(items_of("{\"a\":1}\n{\"b\":{\"c\":2}}\n"), (Items{"o:{\"a\":1}", "o:{\"b\":{\"c\":2}}", "end"}));
  EXPECT_EQ(items_of("now\n{\"a\":\n1}\nthen\n"), (Items{"l:now", "o:{\"a\":\n1}", "l:then", "end"}));
  EXPECT_EQ(items_of("{\"a\":1}{\n}\n {\"a\": 2} x\n"), (Items{"o:{\"a\":1}", "o:{\n}", "o:{\"a\": 2}", "l:x", "end"}));
}

TEST(JsonStream, GivesTheObjectsOfAnArrayAsOneDocument) {
  EXPECT_EQ(items_of("[{\"a\":1},{\"a\":2}]\n[\n  {\"a\":3},\n  {\"a\":4}\n]\n{}"),
            (Items{"o:{\"a\":1}", "+:{\"a\":2}", "o:{\"a\":3}", "+:{\"a\":4}", "o:{}", "end"}));
  EXPECT_EQ(items_of("[[{\"a\":1}, {\"a\":2}]]\n{}\n[]\n"), (Items{"o:{\"a\":1}", "+:{\"a\":2}", "o:{}", "end"}));
}

TEST(JsonStream, BracketsInStringsDoNotCount) {
  EXPECT_EQ(items_of(R"({"a":"}\"}]["})"), (Items{R"(o:{"a":"}\"}]["})", "end"}));
}

TEST(JsonStream, AStampMayStandInTheObjectsLine) {
  EXPECT_EQ(items_of("1700000000 {\"a\": 1}\n"), (Items{"l:1700000000", "o:{\"a\": 1}", "end"}));
  EXPECT_EQ(items_of("10:00:00\t{\n  \"a\": 1\n}\n"), (Items{"l:10:00:00", "o:{\n  \"a\": 1\n}", "end"}));
  EXPECT_EQ(items_of("now [{\"a\": 1}, {}]\n"), (Items{"l:now", "o:{\"a\": 1}", "+:{}", "end"}));
}

TEST(JsonStream, BracketsInTextOpenNothing) {
  for (const char* line : {"[2026-11-30 10:00:00]", "[INFO] {set}", "0,171,\"['N/A', 'N/A']\"", "1,\"{\"\"a\"\": 1}\"",
                           "\"PowerLimit\": {\"LimitInWatts\": 5}", "[1, 2]"}) {
    EXPECT_EQ(items_of(std::string(line) + "\n{}\n"), (Items{std::string("l:") + line, "o:{}", "end"}));
  }
}

TEST(JsonStream, ADocumentThatWasCutTakesNothingFromTheNext) {
  EXPECT_EQ(items_of("{\n  \"a\": {\n{\n  \"b\": 1\n}\n"), (Items{"torn", "o:{\n  \"b\": 1\n}", "end"}));
  EXPECT_EQ(items_of("{\n{\n  \"b\": 1\n}\n"), (Items{"torn", "o:{\n  \"b\": 1\n}", "end"}));
  EXPECT_EQ(items_of("{\"a\": 12\n{\"b\": 1}\n"), (Items{"torn", "o:{\"b\": 1}", "end"}));
  EXPECT_EQ(items_of("{\"a\": \"12\n{\"b\": 1}\n"), (Items{"torn", "o:{\"b\": 1}", "end"}));
  EXPECT_EQ(items_of("{\"a\": 1, \"l\": [\n{\"a\": 2}\n"), (Items{"torn", "o:{\"a\": 2}", "end"}));
  EXPECT_EQ(items_of("[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\":\n[\n  {\n    \"a\": 2\n  }\n]\n"),
            (Items{"o:{\n    \"a\": 1\n  }", "torn", "o:{\n    \"a\": 2\n  }", "end"}));
}

TEST(JsonStream, ADocumentThatWasCutTakesNoStampFromTheNext) {
  EXPECT_EQ(items_of("{\n  \"a\": 1,\n17:41:14\n{}\n"), (Items{"torn", "l:17:41:14", "o:{}", "end"}));
  EXPECT_EQ(items_of("{\n  \"a\": \"b\n17:41:14\n{}\n"), (Items{"torn", "l:17:41:14", "o:{}", "end"}));
  EXPECT_EQ(items_of("{\"a\": 1\n17:41:14\n{}\n"), (Items{"torn", "l:17:41:14", "o:{}", "end"}));
  EXPECT_EQ(items_of("{\"a\": [\nMon Nov 30\n{}\n"), (Items{"torn", "l:Mon Nov 30", "o:{}", "end"}));
}

/// What is left of an object whose string was cut is no object of its own.
TEST(JsonStream, TheRestOfABrokenObjectIsPassedOver) {
  EXPECT_EQ(items_of("{\n  \"a\": \"b\n  \"c\": [\n    {\n      \"d\": 1\n    }\n  ]\n}\n{\"e\": 1}\n"),
            (Items{"torn", "o:{\"e\": 1}", "end"}));
}

TEST(JsonStream, OnlyTheEndOfTheFileIsTornAtEnd) {
  EXPECT_EQ(items_of("{\"b\": 1}\n{\"a\": 12"), (Items{"o:{\"b\": 1}", "torn at end", "end"}));
  EXPECT_EQ(items_of("{\"b\": 1}\n{\"a\": \"12\n"), (Items{"o:{\"b\": 1}", "torn at end", "end"}));
  EXPECT_EQ(items_of("{\"a\": 12\n{\"b\": 1}"), (Items{"torn", "o:{\"b\": 1}", "end"}));
}

TEST(JsonStream, UnindentedDocumentsHoldTogether) {
  EXPECT_EQ(items_of("{\"l\": [\n{\"a\": 1},\n{\"a\": 2}\n]}\n"),
            (Items{"o:{\"l\": [\n{\"a\": 1},\n{\"a\": 2}\n]}", "end"}));
  EXPECT_EQ(items_of("{\n\n\"a\":\n1\n,\"b\": [\n-1\n,\ntrue]}\n"),
            (Items{"o:{\n\n\"a\":\n1\n,\"b\": [\n-1\n,\ntrue]}", "end"}));
}

TEST(JsonStream, ALineBeyondAMebibyteCostsOneObject) {
  EXPECT_EQ(items_of("{\"a\": \"" + std::string(std::size_t{2} << 20, 'x') + "\"}\n{}\n"),
            (Items{"too long", "o:{}", "end"}));
}

TEST(JsonStream, AnObjectBeyond16MebibytesCostsOneObject) {
  std::string text = "{\"a\": [\n";
  const std::string line = std::string(std::size_t{1} << 19, ' ') + "{},\n";
  for (int i = 0; i < 33; ++i) text += line;
  EXPECT_EQ(items_of(text + "  1]}\n{}\n"), (Items{"too long", "o:{}", "end"}));
}

TEST(JsonStream, KnowsWhereItsItemsStand) {
  auto input = Input::from_memory("now\n[\n{\n},\n{}]\n", "x.json");
  JsonStream stream(*input);
  for (const std::int64_t line : {1, 3, 5}) {
    ASSERT_NE(stream.next(), JsonStream::Item::end);
    EXPECT_EQ(stream.line(), line);
    EXPECT_EQ(stream.place(), "x.json:" + std::to_string(line));
  }
}

TEST(ReadJsonStream, CountsWhatIsNoObjectAsDamaged) {
  auto input =
      Input::from_memory("now\n{\"a\": 1}\n{a}\n{\"a\": 1, \"a\": 2}\n{\"a\": \n{\"a\": 2}\n{\"a\": ", "x.json");
  JsonStream stream(*input);
  Builder builder("x.json", "json");
  std::vector<std::int64_t> seen;
  int texts = 0;
  EXPECT_TRUE(read_json_stream(
      stream, builder, [&](const net::Json& json) { seen.push_back(std::get<std::int64_t>(json.find("a")->value())); },
      [&] { ++texts; }));
  EXPECT_EQ(seen, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(texts, 1);
  const Understanding& u = builder.understanding();
  EXPECT_EQ(u.damaged, 3);
  ASSERT_EQ(u.first_damaged.size(), 3U);
  EXPECT_EQ(u.first_damaged[0].where, "x.json:3");
  EXPECT_EQ(u.first_damaged[1].where, "x.json:4");
  EXPECT_EQ(u.first_damaged[1].reason, "the key 'a' stands twice in one object, with different values");
  EXPECT_EQ(u.first_damaged[2].where, "x.json:5");
  EXPECT_EQ(u.first_damaged[2].reason, "the JSON document is cut in the middle");
}

}  // namespace
}  // namespace wattrein::trace
