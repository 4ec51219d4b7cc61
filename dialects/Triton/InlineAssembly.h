// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The registers that inline assembly on elements takes and gives. LLVM's back
// end ends the process on constraints and texts that do not fit each other, so
// what this refuses must not reach it.

#ifndef TILEWRIGHT_DIALECTS_TRITON_INLINEASSEMBLY_H
#define TILEWRIGHT_DIALECTS_TRITON_INLINEASSEMBLY_H

#include "dialects/Triton/Triton.h"

namespace tilewright::tt {

/// One register of the assembly: its constraint's letter, and the elements that
/// lie in it, the first in the lowest bits.
struct AssemblyRegister {
  char letter = 'r';
  unsigned elements = 1;

  /// Bits that the letter stands for; 0 where it is none of b, h, r, l, f, d.
  static unsigned getBits(char letter);
};

/// How one run of the assembly is made.
struct AssemblyForm {
  /// For each result and each argument of the op, its registers.
  llvm::SmallVector<llvm::SmallVector<AssemblyRegister>> results, arguments;
};

/// Bits of an element in a register: those of its type, 8 for i1 and 64 for
/// pointers.
unsigned getAssemblyBits(mlir::Type element);

/// Reads the constraints and the text of `op`. Emits an error where LLVM would
/// not take them.
llvm::FailureOr<AssemblyForm> getAssemblyForm(ElementwiseInlineAsmOp op);

} // namespace tilewright::tt

#endif // TILEWRIGHT_DIALECTS_TRITON_INLINEASSEMBLY_H
