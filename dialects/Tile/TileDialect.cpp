// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tile`: its registration and the generated halves of its ops.

#include "dialects/Tile/Tile.h"
#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

#include "dialects/Tile/TileDialect.cpp.inc"

#include "dialects/Tile/TileEnums.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/Tile/TileOps.cpp.inc"

namespace {
/// All ops may go anywhere: where one must not, a pass says so behind inlining.
struct TileInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *destination, bool wouldBeCloned,
                       IRMapping &mapping) const final {
    return true;
  }
};
} // namespace

void TileDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Tile/TileOps.cpp.inc"
      >();
  addInterfaces<TileInliner>();
}
