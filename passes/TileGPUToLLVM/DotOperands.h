// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which register of a thread holds which element of a dot's operands and
// result. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_DOTOPERANDS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_DOTOPERANDS_H

#include "passes/TileGPUToLLVM/Lowering.h"

#include <array>
#include <map>

namespace tilewright::tilegpu {

/// An element of a dot's result.
struct DotCoordinate {
  uint64_t batch, row, column;
};

/// The registers of lane 0 of warp 0 by coordinate. Other threads hold elements
/// that differ from those by a coordinate of the thread; what lane 0 computes
/// from register to register, every thread computes.
class DotRegisters {
public:
  /// The tensors of a dot of rank 2, or 3 with a leading batch, under
  /// (register, lane, warp) -> coordinates. None where an operand differs in
  /// its warps from the result.
  static std::optional<DotRegisters> create(const layout::LinearLayout &lhs,
                                            const layout::LinearLayout &rhs,
                                            const layout::LinearLayout &result);

  DotCoordinate getResultCoordinate(unsigned index) const {
    return resultCoordinates[index];
  }
  /// Coordinates are taken modulo the tensor: where it is smaller than a
  /// fragment, threads and registers repeat it.
  unsigned findResult(const DotCoordinate &coordinate) const;
  unsigned findLhs(uint64_t batch, uint64_t row, uint64_t k) const;
  unsigned findRhs(uint64_t batch, uint64_t k, uint64_t column) const;

  /// The coordinates along K of the left operand's registers, ascending.
  llvm::ArrayRef<uint64_t> getLaneK() const { return laneK; }
  /// Both operands distribute K in the same way among registers and lanes.
  bool isSameK() const { return sameK; }

private:
  using Coordinates = std::array<uint64_t, 3>;
  struct Operand {
    Coordinates mask;
    std::map<Coordinates, unsigned> registers;
    unsigned find(Coordinates coordinates) const;
  };
  static Operand getOperand(const layout::LinearLayout &layout);

  Operand lhs, rhs, result;
  llvm::SmallVector<DotCoordinate> resultCoordinates;
  llvm::SmallVector<uint64_t> laneK;
  bool sameK = false;
};

/// tilegpu.multiply_add; part of populateDotPatterns.
void populateMultiplyAddPatterns(const TileGPUTypeConverter &converter,
                                 const target::Target &target,
                                 mlir::RewritePatternSet &patterns);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_DOTOPERANDS_H
