// The native format: what can be read can be written, and reads back as the same bytes.
#include <string>

#include "reader_target.h"
#include "trace/write.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattrein;
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  const trace::ReadOptions options{.format = "native", .lenient = true};
  const auto first = trace::read_memory(content, "fuzz", options);
  if (!first) {
    WATTREIN_CHECK(!first.error().what.empty());
    return 0;
  }
  trace::check_promises(*first);
  std::string text;
  const auto append = [&text](std::string_view piece) {
    text += piece;
    return true;
  };
  WATTREIN_CHECK(trace::write_native(*first, append));
  const auto second = trace::read_memory(text, "fuzz", options);
  WATTREIN_CHECK(second.has_value());
  const std::string before = text;
  text.clear();
  WATTREIN_CHECK(trace::write_native(*second, append));
  WATTREIN_CHECK(text == before);
  return 0;
}
