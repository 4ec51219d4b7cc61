// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-kernel-trials: random problems of the library's operators through
// choice, emission, compiler and device, against their float64 reading. Each in
// a process of its own, so that one that ends it is one failure among others.

#include "lib/Compiler/Compiler.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "lib/Kernels/Trial/Trial.h"
#include "lib/Run/EmulatorDevice.h"
#include "test/Kernels/RandomProblem.h"
#include "test/Random/Schedule.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <set>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::trials;
namespace cl = llvm::cl;

namespace {

struct CommandLine {
  cl::OptionCategory category{"Options of tilewright-kernel-trials"};
  cl::opt<uint64_t> seed{"seed", cl::init(1), cl::cat(category),
                         cl::desc("The first seed (default 1)")};
  cl::opt<uint64_t> count{"count", cl::init(100), cl::cat(category),
                          cl::desc("How many seeds (default 100)")};
  cl::opt<double> seconds{
      "seconds", cl::init(0.0), cl::cat(category),
      cl::desc("Start no trial after this time (default 0: no limit)")};
  cl::opt<unsigned> limit{
      "limit", cl::init(120), cl::cat(category),
      cl::desc("Seconds that a trial may take (default 120)")};
  cl::list<std::string> targets{
      "target", cl::CommaSeparated, cl::cat(category),
      cl::desc("Targets to choose from (default all that are tested)")};
  cl::list<std::string> operators{
      "operator", cl::CommaSeparated, cl::cat(category),
      cl::desc("Operators to choose from (default all)")};
  cl::opt<std::string> device{"device", cl::init("emulator"), cl::cat(category),
                              cl::desc("emulator (default) or cuda")};
  cl::opt<double> work{
      "work", cl::init(1.0), cl::cat(category),
      cl::desc("Factor of how large problems may be (default 1)")};
  cl::opt<bool> chooseOnly{
      "choose-only", cl::cat(category),
      cl::desc("Choose configurations, of problems of any size; run nothing")};
  cl::opt<bool> compileOnly{
      "compile-only", cl::cat(category),
      cl::desc(
          "Choose, and compile each configuration of a target and a type once, "
          "of problems of any size; run nothing")};
  cl::opt<unsigned> pairs{
      "pairs", cl::init(1), cl::value_desc("N"), cl::cat(category),
      cl::desc("Take the one of N seeds whose options were together the least "
               "so far (default 1: any)")};
  cl::opt<bool> randomSchedules{
      "random-schedules", cl::cat(category),
      cl::desc("Take bulk copies and warps of their own at random")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("Print every trial's command")};
};

} // namespace

static std::vector<const target::Target *>
findTargets(const CommandLine &line) {
  std::vector<const target::Target *> found;
  for (const std::string &name : line.targets)
    if (const target::Target *known = target::lookup(name)) {
      found.push_back(known);
    } else {
      llvm::errs() << "error: " << target::unknownTargetMessage(name) << "\n";
      std::exit(1);
    }
  if (found.empty())
    for (const target::Target &target : target::allTargets())
      if (target.isTested)
        found.push_back(&target);
  return found;
}

static std::vector<const Operator *> findOperators(const CommandLine &line) {
  std::vector<const Operator *> found;
  for (const std::string &name : line.operators) {
    Result<const Operator *> known = findOperator(name);
    if (!known) {
      llvm::errs() << "error: " << known.error().message << "\n";
      std::exit(1);
    }
    found.push_back(*known);
  }
  if (found.empty())
    for (const Operator &known : allOperators())
      found.push_back(&known);
  return found;
}

/// How kernels of a trial are compiled.
static CompileOptions makeOptions(const CommandLine &line,
                                  const RandomProblem &made, uint64_t seed) {
  CompileOptions options;
  options.targets = {std::string(made.target->name)};
  options.machineCode = false;
  if (line.randomSchedules)
    fuzz::takeCopies(seed, options);
  return options;
}

/// In a process of its own: 0 where all kernels compile to PTX.
static int compileTrial(const CommandLine &line, const RandomProblem &made,
                        uint64_t seed) {
  CompileOptions options = makeOptions(line, made, seed);
  options.onDiagnostic = [](const Diagnostic &diagnostic) {
    llvm::outs() << compiler::toString(diagnostic) << "\n";
  };
  bool compiles = true;
  for (const Kernel &kernel : made.problem->kernels(made.configuration))
    compiles &= compiler::emit(emit(kernel.name, kernel.signature, kernel.text),
                               Emit::PTX, optionsOf(kernel, options))
                    .has_value();
  llvm::outs().flush();
  return compiles ? 0 : 1;
}

