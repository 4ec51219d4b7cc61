// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots by the matrix instructions of warp groups: tilegpu.wgmma, its wait, and
// the fences between them and other accesses.
//
// An op is one group: wgmma.fence, an instruction for each block of the result
// and each step along K, and a commit. Its registers are tied, in and out of
// the fence, of each instruction and of the wait alike: so they are written
// before the fence, stay where they are, and nothing reads them before the
// wait, for all that LLVM may move. NVVM's own op can take the left operand
// from shared memory alone, so that the instruction is inline PTX.
//
// Where an operand lies is asked of its layout: the descriptor is that of the
// tile, and each block and step begins at the place of its first coordinates.
// The warp group's part of that is made uniform by a shuffle, since descriptors
// are in uniform registers; it stands at the entry, since LLVM moves no shuffle
// out of a loop.

#include "dialects/TileGPU/MatrixFragments.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/SmallFloats.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using target::Capability;
using target::ElementType;
using target::MatrixInstruction;

namespace {

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// The accumulators as the instruction has them: 32 bits each, two of f16.
SmallVector<Value> packAccumulators(Emitter &emitter, ValueRange elements) {
  if (!elements.front().getType().isF16())
    return SmallVector<Value>(elements);
  SmallVector<Value> words;
  for (size_t first = 0; first < elements.size(); first += 2)
    words.push_back(
        emitter.bitcast(emitter.packVector(elements.slice(first, 2)),
                        emitter.builder.getI32Type()));
  return words;
}

SmallVector<Value> unpackAccumulators(Emitter &emitter, ValueRange words,
                                      Type element) {
  if (!element.isF16())
    return SmallVector<Value>(words);
  SmallVector<Value> elements;
  for (Value word : words)
    llvm::append_range(elements, emitter.unpackVector(emitter.bitcast(
                                     word, VectorType::get(2, element))));
  return elements;
}

/// Inline PTX whose first operands are `tied`, of 32 bits each, which it gives
/// back in the same registers; `constraints` are those of `operands`, which are
/// numbered from 2 * tied.size() on.
SmallVector<Value> emitTied(Emitter &emitter, StringRef text, ValueRange tied,
                            StringRef constraints, ValueRange operands) {
  SmallVector<std::string> all;
  for (Value value : tied)
    all.push_back(value.getType().isF32() ? "=f" : "=r");
  for (size_t index = 0; index < tied.size(); ++index)
    all.push_back(std::to_string(index));
  if (!constraints.empty())
    all.push_back(constraints.str());
  SmallVector<Value> values(tied);
  llvm::append_range(values, operands);
  return emitter.inlineAssembly(text, llvm::join(all, ","),
                                SmallVector<Type>(tied.getTypes()), values);
}

/// "{$first, ..., $(first + count - 1)}"
std::string listRegisters(size_t first, size_t count) {
  std::string list;
  for (size_t index = first; index < first + count; ++index)
    list += (list.empty() ? "$" : ", $") + std::to_string(index);
  return "{" + list + "}";
}

//===----------------------------------------------------------------------===//
// Operands in shared memory
//===----------------------------------------------------------------------===//

/// The warp's number in the agent that runs the code, known to be the same in
/// its lanes.
Value emitUniformWarp(Emitter &emitter) {
  OpBuilder::InsertionGuard guard(emitter.builder);
  Region *code = emitter.builder.getInsertionBlock()->getParent();
  emitter.builder.setInsertionPointToStart(&code->front());
  Emitter entry(emitter.builder, emitter.location);
  return entry.shuffleIndex(entry.warpId(), entry.constant(0));
}

/// An operand that a descriptor reads.
class DescribedOperand {
public:
  /// `index`: 0 left, 1 right. `base`: the tile's first byte.
  DescribedOperand(Emitter &emitter, unsigned index, MemDescType tile,
                   const LinearLayout &result,
                   const layout::MatrixDescriptor &descriptor, Value base)
      : emitter(emitter), index(index), bytes(tile.getElementBits() / 8),
        offsets(*tile.toLinearLayout().invert()), descriptor(descriptor),
        start(getStart(result, base)) {}

  /// The descriptor of the block whose first row (of the right operand:
  /// column) and K, in the first warp group, are these.
  Value get(uint64_t row, uint64_t k) {
    return emitter.addConstant(start, getPlace(row, k) / unitBytes);
  }

  /// The instruction's immediate: 1 where K is not the contiguous dimension.
  bool isTransposed() const { return !descriptor.isKMajor; }

private:
  /// The unit of addresses in descriptors.
  static constexpr unsigned unitBytes = 16;
  /// Lowest bit of a warp's number that tells groups apart.
  static constexpr unsigned groupBit = 2;

