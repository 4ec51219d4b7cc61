// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tilewright kernels tune` and `bench`: configurations by the device's clock.

#include "lib/JIT/Jit.h"
#include "lib/Kernels/ChoiceNotes.h"
#include "lib/Kernels/Emission.h"
#include "lib/Kernels/Launching.h"
#include "tools/tilewright/Devices.h"
#include "tools/tilewright/KernelsCommand.h"
#include "tools/tilewright/Output.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;
using namespace tilewright::driver;

namespace {

/// Where configurations are timed.
struct Stopwatch {
  std::optional<runtime::Device> gpu;
  std::unique_ptr<run::ExecutionDevice> device;
  Jit jit;

  static Result<std::unique_ptr<Stopwatch>> open(const std::string &name);
  Result<std::vector<Measurement>> time(const KernelsCommandLine &line,
                                        const AskedProblem &asked,
                                        const MeasuringOptions &options);
};

} // namespace

Result<std::unique_ptr<Stopwatch>> Stopwatch::open(const std::string &name) {
  auto stopwatch = std::make_unique<Stopwatch>();
  auto gpu = findGpu(name);
  if (!gpu)
    return gpu.takeError();
  stopwatch->gpu = std::move(*gpu);
  auto device = stopwatch->gpu ? run::openCudaDevice(*stopwatch->gpu)
                               : openDevice("emulator", {}, nullptr);
  if (!device)
    return device.takeError();
  stopwatch->device = std::move(*device);
  return stopwatch;
}

Result<std::vector<Measurement>>
Stopwatch::time(const KernelsCommandLine &line, const AskedProblem &asked,
                const MeasuringOptions &options) {
  CompileOptions compile;
  compile.targets = {std::string(asked.target->name)};
  compile.machineCode = false;
  MeasuringOptions measuring = options;
  measuring.most = line.best;
  measuring.seed = line.seed;
  if (line.repeat)
    measuring.repeat = line.repeat;
  if (gpu)
    measuring.passL2(
        modelDevice(gpu->name(), gpu->multiprocessorCount(), *asked.target));
  return measure(
      asked.candidates, *asked.problem, *device,
      [&](const Kernel &kernel) {
        return jit.compile(emit(kernel.name, kernel.signature, kernel.text),
                           optionsOf(kernel, compile));
      },
      measuring);
}

//===----------------------------------------------------------------------===//
// tune
//===----------------------------------------------------------------------===//

static void printTimes(const Candidate &candidate,
                       const Measurement &measurement) {
  llvm::outs() << llvm::format("%10.2f %10.2f ", candidate.seconds * 1e6,
                               candidate.estimate.value_or(0) * 1e6);
  if (measurement.failure.empty())
    llvm::outs() << llvm::format("%10.2f", measurement.seconds * 1e6);
  else
    llvm::outs() << "    failed";
  llvm::outs() << "  " << candidate.configuration.word() << "\n";
  if (!measurement.failure.empty())
    llvm::outs() << measurement.failure << "\n";
  llvm::outs().flush();
}

/// For whom the measurements are kept, or why they are not.
static std::string keep(Stopwatch &stopwatch, const AskedProblem &asked,
                        std::span<const Measurement> measurements) {
  if (!stopwatch.gpu)
    return "not kept: this emulator is no GPU of a driver";
  Result<std::string> name = asked.of->classOf(asked.words);
  if (!name)
    return "not kept: " + name.error().message;
  ChoiceNotes notes(stopwatch.jit.cache().disk(), *stopwatch.gpu, *asked.target,
                    *asked.of);
  if (Result<void> kept = notes.keepMeasured(*name, measurements); !kept)
    return "not kept: " + kept.error().message;
  return "kept for " + stopwatch.gpu->description() + " in " +
         stopwatch.jit.cache().disk()->folder();
}

/// Leaves of the candidates those that `words` name, with commas, in that
/// order.
static Result<void> keepNamed(AskedProblem &asked, llvm::StringRef words) {
  std::vector<Candidate> named;
  for (llvm::StringRef word : llvm::split(words, ',')) {
    auto wanted = Configuration::parse(std::string_view(word));
    auto known =
        std::ranges::find_if(asked.candidates, [&](const Candidate &candidate) {
          return wanted && candidate.configuration == *wanted;
        });
    if (known == asked.candidates.end())
      return Error{ErrorCode::InvalidArgument,
                   "expects --config=CONFIGURATION[,CONFIGURATION...] of this "
                   "problem, but got '" +
                       word.str() + "'"};
    named.push_back(*known);
  }
  asked.candidates = std::move(named);
  return runtime::success();
}

