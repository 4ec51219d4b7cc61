// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of devices. Sources:
//   throughput   CUDA C++ Programming Guide 13, "Arithmetic Instructions",
//                table of results a cycle and multiprocessor, over 32 lanes
//   matrices     dense peaks of NVIDIA's whitepapers and data sheets, over
//                multiprocessors and boost clock. `mma.sync` on Hopper reaches
//                0.63 of wgmma's peak (Luo et al., "Benchmarking and Dissecting
//                the Nvidia Hopper GPU Architecture", 2024, table of mma); its
//                fp8 form runs at the rate of f16.
//   clocks       boost clocks of the data sheets; H100 and H200 that at which
//                the whitepaper states their peak
//   memory       0.885 of the data sheet's bandwidth, as an H200's copy reaches
//                (4.25 of 4.8 TB/s measured)
//   sectors      of threads on Hopper: f16 products of 1 x 1000 x 4096 by 16,
//                32 and 63 CTAs take 65 to 80 GB/s a multiprocessor (H100)
//   L2           H200: a product of 4096^3 by tiles of 128 x 128 moves 2.15 GB
//                in 216 us (Triton 3.6, measured). By bulk copies f16 products
//                of 256 x 4096 x 14336 in tiles of 64 x 128 move 704 MB in 46
//                us, and 64 CTAs of 256 x 2048 x 4096 152 GB/s each. Fitted to
//                529 configurations of 18 products of 16 to 1024 rows: the one
//                estimated best takes 1.018 of the best one's time with 9500
//                bytes a cycle and 2.4 sectors a multiprocessor, 1.033 with
//                7500 and 2, where the estimates also spread 1.15 times about
//                their mean, and now 1.11. A100's whitepaper: 5120 bytes a
//                cycle, of which a like part counts here; V100 and T4: Jia et
//                al., "Dissecting the NVIDIA Volta GPU Architecture" (2018)
//                and "... Turing T4" (2019); the others by their
//                multiprocessors
//   latencies    the same three papers

#include "dialects/Target/Device.h"

#include <algorithm>
#include <cctype>

using namespace tilewright::target;

static constexpr double copyShare = 0.885;
static constexpr uint64_t mebibyte = uint64_t(1) << 20;

// `mma.sync` and `wgmma` of Hopper's multiprocessor.
static constexpr MatrixRates hopperMma = {.f16 = 1290,
                                          .tf32 = 645,
                                          .fp8 = 1290,
                                          .int8 = 2580,
                                          .int4 = 2580,
                                          .f64 = 128};
static constexpr MatrixRates hopperWgmma = {
    .f16 = 2048, .tf32 = 1024, .fp8 = 4096, .int8 = 4096};
static constexpr Throughput hopperThroughput = {.floating = 4,
                                                .doubles = 2,
                                                .sectors = 1.4,
                                                .bulkSectors = 2.4,
                                                .matrix = hopperMma,
                                                .asynchronousMatrix =
                                                    hopperWgmma};

