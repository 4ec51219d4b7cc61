// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores on global memory. An access takes as many registers at once
// as the layout and the axis analysis prove to be consecutive, aligned and
// under one mask; a store also takes those together of which the mask leaves
// the first few, and stores these by themselves where it does.

#include "passes/Analysis/AxisAnalysis.h"
#include "passes/TileGPUToLLVM/AccessHints.h"
#include "passes/TileGPUToLLVM/Lowering.h"
#include "passes/TileGPUToLLVM/Pointers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// How a tensor access is cut into instructions.
struct AccessShape {
  AccessShape(const GlobalAccess &access, Type element,
              const AxisAnalysis &axes)
      : vectors(planGlobalVectors(access, element, /*widestBits=*/128, axes)),
        elements(vectors.vectorElements), elementBits(getMemoryBits(element)) {}

  GlobalVectors vectors;
  unsigned elements, elementBits;

  /// The same access by instructions for what the mask takes together.
  AccessShape getMaskedParts() const {
    AccessShape parts = *this;
    parts.elements = vectors.maskedElements;
    return parts;
  }

  unsigned instructions() const { return vectors.order.size() / elements; }
  /// The registers of instruction `index`.
  ArrayRef<unsigned> getRegisters(unsigned index) const {
    return ArrayRef(vectors.order).slice(index * elements, elements);
  }
  /// `values`, one a register, of the registers of instruction `index`.
  SmallVector<Value> select(ValueRange values, unsigned index) const {
    return llvm::map_to_vector(
        getRegisters(index),
        [&](unsigned from) -> Value { return values[from]; });
  }

  unsigned bits() const { return elements * elementBits; }
  /// Width of the words in which the data travel: 32 bits where there are as
  /// many.
  unsigned wordBits() const { return std::min(32u, bits()); }
  unsigned words() const { return std::max(1u, bits() / 32); }
};

/// The words of one access as PTX operands: "$0" or "{$0, $1, ...}".
std::string wordList(unsigned first, unsigned count) {
  std::string text = count == 1 ? "" : "{";
  for (unsigned index = 0; index < count; ++index)
    text += (index ? ", $" : "$") + std::to_string(first + index);
  return text + (count == 1 ? "" : "}");
}

/// ".v4.b32" for four words of 32 bits.
std::string accessSuffix(const AccessShape &shape) {
  std::string suffix =
      shape.words() == 1 ? "" : ".v" + std::to_string(shape.words());
  return suffix + ".b" + std::to_string(shape.wordBits());
}

/// PTX registers are at least 16 bits wide: bytes are stored from 16-bit ones.
Type registerType(const AccessShape &shape, OpBuilder &builder) {
  return builder.getIntegerType(std::max(16u, shape.wordBits()));
}

char constraintOf(const AccessShape &shape) {
  return shape.wordBits() == 32 ? 'r' : 'h';
}

/// The registers of an access as words of `shape`.
SmallVector<Value> packWords(ValueRange elements, const AccessShape &shape,
                             Emitter &emitter) {
  Value packed = packElements(emitter, elements, shape.elementBits);
  // A single element wider than a word travels as two.
  Type word = emitter.builder.getIntegerType(shape.wordBits());
  if (shape.words() > 1)
    packed = emitter.bitcast(packed, VectorType::get(shape.words(), word));
  return emitter.unpackVector(packed);
}

/// The inverse of packWords, for elements of `type`.
SmallVector<Value> unpackWords(ValueRange words, Type type,
                               const AccessShape &shape, Emitter &emitter) {
  return unpackElements(emitter, emitter.packVector(words), shape.elements,
                        type, shape.elementBits);
}

/// The cache policy as the last operand of an instruction with so many
/// `results`: its text; it joins the operands.
std::string addPolicy(const AccessHints &hints, unsigned results,
                      SmallVectorImpl<Value> &operands,
                      std::string &constraints) {
  if (!hints.policy)
    return "";
  constraints += ",l";
  operands.push_back(hints.policy);
  return ", $" + std::to_string(results + operands.size() - 1);
}

/// The predicate of an access by one thread: its mask and, where threads hold
/// copies, being their owner.
Value combine(Value a, Value b, Emitter &emitter) {
  if (!a || !b)
    return a ? a : b;
  return emitter.bitAnd(a, b);
}

/// In a scalar access or one through a layout with copies: the thread that
/// acts.
Value emitOwner(Type type, Emitter &emitter) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return emitOwnerPredicate(emitter, toLinearLayout(tensor));
  return emitter.equal(emitter.threadId(), emitter.constant(0));
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// Lower tt.load.
struct LowerLoad : TileGPUPattern<tt::LoadOp> {
  LowerLoad(const TileGPUTypeConverter &converter, const target::Target &target,
            const AxisAnalysis &axes)
      : TileGPUPattern(converter, target), axes(axes) {}

