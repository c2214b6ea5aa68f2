// Lines that were cut in mid-file, in every format: what is read was in the whole log, and the rest is counted.
#include "trace/cut_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

using Sample = std::tuple<std::int64_t, std::string, double>;

/// All known readings with their moments.
std::set<Sample> samples_of(const Trace& trace) {
  std::set<Sample> all;
  for (const Series& s : trace.series) {
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s.power_w[i] == s.power_w[i]) {
        all.emplace(trace.start_unix_ns.value_or(0) + s.time_ns[i], s.device.name, s.power_w[i]);
      }
    }
  }
  return all;
}

struct Log {
  std::string name;
  std::string text;
  ReadOptions options{};
  std::size_t unseen = 0;  ///< a line that was cut within so many characters and runs into the next looks whole
};

std::string lines_of(std::string_view header, int polls, std::string (*poll)(int)) {
  std::string text(header);
  for (int i = 0; i < polls; ++i) text += poll(i);
  return text;
}

/// The watts of the i-th poll: 100.00, 117.37, ...; each differs from the last, and none is the start of another.
double watts(int i, int device = 0) { return 100.0 + 17.37 * (i % 23) + 0.10 * i + 211.5 * device; }

std::vector<Log> logs() {
  constexpr int kPolls = 40;
  std::vector<Log> all;
  all.push_back({"smi, power second", lines_of("timestamp, power.draw [W], utilization.gpu [%]\n", kPolls, [](int i) {
                   return fmt::format("2026/03/01 10:00:{:02}.{:03}, {:.2f} W, {} %\n", i, 120 + i, watts(i), 5 + i);
                 })});
  all.push_back({"smi, power last", lines_of("timestamp, index, power.draw [W]\n", kPolls, [](int i) {
                   return fmt::format(
                       "2026/03/01 10:00:{0:02}.500, 0, {1:.2f} W\n2026/03/01 10:00:{0:02}.500, 1, {2:.2f} W\n", i,
                       watts(i), watts(i, 1));
                 })});
  all.push_back({"smi, no header", lines_of("", kPolls, [](int i) {
                   return fmt::format("2026/03/01 10:00:{:02}.{:03}, {} %, {:.2f} W\n", i, 120 + i, 5 + i, watts(i));
                 })});
  all.push_back({"csv, fixed decimals last", lines_of("timestamp,gpu_index,power_w\n", kPolls, [](int i) {
                   return fmt::format("{}.250,0,{:.2f}\n", 1772359200 + i, watts(i));
                 })});
  all.push_back({"csv, many columns", lines_of("timestamp,phase,gpu,power_w,temp_c,mem\n", kPolls, [](int i) {
                   return fmt::format("{}.389,train,{},{:.1f},47,31508\n", 1772359200 + i, 0, watts(i));
                 })});
  all.push_back({"csv, a column each", lines_of("time_s,gpu0_power_w,gpu1_power_w,load\n", kPolls, [](int i) {
                   return fmt::format("{}.5,{:.2f},{:.2f},7\n", 1772359200 + i, watts(i), watts(i, 1));
                 })});
  all.push_back({"jsonl", lines_of("", kPolls, [](int i) {
                   return fmt::format("{{\"ts\": {}.5, \"gpu\": 0, \"power_w\": {:.2f}}}\n", 1772359200 + i, watts(i));
                 })});
  all.push_back({"acmeter", lines_of("T,P,I,V,S,Q\n", kPolls, [](int i) {
                   return fmt::format("{}.0059, {:.2f}, 1.09, 229.2, 251.7, 60.1\n", 1772359200 + i, watts(i));
                 })});
  all.push_back({"powerjoular", lines_of("Date,CPU Utilization,Total Power,CPU Power,GPU Power\n", kPolls, [](int i) {
                   return fmt::format("2026-03-01 10:00:{:02}.211,0.45,{:.4f},{:.4f},0.0000\n", i, watts(i), watts(i));
                 })});
  all.push_back({"energibridge",
                 lines_of("Delta,Time,CPU_USAGE_0,GPU0_POWER (mWatts),USED_MEMORY\n", kPolls,
                          [](int i) { return fmt::format("200,{}000,5,{:.0f},7\n", 1772359200 + i, 1000 * watts(i)); }),
                 {},
                 3});
  all.push_back({"gpu-z", lines_of("Date , GPU Clock [MHz] , Board Power Draw [W] , Fan [%] ,\n", kPolls, [](int i) {
                   return fmt::format("2026-03-01 10:00:{:02} , 1785.0 , {:.1f} , 30 ,\n", i, watts(i));
                 })});
  all.push_back({"dcgm-csv, a row a field",
                 lines_of("timestamp,gpu,field,value\n", kPolls,
                          [](int i) {
                            return fmt::format(
                                "{0}.5,0,DCGM_FI_DEV_POWER_USAGE,{1:.3f}\n{0}.5,0,DCGM_FI_DEV_GPU_TEMP,41.000\n",
                                1772359200 + i, watts(i));
                          }),
                 {},
                 12});
  all.push_back({"mllog", lines_of("", kPolls, [](int i) {
                   return fmt::format(
                       ":::MLLOG {{\"key\": \"power_reading\", \"value\": {:.1f}, \"time_ms\": {}000}}\n", watts(i),
                       1772359200 + i);
                 })});
  all.push_back({"ipmitool sdr", lines_of("", kPolls, [](int i) {
                   return fmt::format(
                       "Timestamp | {}\nInlet Temp       | 23 degrees C      | ok\nPwr Consumption  | "
                       "{:.0f} Watts       | ok\n",
                       1772359200 + i, watts(i));
                 })});
  all.push_back({"ipmitool sensor", lines_of("", kPolls, [](int i) {
                   return fmt::format("Timestamp | {}\nPwr Consumption | {:.3f} | Watts | ok | na | na\n",
                                      1772359200 + i, watts(i));
                 })});
  all.push_back({"tegrastats", lines_of("", kPolls, [](int i) {
                   return fmt::format(
                       "03-01-2026 10:00:{:02} RAM {}/3964MB CPU [24%@1224] GR3D_FREQ 7% VDD_IN {:.0f}mW/{:.0f}mW "
                       "VDD_SOC 812mW/812mW\n",
                       i, 1766 + i, 10 * watts(i), 10 * watts(0));
                 })});
  all.push_back({"powermetrics", lines_of("", kPolls, [](int i) {
                   return fmt::format(
                       "*** Sampled system activity (Sun Mar  1 10:00:{:02} 2026 +0100) (1000.00ms elapsed) ***\n"
                       "CPU Power: {:.0f} mW\nGPU Power: 26 mW\nCombined Power (CPU + GPU + ANE): {:.0f} mW\n",
                       i, 10 * watts(i), 10 * watts(i, 1));
                 })});
  all.push_back({"prometheus, stamped", lines_of("", kPolls, [](int i) {
                   return fmt::format("DCGM_FI_DEV_POWER_USAGE{{gpu=\"0\",UUID=\"GPU-7f\"}} {:.6f} {}000\n", watts(i),
                                      1772359200 + i);
                 })});
  all.push_back(
      {"prometheus, scrapes",
       lines_of("", kPolls,
                [](int i) {
                  return fmt::format(
                      "# TYPE DCGM_FI_DEV_POWER_USAGE gauge\nDCGM_FI_DEV_POWER_USAGE{{gpu=\"0\",UUID=\"GPU-7f\"}} "
                      "{:.6f}\n",
                      watts(i));
                }),
       {.period = Nanos(1'000'000'000)}});
  all.push_back({"dcgmi dmon",
                 lines_of("#Entity   POWER   GPUTL\nID          W          \n", kPolls,
                          [](int i) { return fmt::format("GPU 0     {:.3f}   {}\n", watts(i), 10 + i); }),
                 {.period = Nanos(1'000'000'000)}});
  all.push_back(
      {"smi dmon", lines_of("#Date       Time        gpu    pwr  gtemp\n#YYYYMMDD   HH:MM:SS    Idx      W      C\n",
                            kPolls, [](int i) {
                              return fmt::format(" 20260301   10:00:{:02}      0    {:.0f}     {}\n", i, watts(i),
                                                 40 + i);
                            })});
  all.push_back({"turbostat", lines_of("Time_Of_Day_Seconds\tCore\tCPU\tBusy%\tPkgWatt\tRAMWatt\n", kPolls, [](int i) {
                   return fmt::format("{}.123456\t-\t-\t12.10\t{:.2f}\t8.10\n", 1772359200 + i, watts(i));
                 })});
  return all;
}

/// Nothing is read that the whole log does not hold, and where readings are lost, rows are damaged.
void expect_no_new_reading(const Log& log, const Trace& whole, const std::string& cut, const std::string& where) {
  ReadOptions options = log.options;
  options.lenient = true;
  const auto trace = read_text(cut, options);
  if (!trace) return;  // refused, and said why
  const std::set<Sample> healthy = samples_of(whole);
  const std::set<Sample> found = samples_of(*trace);
  // A log without a clock puts what follows a lost poll earlier: there the power alone can be compared.
  const bool clock = !log.options.period;
  std::set<double> powers;
  for (const auto& [t, device, power] : healthy) powers.insert(power);
  for (const Sample& s : found) {
    const bool known = clock ? healthy.contains(s) : powers.contains(std::get<2>(s));
    EXPECT_TRUE(known) << log.name << ", " << where << ": " << std::get<0>(s) << " '" << std::get<1>(s) << "' "
                       << std::get<2>(s);
  }
  if (found.size() < healthy.size()) {
    EXPECT_GT(trace->understanding.damaged + trace->understanding.unknown_power, 0)
        << log.name << ", " << where << ": lost and not counted";
  }
}

TEST(CutRows, NoFormatReadsALineThatWasCut) {
  for (const Log& log : logs()) {
    const auto whole = read_text(log.text, log.options);
    ASSERT_TRUE(whole) << log.name << ": " << whole.error().message();
    EXPECT_EQ(whole->understanding.damaged, 0) << log.name;
    EXPECT_TRUE(whole->understanding.warnings.empty()) << log.name;
    // Four lines in the middle: every kind of line is among them.
    std::size_t begin = log.text.size() / 2;
    for (int line = 0; line < 4; ++line) {
      begin = log.text.find('\n', begin) + 1;
      const std::size_t end = log.text.find('\n', begin);
      for (std::size_t at = begin + 1; at < end; ++at) {
        if (log.text.substr(begin, at - begin).find_first_not_of(' ') == std::string::npos)
          continue;  // nothing is left
        const std::string where = fmt::format("'{}'", log.text.substr(begin, at - begin));
        expect_no_new_reading(log, *whole, log.text.substr(0, at) + log.text.substr(end), where);
        // A sensor's name behind one blank is another sensor's name.
        const bool named = log.name == "ipmitool sdr" && log.text[at - 1] == ' ' && log.text[at - 2] != ' ';
        if (at - begin <= log.unseen || named) continue;
        expect_no_new_reading(log, *whole, log.text.substr(0, at) + log.text.substr(end + 1), where + " and the next");
      }
    }
  }
}

/// 40 rows of two devices under time,gpu,power_w,temp,note.
std::string table(std::string_view row_14) {
  std::string text = "time,gpu_index,power_w,temp,note\n";
  for (int i = 0; i < 40; ++i) {
    text += i == 14 ? std::string(row_14) : fmt::format("{},{},{},41,ok", 1772359200 + i / 2, i % 2, 300 + i);
    text += '\n';
  }
  return text;
}

TEST(CutRows, TheLastCellOfAShortRowIsNotTrusted) {
  // Line 16 is the 15th row: 30 of 314 W would be the least reading of all.
  const auto cut = read_text(table("1772359207,0,30"));
  ASSERT_TRUE(cut) << cut.error().message();
  EXPECT_EQ(cut->understanding.damaged, 1);
  EXPECT_EQ(cut->understanding.rows, 39);
  EXPECT_EQ(cut->understanding.first_damaged[0].where, "log:16");
  EXPECT_NE(cut->understanding.first_damaged[0].reason.find("3 of 5 cells"), std::string::npos);
  EXPECT_EQ(cut->series[0].size(), 19U);
  EXPECT_EQ(cut->series[0].power_w[7], 316.0);  // 314 is not there
  // One cell further the power is whole.
  const auto whole = read_text(table("1772359207,0,314,4"));
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->understanding.damaged, 0);
  EXPECT_EQ(whole->series[0].power_w[7], 314.0);
}

TEST(CutRows, ALineThatEndsBeforeItsDeviceIsCounted) {
  for (const std::string_view row : {"1", "17723592", "1772359207", "1772359207,0"}) {
    const auto cut = read_text(table(row));
    ASSERT_TRUE(cut) << cut.error().message();
    EXPECT_EQ(cut->understanding.damaged, 1) << row;
    EXPECT_EQ(cut->understanding.rows, 39) << row;
  }
  // What does not begin as rows do is no row.
  const auto other = read_text(table("logger restarted"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->understanding.damaged, 0);
  EXPECT_EQ(other->understanding.other_lines, 1);
}

TEST(CutRows, RowsThatAreShortByHabitAreWhole) {
  // Every fourth row leaves its empty cells out: ten of forty.
  std::string text = "time,gpu_index,power_w,temp,note\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},0,{}{}\n", 1772359200 + i, 300 + i, i % 4 == 3 ? "" : ",41,ok");
  const auto quarter = read_text(text);
  ASSERT_TRUE(quarter) << quarter.error().message();
  EXPECT_EQ(quarter->understanding.damaged, 0);
  EXPECT_EQ(quarter->series[0].size(), 40U);
  // One device of 30 prints fewer columns: 3 % of the rows and all of its own. Beyond the sampled 64 KiB too.
  text = "time,gpu_index,power_w,temp,note\n";
  for (int i = 0; i < 200; ++i) {
    for (int d = 0; d < 30; ++d) {
      text += fmt::format("{},{},{}{}\n", 1772359200 + i, d, 300 + d, d == 7 ? "" : ",41,a note of some length");
    }
  }
  const auto device = read_text(text);
  ASSERT_TRUE(device) << device.error().message();
  EXPECT_EQ(device->understanding.damaged, 0);
  EXPECT_EQ(device->understanding.rows, 6000);
}

/// Rows time,gpu,power of `n` polls; row 14 is cut to `cut`.
std::string last_column(std::string_view header, int n, std::string_view format, std::string_view cut) {
  std::string text = fmt::format("{}\n", header);
  for (int i = 0; i < n; ++i) {
    const double power = 296.25 + i % 40;
    const std::string value = i == 14 ? std::string(cut) : fmt::format(fmt::runtime(format), power);
    text += fmt::format("{},0,{}\n", 1772359200 + i, value);
  }
  return text;
}

TEST(CutRows, ACutWithinTheLastCellShowsByUnitAndFixedDecimals) {
  for (const int n : {40, 20'000}) {  // the latter by blocks
    for (const std::string_view cut : {"3", "31", "310", "310.", "310.2", "310.25"}) {
      const auto unit = read_text(last_column("time,gpu_index,power [W]", n, "{:.2f} W", cut));
      ASSERT_TRUE(unit) << unit.error().message();
      EXPECT_EQ(unit->understanding.damaged, 1) << cut;
      EXPECT_EQ(unit->understanding.rows, n - 1) << cut;
    }
    for (const std::string_view cut : {"3", "31", "310", "310.", "310.2"}) {
      const auto fixed = read_text(last_column("time,gpu_index,power_w", n, "{:.3f}", cut));  // 310.250: padded
      ASSERT_TRUE(fixed) << fixed.error().message();
      EXPECT_EQ(fixed->understanding.damaged, 1) << cut;
      EXPECT_EQ(fixed->understanding.rows, n - 1) << cut;
    }
  }
}

TEST(CutRows, AMeterOfFiveDigitsHasFewerDecimalsAboveAPowerOfTen) {
  for (const int n : {40, 20'000}) {
    std::string text = last_column("time,gpu_index,power_w", n, "{:.2f}", "1106.3");  // 310.20: padded
    const auto peak = read_text(text);
    ASSERT_TRUE(peak) << peak.error().message();
    EXPECT_EQ(peak->understanding.damaged, 0);
    EXPECT_EQ(peak->series[0].power_w[14], 1106.3);
  }
}

TEST(CutRows, NumbersAsShortAsTheyGoAreWhole) {
  // No cell ends in a zero: a program that drops them may well have written 310.2.
  const auto shortest = read_text(last_column("time,gpu_index,power_w", 40, "{:.2f}", "310.2"));
  ASSERT_TRUE(shortest);
  EXPECT_EQ(shortest->understanding.damaged, 0);
  EXPECT_EQ(shortest->series[0].size(), 40U);
  // A failed poll is written as 0: unknown, not cut.
  const auto zero = read_text(last_column("time,gpu_index,power_w", 40, "{:.3f}", "0"));
  ASSERT_TRUE(zero);
  EXPECT_EQ(zero->understanding.damaged, 0);
  EXPECT_EQ(zero->understanding.unknown_power, 1);
}

TEST(CutRows, TwoNamesInOneAreNoDevice) {
  std::string text = "gpu_index,time,power_w,temp\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("{},{},{},41\n", i % 2, 1772359200 + i / 2, 300 + i);
  const std::size_t line = text.find("0,1772359210");
  text.erase(line + 1, text.find('\n', line) - line);  // "0" and the next line, which begins with 1
  const auto trace = read_text(text);
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->understanding.damaged, 1);
  EXPECT_EQ(trace->understanding.rows, 38);
}

}  // namespace
}  // namespace wattrein::trace
