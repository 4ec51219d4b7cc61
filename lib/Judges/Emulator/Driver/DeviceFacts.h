// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the emulated device says about itself. In: the name of an architecture.
// Out: the limits of one of its GPUs.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_DEVICEFACTS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_DEVICEFACTS_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewright::emulator::driver {

/// CUDA C++ programming guide, "Technical Specifications per Compute
/// Capability"; the number of multiprocessors is that of one product.
struct DeviceFacts {
  int major, minor;
  int multiprocessors;
  int threadsPerMultiprocessor, blocksPerMultiprocessor;
  int sharedBytesPerMultiprocessor;
  /// With permission (cuFuncSetAttribute).
  int sharedBytesPerBlock;
  /// What the system takes for each block.
  int reservedSharedBytesPerBlock;
};

/// Shared memory of a block without permission, in bytes.
constexpr int defaultSharedBytesPerBlock = 49152;

/// The facts for "sm_90"; nothing for architectures that are not emulated.
std::optional<DeviceFacts> findDevice(std::string_view architecture);

/// "sm_75, sm_80, ...": those that findDevice knows.
std::string deviceNames();

/// The value of a CUdevice_attribute, or nothing for numbers that are none.
/// Of what the emulator has not (managed memory and the like) the value is 0.
std::optional<int> deviceAttribute(const DeviceFacts &device, int attribute);

} // namespace tilewright::emulator::driver

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_DRIVER_DEVICEFACTS_H
