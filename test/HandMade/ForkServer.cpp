// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library to preload into a program: it runs the program's `main` many times,
// each in a process forked before it, so that loading and linking are paid for
// once. Linux only.
//
// A request is a line on the standard input: fields, with a tab behind each:
// seconds of the processor, bytes of address space, files for the standard
// output and the standard error, and the arguments. The answer is a line: the
// status, negative where a signal ended the process. A process that waits for
// longer than waitingFactor times its seconds is killed.

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace {

using Main = int (*)(int, char **, char **);

constexpr long waitingFactor = 20;
Main programMain = nullptr;

struct Request {
  long seconds = 0, bytes = 0;
  std::string output, errors;
  std::vector<std::string> arguments;
};

} // namespace

/// Whether the line has all fields.
static bool parse(const std::string &line, Request &request) {
  std::vector<std::string> fields(1);
  for (char letter : line) {
    if (letter == '\t')
      fields.emplace_back();
    else if (letter != '\n')
      fields.back() += letter;
  }
  fields.pop_back();
  if (fields.size() < 4)
    return false;
  request.seconds = std::atol(fields[0].c_str());
  request.bytes = std::atol(fields[1].c_str());
  request.output = fields[2];
  request.errors = fields[3];
  request.arguments.assign(fields.begin() + 4, fields.end());
  return true;
}

static void limit(__rlimit_resource_t resource, rlim_t value) {
  const rlimit both = {value, value};
  setrlimit(resource, &both);
}

[[noreturn]] static void runMain(const Request &request, char *program,
                                 char **environment) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  limit(RLIMIT_CPU, request.seconds);
  limit(RLIMIT_AS, request.bytes);
  limit(RLIMIT_CORE, 0);
  auto create = [](const std::string &file) {
    return open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  };
  int nothing = open("/dev/null", O_RDONLY);
  int output = create(request.output), errors = create(request.errors);
  if (nothing < 0 || output < 0 || errors < 0)
    _exit(126);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  std::vector<char *> arguments = {program};
  for (const std::string &argument : request.arguments)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  std::exit(programMain(static_cast<int>(arguments.size()) - 1,
                        arguments.data(), environment));
}

/// The status of a process when it ends; it is killed when its time is over.
static int wait(pid_t process, long seconds) {
  int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  pollfd ended = {handle, POLLIN, 0};
  int ready = 0;
  do
    ready = poll(&ended, 1, static_cast<int>(seconds * waitingFactor * 1000));
  while (ready < 0 && errno == EINTR);
  if (ready == 0)
    kill(process, SIGKILL);
  close(handle);
  int status = 0;
  waitpid(process, &status, 0);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static int serve(int, char **arguments, char **environment) {
  char *line = nullptr;
  size_t size = 0;
  while (getline(&line, &size, stdin) > 0) {
    Request request;
    if (!parse(line, request))
      return 125;
    std::fflush(stdout);
    pid_t process = fork();
    if (process < 0)
      return 124;
    if (process == 0)
      runMain(request, arguments[0], environment);
    std::printf("%d\n", wait(process, request.seconds));
    std::fflush(stdout);
  }
  return 0;
}

/// glibc's entry of every program, which gets its `main`.
extern "C" __attribute__((visibility("default"))) int
__libc_start_main(Main given, int count, char **arguments, void (*begin)(),
                  void (*end)(), void (*endLinker)(), void *stack) {
  using Start =
      int (*)(Main, int, char **, void (*)(), void (*)(), void (*)(), void *);
  // What the program starts is not served.
  unsetenv("LD_PRELOAD");
  programMain = given;
  auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(serve, count, arguments, begin, end, endLinker, stack);
}
