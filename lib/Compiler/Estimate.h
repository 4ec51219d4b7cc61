// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates of how long the kernels of a module take.
//
// In: a compilation, whose options name a launch and a device. Out: an estimate
// for each kernel (passes/Analysis/TimeEstimate.h).

#ifndef TILEWRIGHT_LIB_COMPILER_ESTIMATE_H
#define TILEWRIGHT_LIB_COMPILER_ESTIMATE_H

#include "lib/Compiler/Compilation.h"
#include "passes/Analysis/TimeEstimate.h"

namespace tilewright::compiler {

struct KernelEstimate {
  std::string kernel;
  /// None where a CTA does not fit on the device.
  std::optional<tilegpu::TimeEstimate> estimate;
};

struct ModuleEstimate {
  const target::Target *target;
  const target::Device *device;
  std::array<int64_t, 3> grid;
  std::vector<KernelEstimate> kernels;
};

/// The device that estimates for the target are of: the one that the options
/// name, or else the target's own.
const target::Device &getEstimatedDevice(const target::Target &target,
                                         const CompileOptions &options);

/// Whether the code is for the launch that the options name: not where they
/// name none, nor for targets that have one code for all launches
/// (`leavesCopiesOpen`).
bool isForLaunch(const target::Target &target, const CompileOptions &options);

/// CTAs that the launch gives a multiprocessor of the device, at most as many
/// as run at a time; 0 where the code is for no launch.
unsigned countCtasPerMultiprocessor(const target::Target &target,
                                    const CompileOptions &options);

/// Notes at the functions of `module`, which is tilegpu IR for `target`, how
/// many registers of a thread are best for the launch of the options: what its
/// programs do not run does not count (`getRegistersOfOccupancy`).
void limitRegisters(mlir::ModuleOp module, const target::Target &target,
                    const CompileOptions &options);

/// Estimates the kernels of `module`, which is tilegpu IR for `target`, on
/// `device`, which its code runs on. Arguments that the options name and no
/// kernel has are passed over; `used` says of each named one whether one has
/// it.
std::vector<KernelEstimate> estimateKernels(mlir::ModuleOp module,
                                            const target::Target &target,
                                            const target::Device &device,
                                            const CompileOptions &options,
                                            std::vector<bool> &used);

/// Lowers the compilation to tilegpu IR if it is not there yet, and estimates
/// its kernels. Errors: what lowering gives; a device that the code does not
/// run on; a named argument that no kernel has.
mlir::FailureOr<ModuleEstimate> estimateModule(Compilation &compilation);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_ESTIMATE_H
