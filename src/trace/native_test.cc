#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include "base/rng.h"
#include "net/json.h"
#include "trace/native_format.h"
#include "trace/read.h"
#include "trace/write.h"

namespace wattrein::trace {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

std::string written(const Trace& trace) {
  std::string out;
  EXPECT_TRUE(write_native(trace, [&out](std::string_view piece) {
    out += piece;
    return true;
  }));
  return out;
}

std::string as_json(const Trace& trace) {
  std::string out;
  EXPECT_TRUE(write_json(trace, [&out](std::string_view piece) {
    out += piece;
    return true;
  }));
  return out;
}

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "trace.csv", options);
}

bool has_note(const Trace& t, const std::string& part) {
  return std::ranges::any_of(t.understanding.notes,
                             [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

Trace small_trace() {
  Trace t;
  t.source = "power.csv";
  t.start_unix_ns = 1'753'575'747'858'000'000;  // date -u -d '2025-07-27 00:22:27.858' +%s%N
  t.start_has_zone = true;
  t.workload = "training";
  t.phases = {"idle", "generate"};
  Series a;
  a.device = {.name = "0",
              .uuid = "GPU-1",
              .model = "NVIDIA H100 80GB HBM3",
              .host = "n1",
              .meter = MeterKind::average_1s,
              .nameplate = Watts(700)};
  a.time_ns = {0, 100'000'000, 100'000'000};
  a.power_w = {71.25, kNan, 0.1};
  a.phase = {0, -1, 1};
  a.column(Column::energy_j) = {1e6, kNan, 1000000.125};
  Series b;
  b.device.name = "a,b";
  b.time_ns = {1};
  b.power_w = {400};
  t.series = {a, b};
  return t;
}

TEST(Native, WritesWhatThePageSays) {
  EXPECT_EQ(written(small_trace()),
            "# wattrein trace 1\n"
            "# source=power.csv\n"
            "# start=2025-07-27T00:22:27.858000000Z\n"
            "# evidence=measured-replay\n"
            "# workload=training\n"
            "# phase=idle\n"
            "# phase=generate\n"
            "# device=0,uuid=GPU-1,model=NVIDIA H100 80GB HBM3,host=n1,meter=1-s average,nameplate_w=700\n"
            "# device=a%2Cb\n"
            "time_s,device,power_w,phase,energy_j\n"
            "0.000000000,0,71.25,idle,1e+06\n"
            "0.000000001,a%2Cb,400,,\n"
            "0.100000000,0,,,\n"
            "0.100000000,0,0.1,generate,1000000.125\n");
}

TEST(Native, WarningsGoWithTheSamples) {
  Trace t = small_trace();
  EXPECT_EQ(as_json(t).find("warnings"), std::string::npos);
  t.understanding.warnings = {"Two logs, a.csv and b.csv, are one.", "100 % in doubt."};
  EXPECT_NE(as_json(t).find("\"warnings\": [\"Two logs, a.csv and b.csv, are one.\", \"100 % in doubt.\"],"),
            std::string::npos);
  const auto back = read(written(t));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->understanding.warnings, t.understanding.warnings);
  EXPECT_EQ(written(*back), written(t));
}

TEST(Native, WritesJson) {
  const auto json = net::parse_json(as_json(small_trace()), "json");
  ASSERT_TRUE(json) << json.error().message();
  EXPECT_EQ(*json->find("format")->string(), "wattrein trace");
  EXPECT_EQ(*json->find("start")->string(), "2025-07-27T00:22:27.858000000Z");
  EXPECT_EQ(json->find("phases")->array()->size(), 2U);
  const auto& devices = *json->find("devices")->array();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(*devices[0].find("meter")->string(), "1-s average");
  const auto& power = *devices[0].find("power_w")->array();
  ASSERT_EQ(power.size(), 3U);
  EXPECT_EQ(std::get<double>(power[0].value()), 71.25);
  EXPECT_TRUE(power[1].is_null());
  EXPECT_EQ(std::get<std::int64_t>((*devices[0].find("time_ns")->array())[1].value()), 100'000'000);
  EXPECT_TRUE((*devices[0].find("phase")->array())[1].is_null());
  EXPECT_EQ(devices[0].find("energy_j")->array()->size(), 3U);
  EXPECT_TRUE(devices[1].find("uuid")->is_null());
  EXPECT_EQ(devices[1].find("phase"), nullptr);
  EXPECT_EQ(devices[1].find("energy_j"), nullptr);
}

TEST(Native, StopsWhenTheSinkRefuses) {
  Trace t = small_trace();
  for (int i = 0; i < 20'000; ++i) {
    t.series[1].time_ns.push_back(i + 2);
    t.series[1].power_w.push_back(i);
  }
  for (const auto write : {&write_native, &write_json}) {
    int calls = 0;
    EXPECT_FALSE(write(t, [&calls](std::string_view) { return ++calls < 2; }));
    EXPECT_EQ(calls, 2);
  }
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i])) {
      EXPECT_TRUE(std::isnan(b[i])) << i;
    } else {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(a[i]), std::bit_cast<std::uint64_t>(b[i])) << a[i];
    }
  }
}

