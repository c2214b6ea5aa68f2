// Compiled without MISTAKE it has to pass; with MISTAKE=n, the n-th mistake with units has to be refused.

#include "base/units.h"

namespace wattrein {

// What may be written, so that a refusal below is the mistake's and not the file's.
constexpr Joules kEnergy = Watts(300) * Seconds(10) + Joules(1);
constexpr Watts kMean = kEnergy / Seconds(10);
static_assert(kMean > Watts(300));

#if MISTAKE == 1
constexpr auto kSum = Watts(1) + Joules(1);
#elif MISTAKE == 2
constexpr bool kLess = Watts(1) < Seconds(1);
#elif MISTAKE == 3
constexpr Watts kFromNumber = 400.0;
#elif MISTAKE == 4
constexpr double kToNumber = Watts(400);
#elif MISTAKE == 5
constexpr Joules kWrongUnit = Watts(400);
#elif MISTAKE == 6
constexpr auto kProduct = Watts(1) * Watts(1);
#elif MISTAKE == 7
constexpr Nanos kUnconverted = Seconds(1);
#elif MISTAKE == 8
constexpr auto kRatio = Joules(1) / Tokens(1);
#elif defined(MISTAKE)
constexpr int kNoSuchMistake = 0;
#endif

}  // namespace wattrein
