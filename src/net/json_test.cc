#include "net/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/rng.h"

namespace wattrein::net {
namespace {

Json parsed(std::string_view text) {
  const auto json = parse_json(text, "f.json");
  EXPECT_TRUE(json) << text << ": " << (json ? "" : json.error().message());
  return json.value_or(Json());
}

/// Whole numbers are kept as integers.
double number(const Json& json) {
  const auto* whole = std::get_if<std::int64_t>(&json.value());
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(json.value());
}

TEST(ParseJson, KeepsEachKindOfValue) {
  const Json json = parsed(R"( {"a": [1, -2.5, true, null, "x"], "b": {}, "c": 18446744073709551615} )");
  const Json::Array& a = *json.find("a")->array();
  EXPECT_EQ(std::get<std::int64_t>(a[0].value()), 1);
  EXPECT_EQ(std::get<double>(a[1].value()), -2.5);
  EXPECT_EQ(std::get<bool>(a[2].value()), true);
  EXPECT_TRUE(a[3].is_null());
  EXPECT_EQ(*a[4].string(), "x");
  EXPECT_TRUE(json.find("b")->object()->empty());
  EXPECT_EQ(std::get<double>(json.find("c")->value()), 18446744073709551616.0);  // too large for int64
  EXPECT_EQ(json.find("d"), nullptr);
  EXPECT_EQ(a[0].find("a"), nullptr);
}

TEST(ParseJson, ObjectsKeepTheirOrderAndEachKeyOnce) {
  const Json json = parsed(R"({"z": 1, "a": 2, "z": 1.0, "m": {"z": [1, "x"]}, "b": 3, "m": {"z": [1, "x"]}})");
  const Json::Object& members = *json.object();
  ASSERT_EQ(members.size(), 4U);
  EXPECT_EQ(members[0].first, "z");
  EXPECT_EQ(members[1].first, "a");
  EXPECT_EQ(members[2].first, "m");
  EXPECT_EQ(members[3].first, "b");
  EXPECT_EQ(std::get<std::int64_t>(members[0].second.value()), 1);
  EXPECT_EQ(number(members[3].second), 3);
  EXPECT_EQ(parsed(R"({"a": 1, "\u0061": 1})").object()->size(), 1U);  // the same key, written in two ways
}

TEST(ParseJson, AKeyWithTwoValuesIsRefusedOrNamed) {
  for (const char* text : {R"({"power": 70, "power": 700})", R"([{"x": {"power": 70, "gpu": 0, "power": null}}])",
                           R"({"power": 70, "power": 70, "power": 71})", R"({"power": 70, "power": "70"})",
                           R"({"power": {"a": 1}, "power": {"b": 1}})"}) {
    const auto refused = parse_json(text, "f.json");
    ASSERT_FALSE(refused) << text;
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(refused.error().what, "the key 'power' stands twice in one object, with different values") << text;
    std::string key;
    EXPECT_TRUE(parse_json(text, "f.json", &key)) << text;
    EXPECT_EQ(key, "power") << text;
  }
  EXPECT_EQ(parse_json(R"({"p": 70, "p": 700} )", "f.json").error().where, "f.json: byte 18");
  std::string key;
  const auto first = parse_json(R"({"p": 70, "q": 1, "p": 700})", "f.json", &key);
  ASSERT_TRUE(first);
  EXPECT_EQ(number(*first->find("p")), 70);
  EXPECT_EQ(first->object()->size(), 2U);
  // The same key in different objects is no question.
  key.clear();
  EXPECT_TRUE(parse_json(R"([{"p": 1}, {"p": 2, "q": {"p": 3}}])", "f.json", &key));
  EXPECT_EQ(key, "");
}

TEST(ParseJson, AKeyInABrokenDocumentDoesNotHideThatItIsBroken) {
  const auto broken = parse_json(R"({"p": 70, "p": 700)", "f.json");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().what.find("ends too early"), std::string::npos);
}

TEST(ParseJson, UndoesEscapes) {
  EXPECT_EQ(*parsed(R"("a\n\t\"\\\/\u00e4\ud83d\udd0c")").string(), "a\n\t\"\\/\xc3\xa4\xf0\x9f\x94\x8c");
  EXPECT_EQ(*parsed(R"({"k\u0041\n": "v"})").find("kA\n")->string(), "v");
}

TEST(ParseJson, DoublesAreReadToTheLastBit) {
  Rng rng(1);
  for (int i = 0; i < 20'000; ++i) {
    const double x = rng.normal() * std::pow(10.0, static_cast<double>(rng.below(40)) - 20);
    JsonWriter out;
    out.value(x);
    ASSERT_EQ(number(parsed(out.take())), x);
  }
  EXPECT_EQ(std::get<double>(parsed("1435781430.781").value()), 1435781430.781);
  EXPECT_EQ(std::get<double>(parsed("2.2250738585072011e-308").value()), 2.2250738585072011e-308);
}

TEST(ParseJson, Takes64LevelsAndRefuses65) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  parsed(nested(64));
  const auto refused = parse_json(nested(65), "deep.json");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(refused.error().where, "deep.json: byte 64");
  EXPECT_FALSE(parse_json(nested(1'000'000), "deep.json"));
}