void expect_same(const Trace& a, const Trace& b) {
  EXPECT_EQ(a.source, b.source);
  EXPECT_EQ(a.start_unix_ns, b.start_unix_ns);
  EXPECT_EQ(a.start_has_zone, b.start_has_zone);
  EXPECT_EQ(a.phases, b.phases);
  EXPECT_EQ(a.evidence, b.evidence);
  EXPECT_EQ(a.workload, b.workload);
  ASSERT_EQ(a.series.size(), b.series.size());
  for (std::size_t d = 0; d < a.series.size(); ++d) {
    const Series& s = a.series[d];
    const Series& r = b.series[d];
    EXPECT_EQ(s.device.name, r.device.name);
    EXPECT_EQ(s.device.uuid, r.device.uuid);
    EXPECT_EQ(s.device.model, r.device.model);
    EXPECT_EQ(s.device.host, r.device.host);
    EXPECT_EQ(s.device.meter, r.device.meter);
    EXPECT_EQ(s.device.nameplate, r.device.nameplate);
    EXPECT_EQ(s.time_ns, r.time_ns);
    EXPECT_EQ(s.phase, r.phase);
    EXPECT_EQ(s.duplicate_stamps, r.duplicate_stamps);
    EXPECT_EQ(s.backward_stamps, r.backward_stamps);
    expect_same(s.power_w, r.power_w);
    for (std::size_t c = 0; c < s.columns.size(); ++c) expect_same(s.columns[c], r.columns[c]);
  }
}

TEST(Native, ReadingBackGivesTheSameTrace) {
  Trace t = small_trace();
  t.series[0].duplicate_stamps = 1;
  t.series[0].backward_stamps = 2;
  const auto back = read(written(t));
  ASSERT_TRUE(back) << back.error().message();
  expect_same(t, *back);
  EXPECT_EQ(written(*back), written(t));
  EXPECT_EQ(back->understanding.format, "native");
  EXPECT_EQ(back->understanding.rows, 4);
  EXPECT_EQ(back->understanding.unknown_power, 1);
}

std::string random_name(Rng& rng) {
  constexpr std::string_view kNasty = ",\"%=#\n\r\t \\'+-@;:0aZ\x01\x7f\xc3\xa9";
  std::string name;
  for (std::uint64_t n = rng.below(8); n > 0; --n) name += kNasty[rng.below(kNasty.size())];
  return name;
}

double random_value(Rng& rng) {
  switch (rng.below(6)) {
    case 0: return kNan;
    case 1: return std::bit_cast<double>(rng.next() & 0x800fffffffffffffU);  // subnormal or zero, either sign
    case 2: return -0.0;
    case 3: return static_cast<double>(rng.below(1000));
    case 4: return rng.uniform() * 700;
    default: {
      const double any = std::bit_cast<double>(rng.next());
      return std::isfinite(any) ? any : kNan;
    }
  }
}

/// Some values, and at least one known: a column of nothing but unknowns is the same as none.
std::vector<double> random_column(Rng& rng, std::size_t n) {
  std::vector<double> values(n);
  for (double& v : values) v = random_value(rng);
  values[rng.below(n)] = 1.5;
  return values;
}

