// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Random/Trial.h"
#include "dialects/TileGPU/TileGPU.h"
#include "lib/Compiler/Compilation.h"
#include "lib/Judges/Reference/Numbers.h"
#include "lib/Judges/Reference/Reference.h"
#include "lib/Run/Arguments.h"
#include "lib/Run/EmulatorDevice.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "test/Random/Schedule.h"

#include <cmath>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::fuzz;
using reference::ReferenceMemory;

const char *fuzz::getName(Verdict verdict) {
  static const char *const names[] = {"passed",    "refused", "rejected",
                                      "faulted",   "differs", "crashed",
                                      "timed out", "invalid"};
  return names[unsigned(verdict)];
}

/// Parts of diagnostics that say that a target has too little of something.
static bool isExpectedRefusal(StringRef message) {
  return message.contains("bytes of shared memory");
}

namespace {

class Trial {
public:
  Trial(const KernelCase &kernel, bool onGpu)
      : kernel(kernel), onGpu(onGpu), owner(/*threads=*/1),
        handler(&owner.get(), [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            messages += diagnostic.str() + "\n";
          return success();
        }) {}

  Outcome run();

private:
  /// Memory and arguments for the reference, from the parameters.
  void makeMemory();
  Outcome compareWith(const ReferenceMemory &expected,
                      const ReferenceMemory &actual) const;

  const KernelCase &kernel;
  bool onGpu;
  compiler::CompilerContext owner;
  std::string messages;
  ScopedDiagnosticHandler handler;
  ReferenceMemory input;
  SmallVector<reference::Argument> arguments;
};

} // namespace

void Trial::makeMemory() {
  uint64_t counter = 0;
  auto next = [&] { return run::randomBits(~kernel.seed, counter++); };
  for (const Parameter &parameter : kernel.parameters) {
    if (!parameter.isPointer) {
      arguments.push_back(reference::Argument::integer(parameter.value));
      continue;
    }
    Type type = parseType(parameter.element, &owner.get());
    int64_t count = parameter.gap + parameter.count;
    unsigned number = 0;
    if (reference::isReal(type)) {
      std::vector<double> values(count);
      for (double &value : values)
        value = parameter.content == Content::Fractions
                    ? double(next() % 2048) / 512.0 - 2.0
                    : double(next() % 17) - 8.0;
      number = input.addReals(parameter.name, type, values);
    } else {
      std::vector<int64_t> values(count);
      for (int64_t &value : values)
        value = int64_t(next());
      number = input.addIntegers(parameter.name, type, values);
    }
    arguments.push_back(reference::Argument::pointer(
        input.getAddress(number) +
        parameter.gap * reference::getElementBytes(type)));
  }
}

/// The launch's arguments and buffers on the device.
static runtime::Result<std::vector<runtime::Argument>>
placeArguments(const KernelCase &kernel, const ReferenceMemory &memory,
               run::ExecutionDevice &device, std::vector<uint64_t> &addresses) {
  std::vector<runtime::Argument> arguments;
  for (const Parameter &parameter : kernel.parameters) {
    if (!parameter.isPointer) {
      arguments.push_back(runtime::Argument::integer(parameter.value, 4));
      continue;
    }
    const reference::Buffer &buffer = memory.getBuffers()[addresses.size()];
    runtime::Result<uint64_t> address = device.allocate(buffer.bytes.size());
    if (!address)
      return address.takeError();
    if (auto copied = device.copyIn(*address, buffer.bytes); !copied)
      return copied.takeError();
    addresses.push_back(*address);
    arguments.push_back(runtime::Argument::pointer(
        *address +
        parameter.gap * reference::getElementBytes(buffer.elementType)));
  }
  return arguments;
}

static runtime::Result<std::unique_ptr<run::ExecutionDevice>>
openDevice(const KernelCase &kernel, bool onGpu) {
  if (onGpu)
    return run::openCudaDevice(/*ordinal=*/0);
  run::EmulatorOptions options;
  // Half of the kernels run with warps in another order.
  options.seed = kernel.seed % 2 ? kernel.seed : 0;
  return run::openEmulator(options, nullptr);
}

