// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of a few rates: a multiprocessor's programs share its matrix units,
// its shared memory and its part of the second-level cache; each program waits
// for memory as often as its iterations do not overlap; all share the memory.

#include "lib/Kernels/Prediction.h"

#include <algorithm>
#include <cmath>

using namespace tilewright;
using namespace tilewright::kernels;
using target::Device;
using target::Target;

/// Cycles from a load of global memory to its data, from a program's start to
/// its first load and from its last sum to its end, and of a launch.
static constexpr double loadLatency = 700;
static constexpr double programOverhead = 1200;
static constexpr double launchSeconds = 2.5e-6;
/// Cycles in which an iteration cannot be shorter: barriers, waits, branches.
static constexpr double iterationOverhead = 40;
/// Instructions of a warp in an iteration beside what its elements take:
/// copies, addresses, waits, operands that several warps read (of 288 in the
/// SASS of a product with 4-bit weights, 32 x 128 of them a warp).
static constexpr double iterationInstructions = 55;
/// Cycles from a matrix instruction to the next one that adds to its sum, and
/// from words in shared memory to the first weights that are made of them.
static constexpr double dotLatency = 33;
static constexpr double unpackLatency = 100;
/// Warps of a multiprocessor that keep its four matrix units busy, alone and
/// where groups of four multiply together, and those that keep its four
/// schedulers: a warp alone issues every third cycle (measured on an H200, a
/// product with 4-bit weights).
static constexpr double busyWarps = 8, busyWarpsOfGroups = 4;
static constexpr double issuingWarps = 12;
/// What matrix units, memory and caches reach of their rates.
static constexpr double reached = 0.85;

/// What memory takes longer where programs read only half of each line of 128
/// bytes; twice that where they read a quarter (f16 products of 1 x 14336
/// x 8192 on an H200, tiles of 64, 32 and 16 columns).
static constexpr double halfLineCost = 0.17;

/// What takes the longest, and a little of what runs beside it.
static double longest(std::initializer_list<double> times) {
  double sum = 0;
  for (double time : times)
    sum += time * time * time * time;
  return std::sqrt(std::sqrt(sum));
}

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

static target::ElementType matrixType(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return target::ElementType::BF16;
  case ElementType::F32:
    return target::ElementType::TF32;
  case ElementType::I8:
    return target::ElementType::S8;
  case ElementType::F8E4M3:
    return target::ElementType::E4M3;
  case ElementType::F8E5M2:
    return target::ElementType::E5M2;
  default:
    return target::ElementType::F16;
  }
}

/// Whether the target has matrix instructions for operands of the type.
static bool hasMatrixInstructions(ElementType type, const Target &target) {
  target::ElementType operand = matrixType(type);
  target::MatrixQuery query{operand, operand,
                            type == ElementType::I8 ? target::ElementType::S32
                                                    : target::ElementType::F32};
  return !target.findMatrixInstructions(query).empty();
}

/// Multiply-adds of one multiprocessor in a cycle. `byGroups`: of four warps
/// together, where they can multiply the type so.
static double multiplyAddRate(ElementType type, bool byGroups,
                              const Target &target, const Device &device) {
  bool isInteger = type == ElementType::I8;
  const target::MatrixRates &rates = byGroups
                                         ? device.throughput.asynchronousMatrix
                                         : device.throughput.matrix;
  double rate = rates.of(matrixType(type));
  if (hasMatrixInstructions(type, target) && rate > 0)
    return rate;
  // fp8 is converted to f16, the rest is computed by 32-bit units.
  if (run::byteSize(type) == 1 && !isInteger)
    return device.throughput.matrix.f16 / 2;
  return (isInteger ? 4 : 1) * device.throughput.floating * Target::warpSize;
}

/// Whether groups of four warps multiply, whose operands bulk copies bring. (Of
/// products that unpack weights, which arithmetic bounds, the best ones rank
/// lower by the rates of groups.)
static bool multipliesByGroups(const Counts &counts, const Target &target) {
  return target.has(target::Capability::Wgmma) &&
         hasMatrixInstructions(counts.operandType, target) &&
         counts.groupOperandBytes < counts.operandBytes &&
         counts.unpackedTiles == 0;
}

//===----------------------------------------------------------------------===//
// What a CTA takes
//===----------------------------------------------------------------------===//

