#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "trace/read.h"
#include "trace/shared_traces_for_test.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

Result<Trace> read(const std::string& text, const ReadOptions& options = {}) {
  return read_memory(text, "smi.xml", options);
}

std::string gpu(const std::string& bus, const std::string& model, const std::string& readings) {
  return "\t<gpu id=\"00000000:" + bus + ":00.0\">\n\t\t<product_name>" + model +
         "</product_name>\n\t\t<uuid>GPU-0000-" + bus + "</uuid>\n" + readings + "\t</gpu>\n";
}

std::string document(const std::string& stamp, int attached, const std::string& gpus) {
  return "<?xml version=\"1.0\" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM \"nvsmi_device_v12.dtd\">\n<nvidia_smi_log>\n"
         "\t<timestamp>" +
         stamp + "</timestamp>\n\t<attached_gpus>" + std::to_string(attached) + "</attached_gpus>\n" + gpus +
         "</nvidia_smi_log>\n";
}

std::string plain(const std::string& draw, const std::string& element = "gpu_power_readings") {
  return "<" + element + "><power_state>P0</power_state><power_draw>" + draw +
         "</power_draw><current_power_limit>650.00 W</current_power_limit>"
         "<default_power_limit>700.00 W</default_power_limit><max_power_limit>750.00 W</max_power_limit></" +
         element + ">\n";
}

TEST(NvidiaSmiXml, ReadsSeveralDocumentsInOneFile) {
  const auto t =
      read(document("Mon Nov 30 17:41:14 2026", 2,
                    gpu("18", "NVIDIA H100 NVL", plain("101.25 W")) + gpu("2A", "NVIDIA H100 NVL", plain("90 W"))) +
           document("Mon Nov 30 17:41:15 2026", 2,
                    gpu("18", "NVIDIA H100 NVL", plain("102.25 W")) + gpu("2A", "NVIDIA H100 NVL", plain("N/A"))));
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->understanding.format, "nvidia-smi-xml");
  ASSERT_EQ(t->series.size(), 2U);
  const Series& s = t->series[0];
  EXPECT_EQ(s.device.name, "0");
  EXPECT_EQ(s.device.uuid, "GPU-0000-18");
  EXPECT_EQ(s.device.model, "NVIDIA H100 NVL");
  EXPECT_EQ(s.device.meter, MeterKind::average_1s);
  EXPECT_EQ(s.device.nameplate, Watts(700));
  EXPECT_EQ(s.time_ns, (Times{0, kSecond}));
  EXPECT_EQ(s.power_w, (Powers{101.25, 102.25}));
  EXPECT_EQ(s.column(Column::limit_w), (Powers{650, 650}));
  EXPECT_TRUE(std::isnan(t->series[1].power_w[1]));
  EXPECT_EQ(t->start_unix_ns, 1'796'060'474 * kSecond);
  EXPECT_EQ(t->understanding.damaged, 0);
  EXPECT_EQ(t->understanding.other_lines, 0);
}

TEST(NvidiaSmiXml, ModuleAndMemoryPowerAreOtherMeters) {
  const std::string others =
      "<module_power_readings><power_draw>900.00 W</power_draw></module_power_readings>\n"
      "<gpu_memory_power_readings><power_draw>50.00 W</power_draw></gpu_memory_power_readings>\n";
  for (const std::string& readings : {plain("101 W") + others, others + plain("101 W")}) {
    const auto t = read(document("Mon Nov 30 17:41:14 2026", 1, gpu("18", "NVIDIA GH200", readings)));
    ASSERT_TRUE(t) << t.error().message();
    EXPECT_EQ(t->series[0].power_w, Powers{101});
  }
  // Unknown beside a known module power stays unknown.
  EXPECT_FALSE(read(document("Mon Nov 30 17:41:14 2026", 1, gpu("18", "NVIDIA GH200", plain("N/A") + others))));
}

TEST(NvidiaSmiXml, ReadsOlderAndNewerElements) {
  const auto older = read(document("Mon Nov 30 17:41:14 2026", 1,
                                   gpu("18", "Tesla V100-SXM2-32GB",
                                       "<power_readings><power_draw>55.5 W</power_draw><power_limit>300 W</power_limit>"
                                       "<enforced_power_limit>250 W</enforced_power_limit></power_readings>")));
  ASSERT_TRUE(older) << older.error().message();
  EXPECT_EQ(older->series[0].power_w, Powers{55.5});
  EXPECT_EQ(older->series[0].device.meter, MeterKind::instantaneous);
  EXPECT_EQ(older->series[0].column(Column::limit_w), Powers{250});
  const std::string both =
      "<gpu_power_readings><average_power_draw>640.5 W</average_power_draw>"
      "<instant_power_draw>655.25 W</instant_power_draw></gpu_power_readings>";
  const auto newer = read(document("Mon Nov 30 17:41:14 2026", 1, gpu("18", "NVIDIA H100", both)));
  ASSERT_TRUE(newer) << newer.error().message();
  EXPECT_EQ(newer->series[0].power_w, Powers{655.25});
  EXPECT_EQ(newer->series[0].column(Column::average_w), Powers{640.5});
  EXPECT_EQ(newer->series[0].device.meter, MeterKind::instantaneous);
  EXPECT_EQ(newer->understanding.power, "<instant_power_draw> in <gpu_power_readings>");
  const auto average = read(document("Mon Nov 30 17:41:14 2026", 1,
                                     gpu("18", "NVIDIA H100",
                                         "<gpu_power_readings><average_power_draw>640.5 W</average_power_draw>"
                                         "<instant_power_draw>N/A</instant_power_draw></gpu_power_readings>")));
  ASSERT_TRUE(average) << average.error().message();
  EXPECT_EQ(average->series[0].power_w, Powers{640.5});
  EXPECT_EQ(average->series[0].device.meter, MeterKind::average_1s);
  EXPECT_TRUE(average->series[0].column(Column::average_w).empty());
}

