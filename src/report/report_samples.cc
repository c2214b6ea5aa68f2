// report_samples FOLDER: writes the sample reports into a folder, for the browser tests and for looking at.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "report/html.h"
#include "report/samples.h"

namespace {

using namespace wattrein::report;

const ReportMeta kMeta{.version = "0.1.0", .command_line = "report_samples", .when = "2025-07-27 00:22:27 UTC"};

void write(const std::filesystem::path& folder, const std::string& name, const std::string& text) {
  std::ofstream file(folder / name, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    std::fprintf(stderr, "report_samples: cannot write %s\n", (folder / name).c_str());
    std::exit(4);
  }
}

std::string one(const samples::Sample& sample) {
  const std::vector<AnalysedTrace> files{{sample.trace, sample.analysis}};
  return analysis_html(files, kMeta);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: report_samples FOLDER\n");
    return 2;
  }
  const std::filesystem::path folder(argv[1]);
  std::filesystem::create_directories(folder);
  write(folder, "training.html", one(samples::training(8, 7000)));
  write(folder, "single.html", one(samples::training(1, 1200)));
  write(folder, "proposed.html", one(samples::proposed()));
  write(folder, "snapshot.html", one(samples::snapshot()));
  write(folder, "hostile.html", one(samples::hostile()));
  write(folder, "unknowns.html", one(samples::unknowns()));
  write(folder, "demo.html", demo_html(samples::demo(), kMeta));
  write(folder, "hostile-demo.html", demo_html(samples::hostile_demo(), kMeta));
  const samples::Sample first = samples::training(2, 1200);
  const samples::Sample second = samples::snapshot();
  const std::vector<AnalysedTrace> both{{first.trace, first.analysis}, {second.trace, second.analysis}};
  write(folder, "several.html", analysis_html(both, kMeta));
  return 0;
}
