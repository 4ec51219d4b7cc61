// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is behind the compiler's handles of the C interface.

#ifndef TILEWRIGHT_LIB_CAPI_HANDLES_H
#define TILEWRIGHT_LIB_CAPI_HANDLES_H

#include "lib/JIT/Jit.h"
#include "tilewright-c/Compiler.h"

struct tilewright_compiler {
  /// Plans share it.
  std::shared_ptr<tilewright::Jit> jit;
};

#endif // TILEWRIGHT_LIB_CAPI_HANDLES_H
