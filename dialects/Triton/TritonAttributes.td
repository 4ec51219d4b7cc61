// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The enumerations of `tt`. Names and numbers are those of Triton's text: some
// are printed by name and others (`padding = 1 : i32`) by number.

#ifndef TILEWRIGHT_DIALECTS_TRITON_ATTRIBUTES_TD
#define TILEWRIGHT_DIALECTS_TRITON_ATTRIBUTES_TD

include "dialects/Triton/TritonDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

class TritonEnum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tilewright::tt";
}

def ProgramAxis : TritonEnum<"ProgramAxis", "axis of the grid", [
  I32EnumAttrCase<"X", 0, "x">, I32EnumAttrCase<"Y", 1, "y">,
  I32EnumAttrCase<"Z", 2, "z">]>;

def CacheModifier : TritonEnum<"CacheModifier", "cache operator", [
  I32EnumAttrCase<"NONE", 1, "none">, I32EnumAttrCase<"CA", 2, "ca">,
  I32EnumAttrCase<"CG", 3, "cg">, I32EnumAttrCase<"WB", 4, "wb">,
  I32EnumAttrCase<"CS", 5, "cs">, I32EnumAttrCase<"WT", 6, "wt">,
  I32EnumAttrCase<"CV", 7, "cv">]>;

def EvictionPolicy : TritonEnum<"EvictionPolicy", "L2 eviction priority", [
  I32EnumAttrCase<"NORMAL", 1, "evict_normal">,
  I32EnumAttrCase<"EVICT_FIRST", 2, "evict_first">,
  I32EnumAttrCase<"EVICT_LAST", 3, "evict_last">]>;

def PaddingOption : TritonEnum<"PaddingOption", "value outside the tensor", [
  I32EnumAttrCase<"PAD_ZERO", 1, "zero">,
  I32EnumAttrCase<"PAD_NAN", 2, "nan">]>;

def AtomicOperation : TritonEnum<"AtomicOperation", "read-modify-write", [
  I32EnumAttrCase<"AND", 1, "and">, I32EnumAttrCase<"OR", 2, "or">,
  I32EnumAttrCase<"XOR", 3, "xor">, I32EnumAttrCase<"ADD", 4, "add">,
  I32EnumAttrCase<"FADD", 5, "fadd">, I32EnumAttrCase<"MAX", 6, "max">,
  I32EnumAttrCase<"MIN", 7, "min">, I32EnumAttrCase<"UMAX", 8, "umax">,
  I32EnumAttrCase<"UMIN", 9, "umin">, I32EnumAttrCase<"XCHG", 10, "exch">,
  // What tt.descriptor_reduce is said in; Triton prints none of these.
  I32EnumAttrCase<"FMAX", 11, "fmax">, I32EnumAttrCase<"FMIN", 12, "fmin">,
  I32EnumAttrCase<"INC", 13, "inc">, I32EnumAttrCase<"DEC", 14, "dec">]>;

def DescriptorReduceKind : TritonEnum<"DescriptorReduceKind",
                                      "update of a descriptor's block", [
  I32EnumAttrCase<"ADD", 1, "add">, I32EnumAttrCase<"MIN", 2, "min">,
  I32EnumAttrCase<"MAX", 3, "max">, I32EnumAttrCase<"INC", 4, "inc">,
  I32EnumAttrCase<"DEC", 5, "dec">, I32EnumAttrCase<"AND", 6, "and">,
  I32EnumAttrCase<"OR", 7, "or">, I32EnumAttrCase<"XOR", 8, "xor">]>;

def MemorySemantic : TritonEnum<"MemorySemantic", "memory order", [
  I32EnumAttrCase<"RELAXED", 1, "relaxed">,
  I32EnumAttrCase<"ACQUIRE", 2, "acquire">,
  I32EnumAttrCase<"RELEASE", 3, "release">,
  I32EnumAttrCase<"ACQUIRE_RELEASE", 4, "acq_rel">]>;

def MemoryScope : TritonEnum<"MemoryScope", "threads that see the order", [
  I32EnumAttrCase<"GPU", 1, "gpu">, I32EnumAttrCase<"CTA", 2, "cta">,
  I32EnumAttrCase<"SYSTEM", 3, "sys">]>;

def RoundingMode : TritonEnum<"RoundingMode", "rounding of a conversion", [
  I32EnumAttrCase<"RTZ", 0, "rtz">, I32EnumAttrCase<"RTNE", 1, "rtne">,
  I32EnumAttrCase<"RS", 2, "rs">]>;

def InputPrecision : TritonEnum<"InputPrecision", "how f32 operands enter", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">,
  I32EnumAttrCase<"IEEE", 2, "ieee">, I32EnumAttrCase<"BF16x3", 3, "bf16x3">,
  I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;

def PropagateNan : TritonEnum<"PropagateNan", "what a NaN operand gives", [
  I32EnumAttrCase<"NONE", 0, "none">,
  I32EnumAttrCase<"ALL", 65535, "all">]>;

def ScaledElementType : TritonEnum<"ScaledElementType",
                                   "what the elements of a scaled dot encode", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">,
  I32EnumAttrCase<"E2M3", 2, "e2m3">, I32EnumAttrCase<"E3M2", 3, "e3m2">,
  I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;

def CachePolicyAttr : AttrDef<TritonDialect, "CachePolicy"> {
  let mnemonic = "cache_policy";
  let summary = "cache operator and eviction priority, as Triton prints them "
                "since 3.9";
  let description = [{
    `cachePolicy = #tt.cache_policy<cache_modifier = cg>` of a load or a store
    stands for its `cache` and `evict`, which tile-structure-control-flow
    replaces it with.
  }];
  let parameters = (ins
    DefaultValuedParameter<"::tilewright::tt::CacheModifier",
                           "::tilewright::tt::CacheModifier::NONE">:$cache_modifier,
    DefaultValuedParameter<"::tilewright::tt::EvictionPolicy",
                           "::tilewright::tt::EvictionPolicy::NORMAL">:$eviction_policy);
  let assemblyFormat = "(`<` struct(params)^ `>`)?";
}

#endif // TILEWRIGHT_DIALECTS_TRITON_ATTRIBUTES_TD
