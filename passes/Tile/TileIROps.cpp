// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/Tile/TileIROps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

ArrayRef<StringLiteral> tile::getTileIRDialects() {
  static constexpr StringLiteral dialects[] = {"tt",  "tile", "arith", "math",
                                               "scf", "cf",   "ub"};
  return dialects;
}

template <typename... Ops>
static bool isOneOf(OperationName name) {
  return ((name.getTypeID() == TypeID::get<Ops>()) || ...);
}

bool tile::lacksLowering(OperationName name) {
  return isOneOf<cf::AssertOp>(name) ||
         isOneOf<arith::ScalingExtFOp, arith::ScalingTruncFOp>(name) ||
         isOneOf<math::ClampFOp, math::IPowIOp, math::IsNormalOp>(name) ||
         isOneOf<scf::ForallOp, scf::InParallelOp, scf::ParallelOp,
                 scf::ReduceOp, scf::ReduceReturnOp>(name);
}
