// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement of dots: by a matrix instruction on fragments in registers, its
// warps shared out differently, transposed (C^T = B^T A^T) or not; by one of
// warp groups (WarpGroupDots.h); or else by multiply-adds.

#include "dialects/TileGPU/MatrixFragments.h"
#include "dialects/TileGPU/Placement/DotInstructions.h"
#include "dialects/TileGPU/Placement/Models.h"
#include "dialects/TileGPU/Placement/TransposedDots.h"
#include "dialects/TileGPU/Placement/WarpGroupDots.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;
using target::MatrixInstruction;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Shares the warps between batches first, which have nothing in common, then
/// between rows and columns so that the operands' fragments, which each warp
/// loads for itself, are as few as possible: the more nearly square a warp's
/// part of the result, the better. Warps that are left hold copies.
static SmallVector<unsigned> shareWarps(ArrayRef<int64_t> shape,
                                        int64_t tileRows, int64_t tileColumns,
                                        unsigned numWarps) {
  unsigned rank = shape.size();
  SmallVector<unsigned> warps;
  for (int64_t batches : shape.drop_back(2)) {
    warps.push_back(std::min<int64_t>(batches, numWarps));
    numWarps /= warps.back();
  }
  int64_t rows = std::max<int64_t>(1, shape[rank - 2] / tileRows);
  int64_t columns = std::max<int64_t>(1, shape[rank - 1] / tileColumns);
  unsigned along[2] = {1, 1};
  for (unsigned left = numWarps; left > 1; left /= 2) {
    int64_t rowsEach = rows / along[0] * tileRows;
    int64_t columnsEach = columns / along[1] * tileColumns;
    bool canRows = rows / along[0] > 1, canColumns = columns / along[1] > 1;
    bool takeRows = canRows != canColumns ? canRows : rowsEach >= columnsEach;
    along[takeRows ? 0 : 1] *= 2;
  }
  warps.append({along[0], along[1]});
  return warps;
}

namespace {
/// Hands out the bits of a result's coordinates, each dimension's upward, to
/// what shares the result: a column of a layout for each bit.
class ResultBits {
public:
  explicit ResultBits(ArrayRef<int64_t> shape)
      : rows(shape.size() - 2), columns(shape.size() - 1) {
    unsigned offset = 0;
    for (int64_t size : shape) {
      left.push_back(llvm::Log2_64(size));
      next.push_back(offset);
      offset += left.back();
    }
  }

  /// Up to 2^blockBits columns and rows, together at most 2^`most` elements.
  std::vector<uint64_t> takeBlock(unsigned most) {
    constexpr unsigned blockBits = 2;
    std::vector<uint64_t> taken;
    for (unsigned dim : {columns, rows})
      for (unsigned bit = 0;
           bit < blockBits && left[dim] && taken.size() < most; ++bit)
        taken.push_back(take(dim));
    return taken;
  }

  /// A row, a column, and what is largest then.
  std::vector<uint64_t> takeLanes(unsigned count) {
    std::vector<uint64_t> taken;
    for (unsigned dim : {rows, columns})
      if (left[dim])
        taken.push_back(take(dim));
    takeLargest(count, taken);
    return taken;
  }

  /// Until `taken` has `count` bits, one of the rows or columns, whichever are
  /// more; then of batches; then copies.
  void takeLargest(unsigned count, std::vector<uint64_t> &taken) {
    while (taken.size() < count) {
      unsigned dim = left[columns] > left[rows] ? columns : rows;
      while (left[dim] == 0 && dim > 0)
        --dim;
      taken.push_back(left[dim] ? take(dim) : 0);
    }
  }

  /// All that is left, columns first.
  void takeRest(std::vector<uint64_t> &taken) {
    for (unsigned dim = left.size(); dim-- > 0;)
      while (left[dim])
        taken.push_back(take(dim));
  }

private:
  uint64_t take(unsigned dim) {
    --left[dim];
    return uint64_t(1) << next[dim]++;
  }

