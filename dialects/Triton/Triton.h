// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tt`: tile IR as Triton prints it.
//
// Comes in: text. Goes out: verified ops on plain tensors, folded and
// canonicalised. It knows no hardware.

#ifndef TILEWRIGHT_DIALECTS_TRITON_TRITON_H
#define TILEWRIGHT_DIALECTS_TRITON_TRITON_H

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright::tt {

/// The largest number of elements of a tile.
inline constexpr int64_t maxTileElements = int64_t(1) << 20;

/// Function attribute (array of i32): for each argument of a kernel as its
/// caller sees it the rank, if it is a tensor descriptor whose address, sizes
/// and strides (i64) the function takes instead, or 0. Missing where a kernel
/// has no descriptors.
inline constexpr llvm::StringLiteral descriptorRanksAttrName =
    "tt.descriptor_ranks";

/// What the hint `tt.divisibility` of a descriptor says: its address, and its
/// strides but for the last one, are multiples of so many bytes. Triton asks
/// that of all descriptors (triton.language.make_tensor_descriptor).
inline constexpr int64_t rowAlignment = 16;

/// Loop attribute (integer): the stages that the program asks for.
inline constexpr llvm::StringLiteral numStagesAttrName = "tt.num_stages";

/// The stages that `loop` asks for itself, at least 1, or else `numStages`.
uint64_t getWantedStages(mlir::Operation *loop, uint64_t numStages);

/// Whether the loop loads tiles and computes with them element by element, and
/// does nothing else but what `alsoStreams` says (null: nothing): it stores
/// nothing, and threads exchange nothing.
bool isStreaming(
    mlir::LoopLikeOpInterface loop,
    llvm::function_ref<bool(mlir::Operation *)> alsoStreams = nullptr);

/// Diagnoses, at the op, a tile among `types` whose sizes are no powers of two,
/// that has more than `maxTileElements` elements, or that holds block pointers.
/// The blocks of block pointers and of tensor descriptors are tiles too.
llvm::LogicalResult verifyTileSizes(mlir::Operation *op, mlir::TypeRange types);

/// The same for the op's operands and results.
llvm::LogicalResult verifyTileSizes(mlir::Operation *op);

/// Sizes of tiles: see verifyTileSizes.
template <typename ConcreteType>
class TileSizes : public mlir::OpTrait::TraitBase<ConcreteType, TileSizes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) {
    return verifyTileSizes(op);
  }
};

/// The type of what pointers of type `type` point at: f16 for !tt.ptr<f16>, and
/// the tile of f16 (with the same encoding) for a tile of such pointers. `type`
/// itself where it is no pointer.
mlir::Type getPointeeLike(mlir::Type type);

/// The pointer to the elements of a block pointer's block.
mlir::Type getBasePointer(mlir::Type blockPointer);

/// i1, or the tile of i1 of the same shape and encoding.
mlir::Type getBoolLike(mlir::Type type);

/// The block of a block pointer, or null for any other type.
mlir::RankedTensorType getBlock(mlir::Type type);

/// Whether both are scalars, or tiles of one shape, encodings aside.
bool haveSameShape(mlir::Type a, mlir::Type b);

/// Bits of a scalar, or of a tile's element; a pointer has 64.
unsigned getElementBits(mlir::Type type);

} // namespace tilewright::tt

#include "dialects/Triton/TritonDialect.h.inc"

#include "dialects/Triton/TritonEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/Triton/TritonAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/Triton/TritonTypes.h.inc"

namespace tilewright::tt {

/// Whether elements in memory of type `a` are read as elements of type `b`:
/// those of descriptors may be signed or unsigned.
bool haveSameBits(mlir::Type a, mlir::Type b);

/// Diagnoses, at the op, a tile that is no block of `descriptor` (leading
/// dimensions of one element may be missing), or a number of indices that is
/// not its rank.
llvm::LogicalResult verifyDescriptorBlock(mlir::Operation *op,
                                          TensorDescriptorType descriptor,
                                          mlir::RankedTensorType tile,
                                          size_t indices);

} // namespace tilewright::tt

#define GET_OP_CLASSES
#include "dialects/Triton/TritonOps.h.inc"

#endif // TILEWRIGHT_DIALECTS_TRITON_TRITON_H
