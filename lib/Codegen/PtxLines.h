// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a line of PTX comes from, as its own line table and its kernels say.

#ifndef TILEWRIGHT_LIB_CODEGEN_PTXLINES_H
#define TILEWRIGHT_LIB_CODEGEN_PTXLINES_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace tilewright::codegen {

/// A place in the source of a kernel. Of what is not known the name is "" and
/// the number 0.
struct PtxOrigin {
  /// The symbol of the kernel that the line is part of.
  std::string kernel;
  std::string file;
  unsigned line = 0, column = 0;
};

/// The origin of line number `line`, from 1, of `ptx`: the `.loc` above it in
/// its kernel.
PtxOrigin findPtxOrigin(llvm::StringRef ptx, unsigned line);

/// The first line of PTX that a message of CUDA's assembler names ("ptxas ...,
/// line 29; error : ..."), or nothing.
std::optional<unsigned> findPtxLine(llvm::StringRef message);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_PTXLINES_H
