// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a launch on the emulator, with all its checks, by our PTX or by another
// compiler's. Comes in: an image, arguments, memory. Goes out: memory and
// counts, or what went wrong.

#ifndef TILEWRIGHT_TEST_FOREIGNKERNELS_TRIAL_H
#define TILEWRIGHT_TEST_FOREIGNKERNELS_TRIAL_H

#include "lib/Run/EmulatorDevice.h"
#include "mlir/IR/BuiltinOps.h"
#include "test/ForeignKernels/Inputs.h"

namespace tilewright::foreign {

/// The artifact of the kernel for one target; fails with the diagnostics.
runtime::Result<runtime::Artifact> compileFor(mlir::ModuleOp module,
                                              const LaunchCase &launch,
                                              const std::string &target,
                                              const std::string &messages);
/// An artifact of PTX.
runtime::Result<runtime::Artifact> readImage(const ForeignImage &image);

/// Launches; `memory`, which holds the input, gets what the launch leaves.
/// Parameters of the image beyond the kernel's get null: scratch memory of
/// another compiler's, which a kernel that needs some would fault on.
runtime::Result<void> launch(const runtime::Artifact &artifact,
                             tt::FuncOp kernel, const LaunchCase &launch,
                             const Input &input,
                             reference::ReferenceMemory &memory,
                             run::AllStatistics &statistics);

} // namespace tilewright::foreign

#endif // TILEWRIGHT_TEST_FOREIGNKERNELS_TRIAL_H
