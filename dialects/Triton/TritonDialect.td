// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `tt`: Triton's tile IR, as text that Triton 3.0 and later prints.

#ifndef TILEWRIGHT_DIALECTS_TRITON_DIALECT_TD
#define TILEWRIGHT_DIALECTS_TRITON_DIALECT_TD

include "mlir/IR/OpBase.td"

def TritonDialect : Dialect {
  let name = "tt";
  let cppNamespace = "::tilewright::tt";
  let summary = "Tile-level kernels, independent of hardware";
  let description = [{
    A kernel is a `tt.func` that runs once for each program of a grid. Its
    values are scalars, pointers and ranked tensors (tiles) whose sizes are
    powers of two. The ops, types and assembly syntax are those of Triton's own
    tile IR, so that the output of Triton's front end can be parsed; the
    definitions are this project's.

    Tensors may have an encoding, which later stages add; no op of this dialect
    inspects it.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
    "::mlir::ub::UBDialect"
  ];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // TILEWRIGHT_DIALECTS_TRITON_DIALECT_TD
