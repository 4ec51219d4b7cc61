// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-fuzz: random tile kernels through the compiler and the emulator,
// or a GPU, against the reference. Kernels run in processes of their own, so
// that one that ends the compiler is one failure among others.

#include "lib/Compiler/Compiler.h"
#include "test/Random/Reduce.h"
#include "test/Random/Trial.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <functional>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::fuzz;
namespace cl = llvm::cl;

namespace {

struct CommandLine {
  cl::OptionCategory category{"Options of tilewright-fuzz"};
  cl::opt<uint64_t> seed{"seed", cl::init(1), cl::cat(category),
                         cl::desc("The first seed (default 1)")};
  cl::opt<uint64_t> count{"count", cl::init(100), cl::cat(category),
                          cl::desc("How many seeds (default 100)")};
  cl::opt<unsigned> numOps{
      "ops", cl::init(20), cl::cat(category),
      cl::desc("About how many operations a kernel has (default 20)")};
  cl::opt<double> seconds{
      "seconds", cl::init(0.0), cl::cat(category),
      cl::desc("Start no kernel after this time (default 0: no limit)")};
  cl::opt<unsigned> limit{
      "limit", cl::init(60), cl::cat(category),
      cl::desc("Seconds that a kernel may take (default 60)")};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated, cl::cat(category),
      cl::desc("Targets to choose from (default all)")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("Print kernels without running them")};
  cl::opt<bool> reduce{
      "reduce", cl::cat(category),
      cl::desc("Make the kernels that fail smaller before they are printed")};
  cl::opt<bool> randomLayouts{
      "random-layouts", cl::cat(category),
      cl::desc("Have the compiler take layouts at random")};
  cl::opt<bool> randomSchedules{
      "random-schedules", cl::cat(category),
      cl::desc("Take stages, bulk copies and warps of their own at random")};
  enum class Device { Emulator, Cuda };
  cl::opt<Device> device{
      "device", cl::init(Device::Emulator), cl::cat(category),
      cl::desc("Where kernels run (default emulator)"),
      cl::values(clEnumValN(Device::Emulator, "emulator", "with all checks"),
                 clEnumValN(Device::Cuda, "cuda", "the first GPU"))};
  cl::opt<bool> brief{"brief", cl::cat(category),
                      cl::desc("Do not print the kernels that fail")};
};

/// Gives the kernel of a seed.
using Source = std::function<KernelCase(uint64_t)>;

/// A process that runs kernels of successive seeds, and reports through a pipe:
/// for each a byte with the verdict, four with the message's size, the message.
class Worker {
public:
  Worker(const CommandLine &line, Source source)
      : line(line), source(std::move(source)) {}
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;
  ~Worker() { stop(); }

  /// What came of `seed`; seeds ascend by one.
  Outcome run(uint64_t seed);

private:
  void start(uint64_t seed);
  /// Ends the process; gives how it ended.
  int stop();
  [[noreturn]] void work(uint64_t seed, int output);
  /// Reads so many bytes; what hinders it otherwise.
  std::optional<Verdict> read(void *bytes, size_t count);

  const CommandLine &line;
  Source source;
  pid_t process = 0;
  int input = -1;
  std::chrono::steady_clock::time_point deadline;
};

} // namespace

static void writeAll(int output, const void *bytes, size_t count) {
  const char *at = static_cast<const char *>(bytes);
  while (count) {
    ssize_t written = write(output, at, count);
    if (written <= 0)
      _exit(3);
    at += written;
    count -= written;
  }
}

void Worker::work(uint64_t seed, int output) {
  for (;; ++seed) {
    Outcome outcome =
        runTrial(source(seed), line.device == CommandLine::Device::Cuda);
    uint32_t size = outcome.message.size();
    writeAll(output, &outcome.verdict, 1);
    writeAll(output, &size, 4);
    writeAll(output, outcome.message.data(), size);
  }
}

void Worker::start(uint64_t seed) {
  int ends[2];
  if (pipe(ends) != 0) {
    llvm::errs() << "error: tilewright-fuzz: cannot open a pipe\n";
    std::exit(2);
  }
  process = fork();
  if (process == 0) {
    close(ends[0]);
    work(seed, ends[1]);
  }
  close(ends[1]);
  input = ends[0];
}

int Worker::stop() {
  if (!process)
    return 0;
  int status = 0;
  // The reader's end is closed first: a worker ahead of us ends by itself.
  close(input);
  kill(process, SIGKILL);
  waitpid(process, &status, 0);
  process = 0;
  return status;
}

