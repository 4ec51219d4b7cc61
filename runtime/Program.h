// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact as the kernels that come of it. In: an artifact. Out: kernels,
// loaded once for each context however many threads and devices ask.

#ifndef TILEWRIGHT_RUNTIME_PROGRAM_H
#define TILEWRIGHT_RUNTIME_PROGRAM_H

#include "runtime/LoadedKernel.h"

#include <map>
#include <tuple>

namespace tilewright::runtime {

/// Any thread may use it. Keeps nothing loaded by itself: code goes when the
/// last kernel that was prepared goes.
class Program {
public:
  explicit Program(std::shared_ptr<const Artifact> artifact)
      : content(std::move(artifact)) {}
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  const Artifact &artifact() const { return *content; }

  /// The kernel called `name` (empty: the only one), ready on `device`: loaded
  /// by the first who asks. Disturbs no capture where the driver can load code
  /// beside one (CUDA 12.3).
  Result<std::shared_ptr<const LoadedKernel>> prepare(const Device &device,
                                                      std::string_view name);

private:
  /// A driver, a context of it, and an index into the artifact's images or
  /// kernels. Libraries are no context's: 0.
  using Key = std::tuple<const void *, uint64_t, uint32_t>;
  Result<std::shared_ptr<const Code>>
  loadCode(const Device &device, const Image &image, const std::string &where);

  std::shared_ptr<const Artifact> content;
  std::mutex mutex;
  std::map<Key, std::weak_ptr<const Code>> codes;
  std::map<Key, std::weak_ptr<const LoadedKernel>> kernels;
};

/// A kernel of a program on a device, which is loaded by prepare, or else by
/// its first launch. Any thread may use it.
class LazyKernel {
public:
  LazyKernel(std::shared_ptr<Program> program, Device device, std::string name)
      : program(std::move(program)), owner(std::move(device)),
        name(std::move(name)) {}
  LazyKernel(const LazyKernel &) = delete;
  LazyKernel &operator=(const LazyKernel &) = delete;

  /// Loads the kernel if nobody has.
  Result<std::shared_ptr<const LoadedKernel>> prepare();
  bool isPrepared() const { return ready.load(std::memory_order_acquire); }

  /// LoadedKernel::launch; the first one prepares the kernel. Where `stream`
  /// captures and the driver cannot load code then, it fails with NotPrepared
  /// and the capture goes on.
  Result<void> launch(const Dimensions &grid,
                      std::span<const ArgumentView> arguments,
                      cuda::StreamHandle stream, uint64_t scratch = 0) {
    if (const LoadedKernel *kernel = ready.load(std::memory_order_acquire))
      return kernel->launch(grid, arguments, stream, scratch);
    return launchFirst(grid, arguments, stream, scratch);
  }

private:
  Result<void> launchFirst(const Dimensions &grid,
                           std::span<const ArgumentView> arguments,
                           cuda::StreamHandle stream, uint64_t scratch);

  std::shared_ptr<Program> program;
  Device owner;
  std::string name;
  std::mutex mutex;
  std::shared_ptr<const LoadedKernel> kernel;
  /// `kernel`, once it is there.
  std::atomic<const LoadedKernel *> ready = nullptr;
};

} // namespace tilewright::runtime

#endif // TILEWRIGHT_RUNTIME_PROGRAM_H
