// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The matrix instructions, one row for each shape and combination of types.
// Source: NVIDIA, "Parallel Thread Execution ISA" 9.0, sections "mma" and
// "wgmma.mma_async": tables of shapes and types, "PTX ISA Notes" for the
// versions. Every synchronous row was assembled by ptxas 13.0.88.

#include "dialects/Target/Target.h"

using namespace tilewright::target;

using enum ElementType;

/// A row of `mma.sync`, executed by one warp.
static constexpr MatrixInstruction mma(std::string_view name, unsigned m,
                                       unsigned n, unsigned k, ElementType a,
                                       ElementType b, ElementType accumulator,
                                       Capability capability,
                                       PtxVersion ptxVersion) {
  return {.name = name,
          .m = m,
          .n = n,
          .k = k,
          .a = a,
          .b = b,
          .accumulator = accumulator,
          .warps = 1,
          .capability = capability,
          .ptxVersion = ptxVersion};
}

/// A row of `wgmma.mma_async`, executed by the four warps of a warp group on
/// 64 rows. n runs from 8 to 256; the integer kinds allow only multiples of 16
/// above 32, of which the row keeps the regular part (multiples of 16).
static constexpr MatrixInstruction wgmma(std::string_view name, unsigned k,
                                         ElementType a, ElementType b,
                                         ElementType accumulator) {
  unsigned step = accumulator == S32 ? 16 : 8;
  return {.name = name,
          .m = 64,
          .n = step,
          .k = k,
          .a = a,
          .b = b,
          .accumulator = accumulator,
          .nStep = step,
          .nLargest = 256,
          .asynchronous = true,
          .warps = 4,
          .capability = Capability::Wgmma,
          .ptxVersion = 80};
}

// Both signs of each operand, and both fp8 formats, may be mixed.
#define TILEWRIGHT_MIXED(ROW, FIRST, SECOND, ...)                              \
  ROW(FIRST, FIRST, __VA_ARGS__), ROW(FIRST, SECOND, __VA_ARGS__),             \
      ROW(SECOND, FIRST, __VA_ARGS__), ROW(SECOND, SECOND, __VA_ARGS__)
#define TILEWRIGHT_MMA(A, B, NAME, M, N, K, ACCUMULATOR, CAPABILITY, PTX)      \
  mma(NAME, M, N, K, A, B, ACCUMULATOR, Capability::CAPABILITY, PTX)
#define TILEWRIGHT_WGMMA(A, B, NAME, K, ACCUMULATOR)                           \
  wgmma(NAME, K, A, B, ACCUMULATOR)

