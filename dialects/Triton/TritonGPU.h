// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect `ttg`, as far as tile IR has it. Passes replace its ops by those
// of other dialects first of all.

#ifndef TILEWRIGHT_DIALECTS_TRITON_TRITONGPU_H
#define TILEWRIGHT_DIALECTS_TRITON_TRITONGPU_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/Triton/TritonGPUDialect.h.inc"

#define GET_OP_CLASSES
#include "dialects/Triton/TritonGPUOps.h.inc"

#endif // TILEWRIGHT_DIALECTS_TRITON_TRITONGPU_H
