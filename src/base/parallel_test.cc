#include "base/parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace wattrein {
namespace {

TEST(Parallel, DoesEachJobOnceWhateverTheNumberOfThreads) {
  for (const int threads : {-1, 0, 1, 2, 7, 200}) {
    std::vector<int> done(100, 0);
    parallel_for(done.size(), threads, [&](std::size_t i) { done[i] += static_cast<int>(i) + 1; });
    for (std::size_t i = 0; i < done.size(); ++i) EXPECT_EQ(done[i], static_cast<int>(i) + 1) << threads;
  }
}

TEST(Parallel, OfNothingIsNothing) {
  parallel_for(0, 4, [](std::size_t) { FAIL(); });
}

TEST(Parallel, AnExceptionReachesTheCaller) {
  for (const int threads : {1, 4}) {
    EXPECT_THROW(parallel_for(50, threads,
                              [](std::size_t i) {
                                if (i == 17) throw std::runtime_error("seventeen");
                              }),
                 std::runtime_error);
  }
}

}  // namespace
}  // namespace wattrein
