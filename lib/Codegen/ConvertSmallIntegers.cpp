// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "lib/Codegen/ConvertSmallIntegers.h"

#include "lib/Codegen/IntegerPlace.h"
#include "lib/Codegen/PreserveGraph.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;
using namespace tilewright;
using codegen::IntegerPlace;

/// Bits of a number's fraction.
static unsigned getFractionBits(Type *type) {
  return type->getFPMantissaWidth() - 1;
}

/// The float whose unit is 1: integers up to itself are its lowest bits.
static double getBase(Type *type) {
  return double(1u << getFractionBits(type));
}

static uint32_t getBaseBits(Type *type) {
  return uint32_t(cast<ConstantFP>(ConstantFP::get(type, getBase(type)))
                      ->getValueAPF()
                      .bitcastToAPInt()
                      .getZExtValue());
}

namespace {

/// What makes the number of a float that has its bits under an exponent.
struct Scale {
  double factor, addend;
};

/// One or two numbers that become floats of a type; the two of 16 bits each, in
/// a register.
class Converter {
public:
  Converter(IRBuilder<> &builder, Type *type, bool multipliesBfloats)
      : builder(builder), type(type), multipliesBfloats(multipliesBfloats) {}

  Value *makeWide(const IntegerPlace &place);
  Value *makePair(const IntegerPlace &low, const IntegerPlace &high);

private:
  Value *shiftRight(Value *word, unsigned by) {
    return by == 0 ? word : builder.CreateLShr(word, by);
  }
  Value *maskAndFlip(Value *word, uint32_t mask, uint32_t flips);
  Value *permute(Value *low, Value *high, uint32_t selector) {
    return builder.CreateIntrinsic(Intrinsic::nvvm_prmt, {},
                                   {low, high, builder.getInt32(selector)});
  }
  Value *flipBytes(Value *word, bool isSigned);
  Value *takeBaseAway(Value *floats, ArrayRef<Scale> scales);
  Value *spread(const IntegerPlace &low, const IntegerPlace &high,
                unsigned offsets[2]);
  Value *makeBytesOfWord(const IntegerPlace &low, const IntegerPlace &high);
  Value *makeBytes(Value *halves, bool isSigned);
  Value *makeByWide(const IntegerPlace &low, const IntegerPlace &high);
  Value *toPair(Value *word) {
    return builder.CreateBitCast(word, FixedVectorType::get(type, 2));
  }

  IRBuilder<> &builder;
  Type *type;
  bool multipliesBfloats;
};

} // namespace

/// (word & mask) ^ flips, for which the assembler takes an instruction for each
/// constant where it is not told to take one (PTX ISA, lop3).
Value *Converter::maskAndFlip(Value *word, uint32_t mask, uint32_t flips) {
  Type *i32 = builder.getInt32Ty();
  // The table of (a & b) ^ c: (0xf0 & 0xcc) ^ 0xaa.
  auto *assembly =
      InlineAsm::get(FunctionType::get(i32, {i32, i32, i32}, false),
                     "lop3.b32 $0, $1, $2, $3, 0x6a;", "=r,r,n,n",
                     /*hasSideEffects=*/false);
  CallInst *result = builder.CreateCall(
      assembly, {word, builder.getInt32(mask), builder.getInt32(flips)});
  result->setDoesNotAccessMemory();
  result->setDoesNotThrow();
  return result;
}

/// The bytes of a word, as unsigned numbers that are 128 more than signed ones:
/// for all four of them at once.
Value *Converter::flipBytes(Value *word, bool isSigned) {
  return isSigned ? builder.CreateXor(word, 0x80808080) : word;
}

/// That of a number `offset` bits above the lowest one.
static Scale getScale(Type *type, const IntegerPlace &place, unsigned offset) {
  double factor = 1.0 / double(1u << offset);
  return {factor, -(getBase(type) * factor + place.getSignBit())};
}

