// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout conversions within warps: renamings of registers, transpositions of
// matrices, selects and shuffles. Conversions across warps are loads and stores
// by now (tilegpu-plan-conversions).

#include "dialects/TileGPU/ConversionRules.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::ConversionPlan;
using layout::LinearLayout;
using layout::Means;
using layout::ShufflePlan;
using layout::ThreadMap;
using layout::TransposePlan;

namespace {

/// Emits a ShufflePlan on the registers of one tensor.
class ShuffleEmitter {
public:
  ShuffleEmitter(Emitter &emitter, const ShufflePlan &plan)
      : emitter(emitter), plan(plan) {}

  SmallVector<Value> emit(ValueRange source) {
    Type type = source.front().getType();
    Type integer = emitter.builder.getIntegerType(plan.elementBits);
    SmallVector<Value> registers;
    for (Value value : source)
      registers.push_back(packElements(emitter, value, plan.elementBits));
    registers = exchange(registers, plan.sourceExchange);
    SmallVector<SmallVector<Value>> words;
    for (const ShufflePlan::Fetch &fetch : plan.fetches)
      words.push_back(emitFetch(fetch, registers, integer));
    SmallVector<Value> values;
    for (const std::vector<ShufflePlan::Part> &parts : plan.values)
      values.push_back(emitAlternatives(parts, words));
    values = exchange(values, plan.destinationExchange);
    for (Value &value : values)
      value = unpackElements(emitter, value, 1, type, plan.elementBits)[0];
    return values;
  }

private:
  /// True in the threads where bit `bit` of `map` is odd.
  Value emitBit(const ThreadMap &map, unsigned bit) {
    auto [laneMask, warpMask] = map.parityMasks(bit);
    Value &known = predicates[{laneMask, warpMask}];
    if (known)
      return known;
    Value sum;
    for (auto [mask, index] :
         {std::pair(laneMask, lane()), std::pair(warpMask, warp())}) {
      if (!mask)
        continue;
      Value bits = emitter.bitAnd(index, emitter.constant(mask));
      if (!llvm::isPowerOf2_64(mask))
        bits = emitter.bitAnd(
            LLVM::CtPopOp::create(emitter.builder, emitter.location, bits),
            emitter.constant(1));
      Value odd = LLVM::ICmpOp::create(emitter.builder, emitter.location,
                                       LLVM::ICmpPredicate::ne, bits,
                                       emitter.constant(0));
      sum = sum ? emitter.bitXor(sum, odd) : odd;
    }
    return known = sum;
  }

  /// result[i] = values[i ^ map(thread)]: one round of selects for each
  /// dimension of the map's image.
  SmallVector<Value> exchange(SmallVector<Value> values, const ThreadMap &map) {
    for (uint64_t vector : map.image()) {
      Value odd = emitBit(map, llvm::Log2_64(vector));
      SmallVector<Value> next;
      for (size_t index = 0; index < values.size(); ++index)
        next.push_back(
            emitter.select(odd, values[index ^ vector], values[index]));
      values = std::move(next);
    }
    return values;
  }

  /// The elements of one word from another lane.
  SmallVector<Value> emitFetch(const ShufflePlan::Fetch &fetch,
                               ArrayRef<Value> registers, Type element) {
    SmallVector<Value> elements;
    for (unsigned index : fetch.registers)
      elements.push_back(registers[index]);
    if (!fetch.isShuffle)
      return elements;
    if (elements.size() == 1)
      return {emitShuffle(elements[0], fetch.laneOffset)};
    Value word = packElements(emitter, elements, plan.elementBits);
    return unpackElements(emitter, emitShuffle(word, fetch.laneOffset),
                          elements.size(), element, plan.elementBits);
  }

  Value emitShuffle(Value value, uint64_t laneOffset) {
    if (plan.isButterfly)
      return emitter.shuffleXor(value, laneOffset);
    Value &from = lanes[laneOffset];
    if (!from) {
      if (!laneIndex)
        laneIndex = emitLaneIndex();
      from = laneOffset
                 ? emitter.bitXor(laneIndex, emitter.constant(laneOffset))
                 : laneIndex;
    }
    return emitter.shuffleIndex(value, from);
  }

