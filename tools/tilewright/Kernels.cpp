// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright kernels`: the operators of the library, listed, described, as
// tile IR, and run beside their float64 reading.

#include "lib/Kernels/Choice.h"
#include "lib/Kernels/Counting.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Refinement.h"
#include "lib/Kernels/Trial/Trial.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Devices.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::kernels;
using driver::fail;
namespace cl = llvm::cl;

namespace {

/// The command line of `tilewright kernels`.
struct KernelsCommandLine {
  cl::OptionCategory category{"Options of tilewright kernels"};
  cl::opt<std::string> action{cl::Positional, cl::init("list"),
                              cl::cat(category),
                              cl::desc("list|describe|emit|run|tune")};
  cl::list<std::string> words{cl::Positional, cl::cat(category),
                              cl::desc("OPERATOR name=value...")};
  cl::opt<std::string> target{"target", cl::value_desc("sm_XX"),
                              cl::init("sm_80"), cl::cat(category),
                              cl::desc("GPU to choose and compile for "
                                       "(default sm_80)")};
  cl::opt<std::string> configuration{
      "config", cl::value_desc("128x64x32w4s3k1"), cl::cat(category),
      cl::desc("In place of the best one: tile, warps, stages, split")};
  cl::opt<bool> explain{"explain", cl::cat(category),
                        cl::desc("Tell which configurations there are, what "
                                 "each is predicted to take, why some cannot "
                                 "be")};
  cl::opt<unsigned> refined{
      "refine", cl::value_desc("N"), cl::init(0), cl::cat(category),
      cl::desc("Estimate the code of the N best candidates, and choose by that "
               "(default 0: none)")};
  cl::opt<unsigned> best{
      "best", cl::value_desc("N"), cl::init(8), cl::cat(category),
      cl::desc("How many candidates 'tune' runs (default 8)")};
  cl::opt<std::string> gpu{
      "gpu", cl::value_desc("name"), cl::init(""), cl::cat(category),
      cl::desc("GPU that predictions are for (default the target's own)")};
  cl::opt<std::string> device{
      "device", cl::value_desc("auto|cuda|cuda:N|emulator"), cl::init("auto"),
      cl::cat(category),
      cl::desc("Where to run (default auto: a GPU if there is one)")};
  cl::opt<uint64_t> seed{"seed", cl::value_desc("N"), cl::init(0),
                         cl::cat(category),
                         cl::desc("Of the random inputs (default 0)")};
  cl::opt<unsigned> repeat{"repeat", cl::value_desc("N"), cl::init(0),
                           cl::cat(category),
                           cl::desc("Launch N times more and time them")};
};

/// A problem with what was chosen for it.
struct Chosen {
  std::unique_ptr<Problem> problem;
  std::vector<Candidate> candidates;
  Configuration configuration;
};

} // namespace

static int list() {
  for (const Operator &known : allOperators())
    llvm::outs() << llvm::left_justify(known.name, 14) << known.summary << "\n";
  return 0;
}

static int describeOperator(llvm::StringRef name) {
  Result<const Operator *> found = findOperator(name);
  if (!found)
    return fail(found.error().message);
  const Operator &known = **found;
  llvm::outs() << known.name << ": " << known.summary << "\n\n"
               << known.description << "\n\n";
  for (const OperatorOption &row : known.options) {
    llvm::outs() << "  " << llvm::left_justify(row.name, 20) << row.text;
    if (row.kind == OperatorOption::Kind::Choice) {
      llvm::outs() << ":";
      for (std::string_view choice : row.choices)
        llvm::outs() << " " << choice;
    }
    if (!row.initial.empty())
      llvm::outs() << " (default " << row.initial << ")";
    llvm::outs() << "\n";
  }
  llvm::outs() << "\n  TENSOR.strides=... (elements), TENSOR.alignment=... "
                  "(bytes, default 16) of:";
  for (const OperatorTensor &tensor : known.tensors)
    llvm::outs() << " " << tensor.name;
  llvm::outs() << "\n  dynamic=SIZE,...  sizes that the kernel must not rely "
                  "on\n";
  return 0;
}

static Result<std::unique_ptr<Problem>>
makeProblem(llvm::ArrayRef<std::string> words) {
  if (words.empty())
    return Error{ErrorCode::InvalidArgument,
                 "expects the name of an operator; see 'tilewright kernels "
                 "list'"};
  Result<const Operator *> found = findOperator(words.front());
  if (!found)
    return found.takeError();
  Options::Words given;
  for (llvm::StringRef word : words.drop_front()) {
    auto [name, value] = word.split('=');
    if (name.size() == word.size())
      return Error{ErrorCode::InvalidArgument,
                   "expects name=value, but got '" + word.str() + "'"};
    given[name.str()] = value.str();
  }
  return (*found)->prepare(given);
}