std::optional<Verdict> Worker::read(void *bytes, size_t count) {
  char *at = static_cast<char *>(bytes);
  while (count) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd waited{input, POLLIN, 0};
    if (poll(&waited, 1, std::max<int>(left.count(), 0)) == 0)
      return Verdict::TimedOut;
    ssize_t got = ::read(input, at, count);
    if (got <= 0)
      return Verdict::Crashed;
    at += got;
    count -= got;
  }
  return std::nullopt;
}

Outcome Worker::run(uint64_t seed) {
  if (!process)
    start(seed);
  deadline =
      std::chrono::steady_clock::now() + std::chrono::seconds(line.limit);
  Outcome outcome;
  uint32_t size = 0;
  std::optional<Verdict> ended = read(&outcome.verdict, 1);
  if (!ended)
    ended = read(&size, 4);
  outcome.message.resize(ended ? 0 : size);
  if (!ended)
    ended = read(outcome.message.data(), size);
  if (!ended)
    return outcome;
  stop();
  return {*ended, ""};
}

/// What a failing seed needs to be looked into.
static void printFailure(const KernelCase &kernel, const Outcome &outcome,
                         const CommandLine &line) {
  llvm::outs() << "seed " << kernel.seed << " " << getName(outcome.verdict)
               << " (--seed=" << kernel.seed
               << " --count=1 --ops=" << line.numOps
               << (line.randomLayouts ? " --random-layouts" : "")
               << (line.randomSchedules ? " --random-schedules" : "") << "; "
               << kernel.target << ", " << kernel.numWarps << " warps, grid "
               << kernel.grid[0] << "x" << kernel.grid[1] << ")\n";
  if (!outcome.message.empty())
    llvm::outs() << "  " << llvm::StringRef(outcome.message).rtrim() << "\n";
  if (!line.brief)
    llvm::outs() << kernel.text;
  llvm::outs().flush();
}

/// The smallest kernel found that fails as this one.
static KernelCase reduceFailure(const KernelCase &kernel,
                                const Outcome &outcome,
                                const CommandLine &line) {
  // Another message would be another failure; types and places may change.
  llvm::StringRef kind = llvm::StringRef(outcome.message).take_front(20);
  bool isByMessage = outcome.verdict == Verdict::Rejected ||
                     outcome.verdict == Verdict::Faulted;
  return reduceCase(kernel, [&](const KernelCase &candidate) {
    Worker worker(line, [&](uint64_t) { return candidate; });
    Outcome other = worker.run(0);
    return other.verdict == outcome.verdict &&
           (!isByMessage || llvm::StringRef(other.message).starts_with(kind));
  });
}

int main(int argc, char **argv) {
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Random tile kernels through the compiler and the emulator, or a GPU, "
      "against the reference.\n");
  std::vector<std::string> targets(line.targets.begin(), line.targets.end());
  if (targets.empty())
    targets = compiler::supportedTargets();
  std::map<Verdict, uint64_t> counts;
  auto begin = std::chrono::steady_clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         begin)
        .count();
  };
  Source source = [&](uint64_t seed) {
    KernelCase kernel = makeRandomKernel(seed, line.numOps, targets);
    if (line.randomLayouts)
      kernel.layoutSeed = seed;
    if (line.randomSchedules)
      kernel.scheduleSeed = seed;
    return kernel;
  };
  Worker worker(line, source);
  bool isGoodSoFar = true;
  for (uint64_t seed = line.seed; seed < line.seed + line.count; ++seed) {
    if (line.seconds > 0 && elapsed() > line.seconds)
      break;
    KernelCase kernel = source(seed);
    if (line.print) {
      llvm::outs() << kernel.text;
      continue;
    }
    Outcome outcome = worker.run(seed);
    ++counts[outcome.verdict];
    isGoodSoFar &= isGood(outcome.verdict);
    if (isGood(outcome.verdict))
      continue;
    if (line.reduce) {
      kernel = reduceFailure(kernel, outcome, line);
      outcome = Worker(line, [&](uint64_t) { return kernel; }).run(seed);
    }
    printFailure(kernel, outcome, line);
  }
  if (line.print)
    return 0;
  for (auto [verdict, count] : counts)
    llvm::outs() << count << " " << getName(verdict) << "\n";
  llvm::outs() << llvm::formatv("{0:f1} s\n", elapsed());
  return isGoodSoFar ? 0 : 1;
}
