// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef TILEWRIGHT_LIB_CODEGEN_VECTORWORDS_H
#define TILEWRIGHT_LIB_CODEGEN_VECTORWORDS_H

#include "llvm/IR/IRBuilder.h"

namespace tilewright::codegen {

/// The `index`th 32 bits of `vector`, which has a multiple of them, as i32: an
/// element of what it was cast from where that is a vector of these.
llvm::Value *getWord(llvm::Value *vector, uint64_t index,
                     llvm::IRBuilder<> &builder);

} // namespace tilewright::codegen

#endif // TILEWRIGHT_LIB_CODEGEN_VECTORWORDS_H
