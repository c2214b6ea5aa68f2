#include "analysis/limit.h"

#include <gtest/gtest.h>

namespace wattrein::analysis {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(ParseLimit, TakesPowerScopeAndWindow) {
  const auto plain = parse_limit("400W");
  ASSERT_TRUE(plain);
  EXPECT_EQ(*plain, (Limit{.power = Watts(400), .origin = "given"}));

  const auto sum = parse_limit("3.2kW:sum");
  ASSERT_TRUE(sum);
  EXPECT_EQ(*sum, (Limit{.power = Watts(3200), .scope = Limit::Scope::sum, .origin = "given"}));

  const auto windowed = parse_limit("3200W:sum@30s");
  ASSERT_TRUE(windowed);
  EXPECT_EQ(*windowed,
            (Limit{.power = Watts(3200), .scope = Limit::Scope::sum, .window = seconds(30), .origin = "given"}));

  const auto each = parse_limit(" 400 W @ 500ms ");
  ASSERT_TRUE(each);
  EXPECT_EQ(*each, (Limit{.power = Watts(400), .window = milliseconds(500), .origin = "given"}));
}

TEST(ParseLimit, NamesTheUnitsThatAWindowMayHave) {
  const auto refused = parse_limit("400W@5m");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().cure.find("Write one of ns, us, ms, s, min, h behind the number"), 0U)
      << refused.error().cure;
}

TEST(ParseLimit, TextReadsBackTheSame) {
  for (const char* text : {"400W", "3200W:sum", "3200W:sum@30s", "400W@500ms", "214.08W@15min", "1239W:sum@3h"}) {
    const auto limit = parse_limit(text);
    ASSERT_TRUE(limit) << text;
    EXPECT_EQ(limit->text(), text);
  }
  EXPECT_EQ(parse_limit("1.239kW")->text(), "1239W");
  EXPECT_EQ(parse_limit("400W@90s")->window, seconds(90));
  EXPECT_EQ(*parse_limit(parse_limit("400W@120s")->text()), *parse_limit("400W@2min"));
}

struct Refused {
  const char* text;
  const char* what;  // part of the sentence
};

TEST(ParseLimit, RefusesWithPlaceReasonAndGrammar) {
  for (const Refused& bad : {Refused{"-5W", "'-5W' is not above zero"},
                             {"0W", "'0W' is not above zero"},
                             {"400", "'400' has no unit"},
                             {"400X", "has a unit that is not known"},
                             {"", "is not a power"},
                             {":sum", "is not a power"},
                             {"400W:foo", "scope that is not known: 'foo'"},
                             {"400W:", "scope that is not known: ''"},
                             {"400W@", "has no window behind the @"},
                             {"400W:sum@0s", "'0s' is not above zero"},
                             {"400W@30", "'30' has no unit"},
                             {"400W@30s:sum", "window before its scope"},
                             {"nanW", "is not a power"},
                             {"1e300W", "out of range"},
                             {"1e-9W", "out of range"}}) {
    const auto limit = parse_limit(bad.text, "--limit");
    ASSERT_FALSE(limit) << bad.text;
    EXPECT_EQ(limit.error().kind, ErrorKind::usage) << bad.text;
    EXPECT_EQ(limit.error().where, "--limit") << bad.text;
    EXPECT_NE(limit.error().what.find(bad.what), std::string::npos) << limit.error().what;
    EXPECT_NE(limit.error().cure.find("POWER[:sum][@WINDOW]"), std::string::npos) << limit.error().cure;
  }
}

}  // namespace
}  // namespace wattrein::analysis
