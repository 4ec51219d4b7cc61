// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tilegpu`: layout encodings, memory descriptors, conversions,
// copies, barriers, matrix instructions.
//
// Comes in: tensor types of `tt` programs. Goes out: the same tensors with
// encodings, and ops on shared memory. It knows no target: which instruction a
// GPU has is asked of dialects/Target.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_TILEGPU_H
#define TILEWRIGHT_DIALECTS_TILEGPU_TILEGPU_H

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Layout/LinearLayout.h"
#include "dialects/Layout/MatrixDescriptor.h"
#include "dialects/Layout/Padding.h"
#include "dialects/Target/Target.h"
#include "dialects/TileGPU/SharedAccess.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilewright::layout {
/// So that a layout can be a parameter of an attribute.
llvm::hash_code hash_value(const LinearLayout &layout);
} // namespace tilewright::layout

namespace tilewright::tilegpu {
/// Shared memory, as the resource of memory effects.
struct SharedMemoryResource
    : public mlir::SideEffects::Resource::Base<SharedMemoryResource> {
  llvm::StringRef getName() final { return "SharedMemory"; }
};
/// The named barriers of a CTA, likewise.
struct NamedBarrierResource
    : public mlir::SideEffects::Resource::Base<NamedBarrierResource> {
  llvm::StringRef getName() final { return "NamedBarriers"; }
};
} // namespace tilewright::tilegpu

#include "dialects/TileGPU/TileGPUInterfaces.h.inc"

#include "dialects/TileGPU/TileGPUDialect.h.inc"

#include "dialects/TileGPU/TileGPUEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/TileGPU/TileGPUAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/TileGPU/TileGPUTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/TileGPU/TileGPUOps.h.inc"

namespace tilewright::tilegpu {

/// The register layout of a tensor type, or none where it has no such encoding.
RegisterLayoutInterface getRegisterLayout(mlir::Type type);

/// The linear layout of a tensor type that has a register layout.
layout::LinearLayout toLinearLayout(mlir::RankedTensorType type);

/// The tensor that the registers of a value of `type` hold, or may hold once a
/// product is complete (`!tilegpu.pending`); null where it is no such value.
mlir::RankedTensorType getHeldTensor(mlir::Type type);

/// The layout of operand `index` (0: left, 1: right) of `shape` where every
/// thread holds all of K for the rows or columns that `result`, of rank 2 or 3,
/// gives it.
layout::LinearLayout getThreadOperandLayout(RegisterLayoutInterface result,
                                            unsigned index,
                                            llvm::ArrayRef<int64_t> shape);

/// What operand `operand` (0: left, 1: right) of elements of `elementBits` is
/// to an instruction whose result is under `accumulator`.
layout::DescriptorOperand getDescriptorOperand(unsigned elementBits,
                                               WgmmaAttr accumulator,
                                               unsigned operand);

/// How the instruction finds that operand in `tile`; none where no descriptor
/// can say it.
std::optional<layout::MatrixDescriptor>
findMatrixDescriptor(MemDescType tile, WgmmaAttr accumulator, unsigned operand);

/// A tile in shared memory may have the encoding: rank, shape and the width of
/// an element fit.
llvm::LogicalResult
verifySharedTile(SharedLayoutInterface encoding, llvm::ArrayRef<int64_t> shape,
                 unsigned elementBits,
                 llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// `type` with another encoding.
mlir::RankedTensorType withEncoding(mlir::RankedTensorType type,
                                    mlir::Attribute encoding);

/// Width of an element in memory: i1 takes a byte, a pointer 64 bits.
unsigned getMemoryBits(mlir::Type elementType);

/// Whether a value, of a tensor each element, is known to be 0, and not -0.
bool isZero(mlir::Value value);

/// Whether `op`, or one that it contains, multiplies matrices.
bool hasProducts(mlir::Operation *op);

/// Warps of the agent that runs `op`; those of a function are its attribute
/// `tilegpu.num_warps`, 0 where there is none.
unsigned lookupNumWarps(mlir::Operation *op);

/// CTAs of a cluster that `op` runs in; 1 where there are no clusters.
unsigned lookupCluster(mlir::Operation *op);

/// Name of the target that the module around `op` was compiled for, or "".
llvm::StringRef lookupTargetName(mlir::Operation *op);

/// The target's row; null after an error at `op` where no target of that name
/// is known.
const target::Target *requireTarget(mlir::Operation *op);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_TILEGPU_H
