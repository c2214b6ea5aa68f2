#pragma once
// What NVIDIA's documents say of nvidia-smi's power columns.

#include <string_view>

#include "trace/table_columns.h"
#include "trace/trace.h"

namespace wattrein::trace {

/// What `power.draw` stands for on a model: "On Ampere (except GA100) or newer ... averaged over 1 sec interval. On
/// GA100 and older ... instantaneous" (nvml.h, nvmlDeviceGetPowerUsage). Unknown where the name does not say.
[[nodiscard]] MeterKind meter_of_model(std::string_view model);
[[nodiscard]] MeterKind meter_of(PowerKind kind, std::string_view model);

}  // namespace wattrein::trace