Trace random_trace(Rng& rng) {
  Trace t;
  t.source = "s" + random_name(rng);
  if (rng.below(2) == 0) {
    t.start_unix_ns = static_cast<std::int64_t>(rng.below(4'000'000'000'000'000'000));
    t.start_has_zone = rng.below(2) == 0;
  }
  constexpr Evidence kEvidence[] = {Evidence::measured_replay, Evidence::simulated, Evidence::published,
                                    Evidence::projected};
  t.evidence = kEvidence[rng.below(4)];
  t.workload = random_name(rng);
  for (std::uint64_t n = rng.below(4); n > 0; --n) {
    const std::string label = random_name(rng);
    if (std::ranges::find(t.phases, label) == t.phases.end()) t.phases.push_back(label);
  }
  for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
    Series s;
    s.device.name = random_name(rng) + std::to_string(n);
    s.device.uuid = random_name(rng);
    s.device.model = random_name(rng);
    s.device.host = random_name(rng);
    s.device.meter = static_cast<MeterKind>(rng.below(4));
    if (rng.below(2) == 0) s.device.nameplate = Watts(rng.uniform() * 1000);
    const std::size_t samples = 1 + rng.below(20);
    std::int64_t time = t.series.empty() ? 0 : static_cast<std::int64_t>(rng.below(1'000'000'000));
    for (std::size_t i = 0; i < samples; ++i) {
      if (i > 0 && s.time_ns.back() == time) ++s.duplicate_stamps;
      s.time_ns.push_back(time);
      if (rng.below(4) != 0) time += static_cast<std::int64_t>(rng.below(1'000'000'000'000));
    }
    s.power_w = random_column(rng, samples);
    for (double& v : s.power_w) v = std::abs(v);  // a negative power is damage in every format
    for (auto& column : s.columns) {
      if (rng.below(3) == 0) column = random_column(rng, samples);
    }
    if (!t.phases.empty() && rng.below(2) == 0) {
      for (std::size_t i = 0; i < samples; ++i) {
        s.phase.push_back(static_cast<std::int16_t>(static_cast<int>(rng.below(t.phases.size() + 1)) - 1));
      }
      s.phase[rng.below(samples)] = 0;
    }
    t.series.push_back(std::move(s));
  }
  return t;
}

TEST(Native, ReadingBackIsTheIdentityOnRandomTraces) {
  Rng rng(20250727);
  for (int round = 0; round < 500; ++round) {
    const Trace t = random_trace(rng);
    const std::string text = written(t);
    const auto back = read(text);
    ASSERT_TRUE(back) << back.error().message() << "\n" << text;
    expect_same(t, *back);
    EXPECT_EQ(written(*back), text);
    EXPECT_TRUE(net::parse_json(as_json(t), "json")) << as_json(t);
    if (HasFailure()) FAIL() << "round " << round << "\n" << text;
  }
}

TEST(Native, LiveBecomesReplayWhenItIsReadFromAFile) {
  Trace t = small_trace();
  t.evidence = Evidence::measured_live;
  const std::string text = written(t);
  EXPECT_NE(text.find("# evidence=measured-live\n"), std::string::npos);
  const auto back = read(text);
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->evidence, Evidence::measured_replay);
}

TEST(Native, AHandWrittenFileNeedsLittle) {
  const auto t = read("# wattrein trace 1\ndevice,power_w,time_s,mood\n0,100,5.25,good\n0,nan,6,bad\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 750'000'000}));
  EXPECT_EQ(t->series[0].power_w[0], 100);
  EXPECT_TRUE(std::isnan(t->series[0].power_w[1]));
  EXPECT_FALSE(t->start_unix_ns);
  EXPECT_EQ(t->source, "trace.csv");
  EXPECT_TRUE(has_note(*t, "1 of its columns is not known"));
  EXPECT_EQ(t->understanding.clock, "none: seconds from the log's own zero");
}

TEST(Native, TheOriginMovesToTheFirstSample) {
  const auto t = read("# wattrein trace 1\n# start=2025-07-27T00:22:27.858Z\ntime_s,device,power_w\n5,0,1\n7,0,2\n");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->start_unix_ns, 1'753'575'752'858'000'000);
  EXPECT_EQ(t->series[0].time_ns, (std::vector<std::int64_t>{0, 2'000'000'000}));
}

TEST(Native, ATornLastRowIsLeftOut) {
  const auto t = read("# wattrein trace 1\ntime_s,device,power_w\n0,0,100\n1,0,10");
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, std::vector<double>{100});
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_TRUE(has_note(*t, "cut while it was written"));
}

TEST(Native, DamagedRowsAreCountedWithTheirPlace) {
  std::string text = "# wattrein trace 1\ntime_s,device,power_w,step\n";
  for (int i = 0; i < 100; ++i) text += std::to_string(i) + ",0,100,7\n";
  text += "100,0,100\n1e2,0,100,7\n101,0,1O0,7\n102,%,100,7\n103,%4,100,7\n104,0,100,x\n# a remark\n\n";
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.damaged, 4);
  EXPECT_EQ(t->understanding.first_damaged[0].where, "trace.csv:103");
  EXPECT_EQ(t->understanding.first_damaged[0].reason, "3 cells under 4 columns");
  EXPECT_EQ(t->understanding.first_damaged[1].reason, "'1e2' is no time in seconds");
  EXPECT_EQ(t->understanding.first_damaged[2].reason, "'1O0' is no power");
  EXPECT_EQ(t->understanding.other_lines, 2);
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[1].device.name, "");  // a lone % is the empty name
  EXPECT_EQ(t->series[0].size(), 101U);
  EXPECT_TRUE(std::isnan(t->series[0].column(Column::step)[100]));
  EXPECT_TRUE(has_note(*t, "1 cell beside time and power could not be read and is unknown"));
}

