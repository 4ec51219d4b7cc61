// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of attachPlacementModels, by kinds of ops. Private to this folder.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_MODELS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_MODELS_H

#include "dialects/TileGPU/Placement/Placement.h"

namespace tilewright::tilegpu {

/// Loads, stores and atomics of global memory.
void attachAccessPlacement(mlir::RegisteredOperationName name);
/// Views and joins, by their coordinate maps.
void attachViewPlacement(mlir::RegisteredOperationName name);
/// tt.split, whose halves lie in one thread.
void attachSplitPlacement(mlir::MLIRContext &context);
/// tt.reduce, tt.scan, tt.gather and tt.histogram.
void attachAxisPlacement(mlir::MLIRContext &context);
/// tt.dot.
void attachDotPlacement(mlir::MLIRContext &context);
/// tile.dequantize.
void attachDequantizePlacement(mlir::MLIRContext &context);
/// tile.reduce_scatter.
void attachClusterPlacement(mlir::MLIRContext &context);

/// The base of models, with what most of them answer alike.
template <typename Model>
struct PlacementModel
    : PlacementOpInterface::ExternalModel<Model, mlir::Operation *> {
  mlir::RankedTensorType getPlacedType(mlir::Operation *op) const {
    return getFirstTensor(op);
  }
  llvm::SmallVector<Implementation>
  listImplementations(mlir::Operation *, const PlacementContext &) const {
    return {};
  }
  RegisterLayoutInterface
  proposeForOperand(mlir::Operation *, mlir::OpOperand &,
                    RegisterLayoutInterface held) const {
    return held;
  }
  RegisterLayoutInterface
  proposeForResult(mlir::Operation *, unsigned,
                   RegisterLayoutInterface wanted) const {
    return wanted;
  }
  RegisterLayoutInterface getDefaultLayout(mlir::Operation *op,
                                           unsigned numWarps) const {
    mlir::RankedTensorType type =
        static_cast<const Model *>(this)->getPlacedType(op);
    return tilegpu::getDefaultLayout(op->getContext(), type.getShape(),
                                     numWarps);
  }
  std::optional<Implementation>
  implementInSharedMemory(mlir::Operation *, unsigned, const SharedPlacement &,
                          const PlacementContext &) const {
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Value> realize(mlir::Operation *, mlir::ValueRange,
                                         const Implementation &,
                                         const PlacementContext &) const {
    return {};
  }
};

/// Gives `Model` to the ops of type `Ops`, which are loaded.
template <typename Model, typename... Ops>
void attachPlacement(mlir::MLIRContext &context) {
  (mlir::RegisteredOperationName::lookup(Ops::getOperationName(), &context)
       ->template attachInterface<Model>(),
   ...);
}

/// The coordinates of `map` in the order dim0, dim1, ..., as encodings have
/// them.
layout::LinearLayout inDimensionOrder(const layout::LinearLayout &map);

/// The layout of a source of which every thread holds just what its elements of
/// a result under `result` come of: element c of the result of element map(c).
layout::LinearLayout inferSource(const layout::LinearLayout &result,
                                 const layout::LinearLayout &map);

/// The columns of `input`, from its lowest bit up.
std::vector<uint64_t> listColumns(const layout::LinearLayout &map,
                                  layout::Axis input);

/// What an elementwise op costs under `layout`.
uint64_t getElementwisePrice(mlir::Operation *op,
                             RegisterLayoutInterface layout,
                             const target::InstructionPrices &prices);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_DIALECTS_TILEGPU_PLACEMENT_MODELS_H
