// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Judges/Emulator/Driver/DeviceFacts.h"

using namespace tilewright::emulator;
using namespace tilewright::emulator::driver;

// V100, T4, A100, GeForce RTX 3090 and 4090, H100 SXM, B200, GeForce RTX 5090.
static constexpr DeviceFacts devices[] = {
    {7, 0, 80, 2048, 32, 96 << 10, 96 << 10, 0},
    {7, 5, 40, 1024, 16, 64 << 10, 64 << 10, 0},
    {8, 0, 108, 2048, 32, 164 << 10, 163 << 10, 1024},
    {8, 6, 82, 1536, 16, 100 << 10, 99 << 10, 1024},
    {8, 9, 128, 1536, 24, 100 << 10, 99 << 10, 1024},
    {9, 0, 132, 2048, 32, 228 << 10, 227 << 10, 1024},
    {10, 0, 148, 2048, 32, 228 << 10, 227 << 10, 1024},
    {12, 0, 170, 1536, 24, 100 << 10, 99 << 10, 1024},
};

static std::string nameOf(const DeviceFacts &device) {
  return "sm_" + std::to_string(device.major) + std::to_string(device.minor);
}

std::optional<DeviceFacts> driver::findDevice(std::string_view architecture) {
  for (const DeviceFacts &device : devices)
    if (architecture == nameOf(device))
      return device;
  return std::nullopt;
}

std::string driver::deviceNames() {
  std::string names;
  for (const DeviceFacts &device : devices)
    names += (names.empty() ? "" : ", ") + nameOf(device);
  return names;
}

/// The attributes that differ from GPU to GPU (CUdevice_attribute).
static std::optional<int> varyingAttribute(const DeviceFacts &device,
                                           int attribute) {
  switch (attribute) {
  case 16: // MULTIPROCESSOR_COUNT
    return device.multiprocessors;
  case 39: // MAX_THREADS_PER_MULTIPROCESSOR
    return device.threadsPerMultiprocessor;
  case 75: // COMPUTE_CAPABILITY_MAJOR
    return device.major;
  case 76: // COMPUTE_CAPABILITY_MINOR
    return device.minor;
  case 81: // MAX_SHARED_MEMORY_PER_MULTIPROCESSOR
    return device.sharedBytesPerMultiprocessor;
  case 97: // MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
    return device.sharedBytesPerBlock;
  case 106: // MAX_BLOCKS_PER_MULTIPROCESSOR
    return device.blocksPerMultiprocessor;
  case 111: // RESERVED_SHARED_MEMORY_PER_BLOCK
    return device.reservedSharedBytesPerBlock;
  case 120: // CLUSTER_LAUNCH
  case 127: // TENSOR_MAP_ACCESS_SUPPORTED
    return device.major >= 9;
  default:
    return std::nullopt;
  }
}

std::optional<int> driver::deviceAttribute(const DeviceFacts &device,
                                           int attribute) {
  if (std::optional<int> value = varyingAttribute(device, attribute))
    return value;
  switch (attribute) {
  case 1: // MAX_THREADS_PER_BLOCK
  case 2: // MAX_BLOCK_DIM_X
  case 3: // MAX_BLOCK_DIM_Y
    return 1024;
  case 4: // MAX_BLOCK_DIM_Z
    return 64;
  case 5: // MAX_GRID_DIM_X
    return INT32_MAX;
  case 6: // MAX_GRID_DIM_Y
  case 7: // MAX_GRID_DIM_Z
    return 65535;
  case 8: // MAX_SHARED_MEMORY_PER_BLOCK
    return defaultSharedBytesPerBlock;
  case 9:  // TOTAL_CONSTANT_MEMORY
  case 12: // MAX_REGISTERS_PER_BLOCK
  case 82: // MAX_REGISTERS_PER_MULTIPROCESSOR
    return 65536;
  case 10: // WARP_SIZE
    return 32;
  case 11: // MAX_PITCH
    return INT32_MAX;
  case 13: // CLOCK_RATE in kHz: events count an instruction as a nanosecond.
  case 36: // MEMORY_CLOCK_RATE
    return 1000000;
  case 14: // TEXTURE_ALIGNMENT
    return 512;
  case 41:  // UNIFIED_ADDRESSING
  case 115: // MEMORY_POOLS_SUPPORTED
  case 95:  // COOPERATIVE_LAUNCH
    return 1;
  default:
    // CU_DEVICE_ATTRIBUTE_MAX of CUDA 13.0 is below 150.
    return attribute > 0 && attribute < 150 ? std::optional<int>(0)
                                            : std::nullopt;
  }
}
