// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How kernels are called in PTX. Users may call them anything that a string
// holds; PTX has identifiers (PTX ISA, "Identifiers").

#ifndef TILEWRIGHT_PASSES_TILEGPUTOLLVM_SYMBOLNAMES_H
#define TILEWRIGHT_PASSES_TILEGPUTOLLVM_SYMBOLNAMES_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewright::tilegpu {

/// The symbol of a kernel: its name, where that is an identifier of PTX of at
/// most 1,024 letters (what every implementation takes) that neither the
/// language nor this compiler uses itself; else "$tw$", the name with every
/// byte other than a letter or a digit as `_` and two hexadecimal digits, and,
/// where that is too long, its beginning and a hash of the name. No two names
/// have one symbol.
std::string getPtxSymbol(llvm::StringRef name);

} // namespace tilewright::tilegpu

#endif // TILEWRIGHT_PASSES_TILEGPUTOLLVM_SYMBOLNAMES_H
