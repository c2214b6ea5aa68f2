#include "trace/json_cells.h"

#include <gtest/gtest.h>

namespace wattrein::trace {
namespace {

/// -1 where it is unknown, -2 where it is no power.
double watts(const char* text) {
  const auto json = net::parse_json(text, "x");
  const Reading r = json_power(*json);
  return r.kind == Reading::Kind::value ? r.value : r.kind == Reading::Kind::unknown ? -1.0 : -2.0;
}

TEST(JsonPower, ReadsWhatToolsWrite) {
  EXPECT_EQ(watts("71"), 71.0);
  EXPECT_EQ(watts("71.25"), 71.25);
  EXPECT_EQ(watts("\"36.0\""), 36.0);
  EXPECT_EQ(watts("\"71 W\""), 71.0);
  EXPECT_EQ(watts(R"({"value": 71, "unit": "W"})"), 71.0);
  EXPECT_EQ(watts(R"({"value": 71})"), 71.0);
  EXPECT_EQ(watts(R"({"value": 71000, "unit": "mW"})"), 71.0);
  EXPECT_EQ(watts(R"({"value": "71 W", "unit": "W"})"), 71.0);
}

TEST(JsonPower, UnknownIsNotUnreadable) {
  EXPECT_EQ(watts(R"({"value": "N/A", "unit": "W"})"), -1.0);
  EXPECT_EQ(watts("\"N/A\""), -1.0);
  EXPECT_EQ(watts("\"N/A (Secondary die)\""), -1.0);
  EXPECT_EQ(watts("\"\""), -1.0);
  EXPECT_EQ(watts("null"), -1.0);
  EXPECT_EQ(watts("\"many\""), -2.0);
  EXPECT_EQ(watts("true"), -2.0);
  EXPECT_EQ(watts("[71]"), -2.0);
  EXPECT_EQ(watts("{}"), -2.0);
  EXPECT_EQ(watts(R"({"value": {"value": 71}})"), -2.0);
}

TEST(JsonPower, AUnitThatIsNoneOfPowerIsNotPassedOver) {
  EXPECT_EQ(watts(R"({"value": 71, "unit": "mV"})"), -2.0);
  EXPECT_EQ(watts(R"({"value": 71, "unit": "MW"})"), -2.0);  // mega, or milli in capitals
}

TEST(JsonScalar, TakesStringsAndNumbers) {
  const auto json = net::parse_json(R"({"s": "a", "i": 7, "d": 7.5, "n": null, "o": {}})", "x");
  EXPECT_EQ(json_scalar(json->find("s")), "a");
  EXPECT_EQ(json_scalar(json->find("i")), "7");
  EXPECT_EQ(json_scalar(json->find("d")), "7.5");
  EXPECT_EQ(json_scalar(json->find("n")), "");
  EXPECT_EQ(json_scalar(json->find("o")), "");
  EXPECT_EQ(json_scalar(json->find("none")), "");
  EXPECT_EQ(json_text(json->find("i")), "");
}

}  // namespace
}  // namespace wattrein::trace
