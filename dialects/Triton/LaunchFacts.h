// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ops of `tt` say to who follows a launch. Private to this folder.

#ifndef TILEWRIGHT_DIALECTS_TRITON_LAUNCHFACTS_H
#define TILEWRIGHT_DIALECTS_TRITON_LAUNCHFACTS_H

#include "mlir/IR/MLIRContext.h"

namespace tilewright::tt {

/// GridOpInterface and AddressOpInterface for the ops of `tt`, which are
/// registered.
void attachLaunchFacts(mlir::MLIRContext &context);

} // namespace tilewright::tt

#endif // TILEWRIGHT_DIALECTS_TRITON_LAUNCHFACTS_H
