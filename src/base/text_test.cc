#include "base/text.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

#include "base/rng.h"

namespace wattrein {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(Error, SaysWhereWhatAndTheCure) {
  const Error whole{ErrorKind::bad_input, "power.csv:12", "'x' is no number", "Remove the line."};
  EXPECT_EQ(whole.message(), "power.csv:12: 'x' is no number\n  Remove the line.");
  const Error bare{ErrorKind::usage, "", "there is no input", ""};
  EXPECT_EQ(bare.message(), "there is no input");
}

TEST(Error, EachKindHasItsExitCode) {
  EXPECT_EQ(exit_code(ErrorKind::usage), 2);
  EXPECT_EQ(exit_code(ErrorKind::bad_input), 3);
  EXPECT_EQ(exit_code(ErrorKind::environment), 4);
}

TEST(Text, TrimsAndComparesInAscii) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(lower("Power [W] \xc3\x84"), "power [w] \xc3\x84");
  EXPECT_TRUE(equal_ignoring_case("N/A", "n/a"));
  EXPECT_FALSE(equal_ignoring_case("N/A", "N/AB"));
}

TEST(ParseDouble, TakesTheWholeOfAFiniteNumber) {
  EXPECT_EQ(parse_double("387.42"), 387.42);
  EXPECT_EQ(parse_double(" -1.5e3 "), -1500.0);
  EXPECT_EQ(parse_double("+7"), 7.0);
  EXPECT_EQ(parse_double(".5"), 0.5);
  EXPECT_EQ(parse_double("0"), 0.0);
}

TEST(ParseDouble, RefusesAnythingElse) {
  for (const char* text :
       {"",    " ",   "nan", "NaN", "inf", "-inf", "infinity", "1e999", "400W", "1,5",   "1 2",  "0x10",
        "--5", "+-5", "-+5", "++5", "+",   "-",    ".",        "e5",    "5e",   "[N/A]", "1_000"}) {
    EXPECT_FALSE(parse_double(text)) << text;
  }
}