  /// The map from the thread to the lane that it reads.
  Value emitLaneIndex() {
    unsigned laneBits = plan.laneIndex.lane.size();
    std::vector<uint64_t> columns = plan.laneIndex.lane;
    columns.insert(columns.end(), plan.laneIndex.warp.begin(),
                   plan.laneIndex.warp.end());
    LinearLayout map({{Axis::Register, 0},
                      {Axis::Lane, laneBits},
                      {Axis::Warp, unsigned(plan.laneIndex.warp.size())}},
                     {{Axis::Offset, laneBits}}, std::move(columns));
    return ThreadCoordinates(emitter, map).get(0, Axis::Offset);
  }

  /// The part that the thread's alternative names.
  Value emitAlternatives(const std::vector<ShufflePlan::Part> &parts,
                         ArrayRef<SmallVector<Value>> words) {
    SmallVector<Value> values;
    for (const ShufflePlan::Part &part : parts)
      values.push_back(words[part.fetch][part.position]);
    for (unsigned bit = plan.alternativeBits.size(); bit-- > 0;) {
      Value odd = emitBit(plan.alternative, plan.alternativeBits[bit]);
      unsigned half = values.size() / 2;
      for (unsigned index = 0; index < half; ++index)
        values[index] =
            emitter.select(odd, values[index + half], values[index]);
      values.truncate(half);
    }
    return values.front();
  }

  Value lane() {
    return laneNumber ? laneNumber : laneNumber = emitter.laneId();
  }
  Value warp() {
    return warpNumber ? warpNumber : warpNumber = emitter.warpId();
  }

  Emitter &emitter;
  const ShufflePlan &plan;
  Value laneNumber, warpNumber, laneIndex;
  std::map<std::pair<uint64_t, uint64_t>, Value> predicates;
  /// The lane to read for each offset.
  std::map<uint64_t, Value> lanes;
};

/// movmatrix: the 8x8 matrix of 16-bit elements whose lanes hold two of a row
/// each in `word`, transposed. All lanes of the warp take part. LLVM has no
/// intrinsic for it.
Value emitMatrixTransposition(Emitter &emitter, Value word) {
  return emitter
      .inlineAssembly("movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "=r,r",
                      word.getType(), word)
      .front();
}

/// Emits a TransposePlan on the registers of one tensor.
SmallVector<Value> emitTranspositions(Emitter &emitter,
                                      const TransposePlan &plan,
                                      ValueRange source) {
  constexpr unsigned elementBits = 16;
  Type type = source.front().getType();
  SmallVector<SmallVector<Value>> words;
  for (const TransposePlan::Word &word : plan.words) {
    Value packed = packElements(emitter, {source[word.low], source[word.high]},
                                elementBits);
    words.push_back(unpackElements(emitter,
                                   emitMatrixTransposition(emitter, packed),
                                   /*count=*/2, type, elementBits));
  }
  return llvm::map_to_vector(plan.values, [&](TransposePlan::Part part) {
    return words[part.word][part.isHigh];
  });
}

/// Lower tilegpu.convert_layout within warps.
struct LowerConvertLayout : TileGPUPattern<ConvertLayoutOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(ConvertLayoutOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    auto type = cast<RankedTensorType>(op.getType());
    LinearLayout source =
        toLinearLayout(cast<RankedTensorType>(op.getSource().getType()));
    LinearLayout result = toLinearLayout(type);
    if (source.inputBits(Axis::Warp) != result.inputBits(Axis::Warp) ||
        source.inputBits(Axis::Lane) != result.inputBits(Axis::Lane))
      return op.emitOpError("expects source and result of as many warps, but "
                            "got ")
             << op.getSource().getType() << " and " << type;
    std::optional<ConversionPlan> plan = spellPlanOf(
        op, source, result, getMemoryBits(type.getElementType()), target);
    auto means = op->getAttrOfType<StringAttr>(meansAttrName);
    if (!plan)
      return op.emitOpError("expects means that do without shared memory (run "
                            "tilegpu-plan-conversions first), but got ")
             << (means ? means.getValue() : "none");
    ValueRange registers = adaptor.getSource();
    SmallVector<Value> values;
    if (plan->means == Means::Registers)
      values =
          llvm::map_to_vector(plan->conversion.registers,
                              [&](unsigned index) { return registers[index]; });
    else if (plan->means == Means::Transpositions)
      values = emitTranspositions(emitter, *plan->transpositions, registers);
    else
      values = ShuffleEmitter(emitter, *plan->shuffles).emit(registers);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

} // namespace

void tilegpu::populateConversionPatterns(const TileGPUTypeConverter &converter,
                                         const target::Target &target,
                                         RewritePatternSet &patterns) {
  patterns.add<LowerConvertLayout>(converter, target);
  populateConversionRoundsPatterns(converter, target, patterns);
}