/// The numbers of one float or of the elements of a vector: by an addition, or
/// by multiply-adds where the bits of some are above the lowest ones.
Value *Converter::takeBaseAway(Value *floats, ArrayRef<Scale> scales) {
  Type *type = floats->getType();
  auto makeConstant = [&](double Scale::*part) -> Constant * {
    SmallVector<Constant *> numbers;
    for (const Scale &scale : scales)
      numbers.push_back(ConstantFP::get(type->getScalarType(), scale.*part));
    return type->isVectorTy() ? ConstantVector::get(numbers) : numbers.front();
  };
  Constant *addend = makeConstant(&Scale::addend);
  if (all_of(scales, [](const Scale &scale) { return scale.factor == 1; }))
    return builder.CreateFAdd(floats, addend);
  return builder.CreateIntrinsic(
      Intrinsic::fma, {type}, {floats, makeConstant(&Scale::factor), addend});
}

static bool isByte(const IntegerPlace &place, unsigned bit) {
  return place.getBits() == 8 && bit % 8 == 0;
}

/// The number in f32.
Value *Converter::makeWide(const IntegerPlace &place) {
  Type *wide = builder.getFloatTy();
  auto [word, bit] = place.getWord(builder);
  uint32_t base = getBaseBits(wide), sign = place.getSignBit();
  unsigned offset = bit + place.getBits() <= getFractionBits(wide) ? bit : 0;
  Value *bits;
  if (isByte(place, bit)) {
    offset = 0;
    bits = permute(flipBytes(word, place.isSigned()), builder.getInt32(base),
                   0x7540 | bit / 8);
  } else {
    bits = maskAndFlip(shiftRight(word, bit - offset),
                       place.getMask() << offset, base | sign << offset);
  }
  return takeBaseAway(builder.CreateBitCast(bits, wide),
                      {getScale(wide, place, offset)});
}

/// A word with a number in each half, `offsets` bits above its lowest one;
/// other bits are any. Of one number in the lower half.
Value *Converter::spread(const IntegerPlace &low, const IntegerPlace &high,
                         unsigned offsets[2]) {
  unsigned fraction = getFractionBits(type);
  unsigned room = fraction - std::min(low.getBits(), fraction);
  Value *words[2];
  unsigned bits[2];
  const std::array places = {&low, &high};
  for (auto [index, place] : enumerate(places)) {
    std::tie(words[index], bits[index]) = place->getWord(builder);
    offsets[index] = bits[index] % 8;
    if (offsets[index] <= room)
      continue;
    // By less than a byte, so that the numbers of a word share the shift.
    words[index] = shiftRight(words[index], offsets[index]);
    bits[index] -= offsets[index];
    offsets[index] = 0;
  }
  if (&low == &high)
    return shiftRight(words[0], bits[0] - offsets[0]);
  auto select = [&](unsigned bit) {
    unsigned byte = bit / 8;
    return byte | std::min(byte + 1, 3u) << 4;
  };
  uint32_t selector = select(bits[0]) | (select(bits[1]) | 0x44) << 8;
  return permute(words[0], words[1], selector);
}

/// Two bytes of a word with their exponent above each; null where they are not.
Value *Converter::makeBytesOfWord(const IntegerPlace &low,
                                  const IntegerPlace &high) {
  if (!low.isInWordOf(high))
    return nullptr;
  auto [word, bit] = low.getWord(builder);
  unsigned otherBit = high.getWord(builder).second;
  if (!isByte(low, bit) || !isByte(high, otherBit))
    return nullptr;
  return permute(flipBytes(word, low.isSigned()),
                 builder.getInt32(getBaseBits(type) * 0x10001),
                 0x5050 | bit / 8 | otherBit / 8 << 8);
}

/// Bytes as bf16, which has a bit less under an exponent: the highest one is a
/// number of its own.
Value *Converter::makeBytes(Value *halves, bool isSigned) {
  uint32_t base = getBaseBits(type) * 0x10001;
  auto part = [&](uint32_t mask) {
    return toPair(maskAndFlip(halves, mask * 0x10001, base));
  };
  Value *lower = part(0x7f), *highest = part(0x80);
  if (isSigned)
    return builder.CreateFSub(lower, highest);
  Constant *both = ConstantFP::get(lower->getType(), -2 * getBase(type));
  return builder.CreateFAdd(lower, builder.CreateFAdd(highest, both));
}

/// By way of f32, whose upper half is the number.
Value *Converter::makeByWide(const IntegerPlace &low,
                             const IntegerPlace &high) {
  auto make = [&](const IntegerPlace &place) {
    return builder.CreateBitCast(makeWide(place), builder.getInt32Ty());
  };
  return toPair(permute(make(low), make(high), 0x7632));
}

