// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tilewright-conversions: conversions between layouts of all families through
// the compiler and the emulator. Groups of conversions run in processes of
// their own, so that one that ends the compiler is one failure among others.

#include "lib/Compiler/Compiler.h"
#include "test/Conversions/MatrixTable.h"
#include "test/Conversions/Trial.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilewright;
using namespace tilewright::conversions;
using layout::Means;
namespace cl = llvm::cl;

namespace {

struct CommandLine {
  cl::OptionCategory category{"Options of tilewright-conversions"};
  cl::opt<uint64_t> seed{"seed", cl::init(1), cl::cat(category),
                         cl::desc("What the layouts depend on (default 1)")};
  cl::opt<uint64_t> first{"first", cl::init(0), cl::cat(category),
                          cl::desc("The number of the first case")};
  cl::opt<uint64_t> count{"count", cl::init(2000), cl::cat(category),
                          cl::desc("How many cases (default 2000)")};
  cl::opt<bool> allPairs{
      "all-pairs", cl::cat(category),
      cl::desc("As many cases as have every pair of families with every "
               "element width on every target")};
  cl::list<std::string> targets{"targets", cl::CommaSeparated,
                                cl::cat(category),
                                cl::desc("Targets (default all)")};
  cl::opt<std::string> force{
      "force", cl::cat(category),
      cl::desc(
          "Do every conversion by this means where it can be: shuffles, "
          "\"matrix transpositions\", \"shared memory\", \"shared memory in "
          "rounds\"")};
  cl::opt<unsigned> jobs{"jobs", cl::init(0), cl::cat(category),
                         cl::desc("Processes (default: one for each core)")};
  cl::opt<bool> print{"print", cl::cat(category),
                      cl::desc("Print kernels without running them")};
  cl::opt<bool> matrices{
      "matrices", cl::cat(category),
      cl::desc("Instead: the accumulators of matrix instructions into each "
               "other and into operands, with the instructions that they "
               "take")};
  cl::opt<bool> listConflicts{
      "list-conflicts", cl::cat(category),
      cl::desc("Name the cases that have bank conflicts")};
  cl::opt<bool> table{
      "table", cl::cat(category),
      cl::desc("Print how many cases each pair of families has")};
};

/// A line of a worker's report: the case's number, its means, its conflicts,
/// and the size of the text that follows, which says what is wrong.
struct Report {
  uint64_t number;
  uint32_t means, conflicts, size;
};

/// Everything that was reported.
struct Summary {
  uint64_t cases = 0, failures = 0, conflicting = 0, conflicts = 0;
  std::map<Means, uint64_t> byMeans;
  std::map<std::string_view, uint64_t> byTarget;
  std::map<std::pair<unsigned, unsigned>, uint64_t> byPair;
};

/// Cases from `first` up to, without, `end`.
struct Range {
  uint64_t first, end;
};

/// Runs cases in several processes.
class Workers {
public:
  Workers(const Enumeration &enumeration, Range range, unsigned jobs,
          bool listConflicts)
      : enumeration(enumeration), range(range), jobs(jobs),
        listConflicts(listConflicts) {}

  Summary run();

private:
  struct Worker {
    pid_t process;
    FILE *input;
  };
  Worker start(unsigned number) const;
  [[noreturn]] void work(unsigned number, FILE *output) const;
  void collect(const Worker &worker, Summary &summary) const;
  void add(const Report &report, const std::string &problem,
           Summary &summary) const;

  const Enumeration &enumeration;
  Range range;
  unsigned jobs;
  bool listConflicts;
};

} // namespace

void Workers::work(unsigned number, FILE *output) const {
  constexpr uint64_t size = Enumeration::groupSize;
  for (uint64_t group = range.first / size; group * size < range.end; ++group) {
    if (group % jobs != number)
      continue;
    std::vector<ConversionCase> cases;
    for (uint64_t each = std::max(group * size, range.first);
         each < std::min((group + 1) * size, range.end); ++each)
      cases.push_back(enumeration.getCase(each));
    std::vector<Outcome> outcomes = runTrial(cases);
    for (size_t index = 0; index < cases.size(); ++index) {
      const Outcome &outcome = outcomes[index];
      Report report = {cases[index].number, uint32_t(outcome.means),
                       outcome.conflicts, uint32_t(outcome.problem.size())};
      std::fwrite(&report, sizeof(report), 1, output);
      std::fwrite(outcome.problem.data(), 1, report.size, output);
    }
    std::fflush(output);
  }
  _exit(0);
}

Workers::Worker Workers::start(unsigned number) const {
  int ends[2];
  if (pipe(ends) != 0) {
    llvm::errs() << "error: tilewright-conversions: cannot open a pipe\n";
    std::exit(2);
  }
  pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    work(number, fdopen(ends[1], "w"));
  }
  close(ends[1]);
  return {process, fdopen(ends[0], "r")};
}

