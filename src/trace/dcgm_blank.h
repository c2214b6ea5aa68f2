#pragma once
// DCGM prints "no value" as a number when its caller does not check for it.

namespace wattrein::trace {

/// The blanks of DCGM's dcgm_structs.h: 0x7ffffff0 and up (int32), 0x7ffffffffffffff0 and up (int64), 2^47 and
/// up (double). The upper end of each range says why: not found, not supported, no permission.
inline constexpr double kDcgmInt32Blank = 2147483632.0;
inline constexpr double kDcgmFp64Blank = 140737488355328.0;

/// No device draws two gigawatts, so the smallest blank settles it for watts and milliwatts.
[[nodiscard]] constexpr bool is_dcgm_blank_power(double value) { return value >= kDcgmInt32Blank; }
/// An energy counter in millijoules passes the int32 blank within the hour; it is an int64 field, whose blanks
/// (9.2e18) lie above that of a double (1.4e11 J, seven years at 700 W).
[[nodiscard]] constexpr bool is_dcgm_blank_energy(double value) { return value >= kDcgmFp64Blank; }

}  // namespace wattrein::trace