  unsigned rows, columns;
  SmallVector<unsigned> left, next;
};
} // namespace

/// The layout of a result that threads compute by multiply-adds, in blocks of
/// up to 4 x 4. What a thread loads of the operands for one step of K is least
/// where it has as many rows as columns. Neighbouring lanes differ in the row,
/// and those two apart in the column: where a lane shares 16 bytes with either,
/// a warp's load takes half as many wavefronts
/// (dialects/Layout/SharedLayout.h).
static LinearAttr getMultiplyAddLayout(RankedTensorType result,
                                       unsigned numWarps) {
  constexpr unsigned laneBits = 5;
  unsigned warpBits = llvm::Log2_32(numWarps);
  unsigned all = llvm::Log2_64(result.getNumElements());
  ResultBits bits(result.getShape());
  std::vector<uint64_t> warps,
      registers = bits.takeBlock(all - std::min(all, laneBits + warpBits));
  std::vector<uint64_t> lanes = bits.takeLanes(laneBits);
  bits.takeLargest(warpBits, warps);
  bits.takeRest(registers);

  std::vector<AxisBits> outputs;
  for (auto [dim, size] : llvm::enumerate(result.getShape()))
    outputs.push_back({Axis::coordinate(dim), unsigned(llvm::Log2_64(size))});
  std::vector<AxisBits> inputs = {{Axis::Register, unsigned(registers.size())},
                                  {Axis::Lane, laneBits},
                                  {Axis::Warp, warpBits}};
  llvm::append_range(registers, lanes);
  llvm::append_range(registers, warps);
  return LinearAttr::get(result.getContext(),
                         LinearLayout(std::move(inputs), std::move(outputs),
                                      std::move(registers)));
}

/// Threads compute the result by multiply-adds.
static Implementation implementByMultiplyAdds(tt::DotOp dot,
                                              unsigned numWarps) {
  Implementation implementation = implementUniformly(
      dot,
      getMultiplyAddLayout(cast<RankedTensorType>(dot.getType()), numWarps));
  // Every thread finds the rows and columns of its part of the result.
  for (unsigned index : {0, 1})
    implementation.operands[index] = SharedPlacement{
        DotOperandAttr::get(dot.getContext(), index, implementation.layout, 0)};
  implementation.plan = UnitAttr::get(dot.getContext());
  return implementation;
}

/// Every way to share `numWarps` warps between rows and columns in which none
/// repeats another's part, the most nearly square one first.
static SmallVector<SmallVector<unsigned>>
listWarpShares(ArrayRef<int64_t> shape, const MatrixFragments &fragments,
               unsigned numWarps) {
  SmallVector<SmallVector<unsigned>> shares = {
      shareWarps(shape, fragments.rows, fragments.columns, numWarps)};
  const SmallVector<unsigned> best = shares[0];
  unsigned rank = shape.size(), together = best[rank - 2] * best[rank - 1];
  for (unsigned rows = 1; rows <= together; rows *= 2) {
    SmallVector<unsigned> share = best;
    share[rank - 2] = rows;
    share[rank - 1] = together / rows;
    bool repeats =
        int64_t(rows * fragments.rows) > shape[rank - 2] ||
        int64_t(share[rank - 1] * fragments.columns) > shape[rank - 1];
    if (share != best && !repeats)
      shares.push_back(share);
  }
  return shares;
}

/// Elements of K that may be adjacent in a thread's operands: those of one
/// register; or two, as the accumulator has columns, so that results are
/// operands where they are (tf32: else each goes through shuffles). Both
/// operands have them alike, and the order of K within an instruction is free.
static SmallVector<unsigned, 2>
listKWidths(const MatrixInstruction &instruction) {
  constexpr unsigned columns = 2, lanes = 4;
  SmallVector<unsigned, 2> widths = {getRegisterElements(instruction)};
  if (widths[0] != columns && getMmaFamily(instruction) == MmaFamily::M16N8 &&
      columns * lanes <= instruction.k)
    widths.push_back(columns);
  return widths;
}

