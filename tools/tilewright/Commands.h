// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver's commands. Each parses what stands behind its name and returns
// the process' exit status: 0 for success, 1 for what a diagnostic explains.

#ifndef TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
#define TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H

namespace tilewright::driver {

/// `tilewright compile`: tile IR to any later form.
int runCompile(int argc, const char *const *argv);
/// `tilewright run`: a kernel on a device.
int runRun(int argc, const char *const *argv);
/// `tilewright cache`: what is kept of compiled kernels.
int runCache(int argc, const char *const *argv);
/// `tilewright layout`: a layout encoding as text or as SVG.
int runLayout(int argc, const char *const *argv);
/// `tilewright kernels`: the library's operators.
int runKernels(int argc, const char *const *argv);
/// `tilewright targets`: the table of targets.
int runTargets(int argc, const char *const *argv);
/// `tilewright info`: targets, forms and options as JSON.
int runInfo(int argc, const char *const *argv);

} // namespace tilewright::driver

#endif // TILEWRIGHT_TOOLS_TILEWRIGHT_COMMANDS_H
