// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of calculated numbers share: a kernel that does the same to
// each element, run as compiled code on the emulator and by the reference.
// Elements go in and come out as bits.

#ifndef TILEWRIGHT_TEST_UNIT_NUMERIC_NUMERICTEST_H
#define TILEWRIGHT_TEST_UNIT_NUMERIC_NUMERICTEST_H

#include "dialects/Triton/Triton.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace tilewright::numeric {

using Bits = std::vector<uint64_t>;

/// Elements of a program of the kernels here.
inline constexpr int64_t tileSize = 1024;

/// The tile of the kernels here with elements of `type`.
std::string tileOf(const std::string &type);

/// Loads %x0, %x1, ... of these element types, runs `body`, stores %r.
struct MapKernel {
  std::vector<std::string> inputTypes;
  std::string resultType;
  std::string body;

  /// As tile IR.
  std::string getText() const;
};

class NumericTest : public ::testing::Test {
protected:
  NumericTest();

  /// The result for each element of `inputs` (one entry for each of the
  /// kernel's inputs, all of one size); a failed test where there is none.
  Bits runCompiled(const MapKernel &kernel, const std::vector<Bits> &inputs,
                   const std::string &target, unsigned numWarps = 4);
  /// The same by the reference; `undefinedBits`: of undefined elements.
  Bits runReference(const MapKernel &kernel, const std::vector<Bits> &inputs,
                    uint64_t undefinedBits = 0x5ade5ade5ade5ade);

  /// Expects that the compiled code of every target, with 1 and 4 warps in
  /// turn, gives the bits of the reference; floats that are NaN are all alike.
  void expectReferenceBits(const MapKernel &kernel,
                           const std::vector<Bits> &inputs);

  mlir::Type getType(const std::string &name);
  double decode(const std::string &type, uint64_t bits);
  uint64_t encode(const std::string &type, double value);
  /// Every code of a type of at most 16 bits.
  static Bits allCodes(unsigned bits);
  /// `count` codes of a wider type: of all exponents and signs, and the
  /// neighbours of numbers that the narrower types have, with both specials.
  Bits sampleCodes(const std::string &type, size_t count);

  mlir::MLIRContext context;
  std::string diagnostics;
};

/// The targets that code is made for, oldest first.
const std::vector<std::string> &getTargets();

} // namespace tilewright::numeric

#endif // TILEWRIGHT_TEST_UNIT_NUMERIC_NUMERICTEST_H
