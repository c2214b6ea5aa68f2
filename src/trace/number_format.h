#pragma once
// How a column writes its numbers: "1234.5", "1,234.5", "1.234,5", "1 234,5" or "1'234.5". A single cell cannot say
// ("1,234" is either), so that a whole column is asked.

#include <cstdint>
#include <optional>
#include <string_view>

namespace wattrein::trace {

/// What stands before the decimals. `unknown`: no cell showed it; then "12.5" is read with a point, as every tool
/// prints it, and a cell with a comma or with groups of thousands is not read at all.
enum class Decimals : std::uint8_t { unknown, point, comma };
[[nodiscard]] std::optional<Decimals> parse_decimals(std::string_view option);  ///< "." or ",", "point" or "comma"

/// Sums up what the cells of one column show.
class DecimalsEvidence {
 public:
  void add(std::string_view cell);
  /// At most one cell in twenty may contradict (it is damaged).
  [[nodiscard]] Decimals decided() const;
  /// There are cells such as "1,234", and nothing decides; or cells contradict each other.
  [[nodiscard]] bool undecided() const {
    return decided() == Decimals::unknown && (either_ > 0 || point_ + comma_ > 0);
  }
  [[nodiscard]] std::string_view example() const { return example_; }  ///< a cell that leaves it open

 private:
  std::int64_t point_ = 0;
  std::int64_t comma_ = 0;
  std::int64_t either_ = 0;
  std::string_view example_;
};

/// The number at the start of `cell`, with groups of exactly three digits set apart by blanks (also no-break and thin
/// ones), apostrophes, or the comma or point that `decimals` does not use; all groups alike. Moves `cell` behind it.
/// Nothing where the number contradicts that. `decimals` is not unknown.
[[nodiscard]] std::optional<double> read_grouped(std::string_view& cell, Decimals decimals);

}  // namespace wattrein::trace
