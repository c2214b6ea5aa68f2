// Any bytes, any reader: recognition and whatever it leads to.
#include "reader_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wattrein::trace::fuzz_reader(data, size, {});
  return 0;
}
