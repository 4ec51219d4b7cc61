// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the definitions of all families of ops share.

#ifndef TILEWRIGHT_DIALECTS_TRITON_OPBASE_TD
#define TILEWRIGHT_DIALECTS_TRITON_OPBASE_TD

include "dialects/Interfaces/TileOpInterfaces.td"
include "dialects/Triton/TritonAttributes.td"
include "dialects/Triton/TritonTypes.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/InferIntRangeInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Every tile of the op has sizes that are powers of two and at most 2^20
/// elements.
def TileSizes : NativeOpTrait<"TileSizes"> {
  let cppNamespace = "::tilewright::tt";
}

// What ops say of themselves; the methods are in AxisRules.cpp,
// DataMovement.cpp, ElementwiseOps.cpp and MemoryOps.cpp.
def HasAxisInfo : DeclareOpInterfaceMethods<AxisInfoOpInterface>;
def HasElementCost : DeclareOpInterfaceMethods<ElementCostOpInterface>;
def HasNarrowing : DeclareOpInterfaceMethods<NarrowingOpInterface>;
def HasGlobalAccess : DeclareOpInterfaceMethods<GlobalAccessOpInterface>;
def HasCoordinateMap : DeclareOpInterfaceMethods<CoordinateMapOpInterface>;
/// Moves the elements of its first operand.
def MovesElements : DeclareOpInterfaceMethods<DataMovementOpInterface>;
/// Moves the elements of several operands.
def MovesElementsOfSeveral
    : DeclareOpInterfaceMethods<DataMovementOpInterface,
                                ["getNumMovedOperands"]>;

class TritonOp<string mnemonic, list<Trait> traits = []>
    : Op<TritonDialect, mnemonic, !listconcat(traits, [TileSizes])>;

/// A condition has the shape of what it guards.
class MaskMatches<string subject, string mask>
    : OptionalTypesMatchWith<mask # " has the shape of " # subject, subject,
                             mask, "getBoolLike($_self)">;

#endif // TILEWRIGHT_DIALECTS_TRITON_OPBASE_TD
