// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading kernels from artifacts and launching them; see Device.h.

#include "runtime/Device.h"

#include <cstring>
#include <type_traits>

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

struct LoadedKernel::Code {
  explicit Code(Device device) : owner(std::move(device)), log(8192, '\0') {}
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;
  ~Code() {
    ScopedContext scope(owner);
    if (library)
      (void)owner.driver()->cuLibraryUnload(library);
    if (module)
      (void)owner.driver()->cuModuleUnload(module);
  }

  Device owner;
  Library library = nullptr;
  Module module = nullptr;
  Function function = nullptr;
  /// The compiler's messages. It is here, as a driver that compiles lazily may
  /// write to it after the loading call has returned.
  std::string log;
};

Result<LoadedKernel> LoadedKernel::load(const Device &device,
                                        const Artifact &artifact,
                                        std::string_view name) {
  Result<uint32_t> index = artifact.findKernel(name);
  if (!index)
    return index.takeError();
  Result<const Variant *> variant =
      chooseVariant(artifact, *index, device.facts());
  if (!variant)
    return variant.takeError();
  LoadedKernel kernel(device);
  kernel.kernelFacts = artifact.kernels[*index];
  kernel.variantFacts = **variant;
  kernel.imageFacts = artifact.images[(*variant)->image];
  if (Result<void> good = kernel.checkLimits(); !good)
    return good.takeError();
  ScopedContext scope(device);
  if (Result<void> good = scope.status(); !good)
    return good.takeError();
  if (Result<void> good = kernel.loadCode(); !good)
    return good.takeError();
  if (Result<void> good = kernel.prepare(); !good)
    return good.takeError();
  kernel.imageFacts.bytes = {};
  return kernel;
}

/// What can be refused before the driver is asked.
Result<void> LoadedKernel::checkLimits() const {
  uint64_t shared = uint64_t(variantFacts.staticSharedBytes) +
                    variantFacts.dynamicSharedBytes;
  if (shared > uint64_t(owner.sharedBytesLimit()))
    return Error{ErrorCode::Unsupported,
                 "kernel '" + kernelFacts.name + "' expects " +
                     std::to_string(shared) + " bytes of shared memory, but " +
                     owner.name() + " has " +
                     std::to_string(owner.sharedBytesLimit()) + " for a block"};
  bool hasCluster = variantFacts.cluster != Dimensions();
  if (hasCluster && !owner.driver()->cuLaunchKernelEx)
    return Error{ErrorCode::Unsupported,
                 "kernel '" + kernelFacts.name + "' expects clusters, which " +
                     owner.driver().description() + " cannot launch"};
  return success();
}

Result<void> LoadedKernel::loadCode() {
  const Driver &driver = owner.driver();
  code = std::make_shared<Code>(owner);
  // The driver finds the end of PTX by its terminating zero.
  std::vector<uint8_t> bytes = imageFacts.bytes;
  bytes.push_back(0);
  JitOption options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes};
  void *values[] = {code->log.data(),
                    reinterpret_cast<void *>(uintptr_t(code->log.size() - 1))};
  bool hasLibraries = driver->cuLibraryLoadData && driver->cuLibraryUnload &&
                      driver->cuLibraryGetKernel && driver->cuKernelGetFunction;
  std::string where = "while loading kernel '" + kernelFacts.name + "' (" +
                      imageFacts.architecture.name() + ") on " +
                      owner.description();
  auto withLog = [&](Status status, const char *call) {
    size_t length = strnlen(code->log.c_str(), code->log.size());
    std::string log(code->log.c_str(), length);
    return driver.check(status, call, where + (log.empty() ? "" : "\n" + log));
  };
  if (!hasLibraries) {
    Status loaded = driver->cuModuleLoadDataEx(&code->module, bytes.data(), 2,
                                               options, values);
    if (Result<void> good = withLog(loaded, "cuModuleLoadDataEx"); !good)
      return good;
    return driver.check(
        driver->cuModuleGetFunction(&code->function, code->module,
                                    variantFacts.symbol.c_str()),
        "cuModuleGetFunction", where);
  }
  Status loaded = driver->cuLibraryLoadData(
      &code->library, bytes.data(), options, values, 2, nullptr, nullptr, 0);
  if (Result<void> good = withLog(loaded, "cuLibraryLoadData"); !good)
    return good;
  KernelHandle kernel = nullptr;
  Status found = driver->cuLibraryGetKernel(&kernel, code->library,
                                            variantFacts.symbol.c_str());
  if (Result<void> good = withLog(found, "cuLibraryGetKernel"); !good)
    return good;
  return withLog(driver->cuKernelGetFunction(&code->function, kernel),
                 "cuKernelGetFunction");
}

