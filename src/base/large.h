#pragma once
// Memory for columns of millions of samples.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace wattrein {

/// column.reserve(n), and the kernel is asked to back it with huge pages where it is large: filling a column for the
/// first time otherwise costs a page fault every 4 KiB. A kernel that does not know them changes nothing.
template <class T>
void reserve_large(std::vector<T>& column, std::size_t n) {
  constexpr std::uintptr_t kHugePage = std::uintptr_t{2} << 20;
  column.reserve(n);
#ifdef MADV_HUGEPAGE
  const auto begin = (reinterpret_cast<std::uintptr_t>(column.data()) + kHugePage - 1) & ~(kHugePage - 1);
  const auto end = reinterpret_cast<std::uintptr_t>(column.data() + column.capacity()) & ~(kHugePage - 1);
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace wattrein
