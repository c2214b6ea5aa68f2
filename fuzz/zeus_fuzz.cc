// The reader 'zeus', whatever the bytes look like.
#include "reader_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  wattrein::trace::fuzz_reader(data, size, {.format = "zeus"});
  return 0;
}
