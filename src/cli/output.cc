#include "cli/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace wattrein::cli {

namespace {

std::string reason(int error_number) { return std::generic_category().message(error_number); }

/// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

/// What a log or a file name could use to steer a terminal; line ends stay.
std::string without_controls(std::string text) {
  for (char& c : text) {
    const auto u = static_cast<unsigned char>(c);
    if ((u < 0x20 && c != '\n') || u == 0x7f) c = '?';
  }
  return text;
}

/// The temporary file being written; what a signal that ends the program has to take away. Empty: none.
std::array<char, 4096> unfinished{};

extern "C" void take_away(int signal_number) {
  if (unfinished[0] != '\0') ::unlink(unfinished.data());
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

/// Signals are held off while the name changes, so that a handler sees the whole of it or none.
class SignalsHeld {
 public:
  SignalsHeld() {
    sigset_t set;
    sigemptyset(&set);
    for (const int s : kEnding) sigaddset(&set, s);
    sigprocmask(SIG_BLOCK, &set, &before_);
  }
  SignalsHeld(const SignalsHeld&) = delete;
  SignalsHeld& operator=(const SignalsHeld&) = delete;
  ~SignalsHeld() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

  static constexpr std::array<int, 3> kEnding{SIGINT, SIGTERM, SIGHUP};

 private:
  sigset_t before_{};
};

void guard(const std::string& path) {
  if (path.size() >= unfinished.size()) return;
  std::ranges::copy(path, unfinished.begin());
  unfinished[path.size()] = '\0';
  for (const int s : SignalsHeld::kEnding) {
    // What the parent told us to ignore (nohup) stays ignored.
    if (std::signal(s, take_away) == SIG_IGN) std::signal(s, SIG_IGN);
  }
}

void unguard() { unfinished[0] = '\0'; }

}  // namespace

void print(Context& context, std::string_view text) {
  const int error_number = write_all(STDOUT_FILENO, text);
  if (error_number == 0 || error_number == EPIPE) return;
  complain(context, {ErrorKind::environment, "standard output",
                     fmt::format("cannot be written ({})", reason(error_number)), "Free space or redirect elsewhere."});
}

void complain(Context& context, const Error& error) {
  write_all(STDERR_FILENO, "wattrein: " + without_controls(error.message()) + '\n');
  context.raise(exit_code(error.kind));
}

void warn(std::string_view sentence) {
  write_all(STDERR_FILENO, "wattrein: warning: " + without_controls(std::string(sentence)) + '\n');
}

Result<void> check_output(const std::string& path, std::string_view option, const std::vector<std::string>& inputs) {
  if (path.empty() && option == "--report") return {};
  if (path.empty() || path == "-") {
    return fail(ErrorKind::usage, std::string(option), "names no file", "Give a path to write to.");
  }
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!input.empty() && std::filesystem::equivalent(path, input, ignored) &&
        std::filesystem::is_regular_file(path, ignored)) {
      return fail(ErrorKind::usage, std::string(option), path + " is the log itself", "Choose another name.");
    }
  }
  return {};
}

Result<void> check_json_takes_no_file(const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code ignored;
    if (!input.ends_with(".json") || std::filesystem::exists(input, ignored)) continue;
    return fail(ErrorKind::usage, input, "there is no such log, and --json takes no file",
                fmt::format("JSON goes to standard output: --json > {}", input));
  }
  return {};
}

std::string coloured(std::string text) {
  text = without_controls(std::move(text));
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool plain = (no_color != nullptr && *no_color != '\0') || ::isatty(STDOUT_FILENO) == 0 ||
                     (term != nullptr && std::string_view(term) == "dumb");
  if (plain) return text;
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords{
      {{"VIOLATED", "\x1b[1;31m"}, {"violated", "\x1b[31m"}, {"compliant", "\x1b[32m"}}};
  for (const auto& [word, colour] : kWords) {
    const std::string replacement = std::string(colour) + std::string(word) + "\x1b[0m";
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + replacement.size())) {
      text.replace(at, word.size(), replacement);
    }
  }
  return text;
}

FileWriter::~FileWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (written_ == path_) return;
  const SignalsHeld held;
  ::unlink(written_.c_str());
  unguard();
}

std::unexpected<Error> FileWriter::failure(int error_number, std::string_view doing) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT;
  return fail(ErrorKind::environment, path_, fmt::format("cannot be {} ({})", doing, reason(error_number)),
              full ? "Free some space; what was there before is untouched." : "Choose a place that you may write to.");
}

Result<void> FileWriter::open() {
  if (path_ == "-") {
    path_ = written_ = "standard output";
    fd_ = ::dup(STDOUT_FILENO);
    if (fd_ < 0) return failure(errno, "written");
    return {};
  }
  struct stat info{};
  const bool exists = ::stat(path_.c_str(), &info) == 0;
  std::error_code unresolved;
  const std::filesystem::path target = std::filesystem::canonical(path_, unresolved);
  if (exists && !unresolved) path_ = target.string();  // a link stays a link
  if (exists && S_ISDIR(info.st_mode)) return failure(EISDIR, "written");
  if (exists && !S_ISREG(info.st_mode)) {
    written_ = path_;
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    written_ = fmt::format("{}.part-{}", path_, ::getpid());
    const SignalsHeld held;
    fd_ = ::open(written_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ >= 0) guard(written_);
  }
  if (fd_ < 0) return failure(errno, "written");
  if (exists && written_ != path_ && ::fchmod(fd_, info.st_mode & 07777) != 0) return failure(errno, "written");
  return {};
}

bool FileWriter::write(std::string_view text) {
  if (error_ == 0) error_ = write_all(fd_, text);
  return error_ == 0;
}

Result<void> FileWriter::finish() {
  if (error_ == EPIPE) return {};  // whoever read it has had enough
  if (error_ != 0) return failure(error_, "written");
  const bool in_place = written_ == path_;
  if (!in_place && ::fsync(fd_) != 0) return failure(errno, "written");
  const SignalsHeld held;
  const int closed = ::close(std::exchange(fd_, -1));
  if (closed != 0 || (!in_place && ::rename(written_.c_str(), path_.c_str()) != 0)) {
    const int error_number = errno;
    if (!in_place) ::unlink(written_.c_str());
    unguard();
    return failure(error_number, "written");
  }
  unguard();
  return {};
}

Result<void> write_file(const std::string& path, std::string_view text) {
  FileWriter file(path);
  if (auto opened = file.open(); !opened) return opened;
  file.write(text);
  return file.finish();
}

}  // namespace wattrein::cli
