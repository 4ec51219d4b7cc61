// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dots by matrix instructions: tilegpu.mma becomes calls of the `llvm.nvvm.mma`
// intrinsics. Comes in: fragments as the operand layouts name them; no data
// moves between threads. MultiplyAdd.cpp has the dots without such an
// instruction.
//
// Where an instruction's fragment stands in the operands' registers is asked of
// the layouts, by coordinates. The order of K within a fragment is free as long
// as both operands agree: so registers are taken in ascending K, whatever the
// kWidth.

#include "passes/TileGPUToLLVM/DotOperands.h"

#include "passes/TileGPUToLLVM/VerifyTarget/MatrixIntrinsics.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::LinearLayout;
using target::ElementType;
using target::MatrixInstruction;

namespace {

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// One element of an accumulator fragment, in lane 0.
struct FragmentElement {
  unsigned row, column;
};

/// What a warp computes with one instruction, and how its fragments look in
/// lane 0.
struct InstructionShape {
  unsigned rows, columns, k;
  /// Rows of lane 0 in A, eight apart.
  unsigned lhsRows;
  /// Elements of K in lane 0, of A and of B.
  unsigned laneK;
  ArrayRef<FragmentElement> accumulator;
};

/// PTX ISA, "Matrix Fragments for mma": the accumulators in lane 0.
constexpr FragmentElement accumulatorM16N8[] = {{0, 0}, {0, 1}, {8, 0}, {8, 1}};
constexpr FragmentElement accumulatorM8N8[] = {{0, 0}, {0, 1}};
constexpr FragmentElement accumulatorM8N8K4[] = {
    {0, 0}, {0, 1}, {2, 0}, {2, 1}, {0, 4}, {0, 5}, {2, 4}, {2, 5}};

InstructionShape getShape(MmaFamily family, unsigned k) {
  switch (family) {
  case MmaFamily::M16N8:
    return {16, 8, k, 2, k / 4, accumulatorM16N8};
  case MmaFamily::M8N8:
    return {8, 8, k, 1, k / 4, accumulatorM8N8};
  case MmaFamily::M8N8K4:
    // Four quad pairs, two by two; each lane holds all of K.
    return {16, 16, k, 1, k, accumulatorM8N8K4};
  }
  llvm_unreachable("all families are listed");
}

std::optional<ElementType> getElementType(Type type, bool isOperand) {
  if (type.isF16())
    return ElementType::F16;
  if (type.isF32())
    return isOperand ? ElementType::TF32 : ElementType::F32;
  if (type.isInteger(32) && !isOperand)
    return ElementType::S32;
  if (!isOperand)
    return std::nullopt;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isInteger(8))
    return ElementType::S8;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::E4M3;
  if (isa<Float8E5M2Type>(type))
    return ElementType::E5M2;
  return std::nullopt;
}

