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
// kWidth. Where the tensors end before the instruction does, rows and columns
// repeat, and K is filled with zeros.
//
// Hopper has no such instruction of 8-bit floats, though PTX does. There each
// register is converted to f16 once, and multiplied in two parts: the lower
// halves of all registers are the operands of an instruction of f16, in another
// order of K, and so are the upper ones.

#include "dialects/TileGPU/MatrixFragments.h"
#include "passes/TileGPUToLLVM/DotOperands.h"
#include "passes/TileGPUToLLVM/SmallFloats.h"
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

Type getElement(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// The row of the target's table that `op` names; diagnoses an instruction that
/// the target lacks.
FailureOr<const MatrixInstruction *>
findInstruction(MmaOp op, const target::Target &target) {
  std::optional<ElementType> a = getMatrixOperandType(getElement(op.getLhs()));
  std::optional<ElementType> b = getMatrixOperandType(getElement(op.getRhs()));
  std::optional<ElementType> accumulator =
      getMatrixAccumulatorType(getElement(op.getAccumulator()));
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

/// What computes `instruction`: itself, or one of f16 for each half of its K.
const MatrixInstruction &findProduct(const MatrixInstruction &instruction,
                                     const target::Target &target) {
  if (target.multipliesAsF16(instruction.a))
    for (const MatrixInstruction *row : target.matrixInstructions())
      if (!row->asynchronous && row->a == ElementType::F16 &&
          row->b == ElementType::F16 &&
          row->accumulator == instruction.accumulator &&
          row->m == instruction.m && row->n == instruction.n &&
          2 * row->k == instruction.k)
        return *row;
  return instruction;
}

//===----------------------------------------------------------------------===//
// Where K ends
//===----------------------------------------------------------------------===//

/// The K of one operand's registers, as if the tensors filled the instruction.
struct OperandK {
  /// The coordinates of lane 0's registers, ascending.
  SmallVector<uint64_t> laneK;
  /// Lanes with one of these bits hold K beyond the tensor's end.
  uint64_t lanesBeyond = 0;
};

/// `type` is the left operand's, `k` the instruction's.
OperandK getOperandK(RankedTensorType type, uint64_t k) {
  SmallVector<int64_t> shape(type.getShape());
  uint64_t end = shape.back();
  shape.back() = std::max(end, k);
  LinearLayout layout = getRegisterLayout(type).toLinearLayout(shape);
  Axis axis = Axis::coordinate(shape.size() - 1);
  OperandK result;
  for (unsigned index = 0; index < 1u << layout.inputBits(Axis::Register);
       ++index) {
    const layout::AxisValue at[] = {{Axis::Register, index}};
    result.laneK.push_back(layout.apply(at).back().value);
  }
  llvm::sort(result.laneK);
  result.laneK.erase(llvm::unique(result.laneK), result.laneK.end());
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Lane); ++bit)
    if (layout.basis(Axis::Lane, bit, axis) >= end)
      result.lanesBeyond |= uint64_t(1) << bit;
  return result;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

RankedTensorType getLhsType(MmaOp op) {
  return cast<RankedTensorType>(op.getLhs().getType());
}

/// Emits one tilegpu.mma.
class MmaEmitter {
public:
  MmaEmitter(Emitter &emitter, const target::Target &target,
             const MatrixInstruction &instruction,
             const DotRegisters &registers, MmaOp op,
             ArrayRef<ValueRange> operands)
      : emitter(emitter), target(target), instruction(instruction),
        product(findProduct(instruction, target)),
        parts(instruction.k / product.k),
        fragments(getMatrixFragments(instruction)), registers(registers),
        k(getLhsType(op).getShape().back()),
        operandK(getOperandK(getLhsType(op), instruction.k)),
        lhs(op.getLhs(), operands[0]), rhs(op.getRhs(), operands[1]),
        accumulators(operands[2]), name(matrixIntrinsicName(product)) {
    for (const FragmentElement &element : fragments.rhs)
      fragmentK.push_back(element.row);
    llvm::sort(fragmentK);
  }

  /// K of the fragments in lane 0 covers K of the dot, each element once.
  bool coversK() const {
    size_t lanes = fragments.k / fragmentK.size();
    return operandK.laneK.size() % fragmentK.size() == 0 &&
           operandK.laneK.size() * lanes == std::max(k, fragments.k);
  }

  /// The result's registers. K is the outermost loop: an accumulator sums K
  /// upward, and instructions that follow each other do not depend on each
  /// other.
  SmallVector<Value> emit() {
    ArrayRef<uint64_t> laneK = operandK.laneK;
    for (size_t step = 0; step < laneK.size(); step += fragmentK.size())
      for (unsigned part = 0; part < parts; ++part)
        for (const DotCoordinate &block : getBlocks())
          emitInstruction(block, laneK.slice(step, fragmentK.size()), part);
    return accumulators;
  }

private:
  struct Operand {
    Operand(Value tensor, ValueRange registers)
        : element(getElement(tensor)), registers(registers),
          isExact(isExactInTf32(tensor)) {}

    Type element;
    ValueRange registers;
    /// Whether rounding to tf32 would leave it as it is.
    bool isExact;
    /// Words by batch, row or column, and first K: packed once, however many
    /// instructions take them. Those of each part stand together.
    std::map<std::array<uint64_t, 3>, SmallVector<Value>> words;
  };

  /// The first element of each instruction's tile in lane 0, in the order of
  /// the accumulator's registers.
  SmallVector<DotCoordinate> getBlocks() const {
    SmallVector<DotCoordinate> blocks;
    for (unsigned index = 0; index < accumulators.size(); ++index) {
      DotCoordinate c = registers.getResultCoordinate(index);
      if (c.row % fragments.rows == 0 && c.column % fragments.columns == 0)
        blocks.push_back(c);
    }
    return blocks;
  }

  void emitInstruction(const DotCoordinate &block, ArrayRef<uint64_t> stepK,
                       unsigned part) {
    SmallVector<Value> arguments;
    for (ArrayRef<Value> all :
         {getLhsWords(block, stepK), getRhsWords(block, stepK)}) {
      size_t size = all.size() / parts;
      llvm::append_range(arguments, all.slice(part * size, size));
    }
    SmallVector<unsigned> places = llvm::map_to_vector(
        fragments.accumulator, [&](const FragmentElement &element) {
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

  /// The K of the tensor at the place that `position` has in the fragment.
  uint64_t findK(uint64_t position, ArrayRef<uint64_t> stepK) const {
    return stepK[llvm::find(fragmentK, position) - fragmentK.begin()];
  }

  ArrayRef<Value> getLhsWords(const DotCoordinate &block,
                              ArrayRef<uint64_t> stepK) {
    SmallVector<Value> &words =
        lhs.words[{block.batch, block.row, stepK.front()}];
    if (words.empty())
      words =
          packWords(fragments.lhs, lhs, [&](const FragmentElement &element) {
            uint64_t at = findK(element.column, stepK);
            return at < k ? lhs.registers[registers.findLhs(
                                block.batch, block.row + element.row, at)]
                          : Value();
          });
    return words;
  }

  ArrayRef<Value> getRhsWords(const DotCoordinate &block,
                              ArrayRef<uint64_t> stepK) {
    SmallVector<Value> &words =
        rhs.words[{block.batch, block.column, stepK.front()}];
    if (words.empty())
      words =
          packWords(fragments.rhs, rhs, [&](const FragmentElement &element) {
            uint64_t at = findK(element.row, stepK);
            return at < k ? rhs.registers[registers.findRhs(
                                block.batch, at, block.column + element.column)]
                          : Value();
          });
    return words;
  }

  /// An operand's words: `find` gives the register of an element, or none where
  /// it is beyond K.
  SmallVector<Value>
  packWords(ArrayRef<FragmentElement> elements, const Operand &operand,
            llvm::function_ref<Value(const FragmentElement &)> find) {
    SmallVector<SmallVector<Value>, 2> words(parts);
    unsigned width = getRegisterElements(instruction);
    Type type = operand.registers.front().getType();
    for (size_t first = 0; first < elements.size(); first += width) {
      SmallVector<Value> values;
      bool isBeyond = true;
      for (const FragmentElement &element : elements.slice(first, width)) {
        Value value = find(element);
        isBeyond &= !value;
        values.push_back(value ? value : emitter.zero(type));
      }
      Value word = packWord(values, operand.isExact);
      if (!isBeyond)
        word = clearBeyond(word);
      if (parts == 1) {
        words[0].push_back(word);
        continue;
      }
      std::array<Value, 2> halves;
      halves.fill(
          emitter.zero(VectorType::get(2, emitter.builder.getF16Type())));
      if (!isBeyond)
        halves =
            decodeWord(emitter, target, word, cast<FloatType>(operand.element));
      for (unsigned part = 0; part < parts; ++part)
        words[part].push_back(halves[part]);
    }
    SmallVector<Value> all;
    for (ArrayRef<Value> part : words)
      llvm::append_range(all, part);
    return all;
  }

  /// Zero in the lanes whose K is beyond the tensors: both operands repeat
  /// there, and any of them may be infinite.
  Value clearBeyond(Value word) {
    if (!operandK.lanesBeyond)
      return word;
    if (!isInside)
      isInside =
          emitter.equal(emitter.bitAnd(emitter.laneId(),
                                       emitter.constant(operandK.lanesBeyond)),
                        emitter.constant(0));
    return emitter.select(isInside, word, emitter.zero(word.getType()));
  }

  /// A register of an operand, the lowest element in the low bits, in the type
  /// that the intrinsic takes. `isExact`: they are numbers of tf32, if that is
  /// what it takes.
  Value packWord(ValueRange elements, bool isExact) {
    if (instruction.a == ElementType::F64)
      return elements.front();
    if (instruction.a == ElementType::TF32 && isExact)
      return emitter.bitcast(elements.front(), emitter.builder.getI32Type());
    if (instruction.a == ElementType::TF32)
      return roundToTf32(emitter, target, elements.front());
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
  const target::Target &target;
  const MatrixInstruction &instruction;
  /// What is emitted, for each of so many parts of the instruction's K.
  const MatrixInstruction &product;
  const unsigned parts;
  const MatrixFragments fragments;
  /// K of lane 0's registers in the fragment, ascending.
  SmallVector<uint64_t> fragmentK;
  const DotRegisters &registers;
  /// K of the dot.
  const uint64_t k;
  const OperandK operandK;
  Operand lhs, rhs;
  SmallVector<Value> accumulators;
  const std::string name;
  Value isInside;
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
    if (family != getMmaFamily(**instruction))
      return op.emitOpError("expects an instruction of the result's family, "
                            "but got ")
             << StringRef((*instruction)->name) << " for " << type;
    std::optional<DotRegisters> registers = DotRegisters::create(
        toLinearLayout(cast<RankedTensorType>(op.getLhs().getType())),
        toLinearLayout(cast<RankedTensorType>(op.getRhs().getType())),
        toLinearLayout(type));
    if (!registers || !registers->isSameK())
      return op.emitOpError("expects operands of one kWidth, but got ")
             << op.getLhs().getType() << " and " << op.getRhs().getType();
    Emitter emitter(rewriter, op.getLoc());
    MmaEmitter mma(emitter, target, **instruction, *registers, op,
                   adaptor.getOperands());
    if (!mma.coversK())
      return op.emitOpError("expects fragments that fill the instruction along "
                            "K, but got ")
             << op.getLhs().getType() << " for k = " << (*instruction)->k;
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
