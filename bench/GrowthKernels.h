// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of tile IR in any size, by which the growth of compile time is seen.
// Each is made of few operations on tiles: what grows is the tile.

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
  /// The text of the kernel whose threads hold `perThread` elements, a power of
  /// two, of its largest tile.
  std::string (*write)(int64_t perThread);
};

/// Elementwise, reduction, scan and dot; on f16 and on f32; dots by matrix
/// instructions and by multiply-adds.
llvm::ArrayRef<Family> families();

} // namespace tilewright::bench

#endif // TILEWRIGHT_BENCH_GROWTHKERNELS_H
