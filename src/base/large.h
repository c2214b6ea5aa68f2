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
  const std::uintptr_t bytes = column.capacity() * sizeof(T);
  const std::uintptr_t skipped = (kHugePage - reinterpret_cast<std::uintptr_t>(column.data()) % kHugePage) % kHugePage;
  if (bytes < skipped + kHugePage) return;
  const std::uintptr_t whole_pages = (bytes - skipped) / kHugePage * kHugePage;
  ::madvise(reinterpret_cast<std::byte*>(column.data()) + skipped, whole_pages, MADV_HUGEPAGE);
#endif
}

}  // namespace wattrein
