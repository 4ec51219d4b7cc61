// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/IntegerPlace.h"

#include "lib/Codegen/VectorWords.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;
using codegen::IntegerPlace;

static constexpr unsigned mostBits = 16;

std::optional<IntegerPlace> IntegerPlace::find(Value *number, bool isSigned,
                                               const Instruction &user) {
  if (isa<Constant>(number))
    return std::nullopt;
  const DataLayout &layout = user.getDataLayout();
  KnownBits known = computeKnownBits(number, layout, /*AC=*/nullptr, &user);
  IntegerPlace place;
  place.source = number;
  place.hasSign = isSigned && !known.isNonNegative();
  place.bits =
      place.hasSign
          ? known.getBitWidth() -
                ComputeNumSignBits(number, layout, /*AC=*/nullptr, &user) + 1
          : known.countMaxActiveBits();
  if (place.bits == 0 || place.bits > mostBits)
    return std::nullopt;
  while (place.look())
    ;
  return place;
}

/// Goes on in `inner`, where the number begins at `from`, if all of it is
/// there.
bool IntegerPlace::follow(Value *inner, unsigned from) {
  if (from + bits > inner->getType()->getScalarSizeInBits())
    return false;
  source = inner;
  bit = from;
  return true;
}

/// Looks behind what the source is made by. A conversion of types alone is no
/// instruction.
bool IntegerPlace::look() {
  Value *inner;
  const APInt *constant;
  uint64_t index;
  if (wordOfVector || isa<Constant>(source))
    return false;
  if (match(source, m_ZExtOrSExt(m_Value(inner))) ||
      match(source, m_Trunc(m_Value(inner))))
    return follow(inner, bit);
  if (match(source, m_ExtractElt(m_Value(inner), m_ConstantInt(index)))) {
    unsigned width = source->getType()->getScalarSizeInBits();
    if (width > 16 || inner->getType()->getPrimitiveSizeInBits() % 32 != 0)
      return false;
    source = inner;
    wordOfVector = index * width / 32;
    bit += index * width % 32;
    isTaken = true;
    return false;
  }
  bool isFollowed = false;
  if (match(source, m_And(m_Value(inner), m_APInt(constant))))
    isFollowed =
        constant->extractBits(bits, bit).isAllOnes() && follow(inner, bit);
  else if (match(source, m_Shr(m_Value(inner), m_APInt(constant))))
    isFollowed = constant->ult(32) &&
                 follow(inner, bit + unsigned(constant->getZExtValue()));
  else if (match(source, m_Shl(m_Value(inner), m_APInt(constant))))
    isFollowed = constant->ule(bit) &&
                 follow(inner, bit - unsigned(constant->getZExtValue()));
  isTaken |= isFollowed;
  return isFollowed;
}

std::pair<Value *, unsigned> IntegerPlace::getWord(IRBuilder<> &builder) const {
  if (wordOfVector)
    return {codegen::getWord(source, *wordOfVector, builder), bit};
  Type *type = builder.getInt32Ty();
  if (bit + bits <= 32)
    return {builder.CreateZExtOrTrunc(source, type), bit};
  return {builder.CreateTrunc(builder.CreateLShr(source, bit), type), 0};
}
