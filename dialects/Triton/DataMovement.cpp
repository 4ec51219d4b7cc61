// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DataMovementOpInterface and CoordinateMapOpInterface for `tt`: where the
// elements of tiles come from.

#include "dialects/Layout/CoordinateMaps.h"
#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;
using layout::LinearLayout;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

unsigned CatOp::getNumMovedOperands() { return 2; }

unsigned JoinOp::getNumMovedOperands() { return 2; }

LinearLayout ExpandDimsOp::getCoordinateMap() {
  int axis = getAxis();
  return layout::makeDimensionMap(
      getShape(getResult()), getShape(getSrc()), [=](unsigned dim) {
        return int(dim) == axis ? -1 : int(dim) - (int(dim) > axis ? 1 : 0);
      });
}

LinearLayout BroadcastOp::getCoordinateMap() {
  return layout::makeDimensionMap(getShape(getResult()), getShape(getSrc()),
                                  [](unsigned dim) { return int(dim); });
}

LinearLayout TransOp::getCoordinateMap() {
  ArrayRef<int32_t> order = getOrder();
  return layout::makeDimensionMap(getShape(getResult()), getShape(getSrc()),
                                  [=](unsigned dim) { return order[dim]; });
}

/// Row-major order is right for a reshape that allows any, too.
LinearLayout ReshapeOp::getCoordinateMap() {
  return layout::makeReshapeMap(getShape(getResult()), getShape(getSrc()));
}

LinearLayout JoinOp::getCoordinateMap() {
  int rank = getShape(getLhs()).size();
  return layout::makeDimensionMap(
      getShape(getResult()), getShape(getLhs()),
      [=](unsigned dim) { return int(dim) < rank ? int(dim) : -1; });
}
