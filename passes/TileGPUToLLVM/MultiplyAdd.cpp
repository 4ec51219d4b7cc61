// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots without a matrix instruction: tilegpu.multiply_add becomes a loop along
// K. Comes in: operands in shared memory. In each iteration a thread loads a
// few columns of the left operand and rows of the right one, for the elements
// of the result that it holds, and adds their products to sums that stay in
// registers.

#include "dialects/Layout/IndexArithmetic.h"
#include "passes/TileGPUToLLVM/DotOperands.h"
#include "passes/TileGPUToLLVM/SharedMemory.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
using target::Capability;

namespace {

/// Multiply-adds of a loop's body: enough to hide its counter, few enough for
/// the instruction cache. Threads with more sums take one step of K at a time.
constexpr unsigned bodyMultiplyAdds = 512;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// An operand in shared memory, as a thread takes it: `inner` for one
/// iteration, `outer` for where the iterations start.
struct OperandTile {
  unsigned elementBits;
  layout::Padding padding;
  /// (register, lane, warp) -> coordinates of the first iteration.
  LinearLayout inner;
  /// The same, and (register) of iterations, -> offset.
  LinearLayout innerOffsets, outerOffsets;
  layout::VectorAccess access;
};

/// The inputs `registers`, `lanes`, `warps` (columns) of a layout like
/// `layout`.
LinearLayout withColumns(const LinearLayout &layout,
                         ArrayRef<uint64_t> registers, ArrayRef<uint64_t> lanes,
                         ArrayRef<uint64_t> warps) {
  std::vector<uint64_t> columns(registers.begin(), registers.end());
  columns.insert(columns.end(), lanes.begin(), lanes.end());
  columns.insert(columns.end(), warps.begin(), warps.end());
  return LinearLayout({{Axis::Register, unsigned(registers.size())},
                       {Axis::Lane, unsigned(lanes.size())},
                       {Axis::Warp, unsigned(warps.size())}},
                      layout.outputs(), std::move(columns));
}

SmallVector<uint64_t> getColumns(const LinearLayout &layout, Axis input) {
  return llvm::map_to_vector(
      llvm::seq<unsigned>(0, layout.inputBits(input)),
      [&](unsigned bit) { return layout.column(input, bit); });
}

/// Operand `index` in `memory` for the threads of `result`, `step` elements of
/// K an iteration.
OperandTile getOperandTile(MemDescType memory, RegisterLayoutInterface result,
                           unsigned index, uint64_t step) {
  LinearLayout all = getThreadOperandLayout(result, index, memory.getShape());
  Axis k = Axis::coordinate(memory.getRank() - (index == 0 ? 1 : 2));
  SmallVector<uint64_t> registers, iterations;
  for (unsigned bit = 0; bit < all.inputBits(Axis::Register); ++bit) {
    bool isOuter = all.basis(Axis::Register, bit, k) >= step;
    (isOuter ? iterations : registers)
        .push_back(all.column(Axis::Register, bit));
  }
  SmallVector<uint64_t> lanes = getColumns(all, Axis::Lane);
  SmallVector<uint64_t> warps = getColumns(all, Axis::Warp);
  LinearLayout shared = memory.toLinearLayout();
  LinearLayout toOffset = *shared.invert();
  OperandTile tile;
  tile.elementBits = memory.getElementBits();
  tile.padding = memory.getEncoding().getPadding();
  tile.inner = withColumns(all, registers, lanes, warps);
  tile.innerOffsets = tile.inner.compose(toOffset);
  tile.outerOffsets = withColumns(all, iterations, {}, {}).compose(toOffset);
  // Vectors must be aligned in every iteration: those stand in as warps.
  warps.append(iterations);
  tile.access = layout::accessVector(
      withColumns(all, registers, lanes, warps), shared, tile.elementBits,
      getVectorLimit(tile.padding, tile.elementBits));
  return tile;
}

/// The registers of one iteration. Without an iteration there is only one.
SmallVector<Value> loadOperand(Emitter &emitter, const OperandTile &tile,
                               Value base, Value iteration, Type element) {
  Value exchange;
  uint64_t exchangeBits = 0;
  if (iteration) {
    const Axis inputs[] = {Axis::Register};
    exchange = emitAxisPart(emitter, tile.outerOffsets, Axis::Register,
                            iteration, Axis::Offset);
    exchangeBits =
        layout::reachableBits(tile.outerOffsets, inputs, Axis::Offset);
  }
  SharedAddresses addresses(emitter, tile.innerOffsets, tile.padding, base,
                            tile.elementBits, exchange, exchangeBits);
  SmallVector<Value> loaded =
      loadVectors(emitter, tile.access, addresses, tile.elementBits, element);
  return llvm::map_to_vector(tile.access.representative,
                             [&](unsigned index) { return loaded[index]; });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Emits the sums of one iteration.
class MultiplyAddEmitter {
public:
  MultiplyAddEmitter(Emitter &emitter, const DotRegisters &registers,
                     Type sumType)
      : emitter(emitter), registers(registers), type(sumType) {}

  /// Every result element of the thread, K upward; sums of independent elements
  /// alternate.
  SmallVector<Value> emit(ArrayRef<Value> lhs, ArrayRef<Value> rhs,
                          SmallVector<Value> sums) {
    for (uint64_t k : registers.getLaneK())
      for (unsigned index = 0; index < sums.size(); ++index) {
        auto [batch, row, column] = registers.getResultCoordinate(index);
        sums[index] =
            multiplyAdd(lhs[registers.findLhs(batch, row, k)],
                        rhs[registers.findRhs(batch, k, column)], sums[index]);
      }
    return sums;
  }

  /// As emit, for 8-bit integers: four elements of K at once (PTX ISA, dp4a).
  SmallVector<Value> emitFourWay(ValueRange lhs, ValueRange rhs,
                                 SmallVector<Value> sums) {
    ArrayRef<uint64_t> laneK = registers.getLaneK();
    for (size_t first = 0; first < laneK.size(); first += 4)
      for (unsigned index = 0; index < sums.size(); ++index) {
        auto [batch, row, column] = registers.getResultCoordinate(index);
        SmallVector<unsigned> left, right;
        for (uint64_t k : laneK.slice(first, 4)) {
          left.push_back(registers.findLhs(batch, row, k));
          right.push_back(registers.findRhs(batch, k, column));
        }
        sums[index] =
            emitter.intrinsic("llvm.nvvm.idp4a.s.s", type,
                              {packFour(lhs, left, lhsWords),
                               packFour(rhs, right, rhsWords), sums[index]});
      }
    return sums;
  }

private:
  Value multiplyAdd(Value a, Value b, Value sum) {
    if (isa<FloatType>(type))
      return LLVM::FMAOp::create(emitter.builder, emitter.location, a, b, sum);
    return emitter.add(emitter.multiply(a, b), sum);
  }

  Value packFour(ValueRange values, ArrayRef<unsigned> registers,
                 std::map<unsigned, Value> &words) {
    // The first register names the word: all of its K is in ascending order.
    Value &word = words[registers.front()];
    if (word)
      return word;
    SmallVector<Value> elements = llvm::map_to_vector(
        registers, [&](unsigned index) { return values[index]; });
    return word = emitter.bitcast(emitter.packVector(elements),
                                  emitter.builder.getI32Type());
  }

  Emitter &emitter;
  const DotRegisters &registers;
  Type type;
  std::map<unsigned, Value> lhsWords, rhsWords;
};

/// Widens registers of the tile type `from`.
SmallVector<Value> convert(ValueRange values, Type from, Type to,
                           Emitter &emitter) {
  SmallVector<Value> wide(values);
  if (from == to)
    return wide;
  OpBuilder &builder = emitter.builder;
  Location location = emitter.location;
  for (Value &value : wide) {
    if (isa<IntegerType>(to)) {
      value = LLVM::SExtOp::create(builder, location, to, value);
      continue;
    }
    if (from.getIntOrFloatBitWidth() > 8) {
      value = LLVM::FPExtOp::create(builder, location, to, value);
      continue;
    }
    // 8-bit floats have no LLVM type; their scalar conversion is lowered with
    // the rest.
    Value small =
        UnrealizedConversionCastOp::create(builder, location, from, value)
            .getResult(0);
    value = arith::ExtFOp::create(builder, location, to, small);
  }
  return wide;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

LLVM::LoopAnnotationAttr keepRolled(MLIRContext *context) {
  auto unroll = LLVM::LoopUnrollAttr::get(context, BoolAttr::get(context, true),
                                          {}, {}, {}, {}, {}, {});
  return LLVM::LoopAnnotationAttr::get(context, {}, {}, {}, unroll, {}, {}, {},
                                       {}, {}, {}, {}, {}, {}, {}, {});
}

/// Emits `body(iteration, values)`, which gives the values of the next
/// iteration, `count` times; the values at the end. The emitter goes on behind
/// the loop.
SmallVector<Value> emitCountedLoop(
    ConversionPatternRewriter &rewriter, Emitter &emitter, uint64_t count,
    SmallVector<Value> values,
    llvm::function_ref<SmallVector<Value>(Value, SmallVector<Value>)> body) {
  Location location = emitter.location;
  Block *before = rewriter.getInsertionBlock();
  Block *after = rewriter.splitBlock(before, rewriter.getInsertionPoint());
  SmallVector<Type> types = {rewriter.getI32Type()};
  for (Value value : values)
    types.push_back(value.getType());
  SmallVector<Location> locations(types.size(), location);
  Block *loop = rewriter.createBlock(after, types, locations);
  Block *exit = rewriter.createBlock(after, ArrayRef(types).drop_front(),
                                     ArrayRef(locations).drop_front());

  rewriter.setInsertionPointToEnd(before);
  SmallVector<Value> first = {emitter.constant(0)};
  first.append(values);
  LLVM::BrOp::create(rewriter, location, first, loop);

  rewriter.setInsertionPointToEnd(loop);
  Value iteration = loop->getArgument(0);
  SmallVector<Value> next =
      body(iteration, SmallVector<Value>(loop->getArguments().drop_front()));
  Value following = emitter.addConstant(iteration, 1);
  Value isLast = emitter.equal(following, emitter.constant(count));
  SmallVector<Value> again = {following};
  again.append(next);
  auto branch = LLVM::CondBrOp::create(rewriter, location, isLast, exit, next,
                                       loop, again);
  branch.setLoopAnnotationAttr(keepRolled(rewriter.getContext()));

  rewriter.setInsertionPointToEnd(exit);
  auto leave = LLVM::BrOp::create(rewriter, location, ValueRange(), after);
  rewriter.setInsertionPoint(leave);
  return SmallVector<Value>(exit->getArguments());
}

/// Lower tilegpu.multiply_add.
struct LowerMultiplyAdd : TileGPUPattern<MultiplyAddOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(MultiplyAddOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getType());
    Type element = type.getElementType();
    const Type operands[] = {op.getLhs().getType().getElementType(),
                             op.getRhs().getType().getElementType()};
    FailureOr<Type> sumType = getSumType(op, operands, element);
    if (failed(sumType) || failed(verifyMemory(op, op.getLhs().getType())) ||
        failed(verifyMemory(op, op.getRhs().getType())))
      return failure();
    uint64_t k = op.getLhs().getType().getShape().back();
    bool isFourWay = operands[0].isInteger(8) && operands[1].isInteger(8) &&
                     sumType->isInteger(32) && k % 4 == 0 &&
                     target.has(Capability::Dp4a);
    uint64_t step = chooseStep(k, countRegisters(type), isFourWay);
    RegisterLayoutInterface layout = getRegisterLayout(type);
    OperandTile lhs = getOperandTile(op.getLhs().getType(), layout, 0, step);
    OperandTile rhs = getOperandTile(op.getRhs().getType(), layout, 1, step);
    std::optional<DotRegisters> registers =
        DotRegisters::create(lhs.inner, rhs.inner, toLinearLayout(type));
    assert(registers && "the operands follow the result's threads");

    Emitter emitter(rewriter, op.getLoc());
    auto body = [&](Value iteration, SmallVector<Value> sums) {
      MultiplyAddEmitter products(emitter, *registers, *sumType);
      SmallVector<Value> a =
          loadOperand(emitter, lhs, adaptor.getLhs().front(), iteration,
                      converter.convertElement(operands[0]));
      SmallVector<Value> b =
          loadOperand(emitter, rhs, adaptor.getRhs().front(), iteration,
                      converter.convertElement(operands[1]));
      if (isFourWay)
        return products.emitFourWay(a, b, std::move(sums));
      return products.emit(convert(a, operands[0], *sumType, emitter),
                           convert(b, operands[1], *sumType, emitter),
                           std::move(sums));
    };
    SmallVector<Value> sums =
        convert(adaptor.getAccumulator(), element, *sumType, emitter);
    sums = step == k ? body(Value(), std::move(sums))
                     : emitCountedLoop(rewriter, emitter, k / step,
                                       std::move(sums), body);
    if (*sumType != element)
      for (Value &sum : sums)
        sum = LLVM::FPTruncOp::create(rewriter, op.getLoc(), element, sum);
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }

private:
  /// The elements of K of one iteration, a power of two as `k` is.
  static uint64_t chooseStep(uint64_t k, unsigned sums, bool isFourWay) {
    uint64_t step = llvm::bit_floor(std::max(1u, bodyMultiplyAdds / sums));
    return std::min(k, isFourWay ? 4 * step : step);
  }

  /// Vectors of whole elements can be loaded.
  static LogicalResult verifyMemory(MultiplyAddOp op, MemDescType type) {
    unsigned bits = type.getElementBits();
    if (bits > 64 || !llvm::isPowerOf2_32(bits) ||
        !type.toLinearLayout().isBijective())
      return op.emitOpError("expects operands of 8, 16, 32 or 64 bits, each "
                            "element in one place, but got ")
             << type;
    return success();
  }

  /// The type in which the sums are kept.
  static FailureOr<Type> getSumType(MultiplyAddOp op, ArrayRef<Type> operands,
                                    Type accumulator) {
    bool floats = isa<FloatType>(accumulator) &&
                  llvm::all_of(operands, llvm::IsaPred<FloatType>);
    bool integers =
        isa<IntegerType>(accumulator) && llvm::all_of(operands, [&](Type type) {
          return isa<IntegerType>(type) &&
                 type.getIntOrFloatBitWidth() <=
                     accumulator.getIntOrFloatBitWidth();
        });
    bool isNarrow = floats && accumulator.getIntOrFloatBitWidth() < 16;
    bool isNarrowing = floats && llvm::any_of(operands, [&](Type type) {
                         return type.isF64() && !accumulator.isF64();
                       });
    if ((!floats && !integers) || isNarrow || isNarrowing)
      return op.emitOpError("expects float operands and an accumulator of 16 "
                            "bits or more, or integer operands and an "
                            "accumulator at least as wide, but got ")
             << operands[0] << " and " << operands[1] << " -> " << accumulator;
    if (integers || accumulator.getIntOrFloatBitWidth() >= 32)
      return accumulator;
    return Type(Float32Type::get(op.getContext()));
  }
};

} // namespace

void tilegpu::populateMultiplyAddPatterns(const TileGPUTypeConverter &converter,
                                          const target::Target &target,
                                          RewritePatternSet &patterns) {
  patterns.add<LowerMultiplyAdd>(converter, target);
}
