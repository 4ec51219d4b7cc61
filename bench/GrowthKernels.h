// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of tile IR in any size, by which the growth of compile time is seen.
// What grows is the tile, under few operations, or the number of operations.

#ifndef TILEWRIGHT_BENCH_GROWTHKERNELS_H
#define TILEWRIGHT_BENCH_GROWTHKERNELS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace tilewright::bench {

/// Warps of every kernel here.
constexpr unsigned numWarps = 4;

/// Kernels that differ in size alone.
struct Family {
  const char *name;
  const char *target;
  /// What the size counts.
  const char *unit;
  /// The text of the kernel of this size, a power of two.
  std::string (*write)(int64_t size);
};

/// Elementwise, reduction, scan and dot, whose threads hold as many elements of
/// the largest tile as the size says; on f16 and on f32; dots by matrix
/// instructions and by multiply-adds. And small tiles with a step of a loop,
/// unrolled, as often as the size says.
llvm::ArrayRef<Family> families();

} // namespace tilewright::bench

#endif // TILEWRIGHT_BENCH_GROWTHKERNELS_H