  uint64_t getPlace(uint64_t row, uint64_t k) const {
    const layout::AxisValue at[] = {{Axis::coordinate(index), row},
                                    {Axis::coordinate(1 - index), k}};
    return offsets.apply(at)[0].value * bytes;
  }

  /// That of the warp group's first block.
  Value getStart(const LinearLayout &result, Value base) {
    Value address = LLVM::PtrToIntOp::create(
        emitter.builder, emitter.location, emitter.builder.getI32Type(), base);
    // In a cluster an address also says whose memory it is in (PTX ISA, "Matrix
    // Descriptor Format"). Elsewhere attention on an H200 takes 6 % longer with
    // the mask.
    constexpr int32_t addressMask = 0x3ffff;
    if (lookupCluster(emitter.builder.getInsertionBlock()->getParentOp()) > 1)
      address = emitter.bitAnd(address, emitter.constant(addressMask));
    Value unit = LLVM::LShrOp::create(emitter.builder, emitter.location,
                                      address, emitter.constant(4));
    Value warp;
    for (unsigned bit = groupBit; bit < result.inputBits(Axis::Warp); ++bit) {
      uint64_t row = result.basis(Axis::Warp, bit, Axis::coordinate(index));
      if (!row)
        continue;
      if (!warp)
        warp = emitUniformWarp(emitter);
      Value number =
          emitter.bitAnd(LLVM::LShrOp::create(emitter.builder, emitter.location,
                                              warp, emitter.constant(bit)),
                         emitter.constant(1));
      unit = emitter.add(
          unit, emitter.multiply(
                    number, emitter.constant(getPlace(row, 0) / unitBytes)));
    }
    Value wide = LLVM::ZExtOp::create(emitter.builder, emitter.location,
                                      emitter.builder.getI64Type(), unit);
    return emitter.bitOr(wide, emitter.constant(descriptor.encode(), 64));
  }

  Emitter &emitter;
  unsigned index, bytes;
  const LinearLayout offsets;
  const layout::MatrixDescriptor descriptor;
  Value start;
};

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Whether accumulators are pending of zeros.
bool pendsZero(Value accumulator) {
  auto pend = accumulator.getDefiningOp<PendOp>();
  return pend && isZero(pend.getTensor());
}

/// Whether `value` comes from another block than that of `op`.
bool isOfOtherBlock(Value value, Operation *op) {
  Operation *definition = value.getDefiningOp();
  return !definition || definition->getBlock() != op->getBlock();
}

/// Emits one tilegpu.wgmma.
class ProductEmitter {
public:
  ProductEmitter(Emitter &emitter, const target::Target &target, WgmmaOp op,
                 const MatrixInstruction &instruction, ValueRange lhsValues,
                 Value rhsBase)
      : emitter(emitter), target(target), instruction(instruction),
        result(toLinearLayout(op.getType().getTensor())),
        accumulator(cast<WgmmaAttr>(op.getType().getTensor().getEncoding())),
        depth(op.getRhs().getType().getShape()[0]),
        beginsWithZero(pendsZero(op.getAccumulator())),
        findsLhs(isOfOtherBlock(op.getLhs(), op)),
        rhs(emitter, 1, op.getRhs().getType(), result,
            *findMatrixDescriptor(op.getRhs().getType(), accumulator, 1),
            rhsBase) {
    if (auto tile = dyn_cast<MemDescType>(op.getLhs().getType()))
      lhs.emplace(emitter, 0, tile, result,
                  *findMatrixDescriptor(tile, accumulator, 0),
                  lhsValues.front());
    else
      packFragments(cast<RankedTensorType>(op.getLhs().getType()), lhsValues,
                    isExactInTf32(op.getLhs()));
  }