struct Refusal {
  const char* text;
  const char* where;
  const char* what;
};

TEST(ParseJson, RefusesWithPlaceAndReason) {
  const Refusal refusals[] = {
      {"", "f.json: byte 0", "ends too early"},
      {" \n", "f.json: byte 2", "ends too early"},
      {R"({"a": [1, 2)", "f.json: byte 11", "ends too early"},
      {R"("open)", "f.json: byte 5", "ends too early"},
      {"[1] 2", "f.json: byte 4", "more text behind"},
      {"{}\n{}", "f.json: byte 3", "more text behind"},
      {"[1,]", "f.json: byte 3", "at ']'"},
      {"{'a': 1}", "f.json: byte 1", "at ''a': 1}'"},
      {"NaN", "f.json: byte 0", "at 'NaN'"},
      {"[1e400]", "f.json: byte 6", "overflow"},
      {"\"\\ud800\"", "f.json: byte 7", "not valid JSON"},
      {"\"\xff\"", "f.json: byte 1", "at '\\xff\"'"},
      {"[01]", "f.json: byte 2", "not valid JSON"},
      {"// no", "f.json: byte 0", "not valid JSON"},
  };
  for (const Refusal& refusal : refusals) {
    const auto json = parse_json(refusal.text, "f.json");
    ASSERT_FALSE(json) << refusal.text;
    EXPECT_EQ(json.error().kind, ErrorKind::bad_input);
    EXPECT_EQ(json.error().where, refusal.where) << refusal.text;
    EXPECT_NE(json.error().what.find(refusal.what), std::string::npos) << refusal.text << ": " << json.error().what;
    EXPECT_FALSE(json.error().cure.empty());
  }
}

TEST(JsonWriter, IndentsByTwoAndKeepsShortListsOnALine) {
  JsonWriter out;
  out.begin_object().field("name", "7b").field("limit_w", 400.5).field("n", 3).field("ok", true);
  out.key("list").begin_array(true).value(1).value(2).end_array();
  out.key("rows").begin_array().begin_object().end_object().null().end_array();
  out.key("none").begin_array().end_array().end_object();
  EXPECT_EQ(out.take(), R"({
  "name": "7b",
  "limit_w": 400.5,
  "n": 3,
  "ok": true,
  "list": [1, 2],
  "rows": [
    {},
    null
  ],
  "none": []
}
)");
}

TEST(JsonWriter, UnknownIsNullAndNeverZero) {
  JsonWriter out;
  out.begin_array(true).value(std::nan("")).value(std::numeric_limits<double>::infinity()).value(0.0).end_array();
  EXPECT_EQ(out.take(), "[null, null, 0]\n");
}

TEST(JsonWriter, IsEmptyAfterTake) {
  JsonWriter out;
  out.value(1);
  EXPECT_EQ(out.take(), "1\n");
  out.value(std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(out.take(), "-9223372036854775808\n");
}

TEST(JsonWriterDeathTest, RefusesToWriteWhatIsNoJson) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(JsonWriter().begin_object().value(1), "internal error");
  EXPECT_DEATH(JsonWriter().begin_array().key("a"), "internal error");
  EXPECT_DEATH(JsonWriter().begin_array().end_object(), "internal error");
  EXPECT_DEATH(JsonWriter().begin_object().key("a").end_object(), "internal error");
  EXPECT_DEATH(static_cast<void>(JsonWriter().begin_array().take()), "internal error");
}

TEST(JsonQuote, EscapesWhatJsonAndScriptsNeed) {
  EXPECT_EQ(json_quote("a\"b\\c\n\x01\x1f"), R"("a\"b\\c\n\u0001\u001f")");
  EXPECT_EQ(json_quote("</script><!--"), R"("\u003c/script>\u003c!--")");
  EXPECT_EQ(json_quote("\xc3\xa4"), "\"\xc3\xa4\"");
  EXPECT_EQ(json_quote("GPU \xe4\xff"), R"("GPU \ufffd\ufffd")");
}

TEST(JsonQuote, AnyBytesGiveADocumentThatCanBeRead) {
  Rng rng(2);
  for (int i = 0; i < 2'000; ++i) {
    std::string bytes(rng.below(20), ' ');
    for (char& c : bytes) c = static_cast<char>(rng.below(256));
    parsed(json_quote(bytes));
  }
}

}  // namespace
}  // namespace wattrein::net