void Workers::add(const Report &report, const std::string &problem,
                  Summary &summary) const {
  ConversionCase conversion = enumeration.getCase(report.number);
  ++summary.cases;
  ++summary.byMeans[Means(report.means)];
  ++summary.byTarget[conversion.target->name];
  ++summary.byPair[{conversion.from, conversion.to}];
  summary.conflicts += report.conflicts;
  summary.conflicting += report.conflicts != 0;
  if (listConflicts && report.conflicts)
    llvm::outs() << conversion.describe() << ": " << report.conflicts
                 << " wavefronts too many\n";
  if (problem.empty())
    return;
  ++summary.failures;
  llvm::outs() << conversion.describe() << " (--seed=" << enumeration.seed
               << " --first=" << report.number << " --count=1)\n  "
               << llvm::StringRef(problem).rtrim() << "\n";
}

void Workers::collect(const Worker &worker, Summary &summary) const {
  Report report;
  while (std::fread(&report, sizeof(report), 1, worker.input) == 1) {
    std::string problem(report.size, 0);
    if (std::fread(problem.data(), 1, report.size, worker.input) != report.size)
      break;
    add(report, problem, summary);
  }
  std::fclose(worker.input);
  int status = 0;
  waitpid(worker.process, &status, 0);
  if (status == 0)
    return;
  ++summary.failures;
  llvm::outs() << "a process ended with status " << status << "\n";
}

Summary Workers::run() {
  std::vector<Worker> workers;
  for (unsigned number = 0; number < jobs; ++number)
    workers.push_back(start(number));
  Summary summary;
  for (const Worker &worker : workers)
    collect(worker, summary);
  return summary;
}

/// Cases of each pair of families.
static void printTable(const Summary &summary) {
  const std::vector<Family> &families = allFamilies();
  for (unsigned from = 0; from < families.size(); ++from) {
    llvm::outs() << llvm::formatv("{0,-18}", families[from].name);
    for (unsigned to = 0; to < families.size(); ++to) {
      auto known = summary.byPair.find({from, to});
      llvm::outs() << llvm::formatv(
          "{0,5}", known == summary.byPair.end() ? 0 : known->second);
    }
    llvm::outs() << "\n";
  }
}

static void printSummary(const Summary &summary, double seconds) {
  for (auto [target, count] : summary.byTarget)
    llvm::outs() << target << ": " << count << "\n";
  for (auto [means, count] : summary.byMeans)
    llvm::outs() << "by " << layout::meansName(means) << ": " << count << "\n";
  llvm::outs() << llvm::formatv(
      "{0} pairs of families\n{1} with conflicts ({2} wavefronts)\n{3} cases, "
      "{4} failed, {5:f1} s\n",
      summary.byPair.size(), summary.conflicting, summary.conflicts,
      summary.cases, summary.failures, seconds);
}

/// The means that --force names.
static std::optional<Means> parseMeans(const CommandLine &line) {
  if (line.force.empty())
    return std::nullopt;
  if (std::optional<Means> means = layout::meansOfName(line.force))
    return means;
  llvm::errs() << "tilewright-conversions: error: expects --force=shuffles, "
                  "\"matrix transpositions\", \"shared memory\" or \"shared "
                  "memory in rounds\", but got '"
               << line.force << "'\n";
  exit(2);
}

static Enumeration makeEnumeration(const CommandLine &line) {
  std::vector<std::string> names(line.targets.begin(), line.targets.end());
  if (names.empty())
    names = compiler::supportedTargets();
  Enumeration enumeration{line.seed, {}, parseMeans(line)};
  for (const std::string &name : names) {
    const target::Target *target = target::lookup(name);
    if (!target) {
      llvm::errs() << "tilewright-conversions: error: "
                   << target::unknownTargetMessage(name) << "\n";
      exit(2);
    }
    enumeration.targets.push_back(target);
  }
  return enumeration;
}

int main(int argc, char **argv) {
  CommandLine line;
  cl::HideUnrelatedOptions(line.category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "Conversions between layouts through the compiler and the emulator.\n");
  Enumeration enumeration = makeEnumeration(line);
  if (line.matrices) {
    unsigned failures = 0;
    for (const target::Target *target : enumeration.targets)
      failures += printMatrixTable(*target);
    return failures ? 1 : 0;
  }
  Range range = {line.first,
                 line.first + (line.allPairs ? enumeration.countOfAllPairs()
                                             : uint64_t(line.count))};
  if (line.print) {
    for (uint64_t number = range.first; number < range.end; ++number) {
      ConversionCase conversion = enumeration.getCase(number);
      llvm::outs() << "// " << conversion.describe() << "\n"
                   << "module attributes {tilegpu.target = \""
                   << conversion.target->name << "\"} {\n"
                   << writeKernel(conversion) << "}\n";
    }
    return 0;
  }
  unsigned jobs =
      line.jobs ? unsigned(line.jobs) : std::thread::hardware_concurrency();
  auto begin = std::chrono::steady_clock::now();
  Summary summary = Workers(enumeration, range, jobs, line.listConflicts).run();
  double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  if (line.table)
    printTable(summary);
  printSummary(summary, seconds);
  return summary.failures ? 1 : 0;
}
