// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright kernels`: the operators of the library, listed, described, as
// tile IR, and run beside their float64 reading; their times are in
// KernelTimes.cpp.

#include "lib/JIT/Jit.h"
#include "lib/Kernels/ChoiceNotes.h"
#include "lib/Kernels/Counting.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "lib/Kernels/Refinement.h"
#include "lib/Kernels/Trial/Trial.h"
#include "tools/tilewright/Commands.h"
#include "tools/tilewright/Devices.h"
#include "tools/tilewright/KernelsCommand.h"
#include "tools/tilewright/Output.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::driver;
namespace cl = llvm::cl;

static int list() {
  for (const Operator &known : allOperators())
    llvm::outs() << llvm::left_justify(known.name, 18) << known.summary << "\n";
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

Result<AskedProblem> driver::readProblem(llvm::ArrayRef<std::string> words) {
  if (words.empty())
    return Error{ErrorCode::InvalidArgument,
                 "expects the name of an operator; see 'tilewright kernels "
                 "list'"};
  Result<const Operator *> found = findOperator(words.front());
  if (!found)
    return found.takeError();
  AskedProblem asked;
  asked.of = *found;
  for (llvm::StringRef word : words.drop_front()) {
    auto [name, value] = word.split('=');
    if (name.size() == word.size())
      return Error{ErrorCode::InvalidArgument,
                   "expects name=value, but got '" + word.str() + "'"};
    asked.words[name.str()] = value.str();
  }
  Result<std::unique_ptr<Problem>> problem = (*found)->prepare(asked.words);
  if (!problem)
    return problem.takeError();
  asked.problem = std::move(*problem);
  return asked;
}

/// What the command line says, else that of the GPU, else sm_80.
static Result<const target::Target *>
findTarget(const KernelsCommandLine &line,
           const std::optional<runtime::Device> &gpu) {
  const target::Target *found = nullptr;
  if (line.target.empty() && gpu) {
    const runtime::Architecture &architecture = gpu->facts().architecture;
    found =
        target::lookupForDevice(10 * architecture.major + architecture.minor);
  }
  if (found)
    return found;
  std::string name = line.target.empty() ? "sm_80" : line.target.getValue();
  found = target::lookup(name);
  if (!found)
    return Error{ErrorCode::InvalidArgument,
                 target::unknownTargetMessage(name)};
  return found;
}

/// What predictions are for.
static Result<target::Device>
findModel(const KernelsCommandLine &line,
          const std::optional<runtime::Device> &gpu,
          const target::Target &target) {
  if (line.gpu.empty())
    return gpu ? modelDevice(gpu->name(), gpu->multiprocessorCount(), target)
               : target::getDefaultDevice(target);
  const target::Device *device = target::lookupDevice(line.gpu);
  if (!device)
    return Error{ErrorCode::InvalidArgument,
                 target::unknownDeviceMessage(line.gpu)};
  if (!target.runsOn(device->computeCapability))
    return Error{ErrorCode::InvalidArgument,
                 target::cannotRunMessage(target, *device)};
  return *device;
}

Result<AskedProblem> driver::askFor(const KernelsCommandLine &line,
                                    llvm::ArrayRef<std::string> words,
                                    const std::optional<runtime::Device> &gpu) {
  Result<AskedProblem> asked = readProblem(words);
  if (!asked)
    return asked;
  Result<const target::Target *> target = findTarget(line, gpu);
  if (!target)
    return target.takeError();
  asked->target = *target;
  Result<target::Device> model = findModel(line, gpu, **target);
  if (!model)
    return model.takeError();
  asked->candidates = rank(*asked->problem, **target, *model);
  if (line.refined)
    refine(asked->candidates, *asked->problem, **target, *model, line.refined);
  return asked;
}

/// The configuration that the command line names, or the best one.
static Result<Configuration> choose(const KernelsCommandLine &line,
                                    const AskedProblem &asked) {
  std::optional<Configuration> wanted;
  if (!line.configuration.empty()) {
    wanted = Configuration::parse(line.configuration);
    if (!wanted)
      return Error{ErrorCode::InvalidArgument,
                   "expects --config=ROWSxCOLUMNS[xDEPTH]wWARPSsSTAGESkSPLIT, "
                   "but got '" +
                       line.configuration + "'"};
  }
  return kernels::choose(asked.candidates, wanted);
}

/// Puts what was measured on the GPU before what is predicted.
static void applyNotes(AskedProblem &asked, const runtime::Device &gpu) {
  Jit jit;
  ChoiceNotes notes(jit.cache().disk(), gpu, *asked.target, *asked.of);
  Result<std::string> name = asked.of->classOf(asked.words);
  if (!name)
    return;
  if (auto measured = notes.measured(*name))
    applyMeasurements(*measured, asked.candidates);
}

/// How a kernel's text is compiled and launched: a comment of two lines.
static void printLaunch(const Kernel &kernel) {
  llvm::outs() << "// grid " << kernel.grid.x << "x" << kernel.grid.y << "x"
               << kernel.grid.z << ", --num-warps=" << kernel.warps
               << " --num-stages=" << kernel.stages << " --launch="
               << llvm::join(describeLaunch(kernel, /*isTypical=*/false), ",")
               << "\n// arguments: ";
  llvm::ListSeparator comma;
  for (const TensorParameter &tensor : kernel.signature.tensors)
    llvm::outs() << comma << tensor.name;
  for (const Number &number : kernel.signature.numbers)
    if (!number.isConstant())
      llvm::outs() << comma << number.name << "="
                   << llvm::format("%.9g", number.value);
  llvm::outs() << "\n";
}

static int emitKernels(const KernelsCommandLine &line) {
  Result<AskedProblem> asked =
      askFor(line, llvm::ArrayRef<std::string>(line.words), std::nullopt);
  if (!asked)
    return fail(asked.error().message);
  Result<Configuration> configuration = choose(line, *asked);
  if (!configuration)
    return fail(configuration.error().message);
  if (line.explain)
    llvm::outs() << explain(asked->candidates, 12);
  bool isFirst = true;
  for (const Kernel &kernel : asked->problem->kernels(*configuration)) {
    if (!isFirst)
      llvm::outs() << "// -----\n";
    isFirst = false;
    printLaunch(kernel);
    llvm::outs() << emit(kernel.name, kernel.signature, kernel.text);
  }
  return 0;
}

/// `counted`: what the emulator counts; may be null.
static void printCounts(const Kernel &kernel,
                        const run::KernelStatistics *counted) {
  Counts counts =
      count(kernel.signature, kernel.grid, kernel.warps, kernel.text);
  llvm::outs() << llvm::format(
      "%s: %.0f programs, %.3g multiply-adds, %.3g bytes loaded, %.3g stored, "
      "%.3g compulsory",
      kernel.name.c_str(), counts.programs,
      counts.multiplyAdds + counts.fullMultiplyAdds, counts.loadedBytes,
      counts.storedBytes, compulsoryBytes(kernel.signature));
  if (counted)
    llvm::outs() << llvm::format(", %.3g in all as the emulator counts",
                                 double(run::countGlobalBytes(*counted)));
  llvm::outs() << "\n";
}

static int runProblem(const KernelsCommandLine &line) {
  auto gpu = findGpu(line.device);
  if (!gpu)
    return fail(gpu.error().message);
  Result<AskedProblem> asked =
      askFor(line, llvm::ArrayRef<std::string>(line.words), *gpu);
  if (!asked)
    return fail(asked.error().message);
  if (*gpu)
    applyNotes(*asked, **gpu);
  Result<Configuration> configuration = choose(line, *asked);
  if (!configuration)
    return fail(configuration.error().message);
  if (line.explain)
    llvm::outs() << explain(asked->candidates, 12);
  run::AllStatistics counted;
  auto device = *gpu ? run::openCudaDevice(**gpu)
                     : driver::openDevice("emulator", {}, &counted);
  if (!device)
    return fail(device.error().message);
  std::vector<Kernel> kernels = asked->problem->kernels(*configuration);
  CompileOptions options;
  options.targets = {std::string(asked->target->name)};
  options.machineCode = false;
  Result<TrialReport> report = tryOut(kernels, **device, options, line.seed,
                                      line.repeat, asked->problem.get());
  if (!report)
    return fail(report.error().message);
  for (size_t i = 0; i < kernels.size(); ++i)
    printCounts(kernels[i], i < counted.size() ? &counted[i] : nullptr);
  llvm::outs() << configuration->text() << " on " << (*device)->description()
               << ": " << report->wrong << " of " << report->elements
               << " elements differ; the largest error is "
               << llvm::format("%.2f of its bound, of all %.2g", report->worst,
                               report->relativeError())
               << " of their root mean square\n";
  if (report->wrong)
    llvm::outs() << report->first << "\n";
  if (line.repeat)
    llvm::outs() << llvm::format("%.2f us\n", report->microseconds);
  return report->wrong ? 1 : 0;
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
  if (line.action == "emit")
    return emitKernels(line);
  if (line.action == "run")
    return runProblem(line);
  if (line.action == "tune")
    return tuneKernels(line);
  if (line.action == "bench")
    return benchKernels(line);
  if (line.action == "export")
    return exportKernels(line);
  return fail(
      "expects list, describe, emit, run, tune, bench or export, but got '" +
      line.action + "'");
}
