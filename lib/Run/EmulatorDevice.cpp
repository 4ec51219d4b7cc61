// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The execution device on top of the emulator: an artifact's PTX on the CPU.

#include "lib/Run/EmulatorDevice.h"

#include "lib/Judges/Emulator/Machine/TensorMapObject.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

using namespace tilewright;
using namespace tilewright::run;
using runtime::Argument;
using runtime::Dimensions;
using runtime::Error;
using runtime::ErrorCode;

namespace {

/// What the launches so far have found.
struct Findings {
  std::vector<emulator::Fault> faults;
  std::vector<std::string> files;
};

/// `address` is that of zeros where the tensor has no elements.
Result<void> encodeTensorMap(const runtime::TensorMapValues &values,
                             uint64_t address, void *object) {
  const runtime::TensorMapRecipe &recipe = *values.recipe;
  emulator::TensorMap map;
  map.dataType = recipe.dataType;
  map.rank = values.rank;
  map.address = address;
  map.interleave = recipe.interleave;
  map.swizzle = recipe.swizzle;
  map.promotion = recipe.l2Promotion;
  map.fill = recipe.outOfBoundsFill;
  for (uint32_t i = 0; i < values.rank; ++i) {
    map.shape[i] = values.shape[i];
    map.box[i] = recipe.box[i];
    map.elementStrides[i] = recipe.elementStrides[i];
    if (i + 1 < values.rank)
      map.strides[i] = values.strideBytes[i];
  }
  if (std::string problem = map.verify(); !problem.empty())
    return Error{ErrorCode::InvalidArgument, "a tensor map " + problem};
  emulator::encodeTensorMap(map, static_cast<uint8_t *>(object));
  return runtime::success();
}

/// The scratch memory of one launch: never written when it begins, and nobody's
/// when it has ended.
class ScratchMemory {
public:
  ScratchMemory(emulator::GlobalMemory &memory, const runtime::Variant &variant,
                const Dimensions &grid)
      : memory(memory), alignment(variant.globalScratchAlignment) {
    uint64_t bytes = variant.scratchBytes(grid);
    if (!bytes)
      return;
    // Where a range's own alignment is too small, room to begin later in it.
    if (alignment > emulator::GlobalMemory::alignment)
      bytes += std::min<uint64_t>(alignment, UINT64_MAX - bytes);
    range = memory.allocate(bytes);
    if (!range)
      problem = memory.explainRefusal(bytes);
  }
  ~ScratchMemory() {
    if (range)
      memory.free(range);
  }
  ScratchMemory(const ScratchMemory &) = delete;
  ScratchMemory &operator=(const ScratchMemory &) = delete;

  /// 0: the kernel needs none.
  uint64_t address() const {
    return (range + alignment - 1) / alignment * alignment;
  }
  /// Why there is none, or "".
  const std::string &refusal() const { return problem; }

private:
  emulator::GlobalMemory &memory;
  uint64_t alignment, range = 0;
  std::string problem;
};

class EmulatorKernel : public ExecutionKernel {
public:
  EmulatorKernel(emulator::GlobalMemory &memory, Findings &findings,
                 const EmulatorOptions &options, KernelStatistics *statistics,
                 runtime::Kernel kernel, runtime::Variant variant,
                 std::string image, std::unique_ptr<emulator::Program> program)
      : memory(memory), findings(findings), options(options),
        statistics(statistics), kernelFacts(std::move(kernel)),
        variantFacts(std::move(variant)), imageText(std::move(image)),
        program(std::move(program)) {}

  const runtime::Kernel &kernel() const override { return kernelFacts; }
  const runtime::Variant &variant() const override { return variantFacts; }
  std::string image() const override { return imageText; }

