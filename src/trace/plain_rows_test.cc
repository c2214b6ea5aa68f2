#include "trace/plain_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/rng.h"
#include "trace/read.h"

namespace wattrein::trace {
namespace {

/// The same log whose lines end in carriage returns, which no block reading understands: row by row throughout.
std::string row_by_row(std::string text) {
  std::ranges::replace(text, '\n', '\r');
  return text;
}

void expect_same(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.series.size(), b.series.size());
  EXPECT_EQ(a.start_unix_ns, b.start_unix_ns);
  EXPECT_EQ(a.understanding.rows, b.understanding.rows);
  EXPECT_EQ(a.understanding.damaged, b.understanding.damaged);
  EXPECT_EQ(a.understanding.unknown_power, b.understanding.unknown_power);
  EXPECT_EQ(a.understanding.repeated_headers, b.understanding.repeated_headers);
  EXPECT_EQ(a.understanding.other_lines, b.understanding.other_lines);
  EXPECT_EQ(a.understanding.power, b.understanding.power);
  for (std::size_t i = 0; i < std::min(a.understanding.first_damaged.size(), b.understanding.first_damaged.size()); ++i)
    EXPECT_EQ(a.understanding.first_damaged[i].where, b.understanding.first_damaged[i].where);
  for (std::size_t d = 0; d < a.series.size(); ++d) {
    EXPECT_EQ(a.series[d].device.name, b.series[d].device.name);
    EXPECT_EQ(a.series[d].time_ns, b.series[d].time_ns);
    EXPECT_EQ(a.series[d].backward_stamps, b.series[d].backward_stamps);
    ASSERT_EQ(a.series[d].size(), b.series[d].size());
    for (std::size_t i = 0; i < a.series[d].size(); ++i) {
      const double x = a.series[d].power_w[i];
      const double y = b.series[d].power_w[i];
      ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << d << " " << i << ": " << x << " " << y;
    }
  }
}

std::string stamp(int tenths) {
  return fmt::format("2026/01/{:02}{}{:02}:{:02}:{:02}.{}", 1 + tenths / 864000, tenths % 7 == 0 ? 'T' : ' ',
                     tenths / 36000 % 24, tenths / 600 % 60, tenths / 10 % 60, tenths % 10);
}

std::string power(Rng& rng) {
  switch (rng.below(4)) {
    case 0: return fmt::format("{:.2f} W", 300.0 + 50.0 * rng.normal());
    case 1: return fmt::format("{:.6f} W", 300.0 + 50.0 * rng.normal());
    case 2: return fmt::format("{} W", 100 + rng.below(300));
    default: return fmt::format("{:.3f}W", 0.5 + 0.1 * std::fabs(rng.normal()));
  }
}

/// Rows that only the table engine understands, or refuses.
std::string odd_row(Rng& rng, int tenths) {
  switch (rng.below(12)) {
    case 0: return "timestamp, index, power.draw [W], utilization.gpu [%]\n";
    case 1: return fmt::format("{}, 1, [N/A], 3 %\n", stamp(tenths));
    case 2: return fmt::format("{}, 1, x12 W, 3 %\n", stamp(tenths));
    case 3: return "\n";
    case 4: return "some banner\n";
    case 5: return fmt::format("{}, 9, 77 W, 3 %\n", stamp(tenths));
    case 6: return fmt::format("2026/13/45 00:00:00, 1, 77 W, 3 %\n");
    case 7: return fmt::format("{}, 1, 0.3 kW, 3 %\n", stamp(tenths));
    case 8: return fmt::format("{}, 1, 1e2 W, 3 %\n", stamp(tenths));
    case 9: return fmt::format("{}, 1\n", stamp(tenths));
    case 10: return fmt::format("{}, \"1\", \"77 W\", 3 %\n", stamp(tenths));
    default: return fmt::format("{}, 1, 2147483647 W, 3 %\n", stamp(tenths));
  }
}

TEST(PlainRows, BlocksGiveWhatRowsGive) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Rng rng(seed);
    std::string text = "timestamp, index, power.draw [W], utilization.gpu [%]\n";
    const bool odd = seed > 2;
    for (int poll = 0; poll < 3000; ++poll) {
      for (int gpu = 0; gpu < 4; ++gpu) text += fmt::format("{}, {}, {}, 50 %\n", stamp(poll), gpu, power(rng));
      if (odd && rng.below(400) == 0) text += odd_row(rng, poll);
      if (odd && rng.below(900) == 0) text += fmt::format("{}, 2, 55.5 W, 1 %\n", stamp(std::max(0, poll - 50)));
    }
    if (seed == 6) text += "2026/01/01 01:00:00.0, 3, 20";  // cut while it was written
    const auto rows = read_memory(row_by_row(text), "log.csv", {});
    ASSERT_TRUE(rows) << rows.error().message();
    for (const int threads : {1, 2, 5}) {
      const auto blocks = read_memory(text, "log.csv", {.threads = threads});
      ASSERT_TRUE(blocks) << blocks.error().message();
      expect_same(*blocks, *rows);
    }
  }
}

