// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits on the registers of kernels (`.maxnreg`), which what an assembler
// makes of them may show to be wrong: they are set by estimates.
//
// A kernel that moves registers between its warps (`setmaxnreg`) says in its
// source how many each has, and keeps them.

#ifndef TILEWRIGHT_LIB_COMPILER_REGISTERLIMITS_H
#define TILEWRIGHT_LIB_COMPILER_REGISTERLIMITS_H

#include "lib/Codegen/Assemble.h"
#include "lib/Codegen/LLVMToPTX.h"
#include "lib/Compiler/Compiler.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tilewright::compiler {

/// The threads that a kernel must be launched with.
unsigned getThreads(mlir::LLVM::LLVMFuncOp function);

/// Whether `other`, which leaves a multiprocessor more CTAs than `code`, spills
/// nothing, or little in a kernel with products, and loses nothing that it does
/// not. `ptx`: what has been assembled.
bool isWorthCtas(const codegen::AssembledCode &other,
                 const codegen::AssembledCode &code, llvm::StringRef ptx);

/// Bytes that the kernels spill: stores and loads of the one that spills most.
unsigned countSpilledBytes(const codegen::AssembledCode &assembled);

/// Has the kernels of `module`, in the LLVM dialect, have `most` at most.
void capRegisterLimits(mlir::ModuleOp module, unsigned most);

/// Lets kernels have all registers that they may which spill much under a limit
/// that was to leave room for other CTAs: the estimate of what they need was
/// too low, as of calls and of narrow elements that are loaded one by one.
/// Changes `ptx`, which was `assembled`; gives whether there are any.
bool raiseRegisterLimits(mlir::ModuleOp module, const target::Target &target,
                         const CompileOptions &options, codegen::PtxCode &ptx,
                         const codegen::AssembledCode &assembled);

/// Takes limits below what kernels may have from those that spill 32 bytes and
/// more under them, which ptxas may do though it needs fewer registers without
/// one: of 21 such kernels of packages eight (one spills 80 bytes under 128,
/// and has 108 without), but none by libnvJitLink. Changes `ptx`, which was
/// `assembled`; gives whether there are any.
bool dropRegisterLimits(mlir::ModuleOp module, const target::Target &target,
                        const CompileOptions &options, codegen::PtxCode &ptx,
                        const codegen::AssembledCode &assembled);

/// Whether `other`, assembled without some limits, keeps them, has registers
/// for all loads of an iteration, spills less than `code`, and loses nothing
/// that it does not.
bool keepsRegisterLimits(mlir::ModuleOp module,
                         const codegen::AssembledCode &other,
                         const codegen::AssembledCode &code);

/// For how many more CTAs registers are limited: as many as can be had, or one
/// more step where that is fewer.
enum class CtasMore : uint8_t { Most, Fewest };

/// Limits kernels whose registers leave a multiprocessor fewer CTAs than it has
/// shared memory for, if up to a third less lets it have more. Changes `ptx`,
/// which was `assembled`, but is not known to need no more registers then;
/// gives whether there are any.
bool lowerRegisterLimits(mlir::ModuleOp module, const target::Target &target,
                         const CompileOptions &options, CtasMore more,
                         codegen::PtxCode &ptx,
                         const codegen::AssembledCode &assembled);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_REGISTERLIMITS_H
