// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interfaces of LaunchOpInterfaces.td.

#ifndef TILEWRIGHT_DIALECTS_INTERFACES_LAUNCHOPINTERFACES_H
#define TILEWRIGHT_DIALECTS_INTERFACES_LAUNCHOPINTERFACES_H

#include "mlir/IR/OpDefinition.h"

namespace tilewright {

/// A place in the grid, or its size.
struct GridQuantity {
  /// 0 to 2: x, y, z.
  unsigned axis;
  bool isSize;
};

/// Pointers that lie `offsets` elements of so many bytes behind others.
struct AddressSum {
  mlir::Value pointers, offsets;
  int64_t elementBytes;
};

} // namespace tilewright

#include "dialects/Interfaces/LaunchOpInterfaces.h.inc"

#endif // TILEWRIGHT_DIALECTS_INTERFACES_LAUNCHOPINTERFACES_H