/// The dot by `instruction` with its warps shared out as `warps` says.
static Implementation
implementByInstruction(tt::DotOp dot, const MatrixInstruction &instruction,
                       ArrayRef<unsigned> warps, unsigned kWidth,
                       bool isTransposed) {
  MLIRContext *context = dot.getContext();
  auto accumulator = MmaAttr::get(context, getMmaFamily(instruction), warps);
  RegisterLayoutInterface lhs =
      DotOperandAttr::get(context, 0, accumulator, kWidth);
  RegisterLayoutInterface rhs =
      DotOperandAttr::get(context, 1, accumulator, kWidth);
  RegisterLayoutInterface result = accumulator;
  if (isTransposed) {
    // The right operand, transposed, is the instruction's left one.
    auto transposed = [](RegisterLayoutInterface layout, Value tensor) {
      SmallVector<int64_t> shape(tensorType(tensor).getShape());
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
      return transposeLayout(layout, shape);
    };
    std::tie(lhs, rhs, result) =
        std::tuple(transposed(rhs, dot.getA()), transposed(lhs, dot.getB()),
                   transposed(accumulator, dot.getResult()));
  }
  return {result,
          {lhs, rhs, result},
          {result},
          DotPlanAttr::get(context, accumulator, kWidth, isTransposed)};
}

//===----------------------------------------------------------------------===//
// The instruction
//===----------------------------------------------------------------------===//

static Value createMma(tt::DotOp op, ValueRange placed,
                       const MatrixInstruction &instruction,
                       const Implementation &implementation) {
  OpBuilder builder(op);
  auto plan = cast<DotPlanAttr>(implementation.plan);
  int32_t shape[] = {int32_t(instruction.m), int32_t(instruction.n),
                     int32_t(instruction.k)};
  DenseI32ArrayAttr attribute = builder.getDenseI32ArrayAttr(shape);
  if (!plan.getIsTransposed())
    return MmaOp::create(builder, op.getLoc(), op.getType(), placed[0],
                         placed[1], placed[2], attribute);
  RegisterLayoutInterface accumulator = plan.getAccumulator();
  const Value sources[] = {placed[1], placed[0]};
  Value operands[2];
  for (auto [index, value] : llvm::enumerate(sources))
    operands[index] = transposeInRegisters(
        builder, value,
        DotOperandAttr::get(op.getContext(), index, accumulator,
                            plan.getKWidth()));
  Value sum = transposeInRegisters(builder, placed[2], accumulator);
  sum = MmaOp::create(builder, op.getLoc(), sum.getType(), operands[0],
                      operands[1], sum, attribute);
  return transposeInRegisters(builder, sum, implementation.layout);
}

