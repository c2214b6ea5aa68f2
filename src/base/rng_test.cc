#include "base/rng.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace wattrein {
namespace {

// Worked out by a separate implementation in Python that reproduces the published sequences of xoshiro256++
// (state 1, 2, 3, 4: 41943041, 58720359, 3588806011781223, ...) and SplitMix64 (seed 1234567:
// 6457827717110365317, 3203168211198807973, ...).
TEST(Rng, GivesTheKnownSequences) {
  struct Known {
    std::uint64_t seed, stream;
    std::array<std::uint64_t, 4> values;
  };
  const std::array<Known, 4> known{
      {{0, 0, {0x219860df3a095236, 0xf788ec049aac10a3, 0x8f1af1a616a5619, 0xdb52a629f70af0ae}},
       {1, 0, {0x412bd05f8cb7919e, 0x3535aa4169a2daf3, 0x60f593fc5d5a76db, 0x3e882ff9e272f301}},
       {1, 1, {0x193257b2ac76b475, 0xbf4904b6b9f3192c, 0xeb3c1974778ed4dc, 0xb4ba01ff71370b72}},
       {UINT64_MAX, 3, {0x9b95a5ded928fb0c, 0xa0024b42a83c8381, 0x744cde42bd19d25d, 0xf7b88a36a659841b}}}};
  for (const Known& k : known) {
    Rng rng(k.seed, k.stream);
    for (const std::uint64_t value : k.values) EXPECT_EQ(rng.next(), value) << k.seed << "/" << k.stream;
  }
}

TEST(Rng, ACopyContinuesTheSameSequence) {
  Rng rng(5);
  rng.normal();  // leaves a spare value, which is part of the state
  Rng copy = rng;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(rng.normal(), copy.normal());
}

TEST(Rng, UniformFillsItsIntervalEvenly) {
  constexpr int kDraws = 100'000;
  Rng rng(11);
  std::array<int, 10> bins{};
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = rng.uniform();
    ASSERT_GE(u, 0.0);
    ASSERT_LT(u, 1.0);
    sum += u;
    ++bins[static_cast<std::size_t>(u * 10)];
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  double chi_square = 0;
  for (const int n : bins) chi_square += std::pow(n - 0.1 * kDraws, 2) / (0.1 * kDraws);
  EXPECT_LT(chi_square, 27.9);  // 9 degrees of freedom, p = 0.001
}

TEST(Rng, NormalHasItsMomentsAndTails) {
  constexpr int kDraws = 200'000;
  Rng rng(12);
  double s1 = 0;
  double s2 = 0;
  double s3 = 0;
  double s4 = 0;
  int beyond = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = rng.normal();
    s1 += x;
    s2 += x * x;
    s3 += x * x * x;
    s4 += x * x * x * x;
    if (std::abs(x) > 1.959964) ++beyond;
  }
  // Five standard errors of each: the variances of x, x^2, x^3, x^4 are 1, 2, 15, 96.
  EXPECT_NEAR(s1 / kDraws, 0, 5 * std::sqrt(1.0 / kDraws));
  EXPECT_NEAR(s2 / kDraws, 1, 5 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(s3 / kDraws, 0, 5 * std::sqrt(15.0 / kDraws));
  EXPECT_NEAR(s4 / kDraws, 3, 5 * std::sqrt(96.0 / kDraws));
  EXPECT_NEAR(static_cast<double>(beyond) / kDraws, 0.05, 5 * std::sqrt(0.05 * 0.95 / kDraws));
}

TEST(Rng, NeighbouringDrawsAndStreamsAreUncorrelated) {
  constexpr int kDraws = 100'000;
  Rng a(3, 0);
  Rng b(3, 1);
  double serial = 0;
  double across = 0;
  double last = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = a.normal();
    serial += x * last;
    across += x * b.normal();
    last = x;
  }
  EXPECT_NEAR(serial / kDraws, 0, 5 / std::sqrt(kDraws));
  EXPECT_NEAR(across / kDraws, 0, 5 / std::sqrt(kDraws));
}

TEST(Rng, BelowReachesEveryValueAndNoOther) {
  Rng rng(4);
  std::array<int, 7> seen{};
  for (int i = 0; i < 70'000; ++i) {
    const std::uint64_t n = rng.below(7);
    ASSERT_LT(n, 7U);
    ++seen[n];
  }
  double chi_square = 0;
  for (const int n : seen) chi_square += std::pow(n - 10'000, 2) / 10'000;
  EXPECT_LT(chi_square, 22.5);  // 6 degrees of freedom, p = 0.001
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, BelowDoesNotFavourSmallValues) {
  // With n = 3/4 x 2^64, x % n would fall into the first third of [0, n) half of the time.
  constexpr std::uint64_t kN = 3ULL << 62;
  constexpr int kDraws = 30'000;
  Rng rng(9);
  int low = 0;
  for (int i = 0; i < kDraws; ++i) low += rng.below(kN) < kN / 3 ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(low) / kDraws, 1.0 / 3, 5 * std::sqrt(2.0 / 9 / kDraws));
}

TEST(RngDeathTest, BelowZeroHasNoAnswer) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Rng rng(1);
  EXPECT_DEATH(rng.below(0), "internal error: n > 0 does not hold");
}

}  // namespace
}  // namespace wattrein
