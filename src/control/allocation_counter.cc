#include "control/allocation_counter.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> count{0};
}

// Apart from the tests, so that a compiler that inlines one of the pair does not take the two for mismatched.
void* operator new(std::size_t size) {
  ++count;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace wattrein::control {

std::int64_t allocations() { return count; }

}  // namespace wattrein::control
