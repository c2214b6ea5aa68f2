#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace wattrein {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "wattrein: internal error: %s does not hold (%s:%d)\n", condition, file, line);
  std::abort();
}

}  // namespace wattrein
