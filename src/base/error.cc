#include "base/error.h"

namespace wattrein {

std::string Error::message() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!cure.empty()) text += "\n  " + cure;
  return text;
}

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::usage: return 2;
    case ErrorKind::bad_input: return 3;
    case ErrorKind::environment: return 4;
  }
  return 4;
}

}  // namespace wattrein