namespace {
/// What trials have seen, in memory that their processes share.
struct Judged {
  uint64_t elements = 0, exact = 0;
};
} // namespace

static Judged &shareJudged() {
  void *memory = mmap(nullptr, sizeof(Judged), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    llvm::errs() << "tilewright-kernel-trials: error: no memory to share\n";
    std::exit(2);
  }
  return *new (memory) Judged();
}

/// In a process of its own: 0 where every element is right.
static int runTrial(const CommandLine &line, const RandomProblem &made,
                    uint64_t seed, Judged &judged) {
  auto device = line.device == "cuda"
                    ? run::openCudaDevice(0)
                    : Result<std::unique_ptr<run::ExecutionDevice>>(
                          run::openEmulator({}, nullptr));
  CompileOptions options = makeOptions(line, made, seed);
  if (!device) {
    llvm::outs() << device.error().message << "\n";
    return 1;
  }
  Result<TrialReport> report =
      tryOut(made.problem->kernels(made.configuration), **device, options, seed,
             0, made.problem.get());
  if (!report)
    llvm::outs() << report.error().message << "\n";
  else if (report->wrong)
    llvm::outs() << report->wrong << " of " << report->elements
                 << " elements differ: " << report->first << "\n";
  llvm::outs().flush();
  if (!report)
    return 1;
  judged.elements += report->elements;
  judged.exact += report->exact;
  return report->wrong ? 1 : 0;
}

static bool passes(const CommandLine &line, const RandomProblem &made,
                   uint64_t seed, Judged &judged) {
  llvm::outs().flush();
  pid_t child = fork();
  if (child == 0) {
    alarm(line.limit);
    _exit(line.compileOnly ? compileTrial(line, made, seed)
                           : runTrial(line, made, seed, judged));
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status))
    llvm::outs() << "ended by signal " << WTERMSIG(status) << "\n";
  return status == 0;
}

int main(int argc, char **argv) {
  cl::ResetCommandLineParser();
  CommandLine line;
  cl::ParseCommandLineOptions(argc, argv, "Random problems of the library.\n");
  std::vector<const target::Target *> targets = findTargets(line);
  std::vector<const Operator *> operators = findOperators(line);
  ProblemLimits limits;
  limits.multiplyAdds *= line.work;
  limits.elements *= line.work;
  if (line.chooseOnly || line.compileOnly)
    limits = {1e18, 1e18, /*isBest=*/true};
  auto begin = std::chrono::steady_clock::now();
  uint64_t passed = 0, failed = 0;
  std::set<std::string> configurations;
  PairCover cover;
  Judged &judged = shareJudged();
  for (uint64_t i = 0; i < line.count; ++i) {
    std::chrono::duration<double> spent =
        std::chrono::steady_clock::now() - begin;
    if (line.seconds > 0 && spent.count() > line.seconds)
      break;
    uint64_t seed = line.seed + i;
    if (line.pairs > 1)
      seed = cover.chooseSeed(line.seed + i * line.pairs, line.pairs, limits,
                              targets, operators);
    RandomProblem made = makeRandomProblem(seed, limits, targets, operators);
    auto type = made.words.find("type");
    bool isNew = configurations
                     .insert(std::string(made.of->name) + " " +
                             made.configuration.word() + " " +
                             std::string(made.target->name) + " " +
                             (type == made.words.end() ? "" : type->second))
                     .second;
    if (line.print)
      llvm::outs() << made.command() << "\n";
    if (line.chooseOnly || (line.compileOnly && !isNew) ||
        passes(line, made, seed, judged)) {
      ++passed;
      continue;
    }
    ++failed;
    llvm::outs() << "failed: tilewright kernels run " << made.command()
                 << " --seed=" << seed << "\n";
  }
  llvm::outs() << passed << " passed, " << failed << " failed; "
               << configurations.size()
               << " configurations of targets and types; " << judged.exact
               << " of " << judged.elements << " elements exact";
  if (line.pairs > 1)
    llvm::outs() << "; " << cover.size() << " pairs of settings";
  llvm::outs() << "\n";
  return failed ? 1 : 0;
}