int driver::tuneKernels(const KernelsCommandLine &line) {
  auto stopwatch = Stopwatch::open(line.device);
  if (!stopwatch)
    return fail(stopwatch.error().message);
  Result<AskedProblem> asked =
      askFor(line, llvm::ArrayRef<std::string>(line.words), (*stopwatch)->gpu);
  if (!asked)
    return fail(asked.error().message);
  if (!line.configuration.empty())
    if (Result<void> kept = keepNamed(*asked, line.configuration); !kept)
      return fail(kept.error().message);
  llvm::outs() << (*stopwatch)->device->description()
               << "\n predicted    by code   measured us\n";
  MeasuringOptions options;
  options.onMeasured = printTimes;
  auto measurements = (*stopwatch)->time(line, *asked, options);
  if (!measurements)
    return fail(measurements.error().message);
  bool hasAny = std::ranges::any_of(
      *measurements, [](const Measurement &m) { return m.failure.empty(); });
  if (!hasAny)
    return fail("expects a configuration that runs, but none of " +
                std::to_string(measurements->size()) + " does");
  llvm::outs() << keep(**stopwatch, *asked, *measurements) << "\n";
  if (line.explain) {
    applyMeasurements(*measurements, asked->candidates);
    llvm::outs() << explain(asked->candidates, 12);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// bench
//===----------------------------------------------------------------------===//

/// A line for a problem. Gives how much longer the chosen one takes than the
/// best; 0 where it does not run.
static double printBench(const AskedProblem &asked,
                         std::span<const Measurement> measurements,
                         llvm::StringRef name) {
  const Measurement &chosen = measurements.front();
  const Candidate &candidate = asked.candidates.front();
  double best = INFINITY;
  for (const Measurement &measurement : measurements)
    if (measurement.failure.empty())
      best = std::min(best, measurement.seconds);
  bool runs = chosen.failure.empty();
  llvm::outs() << llvm::format("%10.2f ", candidate.seconds * 1e6);
  if (runs)
    llvm::outs() << llvm::format("%10.2f %10.2f %6.2f", chosen.seconds * 1e6,
                                 best * 1e6, chosen.seconds / best);
  else
    llvm::outs() << "    failed";
  llvm::outs() << "  " << name << " (" << candidate.configuration.word()
               << ")\n";
  if (!runs)
    llvm::outs() << chosen.failure << "\n";
  llvm::outs().flush();
  return runs ? chosen.seconds / best : 0;
}

int driver::benchKernels(const KernelsCommandLine &line) {
  auto stopwatch = Stopwatch::open(line.device);
  if (!stopwatch)
    return fail(stopwatch.error().message);
  auto problems = sweep(llvm::ArrayRef<std::string>(line.words));
  llvm::outs() << (*stopwatch)->device->description()
               << "\n predicted     chosen       best us   times\n";
  Progress progress(problems.size());
  double logarithms = 0;
  size_t ran = 0, close = 0;
  for (const std::vector<std::string> &words : problems) {
    std::string name = llvm::join(words, " ");
    progress.begin(name);
    Result<AskedProblem> asked = askFor(line, words, (*stopwatch)->gpu);
    if (!asked)
      return fail(name + ": " + asked.error().message);
    auto measurements = (*stopwatch)->time(line, *asked, {});
    if (!measurements)
      return fail(name + ": " + measurements.error().message);
    progress.clear();
    if (measurements->empty())
      return fail(name + ": " + asked->candidates.front().refusal);
    double ratio = printBench(*asked, *measurements, name);
    if (ratio == 0)
      continue;
    logarithms += std::log(ratio);
    ++ran;
    close += ratio <= 1.3;
  }
  llvm::outs() << llvm::format(
      "%zu of %zu problems ran; chosen for best %.3f on the geometric mean, "
      "%zu within 1.3\n",
      ran, problems.size(), std::exp(logarithms / std::max<size_t>(ran, 1)),
      close);
  return ran == problems.size() ? 0 : 1;
}
