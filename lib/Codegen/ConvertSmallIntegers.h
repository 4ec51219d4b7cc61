// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_CONVERTSMALLINTEGERS_H
#define TILEWRIGHT_LIB_CODEGEN_CONVERTSMALLINTEGERS_H

#include "llvm/IR/PassManager.h"

namespace tilewright::codegen {

/// Converts integers of few bits to floats by logic and an addition: those that
/// are loaded as bytes, or that shifts and masks take from words of several.
///
/// The bits are put under the exponent whose unit is 1, or a power of two for
/// those above a word's lowest, and what that adds is taken away again, which
/// rounds nothing (Y. J. Kim et al., "Who Says Elephants Can't Run: Bringing
/// Large Scale MoE Models into Cloud Scale Production", 2022). Two f16 or bf16
/// of a register take one permutation of bytes, one `lop3` and one addition.
/// The hardware's conversion (`I2F`) has a fraction of the rate of these, and
/// the shifts and masks come on top: products of 4-bit weights by Triton
/// kernels took 0.81 and 0.86 of their time on an H200.
struct ConvertSmallIntegers : llvm::PassInfoMixin<ConvertSmallIntegers> {
  /// `multipliesBfloats`: whether there are multiply-adds of bf16.
  explicit ConvertSmallIntegers(bool multipliesBfloats)
      : multipliesBfloats(multipliesBfloats) {}

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);

private:
  bool multipliesBfloats;
};

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_CONVERTSMALLINTEGERS_H