static constexpr Device devices[] = {
    {.name = "V100",
     .computeCapability = 70,
     .multiprocessors = 80,
     .clock = 1530,
     .memoryBandwidth = 900e9 * copyShare,
     .l2BytesPerCycle = 1400,
     .l2Bytes = 6 * mebibyte,
     .throughput = {.floating = 2, .doubles = 1, .matrix = {.f16 = 512}},
     .latencies = {.shared = 19, .l2 = 193, .memory = 420}},
    {.name = "T4",
     .computeCapability = 75,
     .multiprocessors = 40,
     .clock = 1590,
     .memoryBandwidth = 320e9 * copyShare,
     .l2BytesPerCycle = 800,
     .l2Bytes = 4 * mebibyte,
     .throughput = {.floating = 2,
                    .doubles = 1. / 16,
                    .matrix = {.f16 = 512, .int8 = 1024, .int4 = 2048}},
     .latencies = {.shared = 19, .l2 = 188, .memory = 440}},
    {.name = "A100",
     .computeCapability = 80,
     .multiprocessors = 108,
     .clock = 1410,
     .memoryBandwidth = 2039e9 * copyShare,
     .l2BytesPerCycle = 4300,
     .l2Bytes = 40 * mebibyte,
     .throughput = {.floating = 2,
                    .doubles = 1,
                    .matrix = {.f16 = 1024,
                               .tf32 = 512,
                               .int8 = 2048,
                               .int4 = 4096,
                               .f64 = 64}},
     .latencies = {.shared = 23, .l2 = 262, .memory = 466}},
    {.name = "A10",
     .computeCapability = 86,
     .multiprocessors = 72,
     .clock = 1695,
     .memoryBandwidth = 600e9 * copyShare,
     .l2BytesPerCycle = 1500,
     .l2Bytes = 6 * mebibyte,
     .throughput =
         {.floating = 4,
          .doubles = 1. / 16,
          .matrix = {.f16 = 512, .tf32 = 256, .int8 = 1024, .int4 = 2048}},
     .latencies = {.shared = 23, .l2 = 262, .memory = 466}},
    {.name = "Orin",
     .computeCapability = 87,
     .multiprocessors = 16,
     .clock = 1300,
     .memoryBandwidth = 205e9 * copyShare,
     .l2BytesPerCycle = 400,
     .l2Bytes = 4 * mebibyte,
     .throughput =
         {.floating = 4,
          .doubles = 1. / 16,
          .matrix = {.f16 = 1024, .tf32 = 512, .int8 = 2048, .int4 = 4096}},
     .latencies = {.shared = 23, .l2 = 262, .memory = 466}},
    {.name = "L4",
     .computeCapability = 89,
     .multiprocessors = 58,
     .clock = 2040,
     .memoryBandwidth = 300e9 * copyShare,
     .l2BytesPerCycle = 1800,
     .l2Bytes = 48 * mebibyte,
     .throughput = {.floating = 4,
                    .doubles = 1. / 16,
                    .matrix = {.f16 = 512,
                               .tf32 = 256,
                               .fp8 = 1024,
                               .int8 = 1024,
                               .int4 = 2048}},
     .latencies = {.shared = 30, .l2 = 273, .memory = 541}},
    {.name = "H200",
     .computeCapability = 90,
     .multiprocessors = 132,
     .clock = 1830,
     .memoryBandwidth = 4800e9 * copyShare,
     .l2BytesPerCycle = 5500,
     .l2BytesPerCycleOfBulkCopies = 9500,
     .l2Bytes = 50 * mebibyte,
     .throughput = hopperThroughput,
     .latencies = {.shared = 29, .l2 = 263, .memory = 479}},
    {.name = "H100",
     .computeCapability = 90,
     .multiprocessors = 132,
     .clock = 1830,
     .memoryBandwidth = 3350e9 * copyShare,
     .l2BytesPerCycle = 5500,
     .l2BytesPerCycleOfBulkCopies = 9500,
     .l2Bytes = 50 * mebibyte,
     .throughput = hopperThroughput,
     .latencies = {.shared = 29, .l2 = 263, .memory = 479}},
};

double MatrixRates::of(ElementType type) const {
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16:
    return f16;
  case ElementType::TF32:
  case ElementType::F32:
    return tf32;
  case ElementType::E4M3:
  case ElementType::E5M2:
    return fp8;
  case ElementType::S8:
  case ElementType::U8:
  case ElementType::S32:
    return int8;
  case ElementType::S4:
  case ElementType::U4:
    return int4;
  case ElementType::F64:
    return f64;
  }
  return 0;
}

std::span<const Device> tilewright::target::allDevices() { return devices; }

const Device *tilewright::target::lookupDevice(std::string_view name) {
  auto isSame = [](char a, char b) {
    return std::toupper(static_cast<unsigned char>(a)) ==
           std::toupper(static_cast<unsigned char>(b));
  };
  for (const Device &device : devices)
    if (std::ranges::equal(device.name, name, isSame))
      return &device;
  return nullptr;
}

const Device &tilewright::target::getDefaultDevice(const Target &target) {
  for (const Device &device : devices)
    if (target.runsOn(device.computeCapability))
      return device;
  return devices[0];
}

std::string tilewright::target::unknownDeviceMessage(std::string_view name) {
  std::string message = "expects one of the devices ";
  for (const Device &device : devices) {
    if (&device != devices)
      message += ", ";
    message += device.name;
  }
  return message + ", but got '" + std::string(name) + "'";
}

std::string tilewright::target::cannotRunMessage(const Target &target,
                                                 const Device &device) {
  return "expects a device that runs code for " + std::string(target.name) +
         ", but got " + std::string(device.name) +
         ", whose compute capability is " +
         formatPtxVersion(device.computeCapability);
}
