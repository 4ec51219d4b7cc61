// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated halves of the ops' definitions.

#include "dialects/Triton/Triton.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tt;

#define GET_OP_CLASSES
#include "dialects/Triton/TritonOps.cpp.inc"
