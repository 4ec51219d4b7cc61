// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs of wgmma.mma_async: every shape, type, place of A, major order and
// swizzle, with what a plain product gives.

#ifndef TILEWRIGHT_TEST_HOPPER_PRODUCTS_H
#define TILEWRIGHT_TEST_HOPPER_PRODUCTS_H

#include "test/Hopper/Numbers.h"
#include "test/Hopper/Program.h"

namespace tilewright::hopper {

/// A matrix in shared memory, and the descriptor that says so.
struct SharedMatrix {
  unsigned rows = 0;
  bool isTransposed = false;
  /// 16 (none), 32, 64 or 128.
  unsigned swizzle = 16;
  /// Bytes from the pattern's begin to the matrix along K (K contiguous), and
  /// 16-byte gaps between the parts that the offsets lead to.
  unsigned kOffset = 0, gap = 0;
  /// 128-byte lines from a multiple of 1024 to the pattern's begin.
  unsigned firstLine = 0;
};

/// One product.
struct Product {
  std::string name;
  unsigned n = 8;
  ElementType a, b, d;
  bool isAInRegisters = false, adds = true, saturates = false;
  bool negatesA = false, negatesB = false;
  SharedMatrix matrixA, matrixB;

  unsigned k() const { return 32 / a.bytes; }
};

HopperProgram makeProgram(const Product &product, uint64_t seed);

/// Every legal shape, type, place and order; the rest is drawn.
std::vector<Product> allProducts();
/// Every pair of swizzles and orders for one shape of each type.
std::vector<Product> allSwizzles();
/// Matrices whose pattern begins at a line of its own (base offsets).
std::vector<Product> allBaseOffsets();

} // namespace tilewright::hopper

#endif // TILEWRIGHT_TEST_HOPPER_PRODUCTS_H
