// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the verifiers of several encodings share. Private to this folder.
//
// An encoding is written by people too, so everything that dialects/Layout
// asserts is diagnosed here before: powers of two, ranks, and sizes that the
// bits of a map can hold.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_ENCODINGVERIFIERS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_ENCODINGVERIFIERS_H

#include "dialects/TileGPU/TileGPU.h"

namespace tilewright::tilegpu {

using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;

/// log2 of the largest tensor that a layout may describe.
inline constexpr unsigned maxTensorBits = 40;

/// log2 of each element; all are powers of two.
template <typename T>
llvm::SmallVector<unsigned> log2Each(llvm::ArrayRef<T> sizes) {
  return llvm::map_to_vector(sizes,
                             [](T size) { return layout::log2Exact(size); });
}

/// The product of powers of two that verifyWarps has admitted.
unsigned productOf(llvm::ArrayRef<unsigned> sizes);

/// The tensor may carry the encoding: rank and shape fit.
llvm::LogicalResult verifyTensor(RegisterLayoutInterface encoding,
                                 llvm::ArrayRef<int64_t> shape,
                                 EmitError emitError);

/// Every dimension is a power of two, and all of them together are no more than
/// 2^maxBits elements; `what` names the tensor.
llvm::LogicalResult verifyShapeBits(EmitError emitError, llvm::StringRef what,
                                    llvm::ArrayRef<int64_t> shape,
                                    unsigned maxBits = maxTensorBits);

/// `rank` values, all powers of two.
llvm::LogicalResult verifyPowersOfTwo(EmitError emitError, llvm::StringRef name,
                                      llvm::ArrayRef<unsigned> values,
                                      size_t rank);

/// Warps in each of `rank` dimensions, at most as many as a CTA may have.
llvm::LogicalResult verifyWarps(EmitError emitError,
                                llvm::ArrayRef<unsigned> warps, size_t rank);

/// A permutation of the dimensions.
llvm::LogicalResult verifyOrder(EmitError emitError,
                                llvm::ArrayRef<unsigned> order);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_ENCODINGVERIFIERS_H
