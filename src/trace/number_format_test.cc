#include "trace/number_format.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "trace/table_cells.h"

namespace wattrein::trace {
namespace {

Decimals decided(std::initializer_list<std::string_view> cells) {
  DecimalsEvidence evidence;
  for (const std::string_view cell : cells) evidence.add(cell);
  return evidence.decided();
}

bool undecided(std::initializer_list<std::string_view> cells) {
  DecimalsEvidence evidence;
  for (const std::string_view cell : cells) evidence.add(cell);
  return evidence.undecided();
}

double grouped(std::string_view cell, Decimals decimals) { return read_grouped(cell, decimals).value_or(-1.0); }

TEST(NumberFormat, OneClearCellDecidesForTheColumn) {
  for (const char* comma : {"71,25 W", "0,125", "1.234,5", "1234,567", "1 234,5", "1.234.567", ",25"}) {
    EXPECT_EQ(decided({"1,234", comma, "312"}), Decimals::comma) << comma;
  }
  for (const char* point : {"71.25 W", "1,234.5", "1'234.5", "1,234,567", "1234.5"}) {
    EXPECT_EQ(decided({"1,234", point, "312"}), Decimals::point) << point;
  }
}

TEST(NumberFormat, OnlyThreeDigitsBehindASingleCommaLeaveItOpen) {
  EXPECT_TRUE(undecided({"1,234 W", "312", "45,600"}));
  EXPECT_FALSE(undecided({"312", "45", "N/A", ""}));
  // What programs print with three decimals is no question.
  EXPECT_FALSE(undecided({"33.154", "38.000"}));
  EXPECT_EQ(decided({"33.154", "38.000"}), Decimals::unknown);
}

TEST(NumberFormat, CellsThatContradictEachOtherDecideNothing) {
  EXPECT_TRUE(undecided({"71,25", "71.25"}));
  DecimalsEvidence evidence;  // one in twenty is a damaged cell
  for (int i = 0; i < 20; ++i) evidence.add("71,25");
  evidence.add("71.2");
  EXPECT_EQ(evidence.decided(), Decimals::comma);
  evidence.add("71.2");
  EXPECT_TRUE(evidence.undecided());
}

TEST(NumberFormat, ReadsGroupsOfThreeOnly) {
  EXPECT_EQ(grouped("1,234.5", Decimals::point), 1234.5);
  EXPECT_EQ(grouped("1,234", Decimals::point), 1234.0);
  EXPECT_EQ(grouped("12,345,678.25", Decimals::point), 12345678.25);
  EXPECT_EQ(grouped("1'234.5", Decimals::point), 1234.5);
  EXPECT_EQ(grouped("1.234,5", Decimals::comma), 1234.5);
  EXPECT_EQ(grouped("71,25", Decimals::comma), 71.25);
  EXPECT_EQ(grouped("0,125", Decimals::comma), 0.125);
  EXPECT_EQ(grouped("-1 234,5", Decimals::comma), -1234.5);
  EXPECT_EQ(grouped("1\xc2\xa0"
                    "234,5",
                    Decimals::comma),
            1234.5);  // no-break blank
  EXPECT_EQ(grouped("1\xe2\x80\xaf"
                    "234,5",
                    Decimals::comma),
            1234.5);  // narrow no-break blank
  EXPECT_EQ(grouped("1\xa0"
                    "234,5",
                    Decimals::comma),
            1234.5);  // Latin-1
}

TEST(NumberFormat, LeavesWhatIsNoPartOfTheNumber) {
  std::string_view cell = "1,234.5 kW";
  EXPECT_EQ(read_grouped(cell, Decimals::point), 1234.5);
  EXPECT_EQ(cell, " kW");
  cell = "71,25";  // no group of three: the number ends at the comma
  EXPECT_EQ(read_grouped(cell, Decimals::point), 71.0);
  EXPECT_EQ(cell, ",25");
  EXPECT_EQ(grouped("1,234'567.5", Decimals::point), -1.0);  // two kinds of groups
  EXPECT_EQ(grouped("W", Decimals::point), -1.0);
  EXPECT_EQ(grouped("", Decimals::comma), -1.0);
}

double watts(std::string_view cell, Decimals decimals = Decimals::unknown, std::optional<double> scale = 1.0) {
  const Reading reading = read_power(cell, scale, decimals);
  return reading.kind == Reading::Kind::value ? reading.value : -1.0;
}

TEST(ReadPower, FollowsTheColumnsDecimals) {
  EXPECT_EQ(watts("71,25 W", Decimals::comma), 71.25);
  EXPECT_EQ(watts("71,25W", Decimals::comma), 71.25);
  EXPECT_EQ(watts("1.234,5 W", Decimals::comma), 1234.5);
  EXPECT_EQ(watts("71.25 W", Decimals::comma), -1.0);  // contradicts
  EXPECT_EQ(watts("1,234.5 W", Decimals::point), 1234.5);
  EXPECT_EQ(watts("71,25 W", Decimals::point), -1.0);
  EXPECT_EQ(watts("71,25 W"), -1.0);
  EXPECT_EQ(watts("1,234 W"), -1.0);
  EXPECT_EQ(watts("1 234 W"), 1234.0);  // the same in either
  EXPECT_EQ(watts("N/A", Decimals::comma), -1.0);
  EXPECT_EQ(read_power("N/A", 1.0, Decimals::comma).kind, Reading::Kind::unknown);
}

TEST(ReadPower, TakesUnitsGluedOrApart) {
  EXPECT_EQ(watts("71.25W"), 71.25);
  EXPECT_EQ(watts("+1.5kW"), 1500.0);
  EXPECT_EQ(watts("1,5 kW", Decimals::comma), 1500.0);
  EXPECT_EQ(watts("32402mW"), 32.402);
  EXPECT_EQ(watts("71250000 \xb5W"), 71.25);  // Latin-1
  EXPECT_EQ(watts("71.25 V"), -1.0);
  EXPECT_EQ(watts("71.25", Decimals::unknown, {}), -1.0);
}

TEST(ReadNumber, IsNeverHalfOfOne) {
  EXPECT_EQ(read_number("1234.5 J", 1.0), 1234.5);
  EXPECT_FALSE(read_number("71,25", 1.0));
  EXPECT_EQ(read_number("71,25", 1.0, Decimals::comma), 71.25);
  EXPECT_EQ(read_number("1.234,5 J", 1e-3, Decimals::comma), 1.2345);
  EXPECT_FALSE(read_number("1.2.3", 1.0));
  EXPECT_FALSE(read_number("", 1.0));
}

TEST(Cells, NamesLoseTheirDoubledQuotes) {
  EXPECT_EQ(undoubled("node \"\"a\"\", left"), "node \"a\", left");
  EXPECT_EQ(undoubled("\"\"\"\""), "\"\"");
  EXPECT_EQ(undoubled("plain"), "plain");
}

}  // namespace
}  // namespace wattrein::trace