/// Compares the parameters of the loaded code with those of the artifact.
Result<void> LoadedKernel::checkParameters() const {
  const Driver &driver = owner.driver();
  if (!driver->cuFuncGetParamInfo)
    return success();
  size_t count = variantFacts.slots.size();
  for (size_t i = 0; i <= count; ++i) {
    size_t offset = 0, size = 0;
    bool exists = driver->cuFuncGetParamInfo(code->function, i, &offset,
                                             &size) == statusSuccess;
    if (i == count && !exists)
      break;
    if (i < count && exists && offset == variantFacts.slots[i].offset &&
        size == variantFacts.slots[i].size)
      continue;
    std::string where =
        "kernel '" + kernelFacts.name + "' does not match its artifact: ";
    if (i == count)
      return Error{ErrorCode::Corrupt, where + "expects " +
                                           std::to_string(count) +
                                           " parameters, but the code has "
                                           "more"};
    const Slot &slot = variantFacts.slots[i];
    return Error{ErrorCode::Corrupt,
                 where + "expects parameter " + std::to_string(i) + " of " +
                     std::to_string(slot.size) + " bytes at " +
                     std::to_string(slot.offset) + ", but " +
                     (exists ? "got " + std::to_string(size) + " bytes at " +
                                   std::to_string(offset)
                             : "the code has none")};
  }
  return success();
}

Result<void> LoadedKernel::prepare() {
  const Driver &driver = owner.driver();
  std::string where = "while preparing kernel '" + kernelFacts.name + "'";
  // Lazy loading would otherwise load, and perhaps wait, at the first launch.
  if (driver->cuFuncLoad)
    if (Result<void> good = driver.check(driver->cuFuncLoad(code->function),
                                         "cuFuncLoad", where);
        !good)
      return good;
  if (Result<void> good = checkParameters(); !good)
    return good;
  auto set = [&](FunctionAttribute attribute, int value) {
    return driver.check(
        driver->cuFuncSetAttribute(code->function, attribute, value),
        "cuFuncSetAttribute",
        where + ", setting attribute " + std::to_string(attribute) + " to " +
            std::to_string(value));
  };
  // Up to 48 KiB need no permission.
  if (variantFacts.dynamicSharedBytes + variantFacts.staticSharedBytes > 49152)
    if (Result<void> good = set(maxDynamicSharedSizeBytes,
                                int(variantFacts.dynamicSharedBytes));
        !good)
      return good;
  const Dimensions &cluster = variantFacts.cluster;
  // Every GPU with clusters has those of up to 8 blocks.
  if (cluster.x * cluster.y * cluster.z > 8)
    if (Result<void> good = set(nonPortableClusterSizeAllowed, 1); !good)
      return good;
  for (auto [attribute, value] :
       {std::pair(cuda::registerCount, &registerCount),
        std::pair(cuda::localSizeBytes, &localByteCount)}) {
    Result<void> got = driver.check(
        driver->cuFuncGetAttribute(value, attribute, code->function),
        "cuFuncGetAttribute", where);
    if (!got)
      return got;
  }
  return success();
}

uint64_t LoadedKernel::scratchBytes(const Dimensions &grid) const {
  // The factors are below 2^31, 2^16 and 2^16; a product that does not fit asks
  // for more memory than there is, and allocating it fails.
  unsigned __int128 bytes = variantFacts.globalScratchBytes;
  bytes = bytes * grid.x * grid.y;
  bytes = bytes > UINT64_MAX ? bytes : bytes * grid.z;
  return bytes > UINT64_MAX ? UINT64_MAX : uint64_t(bytes);
}

Result<void> LoadedKernel::checkGrid(const Dimensions &grid) const {
  std::string text = std::to_string(grid.x) + " x " + std::to_string(grid.y) +
                     " x " + std::to_string(grid.z);
  // CUDA C++ programming guide, technical specifications.
  if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
    return Error{ErrorCode::InvalidArgument,
                 "kernel '" + kernelFacts.name +
                     "': expects a grid within 2147483647 x 65535 x 65535, "
                     "but got " +
                     text};
  const Dimensions &cluster = variantFacts.cluster;
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return Error{ErrorCode::InvalidArgument,
                 "kernel '" + kernelFacts.name +
                     "': expects a grid in multiples of its clusters (" +
                     std::to_string(cluster.x) + " x " +
                     std::to_string(cluster.y) + " x " +
                     std::to_string(cluster.z) + "), but got " + text};
  return success();
}

