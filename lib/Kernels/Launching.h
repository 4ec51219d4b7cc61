// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel of the library to what the compiler and a launch take.

#ifndef TILEWRIGHT_LIB_KERNELS_LAUNCHING_H
#define TILEWRIGHT_LIB_KERNELS_LAUNCHING_H

#include "lib/Kernels/Operator.h"
#include "runtime/Parameters.h"
#include "tilewright/CompileOptions.h"

namespace tilewright::kernels {

/// The launch as the compiler's option `launch` has it: the grid, and integer
/// arguments by their numbers. `isTypical`: of a kernel whose code serves
/// several sizes, these and the grid are rounded up to powers of two, so that
/// launches of sizes which are near each other ask for the same code.
std::vector<std::string> describeLaunch(const Kernel &kernel, bool isTypical);
/// The options of one kernel's compilation; for targets on which code depends
/// on estimates, with the launch that they are for.
CompileOptions optionsOf(const Kernel &kernel, CompileOptions options);
/// The arguments of a signature's numbers that are not constant.
std::vector<runtime::Argument> numberArguments(const Signature &signature);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_LAUNCHING_H
