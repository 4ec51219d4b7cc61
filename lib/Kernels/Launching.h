// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a kernel of the library to what the compiler and a launch take.

#ifndef TILEWRIGHT_LIB_KERNELS_LAUNCHING_H
#define TILEWRIGHT_LIB_KERNELS_LAUNCHING_H

#include "lib/Kernels/Operator.h"
#include "runtime/Parameters.h"
#include "tilewright/CompileOptions.h"

namespace tilewright::kernels {

/// The options of one kernel's compilation.
CompileOptions optionsOf(const Kernel &kernel, CompileOptions options);
/// The arguments of a signature's numbers that are not constant.
std::vector<runtime::Argument> numberArguments(const Signature &signature);

} // namespace tilewright::kernels

#endif // TILEWRIGHT_LIB_KERNELS_LAUNCHING_H
