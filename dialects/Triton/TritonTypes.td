// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_DIALECTS_TRITON_TYPES_TD
#define TILEWRIGHT_DIALECTS_TRITON_TYPES_TD

include "dialects/Triton/TritonDialect.td"
include "mlir/IR/AttrTypeBase.td"

class TritonType<string name, string typeMnemonic>
    : TypeDef<TritonDialect, name> {
  let mnemonic = typeMnemonic;
}

def PointerType : TritonType<"Pointer", "ptr"> {
  let summary = "A pointer to a scalar, or to a tile";
  let description = [{
    `!tt.ptr<f16>` points at elements in global memory, `!tt.ptr<f16, 3>` in
    another address space. `!tt.ptr<tensor<64x64xf16>>` is a block pointer, as
    Triton printed until 2026.
  }];
  let parameters = (ins "::mlir::Type":$pointeeType,
                        DefaultValuedParameter<"int", "1">:$addressSpace);
  let builders = [TypeBuilderWithInferredContext<
      (ins "::mlir::Type":$pointeeType, CArg<"int", "1">:$addressSpace), [{
    return $_get(pointeeType.getContext(), pointeeType, addressSpace);
  }]>];
  let assemblyFormat = "`<` $pointeeType (`,` $addressSpace^)? `>`";
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
}

def TensorDescriptorType : TritonType<"TensorDescriptor", "tensordesc"> {
  let summary = "A tensor in global memory, read and written in blocks";
  let description = [{
    `!tt.tensordesc<64x64xf16>` describes a tensor from which blocks of 64 x 64
    are taken. The older spelling `!tt.tensordesc<tensor<64x64xf16>>` is read
    too, and printed as it was.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType,
                        DefaultValuedParameter<"bool", "false">:$isOldSpelling);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Constraints: a scalar, or a tile of such scalars
//===----------------------------------------------------------------------===//

class ScalarOrTensor<Type element, string description>
    : AnyTypeOf<[element, RankedTensorOf<[element]>], description>;

def TritonFloat : AnyTypeOf<[AnyFloat], "floating point">;
def TritonInteger : AnyTypeOf<[AnySignlessInteger], "integer">;
def TritonFloatLike : ScalarOrTensor<TritonFloat, "floats or tile of floats">;
def TritonIntegerLike : ScalarOrTensor<TritonInteger, "integer or tile of integers">;
def TritonBoolLike : ScalarOrTensor<I1, "i1 or tile of i1">;
def TritonPointerLike : ScalarOrTensor<PointerType, "pointer or tile of pointers">;
def TritonScalar
    : AnyTypeOf<[TritonFloat, TritonInteger, PointerType], "scalar">;
def TritonTensor : RankedTensorOf<[TritonFloat, TritonInteger, PointerType]>;
def TritonValue : AnyTypeOf<[TritonScalar, TritonTensor, TensorDescriptorType],
                            "scalar, tile or descriptor">;

#endif // TILEWRIGHT_DIALECTS_TRITON_TYPES_TD
