// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics on global memory. Comes in: atomics whose barriers stand beside them
// and whose result nobody reads but the threads that own the elements
// (tilegpu-decompose-atomics). Each element is updated by its owner alone, by
// the target's instruction, or by a loop around compare-and-swap where it has
// none.

#include "dialects/Layout/F2.h"
#include "passes/TileGPUToLLVM/AtomicInstructions.h"
#include "passes/TileGPUToLLVM/Combine.h"
#include "passes/TileGPUToLLVM/Pointers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using target::Capability;

namespace {

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// What memory holds after `operation`.
Value combine(Emitter &emitter, tt::AtomicOperation operation, Value old,
              Value value) {
  OpBuilder &builder = emitter.builder;
  Location location = emitter.location;
  switch (operation) {
  case tt::AtomicOperation::AND:
    return emitter.bitAnd(old, value);
  case tt::AtomicOperation::OR:
    return emitter.bitOr(old, value);
  case tt::AtomicOperation::XOR:
    return emitter.bitXor(old, value);
  case tt::AtomicOperation::ADD:
    return emitter.add(old, value);
  case tt::AtomicOperation::FADD:
    return LLVM::FAddOp::create(builder, location, old, value);
  case tt::AtomicOperation::MAX:
    return LLVM::SMaxOp::create(builder, location, old, value);
  case tt::AtomicOperation::MIN:
    return LLVM::SMinOp::create(builder, location, old, value);
  case tt::AtomicOperation::UMAX:
    return LLVM::UMaxOp::create(builder, location, old, value);
  case tt::AtomicOperation::UMIN:
    return LLVM::UMinOp::create(builder, location, old, value);
  case tt::AtomicOperation::FMAX:
    return LLVM::MaxNumOp::create(builder, location, old, value);
  case tt::AtomicOperation::FMIN:
    return LLVM::MinNumOp::create(builder, location, old, value);
  case tt::AtomicOperation::XCHG:
    return value;
  case tt::AtomicOperation::INC:
  case tt::AtomicOperation::DEC:
    break;
  }
  llvm_unreachable("every target has an instruction for inc and dec");
}

/// Swaps what is expected for what `update` makes of it until that is what was
/// there: the integer (of `bits`) that was there, 0 where `predicate` is false.
/// The first guess is 0, so that no load races with other threads' atomics.
/// Splits the block; goes on behind the loop.
Value emitSwapLoop(ConversionPatternRewriter &rewriter, Location location,
                   StringRef swap, const Address &address, unsigned bits,
                   Value predicate,
                   function_ref<Value(Emitter &, Value)> update) {
  Type integer = rewriter.getIntegerType(bits);
  Block *head = rewriter.getInsertionBlock();
  Block *rest = rewriter.splitBlock(head, rewriter.getInsertionPoint());
  Block *loop = rewriter.createBlock(rest, {integer}, {location});
  Block *exit = rewriter.createBlock(rest, {integer}, {location});

  rewriter.setInsertionPointToEnd(head);
  Value zero = LLVM::ZeroOp::create(rewriter, location, integer);
  if (predicate)
    LLVM::CondBrOp::create(rewriter, location, predicate, loop, zero, exit,
                           zero);
  else
    LLVM::BrOp::create(rewriter, location, zero, loop);

  rewriter.setInsertionPointToEnd(loop);
  // Constants made here do not dominate what follows.
  Emitter emitter(rewriter, location);
  Value expected = loop->getArgument(0);
  Value wanted = update(emitter, expected);
  Value old =
      emitAtomic(emitter, swap, address, {expected, wanted},
                 /*predicate=*/{}, /*hasResult=*/true, /*unused=*/false);
  LLVM::CondBrOp::create(rewriter, location, emitter.equal(old, expected), exit,
                         old, loop, old);

  rewriter.setInsertionPointToEnd(exit);
  LLVM::BrOp::create(rewriter, location, ValueRange(), rest);
  rewriter.setInsertionPointToStart(rest);
  return exit->getArgument(0);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Which registers of a thread are accessed together, and which copy others.
struct RegisterUnits {
  unsigned elements = 1;
  unsigned registers = 1;
  /// Registers that hold one element differ by these.
  layout::f2::Span copies;

  RegisterUnits(Type pointers, unsigned elements)
      : elements(elements), registers(countRegisters(pointers)) {
    if (auto tensor = dyn_cast<RankedTensorType>(pointers))
      for (uint64_t copy :
           layout::f2::System(getRegisterColumns(toLinearLayout(tensor)))
               .kernel())
        copies.add(copy);
  }

  /// The first register of each unit that holds elements of its own.
  SmallVector<unsigned> list() const {
    SmallVector<unsigned> firsts;
    for (unsigned first = 0; first < registers; first += elements)
      if (copies.reduce(first) == first)
        firsts.push_back(first);
    return firsts;
  }
};

/// The thread that acts: of those with copies the owner, of all for a scalar
/// the first; null where each thread has its own elements.
Value emitActor(Type pointers, Emitter &emitter) {
  if (auto tensor = dyn_cast<RankedTensorType>(pointers))
    return emitOwnerPredicate(emitter, toLinearLayout(tensor));
  return emitter.equal(emitter.threadId(), emitter.constant(0));
}

/// Replaces `op` by `values`, one for each unit; copies get their element's.
void replaceAtomic(Operation *op, const RegisterUnits &units,
                   ArrayRef<Value> values, Type element, unsigned elementBits,
                   Emitter &emitter, ConversionPatternRewriter &rewriter) {
  SmallVector<Value> results(units.registers);
  for (auto [first, value] : llvm::zip_equal(units.list(), values)) {
    SmallVector<Value> elements;
    if (value)
      elements =
          unpackElements(emitter, value, units.elements, element, elementBits);
    else
      elements.assign(units.elements, emitter.zero(element));
    llvm::copy(elements, results.begin() + first);
  }
  for (unsigned index = 0; index < units.registers; ++index)
    results[index] = results[units.copies.reduce(index)];
  rewriter.replaceOpWithMultiple(op, {results});
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Lower tt.atomic_rmw.
struct LowerReadModifyWrite : TileGPUPattern<tt::AtomicRMWOp> {
  LowerReadModifyWrite(const TileGPUTypeConverter &converter,
                       const target::Target &target, const AxisAnalysis &axes)
      : TileGPUPattern(converter, target), axes(axes) {}

  LogicalResult
  matchAndRewrite(tt::AtomicRMWOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location location = op.getLoc();
    Emitter emitter(rewriter, location);
    Type pointee = getElementTypeOrSelf(op.getType());
    unsigned bits = getMemoryBits(pointee);
    RegisterUnits units(op.getPtr().getType(), countElements(op));
    SmallVector<unsigned> firsts = units.list();
    MemoryOrder order(op.getSem(), op.getScope(), firsts.size());
    std::optional<std::string> instruction =
        findAtomicInstruction(op.getAtomicRmwOp(), pointee, units.elements,
                              units.elements * bits, target);
    PointerReader pointers(rewriter, location, converter.pointers, op.getPtr(),
                           adaptor.getPtr());
    Value actor = emitActor(op.getPtr().getType(), emitter);
    SmallVector<Value> values;
    order.emitBefore(emitter);
    for (unsigned first : firsts) {
      Unit unit = {pointers.getAddress(first), actor,
                   adaptor.getVal().slice(first, units.elements), bits};
      if (op.getMask())
        unit.predicate = both(actor, adaptor.getMask()[first], emitter);
      values.push_back(
          instruction
              ? emitByInstruction(op, unit, *instruction, order, emitter)
              : emitByLoop(op, unit, order, emitter, rewriter));
    }
    order.emitAfter(emitter);
    replaceAtomic(op, units, values, converter.convertElement(pointee), bits,
                  emitter, rewriter);
    return success();
  }

private:
  /// Elements that one access takes, and the thread that makes it.
  struct Unit {
    Address address;
    Value predicate;
    ValueRange values;
    unsigned elementBits;
  };

  static Value both(Value a, Value b, Emitter &emitter) {
    return a ? emitter.bitAnd(a, b) : b;
  }

  /// Sums of floats of up to 32 bits are made as many at once as lie so and
  /// the target takes: 16 bytes, or pairs of halves; nothing else has a wider
  /// instruction.
  unsigned countElements(tt::AtomicRMWOp op) const {
    Type element = getElementTypeOrSelf(op.getType());
    unsigned bits = getMemoryBits(element);
    if (op.getAtomicRmwOp() != tt::AtomicOperation::FADD || bits > 32)
      return 1;
    unsigned widest = target.has(Capability::VectorAtomics) ? 128 : 32;
    layout::VectorAccess access =
        planGlobalVectors(op.getGlobalAccess(), element, widest, axes);
    // Units are runs of registers.
    unsigned elements = 1;
    while (2 * elements <= access.vectorElements &&
           access.order[elements] == elements)
      elements *= 2;
    return elements;
  }

  static Value emitByInstruction(tt::AtomicRMWOp op, const Unit &unit,
                                 StringRef instruction,
                                 const MemoryOrder &order, Emitter &emitter) {
    SmallVector<Value> words = emitter.unpackVector(
        packElements(emitter, unit.values, unit.elementBits));
    bool unused =
        op->use_empty() && op.getAtomicRmwOp() != tt::AtomicOperation::XCHG;
    std::string text = order.prefix(unused) + instruction.str();
    bool hasResult = StringRef(text).starts_with("atom");
    if (words.size() > 1)
      return emitVectorAtomic(emitter, text, unit.address, words,
                              unit.predicate, hasResult);
    return emitAtomic(emitter, text, unit.address, words, unit.predicate,
                      hasResult, op->use_empty());
  }

  static Value emitByLoop(tt::AtomicRMWOp op, const Unit &unit,
                          const MemoryOrder &order, Emitter &emitter,
                          ConversionPatternRewriter &rewriter) {
    unsigned count = unit.values.size(), bits = count * unit.elementBits;
    Type element = unit.values.front().getType();
    return emitSwapLoop(
        rewriter, op.getLoc(),
        order.prefix(/*unused=*/false) + "cas.b" + std::to_string(bits),
        unit.address, bits, unit.predicate,
        [&](Emitter &inLoop, Value expected) {
          SmallVector<Value> elements = unpackElements(
              inLoop, expected, count, element, unit.elementBits);
          for (auto [old, value] : llvm::zip_equal(elements, unit.values))
            old = combine(inLoop, op.getAtomicRmwOp(), old, value);
          return packElements(inLoop, elements, unit.elementBits);
        });
  }

  const AxisAnalysis &axes;
};

/// Lower tt.atomic_cas.
struct LowerCompareAndSwap : TileGPUPattern<tt::AtomicCASOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::AtomicCASOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    Type pointee = getElementTypeOrSelf(op.getType());
    unsigned bits = getMemoryBits(pointee);
    RegisterUnits units(op.getPtr().getType(), /*elements=*/1);
    SmallVector<unsigned> firsts = units.list();
    MemoryOrder order(op.getSem(), op.getScope(), firsts.size());
    std::string text =
        order.prefix(/*unused=*/false) + "cas.b" + std::to_string(bits);
    PointerReader pointers(rewriter, op.getLoc(), converter.pointers,
                           op.getPtr(), adaptor.getPtr());
    Value actor = emitActor(op.getPtr().getType(), emitter);
    SmallVector<Value> values;
    order.emitBefore(emitter);
    for (unsigned first : firsts) {
      Value operands[] = {packElements(emitter, adaptor.getCmp()[first], bits),
                          packElements(emitter, adaptor.getVal()[first], bits)};
      values.push_back(emitAtomic(emitter, text, pointers.getAddress(first),
                                  operands, actor, /*hasResult=*/true,
                                  op->use_empty()));
    }
    order.emitAfter(emitter);
    replaceAtomic(op, units, values, converter.convertElement(pointee), bits,
                  emitter, rewriter);
    return success();
  }
};

} // namespace

void tilegpu::populateAtomicPatterns(const TileGPUTypeConverter &converter,
                                     const target::Target &target,
                                     const AxisAnalysis &axes,
                                     RewritePatternSet &patterns) {
  patterns.add<LowerReadModifyWrite>(converter, target, axes);
  patterns.add<LowerCompareAndSwap>(converter, target);
}
