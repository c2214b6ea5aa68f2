#include "trace/stamp_form.h"

#include <gtest/gtest.h>

#include "trace/timestamp.h"

namespace wattrein::trace {
namespace {

// 2026-11-30 17:41:14 UTC: date -u -d ... +%s
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNovember = 1'796'060'474 * kSecond;

struct Stamp {
  std::int64_t ns = -1;
  bool zone = false;
  std::string name{};
  bool operator==(const Stamp&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Stamp& s) {
  return out << s.ns << (s.zone ? " with zone " : " ") << s.name;
}

Stamp read(std::string_view text, DateOrder order = DateOrder::unknown) {
  StampParser parser;
  parser.set_date_order(order);
  const auto ns = parser.parse(text);
  if (!ns) return {};
  const auto form = take_stamp_apart(text);
  return {.ns = *ns, .zone = parser.has_zone(), .name = form ? std::string(form->zone_name) : std::string()};
}

TEST(StampForm, ReadsWhatCtimeAndDatePrint) {
  EXPECT_EQ(read("Thu Aug 15 09:14:41 2024"), (Stamp{1'723'713'281 * kSecond}));
  EXPECT_EQ(read("Tue May  9 14:24:36 2023"), (Stamp{1'683'642'276 * kSecond}));
  EXPECT_EQ(read("Fri Aug  4 11:44:30 2023"), (Stamp{1'691'149'470 * kSecond}));
  EXPECT_EQ(read("Mon Nov 30 17:41:14 2026"), (Stamp{kNovember}));
  EXPECT_EQ(read("Mon Nov 30 18:41:14 2026 +0100"), (Stamp{kNovember, true}));
  EXPECT_EQ(read("Mon Nov 30 17:41:14 UTC 2026"), (Stamp{kNovember, true}));
  EXPECT_EQ(read("Mon Nov 30 05:41:14 PM UTC 2026"), (Stamp{kNovember, true}));
  EXPECT_EQ(read("Mon, 30 Nov 2026 18:41:14 +0100"), (Stamp{kNovember, true}));
  EXPECT_EQ(read("Mon Nov 30 12:05:00 AM 2026"), (Stamp{kNovember - (17 * 3600 + 36 * 60 + 14) * kSecond}));
  EXPECT_EQ(read("Tue\tSept 01 17:41:14 2026"), (Stamp{kNovember - 90 * 86'400 * kSecond}));
}

TEST(StampForm, NamesOfZonesAreKeptAndNotLookedUp) {
  EXPECT_EQ(read("Mon Nov 30 17:41:14 CET 2026"), (Stamp{kNovember, false, "CET"}));
  EXPECT_EQ(read("Mon 30 Nov 2026 17:41:14 CET"), (Stamp{kNovember, false, "CET"}));
  EXPECT_EQ(read("11/30/26 05:41:14 PM EDT", DateOrder::mdy), (Stamp{kNovember, false, "EDT"}));
  EXPECT_EQ(read("2026-11-30 17:41:14 GMT"), (Stamp{kNovember, true}));
}

TEST(StampForm, ReadsTheMonthFirstWhereThatIsKnown) {
  EXPECT_EQ(read("08/15/2024 09:14:41 UTC", DateOrder::mdy), (Stamp{1'723'713'281 * kSecond, true}));
  EXPECT_EQ(read("10/08/26 06:02:12 PM EDT", DateOrder::mdy), (Stamp{1'791'482'532 * kSecond, false, "EDT"}));
  EXPECT_EQ(read("10/08/2026 12:02:12 AM UTC", DateOrder::mdy), (Stamp{1'791'417'732 * kSecond, true}));
  EXPECT_EQ(read("11-30-2026 17:41:14", DateOrder::mdy), (Stamp{kNovember}));
  EXPECT_EQ(read("11-30-26 17:41:14", DateOrder::mdy), (Stamp{kNovember}));
  EXPECT_EQ(read("8/15/2024 09:14:41", DateOrder::mdy), (Stamp{1'723'713'281 * kSecond}));
  // The year first needs no order, whatever is set.
  EXPECT_EQ(read("2024-08-15 09:14:41", DateOrder::mdy), (Stamp{1'723'713'281 * kSecond}));
  EXPECT_EQ(read("10/08/26 06:02:12 PM EDT"), Stamp{});
  EXPECT_EQ(read("11-30-26 17:41:14"), Stamp{});
}

TEST(StampForm, IsNothingForAnythingElse) {
  for (const char* text : {"",
                           "Thu",
                           "Mon",
                           "Thu Foo 15 09:14:41 2024",
                           "Thu Aug 15 0914 2024",
                           "Thu Aug 15 09:14:41 24",
                           "Thu Aug xx 09:14:41 2024",
                           "Thu Aug 15 09:14: 2024",
                           "Thu Aug 15 24:14:41 2024",
                           "Nov 30 2026",
                           "Mon Nov 30 17:41:14",
                           "Mon Nov 30 17:41:14 2026 hello",
                           "Mon Nov 30 13:41:14 PM 2026",
                           "card0,36.0",
                           "Fan Temp Perf Pwr:Usage/Cap",
                           "08/15/2024",
                           "08/15/2024 13:14:41 PM",
                           "08-15/2024 09:14:41",
                           "08/15/202 09:14:41",
                           "aa/bb/2024 09:14:41"}) {
    EXPECT_FALSE(take_stamp_apart(text)) << text;
    EXPECT_EQ(read(text, DateOrder::mdy), Stamp{}) << text;
  }
  const auto clock = take_stamp_apart("17:41:14");
  ASSERT_TRUE(clock);
  EXPECT_FALSE(clock->has_date());
}

}  // namespace
}  // namespace wattrein::trace
