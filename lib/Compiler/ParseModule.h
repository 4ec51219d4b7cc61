// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a module of tile IR from text.

#ifndef TILEWRIGHT_LIB_COMPILER_PARSEMODULE_H
#define TILEWRIGHT_LIB_COMPILER_PARSEMODULE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

#include <memory>

namespace tilewright::compiler {

/// The module in the main buffer of `sources`, or null, with diagnostics: where
/// it has operations that nobody knows, one error for the name of each, at its
/// author's line (its `loc`), instead of the parser's at the first of them.
/// Bytecode is refused: MLIR's reader trusts the counts and numbers in it, so
/// that a damaged file could end the process, and no check from without can
/// tell which file would.
mlir::OwningOpRef<mlir::ModuleOp>
parseModule(const std::shared_ptr<llvm::SourceMgr> &sources,
            mlir::MLIRContext &context);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_PARSEMODULE_H
