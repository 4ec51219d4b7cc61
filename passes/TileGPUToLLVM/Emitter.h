// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM IR for one thread: arithmetic on registers, shuffles, inline PTX.
// Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_EMITTER_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_EMITTER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tilewright::tilegpu {

/// Address spaces of NVPTX (LLVM, "User Guide for NVPTX Back-end").
enum AddressSpace : unsigned {
  globalSpace = 1,
  sharedSpace = 3,
  /// The shared memory of all CTAs of the cluster.
  clusterSpace = 7
};

/// Makes LLVM IR at one location, in one block. All integers are i32 unless
/// said otherwise.
class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, mlir::Location location)
      : builder(builder), location(location) {}

  mlir::Value constant(int64_t value) { return constant(value, 32); }
  mlir::Value constant(int64_t value, unsigned bits);
  mlir::Value zero(mlir::Type type);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value addConstant(mlir::Value a, int64_t b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value bitAnd(mlir::Value a, mlir::Value b);
  mlir::Value bitOr(mlir::Value a, mlir::Value b);
  mlir::Value bitXor(mlir::Value a, mlir::Value b);
  mlir::Value equal(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);
  /// The one of `values`, a power of two of them, that `bits` of `number` name,
  /// the first of them the lowest bit.
  mlir::Value selectByBits(llvm::SmallVector<mlir::Value> values,
                           mlir::Value number, llvm::ArrayRef<unsigned> bits);
  mlir::Value bitcast(mlir::Value value, mlir::Type type);
  /// Reinterprets a scalar (pointers included) as the integer of its width.
  mlir::Value toInteger(mlir::Value value);
  /// The inverse of toInteger for `type`.
  mlir::Value fromInteger(mlir::Value value, mlir::Type type);
  /// base + index * sizeof(element), an index in elements.
  mlir::Value gep(mlir::Value base, mlir::Type element, mlir::Value index);
  /// The pointer `bytes` further.
  mlir::Value advance(mlir::Value pointer, int64_t bytes);
  /// A vector of the values (all of one type), or the value alone.
  mlir::Value packVector(mlir::ValueRange values);
  llvm::SmallVector<mlir::Value> unpackVector(mlir::Value vector);

  /// The thread's number in the agent that runs the code (threadIdx.x, where
  /// that is the whole CTA), its part within the warp, and the warp's number in
  /// the agent.
  mlir::Value threadId();
  mlir::Value laneId();
  mlir::Value warpId();
  /// threadIdx.x.
  mlir::Value threadInCta();

  /// shfl.sync.bfly / .idx over the whole warp, for a value of 8 to 64 bits.
  mlir::Value shuffleXor(mlir::Value value, unsigned laneMask);
  mlir::Value shuffleIndex(mlir::Value value, mlir::Value lane);
  /// shfl.sync.up by `delta`: lanes below delta keep their own value.
  mlir::Value shuffleUp(mlir::Value value, unsigned delta);
  mlir::Value shuffleDown(mlir::Value value, unsigned delta);

  /// A call of an LLVM intrinsic with one result.
  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result,
                        mlir::ValueRange operands);

  /// Inline PTX, for what has no intrinsic: with effects, LLVM takes it to read
  /// and write memory. `constraints` in LLVM's form ("=r,r,l"); several outputs
  /// give a struct, which is unpacked.
  llvm::SmallVector<mlir::Value>
  inlineAssembly(llvm::StringRef text, llvm::StringRef constraints,
                 llvm::ArrayRef<mlir::Type> results, mlir::ValueRange operands,
                 bool hasEffects = true);

  /// Inline PTX that only computes a value: it may be moved or left out.
  mlir::Value pureAssembly(llvm::StringRef text, llvm::StringRef constraints,
                           mlir::Type result, mlir::ValueRange operands);

  mlir::OpBuilder &builder;
  mlir::Location location;

private:
  mlir::Value shuffle(mlir::Value value, mlir::Value lane,
                      mlir::NVVM::ShflKind kind);

  /// By value and width: the indices of vectors ask for the same few.
  llvm::SmallDenseMap<std::pair<int64_t, unsigned>, mlir::Value> constants;
};

/// The elements of one access, 128 bits at most together: as one integer where
/// they are one element or fit 32 bits, and as a vector of i32 otherwise.
/// Narrower elements than `elementBits` (i1) are extended.
mlir::Value packElements(Emitter &emitter, mlir::ValueRange elements,
                         unsigned elementBits);

/// The inverse of packElements for `count` elements of LLVM type `type`.
llvm::SmallVector<mlir::Value> unpackElements(Emitter &emitter,
                                              mlir::Value packed,
                                              unsigned count, mlir::Type type,
                                              unsigned elementBits);

/// The `count` elements of LLVM type `type` that lie together from `address`
/// on, 128 bits at most, and are aligned as one: by one load.
llvm::SmallVector<mlir::Value> loadElements(Emitter &emitter,
                                            mlir::Value address, unsigned count,
                                            mlir::Type type,
                                            unsigned elementBits);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_EMITTER_H