  /// The result's registers. K is the outermost loop, so that instructions that
  /// follow each other do not depend on each other, where there are several.
  SmallVector<Value> emit(ValueRange sums) {
    SmallVector<Value> words = packAccumulators(emitter, sums);
    // The instruction need not read zeros, nor threads write them.
    if (beginsWithZero)
      for (Value &word : words)
        word = LLVM::UndefOp::create(emitter.builder, emitter.location,
                                     word.getType());
    size_t blocks = sums.size() / getBlockRegisters();
    size_t each = words.size() / blocks;
    uint64_t fenced = lhs ? depth : getFencedDepth(blocks);
    emitFence(words, 0, fenced);
    for (uint64_t k = 0; k < depth; k += instruction.k) {
      if (k && k % fenced == 0)
        emitFence({}, k, fenced);
      for (size_t first = 0; first < words.size(); first += each) {
        const layout::AxisValue at[] = {
            {Axis::Register, first / each * getBlockRegisters()}};
        std::vector<layout::AxisValue> place = result.apply(at);
        SmallVector<Value> block =
            emitInstruction(place[0].value, place[1].value, k,
                            ArrayRef<Value>(words).slice(first, each));
        llvm::copy(block, words.begin() + first);
      }
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(emitter.builder, emitter.location);
    return unpackAccumulators(emitter, words, sums.front().getType());
  }

private:
  /// Registers of a thread in the result of one instruction.
  unsigned getBlockRegisters() const {
    constexpr unsigned threads = 128;
    return instruction.m * accumulator.getN() / threads;
  }

  /// Packs the left operand: in each fragment the words of rows 0 and 8 of the
  /// first K, then of the next. `isExact`: they are numbers of tf32, if that is
  /// what the instruction takes.
  void packFragments(RankedTensorType type, ValueRange values, bool isExact) {
    LinearLayout layout = toLinearLayout(type);
    std::map<std::pair<uint64_t, uint64_t>, Value> elements;
    for (auto [index, value] : llvm::enumerate(values)) {
      const layout::AxisValue at[] = {{Axis::Register, index}};
      std::vector<layout::AxisValue> place = layout.apply(at);
      elements[{place[0].value, place[1].value}] = value;
    }
    uint64_t width = getRegisterElements(instruction);
    for (auto [place, value] : elements) {
      auto [row, k] = place;
      if (row % instruction.m || k % instruction.k)
        continue;
      SmallVector<Value> &words = fragments[place];
      for (unsigned word = 0; word < 4; ++word) {
        SmallVector<Value> parts;
        for (unsigned element = 0; element < width; ++element)
          parts.push_back(elements.at(
              {row + word % 2 * 8, k + word / 2 * 4 * width + element}));
        bool rounds = instruction.a == ElementType::TF32 && !isExact;
        words.push_back(rounds ? roundToTf32(emitter, target, parts.front())
                               : emitter.bitcast(emitter.packVector(parts),
                                                 emitter.builder.getI32Type()));
      }
    }
  }

  /// How much of K is multiplied behind one fence, by `blocks` instructions for
  /// each of its steps, where the left operand is in registers: a step, so that
  /// the next one's registers are computed under it, if it takes the matrix
  /// units 64 cycles at least, by N / 2 for each instruction; else all, as
  /// where the registers are there, of another iteration. A fence costs cycles
  /// itself: W4A16 of 64 rows, whose steps take 32, 31.1 us with one for each,
  /// 29.3 with one for all and 30.2 with one for two on an H200.
  uint64_t getFencedDepth(size_t blocks) const {
    constexpr uint64_t leastColumns = 128;
    return findsLhs || blocks * accumulator.getN() < leastColumns
               ? depth
               : instruction.k;
  }

  /// wgmma.fence, which `sums` pass, and the left operand's registers of the
  /// instructions for `fenced` of K from `firstK` on: those of the next ones
  /// are computed under these (codegen::SinkOperands).
  void emitFence(MutableArrayRef<Value> sums, uint64_t firstK,
                 uint64_t fenced) {
    SmallVector<Value *> passing =
        llvm::map_to_vector(sums, [](Value &sum) { return &sum; });
    for (auto &[place, words] : fragments)
      if (place.second / fenced == firstK / fenced)
        for (Value &word : words)
          passing.push_back(&word);
    SmallVector<Value> all = emitTied(
        emitter, "wgmma.fence.sync.aligned;",
        llvm::map_to_vector(passing, [](Value *value) { return *value; }), "",
        {});
    for (auto [value, next] : llvm::zip_equal(passing, all))
      *value = next;
  }

  /// One instruction, for the block of `sums` that begins at this row and
  /// column.
  SmallVector<Value> emitInstruction(uint64_t row, uint64_t column, uint64_t k,
                                     ValueRange sums) {
    size_t next = 2 * sums.size();
    SmallVector<Value> operands;
    std::string left, constraints;
    if (lhs) {
      left = "$" + std::to_string(next++);
      operands.push_back(lhs->get(row, k));
      constraints = "l,l";
    } else {
      operands = fragments.at({row, k});
      left = listRegisters(next, operands.size());
      next += operands.size();
      constraints = "r,r,r,r,l";
    }
    operands.push_back(rhs.get(column, k));
    std::string text = llvm::formatv(
        "{0}.{1}.{2}.{3} {4}, {5}, ${6}, {7};", getName(),
        StringRef(target::elementTypeName(instruction.accumulator)),
        StringRef(target::elementTypeName(instruction.a)),
        StringRef(target::elementTypeName(instruction.b)),
        listRegisters(0, sums.size()), left, next,
        getImmediates(/*accumulates=*/k || !beginsWithZero));
    return emitTied(emitter, text, sums, constraints, operands);
  }

  /// "wgmma.mma_async.sync.aligned.m64n128k16"
  std::string getName() const {
    auto [before, after] = StringRef(instruction.name).split("N");
    return (before + Twine(accumulator.getN()) + after).str();
  }

  /// scale-d: whether the sums before count; of 16-bit operands signs and major
  /// orders.
  std::string getImmediates(bool accumulates) const {
    std::string text = accumulates ? "1" : "0";
    if (instruction.accumulator == ElementType::S32)
      return text;
    text += ", 1, 1";
    if (target::elementTypeBits(instruction.a) != 16)
      return text;
    if (lhs)
      text += lhs->isTransposed() ? ", 1" : ", 0";
    return text + (rhs.isTransposed() ? ", 1" : ", 0");
  }

  Emitter &emitter;
  const target::Target &target;
  const MatrixInstruction &instruction;
  const LinearLayout result;
  const WgmmaAttr accumulator;
  const uint64_t depth;
  /// Whether there are no sums before.
  const bool beginsWithZero;
  /// Whether the left operand is there when the block begins.
  const bool findsLhs;
  DescribedOperand rhs;
  /// None where the left operand is in registers.
  std::optional<DescribedOperand> lhs;
  /// Its words there, by the first row and K of each instruction.
  std::map<std::pair<uint64_t, uint64_t>, SmallVector<Value>> fragments;
};

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Lower tilegpu.pend.
struct LowerPend : TileGPUPattern<PendOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(PendOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getTensor()});
    return success();
  }
};