TEST(Native, WhatCannotBeReadIsASentence) {
  struct Case {
    std::string text;
    std::string part;
    std::string where;
  };
  const std::string table = "time_s,device,power_w\n0,0,1\n";
  for (const Case& c : {
           Case{"# wattrein trace 2\n" + table, "version '2'; this program reads version 1", "trace.csv:1"},
           Case{"# wattrein trace one\n" + table, "version 'one'", "trace.csv:1"},
           Case{"# wattrein trace 1\n# evidence=guess\n" + table, "'guess' is no class of evidence", "trace.csv:2"},
           Case{"# wattrein trace 1\n# start=noon\n" + table, "'noon' is no start time", "trace.csv:2"},
           Case{"# wattrein trace 1\n# start=1753575747\n" + table, "is no start time", "trace.csv:2"},
           Case{"# wattrein trace 1\n# source=%zz\n" + table, "hexadecimal", "trace.csv:2"},
           Case{"# wattrein trace 1\n# device=%z\n" + table, "no device name", "trace.csv:2"},
           Case{"# wattrein trace 1\ntime_ns,device,power_w\n0,0,1\n", "no column 'time_s'", "trace.csv:2"},
           Case{"# wattrein trace 1\n# start=2025-07-27T00:00:00Z\n", "ends before the line with the column names", ""},
           Case{"# wattrein trace 1\n" + table + "# wattrein trace 1\n" + table, "second trace", "trace.csv:4"},
           Case{"# wattrein trace 1\ntime_s,device,power_w\n", "no sample", ""},
       }) {
    const auto t = read(c.text);
    ASSERT_FALSE(t) << c.text;
    EXPECT_EQ(t.error().kind, ErrorKind::bad_input);
    EXPECT_NE(t.error().what.find(c.part), std::string::npos) << t.error().message();
    if (!c.where.empty()) {
      EXPECT_EQ(t.error().where, c.where);
    }
    EXPECT_FALSE(t.error().cure.empty());
  }
  const auto column = read("# wattrein trace 1\n" + table, {.power_column = "x"});
  ASSERT_FALSE(column);
  EXPECT_EQ(column.error().kind, ErrorKind::usage);
}

TEST(NativeFormat, TimesAreExactOverTheWholeRange) {
  struct Case {
    std::int64_t ns;
    std::string text;
  };
  for (const Case& c :
       {Case{0, "0.000000000"}, Case{1, "0.000000001"}, Case{-1, "-0.000000001"}, Case{kMax, "9223372036.854775807"},
        Case{kMin, "-9223372036.854775808"}, Case{1'500'000'000, "1.500000000"}}) {
    std::string out;
    append_native_time(out, c.ns);
    EXPECT_EQ(out, c.text);
    EXPECT_EQ(parse_native_time(c.text), c.ns);
  }
  EXPECT_EQ(parse_native_time("7"), 7'000'000'000);
  EXPECT_EQ(parse_native_time("-7.5"), -7'500'000'000);
  for (const char* text : {"", "-", ".5", "5.", "1.0000000001", "1e3", "+1", "1 2", "9223372036.854775808", "0x1",
                           "99999999999999999999", "1.2.3"}) {
    EXPECT_FALSE(parse_native_time(text)) << text;
  }
}

TEST(NativeFormat, StartsBeforeTheEpochToo) {
  EXPECT_EQ(native_start(0, true), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(native_start(-1, false), "1969-12-31T23:59:59.999999999");
}

}  // namespace
}  // namespace wattrein::trace
