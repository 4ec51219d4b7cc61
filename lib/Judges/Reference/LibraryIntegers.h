// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions of libdevice do to integers and to the bits of floats. Private
// to this folder.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_LIBRARYINTEGERS_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_LIBRARYINTEGERS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/FloatingPointMode.h"

#include <optional>

namespace tilewright::reference {

/// From the operands' bits to the result's, of which those above its width mean
/// nothing.
using LibraryIntegerFunction = uint64_t (*)(mlir::ArrayRef<uint64_t>);

/// The function of that name, without `__nv_`; null where there is none.
LibraryIntegerFunction findLibraryIntegerFunction(mlir::StringRef name);

/// A conversion between integers and floats.
struct LibraryConversion {
  enum class Kind { Signed, Unsigned, Real };
  Kind source, result;
  llvm::RoundingMode rounding;
};

/// The conversion of that name ("float2int_rn").
std::optional<LibraryConversion> findLibraryConversion(mlir::StringRef name);

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_LIBRARYINTEGERS_H
