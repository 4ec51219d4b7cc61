// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_OPTIMIZE_H
#define TILEWRIGHT_LIB_CODEGEN_OPTIMIZE_H

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright::codegen {

/// Optimises the kernels of `module` for the machine's target. Everything but
/// the kernels must be internal. Level 0 does only what code generation needs.
void optimizeKernels(llvm::Module &module, llvm::TargetMachine &machine,
                     unsigned level);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_OPTIMIZE_H
