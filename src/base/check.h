#pragma once
// A broken invariant is a bug in wattrein, not bad input: say where and stop. Always on, so keep it free of
// side effects and out of inner loops.

namespace wattrein {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace wattrein

#define WATTREIN_CHECK(condition) \
  ((condition) ? static_cast<void>(0) : ::wattrein::check_failed(#condition, __FILE__, __LINE__))