Result<void> LoadedKernel::encodeTensorMap(const TensorMapValues &values,
                                           void *map) const {
  const Driver &driver = owner.driver();
  if (!driver->cuTensorMapEncodeTiled)
    return Error{ErrorCode::Unsupported,
                 driver.description() + " cannot make tensor maps"};
  const TensorMapRecipe &recipe = *values.recipe;
  Status status = driver->cuTensorMapEncodeTiled(
      map, int(recipe.dataType), values.rank,
      reinterpret_cast<void *>(uintptr_t(values.address)), values.shape.data(),
      values.strideBytes.data(), recipe.box.data(),
      recipe.elementStrides.data(), int(recipe.interleave), int(recipe.swizzle),
      int(recipe.l2Promotion), int(recipe.outOfBoundsFill));
  if (status == statusSuccess)
    return success();
  std::string where = "address " + std::to_string(values.address) + ", shape";
  for (uint32_t d = 0; d < values.rank; ++d)
    where += " " + std::to_string(values.shape[d]);
  where += ", strides in bytes";
  for (uint32_t d = 0; d + 1 < values.rank; ++d)
    where += " " + std::to_string(values.strideBytes[d]);
  return driver.check(status, "cuTensorMapEncodeTiled", where);
}

/// The launch itself: one driver call, whose name goes to `call`.
Status LoadedKernel::launchOnce(const Dimensions &grid, StreamHandle stream,
                                void **parameters, const char *&call) const {
  const Driver &driver = owner.driver();
  const Variant &facts = variantFacts;
  const Dimensions &block = facts.block;
  if (!driver->cuLaunchKernelEx && facts.cooperative &&
      driver->cuLaunchCooperativeKernel) {
    call = "cuLaunchCooperativeKernel";
    return driver->cuLaunchCooperativeKernel(
        code->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
        facts.dynamicSharedBytes, stream, parameters);
  }
  if (!driver->cuLaunchKernelEx) {
    call = "cuLaunchKernel";
    return driver->cuLaunchKernel(
        code->function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
        facts.dynamicSharedBytes, stream, parameters, nullptr);
  }
  LaunchAttribute attributes[3] = {};
  unsigned count = 0;
  if (facts.cooperative) {
    attributes[count].id = launchCooperative;
    attributes[count++].flag = 1;
  }
  if (facts.cluster != Dimensions()) {
    attributes[count].id = launchClusterDimension;
    attributes[count].dimensions[0] = facts.cluster.x;
    attributes[count].dimensions[1] = facts.cluster.y;
    attributes[count++].dimensions[2] = facts.cluster.z;
  }
  // Only Hopper and later overlap dependent launches; before, order suffices.
  if (facts.dependentLaunch && owner.facts().architecture.major >= 9) {
    attributes[count].id = launchProgrammaticStreamSerialization;
    attributes[count++].flag = 1;
  }
  LaunchConfiguration configuration = {grid.x,
                                       grid.y,
                                       grid.z,
                                       block.x,
                                       block.y,
                                       block.z,
                                       facts.dynamicSharedBytes,
                                       stream,
                                       count ? attributes : nullptr,
                                       count};
  call = "cuLaunchKernelEx";
  return driver->cuLaunchKernelEx(&configuration, code->function, parameters,
                                  nullptr);
}

Result<void> LoadedKernel::launch(const Dimensions &grid,
                                  std::span<const Argument> arguments,
                                  StreamHandle stream, uint64_t scratch) const {
  if (Result<void> good = checkGrid(grid); !good)
    return good;
  if (variantFacts.globalScratchBytes &&
      (!scratch || scratch % variantFacts.globalScratchAlignment))
    return Error{ErrorCode::InvalidArgument,
                 "kernel '" + kernelFacts.name + "' expects " +
                     std::to_string(scratchBytes(grid)) +
                     " bytes of scratch memory at a multiple of " +
                     std::to_string(variantFacts.globalScratchAlignment) +
                     ", but got address " + std::to_string(scratch)};
  ParameterBlock parameters;
  Result<void> filled =
      parameters.fill(kernelFacts, variantFacts, arguments, scratch,
                      [this](const TensorMapValues &values, void *map) {
                        return encodeTensorMap(values, map);
                      });
  if (!filled)
    return filled;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return success();
  const char *call = "";
  Status status = launchOnce(grid, stream, parameters.slotPointers(), call);
  // No context, or another device's, is current on this thread. Asking first
  // would cost a driver call at every launch.
  if (status == statusInvalidContext || status == statusInvalidHandle) {
    ScopedContext scope(owner);
    if (Result<void> good = scope.status(); !good)
      return good;
    status = launchOnce(grid, stream, parameters.slotPointers(), call);
  }
  if (status == statusSuccess)
    return success();
  return owner.driver().check(
      status, call,
      "while launching kernel '" + kernelFacts.name + "' on a grid of " +
          std::to_string(grid.x) + " x " + std::to_string(grid.y) + " x " +
          std::to_string(grid.z) + ", stream " +
          std::to_string(reinterpret_cast<uintptr_t>(stream)) + ", " +
          owner.description());
}
