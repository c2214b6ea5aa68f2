#pragma once
// A log with two power columns of which the preferred one (the instantaneous) has no value for some of its devices.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trace/builder.h"

namespace wattrein::trace {

/// Keeps the second column's readings of every device until the first column has one.
class SecondPower {
 public:
  /// Behind each Builder::add of the device: what either column says, NaN where nothing.
  void add(std::size_t device, double first_w, double second_w);
  /// Gives the devices without any reading of the first column those of the second; notes that, and how often the
  /// first lacks what the second has. Returns those devices. Call it before Builder::finish().
  std::vector<std::size_t> settle(Builder& builder, std::string_view first, std::string_view second);

 private:
  struct Kept {
    std::vector<double> second_w;
    std::int64_t lacking = 0;
    bool known = false;
  };
  std::vector<Kept> devices_;
};

}  // namespace wattrein::trace
