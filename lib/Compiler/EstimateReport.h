// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates as text for people, and as JSON.

#ifndef TILEWRIGHT_LIB_COMPILER_ESTIMATEREPORT_H
#define TILEWRIGHT_LIB_COMPILER_ESTIMATEREPORT_H

#include "lib/Compiler/Estimate.h"

namespace tilewright::compiler {

/// For each kernel its time and what bounds it, what that is made of, and its
/// loops.
std::string formatEstimate(const ModuleEstimate &estimate);

/// The same as one object of JSON.
std::string formatEstimateAsJson(const ModuleEstimate &estimate);

} // namespace tilewright::compiler

#endif // TILEWRIGHT_LIB_COMPILER_ESTIMATEREPORT_H