static constexpr MatrixInstruction instructions[] = {
    // Volta: four quad-pairs of eight lanes each compute an 8x8x4 product.
    mma("mma.sync.aligned.m8n8k4", 8, 8, 4, F16, F16, F32,
        Capability::MmaQuadPair, 64),
    mma("mma.sync.aligned.m8n8k4", 8, 8, 4, F16, F16, F16,
        Capability::MmaQuadPair, 64),

    // Turing.
    mma("mma.sync.aligned.m16n8k8", 16, 8, 8, F16, F16, F32,
        Capability::MmaTuring, 65),
    mma("mma.sync.aligned.m16n8k8", 16, 8, 8, F16, F16, F16,
        Capability::MmaTuring, 65),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, S8, U8, "mma.sync.aligned.m8n8k16", 8, 8,
                     16, S32, MmaTuring, 65),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, S4, U4, "mma.sync.aligned.m8n8k32", 8, 8,
                     32, S32, MmaTuring, 65),

    // Ampere.
    mma("mma.sync.aligned.m16n8k16", 16, 8, 16, F16, F16, F32,
        Capability::MmaAmpere, 70),
    mma("mma.sync.aligned.m16n8k16", 16, 8, 16, F16, F16, F16,
        Capability::MmaAmpere, 70),
    mma("mma.sync.aligned.m16n8k16", 16, 8, 16, BF16, BF16, F32,
        Capability::MmaAmpere, 70),
    mma("mma.sync.aligned.m16n8k8", 16, 8, 8, BF16, BF16, F32,
        Capability::MmaAmpere, 70),
    mma("mma.sync.aligned.m16n8k8", 16, 8, 8, TF32, TF32, F32,
        Capability::MmaAmpere, 70),
    mma("mma.sync.aligned.m16n8k4", 16, 8, 4, TF32, TF32, F32,
        Capability::MmaAmpere, 70),
    mma("mma.sync.aligned.m8n8k4", 8, 8, 4, F64, F64, F64,
        Capability::MmaAmpere, 70),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, S8, U8, "mma.sync.aligned.m16n8k32", 16, 8,
                     32, S32, MmaAmpere, 70),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, S8, U8, "mma.sync.aligned.m16n8k16", 16, 8,
                     16, S32, MmaAmpere, 70),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, S4, U4, "mma.sync.aligned.m16n8k64", 16, 8,
                     64, S32, MmaAmpere, 70),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, S4, U4, "mma.sync.aligned.m16n8k32", 16, 8,
                     32, S32, MmaAmpere, 70),

    // Ada. Halves of the shape and of the accumulator came later (PTX 8.7).
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, E4M3, E5M2, "mma.sync.aligned.m16n8k32",
                     16, 8, 32, F32, MmaFp8, 84),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, E4M3, E5M2, "mma.sync.aligned.m16n8k32",
                     16, 8, 32, F16, MmaFp8, 87),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, E4M3, E5M2, "mma.sync.aligned.m16n8k16",
                     16, 8, 16, F32, MmaFp8, 87),
    TILEWRIGHT_MIXED(TILEWRIGHT_MMA, E4M3, E5M2, "mma.sync.aligned.m16n8k16",
                     16, 8, 16, F16, MmaFp8, 87),

    // Hopper.
    mma("mma.sync.aligned.m16n8k16", 16, 8, 16, F64, F64, F64,
        Capability::MmaWideF64, 78),
    mma("mma.sync.aligned.m16n8k8", 16, 8, 8, F64, F64, F64,
        Capability::MmaWideF64, 78),
    mma("mma.sync.aligned.m16n8k4", 16, 8, 4, F64, F64, F64,
        Capability::MmaWideF64, 78),

    // Hopper: asynchronous; K is 32 bytes.
    wgmma("wgmma.mma_async.sync.aligned.m64nNk16", 16, F16, F16, F32),
    wgmma("wgmma.mma_async.sync.aligned.m64nNk16", 16, F16, F16, F16),
    wgmma("wgmma.mma_async.sync.aligned.m64nNk16", 16, BF16, BF16, F32),
    wgmma("wgmma.mma_async.sync.aligned.m64nNk8", 8, TF32, TF32, F32),
    TILEWRIGHT_MIXED(TILEWRIGHT_WGMMA, S8, U8,
                     "wgmma.mma_async.sync.aligned.m64nNk32", 32, S32),
    TILEWRIGHT_MIXED(TILEWRIGHT_WGMMA, E4M3, E5M2,
                     "wgmma.mma_async.sync.aligned.m64nNk32", 32, F32),
    TILEWRIGHT_MIXED(TILEWRIGHT_WGMMA, E4M3, E5M2,
                     "wgmma.mma_async.sync.aligned.m64nNk32", 32, F16),
};

#undef TILEWRIGHT_WGMMA
#undef TILEWRIGHT_MMA
#undef TILEWRIGHT_MIXED

std::span<const MatrixInstruction> tilewright::target::allMatrixInstructions() {
  return instructions;
}

std::string_view tilewright::target::elementTypeName(ElementType type) {
  switch (type) {
  case F16:
    return "f16";
  case BF16:
    return "bf16";
  case TF32:
    return "tf32";
  case F32:
    return "f32";
  case F64:
    return "f64";
  case S8:
    return "s8";
  case U8:
    return "u8";
  case S4:
    return "s4";
  case U4:
    return "u4";
  case S32:
    return "s32";
  case E4M3:
    return "e4m3";
  case E5M2:
    return "e5m2";
  }
  return "";
}

unsigned tilewright::target::elementTypeBits(ElementType type) {
  switch (type) {
  case S4:
  case U4:
    return 4;
  case S8:
  case U8:
  case E4M3:
  case E5M2:
    return 8;
  case F16:
  case BF16:
    return 16;
  case TF32:
  case F32:
  case S32:
    return 32;
  case F64:
    return 64;
  }
  return 0;
}