Type getElement(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// The row of the target's table that `op` names; diagnoses an instruction that
/// the target lacks.
FailureOr<const MatrixInstruction *>
findInstruction(MmaOp op, const target::Target &target) {
  std::optional<ElementType> a = getElementType(getElement(op.getLhs()), true);
  std::optional<ElementType> b = getElementType(getElement(op.getRhs()), true);
  std::optional<ElementType> accumulator =
      getElementType(getElement(op.getAccumulator()), false);
  ArrayRef<int32_t> shape = op.getInstruction();
  std::string supported;
  for (const MatrixInstruction *row : target.matrixInstructions()) {
    if (row->asynchronous || row->a != a || row->b != b ||
        row->accumulator != accumulator)
      continue;
    if (int64_t(row->m) == shape[0] && int64_t(row->n) == shape[1] &&
        int64_t(row->k) == shape[2])
      return row;
    supported += llvm::formatv("{0}m{1}n{2}k{3}", supported.empty() ? "" : ", ",
                               row->m, row->n, row->k);
  }
  InFlightDiagnostic diagnostic =
      op.emitOpError("expects an instruction that ")
      << target.name << " has for " << getElement(op.getLhs()) << " x "
      << getElement(op.getRhs()) << " -> " << getElement(op.getAccumulator())
      << " (" << (supported.empty() ? "none" : supported) << "), but got m"
      << shape[0] << "n" << shape[1] << "k" << shape[2];
  return diagnostic;
}

MmaFamily getFamily(const MatrixInstruction &instruction) {
  if (instruction.m == 16)
    return MmaFamily::M16N8;
  return instruction.k == 4 ? MmaFamily::M8N8K4 : MmaFamily::M8N8;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

/// Emits one tilegpu.mma.
class MmaEmitter {
public:
  MmaEmitter(Emitter &emitter, const MatrixInstruction &instruction,
             const DotRegisters &registers, ArrayRef<ValueRange> operands)
      : emitter(emitter), instruction(instruction),
        shape(getShape(getFamily(instruction), instruction.k)),
        registers(registers), lhs(operands[0]), rhs(operands[1]),
        accumulators(operands[2]), name(matrixIntrinsicName(instruction)) {}

  /// K of the fragments in lane 0 covers K of the dot, each element once.
  bool coversK(int64_t k) const {
    size_t laneCount = shape.k / shape.laneK;
    ArrayRef<uint64_t> laneK = registers.getLaneK();
    return laneK.size() % shape.laneK == 0 &&
           laneK.size() * laneCount == uint64_t(k);
  }

  /// The result's registers. K is the outermost loop: an accumulator sums K
  /// upward, and instructions that follow each other do not depend on each
  /// other.
  SmallVector<Value> emit() {
    ArrayRef<uint64_t> laneK = registers.getLaneK();
    for (size_t step = 0; step < laneK.size(); step += shape.laneK)
      for (const DotCoordinate &block : getBlocks())
        emitInstruction(block, laneK.slice(step, shape.laneK));
    return accumulators;
  }

private:
  /// The first element of each instruction's tile in lane 0, in the order of
  /// the accumulator's registers.
  SmallVector<DotCoordinate> getBlocks() const {
    SmallVector<DotCoordinate> blocks;
    for (unsigned index = 0; index < accumulators.size(); ++index) {
      DotCoordinate c = registers.getResultCoordinate(index);
      if (c.row % shape.rows == 0 && c.column % shape.columns == 0)
        blocks.push_back(c);
    }
    return blocks;
  }

  void emitInstruction(const DotCoordinate &block, ArrayRef<uint64_t> k) {
    SmallVector<Value> arguments;
    for (Value word : getLhsWords(block, k))
      arguments.push_back(word);
    for (Value word : getRhsWords(block, k))
      arguments.push_back(word);
    SmallVector<unsigned> places = llvm::map_to_vector(
        shape.accumulator, [&](const FragmentElement &element) {
          return registers.findResult({block.batch, block.row + element.row,
                                       block.column + element.column});
        });
    SmallVector<Value> words = packAccumulators(places);
    arguments.append(words.begin(), words.end());
    SmallVector<Type> types(words.size(), words.front().getType());
    Value result = emitter.intrinsic(
        name,
        LLVM::LLVMStructType::getLiteral(emitter.builder.getContext(), types),
        arguments);
    unpackAccumulators(result, words.size(), places);
  }

  /// A's words: the rows of the fragment first, then K (PTX ISA: a register
  /// holds neighbours along K, the next one row
  /// + 8, the ones above K again).
  ArrayRef<Value> getLhsWords(const DotCoordinate &block,
                              ArrayRef<uint64_t> k) {
    SmallVector<Value> &words = lhsWords[{block.batch, block.row, k.front()}];
    if (!words.empty())
      return words;
    unsigned width = getWordElements();
    for (size_t first = 0; first < k.size(); first += width)
      for (unsigned row = 0; row < shape.lhsRows; ++row) {
        SmallVector<Value> elements;
        for (uint64_t position : k.slice(first, width))
          elements.push_back(lhs[registers.findLhs(
              block.batch, block.row + 8 * row, position)]);
        words.push_back(packWord(elements));
      }
    return words;
  }

  /// B's words: along K.
  ArrayRef<Value> getRhsWords(const DotCoordinate &block,
                              ArrayRef<uint64_t> k) {
    SmallVector<Value> &words =
        rhsWords[{block.batch, block.column, k.front()}];
    if (!words.empty())
      return words;
    unsigned width = getWordElements();
    for (size_t first = 0; first < k.size(); first += width) {
      SmallVector<Value> elements;
      for (uint64_t position : k.slice(first, width))
        elements.push_back(
            rhs[registers.findRhs(block.batch, position, block.column)]);
      words.push_back(packWord(elements));
    }
    return words;
  }

  unsigned getWordElements() const {
    return 32 / target::elementTypeBits(instruction.a);
  }

  /// A 32-bit register of an operand, the lowest element in the low bits, in
  /// the type that the intrinsic takes.
  Value packWord(ValueRange elements) {
    if (instruction.a == ElementType::TF32)
      // The instruction reads the upper 19 bits: without this, rounding would
      // be towards zero.
      return emitter.intrinsic("llvm.nvvm.f2tf32.rna",
                               emitter.builder.getI32Type(), elements.front());
    Value vector = emitter.packVector(elements);
    if (instruction.a == ElementType::F16)
      return vector;
    return emitter.bitcast(vector, emitter.builder.getI32Type());
  }

  /// Accumulators of 16 bits go in pairs.
  unsigned getAccumulatorElements() const {
    return instruction.accumulator == ElementType::F16 ? 2 : 1;
  }

  SmallVector<Value> packAccumulators(ArrayRef<unsigned> places) {
    SmallVector<Value> words;
    unsigned width = getAccumulatorElements();
    for (size_t first = 0; first < places.size(); first += width) {
      SmallVector<Value> elements =
          llvm::map_to_vector(places.slice(first, width), [&](unsigned place) {
            return accumulators[place];
          });
      words.push_back(emitter.packVector(elements));
    }
    return words;
  }

  void unpackAccumulators(Value result, unsigned words,
                          ArrayRef<unsigned> places) {
    auto place = places.begin();
    for (int64_t word = 0; word < int64_t(words); ++word) {
      Value packed = LLVM::ExtractValueOp::create(
          emitter.builder, emitter.location, result, word);
      for (Value element : emitter.unpackVector(packed))
        accumulators[*place++] = element;
    }
  }

  Emitter &emitter;
  const MatrixInstruction &instruction;
  const InstructionShape shape;
  const DotRegisters &registers;
  ValueRange lhs, rhs;
  SmallVector<Value> accumulators;
  const std::string name;
  /// Words by batch, row or column, and first K: packed once, however many
  /// instructions take them.
  std::map<std::array<uint64_t, 3>, SmallVector<Value>> lhsWords, rhsWords;
};

/// Lower tilegpu.mma.
struct LowerMma : TileGPUPattern<MmaOp> {
  using TileGPUPattern::TileGPUPattern;

  LogicalResult
  matchAndRewrite(MmaOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<const MatrixInstruction *> instruction =
        findInstruction(op, target);
    if (failed(instruction))
      return failure();
    auto type = cast<RankedTensorType>(op.getType());
    MmaFamily family = cast<MmaAttr>(type.getEncoding()).getFamily();
    if (family != getFamily(**instruction))
      return op.emitOpError("expects an instruction of the result's family, "
                            "but got ")
             << StringRef((*instruction)->name) << " for " << type;
    if (family == MmaFamily::M8N8K4 && !type.getElementType().isF32())
      return op.emitOpError("expects f32 accumulators under m8n8k4, but got ")
             << type;
    std::optional<DotRegisters> registers = DotRegisters::create(
        cast<RankedTensorType>(op.getLhs().getType()),
        cast<RankedTensorType>(op.getRhs().getType()), type);
    if (!registers || !registers->isSameK())
      return op.emitOpError("expects operands of one kWidth, but got ")
             << op.getLhs().getType() << " and " << op.getRhs().getType();
    Emitter emitter(rewriter, op.getLoc());
    MmaEmitter mma(emitter, **instruction, *registers, adaptor.getOperands());
    auto lhsType = cast<RankedTensorType>(op.getLhs().getType());
    if (!mma.coversK(lhsType.getShape().back()))
      return op.emitOpError("expects fragments that fill the instruction along "
                            "K, but got ")
             << lhsType << " for k = " << (*instruction)->k;
    rewriter.replaceOpWithMultiple(op, {mma.emit()});
    return success();
  }
};

} // namespace

void tilegpu::populateDotPatterns(const TileGPUTypeConverter &converter,
                                  const target::Target &target,
                                  RewritePatternSet &patterns) {
  patterns.add<LowerMma>(converter, target);
  populateMultiplyAddPatterns(converter, target, patterns);
}
