#include "base/rng.h"

#include <bit>
#include <cmath>

#include "base/check.h"

namespace wattrein {

namespace {
std::uint64_t split_mix(std::uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  std::uint64_t z = x;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}
}  // namespace

Rng::Rng(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t x = seed;
  std::uint64_t y = stream ^ 0xd1b54a32d192ed03ULL;
  for (auto& word : s_) word = split_mix(x) ^ std::rotl(split_mix(y), 17);
}

std::uint64_t Rng::next() {
  const std::uint64_t result = std::rotl(s_[0] + s_[3], 23) + s_[0];
  const std::uint64_t t = s_[1] << 17;
  s_[2] ^= s_[0];
  s_[3] ^= s_[1];
  s_[1] ^= s_[2];
  s_[0] ^= s_[3];
  s_[2] ^= t;
  s_[3] = std::rotl(s_[3], 45);
  return result;
}

std::uint64_t Rng::below(std::uint64_t n) {
  WATTREIN_CHECK(n > 0);
  const std::uint64_t threshold = (0 - n) % n;  // values under it would favour small results
  for (;;) {
    const std::uint64_t x = next();
    if (x >= threshold) return x % n;
  }
}

double Rng::normal() {
  if (has_spare_) {
    has_spare_ = false;
    return spare_;
  }
  double u = 0.0;
  double v = 0.0;
  double s = 0.0;
  do {
    u = 2.0 * uniform() - 1.0;
    v = 2.0 * uniform() - 1.0;
    s = u * u + v * v;
  } while (s >= 1.0 || s == 0.0);
  const double k = std::sqrt(-2.0 * std::log(s) / s);
  spare_ = v * k;
  has_spare_ = true;
  return u * k;
}

}  // namespace wattrein
