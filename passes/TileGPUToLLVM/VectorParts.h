// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_VECTORPARTS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_VECTORPARTS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace tilewright::tilegpu {

/// Which element of which vector a value is.
struct VectorPart {
  mlir::Value vector;
  unsigned number;
};

/// None where `value` is not extracted from a vector, at a constant position.
std::optional<VectorPart> findVectorPart(mlir::Value value);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_VECTORPARTS_H
