#include "trace/json_objects.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace wattrein::trace {
namespace {

/// One word an item: "o:TEXT" an object that starts a document, "+:TEXT" one that goes on, "l:TEXT", "torn", "end".
std::vector<std::string> items_of(const std::string& text) {
  auto input = Input::from_memory(text, "x.json");
  std::vector<std::string> items;
  JsonObjects objects(*input);
  while (items.size() < 100) {
    switch (objects.next()) {
      case JsonObjects::Item::end: items.emplace_back("end"); return items;
      case JsonObjects::Item::line: items.push_back("l:" + std::string(objects.text())); break;
      case JsonObjects::Item::object:
        items.push_back((objects.first() ? "o:" : "+:") + std::string(objects.text()));
        break;
      case JsonObjects::Item::torn: items.emplace_back(objects.at_end() ? "torn at end" : "torn"); break;
      case JsonObjects::Item::too_long: items.emplace_back("too long"); break;
    }
  }
  return items;
}
using Items = std::vector<std::string>;

TEST(JsonObjects, GivesDocumentsAndLines) {
  EXPECT_EQ(items_of("{\"a\":1}\n{\"b\":{\"c\":2}}\n"), (Items{"o:{\"a\":1}", "o:{\"b\":{\"c\":2}}", "end"}));
  EXPECT_EQ(items_of("now\n{\"a\":\n1}\nthen\n"), (Items{"l:now", "o:{\"a\":\n1}", "l:then", "end"}));
  EXPECT_EQ(items_of("[{\"a\":1},{\"a\":2}]\n[\n  {\"a\":3},\n  {\"a\":4}\n]\n"),
            (Items{"o:{\"a\":1}", "+:{\"a\":2}", "o:{\"a\":3}", "+:{\"a\":4}", "end"}));
}

TEST(JsonObjects, BracesInStringsDoNotCount) {
  EXPECT_EQ(items_of(R"({"a":"}\"}"})"), (Items{R"(o:{"a":"}\"}"})", "end"}));
}

TEST(JsonObjects, ADocumentThatWasCutTakesNothingFromTheNext) {
  EXPECT_EQ(items_of("{\n  \"a\": {\n{\n  \"b\": 1\n}\n"), (Items{"torn", "o:{\n  \"b\": 1\n}", "end"}));
  EXPECT_EQ(items_of("{\"a\": 12\n{\"b\": 1}\n"), (Items{"torn", "o:{\"b\": 1}", "end"}));
  EXPECT_EQ(items_of("{\"a\": \"12\n{\"b\": 1}\n"), (Items{"torn", "o:{\"b\": 1}", "end"}));
  EXPECT_EQ(items_of("{\"b\": 1}\n{\"a\": 12"), (Items{"o:{\"b\": 1}", "torn at end", "end"}));
}

TEST(JsonObjects, UnindentedDocumentsHoldTogether) {
  EXPECT_EQ(items_of("{\"l\": [\n{\"a\": 1},\n{\"a\": 2}\n]}\n"),
            (Items{"o:{\"l\": [\n{\"a\": 1},\n{\"a\": 2}\n]}", "end"}));
}

TEST(JsonObjects, RefusesALineBeyondAMebibyte) {
  EXPECT_EQ(items_of("{\"a\": \"" + std::string(std::size_t{2} << 20, 'x') + "\"}\n"), (Items{"too long", "end"}));
}

TEST(PowerOf, ReadsWhatToolsWrite) {
  const auto watts = [](const char* text) {
    const auto json = net::parse_json(text, "x");
    const Reading r = power_of(*json);
    return r.kind == Reading::Kind::value ? r.value : r.kind == Reading::Kind::unknown ? -1.0 : -2.0;
  };
  EXPECT_EQ(watts("71"), 71.0);
  EXPECT_EQ(watts("71.25"), 71.25);
  EXPECT_EQ(watts("\"36.0\""), 36.0);
  EXPECT_EQ(watts("\"71 W\""), 71.0);
  EXPECT_EQ(watts(R"({"value": 71, "unit": "W"})"), 71.0);
  EXPECT_EQ(watts(R"({"value": 71000, "unit": "mW"})"), 71.0);
  EXPECT_EQ(watts(R"({"value": "N/A", "unit": "W"})"), -1.0);
  EXPECT_EQ(watts("\"N/A\""), -1.0);
  EXPECT_EQ(watts("\"N/A (Secondary die)\""), -1.0);
  EXPECT_EQ(watts("null"), -1.0);
  EXPECT_EQ(watts("\"many\""), -2.0);
  EXPECT_EQ(watts("[71]"), -2.0);
  EXPECT_EQ(watts("{}"), -2.0);
}

}  // namespace
}  // namespace wattrein::trace
