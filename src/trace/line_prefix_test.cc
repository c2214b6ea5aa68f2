#include <gtest/gtest.h>

#include <string>

#include "trace/read.h"
#include "trace/trace_for_test.h"

namespace wattrein::trace {
namespace {

const std::string kSmi =
    "timestamp, index, power.draw [W]\n2031/07/27 00:23:30.720, 0, 69.49 W\n2031/07/27 00:23:31.720, 0, 70.49 W\n";
const std::string kDmon = "#Entity   POWER\nID        W\nGPU 0     96.905\nGPU 1     98.206\n";

std::string behind(const std::string& prefix, std::string text) {
  text.insert(0, prefix);
  for (std::size_t at = text.find('\n'); at + 1 < text.size(); at = text.find('\n', at + 1)) {
    text.insert(at + 1, prefix);
  }
  return text;
}

TEST(LinePrefix, IsNamedWithTheCommandThatTakesItOff) {
  struct Case {
    std::string prefix, written_by, command;
  };
  for (const Case& c : {
           Case{"Jul 27 00:22:27 node1 smi[4242]: ", "journald",
                R"(sed -E 's/^[A-Za-z]{3} [ 0-9]{2} [0-9:]{8} [^ ]+ [^ ]+: //' 'log')"},
           Case{"2031-07-27T00:22:27+0200 node1 smi[4242]: ", "journald", R"(sed -E 's/^[^ ]+ [^ ]+ [^ ]+: //' 'log')"},
           Case{"2031-07-27T00:22:27.858Z ", "kubectl logs --timestamps", R"(sed -E 's/^[^ ]+ //' 'log')"},
           Case{"2031-07-27T00:22:27.858Z stdout F ", "Kubernetes", R"(sed -E 's/^[^ ]+ std(out|err) [FP] //' 'log')"},
           Case{"Jul  7 00:22:27 ", "put there by ts", R"(sed -E 's/^[A-Za-z]{3} [ 0-9]{2} [0-9:]{8} //' 'log')"},
           Case{"1943000000.25 ", "put there by ts", R"(sed -E 's/^[0-9.]+ //' 'log')"},
           Case{"[pod/train-0/smi] ", "kubectl logs --prefix", R"(sed -E 's/^\[[^]]*\] //' 'log')"},
           Case{"[2031-07-27 00:22:27] ", "put there by a logger", R"(sed -E 's/^\[[^]]*\] //' 'log')"},
           Case{"smi-1  | ", "docker compose", R"(sed -E 's/^[^ |]+ *\| //' 'log')"},
           Case{"node1: ", "pdsh", R"(sed -E 's/^[^ :]+: //' 'log')"},
       }) {
    for (const std::string& text : {kSmi, kDmon}) {
      const std::string error = error_of(behind(c.prefix, text));
      EXPECT_NE(error.find("every line has '"), std::string::npos) << error;
      EXPECT_NE(error.find(c.written_by), std::string::npos) << error;
      EXPECT_NE(error.find(c.command), std::string::npos) << error;
      EXPECT_NE(error.find(text == kSmi ? "behind that it is nvidia-smi" : "behind that it is dcgmi-dmon"),
                std::string::npos)
          << error;
    }
  }
}

TEST(LinePrefix, SeveralHostsAreTakenApart) {
  const std::string error = error_of(behind("node1: ", kSmi) + behind("node2: ", kSmi));
  EXPECT_NE(error.find("'node1: ' or 'node2: ' in front"), std::string::npos) << error;
  EXPECT_NE(error.find("grep -F 'node1:' 'log' | sed -E"), std::string::npos) << error;
}

TEST(LinePrefix, DockersJsonIsTakenApart) {
  const std::string error =
      error_of(R"({"log":"timestamp, index, power.draw [W]\n","stream":"stdout","time":"2031-07-27T00:22:27.8Z"})"
               "\n"
               R"({"log":"2031/07/27 00:23:30.720, 0, 69.49 W\n","stream":"stdout","time":"2031-07-27T00:22:27.9Z"})"
               "\n");
  EXPECT_NE(error.find("jq -j .log 'log' > bare.log"), std::string::npos) << error;
}

TEST(LinePrefix, OneLineWithoutItIsNone) {
  const std::string error = error_of(behind("node1: ", kDmon) + "GPU 0   97\nnode1: GPU 1  98\n");
  EXPECT_EQ(error.find("in front"), std::string::npos) << error;
  EXPECT_EQ(error_of("node1: nothing\nnode1: of interest\n").find("in front"), std::string::npos);
}

}  // namespace
}  // namespace wattrein::trace
