// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tile`: what Triton's tile IR cannot say.

#ifndef TILEWRIGHT_DIALECTS_TILE_DIALECT_TD
#define TILEWRIGHT_DIALECTS_TILE_DIALECT_TD

include "mlir/IR/OpBase.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::tilewright::tile";
  let summary = "Tile ops beyond Triton's, independent of hardware";
  let description = [{
    Ops that quantized matrix multiplication and linear attention need, and that
    compile better as one op than as a composition of `tt` ops. They are pure
    (but for what programs give to each other, `tile.reduce_scatter`), and work on
    the plain tiles of `tt`. An op belongs here only where a composition of `tt`
    ops cannot be compiled as well.
  }];
  let dependentDialects = ["::tilewright::tt::TritonDialect"];
}

#endif // TILEWRIGHT_DIALECTS_TILE_DIALECT_TD