/// Lower tilegpu.wgmma.
struct LowerWgmma : TileGPUPattern<WgmmaOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(WgmmaOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCapability(op, target, Capability::Wgmma)))
      return failure();
    FailureOr<const MatrixInstruction *> instruction = findInstruction(op);
    if (failed(instruction))
      return failure();
    Emitter emitter(rewriter, op.getLoc());
    ProductEmitter product(emitter, target, op, **instruction, adaptor.getLhs(),
                           adaptor.getRhs().front());
    rewriter.replaceOpWithMultiple(op,
                                   {product.emit(adaptor.getAccumulator())});
    return success();
  }

private:
  /// The row of the target's table; diagnoses types, an n or a K that it has no
  /// instruction for.
  FailureOr<const MatrixInstruction *> findInstruction(WgmmaOp op) const {
    RankedTensorType result = op.getType().getTensor();
    Type a = isa<MemDescType>(op.getLhs().getType())
                 ? cast<MemDescType>(op.getLhs().getType()).getElementType()
                 : getElementTypeOrSelf(op.getLhs().getType());
    Type b = op.getRhs().getType().getElementType();
    unsigned n = cast<WgmmaAttr>(result.getEncoding()).getN();
    unsigned k = op.getRhs().getType().getShape()[0];
    for (const MatrixInstruction *row : target.matrixInstructions())
      if (row->asynchronous && row->a == getMatrixOperandType(a) &&
          row->b == getMatrixOperandType(b) &&
          row->accumulator ==
              getMatrixAccumulatorType(result.getElementType()) &&
          row->admitsN(n) && k % row->k == 0)
        return row;
    return op.emitOpError("expects types, n and K for which ")
           << StringRef(target.name) << " has a wgmma, but got " << a << " x "
           << b << " -> " << result.getElementType() << " with n = " << n
           << " and K = " << k;
  }
};

/// Lower tilegpu.wgmma_wait. What is in flight still is tied to the wait all
/// the same, so that nothing moves its registers about.
struct LowerWgmmaWait : TileGPUPattern<WgmmaWaitOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(WgmmaWaitOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCapability(op, target, Capability::Wgmma)))
      return failure();
    Emitter emitter(rewriter, op.getLoc());
    ValueRange sums = adaptor.getProduct();
    SmallVector<Value> words =
        emitTied(emitter,
                 "wgmma.wait_group.sync.aligned " +
                     std::to_string(op.getPending()) + ";",
                 packAccumulators(emitter, sums), "", {});
    rewriter.replaceOpWithMultiple(
        op, {unpackAccumulators(emitter, words, sums.front().getType())});
    return success();
  }
};

/// Lower tilegpu.proxy_fence.
struct LowerProxyFence : TileGPUPattern<ProxyFenceOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(ProxyFenceOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCapability(op, target, Capability::BulkTensorCopy)))
      return failure();
    if (op.getGlobal())
      NVVM::FenceProxyOp::create(rewriter, op.getLoc(), NVVM::ProxyKind::async,
                                 NVVM::SharedSpaceAttr());
    else
      NVVM::FenceProxyOp::create(
          rewriter, op.getLoc(), NVVM::ProxyKind::async_shared,
          NVVM::SharedSpaceAttr::get(op.getContext(),
                                     NVVM::SharedSpace::shared_cta));
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tilegpu::populateWarpGroupDotPatterns(
    const TileGPUTypeConverter &converter, const target::Target &target,
    RewritePatternSet &patterns) {
  patterns.add<LowerPend, LowerWgmma, LowerWgmmaWait, LowerProxyFence>(
      converter, target);
}
