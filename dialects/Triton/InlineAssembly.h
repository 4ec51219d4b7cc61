// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers that inline assembly on elements takes and gives. LLVM's back
// end ends the process on constraints and texts that do not fit each other, so
// what this refuses must not reach it.

#ifndef TILEWRIGHT_DIALECTS_TRITON_INLINEASSEMBLY_H
#define TILEWRIGHT_DIALECTS_TRITON_INLINEASSEMBLY_H

#include "dialects/Triton/Triton.h"

#include <string>

namespace tilewright::tt {

/// One register of the assembly: its constraint's letter, and the elements that
/// lie in it, the first in the lowest bits.
struct AssemblyRegister {
  char letter = 'r';
  unsigned elements = 1;

  /// Bits that the letter stands for; 0 where it is none of b, c, h, r, l, q,
  /// f, d, and of i and n, which take constants of at most 64 bits.
  static unsigned getBits(char letter);
  bool isConstant() const { return letter == 'i' || letter == 'n'; }
};

/// How one run of the assembly is made.
struct AssemblyForm {
  /// For each result and each argument of the op, its registers.
  llvm::SmallVector<llvm::SmallVector<AssemblyRegister>> results, arguments;
  /// The constraints in the one spelling that LLVM reads as they are meant:
  /// without blanks, one letter each.
  std::string constraints;
};

/// Bits of an element in a register: those of its type, 8 for i1 and 64 for
/// pointers.
unsigned getAssemblyBits(mlir::Type element);

/// The bits of an integer constant, or of the element of a tile of one: what a
/// constraint `n` takes. Nothing for any other value.
std::optional<llvm::APInt> getConstantElement(mlir::Value value);

/// Reads the constraints and the text of `op`. Emits an error where LLVM would
/// not take them.
llvm::FailureOr<AssemblyForm> getAssemblyForm(ElementwiseInlineAsmOp op);

} // namespace tilewright::tt

#endif // TILEWRIGHT_DIALECTS_TRITON_INLINEASSEMBLY_H
