#pragma once
// What a limit came to, in one sentence: the same in the terminal, in JSON and in HTML.

#include <string>
#include <string_view>

#include "analysis/analysis.h"
#include "trace/trace.h"

namespace wattrein::report {

/// How text from outside is written in a sentence. The sentence itself needs no escaping anywhere.
struct Words {
  std::string (*name)(std::string_view);  ///< of a device
  std::string (*text)(std::string_view);  ///< anything else
};
[[nodiscard]] Words plain_words();  ///< for a terminal: control characters escaped

/// "device 3", "the sum of 8 devices".
[[nodiscard]] std::string who(const analysis::Subject& subject, const analysis::Analysis& analysis, const Words& words);
/// "400 W, each device", "3200 W, sum of devices, mean over 30 s".
[[nodiscard]] std::string limit_name(const analysis::Limit& limit);

/// Who exceeded the limit, for how long, from when; or that nobody did, and how sure that is. A proposal is exceeded,
/// never violated.
[[nodiscard]] std::string verdict_sentence(const trace::Trace& trace, const analysis::Analysis& analysis,
                                           const analysis::Limit& limit, const Words& words = plain_words());

}  // namespace wattrein::report
