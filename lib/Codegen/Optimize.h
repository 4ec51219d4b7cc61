// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_OPTIMIZE_H
#define TILEWRIGHT_LIB_CODEGEN_OPTIMIZE_H

#include "dialects/Target/Target.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright::codegen {

/// Optimises the kernels of `module` for `target`, which is the machine's.
/// Everything but the kernels must be internal. Level 0 does only what code
/// generation needs.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine,
                     const target::Target &target, unsigned level);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_OPTIMIZE_H
