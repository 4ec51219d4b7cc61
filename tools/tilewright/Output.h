// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the driver's commands say and write.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_OUTPUT_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_OUTPUT_H

#include "tilewright/CompileOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"

namespace tilewright::driver {

/// Writes an error that has no place in a source to standard error. Gives the
/// exit status, 1.
int fail(const llvm::Twine &message);

/// Writes a message about a source to standard error.
void printDiagnostic(const Diagnostic &diagnostic);

/// Writes a file, "-" being standard output; 0, or the status of `fail`. A file
/// that cannot be written whole is removed.
int writeOutput(llvm::StringRef name, llvm::StringRef content);

} // namespace tilewright::driver

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_OUTPUT_H
