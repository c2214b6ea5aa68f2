// Tables of nvidia-smi dmon. The first byte chooses the options.
#include "reader_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattrein;
  if (size == 0) return 0;
  trace::ReadOptions options{.format = "nvidia-smi-dmon", .lenient = true};
  options.period = trace::fuzz_period(data[0]);
  if ((data[0] & 2) != 0) options.power_column = "#2";
  trace::fuzz_reader(data + 1, size - 1, options);
  return 0;
}
