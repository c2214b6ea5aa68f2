#pragma once
// Figures and outside text as HTML. Every function returns HTML that is safe to insert between tags and in quoted
// attributes; a figure that is not known comes out as the word, never as a number.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/windows.h"
#include "base/units.h"
#include "experiment/demo.h"

namespace wattrein::report::html {

/// Text from outside made inert: & < > " ' as references, control characters as U+FFFD.
[[nodiscard]] std::string escape(std::string_view text);
/// The same, isolated so that right-to-left marks in a name cannot reorder the words around it.
[[nodiscard]] std::string name(std::string_view text);

/// `decimals` digits after the point, narrow no-break spaces between thousands. "unknown" when not finite.
[[nodiscard]] std::string number(double value, int decimals);
[[nodiscard]] std::string number(std::int64_t value);
/// About `digits` significant digits, never fewer than the integer part has.
[[nodiscard]] std::string significant(double value, int digits);
/// The same without zeros at its end: "0.3", "8".
[[nodiscard]] std::string trimmed(double value, int digits);
/// One decimal under 1000 W, none above.
[[nodiscard]] std::string watts(double value);
[[nodiscard]] std::string watts(std::optional<Watts> value);
/// With as many decimals as it takes (up to three more) to tell it from `limit`.
[[nodiscard]] std::string watts_beside(double value, double limit);
[[nodiscard]] std::string percent(double share);          ///< "17.7 %"
[[nodiscard]] std::string percent_signed(double change);  ///< "+18.1 %", with a true minus sign
[[nodiscard]] std::string duration(Nanos t);              ///< "12.3 s"
[[nodiscard]] std::string clock(Nanos since_start);       ///< "00:02:31", with tenths where there are any
[[nodiscard]] std::string word(std::string_view text);    ///< for "unknown", "not available": set apart
[[nodiscard]] std::string unknown();                      ///< word("unknown")
/// "1 excursion", "4 excursions".
[[nodiscard]] std::string plural(std::int64_t n, std::string_view noun);

/// What an Estimate's figures are written with.
using Figure = std::string (*)(double);
/// The mean, and its interval on a line of its own.
[[nodiscard]] std::string estimate(const experiment::Estimate& e, Figure figure);

}  // namespace wattrein::report::html
