// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where an operation stands in the text of tile IR, for those whose authors
// gave no place: Triton's constants often have `loc(unknown)`. Diagnostics show
// it as any other place; line tables leave it out, as what is compiled shall
// not depend on the name and the lines of a file between Triton and here.

#ifndef TILEWRIGHT_DIALECTS_TRITON_TEXTLOCATION_H
#define TILEWRIGHT_DIALECTS_TRITON_TEXTLOCATION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"

namespace tilewright::tt {

/// What marks such a location.
inline constexpr llvm::StringLiteral textLocationName = "tt.text";

inline mlir::Location getTextLocation(mlir::FileLineColLoc place) {
  return mlir::FusedLoc::get(
      {mlir::Location(place)},
      mlir::StringAttr::get(place.getContext(), textLocationName),
      place.getContext());
}

inline bool isTextLocation(mlir::Location location) {
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
  auto name =
      fused ? llvm::dyn_cast_or_null<mlir::StringAttr>(fused.getMetadata())
            : mlir::StringAttr();
  return name && name.getValue() == textLocationName;
}

} // namespace tilewright::tt

#endif // TILEWRIGHT_DIALECTS_TRITON_TEXTLOCATION_H