Value *Converter::makePair(const IntegerPlace &low, const IntegerPlace &high) {
  if (type->isBFloatTy() && !multipliesBfloats)
    return makeByWide(low, high);
  unsigned offsets[2] = {0, 0};
  bool isLong = low.getBits() > getFractionBits(type);
  auto getScales = [&]() -> std::array<Scale, 2> {
    return {getScale(type, low, offsets[0]), getScale(type, low, offsets[1])};
  };
  if (Value *bytes = isLong ? nullptr : makeBytesOfWord(low, high))
    return takeBaseAway(toPair(bytes), getScales());
  Value *halves = spread(low, high, offsets);
  if (isLong)
    return makeBytes(halves, low.isSigned());
  uint32_t mask = 0, flips = 0;
  for (unsigned index : {0, 1}) {
    mask |= (low.getMask() << offsets[index]) << 16 * index;
    flips |= (getBaseBits(type) | low.getSignBit() << offsets[index])
             << 16 * index;
  }
  return takeBaseAway(toPair(maskAndFlip(halves, mask, flips)), getScales());
}

//===----------------------------------------------------------------------===//
// What is converted
//===----------------------------------------------------------------------===//

namespace {

/// A conversion of one number.
struct Conversion {
  CastInst *cast;
  IntegerPlace place;
};

/// The conversions of a block that pay.
class BlockConverter {
public:
  BlockConverter(BasicBlock &block, bool multipliesBfloats);

  /// Whether there are any.
  bool run();

private:
  const Conversion *findUpper(const Conversion &lower) const;
  bool isBefore(const Instruction *first, const Instruction *second) const;
  bool convertPair(const Conversion &low, const Conversion &high);
  void convertOne(const Conversion &conversion);
  void replace(const Conversion &conversion, Value *value);

  bool multipliesBfloats;
  SmallVector<Conversion> found;
  DenseMap<const Value *, const Conversion *> byCast;
  /// Of the block's own instructions, which LLVM would number anew behind each
  /// that is added.
  DenseMap<const Instruction *, unsigned> positions;
  SmallPtrSet<CastInst *, 16> replaced;
};

} // namespace

static bool isConversion(const Instruction &instruction) {
  Type *type = instruction.getType()->getScalarType();
  return isa<SIToFPInst, UIToFPInst>(instruction) &&
         (type->isFloatTy() || type->is16bitFPTy()) &&
         !instruction.getOperand(0)->getType()->isIntOrIntVectorTy(1);
}

/// Whether logic and an addition are less than the conversion. f32 are made of
/// i32 at full rate (`I2FP`) on most targets, and of a byte that is alone in
/// its register by one instruction on all.
static bool pays(const IntegerPlace &place, Type *type) {
  if (type->isFloatTy())
    return place.isWithin();
  // A byte is bf16 in two parts.
  return place.getBits() <= getFractionBits(type) + type->isBFloatTy();
}

/// One conversion for each element, as the target has it in the end.
static void splitVector(CastInst &cast, FixedVectorType *type) {
  IRBuilder<> builder(&cast);
  Value *result = PoisonValue::get(type);
  for (unsigned index = 0; index < type->getNumElements(); ++index) {
    Value *number = findScalarElement(cast.getOperand(0), index);
    if (!number)
      number = builder.CreateExtractElement(cast.getOperand(0), index);
    result = builder.CreateInsertElement(
        result,
        builder.CreateCast(cast.getOpcode(), number, type->getElementType()),
        index);
  }
  cast.replaceAllUsesWith(result);
  cast.eraseFromParent();
}

/// Whether there were any.
static bool splitVectors(BasicBlock &block) {
  bool hasChanged = false;
  for (Instruction &instruction : make_early_inc_range(block))
    if (auto *type = dyn_cast<FixedVectorType>(instruction.getType());
        type && isConversion(instruction)) {
      splitVector(cast<CastInst>(instruction), type);
      hasChanged = true;
    }
  return hasChanged;
}

