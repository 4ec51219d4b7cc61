// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_WIDENBFLOATS_H
#define TILEWRIGHT_LIB_CODEGEN_WIDENBFLOATS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Widens bf16 to f32 by one instruction of integers where two of them are in a
/// register: the lower one is shifted to the upper half, and of the upper one
/// the lower half is cleared.
///
/// bf16 is the upper half of an f32, so that this is exact. As conversions the
/// assembler would first take the upper one out of its register, by one
/// instruction more. (46 of layer_norm's instructions for 144 elements.)
///
/// An f32 that is rounded to bf16 and widened again is the pair of it and zero:
/// the assembler converts pairs at full rate, and numbers alone at a quarter of
/// it (`F2F`), with a shift behind. (33 of 1067 instructions of a gated GELU.)
struct WidenBfloats : llvm::PassInfoMixin<WidenBfloats> {
  /// `convertsPairs`: whether there is an instruction for that.
  explicit WidenBfloats(bool convertsPairs) : convertsPairs(convertsPairs) {}

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  bool convertsPairs;
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_WIDENBFLOATS_H
