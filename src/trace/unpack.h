#pragma once
// Bytes of a file, standard input or memory, unpacked on the way: plain, gzip (also several members) or zstd, told
// apart by their first bytes.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace wattrein::trace {

/// Read once from front to back in bounded memory. Threads: one. What stood before an error is good.
class Unpacker {
 public:
  /// `fd` is closed at the end if `owned`. `name` stands for the file in messages.
  Unpacker(std::string name, int fd, bool owned);
  /// `memory` must outlive the unpacker.
  Unpacker(std::string name, std::string_view memory);
  Unpacker(Unpacker&&) noexcept;
  Unpacker& operator=(Unpacker&&) noexcept;
  ~Unpacker();

  /// Finds the packing. Errors: bad_input for an empty file and for packings that are not read, environment.
  [[nodiscard]] Result<void> prepare();
  /// Bytes put into `to`, which is not empty; 0 at the end, and where error() is set.
  [[nodiscard]] std::size_t read(std::span<char> to);
  /// Set when the stream ended early: damaged or cut archive, reading failed, or an archive that holds next to
  /// nothing, blown up (more than 1000 bytes out of each, after 64 MiB).
  [[nodiscard]] const Error* error() const;
  [[nodiscard]] std::string_view packing() const;  ///< "gzip", "zstd"; empty for a plain file

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wattrein::trace
