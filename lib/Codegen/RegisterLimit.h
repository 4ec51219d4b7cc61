// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The limit on the registers of a kernel's threads, in its PTX.

#ifndef TILEWRIGHT_LIB_CODEGEN_REGISTERLIMIT_H
#define TILEWRIGHT_LIB_CODEGEN_REGISTERLIMIT_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewright::codegen {

/// Has the threads of `kernel`, an entry of `ptx` with a limit (`.maxnreg`, PTX
/// ISA, "Performance-Tuning Directives"), have up to `registers` each. Whether
/// there is such an entry; nothing has changed otherwise.
bool setRegisterLimit(std::string &ptx, llvm::StringRef kernel,
                      unsigned registers);

/// Takes the limit from such an entry. Whether there was one.
bool dropRegisterLimit(std::string &ptx, llvm::StringRef kernel);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_REGISTERLIMIT_H
