// Reads a log and takes block windows of the sizes named, for a comparison like for like (read_csv_peers.py): prints
// for each size and device the number of whole windows and the largest mean, as JSON.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "analysis/integral.h"
#include "analysis/windows.h"
#include "base/parallel.h"
#include "base/text.h"
#include "trace/read.h"
#include "trace/steps.h"

int main(int argc, char** argv) {
  using namespace wattrein;
  if (argc < 3) {
    fmt::print(stderr, "usage: {} FILE WINDOW_S...\n", argv[0]);
    return 2;
  }
  const int threads = hardware_threads();
  const auto trace = trace::read_file(argv[1], {.threads = threads});
  if (!trace) {
    fmt::print(stderr, "{}\n", trace.error().message());
    return 3;
  }
  std::vector<std::string> sizes(argv + 2, argv + argc);
  std::vector<std::vector<analysis::WindowMeans>> means(trace->series.size());
  parallel_for(means.size(), threads, [&](std::size_t d) {
    const trace::Steps steps = trace::steps_of(trace->series[d], {});
    const analysis::Prefix prefix(steps);
    for (const std::string& size : sizes) {
      const Nanos window = to_nanos(Seconds(parse_double(size).value_or(0.0)));
      means[d].push_back(analysis::window_means(prefix, {analysis::WindowKind::block, window}, {}));
    }
  });
  std::string out = "{";
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    out += fmt::format("{}\"{:.1f}\": [", s == 0 ? "" : ", ", parse_double(sizes[s]).value_or(0.0));
    for (std::size_t d = 0; d < means.size(); ++d) {
      const analysis::WindowMeans& m = means[d][s];
      out += fmt::format("{}[{}, {}]", d == 0 ? "" : ", ", m.known, m.worst.value_or(Watts(0)).value());
    }
    out += "]";
  }
  fmt::print("{}}}\n", out);
}