  Result<void> launch(const Dimensions &grid,
                      std::span<const Argument> arguments) override {
    ScratchMemory scratch(memory, variantFacts, grid);
    if (!scratch.refusal().empty())
      return Error{ErrorCode::OutOfMemory, scratch.refusal()};
    runtime::ParameterBlock block;
    if (Result<void> good = fill(block, arguments, scratch.address()); !good)
      return good;
    const emulator::Kernel *code = program->find(variantFacts.symbol);
    emulator::LaunchOptions launchOptions;
    launchOptions.grid = {grid.x, grid.y, grid.z};
    launchOptions.block = {variantFacts.block.x, variantFacts.block.y,
                           variantFacts.block.z};
    launchOptions.cluster = {std::max(1u, variantFacts.cluster.x),
                             std::max(1u, variantFacts.cluster.y),
                             std::max(1u, variantFacts.cluster.z)};
    launchOptions.dynamicSharedBytes = variantFacts.dynamicSharedBytes;
    launchOptions.isDependent = variantFacts.dependentLaunch;
    launchOptions.checks = options.checks;
    launchOptions.seed = options.seed;
    launchOptions.hostThreads = options.hostThreads
                                    ? options.hostThreads
                                    : std::thread::hardware_concurrency();
    if (options.maximumSteps)
      launchOptions.maximumSteps = launchOptions.maximumLaunchSteps =
          options.maximumSteps;
    launchOptions.progress = options.progress;
    emulator::LaunchResult result = emulator::launch(
        *code, placeParameters(*code, block), memory, launchOptions);
    std::fwrite(result.printed.data(), 1, result.printed.size(), stdout);
    std::fflush(stdout);
    findings.files = program->files();
    for (emulator::Fault &fault : result.faults)
      findings.faults.push_back(std::move(fault));
    if (statistics)
      for (size_t i = 0; i < result.counts.size(); ++i)
        statistics->instructions[i].counts += result.counts[i];
    return runtime::success();
  }

private:
  Result<void> fill(runtime::ParameterBlock &block,
                    std::span<const Argument> arguments, uint64_t scratch) {
    auto encode = [&](const runtime::TensorMapValues &values, void *map) {
      if (values.isEmpty && !zeros) {
        constexpr uint8_t bytes[runtime::emptyTensorBytes] = {};
        zeros = memory.allocate(sizeof(bytes));
        if (!zeros || !memory.write(zeros, bytes, sizeof(bytes)))
          return Result<void>(
              Error{ErrorCode::OutOfMemory,
                    memory.explainRefusal(runtime::emptyTensorBytes)});
      }
      return encodeTensorMap(values, values.isEmpty ? zeros : values.address,
                             map);
    };
    return block.fill(kernelFacts, variantFacts, arguments, scratch, encode);
  }

  /// The parameter space, each slot of `block` where the code has it.
  std::vector<uint8_t>
  placeParameters(const emulator::Kernel &code,
                  const runtime::ParameterBlock &block) const {
    std::vector<uint8_t> bytes(code.parameterBytes);
    size_t count = std::min(code.parameters.size(), variantFacts.slots.size());
    for (size_t i = 0; i < count; ++i)
      std::copy_n(
          block.bytes().begin() + variantFacts.slots[i].offset,
          std::min(code.parameters[i].bytes, variantFacts.slots[i].size),
          bytes.begin() + code.parameters[i].offset);
    return bytes;
  }

  emulator::GlobalMemory &memory;
  Findings &findings;
  const EmulatorOptions &options;
  KernelStatistics *statistics;
  runtime::Kernel kernelFacts;
  runtime::Variant variantFacts;
  std::string imageText;
  std::unique_ptr<emulator::Program> program;
  /// The address of what stands for tensors without elements; 0: none yet.
  uint64_t zeros = 0;
};

/// An entry for each instruction, with no counts yet.
KernelStatistics describeInstructions(const emulator::Kernel &kernel,
                                      const std::vector<std::string> &files) {
  KernelStatistics statistics;
  statistics.kernel = kernel.name;
  for (size_t i = 0; i < kernel.code.size(); ++i) {
    InstructionStatistics instruction;
    instruction.name = kernel.names[i];
    instruction.ptxLine = kernel.locations[i].line;
    const emulator::SourceLocation &source = kernel.sources[i];
    if (source.file && source.file < files.size()) {
      instruction.file = files[source.file];
      instruction.line = source.line;
    }
    statistics.instructions.push_back(std::move(instruction));
  }
  return statistics;
}

class EmulatorDevice : public ExecutionDevice {
public:
  EmulatorDevice(const EmulatorOptions &options, AllStatistics *statistics)
      : options(options), statistics(statistics),
        memory(options.maximumMemory ? options.maximumMemory
                                     : emulator::GlobalMemory::defaultLimit) {}