BlockConverter::BlockConverter(BasicBlock &block, bool multipliesBfloats)
    : multipliesBfloats(multipliesBfloats) {
  for (Instruction &instruction : block) {
    if (!isConversion(instruction))
      continue;
    auto *cast = llvm::cast<CastInst>(&instruction);
    auto place =
        IntegerPlace::find(cast->getOperand(0), isa<SIToFPInst>(cast), *cast);
    if (place && pays(*place, cast->getType()))
      found.push_back({cast, *place});
  }
  if (found.empty())
    return;
  for (const Conversion &conversion : found)
    byCast[conversion.cast] = &conversion;
  for (auto [index, instruction] : enumerate(block))
    positions[&instruction] = index;
}

/// The number that is put above this one in a register.
const Conversion *BlockConverter::findUpper(const Conversion &lower) const {
  for (User *first : lower.cast->users())
    if (match(first, m_InsertElt(m_Value(), m_Specific(lower.cast), m_Zero())))
      for (User *second : first->users()) {
        Value *upper;
        if (!match(second,
                   m_InsertElt(m_Specific(first), m_Value(upper), m_One())))
          continue;
        if (const Conversion *other = byCast.lookup(upper))
          if (other != &lower)
            return other;
      }
  return nullptr;
}

void BlockConverter::replace(const Conversion &conversion, Value *value) {
  conversion.cast->replaceAllUsesWith(value);
  replaced.insert(conversion.cast);
}

/// Whether `first` comes before `second`, one of the block's.
bool BlockConverter::isBefore(const Instruction *first,
                              const Instruction *second) const {
  auto own = positions.find(first);
  return own == positions.end() || own->second < positions.at(second);
}

/// False where no place is behind what both are made of and before who takes
/// them.
bool BlockConverter::convertPair(const Conversion &low,
                                 const Conversion &high) {
  const Conversion *first = &low, *second = &high;
  if (isBefore(second->cast, first->cast))
    std::swap(first, second);
  Instruction *place = first->cast;
  auto *source = dyn_cast<Instruction>(second->place.getSource());
  if (source && !isBefore(source, place)) {
    for (User *user : place->users()) {
      auto *taker = cast<Instruction>(user);
      if (positions.contains(taker) && !isa<PHINode>(taker) &&
          isBefore(taker, second->cast))
        return false;
    }
    place = second->cast;
  }
  IRBuilder<> builder(place);
  Value *pair = Converter(builder, low.cast->getType(), multipliesBfloats)
                    .makePair(low.place, high.place);
  replace(low, builder.CreateExtractElement(pair, uint64_t(0)));
  replace(high, builder.CreateExtractElement(pair, uint64_t(1)));
  return true;
}

void BlockConverter::convertOne(const Conversion &conversion) {
  IRBuilder<> builder(conversion.cast);
  Type *type = conversion.cast->getType();
  Converter converter(builder, type, multipliesBfloats);
  if (type->isFloatTy())
    replace(conversion, converter.makeWide(conversion.place));
  else
    replace(conversion,
            builder.CreateExtractElement(
                converter.makePair(conversion.place, conversion.place),
                uint64_t(0)));
}

bool BlockConverter::run() {
  auto isLeft = [&](const Conversion &conversion) {
    return !replaced.contains(conversion.cast);
  };
  auto areAlike = [&](const Conversion &low, const Conversion &high) {
    return low.cast->getType() == high.cast->getType() &&
           low.place.isLike(high.place);
  };
  for (const Conversion &low : found)
    if (low.cast->getType()->is16bitFPTy() && isLeft(low))
      if (const Conversion *high = findUpper(low))
        if (isLeft(*high) && areAlike(low, *high))
          convertPair(low, *high);
  // Others as they stand side by side.
  for (size_t index = 0; index < found.size(); ++index) {
    const Conversion &low = found[index];
    if (!isLeft(low))
      continue;
    const Conversion *high =
        index + 1 < found.size() ? &found[index + 1] : nullptr;
    if (!high || !low.cast->getType()->is16bitFPTy() || !isLeft(*high) ||
        !areAlike(low, *high) || !convertPair(low, *high))
      convertOne(low);
  }
  for (CastInst *cast : replaced)
    cast->eraseFromParent();
  return !replaced.empty();
}

PreservedAnalyses
codegen::ConvertSmallIntegers::run(Function &function,
                                   FunctionAnalysisManager &) {
  bool hasChanged = false;
  for (BasicBlock &block : function) {
    hasChanged |= splitVectors(block);
    hasChanged |= BlockConverter(block, multipliesBfloats).run();
  }
  return preserveGraph(hasChanged);
}
