#include "trace/tool_dates.h"

#include <gtest/gtest.h>

namespace wattrein::trace {
namespace {

TEST(ToolDates, ReadsWhatCtimeAndDatePrint) {
  EXPECT_EQ(iso_of_ctime("Thu Aug 15 09:14:41 2024"), "2024-08-15 09:14:41");
  EXPECT_EQ(iso_of_ctime("Tue May  9 14:24:36 2023"), "2023-05-09 14:24:36");
  EXPECT_EQ(iso_of_ctime("Mon Nov 30 17:41:14 2026 +0100"), "2026-11-30 17:41:14+0100");
  EXPECT_EQ(iso_of_ctime("Mon Nov 30 17:41:14 UTC 2026"), "2026-11-30 17:41:14Z");
  EXPECT_EQ(iso_of_ctime("Mon Nov 30 17:41:14 CET 2026"), "2026-11-30 17:41:14");
  for (const char* bad : {"", "Thu", "Thu Foo 15 09:14:41 2024", "Thu Aug 15 0914 2024", "Thu Aug 15 09:14:41 24",
                          "Thu Aug xx 09:14:41 2024", "Thu Aug 15 09:14: 2024", "Thu Aug 15 24:14:41 2024"}) {
    EXPECT_FALSE(iso_of_ctime(bad)) << bad;
  }
}

TEST(ToolDates, ReadsTheMonthFirst) {
  EXPECT_EQ(iso_of_month_first("08/15/2024 09:14:41 UTC"), "2024-08-15 09:14:41Z");
  EXPECT_EQ(iso_of_month_first("10/08/26 06:02:12 PM EDT"), "2026-10-08 18:02:12");
  EXPECT_EQ(iso_of_month_first("10/08/2026 12:02:12 AM UTC"), "2026-10-08 00:02:12Z");
  EXPECT_EQ(iso_of_month_first("11-30-2026 17:41:14"), "2026-11-30 17:41:14");
  for (const char* bad : {"", "08/15/2024", "2024-08-15 09:14:41", "8/15/2024 09:14:41", "08/15/2024 13:14:41 PM",
                          "08-15/2024 09:14:41", "08/15/202 09:14:41", "aa/bb/2024 09:14:41"}) {
    EXPECT_FALSE(iso_of_month_first(bad)) << bad;
  }
}

}  // namespace
}  // namespace wattrein::trace
