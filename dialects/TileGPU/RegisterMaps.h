// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The maps of register layouts, kept by the dialect.
//
// In: a layout and a tensor. Out: where the tensor's elements are. Passes ask
// for the same few maps hundreds of times (how many registers a value takes,
// what a pattern moves), and building one costs more than what is asked of it.

#ifndef TILEWRIGHT_DIALECTS_TILEGPU_REGISTERMAPS_H
#define TILEWRIGHT_DIALECTS_TILEGPU_REGISTERMAPS_H

#include "dialects/TileGPU/TileGPU.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <mutex>

namespace tilewright::tilegpu {

/// What the dialect keeps.
class RegisterMaps : public mlir::DialectInterface::Base<RegisterMaps> {
public:
  explicit RegisterMaps(mlir::Dialect *dialect) : Base(dialect) {}

  /// See getRegisterMap().
  const layout::LinearLayout &get(mlir::RankedTensorType type,
                                  RegisterLayoutInterface layout);

private:
  std::mutex mutex;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>,
                 std::unique_ptr<layout::LinearLayout>>
      maps;
};

/// layout.toLinearLayout(type.getShape()), made once in a context, as types
/// are: it stays as long as the context does. `type`'s own encoding does not
/// count. May be called by several threads.
const layout::LinearLayout &getRegisterMap(mlir::RankedTensorType type,
                                           RegisterLayoutInterface layout);

} // namespace tilewright::tilegpu

MLIR_DECLARE_EXPLICIT_TYPE_ID(tilewright::tilegpu::RegisterMaps)

#endif // TILEWRIGHT_DIALECTS_TILEGPU_REGISTERMAPS_H
