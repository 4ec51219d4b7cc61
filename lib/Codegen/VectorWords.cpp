// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/VectorWords.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;

Value *codegen::getWord(Value *vector, uint64_t index, IRBuilder<> &builder) {
  unsigned count = vector->getType()->getPrimitiveSizeInBits() / 32;
  Type *word = builder.getInt32Ty();
  if (count == 1)
    return builder.CreateBitCast(vector, word);
  auto *type = FixedVectorType::get(word, count);
  Value *words;
  if (!match(vector, m_BitCast(m_Value(words))) || words->getType() != type)
    words = builder.CreateBitCast(vector, type);
  Value *known = findScalarElement(words, index);
  return known ? known : builder.CreateExtractElement(words, index);
}
