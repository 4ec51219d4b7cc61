// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tt.elementwise_inline_asm: a user's PTX, once for each group of elements that
// a thread holds. LLVM ends the process on assembly whose operands it cannot
// place, so the text and its constraints are read here first.

#include "passes/TileGPUToLLVM/Lowering.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// The operands of PTX that the elements of one value become, in one run.
struct Packing {
  /// Elements of a run, and of an operand.
  unsigned elements, perOperand;
  /// Of an element.
  unsigned elementBits;

  Packing(Type type, unsigned elements)
      : elements(elements),
        elementBits(getMemoryBits(getElementTypeOrSelf(type))) {
    perOperand = std::min(std::max(1u, 32 / elementBits), elements);
  }
  unsigned countOperands() const {
    return llvm::divideCeil(elements, perOperand);
  }
  unsigned getOperandBits() const { return perOperand * elementBits; }
};

/// A register class of PTX, as LLVM's constraints name it.
struct RegisterClass {
  char letter;
  unsigned bits;
  bool isFloat;
};

constexpr RegisterClass registerClasses[] = {
    {'h', 16, false}, {'r', 32, false}, {'l', 64, false},
    {'f', 32, true},  {'d', 64, true},
};

const RegisterClass *findClass(char letter) {
  for (const RegisterClass &entry : registerClasses)
    if (entry.letter == letter)
      return &entry;
  return nullptr;
}

Type getType(const RegisterClass &entry, OpBuilder &builder) {
  if (!entry.isFloat)
    return builder.getIntegerType(entry.bits);
  return entry.bits == 64 ? Type(builder.getF64Type())
                          : Type(builder.getF32Type());
}

/// The operands of a run, in PTX's order: results, then sources.
struct Assembly {
  SmallVector<const RegisterClass *> results, sources;
  /// What else the constraints say, with a comma before each.
  std::string clobbers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads the constraints; they name one class for each operand.
static FailureOr<Assembly> readConstraints(tt::ElementwiseInlineAsmOp op) {
  Assembly assembly;
  SmallVector<StringRef> items;
  op.getConstraints().split(items, ',');
  for (StringRef item : items) {
    item = item.trim();
    if (item.starts_with("~{") && item.ends_with("}")) {
      assembly.clobbers += "," + item.str();
      continue;
    }
    StringRef letter = item;
    bool isResult = letter.consume_front("=");
    // Results apart from sources is how all of them are placed here.
    if (isResult)
      letter.consume_front("&");
    const RegisterClass *found =
        letter.size() == 1 ? findClass(letter.front()) : nullptr;
    if (!found || (isResult && !assembly.sources.empty()))
      return op.emitOpError("expects constraints =h, =r, =l, =f, =d for the "
                            "results, then h, r, l, f, d for the operands, "
                            "then ~{...}, but got '")
             << item << "' in \"" << op.getConstraints() << "\"";
    (isResult ? assembly.results : assembly.sources).push_back(found);
  }
  return assembly;
}

/// The classes that belong to `types` hold what they are given.
static LogicalResult verifyClasses(tt::ElementwiseInlineAsmOp op,
                                   TypeRange types,
                                   ArrayRef<const RegisterClass *> classes,
                                   StringRef what) {
  SmallVector<unsigned> widths;
  SmallVector<Type> from;
  for (Type type : types) {
    Packing packing(type, op.getPackedElement());
    if (packing.elements % packing.perOperand != 0)
      return op.emitOpError("expects packed_element to be a multiple of the ")
             << packing.perOperand << " elements of " << type
             << " in a register, but got " << packing.elements;
    widths.append(packing.countOperands(), packing.getOperandBits());
    from.append(packing.countOperands(), type);
  }
  if (widths.size() != classes.size())
    return op.emitOpError("expects ")
           << widths.size() << " constraints of " << what
           << " (one for each register of " << op.getPackedElement()
           << " elements), but got " << classes.size();
  for (auto [width, type, entry] : llvm::zip_equal(widths, from, classes))
    if (width > entry->bits || (entry->isFloat && width != entry->bits))
      return op.emitOpError("expects a constraint for ")
             << width << " bits of " << type << ", but got '"
             << StringRef(&entry->letter, 1) << "' of " << entry->bits;
  return success();
}

/// Every $N of the text is an operand.
static LogicalResult verifyText(tt::ElementwiseInlineAsmOp op,
                                size_t operands) {
  StringRef text = op.getAsmString();
  for (size_t at = text.find('$'); at != StringRef::npos;
       at = text.find('$', at)) {
    StringRef rest = text.drop_front(++at);
    if (rest.starts_with("$")) {
      ++at;
      continue;
    }
    bool isBraced = rest.consume_front("{");
    unsigned number;
    bool isNumber = !rest.consumeInteger(10, number);
    if (!isNumber || number >= operands || (isBraced && !rest.starts_with("}")))
      return op.emitOpError("expects $0 to $")
             << operands - 1 << ", or $$ for a dollar sign, but got '$"
             << text.drop_front(at).take_front(8) << "'";
  }
  if (text.contains('\0'))
    return op.emitOpError("expects text without zero bytes");
  return success();
}

static LogicalResult verifyAssembly(tt::ElementwiseInlineAsmOp op) {
  FailureOr<Assembly> assembly = readConstraints(op);
  if (failed(assembly) ||
      failed(verifyClasses(op, op->getResultTypes(), assembly->results,
                           "results")) ||
      failed(verifyClasses(op, op->getOperandTypes(), assembly->sources,
                           "operands")))
    return failure();
  bool hasTile =
      llvm::any_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>);
  if (!hasTile && !op.getArgs().empty() &&
      llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>))
    return op.emitOpError("expects a tile among the operands where a result "
                          "is a tile, but got scalars");
  return verifyText(op, assembly->results.size() + assembly->sources.size());
}

