#include "trace/back_steps.h"

#include <fmt/format.h>

#include "base/text.h"

namespace wattrein::trace {

namespace {

constexpr std::int64_t kManySteps = 3;
constexpr std::int64_t kStampsAStep = 5;  // sessions are longer

}  // namespace

void BackSteps::remember(Nanos step, const Input& input) {
  if (steps_++ > 0) return;
  first_ = step;
  place_ = input.place();
}

Result<void> BackSteps::settle(Builder& builder, const Input& input) const {
  if (steps_ == 0) return {};
  if (steps_ >= kManySteps && steps_ * kStampsAStep > stamps_) {
    return fail(ErrorKind::bad_input, input.name(),
                fmt::format("its clock has no date and goes back {} times in {} stamps, first at {}: two logs seem to "
                            "be mixed in it",
                            steps_, stamps_, place_),
                "Separate the logs, or record them with dates.");
  }
  const std::string more = steps_ == 1 ? "" : fmt::format(" (and at {} more places)", steps_ - 1);
  builder.note(fmt::format(
      "At {}{} the clock, which has no date, goes back by {}: a session seems to have been appended, and is "
      "read as of the next day, though it may be of any. If that matters, split the file there.",
      place_, more, format_duration(first_)));
  return {};
}

}  // namespace wattrein::trace
