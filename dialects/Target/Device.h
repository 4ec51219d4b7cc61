// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The GPUs that code runs on, as data: how many multiprocessors at which clock,
// what each hands out in a cycle, what memory and the L2 give, and how long
// their answers take.
//
// A target (Target.h) says what code may use; a device, how fast it is. Code
// for an older target runs on a newer device, so the two are chosen apart.
// Figures are for estimates of time, never for what is legal. Sources stand in
// Device.cpp.

#ifndef TILEWRIGHT_DIALECTS_TARGET_DEVICE_H
#define TILEWRIGHT_DIALECTS_TARGET_DEVICE_H

#include "dialects/Target/Target.h"

namespace tilewright::target {

/// Multiply-adds of matrix instructions that a multiprocessor completes in a
/// cycle, by the type of the operands; 0 where there is no instruction.
struct MatrixRates {
  double f16 = 0; ///< and bf16
  double tf32 = 0;
  double fp8 = 0;
  double int8 = 0;
  double int4 = 0;
  double f64 = 0;

  /// Of operands of `type`; f32 counts as tf32.
  double of(ElementType type) const;
};

/// What a multiprocessor completes in a cycle when many warps keep it busy, in
/// instructions of one warp unless another unit is given.
struct Throughput {
  /// Instructions of any kind: one for each of four schedulers.
  double issue = 4;
  double floating;
  double integer = 2;
  double special = 0.5;
  double doubles;
  /// Shuffles, and wavefronts of shared memory, which share one path.
  double shared = 1;
  /// Sectors of 32 bytes between the multiprocessor and the L2, of accesses by
  /// threads, and of bulk copies.
  double sectors = 2, bulkSectors = 2;
  /// Instructions of `mma.sync`, and of `wgmma`.
  MatrixRates matrix, asynchronousMatrix = {};
};

/// Cycles from an instruction to the first that may use its result.
struct Latencies {
  double arithmetic = 4;
  double special = 20;
  double shuffle = 23;
  double shared;
  double matrix = 33;
  /// From the L1, the L2, and from memory, of a device that does nothing else.
  double l1 = 35;
  double l2, memory;
  /// Of a barrier of a CTA that all warps reach together.
  double barrier = 20;
  /// From a store to shared memory to products of warp groups that read it,
  /// `fence.proxy.async` between them (chunks of simple GLA on an H200).
  double proxyFence = 450;
  /// Of a group of products of warp groups beside that of its instructions:
  /// arrival and wait (the same).
  double productGroup = 150;
  /// Of a bulk copy beside that of the bytes that it brings. Fitted, as the L2
  /// is (Device.cpp); and of f16 products of 4096^3 on an H200 tiles that are
  /// 32 deep take 189 us with bulk copies three iterations ahead and 234 with
  /// two, those 64 deep 191 with either.
  double bulkCopy = 300;
};

/// The part of `bytes`, which are read in turns again and again, that an L2 has
/// lost when they are asked for again: it keeps what half of it holds, as what
/// either half of the multiprocessors reads may be in both halves. (Softmax of
/// rows of 16384 columns on an H200, in several loops over them: 91 us where
/// the CTAs that run together read 17 MB, 95 to 112 with 35 MB, 113 to 121 with
/// 69 MB, 140 with 277 MB.)
inline double getLostShare(double bytes, uint64_t l2Bytes) {
  double kept = double(l2Bytes) / 2;
  return bytes > kept ? 1 - kept / bytes : 0;
}

/// CTAs of `warps` warps each, at least 1, that hide each other's arithmetic on
/// a multiprocessor. What is left is the latency of memory, which more copies
/// on their way hide as well as more CTAs do, and in small grids better: f16
/// 256 x 4096 x 4096 by tiles of 64 x 64 took 34 us on an H200 where seven CTAs
/// had two buffers, and 22 where three have four.
inline unsigned countEnoughCtas(unsigned warps) {
  constexpr unsigned enoughWarps = 12;
  return (enoughWarps + warps - 1) / warps;
}

struct Device {
  /// Its name for users: "A100".
  std::string_view name;
  /// Ten times the compute capability, as Target has it.
  unsigned computeCapability;
  unsigned multiprocessors;
  /// The clock under load, in MHz.
  double clock;
  /// Bytes a second, read and written, that a copy reaches.
  double memoryBandwidth;
  /// Bytes that the whole L2 hands out in a cycle: to threads, and to bulk
  /// copies, where a target has them.
  double l2BytesPerCycle;
  double l2BytesPerCycleOfBulkCopies = l2BytesPerCycle;
  uint64_t l2Bytes;
  /// Of a multiprocessor's L1, beside shared memory that is used.
  uint64_t l1Bytes = 64 << 10;
  Throughput throughput;
  Latencies latencies;

  /// From the start of a kernel to the start of the next behind it in a stream
  /// or a graph, beside what its CTAs take: microseconds.
  static constexpr double launchMicroseconds = 1.0;
  /// From the start of a CTA to its first instruction that computes, and from
  /// its last one to the start of the next CTA: cycles.
  static constexpr double ctaCycles = 300;
  /// What a launch takes longer in clusters of `ctas` CTAs, which begin where
  /// multiprocessors are free side by side, not one by one: microseconds.
  /// Fitted to 1,300 products on an H200, one launch behind the other: in the
  /// median clusters of two and four take 1.5 to 1.9 more than their estimates
  /// than other launches do, some 5; with 3 those that are estimated best take
  /// the least.
  static constexpr double clusterMicroseconds(unsigned ctas) {
    return ctas == 1 ? 0 : ctas <= 4 ? 3 : 6;
  }
  /// How many CTAs begin in a microsecond at most, on all multiprocessors
  /// together (norms of 4096 rows of 256 columns on an H200: with a row a CTA
  /// 4 us longer than with four, by one warp or by eight).
  static constexpr double launchedCtasPerMicrosecond = 650;

  /// The multiprocessors that clusters of `ctas` CTAs can fill: those that
  /// share a group of them are seldom a multiple of four or eight. An H200 has
  /// room for 120 CTAs of clusters of four or eight that are alone on their 132
  /// multiprocessors, 248 or 240 where two fit, 616 where five do
  /// (cuOccupancyMaxActiveClusters); of clusters of two, for all.
  unsigned countMultiprocessors(unsigned ctas) const {
    return ctas <= 2 ? multiprocessors : multiprocessors * 10 / 11;
  }

  double cyclesPerMicrosecond() const { return clock; }
  /// Of the device's memory, in a cycle of the multiprocessors.
  double memoryBytesPerCycle() const { return memoryBandwidth / clock * 1e-6; }
};

/// All devices, in the order of their compute capabilities.
std::span<const Device> allDevices();

/// The device of that name, upper or lower case; or null.
const Device *lookupDevice(std::string_view name);

/// The device that code for `target` is estimated for unless another is asked
/// for: the first of its compute capability.
const Device &getDefaultDevice(const Target &target);

/// The diagnostic for a name that `lookupDevice` does not know.
std::string unknownDeviceMessage(std::string_view name);

/// The diagnostic for a device that code for `target` does not run on.
std::string cannotRunMessage(const Target &target, const Device &device);

} // namespace tilewright::target

#endif // TILEWRIGHT_DIALECTS_TARGET_DEVICE_H
