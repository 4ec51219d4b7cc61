// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are ready to launch. In: an artifact and a device, then
// arguments and a stream. Out: one call of the driver. Everything that loads,
// checks or may wait has been done before the first launch.

#ifndef TILEWRIGHT_RUNTIME_LOADEDKERNEL_H
#define TILEWRIGHT_RUNTIME_LOADEDKERNEL_H

#include "runtime/Code.h"
#include "runtime/TensorMaps.h"

namespace tilewright::runtime {

/// Loads code, or gives what was loaded before.
using CodeLoader = std::function<Result<std::shared_ptr<const Code>>(
    const Image &image, const std::string &where)>;

/// A kernel that is ready to launch on its device.
class LoadedKernel {
public:
  /// Chooses an image, loads it (the driver compiles PTX here; an image that
  /// the driver refuses gives way to the next), finds the kernel, compares its
  /// parameters with the artifact's where the driver can tell them, and raises
  /// the limit of dynamic shared memory. After this a launch loads nothing.
  /// `name` may be empty when there is one kernel.
  static Result<LoadedKernel>
  load(const Device &device, const Artifact &artifact, std::string_view name);
  /// The same with code from `loader`.
  static Result<LoadedKernel> load(const Device &device,
                                   const Artifact &artifact,
                                   std::string_view name,
                                   const CodeLoader &loader);

  const Device &device() const { return owner; }
  const Kernel &kernel() const { return kernelFacts; }
  const Variant &variant() const { return variantFacts; }
  const Image &image() const { return imageFacts; }
  /// Registers and spilled bytes of a thread, as the driver reports them.
  int registers() const { return registerCount; }
  int localBytes() const { return localByteCount; }

  /// Bytes of global scratch memory that a launch on `grid` needs.
  uint64_t scratchBytes(const Dimensions &grid) const {
    return variantFacts.scratchBytes(grid);
  }

  /// Launches on `stream` (null: the legacy default stream of the device).
  /// `scratch` is the address of scratchBytes(grid) bytes. A grid with a zero
  /// launches nothing. One driver call when the device's context is current on
  /// this thread, and one more for each tensor map that no launch of late had
  /// (TensorMaps.h). Allocates nothing, on the host or the device, takes no
  /// lock, waits for nothing, so it may be captured; but for the first launch
  /// that has a tensor map without elements.
  Result<void> launch(const Dimensions &grid,
                      std::span<const ArgumentView> arguments,
                      cuda::StreamHandle stream, uint64_t scratch = 0) const;
  Result<void> launch(const Dimensions &grid,
                      std::span<const Argument> arguments,
                      cuda::StreamHandle stream, uint64_t scratch = 0) const {
    return launch(grid, ArgumentViews(arguments).get(), stream, scratch);
  }

private:
  friend class BoundLaunch;

  explicit LoadedKernel(Device device) : owner(std::move(device)) {}
  Result<void> checkLimits() const;
  Result<void> loadCode(const Image &image, const CodeLoader &loader);
  Result<void> checkParameters() const;
  Result<void> prepare();
  void prepareAttributes();
  Result<void> checkGrid(const Dimensions &grid) const;
  Result<void> fill(const Dimensions &grid,
                    std::span<const ArgumentView> arguments, uint64_t scratch,
                    uint8_t *parameters) const;
  bool hasWideAlignment() const;
  cuda::Status launchOnce(const Dimensions &grid, cuda::StreamHandle stream,
                          void **pointers, void **extra,
                          const char *&call) const;
  cuda::Status launchOnce(const Dimensions &grid, cuda::StreamHandle stream,
                          void *parameters, const char *&call) const;
  Result<void> launchFilled(const Dimensions &grid, cuda::StreamHandle stream,
                            void *parameters) const;

  Device owner;
  Kernel kernelFacts;
  Variant variantFacts;
  Image imageFacts; ///< without its bytes
  std::shared_ptr<const Code> code;
  /// Null where the variant has none.
  std::shared_ptr<TensorMaps> tensorMaps;
  cuda::Function function = nullptr;
  size_t parameterByteCount = 0;
  bool takesPointers = false; ///< to parameters, in place of their bytes
  std::array<cuda::LaunchAttribute, 3> attributes = {};
  unsigned attributeCount = 0;
  int registerCount = 0;
  int localByteCount = 0;
};

/// A launch whose arguments are checked and packed already, tensor maps
/// included: all that is left is the stream.
class BoundLaunch {
public:
  static Result<BoundLaunch> create(std::shared_ptr<const LoadedKernel> kernel,
                                    const Dimensions &grid,
                                    std::span<const ArgumentView> arguments,
                                    uint64_t scratch = 0);

  /// One driver call, as LoadedKernel::launch; any number of threads may.
  Result<void> launch(cuda::StreamHandle stream) const;

private:
  struct alignas(128) Chunk {
    uint8_t bytes[128];
  };
  std::shared_ptr<const LoadedKernel> kernel;
  Dimensions grid;
  std::vector<Chunk> parameters;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_LOADEDKERNEL_H
