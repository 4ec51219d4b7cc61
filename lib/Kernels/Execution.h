// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A problem's launches on a device, with memory and inputs of their own: what
// trials judge, and what is timed to tell configurations apart.

#ifndef TILEWRIGHT_LIB_KERNELS_EXECUTION_H
#define TILEWRIGHT_LIB_KERNELS_EXECUTION_H

#include "lib/Kernels/Operator.h"
#include "lib/Run/ExecutionDevice.h"

namespace tilewright::kernels {

/// Gives a kernel's code.
using CompileKernel =
    std::function<Result<std::shared_ptr<const runtime::Artifact>>(
        const Kernel &)>;

/// Random numbers of a tensor.
struct InputStream {
  uint64_t number = 0;
  /// Floats have two bits (from -1 to 1, halves), so that sums of products are
  /// exact.
  bool isCoarse = false;
};

/// The bytes that a tensor has before the first launch: of an input random
/// numbers of its type, or what is promised of them; elsewhere poison. The same
/// for the same stream of numbers.
std::vector<uint8_t> initialContent(const TensorParameter &tensor,
                                    const InputStream &stream);

/// A tensor's memory.
struct DeviceTensor {
  TensorParameter parameter;
  /// Of initialContent().
  InputStream stream;
  /// Of the allocation, and in it of the first element: as little aligned as
  /// the kernel must expect.
  uint64_t address = 0;
  size_t offset = 0;
  /// Allocations with the same bytes, which launches that are timed take in
  /// turns with it.
  std::vector<uint64_t> copies = {};
};

class Execution {
public:
  /// `coldBytes`: there are as many copies of the inputs as it takes to have so
  /// many bytes of them, and what is timed takes them in turns: with twice the
  /// bytes of the L2, inputs come from memory. 0: no copies.
  Execution(run::ExecutionDevice &device, uint64_t seed, uint64_t coldBytes = 0)
      : device(device), seed(seed), coldBytes(coldBytes) {}
  Execution(const Execution &) = delete;
  Execution &operator=(const Execution &) = delete;
  ~Execution();

  /// Compiles and loads the launches of a configuration, in place of those
  /// before; tensors of the same size keep their memory and what is in it.
  Result<void> load(const std::vector<Kernel> &kernels,
                    const CompileKernel &compile);
  /// Launches once, and waits.
  Result<void> launch();
  /// Microseconds of the device for all launches of a call together: of
  /// `repeat` calls, one at least, by five that are one behind the other, as in
  /// a graph, where a launch begins while the one before it ends; the median.
  Result<double> time(unsigned repeat);

  const std::vector<DeviceTensor> &tensors() const { return buffers; }
  /// The bytes of a tensor's elements as they are now.
  Result<std::vector<uint8_t>> read(const DeviceTensor &tensor);

private:
  struct Launch {
    std::unique_ptr<run::ExecutionKernel> kernel;
    runtime::Dimensions grid;
    /// Of each of the copies that are taken in turns.
    std::vector<std::vector<runtime::Argument>> arguments;
  };
  Result<void> enqueue();
  /// Microseconds of each of `calls` calls.
  Result<double> timeCalls(unsigned calls);
  Result<void> provide(const TensorParameter &tensor);
  Result<void> copyInputs();
  size_t countCopies() const;
  void release(const DeviceTensor &buffer);
  std::vector<runtime::Argument> argumentsOf(const Kernel &kernel,
                                             size_t copy) const;

  run::ExecutionDevice &device;
  uint64_t seed, coldBytes;
  /// Which copies are taken next.
  size_t turn = 0;
  std::vector<DeviceTensor> buffers;
  std::vector<Launch> launches;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_EXECUTION_H
