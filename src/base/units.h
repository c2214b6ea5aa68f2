#pragma once
// Physical quantities as types. A figure is converted once, where it enters the program, and carries its
// unit in its type from there on; outside (JSON, CSV, options) the unit stands in the name: power_w, energy_j.

#include <chrono>
#include <compare>
#include <cstdint>

namespace wattrein {

/// Duration or instant on a trace's own axis. Traces count int64 nanoseconds from their first sample.
using Nanos = std::chrono::nanoseconds;

/// A double with a unit. Adding two different units does not compile (tests/must_not_compile).
template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_(value) {}
  [[nodiscard]] constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity o) const { return Quantity(value_ + o.value_); }
  constexpr Quantity operator-(Quantity o) const { return Quantity(value_ - o.value_); }
  constexpr Quantity operator-() const { return Quantity(-value_); }
  constexpr Quantity operator*(double k) const { return Quantity(value_ * k); }
  constexpr Quantity operator/(double k) const { return Quantity(value_ / k); }
  constexpr double operator/(Quantity o) const { return value_ / o.value_; }
  constexpr Quantity& operator+=(Quantity o) {
    value_ += o.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity o) {
    value_ -= o.value_;
    return *this;
  }
  friend constexpr Quantity operator*(double k, Quantity q) { return q * k; }

 private:
  double value_ = 0.0;
};

using Watts = Quantity<struct WattsTag>;
using Joules = Quantity<struct JoulesTag>;
using Seconds = Quantity<struct SecondsTag>;
using Tokens = Quantity<struct TokensTag>;

constexpr Joules operator*(Watts p, Seconds t) { return Joules(p.value() * t.value()); }
constexpr Joules operator*(Seconds t, Watts p) { return p * t; }
constexpr Watts operator/(Joules e, Seconds t) { return Watts(e.value() / t.value()); }

/// Divides: 30 s come out as 30, not as 30.000000000000004.
constexpr Seconds to_seconds(Nanos t) { return Seconds(static_cast<double>(t.count()) / 1e9); }
/// Rounds to the nearest nanosecond. Requires |s| < 9.2e9.
constexpr Nanos to_nanos(Seconds s) {
  const double ns = s.value() * 1e9;
  return Nanos(static_cast<std::int64_t>(ns < 0 ? ns - 0.5 : ns + 0.5));
}
constexpr double to_kwh(Joules e) { return e.value() / 3.6e6; }

}  // namespace wattrein