  LogicalResult
  matchAndRewrite(tt::LoadOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    Type pointee = getElementTypeOrSelf(op.getType());
    Type element = converter.convertElement(pointee);
    PointerReader pointers(rewriter, op.getLoc(), converter.pointers,
                           op.getPtr(), adaptor.getPtr());
    ValueRange masks = op.getMask() ? adaptor.getMask() : ValueRange();
    ValueRange others = op.getOther() ? adaptor.getOther() : ValueRange();
    AccessShape shape(op.getGlobalAccess(), pointee, axes);
    AccessHints hints = emitLoadHints(emitter, op, target);
    Value owner;
    if (op->hasAttr(TileGPUDialect::firstThreadAttrName))
      owner = emitOwner(op.getPtr().getType(), emitter);
    SmallVector<Value> loaded(countRegisters(op.getType()));
    for (unsigned index = 0; index < shape.instructions(); ++index) {
      ArrayRef<unsigned> registers = shape.getRegisters(index);
      unsigned first = registers.front();
      SmallVector<Value> other;
      if (!others.empty())
        other = shape.select(others, index);
      Value mask = masks.empty() ? Value() : masks[first];
      SmallVector<Value> words =
          loadWords(hints, pointers.getAddress(first),
                    combine(mask, owner, emitter), other, shape, emitter);
      for (auto [to, value] : llvm::zip_equal(
               registers, unpackWords(words, element, shape, emitter)))
        loaded[to] = value;
    }
    SmallVector<Value> results;
    for (unsigned from : shape.vectors.representative)
      results.push_back(loaded[from]);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  static SmallVector<Value> loadWords(const AccessHints &hints, Address address,
                                      Value mask, ValueRange other,
                                      const AccessShape &shape,
                                      Emitter &emitter) {
    OpBuilder &builder = emitter.builder;
    if (mask || !hints.areNone())
      return loadPredicated(hints, address, mask, other, shape, emitter);
    Type word = builder.getIntegerType(shape.wordBits());
    Type type =
        shape.words() == 1 ? word : Type(VectorType::get(shape.words(), word));
    return emitter.unpackVector(LLVM::LoadOp::create(
        builder, emitter.location, type,
        emitter.advance(address.pointer, address.bytes), shape.bits() / 8));
  }

  /// A load under a predicate, or with hints. Registers hold `other`, or 0,
  /// before it. They have 32 bits, also for less (PTX ISA, "Operand size
  /// exceeding instruction-type size"): CUDA's assembler moves registers of 16
  /// bits by instructions that wait for what is loaded, at the end of an
  /// iteration for instance that loads for the next one.
  static SmallVector<Value>
  loadPredicated(const AccessHints &hints, Address address, Value mask,
                 ValueRange other, const AccessShape &shape, Emitter &emitter) {
    OpBuilder &builder = emitter.builder;
    unsigned count = shape.words();
    SmallVector<Type> results(count, builder.getI32Type());
    SmallVector<Value> operands = {address.pointer};
    std::string text, constraints;
    SmallVector<Value> initial;
    if (mask && !other.empty())
      initial = packWords(other, shape, emitter);
    for (unsigned index = 0; index < count; ++index)
      constraints += "=&r,";
    constraints += "l";
    if (mask) {
      operands.push_back(mask);
      constraints += ",b";
      for (unsigned index = 0; index < count; ++index) {
        std::string source = "0";
        if (!initial.empty()) {
          Value word = initial[index];
          if (word.getType() != results[index])
            word = LLVM::ZExtOp::create(builder, emitter.location,
                                        results[index], word);
          source = "$" + std::to_string(count + operands.size());
          operands.push_back(word);
          constraints += ",r";
        }
        text += "mov.b32 $" + std::to_string(index) + ", " + source + ";\n\t";
      }
      text += "@$" + std::to_string(count + 1) + " ";
    }
    text += "ld" + hints.before + ".global" + hints.behind +
            accessSuffix(shape) + " " + wordList(0, count) + ", " +
            formatAddress(count, address) +
            addPolicy(hints, count, operands, constraints) + ";";
    SmallVector<Value> words =
        emitter.inlineAssembly(text, constraints, results, operands);
    Type word = builder.getIntegerType(shape.wordBits());
    for (Value &value : words)
      if (value.getType() != word)
        value = LLVM::TruncOp::create(builder, emitter.location, word, value);
    return words;
  }

  const AxisAnalysis &axes;
};

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Lower tt.store.
struct LowerStore : TileGPUPattern<tt::StoreOp> {
  LowerStore(const TileGPUTypeConverter &converter,
             const target::Target &target, const AxisAnalysis &axes)
      : TileGPUPattern(converter, target), axes(axes) {}

