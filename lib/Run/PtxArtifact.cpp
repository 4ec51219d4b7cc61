// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what the emulator's parser reads of PTX text to what a launch must know.

#include "lib/Run/PtxArtifact.h"

#include "lib/Judges/Emulator/Syntax/Parser.h"

#include <algorithm>

using namespace tilewright;
using namespace tilewright::run;
using emulator::DataType;
using emulator::StateSpace;
using runtime::Artifact;
using runtime::Dimensions;
using runtime::Error;
using runtime::ErrorCode;
using runtime::Kernel;
using runtime::Parameter;
using runtime::ParameterKind;
using runtime::Result;
using runtime::SlotKind;
using runtime::ValueSource;
using runtime::Variant;

static Error refuse(std::string message) {
  return {ErrorCode::InvalidArgument, std::move(message)};
}

/// How a caller passes what is declared so.
static ParameterKind kindOf(const emulator::Parameter &declared) {
  if (declared.isAggregate)
    return ParameterKind::Untyped;
  if (declared.isPointer && declared.bytes == 8)
    return ParameterKind::Pointer;
  switch (declared.type) {
  case DataType::F16:
  case DataType::F32:
  case DataType::F64:
    return ParameterKind::Float;
  case DataType::U8:
  case DataType::U16:
  case DataType::U32:
  case DataType::S8:
  case DataType::S16:
  case DataType::S32:
    return ParameterKind::Integer;
  default:
    return ParameterKind::Untyped;
  }
}

static uint64_t alignTo(uint64_t offset, uint32_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Adds the parameters, one slot each.
static Result<void> addParameters(const emulator::Function &function,
                                  Kernel &kernel, Variant &variant) {
  uint64_t offset = 0;
  for (const emulator::Parameter &declared : function.parameters) {
    offset = alignTo(offset, declared.alignment);
    if (declared.bytes == 0 || declared.bytes > runtime::parameterBytesLimit ||
        offset + declared.bytes > runtime::parameterBytesLimit)
      return refuse("expects parameters of at most " +
                    std::to_string(runtime::parameterBytesLimit) +
                    " bytes, but '" + declared.name + "' of '" + function.name +
                    "' has " + std::to_string(declared.bytes) + " from byte " +
                    std::to_string(offset) + " on");
    Parameter parameter;
    parameter.name = declared.name;
    parameter.kind = kindOf(declared);
    parameter.size = uint32_t(declared.bytes);
    if (parameter.kind == ParameterKind::Pointer)
      parameter.pointerAlignment = declared.pointeeAlignment;
    uint32_t index = uint32_t(kernel.parameters.size());
    variant.slots.push_back({uint32_t(offset),
                             parameter.size,
                             declared.alignment,
                             SlotKind::Value,
                             {ValueSource::Argument, index, 0, 0},
                             /*recipe=*/0});
    kernel.parameters.push_back(std::move(parameter));
    offset += declared.bytes;
  }
  return runtime::success();
}

/// The sizes of a directive; nothing where it is not given.
static std::optional<Dimensions> readSizes(const uint32_t (&sizes)[3]) {
  if (sizes[0] == 0)
    return std::nullopt;
  return Dimensions{sizes[0], sizes[1], sizes[2]};
}

/// What the directives behind the parameters say.
static void addDirectives(const emulator::Function &function,
                          const PtxOptions &options, Variant &variant) {
  Dimensions otherwise = options.block.value_or(
      readSizes(function.maximumThreads).value_or(Dimensions{32, 1, 1}));
  variant.block = readSizes(function.requiredThreads).value_or(otherwise);
  uint64_t threads = std::min<uint64_t>(
      uint64_t(variant.block.x) * variant.block.y * variant.block.z, 1024);
  variant.numWarps = std::max(1u, uint32_t(threads + 31) / 32);
  if (std::optional<Dimensions> cluster = readSizes(function.requiredCluster))
    variant.cluster = *cluster;
  variant.registerCap = function.maximumRegisters;
}

/// Bytes of static shared memory, the variables one behind the other.
static uint64_t
countSharedBytes(const std::vector<emulator::Variable> &variables) {
  uint64_t bytes = 0;
  for (const emulator::Variable &variable : variables)
    if (variable.space == StateSpace::Shared && !variable.isExternal)
      bytes = std::min<uint64_t>(
          alignTo(bytes, variable.alignment) + variable.bytes, UINT32_MAX);
  return bytes;
}

static Result<void> addKernel(const emulator::Function &function,
                              uint64_t moduleSharedBytes,
                              const PtxOptions &options, Artifact &artifact) {
  Kernel kernel;
  Variant variant;
  kernel.name = function.name;
  variant.kernel = uint32_t(artifact.kernels.size());
  variant.symbol = function.name;
  if (Result<void> good = addParameters(function, kernel, variant); !good)
    return good;
  addDirectives(function, options, variant);
  // Which entries use a module's variable, only the instructions say: count it
  // for each.
  variant.staticSharedBytes = uint32_t(std::min<uint64_t>(
      countSharedBytes(function.variables) + moduleSharedBytes, UINT32_MAX));
  variant.dynamicSharedBytes = options.dynamicSharedBytes;
  artifact.kernels.push_back(std::move(kernel));
  artifact.variants.push_back(std::move(variant));
  return runtime::success();
}

Result<Artifact> tilewright::run::artifactFromPtx(std::string_view text,
                                                  const PtxOptions &options) {
  while (!text.empty() && text.back() == '\0')
    text.remove_suffix(1);
  emulator::SyntaxError error;
  std::optional<emulator::Module> module = emulator::parsePtx(text, error);
  if (!module)
    return refuse("line " + std::to_string(error.location.line) + ": " +
                  error.message);
  auto architecture = runtime::Architecture::fromName(module->target);
  if (!architecture)
    return refuse("expects a target such as sm_80, but got '" + module->target +
                  "'");
  Artifact artifact;
  artifact.producer = "PTX text";
  artifact.images.push_back({runtime::ImageKind::Ptx, *architecture,
                             module->version, /*portableFallback=*/false,
                             std::vector<uint8_t>(text.begin(), text.end())});
  uint64_t moduleSharedBytes = countSharedBytes(module->variables);
  for (const emulator::Function &function : module->functions)
    if (function.isKernel && !function.isExternal)
      if (Result<void> good =
              addKernel(function, moduleSharedBytes, options, artifact);
          !good)
        return good.takeError();
  if (artifact.kernels.empty())
    return refuse("expects an '.entry' with a body");
  if (Result<void> good = runtime::verifyArtifact(artifact); !good)
    return good.takeError();
  return artifact;
}
