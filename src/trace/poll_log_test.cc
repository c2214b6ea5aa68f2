#include "trace/poll_log.h"

#include <gtest/gtest.h>

namespace wattrein::trace {
namespace {

TEST(DateLine, BecomesIso) {
  EXPECT_EQ(iso_of_date_line("Mon Nov 30 17:41:14 2026"), "2026-11-30 17:41:14");
  EXPECT_EQ(iso_of_date_line("Fri Aug  4 11:44:30 2023"), "2023-08-04 11:44:30");
  EXPECT_EQ(iso_of_date_line("Mon Nov 30 05:41:14 PM UTC 2026"), "2026-11-30 17:41:14UTC");
  EXPECT_EQ(iso_of_date_line("Mon Nov 30 12:05:00 AM 2026"), "2026-11-30 00:05:00");
  EXPECT_EQ(iso_of_date_line("Mon 30 Nov 2026 17:41:14 CET"), "2026-11-30 17:41:14");
  EXPECT_EQ(iso_of_date_line("Mon, 30 Nov 2026 17:41:14 +0100"), "2026-11-30 17:41:14+0100");
}

TEST(DateLine, IsEmptyForAnythingElse) {
  for (const char* text :
       {"", "Mon", "Nov 30 2026", "17:41:14", "Mon Nov 30 17:41:14", "Mon Nov 30 17:41:14 2026 hello",
        "Mon Nov 30 13:41:14 PM 2026", "card0,36.0", "Fan Temp Perf Pwr:Usage/Cap"}) {
    EXPECT_EQ(iso_of_date_line(text), "") << text;
  }
}

}  // namespace
}  // namespace wattrein::trace
