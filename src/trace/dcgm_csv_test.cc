#include <gtest/gtest.h>

#include <string>

#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

TEST(DcgmCsv, OneColumnAField) {
  const auto trace = read_text(
      "timestamp,Hostname,GPU-Id,DCGM_FI_DEV_GPU_TEMP,DCGM_FI_DEV_POWER_USAGE,DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION,"
      "DCGM_FI_DEV_POWER_MGMT_LIMIT\n"
      "2026-05-01T00:00:00,node-1,0,65,205.5,1000,700\n2026-05-01T00:00:00,node-2,0,65,305.5,5000,700\n"
      "2026-05-01T00:00:01,node-1,0,65,206.5,207000,700\n2026-05-01T00:00:01,node-2,0,65,2147483632,315000,700\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "dcgm-csv");
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].device.name, "node-2/0");
  EXPECT_EQ(trace->series[0].power_w, (Powers{205.5, 206.5}));
  EXPECT_TRUE(same(trace->series[1].power_w, {305.5, kNaN}));
  EXPECT_EQ(trace->series[0].column(Column::energy_j), (Powers{1, 207}));
  EXPECT_EQ(trace->series[0].column(Column::limit_w), (Powers{700, 700}));
}

TEST(DcgmCsv, InstantGoesFirst) {
  const auto trace = read_text(
      "timestamp,gpu,DCGM_FI_DEV_POWER_USAGE,DCGM_FI_DEV_POWER_USAGE_INSTANT\n"
      "1718369824,0,205,210\n1718369825,0,206,216\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->series[0].power_w, (Powers{210, 216}));
  EXPECT_EQ(trace->series[0].device.meter, MeterKind::instantaneous);
}

TEST(DcgmCsv, OneRowAField) {
  const auto trace = read_text(
      "timestamp,metric_name,gpu_id,device,uuid,modelName,Hostname,pod,value,labels_raw\n"
      "2026-07-18T20:42:33Z,DCGM_FI_DEV_GPU_UTIL,0,nvidia0,GPU-aaaa0001,NVIDIA H100,n1,,97,x\n"
      "2026-07-18T20:42:33Z,DCGM_FI_DEV_POWER_USAGE,0,nvidia0,GPU-aaaa0001,NVIDIA H100,n1,,300.5,x\n"
      "2026-07-18T20:42:33Z,DCGM_FI_DEV_POWER_USAGE,1,nvidia1,GPU-aaaa0002,NVIDIA H100,n1,,310.5,x\n"
      "2026-07-18T20:42:34Z,DCGM_FI_DEV_GPU_UTIL,0,nvidia0,GPU-aaaa0001,NVIDIA H100,n1,,98,x\n"
      "2026-07-18T20:42:34Z,DCGM_FI_DEV_POWER_USAGE,0,nvidia0,GPU-aaaa0001,NVIDIA H100,n1,,301.5,x\n"
      "2026-07-18T20:42:34Z,DCGM_FI_DEV_POWER_USAGE,1,nvidia1,GPU-aaaa0002,NVIDIA H100,n1,,140737488355328,x\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_EQ(trace->understanding.format, "dcgm-csv");
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].device.name, "n1/0");
  EXPECT_EQ(trace->series[0].device.uuid, "GPU-aaaa0001");
  EXPECT_EQ(trace->series[0].power_w, (Powers{300.5, 301.5}));
  EXPECT_TRUE(same(trace->series[1].power_w, {310.5, kNaN}));
  EXPECT_EQ(trace->understanding.power, "field DCGM_FI_DEV_POWER_USAGE in W");
  EXPECT_TRUE(mentions(*trace, "2 rows of other fields are not used"));
  EXPECT_EQ(trace->understanding.other_lines, 0);
}

TEST(DcgmCsv, FieldsByNumber) {
  const auto trace = read_text(
      "gpu,field,timestamp,value\n0,150,1718369824000000,65\n0,155,1718369824000000,70.5\n"
      "1,155,1718369824000000,300.5\n0,150,1718369825000000,65\n0,155,1718369825000000,71.5\n"
      "1,155,1718369825000000,301.5\n");
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[1].power_w, (Powers{300.5, 301.5}));
}

TEST(DcgmCsv, EnergyAloneGivesItsDifferences) {
  // 70000 mJ in 1 s, then 80000.
  const auto trace = read_text(
      "gpu,field,timestamp,value\n0,DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION,1718369824,1000\n"
      "0,DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION,1718369825,71000\n"
      "0,DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION,1718369826,151000\n");
  ASSERT_TRUE(trace) << trace.error().message();
  EXPECT_TRUE(same(trace->series[0].power_w, {70, 80, kNaN}));
  EXPECT_EQ(trace->series[0].device.meter, MeterKind::counter_difference);
}

TEST(DcgmCsv, EntitiesInTwoColumns) {
  const auto trace = read_text(
      "device,ID,DCGM_FI_DEV_POWER_USAGE,DCGM_FI_DEV_GPU_UTIL\nGPU,0,70,1\nGPU-I,0,70,1\nGPU,1,300,1\nGPU,0,71,1\n"
      "GPU-I,0,71,1\nGPU,1,301,1\n",
      {.period = Nanos(1'000'000'000)});
  ASSERT_TRUE(trace) << trace.error().message();
  ASSERT_EQ(trace->series.size(), 2U);
  EXPECT_EQ(trace->series[0].power_w, (Powers{70, 71}));
  EXPECT_EQ(trace->series[1].power_w, (Powers{300, 301}));
  EXPECT_EQ(trace->series[0].time_ns, (std::vector<std::int64_t>{0, 1'000'000'000}));
}

TEST(DcgmCsv, WithoutPowerItSaysSo) {
  const std::string error = error_of("timestamp,gpu,DCGM_FI_DEV_GPU_UTIL\n1718369824,0,20\n1718369825,0,21\n");
  EXPECT_NE(error.find("none of its DCGM fields is a power"), std::string::npos) << error;
}

}  // namespace
}  // namespace wattrein::trace
