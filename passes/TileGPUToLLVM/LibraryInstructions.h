// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of CUDA's libdevice that are a few instructions of PTX, or one
// op of LLVM. Private to this folder and its tests.

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_LIBRARYINSTRUCTIONS_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_LIBRARYINSTRUCTIONS_H

#include "mlir/Support/LLVM.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright::tilegpu {

struct LibraryInstruction {
  /// A letter for each type, the result's first: f (f32), d (f64), i (i32),
  /// l (i64).
  mlir::StringRef signature;
  /// PTX, with $0 for the result; or the name of an op ("llvm.intr.copysign").
  std::string text;
};

/// The function of that name, without `__nv_`; nothing where none is known.
std::optional<LibraryInstruction> findLibraryInstruction(mlir::StringRef name);

/// The names of all of them, each with every rounding that it has.
std::vector<std::string> listLibraryInstructions();

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_LIBRARYINSTRUCTIONS_H