  LogicalResult
  matchAndRewrite(tt::StoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    StoredTile tile = {PointerReader(rewriter, op.getLoc(), converter.pointers,
                                     op.getPtr(), adaptor.getPtr()),
                       adaptor.getValue(),
                       op.getMask() ? adaptor.getMask() : ValueRange(),
                       emitOwner(op.getPtr().getType(), emitter),
                       emitStoreHints(emitter, op, target)};
    AccessShape shape(op.getGlobalAccess(),
                      getElementTypeOrSelf(op.getValue().getType()), axes);
    for (unsigned index = 0; index < shape.instructions(); ++index) {
      ArrayRef<unsigned> registers = shape.getRegisters(index);
      // Where the last one is stored all are.
      unsigned decisive =
          shape.vectors.mayBeCut() ? registers.back() : registers.front();
      Value mask = tile.masks.empty() ? Value() : tile.masks[decisive];
      storePart(tile, index, mask, shape, emitter);
    }
    if (shape.vectors.mayBeCut())
      storeCutVectors(tile, shape, emitter, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// The operands of a store in registers, of which `owner` (null: all threads)
  /// stores its own.
  struct StoredTile {
    PointerReader pointers;
    ValueRange values, masks;
    Value owner;
    AccessHints hints;
  };

  /// Instruction `index` of `shape`, where `mask` (null: none) is true.
  static void storePart(StoredTile &tile, unsigned index, Value mask,
                        const AccessShape &shape, Emitter &emitter) {
    SmallVector<Value> words =
        packWords(shape.select(tile.values, index), shape, emitter);
    storeWords(tile.hints,
               tile.pointers.getAddress(shape.getRegisters(index).front()),
               combine(mask, tile.owner, emitter), words, shape, emitter);
  }

  /// Stores what is left of vectors whose mask holds for the first few elements
  /// alone. Few threads have such, so that all are behind one branch, which
  /// most warps do not take; two stores or fewer are issued sooner than that.
  static void storeCutVectors(StoredTile &tile, const AccessShape &shape,
                              Emitter &emitter,
                              ConversionPatternRewriter &rewriter) {
    AccessShape parts = shape.getMaskedParts();
    unsigned each = shape.elements / parts.elements;
    Value isAnyCut;
    if (shape.instructions() * (each - 1) > 2)
      isAnyCut = emitIsAnyCut(tile, shape, emitter);
    emitIf(rewriter, emitter.location, isAnyCut, [&]() {
      Emitter inner(rewriter, emitter.location);
      for (unsigned number = 0; number < shape.instructions(); ++number) {
        Value isWhole = tile.masks[shape.getRegisters(number).back()];
        Value isCut = inner.bitXor(isWhole, inner.constant(1, 1));
        // The last part is stored only where all are.
        for (unsigned index = number * each; index % each + 1 < each; ++index) {
          Value mask = tile.masks[parts.getRegisters(index).front()];
          storePart(tile, index, inner.bitAnd(mask, isCut), parts, inner);
        }
      }
    });
  }

  /// Whether the mask holds for the first few elements of any vector alone.
  static Value emitIsAnyCut(const StoredTile &tile, const AccessShape &shape,
                            Emitter &emitter) {
    Value isAnyCut;
    for (unsigned index = 0; index < shape.instructions(); ++index) {
      ArrayRef<unsigned> registers = shape.getRegisters(index);
      Value isCut = emitter.bitXor(tile.masks[registers.front()],
                                   tile.masks[registers.back()]);
      isAnyCut = isAnyCut ? emitter.bitOr(isAnyCut, isCut) : isCut;
    }
    return isAnyCut;
  }

  static void storeWords(const AccessHints &hints, Address address,
                         Value predicate, ArrayRef<Value> words,
                         const AccessShape &shape, Emitter &emitter) {
    OpBuilder &builder = emitter.builder;
    if (!predicate && hints.areNone()) {
      LLVM::StoreOp::create(
          builder, emitter.location, emitter.packVector(words),
          emitter.advance(address.pointer, address.bytes), shape.bits() / 8);
      return;
    }
    SmallVector<Value> operands = {address.pointer};
    std::string constraints = "l", text;
    for (Value word : words) {
      Type wide = registerType(shape, builder);
      operands.push_back(
          word.getType() == wide
              ? word
              : LLVM::ZExtOp::create(builder, emitter.location, wide, word));
      constraints += std::string(",") + constraintOf(shape);
    }
    if (predicate) {
      text = "@$" + std::to_string(operands.size()) + " ";
      operands.push_back(predicate);
      constraints += ",b";
    }
    text += "st" + hints.before + ".global" + hints.behind +
            accessSuffix(shape) + " " + formatAddress(0, address) + ", " +
            wordList(1, shape.words()) +
            addPolicy(hints, /*results=*/0, operands, constraints) + ";";
    emitter.inlineAssembly(text, constraints, {}, operands);
  }

  const AxisAnalysis &axes;
};

} // namespace

void tilegpu::populateGlobalMemoryPatterns(
    const TileGPUTypeConverter &converter, const target::Target &target,
    const AxisAnalysis &axes, RewritePatternSet &patterns) {
  patterns.add<LowerLoad, LowerStore>(converter, target, axes);
}
