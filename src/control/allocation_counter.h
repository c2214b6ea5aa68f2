#pragma once
// For tests alone: a program that links allocation_counter.cc counts every allocation that it makes.

#include <cstdint>

namespace wattrein::control {

[[nodiscard]] std::int64_t allocations();

}  // namespace wattrein::control