  std::string description() const override { return "the emulator"; }

  Result<uint64_t> allocate(uint64_t size) override {
    if (size == 0)
      return uint64_t(0);
    uint64_t address = memory.allocate(size);
    if (!address)
      return Error{ErrorCode::OutOfMemory, memory.explainRefusal(size)};
    return address;
  }

  Result<void> release(uint64_t address) override {
    return !address || memory.free(address) ? runtime::success()
                                            : Result<void>(unknown(address));
  }

  Result<void> copyIn(uint64_t address,
                      std::span<const uint8_t> bytes) override {
    return bytes.empty() || memory.write(address, bytes.data(), bytes.size())
               ? runtime::success()
               : Result<void>(unknown(address));
  }

  Result<void> copyOut(std::span<uint8_t> bytes, uint64_t address) override {
    return bytes.empty() || memory.read(address, bytes.data(), bytes.size())
               ? runtime::success()
               : Result<void>(unknown(address));
  }

  Result<std::unique_ptr<ExecutionKernel>>
  prepare(const runtime::Artifact &artifact, std::string_view name) override {
    Result<uint32_t> index = artifact.findKernel(name);
    if (!index)
      return index.takeError();
    // Of several images the one for the newest GPU.
    const runtime::Variant *chosen = nullptr;
    for (const runtime::Variant &variant : artifact.variants)
      if (variant.kernel == *index &&
          artifact.images[variant.image].kind == runtime::ImageKind::Ptx &&
          (!chosen || version(artifact, variant) > version(artifact, *chosen)))
        chosen = &variant;
    if (!chosen)
      return Error{ErrorCode::Unsupported,
                   "the emulator runs PTX, but kernel '" +
                       artifact.kernels[*index].name + "' has none"};
    const runtime::Image &image = artifact.images[chosen->image];
    emulator::SyntaxError error;
    std::string_view text(reinterpret_cast<const char *>(image.bytes.data()),
                          image.bytes.size());
    auto program = emulator::Program::create(text, memory, error);
    if (!program)
      return Error{ErrorCode::Unsupported,
                   "PTX line " + std::to_string(error.location.line) + ":" +
                       std::to_string(error.location.column) + ": " +
                       error.message};
    const emulator::Kernel *code = program->find(chosen->symbol);
    if (!code)
      return Error{ErrorCode::Corrupt,
                   "the PTX has no kernel '" + chosen->symbol + "'"};
    KernelStatistics *counted = nullptr;
    if (statistics) {
      statistics->push_back(describeInstructions(*code, program->files()));
      counted = &statistics->back();
    }
    return std::unique_ptr<ExecutionKernel>(new EmulatorKernel(
        memory, findings, options, counted, artifact.kernels[*index], *chosen,
        "PTX " + image.architecture.name(), std::move(program)));
  }

  /// Faults of the launches since the last call.
  Result<void> synchronize() override {
    if (findings.faults.empty())
      return runtime::success();
    std::string text;
    for (const emulator::Fault &fault : findings.faults)
      text += (text.empty() ? "" : "\n") + describe(fault, findings.files);
    findings.faults.clear();
    return Error{ErrorCode::Driver, std::move(text)};
  }

  /// The host's time: the emulator has no other.
  Result<double> time(const std::function<Result<void>()> &work) override {
    auto start = std::chrono::steady_clock::now();
    if (Result<void> good = work(); !good)
      return good.takeError();
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now() - start)
        .count();
  }

private:
  static uint32_t version(const runtime::Artifact &artifact,
                          const runtime::Variant &variant) {
    const runtime::Architecture &architecture =
        artifact.images[variant.image].architecture;
    return architecture.major * 100 + architecture.minor;
  }
  static Error unknown(uint64_t address) {
    return {ErrorCode::InvalidArgument,
            "expects a range inside an allocation, but got " +
                std::to_string(address)};
  }

  EmulatorOptions options;
  AllStatistics *statistics;
  emulator::GlobalMemory memory;
  Findings findings;
};

} // namespace

std::unique_ptr<ExecutionDevice>
run::openEmulator(const EmulatorOptions &options, AllStatistics *statistics) {
  return std::make_unique<EmulatorDevice>(options, statistics);
}
