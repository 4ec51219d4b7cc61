// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/ForeignKernels/Trial.h"
#include "lib/Compiler/Compilation.h"
#include "lib/Judges/Reference/Numbers.h"
#include "lib/Run/PtxArtifact.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::foreign;
using runtime::Argument;
using runtime::Error;
using runtime::ErrorCode;
using runtime::ParameterKind;
using runtime::Result;

Result<runtime::Artifact> foreign::compileFor(ModuleOp module,
                                              const LaunchCase &launch,
                                              const std::string &target,
                                              const std::string &messages) {
  CompileOptions options;
  options.targets = {target};
  options.numWarps = launch.numWarps;
  if (launch.numStages != 0)
    options.numStages = launch.numStages;
  options.machineCode = false;
  FailureOr<runtime::Artifact> artifact =
      compiler::compileModule(module, options, /*configure=*/nullptr);
  if (failed(artifact))
    return Error{ErrorCode::InvalidArgument, messages};
  return std::move(*artifact);
}

Result<runtime::Artifact> foreign::readImage(const ForeignImage &image) {
  auto file = llvm::MemoryBuffer::getFile(image.file);
  if (!file)
    return Error{ErrorCode::InvalidArgument, "cannot read " + image.file +
                                                 ": " +
                                                 file.getError().message()};
  run::PtxOptions options;
  options.dynamicSharedBytes = image.sharedBytes;
  return run::artifactFromPtx((*file)->getBuffer(), options);
}

/// A number's bits in the parameter's type.
static uint64_t getBits(Type type, const reference::Argument &argument) {
  if (auto real = dyn_cast<FloatType>(type))
    return reference::encodeReal(real, argument.realValue);
  return argument.bits;
}

/// The bits as the image declares the parameter.
static Argument makeArgument(const runtime::Parameter &parameter,
                             uint64_t bits) {
  switch (parameter.kind) {
  case ParameterKind::Pointer:
    return Argument::pointer(bits);
  case ParameterKind::Integer:
    return Argument::integer(int64_t(bits), parameter.size);
  case ParameterKind::Float:
    return Argument::floating(bits, parameter.size);
  case ParameterKind::Descriptor:
  case ParameterKind::Untyped:
    break;
  }
  std::vector<uint8_t> bytes(parameter.size);
  reference::writeBytes(bytes.data(), std::min<uint32_t>(parameter.size, 8),
                        bits);
  return Argument::untyped(std::move(bytes));
}

/// Copies each buffer to an allocation of its own: what lies around it is
/// nobody's, and an access there a fault. Gives the allocations' addresses.
static Result<std::vector<uint64_t>>
copyIn(run::ExecutionDevice &device, const reference::ReferenceMemory &memory) {
  std::vector<uint64_t> addresses;
  for (const reference::Buffer &buffer : memory.getBuffers()) {
    Result<uint64_t> address = device.allocate(buffer.bytes.size());
    if (!address)
      return address.takeError();
    if (auto copied = device.copyIn(*address, buffer.bytes); !copied)
      return copied.takeError();
    addresses.push_back(*address);
  }
  return addresses;
}

static Result<std::vector<Argument>>
makeArguments(const runtime::Kernel &image, tt::FuncOp kernel,
              const LaunchCase &launch, const Input &input,
              const std::vector<uint64_t> &addresses) {
  size_t count = launch.arguments.size();
  if (image.parameters.size() < count)
    return Error{ErrorCode::InvalidArgument,
                 "expects " + std::to_string(count) +
                     " parameters at the least, but got " +
                     std::to_string(image.parameters.size())};
  std::vector<Argument> arguments;
  size_t number = 0;
  for (size_t index = 0; index < image.parameters.size(); ++index) {
    const runtime::Parameter &parameter = image.parameters[index];
    uint64_t bits = 0;
    if (index < count && launch.arguments[index].isBuffer) {
      uint64_t offset =
          input.arguments[index].bits - input.memory.getAddress(number);
      bits = addresses[number++] + offset;
    } else if (index < count) {
      bits = getBits(kernel.getArgumentTypes()[index], input.arguments[index]);
    }
    arguments.push_back(makeArgument(parameter, bits));
  }
  return arguments;
}

Result<void> foreign::launch(const runtime::Artifact &artifact,
                             tt::FuncOp kernel, const LaunchCase &launch,
                             const Input &input,
                             reference::ReferenceMemory &memory,
                             run::AllStatistics &statistics) {
  run::EmulatorOptions options;
  options.seed = launch.seed;
  options.hostThreads = 1;
  auto device = run::openEmulator(options, &statistics);
  auto prepared = device->prepare(artifact, "");
  if (!prepared)
    return prepared.takeError();
  auto addresses = copyIn(*device, memory);
  if (!addresses)
    return addresses.takeError();
  auto arguments =
      makeArguments((*prepared)->kernel(), kernel, launch, input, *addresses);
  if (!arguments)
    return arguments.takeError();
  runtime::Dimensions grid{launch.grid[0], launch.grid[1], launch.grid[2]};
  if (auto launched = (*prepared)->launch(grid, *arguments); !launched)
    return launched;
  if (auto done = device->synchronize(); !done)
    return done;
  for (auto [number, address] : llvm::enumerate(*addresses))
    if (auto copied = device->copyOut(memory.getBuffer(number).bytes, address);
        !copied)
      return copied;
  return runtime::success();
}