TEST(PlainRows, SaysWhichLineIsDamagedBehindBlocks) {
  std::string text = "timestamp, index, power.draw [W]\n";
  for (int i = 0; i < 5000; ++i) text += fmt::format("{}, 0, 100 W\n", stamp(i));
  text += "2026/01/01 05:00:00.0, 0, oops W\n";  // line 5002
  const auto t = read_memory(text, "log.csv", {.threads = 2});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->understanding.first_damaged.size(), 1U);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "log.csv:5002");
}

std::optional<PlainRows> engine(Layout& layout, ColumnMap& map) {
  layout.delimiter = ',';
  layout.cells = 3;
  map.time = 0;
  map.device = 1;
  map.power = 2;
  map.power_scale = 1.0;
  return PlainRows::of(layout, map, {});
}

TEST(PlainRows, RefusesABlockWithAnythingElse) {
  Layout layout;
  ColumnMap map;
  const auto rows = engine(layout, map);
  ASSERT_TRUE(rows);
  const std::vector<std::string> keys{"0", "1"};
  PlainBlock out;
  EXPECT_TRUE(rows->parse("2026-01-02 03:04:05.25,1,71.5\n2026-01-02T03:04:06,0,72 W\r\n", keys, out));
  ASSERT_EQ(out.devices.size(), 2U);
  EXPECT_EQ(out.devices[0].power_w, std::vector<double>{72});
  EXPECT_EQ(out.devices[1].power_w, std::vector<double>{71.5});
  // 2026-01-02 is 20455 days after 1970-01-01 (56 years of 365 days, 14 leap days, 1 day more).
  EXPECT_EQ(
      out.devices[1].time_ns[0],
      (std::int64_t{20455} * 86400 + std::int64_t{3} * 3600 + std::int64_t{4} * 60 + 5) * 1'000'000'000 + 250'000'000);
  EXPECT_EQ(out.lines, 2);
  EXPECT_TRUE(out.unit_in_cells);
  for (const char* line : {"2026-01-02 03:04:05Z,1,71.5\n",
                           "2026-01-02 03:04:05+01:00,1,71.5\n",
                           "2026-01-02 03:04:60,1,71.5\n",
                           "2026-02-30 03:04:05,1,71.5\n",
                           "2026-01/02 03:04:05,1,71.5\n",
                           "02-01-2026 03:04:05,1,71.5\n",
                           "2026-01-02 03:04:05,2,71.5\n",
                           "2026-01-02 03:04:05,,71.5\n",
                           "2026-01-02 03:04:05,1,-1\n",
                           "2026-01-02 03:04:05,1,nan\n",
                           "2026-01-02 03:04:05,1,\n",
                           "2026-01-02 03:04:05,1,7 mW\n",
                           "2026-01-02 03:04:05,1,1.2.3\n",
                           "2026-01-02 03:04:05,1,12345678901234567\n",
                           "2026-01-02 03:04:05,1\n",
                           "2026-01-02 03:04:05,1,71.5,9\n",
                           "\"2026-01-02 03:04:05\",1,71.5\n",
                           "2026-01-02 03:04:05,1,71.5",
                           "2026-01-02 03:04:05.,1,71.5\n",
                           "2026-01-02 03:04:05.1234567890,1,71.5\n",
                           "\n"}) {
    EXPECT_FALSE(rows->parse(line, keys, out)) << line;
  }
}

TEST(PlainRows, CountsTheCellsBehind) {
  Layout layout;
  ColumnMap map;
  (void)engine(layout, map);
  const std::vector<std::string> keys{"0"};
  PlainBlock out;
  for (std::size_t extra = 1; extra <= 12; ++extra) {
    for (std::size_t width = 0; width < 20; ++width) {
      layout.cells = 3 + extra;
      const auto rows = PlainRows::of(layout, map, {});
      ASSERT_TRUE(rows);
      std::string tail;
      for (std::size_t i = 0; i < extra; ++i) tail += "," + std::string((width * (i + 1)) % 20, 'x');
      // A second row, so that what is behind the line's end is not counted with it.
      const std::string head = "2026-01-02 03:04:05,0,71.5";
      const auto parse = [&](const std::string& behind) {
        const std::string two = fmt::format("{0}{1}\n{0}{2}\n", head, behind, tail);
        return rows->parse(two, keys, out);
      };
      EXPECT_TRUE(parse(tail)) << tail;
      EXPECT_FALSE(parse(tail + ",")) << tail;
      EXPECT_FALSE(parse(tail.substr(0, tail.rfind(',')))) << tail;
      std::string quoted = tail;
      quoted.insert(1 + (width * 7) % quoted.size(), "\"");
      EXPECT_FALSE(parse(quoted)) << quoted;
    }
  }
}

TEST(PlainRows, IsNotForTablesWithMore) {
  Layout layout;
  ColumnMap map;
  ASSERT_TRUE(engine(layout, map));
  for (int ColumnMap::* column : {&ColumnMap::host, &ColumnMap::phase, &ColumnMap::average, &ColumnMap::limit,
                                  &ColumnMap::energy, &ColumnMap::date, &ColumnMap::instance}) {
    ColumnMap more = map;
    more.*column = 1;
    EXPECT_FALSE(PlainRows::of(layout, more, {}));
  }
  ColumnFormats comma;
  comma.power = Decimals::comma;
  EXPECT_FALSE(PlainRows::of(layout, map, comma));
}

}  // namespace
}  // namespace wattrein::trace
