// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launching. What is here runs at every launch: it allocates nothing, takes no
// lock, and words its errors out of the way.

#include "runtime/LoadedKernel.h"

using namespace tilewright::runtime;
using namespace tilewright::runtime::cuda;

/// CU_LAUNCH_PARAM_BUFFER_POINTER, _SIZE and _END: all parameters in one piece.
static void *const bufferPointer = reinterpret_cast<void *>(1);
static void *const bufferSize = reinterpret_cast<void *>(2);

uint64_t Variant::scratchBytes(const Dimensions &grid) const {
  // The factors are below 2^31, 2^16 and 2^16; a product that does not fit asks
  // for more memory than there is, and allocating it fails.
  unsigned __int128 bytes = globalScratchBytes;
  bytes = bytes * grid.x * grid.y;
  bytes = bytes > UINT64_MAX ? bytes : bytes * grid.z;
  return bytes > UINT64_MAX ? UINT64_MAX : uint64_t(bytes);
}

static std::string describe(const Dimensions &sizes) {
  return std::to_string(sizes.x) + " x " + std::to_string(sizes.y) + " x " +
         std::to_string(sizes.z);
}

Result<void> LoadedKernel::checkGrid(const Dimensions &grid) const {
  // CUDA C++ programming guide, technical specifications.
  if (grid.x > INT32_MAX || grid.y > 65535 || grid.z > 65535)
    return Error{ErrorCode::InvalidArgument,
                 "kernel '" + kernelFacts.name +
                     "': expects a grid within 2147483647 x 65535 x 65535, "
                     "but got " +
                     describe(grid)};
  const Dimensions &cluster = variantFacts.cluster;
  if (grid.x % cluster.x || grid.y % cluster.y || grid.z % cluster.z)
    return Error{ErrorCode::InvalidArgument,
                 "kernel '" + kernelFacts.name +
                     "': expects a grid in multiples of its clusters (" +
                     describe(cluster) + "), but got " + describe(grid)};
  return success();
}

Result<void> LoadedKernel::fill(const Dimensions &grid,
                                std::span<const ArgumentView> arguments,
                                uint64_t scratch, uint8_t *parameters) const {
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
  // (The function object holds one pointer, so it allocates nothing.)
  return fillParameters(
      kernelFacts, variantFacts, arguments, scratch,
      [this](const TensorMapValues &values, void *map) {
        size_t recipe = values.recipe - variantFacts.tensorMaps.data();
        return tensorMaps->make(values, recipe, map);
      },
      parameters);
}

namespace {

/// The address of each parameter's value, for a driver that places them itself.
class ParameterPointers {
public:
  ParameterPointers(const Variant &facts, void *parameters)
      : many(facts.slots.size() > few.size() ? facts.slots.size() : 0) {
    void **to = get();
    for (const Slot &slot : facts.slots)
      *to++ = static_cast<uint8_t *>(parameters) + slot.offset;
  }
  void **get() { return many.empty() ? few.data() : many.data(); }

private:
  std::array<void *, 64> few; // on the stack: launches allocate nothing
  std::vector<void *> many;
};

} // namespace

/// The launch itself: one driver call, whose name goes to `call`; `pointers` or
/// `extra` say where the parameters are.
Status LoadedKernel::launchOnce(const Dimensions &grid, StreamHandle stream,
                                void **pointers, void **extra,
                                const char *&call) const {
  const Driver &driver = owner.driver();
  const Variant &facts = variantFacts;
  const Dimensions &block = facts.block;
  if (attributeCount == 0 || !driver->cuLaunchKernelEx) {
    if (facts.cooperative && driver->cuLaunchCooperativeKernel) {
      call = "cuLaunchCooperativeKernel";
      return driver->cuLaunchCooperativeKernel(
          function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
          facts.dynamicSharedBytes, stream, pointers);
    }
    call = "cuLaunchKernel";
    return driver->cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x,
                                  block.y, block.z, facts.dynamicSharedBytes,
                                  stream, pointers, extra);
  }
  std::array<LaunchAttribute, 3> own = attributes;
  LaunchConfiguration configuration = {grid.x,
                                       grid.y,
                                       grid.z,
                                       block.x,
                                       block.y,
                                       block.z,
                                       facts.dynamicSharedBytes,
                                       stream,
                                       own.data(),
                                       attributeCount};
  call = "cuLaunchKernelEx";
  return driver->cuLaunchKernelEx(&configuration, function, pointers, extra);
}

Status LoadedKernel::launchOnce(const Dimensions &grid, StreamHandle stream,
                                void *parameters, const char *&call) const {
  if (takesPointers) {
    ParameterPointers pointers(variantFacts, parameters);
    return launchOnce(grid, stream, pointers.get(), nullptr, call);
  }
  size_t size = parameterByteCount;
  void *extra[] = {bufferPointer, parameters, bufferSize, &size, nullptr};
  return launchOnce(grid, stream, nullptr, extra, call);
}

Result<void> LoadedKernel::launchFilled(const Dimensions &grid,
                                        StreamHandle stream,
                                        void *parameters) const {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0)
    return success();
  const char *call = "";
  Status status = launchOnce(grid, stream, parameters, call);
  if (status == statusSuccess)
    return success();
  // No context, or another one, is current on this thread. Asking first would
  // cost a driver call at every launch.
  if (status == statusInvalidContext || status == statusInvalidHandle) {
    ScopedContext scope(owner);
    if (Result<void> good = scope.status(); !good)
      return good;
    status = launchOnce(grid, stream, parameters, call);
  }
  if (status == statusSuccess)
    return success();
  return owner.driver().check(
      status, call,
      "while launching kernel '" + kernelFacts.name + "' on a grid of " +
          describe(grid) + ", stream " +
          std::to_string(reinterpret_cast<uintptr_t>(stream)) + ", " +
          owner.description());
}

Result<void> LoadedKernel::launch(const Dimensions &grid,
                                  std::span<const ArgumentView> arguments,
                                  StreamHandle stream, uint64_t scratch) const {
  // The driver copies it before it returns.
  alignas(128) uint8_t parameters[(parameterBytesLimit + 127) / 128 * 128];
  if (Result<void> good = fill(grid, arguments, scratch, parameters); !good)
    return good;
  return launchFilled(grid, stream, parameters);
}

Result<BoundLaunch>
BoundLaunch::create(std::shared_ptr<const LoadedKernel> kernel,
                    const Dimensions &grid,
                    std::span<const ArgumentView> arguments, uint64_t scratch) {
  BoundLaunch launch;
  launch.parameters.resize(kernel->parameterByteCount / sizeof(Chunk) + 1);
  if (Result<void> good =
          kernel->fill(grid, arguments, scratch, launch.parameters[0].bytes);
      !good)
    return good.takeError();
  launch.kernel = std::move(kernel);
  launch.grid = grid;
  return launch;
}

Result<void> BoundLaunch::launch(StreamHandle stream) const {
  return kernel->launchFilled(grid, stream,
                              const_cast<uint8_t *>(parameters[0].bytes));
}