/// Runs the kernel; `memory` gets what it leaves.
static runtime::Result<void> launch(const KernelCase &kernel, bool onGpu,
                                    const runtime::Artifact &artifact,
                                    ReferenceMemory &memory) {
  auto opened = openDevice(kernel, onGpu);
  if (!opened)
    return opened.takeError();
  run::ExecutionDevice *device = opened->get();
  auto prepared = device->prepare(artifact, "");
  if (!prepared)
    return prepared.takeError();
  std::vector<uint64_t> addresses;
  auto arguments = placeArguments(kernel, memory, *device, addresses);
  if (!arguments)
    return arguments.takeError();
  runtime::Dimensions grid{kernel.grid[0], kernel.grid[1], 1};
  if (auto launched = (*prepared)->launch(grid, *arguments); !launched)
    return launched;
  if (auto done = device->synchronize(); !done)
    return done;
  for (auto [number, address] : llvm::enumerate(addresses))
    if (auto copied = device->copyOut(memory.getBuffer(number).bytes, address);
        !copied)
      return copied;
  return runtime::success();
}

/// The first element for which `isAlike` does not hold, as a message, or "".
template <typename Number, typename IsAlike>
static std::string
findDifference(StringRef name, const std::vector<Number> &expected,
               const std::vector<Number> &actual, IsAlike isAlike) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  uint64_t count = 0;
  for (size_t index = 0; index < expected.size(); ++index)
    if (!isAlike(expected[index], actual[index]) && count++ == 0)
      stream << "expects " << expected[index] << " as element " << index
             << " of '" << name << "', but got " << actual[index];
  if (count)
    stream << " (" << count << " of " << expected.size() << ")\n";
  return text;
}

Outcome Trial::compareWith(const ReferenceMemory &expected,
                           const ReferenceMemory &actual) const {
  Outcome outcome;
  unsigned number = 0;
  for (const Parameter &parameter : kernel.parameters) {
    if (!parameter.isPointer)
      continue;
    bool isReal = reference::isReal(expected.getBuffers()[number].elementType);
    auto isClose = [&](double one, double other) {
      return (std::isnan(one) && std::isnan(other)) || one == other ||
             std::abs(one - other) <= parameter.tolerance;
    };
    outcome.message +=
        isReal ? findDifference(parameter.name, expected.getReals(number),
                                actual.getReals(number), isClose)
               : findDifference(parameter.name, expected.getIntegers(number),
                                actual.getIntegers(number),
                                std::equal_to<int64_t>());
    ++number;
  }
  if (!outcome.message.empty())
    outcome.verdict = Verdict::Differs;
  return outcome;
}

Outcome Trial::run() {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kernel.text, &owner.get());
  if (!module)
    return {Verdict::Invalid, messages};
  makeMemory();
  ReferenceMemory expected = input, actual = input;
  reference::Grid grid{kernel.grid[0], kernel.grid[1], 1};
  if (failed(reference::interpret(*module->getOps<tt::FuncOp>().begin(),
                                  arguments, grid, expected)))
    return {Verdict::Invalid, messages};
  if (kernel.layoutSeed)
    (*module)->setAttr(
        tilegpu::TileGPUDialect::layoutSeedAttrName,
        Builder(&owner.get()).getI64IntegerAttr(*kernel.layoutSeed));
  CompileOptions options;
  options.targets = {kernel.target};
  options.numWarps = kernel.numWarps;
  options.machineCode = false;
  if (kernel.scheduleSeed)
    options.numStages = 1 + takeCopies(*kernel.scheduleSeed, options) % 4;
  FailureOr<runtime::Artifact> artifact =
      compiler::compileModule(*module, options, /*configure=*/nullptr);
  if (failed(artifact))
    return {isExpectedRefusal(messages) ? Verdict::Refused : Verdict::Rejected,
            messages};
  if (auto done = launch(kernel, onGpu, *artifact, actual); !done)
    return {Verdict::Faulted, done.error().message};
  return compareWith(expected, actual);
}

Outcome fuzz::runTrial(const KernelCase &kernel, bool onGpu) {
  return Trial(kernel, onGpu).run();
}