/// Says which instruction computes the dot, or why none does.
static void emitRemark(tt::DotOp op, const MatrixInstruction *instruction,
                       const target::Target &target) {
  auto options =
      remark::RemarkOpts::name("dot-instruction")
          .category("dot")
          .function(op->getParentOfType<FunctionOpInterface>().getName());
  if (instruction)
    remark::passed(op.getLoc(), options)
        << (StringRef(target.name) + " computes this dot by " +
            StringRef(instruction->name))
               .str();
  else
    remark::missed(op.getLoc(), options)
        << "this dot is computed by multiply-adds: " +
               explainMissingInstruction(getDotTypes(op), target);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

/// Pairs of elements that a thread has of the operands, which are in registers.
static uint64_t countPairs(tt::DotOp dot,
                           const Implementation &implementation) {
  uint64_t registers = 0;
  for (unsigned index : {0, 1})
    registers += countRegisters(tensorType(dot->getOperand(index)),
                                implementation.operands[index].getRegisters());
  return registers / 2;
}

namespace {
struct DotModel : PlacementModel<DotModel> {
  SmallVector<Implementation>
  listImplementations(Operation *op, const PlacementContext &context) const {
    auto dot = cast<tt::DotOp>(op);
    const MatrixInstruction *instruction = findInstruction(dot, context);
    if (!instruction)
      return {implementByMultiplyAdds(dot, context.numWarps)};
    SmallVector<Implementation> list = listWarpGroupDots(dot, context);
    addImplementations(dot, *instruction, context, false, list);
    // The transposed product exchanges the operands' types.
    if (instruction->a == instruction->b)
      addImplementations(dot, *instruction, context, true, list);
    return list;
  }

  /// Those listed alone.
  std::optional<Implementation> implementUnder(Operation *,
                                               RegisterLayoutInterface) const {
    return std::nullopt;
  }

  uint64_t getPrice(Operation *op, const Implementation &implementation,
                    const PlacementContext &context) const {
    auto dot = cast<tt::DotOp>(op);
    if (isWarpGroupDot(implementation))
      return getWarpGroupPrice(dot, implementation, context);
    const target::InstructionPrices &prices = context.target.prices;
    uint64_t depth = tensorType(dot.getA()).getShape().back();
    const MatrixInstruction *instruction = findInstruction(dot, context);
    if (!instruction)
      return countRegisters(tensorType(dot.getResult()),
                            implementation.layout) *
             depth * prices.arithmetic;
    auto plan = cast<DotPlanAttr>(implementation.plan);
    SmallVector<int64_t> shape(tensorType(dot.getResult()).getShape());
    if (plan.getIsTransposed())
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    uint64_t elements =
        countWarpElements(shape, cast<MmaAttr>(plan.getAccumulator()));
    uint64_t conversions = context.target.multipliesAsF16(instruction->a)
                               ? countPairs(dot, implementation)
                               : 0;
    return llvm::divideCeil(elements, instruction->m * instruction->n) *
               llvm::divideCeil(depth, instruction->k) *
               std::max<uint64_t>(1, instruction->m * instruction->n *
                                         instruction->k /
                                         prices.matrixMultiplyAdds) +
           conversions * prices.arithmetic;
  }

  SmallVector<Value> realize(Operation *op, ValueRange operands,
                             const Implementation &implementation,
                             const PlacementContext &context) const {
    auto dot = cast<tt::DotOp>(op);
    if (isWarpGroupDot(implementation)) {
      emitRemark(dot, &getWarpGroupInstruction(dot, implementation, context),
                 context.target);
      return {createWarpGroupDot(dot, operands, implementation)};
    }
    const MatrixInstruction *instruction = findInstruction(dot, context);
    emitRemark(dot, instruction, context.target);
    if (instruction)
      return {createMma(dot, operands, *instruction, implementation)};
    OpBuilder builder(op);
    return {MultiplyAddOp::create(builder, op->getLoc(), dot.getType(),
                                  operands[0], operands[1], operands[2])};
  }

private:
  static const MatrixInstruction *
  findInstruction(tt::DotOp dot, const PlacementContext &context) {
    return findDotInstruction(context.target, getDotTypes(dot));
  }

  static void addImplementations(tt::DotOp dot,
                                 const MatrixInstruction &instruction,
                                 const PlacementContext &context,
                                 bool isTransposed,
                                 SmallVectorImpl<Implementation> &list) {
    SmallVector<int64_t> shape(tensorType(dot.getResult()).getShape());
    if (isTransposed)
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    for (ArrayRef<unsigned> warps : listWarpShares(
             shape, getMatrixFragments(instruction), context.numWarps))
      for (unsigned kWidth : listKWidths(instruction))
        list.push_back(implementByInstruction(dot, instruction, warps, kWidth,
                                              isTransposed));
  }
};
} // namespace

void tilegpu::attachDotPlacement(MLIRContext &context) {
  attachPlacement<DotModel, tt::DotOp>(context);
}
