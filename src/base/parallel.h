#pragma once
// Independent jobs on several threads. What comes out does not depend on how many.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace wattrein {

/// Threads that this machine runs at once; at least 1.
[[nodiscard]] inline int hardware_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Calls job(i) once for each i in [0, n) on up to `threads` threads, the caller's among them, in no certain order, and
/// returns when all are done. A job may write only what no other job touches. The first exception is thrown again
/// here, after jobs under way have ended; those not yet begun are left out.
template <class Job>
void parallel_for(std::size_t n, int threads, const Job& job) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_guard;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < n; i = next++) job(i);
    } catch (...) {
      next = n;
      const std::lock_guard lock(failure_guard);
      if (!failure) failure = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> helpers;
    const std::size_t most = std::min(n, static_cast<std::size_t>(std::max(1, threads)));
    for (std::size_t i = 1; i < most; ++i) helpers.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace wattrein
