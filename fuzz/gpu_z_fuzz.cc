// The reader 'gpu-z', whatever the bytes look like.
#include "reader_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wattrein::trace::fuzz_reader(data, size, {.format = "gpu-z"});
  return 0;
}