static std::string exceeds(const char *what, double has, double limit) {
  return std::string("expects at most ") +
         std::to_string(static_cast<int64_t>(limit)) + " " + what +
         ", but it takes " + std::to_string(static_cast<int64_t>(has));
}

Footprint kernels::estimateFootprint(const Kernel &kernel, const Counts &counts,
                                     const Target &target) {
  Footprint result;
  unsigned threads = kernel.warps * Target::warpSize;
  bool hasDots = counts.multiplyAdds + counts.fullMultiplyAdds > 0;
  bool overlaps = hasDots && counts.iterations > 1;
  // What is multiplied without matrix instructions is read from shared memory.
  double resident = counts.fullMultiplyAdds > 0 ||
                            !hasMatrixInstructions(counts.operandType, target)
                        ? counts.residentOperandBytes
                        : 0;
  auto sharedBytes = [&](unsigned stages) {
    double bytes = hasDots ? counts.loadedBytesPerIteration * stages : 0;
    return std::max(bytes + resident, double(kernel.sharedBytes));
  };
  unsigned stages = overlaps ? std::max(kernel.stages, 1u) : 1;
  result.sharedBytes = sharedBytes(stages);
  // A tile may have to change its layout, from one that memory likes to one
  // that rows do, while another one waits.
  double needed = hasDots ? result.sharedBytes : 2 * counts.boxBytes;
  // Sums, what a dot reads at a time, addresses and masks. Products of fp8 are
  // added to them in f32, from sums of their own.
  bool isFp8 = counts.operandType == ElementType::F8E4M3 ||
               counts.operandType == ElementType::F8E5M2;
  result.registers =
      (isFp8 ? 2 : 1) * counts.liveElements / threads + (hasDots ? 72 : 40);
  if (counts.clusterPrograms > 1 && !target.has(target::Capability::Clusters))
    result.refusal = "expects clusters, which " + std::string(target.name) +
                     " does not have";
  else if (kernel.warps > target.maxWarpsPerCta)
    result.refusal = exceeds("warps", kernel.warps, target.maxWarpsPerCta);
  else if (needed > target.sharedMemoryLimit)
    result.refusal =
        exceeds("bytes of shared memory", needed, target.sharedMemoryLimit);
  else if (result.registers > target.maxRegistersOf(threads))
    result.refusal = exceeds("registers of a thread", result.registers,
                             target.maxRegistersOf(threads));
  if (!result.refusal.empty())
    return result;
  auto occupancyOf = [&](unsigned stages) {
    double shared = sharedBytes(stages) + target.sharedMemoryReservedPerCta;
    return std::floor(std::min<double>(
        {double(target.maxCtasPerMultiprocessor),
         double(target.maxWarpsPerMultiprocessor) / kernel.warps,
         target.sharedMemoryPerMultiprocessor / shared,
         target.registersPerMultiprocessor / (result.registers * threads)}));
  };
  double occupancy = occupancyOf(stages);
  // Loops leave room for enough CTAs before they take more than two buffers
  // (passes/TileGPU/CopiesAhead). Where warps multiply by themselves what ranks
  // first by that is worse: by estimates of the code for an A100 DPLR 1.23,
  // products 1.00 to 1.05.
  if (target.has(target::Capability::Wgmma))
    occupancy = std::max(
        occupancy, std::min(occupancyOf(std::min(stages, 2u)),
                            double(target::countEnoughCtas(kernel.warps))));
  result.occupancy = std::max(1u, static_cast<unsigned>(occupancy));
  return result;
}

//===----------------------------------------------------------------------===//
// What a launch takes
//===----------------------------------------------------------------------===//

namespace {
/// Cycles in which one multiprocessor could do one program, by each unit.
struct UnitCycles {
  double matrix, arithmetic, shared, cache;
};
} // namespace

static UnitCycles countCycles(const Kernel &kernel, const Counts &counts,
                              double programs, bool byGroups,
                              const Target &target, const Device &device) {
  double lanes = device.throughput.floating * Target::warpSize;
  double matrix =
      counts.multiplyAdds /
          multiplyAddRate(counts.operandType, byGroups, target, device) +
      counts.fullMultiplyAdds / lanes;
  double arithmetic = ((counts.arithmetic + 3 * counts.special) / programs +
                       counts.iterations * kernel.warps *
                           iterationInstructions * Target::warpSize) /
                      lanes;
  double operands =
      target.has(target::Capability::Wgmma) &&
              hasMatrixInstructions(counts.operandType, target)
          ? std::min(counts.operandBytes, counts.groupOperandBytes)
          : counts.operandBytes;
  double l2BytesPerCycle =
      byGroups ? device.l2BytesPerCycleOfBulkCopies : device.l2BytesPerCycle;
  // Neighbours take the other parts of a line while it is near.
  double moved = counts.loadedBytes + counts.storedBytes;
  double asked = moved + (counts.lineBytes - moved) / 4;
  return {matrix / programs / reached, arithmetic,
          (operands + counts.loadedBytes) / programs / 128,
          asked / programs / (l2BytesPerCycle / device.multiprocessors) /
              reached};
}

