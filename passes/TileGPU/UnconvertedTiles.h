// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles as they were before they changed threads: what is computed element by
// element of conversions can be computed before them. Private to this folder.

#ifndef TILEWRIGHT_PASSES_TILEGPU_UNCONVERTEDTILES_H
#define TILEWRIGHT_PASSES_TILEGPU_UNCONVERTEDTILES_H

#include "dialects/Target/Target.h"
#include "mlir/IR/Builders.h"

namespace tilewright::tilegpu {

/// The layout from which all that `tile` is computed of element by element, in
/// a few ops, has been converted by way of shared memory; null where there is
/// none.
mlir::Attribute findUnconvertedLayout(mlir::Value tile,
                                      const target::Target &target);

/// Tiles as they were before they were converted from `layout`: what is
/// computed of them is computed there instead.
class UnconvertedTiles {
public:
  UnconvertedTiles(mlir::OpBuilder &builder, mlir::Attribute layout)
      : builder(builder), layout(layout) {}

  /// `tile`, of which findUnconvertedLayout gave the layout, at the builder's
  /// place.
  mlir::Value make(mlir::Value tile);

private:
  mlir::OpBuilder &builder;
  mlir::Attribute layout;
  llvm::DenseMap<mlir::Value, mlir::Value> made;
};

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPU_UNCONVERTEDTILES_H