TEST(NvidiaSmiXml, GpusAreKnownByUuidOverDocuments) {
  const std::string a = gpu("18", "NVIDIA H100", plain("100 W"));
  const std::string b = gpu("2A", "NVIDIA H100", plain("200 W"));
  // GPU 18 falls off the bus: the other does not take its place.
  const auto t = read(document("Mon Nov 30 17:41:14 2026", 2, a + b) + document("Mon Nov 30 17:41:15 2026", 1, b));
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 2U);
  EXPECT_EQ(t->series[0].power_w, Powers{100});
  EXPECT_EQ(t->series[1].power_w, (Powers{200, 200}));
  // With -i the order in the document is no index.
  const auto one = read(document("Mon Nov 30 17:41:14 2026", 8, b));
  ASSERT_TRUE(one) << one.error().message();
  EXPECT_EQ(one->series[0].device.name, "00000000:2A:00.0");
  EXPECT_EQ(one->understanding.devices, "PCI bus id");
}

TEST(NvidiaSmiXml, DocumentsThatWereCutLoseOnlyThemselves) {
  std::string text;
  for (int i = 10; i < 40; ++i) {
    text += document("Mon Nov 30 17:41:" + std::to_string(i) + " 2026", 1, gpu("18", "NVIDIA H100", plain("100 W")));
  }
  const std::string next = document("Mon Nov 30 17:42:00 2026", 1, gpu("18", "NVIDIA H100", plain("101 W")));
  const std::string half = next.substr(0, next.find("101") + 2);
  const auto at_end = read(text + half);
  ASSERT_TRUE(at_end) << at_end.error().message();
  EXPECT_EQ(at_end->understanding.damaged, 0);
  EXPECT_EQ(at_end->series[0].size(), 30U);
  EXPECT_TRUE(mentions(*at_end, "cut while it was written"));
  const auto between = read(text + half + "\n" + next);
  ASSERT_TRUE(between) << between.error().message();
  EXPECT_EQ(between->understanding.damaged, 1);
  EXPECT_EQ(between->series[0].size(), 31U);
  std::string broken = next;
  broken.replace(broken.find("</power_draw>"), 13, "</power_drow>");
  const auto no_xml = read(text + broken + next);
  ASSERT_TRUE(no_xml) << no_xml.error().message();
  EXPECT_EQ(no_xml->understanding.damaged, 1);
  EXPECT_EQ(no_xml->understanding.first_damaged[0].where, "smi.xml:333");  // 30 documents of 11 lines before it
  EXPECT_EQ(no_xml->series[0].size(), 31U);
}

TEST(NvidiaSmiXml, DocumentsOnOneLine) {
  std::string text = document("Mon Nov 30 17:41:14 2026", 1, gpu("18", "NVIDIA H100", plain("100 W"))) +
                     document("Mon Nov 30 17:41:15 2026", 1, gpu("18", "NVIDIA H100", plain("101 W")));
  std::erase(text, '\n');
  const auto t = read(text);
  ASSERT_TRUE(t) << t.error().message();
  EXPECT_EQ(t->series[0].power_w, (Powers{100, 101}));
}

TEST(NvidiaSmiXml, RefusesADocumentThatIsTooLarge) {
  std::string text = "<nvidia_smi_log>\n";
  const std::string line(std::size_t{1} << 19, 'x');
  for (int i = 0; i < 40; ++i) text += line + "\n";  // 20 MiB
  const auto t = read(text);
  ASSERT_FALSE(t);
  EXPECT_NE(t.error().what.find("larger than 16 MiB"), std::string::npos);
}

TEST(NvidiaSmiXml, SaysWhatIsMissing) {
  const auto none = read("<nvidia_smi_log><timestamp>Mon Nov 30 17:41:14 2026</timestamp></nvidia_smi_log>\n");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().what.find("<gpu>"), std::string::npos);
  const auto no_power = read(document("Mon Nov 30 17:41:14 2026", 1, gpu("18", "NVIDIA H100", "")));
  ASSERT_FALSE(no_power);
  EXPECT_NE(no_power.error().what.find("power_readings"), std::string::npos);
}

TEST(NvidiaSmiXml, SharedTrace44) {
  const auto path = shared_trace("44_nvidia-smi-a100.xml");
  if (path.empty()) GTEST_SKIP() << kNoSharedTraces;
  const auto t = read_file(path, {});
  ASSERT_TRUE(t) << t.error().message();
  ASSERT_EQ(t->series.size(), 1U);
  EXPECT_EQ(t->series[0].power_w, Powers{67.03});
  EXPECT_EQ(t->series[0].column(Column::limit_w), Powers{500});
  EXPECT_EQ(t->series[0].device.nameplate, Watts(500));
  EXPECT_EQ(t->series[0].device.meter, MeterKind::instantaneous);
}

}  // namespace
}  // namespace wattrein::trace
