// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the cache keeps of choices, for later plans and processes: what was
// predicted, so that it need not be again, and what was measured, which goes
// before it. Both are known by the target, the device and the class of the
// problem; what was predicted also by the build of the compiler, and what was
// measured by the driver: `tilewright kernels tune`, which is another build
// than libtilewright.so, measures for all programs of the machine.

#ifndef TILEWRIGHT_LIB_KERNELS_CHOICENOTES_H
#define TILEWRIGHT_LIB_KERNELS_CHOICENOTES_H

#include "lib/Kernels/Measuring.h"
#include "runtime/Cache/DiskStore.h"
#include "runtime/Device.h"

namespace tilewright::kernels {

class ChoiceNotes {
public:
  /// `disk` may be null: then nothing is found and nothing kept.
  ChoiceNotes(runtime::DiskStore *disk, const runtime::Device &device,
              const target::Target &target, const Operator &of)
      : disk(disk), device(device), target(target), of(of) {}

  /// `refined`: of how many candidates the code was estimated.
  std::optional<Configuration> predicted(const std::string &problemClass,
                                         unsigned refined) const;
  void keepPredicted(const std::string &problemClass, unsigned refined,
                     const Configuration &configuration) const;

  std::optional<std::vector<Measurement>>
  measured(const std::string &problemClass) const;
  /// An error says why they are not kept.
  Result<void> keepMeasured(const std::string &problemClass,
                            std::span<const Measurement> measurements) const;

private:
  runtime::KeyBuilder beginKey(std::string_view kind,
                               const std::string &problemClass) const;
  runtime::CacheKey predictedKey(const std::string &problemClass,
                                 unsigned refined) const;
  runtime::CacheKey measuredKey(const std::string &problemClass) const;
  std::optional<std::string> read(const runtime::CacheKey &key) const;

  runtime::DiskStore *disk;
  const runtime::Device &device;
  const target::Target &target;
  const Operator &of;
};

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_CHOICENOTES_H
