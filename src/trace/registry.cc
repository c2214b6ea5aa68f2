// All readers in the order in which they are asked. A new format is its file and one line here.
#include <vector>

#include "trace/reader.h"

// The first that is sure wins, else the first that could read the file.
#define WATTREIN_READERS(X) \
  X(kNative)                \
  X(kDcgmiDmon)             \
  X(kPrometheusJson)        \
  X(kPrometheusText)        \
  X(kNvidiaSmiDmon)         \
  X(kNvidiaSmiXml)          \
  X(kNvidiaSmiTable)        \
  X(kAmdSmi)                \
  X(kRocmSmi)               \
  X(kNvidiaSmi)             \
  X(kMlLog)                 \
  X(kTurbostat)             \
  X(kIpmitool)              \
  X(kRedfish)               \
  X(kPowerMetrics)          \
  X(kTegrastats)            \
  X(kZeus)                  \
  X(kDcgmCsv)               \
  X(kAcMeter)               \
  X(kPowerJoular)           \
  X(kEnergiBridge)          \
  X(kGpuZ)                  \
  X(kCsv)                   \
  X(kJsonl)

namespace wattrein::trace {

#define WATTREIN_DECLARE(reader) extern const Reader reader;
WATTREIN_READERS(WATTREIN_DECLARE)

#define WATTREIN_ADDRESS(reader) &reader,
std::span<const Reader* const> registry() {
  static const std::vector<const Reader*> all{WATTREIN_READERS(WATTREIN_ADDRESS)};
  return all;
}

}  // namespace wattrein::trace
