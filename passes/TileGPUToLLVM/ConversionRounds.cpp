// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout conversions through shared memory for one part of the tensor after the
// other (dialects/Layout/RoundsPlan.h).

#include "dialects/Layout/RoundsPlan.h"
#include "passes/TileGPUToLLVM/Agents.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using layout::RoundsPlan;
using layout::RoundsSide;
using layout::ThreadMap;

namespace {

/// One side of the conversion: addresses and predicates.
class SideEmitter {
public:
  SideEmitter(Emitter &emitter, const RoundsPlan &plan, const RoundsSide &side,
              Value base)
      : emitter(emitter), side(side), base(base),
        offsets(side.places.compose(*plan.shared.invert())),
        elementBits(plan.elementBits) {}

  /// Calls `access(addresses)` with the addresses of the registers of class
  /// `index`, by their numbers within it.
  template <typename Access>
  void withAddresses(unsigned index, Access access) {
    uint64_t start = offsets.apply(uint64_t(index) * side.classSize());
    SharedAddresses addresses(emitter, offsetsInClass(), /*padding=*/{}, base,
                              elementBits,
                              start ? emitter.constant(start) : Value(), start);
    access(addresses);
  }

  /// Where class `index` is what the thread moves in `round`; null where it is
  /// for all.
  Value emitPredicate(unsigned index, uint64_t round) {
    if (side.isUniform)
      return {};
    if (!threadRound)
      threadRound = emitThreadRound();
    return emitter.equal(threadRound,
                         emitter.constant(round ^ side.classRounds[index]));
  }

private:
  /// The offsets of class 0.
  LinearLayout offsetsInClass() const {
    unsigned registerBits = llvm::Log2_32(side.classSize());
    std::vector<uint64_t> columns;
    for (const layout::AxisBits &input : offsets.inputs())
      for (unsigned bit = 0; bit < input.bits; ++bit)
        if (input.axis != Axis(Axis::Register) || bit < registerBits)
          columns.push_back(offsets.column(input.axis, bit));
    std::vector<layout::AxisBits> inputs = offsets.inputs();
    inputs[0].bits = registerBits;
    return LinearLayout(std::move(inputs), offsets.outputs(),
                        std::move(columns));
  }

  Value emitThreadRound() {
    const ThreadMap &map = side.threadRound;
    std::vector<uint64_t> columns = map.lane;
    columns.insert(columns.end(), map.warp.begin(), map.warp.end());
    unsigned bits = 0;
    for (uint64_t column : columns)
      bits = std::max<unsigned>(bits, std::bit_width(column));
    LinearLayout layout({{Axis::Register, 0},
                         {Axis::Lane, unsigned(map.lane.size())},
                         {Axis::Warp, unsigned(map.warp.size())}},
                        {{Axis::Offset, bits}}, std::move(columns));
    return ThreadCoordinates(emitter, layout).get(0, Axis::Offset);
  }

  Emitter &emitter;
  const RoundsSide &side;
  Value base;
  LinearLayout offsets;
  unsigned elementBits;
  Value threadRound;
};

/// Emits a RoundsPlan on the registers of one tensor.
class RoundsEmitter {
public:
  RoundsEmitter(Emitter &emitter, const RoundsPlan &plan,
                const LinearLayout &source, Value scratch)
      : emitter(emitter), plan(plan), source(source),
        store(emitter, plan, plan.store, scratch),
        load(emitter, plan, plan.load, scratch) {}

  SmallVector<Value> emit(ValueRange values, Type element) {
    owner = emitOwnerPredicate(emitter, source);
    unsigned numWarps = 1u << source.inputBits(Axis::Warp);
    results.resize(plan.load.registers.size());
    for (uint64_t round = 0; round < plan.rounds(); ++round) {
      if (round)
        emitBarrier(emitter, numWarps);
      storeRound(round, values);
      emitBarrier(emitter, numWarps);
      loadRound(round, element);
    }
    return std::move(results);
  }

private:
  void storeRound(uint64_t round, ValueRange values) {
    const RoundsSide &side = plan.store;
    for (unsigned index = 0; index < side.classRounds.size(); ++index) {
      if (!side.moves(index, round))
        continue;
      SmallVector<Value> held;
      for (unsigned number = 0; number < side.classSize(); ++number)
        held.push_back(
            values[side.registers[index * side.classSize() + number]]);
      Value predicate = store.emitPredicate(index, round);
      if (owner)
        predicate = predicate ? emitter.bitAnd(predicate, owner) : owner;
      store.withAddresses(index, [&](SharedAddresses &addresses) {
        storeVectors(emitter, side.access, addresses, plan.elementBits, held,
                     predicate);
      });
    }
  }

  /// Threads that want nothing of a class in this round load all the same, and
  /// keep what they have.
  void loadRound(uint64_t round, Type element) {
    const RoundsSide &side = plan.load;
    for (unsigned index = 0; index < side.classRounds.size(); ++index) {
      if (!side.moves(index, round))
        continue;
      Value predicate = load.emitPredicate(index, round);
      load.withAddresses(index, [&](SharedAddresses &addresses) {
        SmallVector<Value> loaded = loadVectors(emitter, side.access, addresses,
                                                plan.elementBits, element);
        for (unsigned number = 0; number < side.classSize(); ++number) {
          Value value = loaded[side.access.representative[number]];
          Value &result =
              results[side.registers[index * side.classSize() + number]];
          result = result ? emitter.select(predicate, value, result) : value;
        }
      });
    }
  }

  Emitter &emitter;
  const RoundsPlan &plan;
  const LinearLayout &source;
  SideEmitter store, load;
  Value owner;
  SmallVector<Value> results;
};

/// Lower tilegpu.convert_in_rounds.
struct LowerConvertInRounds : TileGPUPattern<ConvertInRoundsOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(ConvertInRoundsOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyAgentBarrier(op)))
      return failure();
    auto sourceType = cast<RankedTensorType>(op.getSource().getType());
    auto type = cast<RankedTensorType>(op.getType());
    LinearLayout source = toLinearLayout(sourceType);
    LinearLayout result = toLinearLayout(type);
    MemDescType scratch = op.getScratch().getType();
    LinearLayout shared = scratch.toLinearLayout();
    unsigned elementBits = scratch.getElementBits();
    if (source.inputBits(Axis::Warp) != result.inputBits(Axis::Warp) ||
        source.inputBits(Axis::Lane) != result.inputBits(Axis::Lane))
      return op.emitOpError("expects source and result of as many warps, but "
                            "got ")
             << sourceType << " and " << type;
    if (!shared.isBijective() || elementBits > 64 ||
        !llvm::isPowerOf2_32(elementBits))
      return op.emitOpError("expects scratch that places every element once, "
                            "of elements of 8, 16, 32 or 64 bits, but got ")
             << scratch;
    Emitter emitter(rewriter, op.getLoc());
    ArrayRef<int64_t> masks = op.getFunctionals();
    RoundsPlan plan = layout::makeRounds(
        source, result, elementBits,
        std::vector<uint64_t>(masks.begin(), masks.end()), shared);
    SmallVector<Value> values =
        RoundsEmitter(emitter, plan, source, adaptor.getScratch().front())
            .emit(adaptor.getSource(),
                  converter.convertElement(type.getElementType()));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

} // namespace

void tilegpu::populateConversionRoundsPatterns(
    const TileGPUTypeConverter &converter, const target::Target &target,
    RewritePatternSet &patterns) {
  patterns.add<LowerConvertInRounds>(converter, target);
}
