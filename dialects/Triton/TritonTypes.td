// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of `tt`, and the constraints that its ops put on types. No
// constraint looks at a tensor's encoding: later stages put layouts there.

#ifndef TILEWRIGHT_DIALECTS_TRITON_TYPES_TD
#define TILEWRIGHT_DIALECTS_TRITON_TYPES_TD

include "dialects/Triton/TritonDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"

class TritonType<string name, string typeMnemonic, list<Trait> traits = []>
    : TypeDef<TritonDialect, name, traits> {
  let mnemonic = typeMnemonic;
}

def PointerType : TritonType<"Pointer", "ptr", [
    DeclareTypeInterfaceMethods<PtrLikeTypeInterface>]> {
  let summary = "A pointer to a scalar, or to a tile";
  let description = [{
    `!tt.ptr<f16>` points to elements in global memory, `!tt.ptr<f16, 3>` in
    another address space (NVVM's numbers). `!tt.ptr<tensor<64x64xf16>>` is a
    block pointer (tt.make_tensor_ptr), as Triton printed until 2026. A pointer
    has 64 bits; an i1 that it points to is a byte in memory.
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
    `!tt.tensordesc<64x64xf16>` describes a tensor that is accessed in blocks of
    64 x 64; the tensor's own size and strides are known only at run time. The
    older spelling `!tt.tensordesc<tensor<64x64xf16>>` is also parsed, and
    printed unchanged. Elements may be signed or unsigned integers (`ui8`): the
    tiles read and written are signless nevertheless.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$blockType,
                        DefaultValuedParameter<"bool", "false">:$isOldSpelling);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints: a scalar, or a tile of such scalars
//===----------------------------------------------------------------------===//

class ScalarOrTensor<Type element, string description>
    : AnyTypeOf<[element, RankedTensorOf<[element]>], description>;

def TritonFloat
    : AnyTypeOf<[F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ, F16, BF16, F32, F64],
                "f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f16, bf16, f32 or "
                "f64">;
def TritonInteger
    : AnyTypeOf<[I1, I<4>, I8, I16, I32, I64], "i1, i4, i8, i16, i32 or i64">;
def TritonFloatLike : ScalarOrTensor<TritonFloat, "a float or a tile of floats">;
def TritonIntegerLike
    : ScalarOrTensor<TritonInteger, "an integer or a tile of integers">;
def TritonBoolLike : ScalarOrTensor<I1, "i1 or a tile of i1">;
def TritonPointerLike
    : ScalarOrTensor<PointerType, "a pointer or a tile of pointers">;
def TritonScalar
    : AnyTypeOf<[TritonFloat, TritonInteger, PointerType],
                "a float (f8E4M3FN, f8E4M3FNUZ, f8E5M2, f8E5M2FNUZ, f16, bf16, "
                "f32, f64), an integer (i1, i4, i8, i16, i32, i64) or a "
                "pointer">;
def TritonTensor : RankedTensorOf<[TritonScalar]>;
def TritonScalarOrTensor
    : ScalarOrTensor<TritonScalar, "a scalar or a tile">;
def TritonValue : AnyTypeOf<[TritonScalar, TritonTensor, TensorDescriptorType],
                            "a scalar, a tile or a tensor descriptor">;

#endif // TILEWRIGHT_DIALECTS_TRITON_TYPES_TD
