// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What declarations of variables and parameters have in common: alignment,
// vector, type, array. In: tokens. Out: sizes in bytes.

#ifndef TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_DECLARATIONS_H
#define TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_DECLARATIONS_H

#include "lib/Judges/Emulator/Syntax/Scopes.h"

namespace tilewright::emulator {

/// What stands in front of a declared name.
struct ElementType {
  DataType type = DataType::B8;
  /// 1, or 2 and 4 for .v2 and .v4.
  unsigned vectorWidth = 1;
  /// Of `.align`; 0: not given.
  uint32_t alignment = 0;
  /// Of parameters: `.ptr`, and the alignment behind it.
  bool isPointer = false;
  uint32_t pointeeAlignment = 1;

  unsigned bytes() const { return bitWidth(type) / 8 * vectorWidth; }
  /// `.align`'s, or the natural one.
  uint32_t effectiveAlignment() const {
    return alignment ? alignment : bytes();
  }
};

/// Parses `.align`, `.vN`, `.attribute(...)`, `.ptr` with its space and
/// alignment, and the type, in any order.
bool parseElementType(Cursor &cursor, ElementType &element);

/// What stands behind a declared name.
struct ArrayShape {
  /// Outermost first; 0 for a first one without a size.
  std::vector<uint64_t> dimensions;
  /// In all, elements times their size; 0 while the first dimension has none.
  uint64_t bytes = 0;

  bool isUnsized() const { return !dimensions.empty() && !dimensions[0]; }
};

/// Parses any number of `[n]`; the first may be `[]`.
bool parseArrayShape(Cursor &cursor, const ElementType &element,
                     ArrayShape &shape);

/// `.visible`, `.extern`, `.weak`, `.common`: only `.extern` matters here.
struct Linkage {
  bool isExternal = false;
};
bool acceptLinkage(Cursor &cursor, Linkage &linkage);

/// How much initial values may take: what the text is long enough for.
struct InitializerBudget {
  uint64_t bytesLeft;
};

/// At a state space: parses `.global .f32 a, b[4] = {...};`, declares the names
/// in the innermost scope and appends the variables.
bool parseVariables(Cursor &cursor, Scopes &scopes, const Linkage &linkage,
                    InitializerBudget &budget,
                    std::vector<Variable> &variables);

} // namespace tilewright::emulator

#endif // TILEWRIGHT_LIB_JUDGES_EMULATOR_SYNTAX_DECLARATIONS_H