/// From the first to the last element of each tensor with that role, in sum.
static double bytesOf(const Signature &signature, Role role) {
  double bytes = 0;
  for (const TensorParameter &tensor : signature.tensors)
    if (tensor.role == role)
      bytes += double(tensor.elements) * run::byteSize(tensor.type);
  return bytes;
}

/// Seconds in which memory moves what a launch asks it for. `programs`: those
/// of the launch; `used` multiprocessors have `resident` of them each at a
/// time.
static double memorySeconds(const Kernel &kernel, const Counts &counts,
                            double programs, double used, double resident,
                            const Device &device) {
  double moved = counts.loadedBytes + counts.storedBytes;
  double bytes = compulsoryBytes(kernel.signature) +
                 bytesOf(kernel.signature, Role::Workspace);
  if (kernel.touchesSome)
    bytes = std::min(bytes, moved);
  if (kernel.readsAgain) {
    double once = bytesOf(kernel.signature, Role::Input);
    double together = resident * used * once / programs;
    bytes += target::getLostShare(together, device.l2Bytes) *
             std::max(0., counts.loadedBytes - once);
  }
  // Few multiprocessors cannot ask for all that memory gives.
  double share = std::min(1.0, used / device.multiprocessors * 1.5);
  double lines = std::clamp(counts.lineBytes / std::max(moved, 1.), 1., 4.);
  return bytes * (1 + halfLineCost * std::log2(lines)) /
         (device.memoryBandwidth * share);
}

Prediction kernels::predict(const Kernel &kernel, const Counts &counts,
                            const Footprint &footprint, const Target &target,
                            const Device &device) {
  double programs = std::max(counts.programs, 1.0);
  double perMultiprocessor =
      std::ceil(programs / device.countMultiprocessors(counts.clusterPrograms));
  double resident = std::min<double>(footprint.occupancy, perMultiprocessor);
  bool byGroups = multipliesByGroups(counts, target);
  double busy = std::min(1.0, resident * kernel.warps /
                                  (byGroups ? busyWarpsOfGroups : busyWarps));
  double issuing = std::min(1.0, resident * kernel.warps / issuingWarps);
  UnitCycles units =
      countCycles(kernel, counts, programs, byGroups, target, device);
  double compute =
      longest({units.matrix, units.shared}) / busy + units.arithmetic / issuing;
  // A program by itself: each iteration waits for its share of the latency.
  bool hasDots = counts.multiplyAdds + counts.fullMultiplyAdds > 0;
  double overlap = hasDots ? std::max(kernel.stages, 1u) : 1;
  double waiting =
      counts.iterations * std::max(loadLatency / overlap, iterationOverhead) +
      counts.dotSteps * dotLatency + counts.unpackedTiles * unpackLatency +
      programOverhead;
  double rounds = std::ceil(perMultiprocessor / resident);
  double computing = resident * compute, caching = resident * units.cache;
  double together = longest({computing, caching, waiting});
  double cycles = rounds * (together + programOverhead / resident);
  double working = cycles / (device.clock * 1e6);
  double used = std::min<double>(programs, device.multiprocessors);
  double memory =
      memorySeconds(kernel, counts, programs, used, resident, device);
  std::string_view bound = "latency";
  if (memory > working)
    bound = "memory";
  else if (computing > std::max(caching, waiting))
    bound = units.matrix > units.shared + units.arithmetic ? "matrix units"
            : units.arithmetic > units.shared              ? "arithmetic"
                                                           : "shared memory";
  else if (caching > waiting)
    bound = "cache";
  double launching = programs / device.launchedCtasPerMicrosecond * 1e-6;
  double clustering =
      Device::clusterMicroseconds(counts.clusterPrograms) * 1e-6;
  return {longest({memory, working, launching}) + launchSeconds + clustering,
          bound};
}