TEST(ParseInt, TakesTheWholeOfANumberThatFits) {
  EXPECT_EQ(parse_int(" 42 "), 42);
  EXPECT_EQ(parse_int("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text : {"", "9223372036854775808", "1.0", "1e3", "0x1", "1 2", "GPU0", "-"}) {
    EXPECT_FALSE(parse_int(text)) << text;
  }
}

TEST(ParseWatts, TakesEachUnit) {
  EXPECT_EQ(parse_watts("400W", "--limit"), Watts(400));
  EXPECT_EQ(parse_watts(" 3.2 kW ", "--limit"), Watts(3200));
  EXPECT_EQ(parse_watts("500mW", "--limit"), Watts(0.5));
  EXPECT_EQ(parse_watts("1MW", "--limit"), Watts(1e6));
}

struct Refusal {
  const char* text;
  const char* what;
};

void expect_refused(const Error& error, const Refusal& refusal) {
  EXPECT_EQ(error.kind, ErrorKind::usage) << refusal.text;
  EXPECT_EQ(error.where, "--limit") << refusal.text;
  EXPECT_NE(error.what.find(refusal.what), std::string::npos) << refusal.text << " gave: " << error.what;
  EXPECT_FALSE(error.cure.empty()) << refusal.text;
}

TEST(ParseWatts, RefusesWithTheReason) {
  const std::vector<Refusal> refusals{{"400", "has no unit"},
                                      {"", "is not a power"},
                                      {"W", "is not a power"},
                                      {"-5W", "not above zero"},
                                      {"0W", "not above zero"},
                                      {"400 w", "unit that is not known"},
                                      {"400kw", "unit that is not known"},
                                      {"400Wh", "unit that is not known"},
                                      {"400W,", "unit that is not known"},
                                      {"nanW", "is not a power"},
                                      {"infW", "is not a power"},
                                      {"1e999W", "is not a power"},
                                      {"1e308MW", "out of range"},
                                      {"4.9e-324mW", "out of range"},
                                      {"+-5W", "is not a power"},
                                      {"\x01W", "'\\x01W' is not a power"}};
  for (const Refusal& refusal : refusals) {
    const auto watts = parse_watts(refusal.text, "--limit");
    ASSERT_FALSE(watts) << refusal.text;
    expect_refused(watts.error(), refusal);
  }
}

TEST(ParseWatts, TheCureNamesTheUnits) {
  EXPECT_EQ(parse_watts("400", "--limit").error().cure,
            "Write one of W, kW, mW, MW behind the number, as in 400W or 3.2kW.");
}

TEST(ParseDuration, TakesEachUnit) {
  EXPECT_EQ(parse_duration("500ms", "--window"), milliseconds(500));
  EXPECT_EQ(parse_duration("30s", "--window"), seconds(30));
  EXPECT_EQ(parse_duration("0.1 s", "--window"), milliseconds(100));
  EXPECT_EQ(parse_duration("5min", "--window"), minutes(5));
  EXPECT_EQ(parse_duration("3h", "--window"), hours(3));
  EXPECT_EQ(parse_duration("7us", "--window"), Nanos(7'000));
  EXPECT_EQ(parse_duration("1ns", "--window"), Nanos(1));
}

TEST(ParseDuration, RefusesWithTheReason) {
  const std::vector<Refusal> refusals{
      {"30", "has no unit"},      {"", "is not a duration"},        {"0s", "not above zero"},
      {"-1s", "not above zero"},  {"5m", "unit that is not known"}, {"1d", "unit that is not known"},
      {"0.4ns", "out of range"},  {"2500001h", "out of range"},     {"1e300h", "out of range"},
      {"1e308h", "out of range"}, {"s", "is not a duration"}};
  for (const Refusal& refusal : refusals) {
    const auto time = parse_duration(refusal.text, "--limit");
    ASSERT_FALSE(time) << refusal.text;
    expect_refused(time.error(), refusal);
  }
}

TEST(Nearest, FindsWhatWasMeant) {
  constexpr std::array<std::string_view, 4> kKnown{"uncontrolled", "static", "hysteresis", "adaptive-threshold"};
  EXPECT_EQ(nearest("histeresis", kKnown), "hysteresis");
  EXPECT_EQ(nearest("Static", kKnown), "static");
  EXPECT_EQ(nearest("statc", kKnown), "static");
  EXPECT_EQ(nearest("adaptive-treshhold", kKnown), "adaptive-threshold");
}

TEST(Nearest, SaysNothingWhenNothingIsNear) {
  constexpr std::array<std::string_view, 3> kKnown{"power", "time", "W"};
  EXPECT_EQ(nearest("temperature", kKnown), "");
  EXPECT_EQ(nearest("q", kKnown), "");
  EXPECT_EQ(nearest("", kKnown), "");
  EXPECT_EQ(nearest("power", {}), "");
}

TEST(Nearest, TheFirstOfEquallyNearOnesWins) {
  constexpr std::array<std::string_view, 2> kKnown{"power_a", "power_b"};
  EXPECT_EQ(nearest("power_c", kKnown), "power_a");
}

TEST(Counted, OneIsNotSeveral) {
  EXPECT_EQ(counted(0, "row"), "0 rows");
  EXPECT_EQ(counted(1, "row"), "1 row");
  EXPECT_EQ(counted(std::size_t{2}, "row"), "2 rows");
  EXPECT_EQ(times(1), "once");
  EXPECT_EQ(times(2), "twice");
  EXPECT_EQ(times(3), "3 times");
}

TEST(DurationBeside, ShowsWhichOfTwoIsTheLonger) {
  using namespace std::chrono_literals;
  EXPECT_EQ(duration_beside(5'012'345'678ns, 5s), "5.012 s");
  EXPECT_EQ(duration_beside(5'000'400'000ns, 5s), "5.0004 s");
  EXPECT_EQ(duration_beside(100s, 5min), "1 min 40 s");
  EXPECT_EQ(duration_beside(4'999'999'999ns, 5s), "4.999999999 s");
  EXPECT_EQ(duration_beside(5s, 5s), "5 s");
}

TEST(ExactDuration, DifferentOnesLookDifferent) {
  using namespace std::chrono_literals;
  EXPECT_EQ(exact_duration(1001ms), "1.001 s");
  EXPECT_EQ(exact_duration(1s), "1 s");
  EXPECT_EQ(exact_duration(500ms), "500 ms");
  EXPECT_EQ(exact_duration(Nanos(999'700'000)), "999.7 ms");
  EXPECT_EQ(exact_duration(Nanos(2'500)), "2.5 us");
  EXPECT_EQ(exact_duration(Nanos(7)), "7 ns");
  EXPECT_EQ(exact_duration(Nanos(0)), "0 s");
  EXPECT_EQ(exact_duration(60s), "1 min");
  EXPECT_EQ(exact_duration(60001ms), "1 min 0.001 s");
  EXPECT_EQ(exact_duration(3601s), "1 h 0 min 1 s");
  EXPECT_EQ(exact_duration(3h), "3 h");
  EXPECT_EQ(exact_duration(3h + 20min), "3 h 20 min");
  EXPECT_EQ(exact_duration(-90s), "-1 min 30 s");
}

TEST(FormatDuration, WritesRoundValuesRound) {
  EXPECT_EQ(format_duration(Nanos(0)), "0 s");
  EXPECT_EQ(format_duration(Nanos(7)), "7 ns");
  EXPECT_EQ(format_duration(Nanos(2'500)), "2.5 us");
  EXPECT_EQ(format_duration(milliseconds(500)), "500 ms");
  EXPECT_EQ(format_duration(milliseconds(1500)), "1.5 s");
  EXPECT_EQ(format_duration(seconds(30)), "30 s");
  EXPECT_EQ(format_duration(seconds(60)), "1 min");
  EXPECT_EQ(format_duration(seconds(72)), "1 min 12 s");
  EXPECT_EQ(format_duration(minutes(5)), "5 min");
  EXPECT_EQ(format_duration(hours(3)), "3 h");
  EXPECT_EQ(format_duration(minutes(200)), "3 h 20 min");
  EXPECT_EQ(format_duration(hours(100'000)), "100000 h");
}

TEST(FormatDuration, RoundsIntoTheNextUnitRatherThanTo1000) {
  EXPECT_EQ(format_duration(Nanos(999'700)), "1 ms");
  EXPECT_EQ(format_duration(Nanos(999'700'000)), "1 s");
  EXPECT_EQ(format_duration(milliseconds(59'960)), "1 min");
  EXPECT_EQ(format_duration(milliseconds(59'940)), "59.9 s");
  EXPECT_EQ(format_duration(milliseconds(119'960)), "2 min");
  EXPECT_EQ(format_duration(milliseconds(119'900)), "1 min 59.9 s");
  EXPECT_EQ(format_duration(milliseconds(79'600)), "1 min 19.6 s");
  EXPECT_EQ(format_duration(milliseconds(3'599'960)), "1 h");
  EXPECT_EQ(format_duration(milliseconds(3'600'300)), "1 h");
  EXPECT_EQ(format_duration(seconds(3'601)), "1 h 0 min 1 s");
  EXPECT_EQ(format_duration(seconds(7'199)), "1 h 59 min 59 s");
}

TEST(FormatDuration, KeepsTheSign) { EXPECT_EQ(format_duration(-seconds(72)), "-1 min 12 s"); }

TEST(DurationKey, IsExactAndInTheLargestUnitThatIs) {
  EXPECT_EQ(duration_key(Nanos(0)), "0s");
  EXPECT_EQ(duration_key(milliseconds(500)), "500ms");
  EXPECT_EQ(duration_key(milliseconds(1500)), "1500ms");
  EXPECT_EQ(duration_key(seconds(30)), "30s");
  EXPECT_EQ(duration_key(seconds(90)), "90s");
  EXPECT_EQ(duration_key(minutes(5)), "5min");
  EXPECT_EQ(duration_key(minutes(90)), "90min");
  EXPECT_EQ(duration_key(hours(3)), "3h");
  EXPECT_EQ(duration_key(Nanos(123'456'789)), "123456789ns");
}

TEST(DurationKey, IsReadBackAsTheSameTime) {
  Rng rng(1);
  for (int i = 0; i < 1000; ++i) {
    const std::array<std::int64_t, 4> scale{1, 1'000'000, 1'000'000'000, 60'000'000'000};
    const Nanos t(static_cast<std::int64_t>(1 + rng.below(1'000'000)) * scale[rng.below(4)]);
    EXPECT_EQ(parse_duration(duration_key(t), "key"), t) << duration_key(t);
  }
}

TEST(FormatUnixNs, WritesUtcToTheMillisecond) {
  EXPECT_EQ(format_unix_ns(0), "1970-01-01 00:00:00.000");
  EXPECT_EQ(format_unix_ns(1'753'575'747'858'000'000), "2025-07-27 00:22:27.858");
  EXPECT_EQ(format_unix_ns(1'709'210'096'999'999'999), "2024-02-29 12:34:56.999");  // cut, so never tomorrow
}

TEST(FormatUnixNs, ReachesBefore1970) {
  EXPECT_EQ(format_unix_ns(-1), "1969-12-31 23:59:59.999");
  EXPECT_EQ(format_unix_ns(-1'000'000), "1969-12-31 23:59:59.999");
  EXPECT_EQ(format_unix_ns(-1'000'001), "1969-12-31 23:59:59.998");
  EXPECT_EQ(format_unix_ns(-86'400'000'000'000), "1969-12-31 00:00:00.000");
}

TEST(Utf8Length, IsTheBytesOfAValidCharacter) {
  EXPECT_EQ(utf8_length("a"), 1U);
  EXPECT_EQ(utf8_length("\xc2\xb5W"), 2U);            // micro sign
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3U);         // euro sign
  EXPECT_EQ(utf8_length("\xf0\x9f\x94\x8c..."), 4U);  // U+1F50C
  EXPECT_EQ(utf8_length(std::string_view("\0", 1)), 1U);
}

TEST(Utf8Length, IsZeroForAnythingElse) {
  for (const char* text : {"", "\x80", "\xc2",
                           "\xc2"
                           "a",
                           "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xe2\x82", "\xf0\x80\x80\x80",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8_length(text), 0U);
  }
}

TEST(Printable, EscapesWhatWouldSteerATerminal) {
  EXPECT_EQ(printable("a\tb"), "a b");
  EXPECT_EQ(printable("\x1b[31m\x7f"), "\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\x9b31m");  // U+009B is an escape of its own
  EXPECT_EQ(printable("\xc3\xa4 \xe4"), "\xc3\xa4 \\xe4");
}

TEST(Printable, CutsWithDotsAtTheWidth) {
  EXPECT_EQ(printable("12345678", 8), "12345678");
  EXPECT_EQ(printable("123456789", 8), "12345...");
  EXPECT_EQ(printable("1234567\x01", 8), "12345...");  // the escape would be cut in two
  EXPECT_EQ(printable("\x01\x01\x01", 8), "\\x01...");
  EXPECT_EQ(printable("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4), "\xc3\xa4...");  // five letters, ten bytes
  EXPECT_EQ(printable("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 4), "\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4");
  EXPECT_EQ(printable("abc", 2), "..");
  EXPECT_EQ(printable("abc", 0), "");
}

TEST(Printable, EndsKeepBothEnds) {
  EXPECT_EQ(printable_ends("12345678", 8), "12345678");
  EXPECT_EQ(printable_ends("123456789", 8), "12...789");
  EXPECT_EQ(printable_ends("rack-a/node1-ac/psu", 12), "rack...c/psu");
  EXPECT_EQ(printable_ends("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xb6", 5), "\xc3\xa4...\xc3\xb6");
  EXPECT_EQ(printable_ends("\x01\x01\x01", 8), "\\x...x01");
  EXPECT_EQ(printable_ends("abcd", 3), "...");
  EXPECT_EQ(printable_ends("", 8), "");
}

}  // namespace
}  // namespace wattrein
