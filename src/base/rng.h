#pragma once
// Random numbers are passed in. xoshiro256++ (Blackman and Vigna, "Scrambled linear pseudorandom number
// generators", ACM TOMS 2021), seeded through SplitMix64; plain state, copyable, the same on every machine.

#include <array>
#include <cstdint>

namespace wattrein {

class Rng {
 public:
  /// `stream` gives independent sequences for one seed: one a device, one an arm.
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t next();
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Uniform integer in [0, n), without modulo bias. Requires n > 0.
  std::uint64_t below(std::uint64_t n);
  /// Standard normal (Marsaglia's polar method; the spare value is kept).
  double normal();

 private:
  std::array<std::uint64_t, 4> s_{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace wattrein