static Result<Chosen> choose(const KernelsCommandLine &line) {
  Chosen chosen;
  Result<std::unique_ptr<Problem>> problem =
      makeProblem(llvm::ArrayRef<std::string>(line.words));
  if (!problem)
    return problem.takeError();
  chosen.problem = std::move(*problem);
  const target::Target *target = target::lookup(line.target);
  if (!target)
    return Error{ErrorCode::InvalidArgument,
                 target::unknownTargetMessage(line.target)};
  std::optional<Configuration> wanted;
  if (!line.configuration.empty()) {
    wanted = Configuration::parse(line.configuration);
    if (!wanted)
      return Error{ErrorCode::InvalidArgument,
                   "expects --config=ROWSxCOLUMNS[xDEPTH]wWARPSsSTAGESkSPLIT, "
                   "but got '" +
                       line.configuration + "'"};
  }
  const target::Device *device = line.gpu.empty()
                                     ? &target::getDefaultDevice(*target)
                                     : target::lookupDevice(line.gpu);
  if (!device)
    return Error{ErrorCode::InvalidArgument,
                 target::unknownDeviceMessage(line.gpu)};
  if (!target->runsOn(device->computeCapability))
    return Error{ErrorCode::InvalidArgument,
                 target::cannotRunMessage(*target, *device)};
  chosen.candidates = rank(*chosen.problem, *target, *device);
  if (line.refined)
    refine(chosen.candidates, *chosen.problem, *target, *device, line.refined);
  Result<Configuration> configuration = choose(chosen.candidates, wanted);
  if (!configuration)
    return configuration.takeError();
  chosen.configuration = *configuration;
  return chosen;
}

static int emitKernels(const Chosen &chosen) {
  bool isFirst = true;
  for (const Kernel &kernel : chosen.problem->kernels(chosen.configuration)) {
    if (!isFirst)
      llvm::outs() << "// -----\n";
    isFirst = false;
    llvm::outs() << "// grid " << kernel.grid.x << "x" << kernel.grid.y << "x"
                 << kernel.grid.z << ", --num-warps=" << kernel.warps
                 << " --num-stages=" << kernel.stages << "\n"
                 << emit(kernel.name, kernel.signature, kernel.text);
  }
  return 0;
}

static void printCounts(const Kernel &kernel) {
  Counts counts =
      count(kernel.signature, kernel.grid, kernel.warps, kernel.text);
  llvm::outs() << llvm::format(
      "%s: %.0f programs, %.3g multiply-adds, %.3g bytes loaded, %.3g stored, "
      "%.3g compulsory\n",
      kernel.name.c_str(), counts.programs,
      counts.multiplyAdds + counts.fullMultiplyAdds, counts.loadedBytes,
      counts.storedBytes, compulsoryBytes(kernel.signature));
}

static int runKernels(const Chosen &chosen, const KernelsCommandLine &line) {
  auto device =
      driver::openDevice(line.device, run::EmulatorOptions(), nullptr);
  if (!device)
    return fail(device.error().message);
  std::vector<Kernel> kernels = chosen.problem->kernels(chosen.configuration);
  CompileOptions options;
  options.targets = {line.target};
  options.machineCode = false;
  Result<TrialReport> report =
      tryOut(kernels, **device, options, line.seed, line.repeat,
             /*isJudged=*/true, chosen.problem.get());
  if (!report)
    return fail(report.error().message);
  for (const Kernel &kernel : kernels)
    printCounts(kernel);
  llvm::outs() << chosen.configuration.text() << " on "
               << (*device)->description() << ": " << report->wrong << " of "
               << report->elements << " elements differ; the largest error is "
               << llvm::format("%.2f of its bound, of all %.2g", report->worst,
                               report->relativeError())
               << " of their root mean square\n";
  if (report->wrong)
    llvm::outs() << report->first << "\n";
  if (line.repeat)
    llvm::outs() << llvm::format("%.2f us\n", report->microseconds);
  return report->wrong ? 1 : 0;
}

/// Runs the first candidates, and tells what each was predicted to take and
/// took.
static int tune(const Chosen &chosen, const KernelsCommandLine &line) {
  auto device =
      driver::openDevice(line.device, run::EmulatorOptions(), nullptr);
  if (!device)
    return fail(device.error().message);
  CompileOptions options;
  options.targets = {line.target};
  options.machineCode = false;
  llvm::outs() << (*device)->description()
               << "\n predicted    by code   measured us\n";
  unsigned left = line.best, failures = 0;
  for (const Candidate &candidate : chosen.candidates) {
    if (!candidate.refusal.empty() || left == 0)
      break;
    --left;
    Result<TrialReport> report =
        tryOut(chosen.problem->kernels(candidate.configuration), **device,
               options, line.seed, std::max(1u, line.repeat.getValue()),
               /*isJudged=*/false);
    llvm::outs() << llvm::format("%10.2f %10.2f ", candidate.seconds * 1e6,
                                 candidate.estimate.value_or(0) * 1e6);
    if (report)
      llvm::outs() << llvm::format("%10.2f", report->microseconds);
    else
      llvm::outs() << "    failed";
    llvm::outs() << "  " << candidate.configuration.word() << "\n";
    llvm::outs().flush();
    if (!report) {
      ++failures;
      llvm::outs() << report.error().message << "\n";
    }
  }
  return failures ? 1 : 0;
}

int driver::runKernels(int argc, const char *const *argv) {
  // LLVM's libraries register options of their own; none is this command's.
  cl::ResetCommandLineParser();
  KernelsCommandLine line;
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Operators: kernels by name, chosen by prediction.\n",
          &llvm::errs()))
    return 1;
  if (line.action == "list")
    return list();
  if (line.action == "describe")
    return line.words.empty() ? list() : describeOperator(line.words.front());
  if (line.action != "emit" && line.action != "run" && line.action != "tune")
    return fail("expects list, describe, emit, run or tune, but got '" +
                line.action + "'");
  Result<Chosen> chosen = choose(line);
  if (!chosen)
    return fail(chosen.error().message);
  if (line.explain)
    llvm::outs() << explain(chosen->candidates, 12);
  if (line.action == "tune")
    return tune(*chosen, line);
  return line.action == "emit" ? emitKernels(*chosen)
                               : ::runKernels(*chosen, line);
}
