#include "trace/poll_log.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

/// One device, a poll for each stamp, of 100 W, 101 W and so on.
Result<Trace> polls_at(const std::vector<std::string>& stamps) {
  const Input input = std::move(*Input::from_memory("x\n", "log"));
  const ReadOptions options;
  Builder builder("log", "test");
  PollLog log(builder, input, options);
  const std::size_t device = builder.device("0");
  double power_w = 100;
  for (const std::string& stamp : stamps) {
    EXPECT_TRUE(log.stamp(stamp)) << stamp;
    log.next_poll();
    log.row(device, power_w++);
  }
  if (auto closed = log.close(); !closed) return std::unexpected(closed.error());
  return builder.finish(input, options);
}

TEST(PollLog, TakesStampsWithWhatScriptsPutAroundThem) {
  // 2026-11-30 17:41:14 UTC and the seconds behind it.
  const auto trace = polls_at({"Mon Nov 30 17:41:14 UTC 2026", "=== Mon, 30 Nov 2026 18:41:15 +0100 ===",
                               "timestamp: 2026-11-30T17:41:16Z", "[Mon 30 Nov 2026 05:41:17 PM UTC]"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->start_unix_ns, 1'796'060'474 * kSecond);
  EXPECT_TRUE(trace->start_has_zone);
  EXPECT_EQ(trace->series[0].time_ns, (std::vector<std::int64_t>{0, kSecond, 2 * kSecond, 3 * kSecond}));
  EXPECT_FALSE(mentions(*trace, "zone"));
}

TEST(PollLog, AZoneThatIsANameIsSaid) {
  const auto trace = polls_at({"Mon Nov 30 17:41:14 CET 2026", "Mon Nov 30 17:41:15 CET 2026"});
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->start_unix_ns, 1'796'060'474 * kSecond);
  EXPECT_FALSE(trace->start_has_zone);
  EXPECT_TRUE(mentions(*trace, "The stamps name the zone 'CET', which says no offset: they were taken as UTC."));
}

TEST(PollLog, TakesNothingElseForAStamp) {
  const Input input = std::move(*Input::from_memory("x\n", "log"));
  const ReadOptions options;
  Builder builder("log", "test");
  PollLog log(builder, input, options);
  for (const char* text :
       {"", "Mon", "Nov 30 2026", "Mon Nov 30 17:41:14", "Mon Nov 30 17:41:14 2026 hello",
        "Mon Nov 30 13:41:14 PM 2026", "card0,36.0", "Fan Temp Perf Pwr:Usage/Cap", "11/30/2026 17:41:14"}) {
    EXPECT_FALSE(log.stamp(text)) << text;
  }
}

TEST(PollLog, AClockWithoutADateThatGoesBackIsTheNextDay) {
  const auto trace = polls_at({"15:00:00", "15:00:01", "13:00:01", "13:00:02"});  // back by two hours, or on by 22
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{100, 101, 102, 103}));
  EXPECT_EQ(trace->series[0].time_ns[2], 22 * 3600 * kSecond + kSecond);
  EXPECT_TRUE(mentions(*trace, "goes back by 2 h: a session seems to have been appended"));
}

}  // namespace
}  // namespace wattrein::trace
