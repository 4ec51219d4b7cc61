// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors of pointers in a thread: one pointer for the registers that lie at
// uniform distances from each other, instead of one for each register.
//
// The bits of the register index whose step is known (RegisterSteps.h) need no
// pointers of their own: the pointer of register r is that of the register with
// those bits clear plus the steps of those that are set. A loop then carries
// one pointer for an affine tile, whatever its size. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_POINTERS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_POINTERS_H

#include "dialects/Layout/SharedLayout.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/RegisterSteps.h"

namespace tilewright::tilegpu {

/// Which registers of which tensors of pointers are kept.
class PointerRegisters {
public:
  /// Decides for all tensors below `root`, on RegisterStepAnalysis's terms.
  explicit PointerRegisters(mlir::Operation *root);

  /// The bits of `tensor`'s register index that are left out; 0 for what is no
  /// tensor of pointers, and where a user needs every register.
  uint64_t getOmittedBits(mlir::Value tensor) const;

  /// The registers of `tensor` that are kept, ascending: those whose omitted
  /// bits are clear.
  llvm::SmallVector<unsigned> getKept(mlir::Value tensor) const;

  /// The registers that `operand` of a branch passes on: those that the block's
  /// argument keeps, which may be more than `operand` does.
  llvm::SmallVector<unsigned> getPassed(mlir::OpOperand &operand) const;

  /// What RegisterStepAnalysis knows of `tensor`, or null.
  const RegisterSteps *lookupSteps(mlir::Value tensor) const {
    return steps.lookup(tensor);
  }

  /// The step of a bit that is left out, in bytes.
  const Step &getStep(mlir::Value tensor, unsigned bit) const;

private:
  RegisterStepAnalysis steps;
  llvm::DenseMap<mlir::Value, uint64_t> omitted;
  /// What the block arguments leave out: a conversion replaces them early.
  llvm::DenseMap<mlir::OpOperand *, uint64_t> omittedByTarget;
};

/// A pointer and a constant number of bytes from it, of 32 bits, as memory
/// instructions take them.
struct Address {
  mlir::Value pointer;
  int64_t bytes = 0;
};

/// The operand of a memory instruction in inline PTX, whose operand number
/// `operand` is the pointer: "[$0+16]".
std::string formatAddress(unsigned operand, const Address &address);

/// How the registers of a thread are accessed in global memory.
struct GlobalVectors : layout::VectorAccess {
  /// Neighbours in a vector that the mask takes or leaves together, a power of
  /// two: all of them, or fewer where the access may leave out those behind the
  /// first few.
  unsigned maskedElements = 1;

  bool mayBeCut() const { return maskedElements < vectorElements; }
};

/// The registers that one instruction of at most `widestBits` takes together
/// for `access`, to tiles of `element` in memory: they hold neighbours along a
/// dimension, which the analysis proves to be consecutive in memory, aligned,
/// and masked as the access allows. One register for scalars.
GlobalVectors planGlobalVectors(const GlobalAccess &access, mlir::Type element,
                                unsigned widestBits, const AxisAnalysis &axes);

/// The addresses of all registers of a tensor of pointers, from those kept.
class PointerReader {
public:
  /// `kept`: what `tensor` was lowered to. Emits at the rewriter's insertion
  /// point, each time that an address is asked for.
  PointerReader(mlir::ConversionPatternRewriter &rewriter,
                mlir::Location location, const PointerRegisters &registers,
                mlir::Value tensor, mlir::ValueRange kept);

  /// The address of a register, or of a scalar pointer (index 0): one
  /// instruction for each scalar in its steps, so none for constant ones.
  Address getAddress(unsigned index);
  /// The same as one pointer.
  mlir::Value getPointer(unsigned index);

private:
  mlir::Value getVariablePart(unsigned index);

  mlir::ConversionPatternRewriter &rewriter;
  Emitter emitter;
  const PointerRegisters &registers;
  mlir::Value tensor;
  uint64_t omitted;
  /// The pointers known so far.
  llvm::DenseMap<unsigned, mlir::Value> pointers;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_POINTERS_H