LogicalResult tilegpu::verifyInlineAssembly(ModuleOp module) {
  WalkResult result =
      module.walk([](tt::ElementwiseInlineAsmOp op) -> WalkResult {
        return failure(failed(verifyAssembly(op)));
      });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

/// One operand of `bits` bits from `elements`, in a register of this class.
static Value packOperand(Emitter &emitter, ValueRange elements,
                         unsigned elementBits, const RegisterClass &entry) {
  OpBuilder &builder = emitter.builder;
  Value bits = elements.size() == 1
                   ? emitter.toInteger(elements.front())
                   : packElements(emitter, elements, elementBits);
  if (bits.getType().getIntOrFloatBitWidth() < entry.bits)
    bits = LLVM::ZExtOp::create(builder, emitter.location,
                                builder.getIntegerType(entry.bits), bits);
  return emitter.bitcast(bits, getType(entry, builder));
}

/// The inverse of packOperand, for elements of LLVM type `type`.
static SmallVector<Value> unpackOperand(Emitter &emitter, Value value,
                                        const Packing &packing, Type type) {
  OpBuilder &builder = emitter.builder;
  Value bits = emitter.toInteger(value);
  unsigned width = packing.getOperandBits();
  if (width < bits.getType().getIntOrFloatBitWidth())
    bits = LLVM::TruncOp::create(builder, emitter.location,
                                 builder.getIntegerType(width), bits);
  return unpackElements(emitter, bits, packing.perOperand, type,
                        packing.elementBits);
}

namespace {

/// Lower tt.elementwise_inline_asm. Elements are taken in the order of the
/// registers that hold them; the last ones are repeated where a run lacks some.
struct LowerInlineAssembly : TileGPUPattern<tt::ElementwiseInlineAsmOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(tt::ElementwiseInlineAsmOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Emitter emitter(rewriter, op.getLoc());
    FailureOr<Assembly> assembly = readConstraints(op);
    if (failed(assembly))
      return failure();
    unsigned count = countRegisters(op->getResult(0).getType());
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (unsigned first = 0; first < count; first += op.getPackedElement()) {
      SmallVector<Value> values =
          emitRun(op, adaptor, first, *assembly, emitter);
      unpackRun(op, values, results, emitter);
    }
    for (SmallVector<Value> &registers : results)
      registers.truncate(count);
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// The PTX's results for the elements from `first` on.
  SmallVector<Value> emitRun(tt::ElementwiseInlineAsmOp op, Adaptor adaptor,
                             unsigned first, const Assembly &assembly,
                             Emitter &emitter) const {
    SmallVector<Value> sources;
    for (auto [operand, registers] :
         llvm::zip_equal(op.getArgs(), adaptor.getOperands())) {
      Packing packing(operand.getType(), op.getPackedElement());
      for (unsigned at = first; at < first + packing.elements;
           at += packing.perOperand) {
        SmallVector<Value> elements;
        for (unsigned index = at; index < at + packing.perOperand; ++index)
          elements.push_back(
              registers[std::min<size_t>(index, registers.size() - 1)]);
        const RegisterClass &entry = *assembly.sources[sources.size()];
        sources.push_back(
            packOperand(emitter, elements, packing.elementBits, entry));
      }
    }
    std::string constraints;
    SmallVector<Type> types;
    // Sources are read after results may be written, where there are several
    // instructions.
    for (const RegisterClass *entry : assembly.results) {
      constraints +=
          std::string(constraints.empty() ? "" : ",") + "=&" + entry->letter;
      types.push_back(getType(*entry, emitter.builder));
    }
    for (const RegisterClass *entry : assembly.sources)
      constraints += std::string(",") + entry->letter;
    constraints += assembly.clobbers;
    if (op.getPure() && types.size() == 1)
      return {emitter.pureAssembly(op.getAsmString(), constraints,
                                   types.front(), sources)};
    return emitter.inlineAssembly(op.getAsmString(), constraints, types,
                                  sources);
  }

  void unpackRun(tt::ElementwiseInlineAsmOp op, ArrayRef<Value> values,
                 SmallVectorImpl<SmallVector<Value>> &results,
                 Emitter &emitter) const {
    for (auto [result, registers] :
         llvm::zip_equal(op->getResults(), results)) {
      Packing packing(result.getType(), op.getPackedElement());
      Type type =
          converter.convertElement(getElementTypeOrSelf(result.getType()));
      for (unsigned index = 0; index < packing.countOperands(); ++index)
        llvm::append_range(
            registers, unpackOperand(emitter, values[index], packing, type));
      values = values.drop_front(packing.countOperands());
    }
  }
};

} // namespace

void tilegpu::populateInlineAssemblyPatterns(
    const TileGPUTypeConverter &converter, const target::Target &target,
    RewritePatternSet &patterns) {
  patterns.add<LowerInlineAssembly>(converter, target);
}
