// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPUToLLVM/RegisterSteps.h"

#include "dialects/Interfaces/AxisRules.h"
#include "dialects/Interfaces/TileOpInterfaces.h"
#include "passes/TileGPUToLLVM/Lowering.h"

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;
using layout::Axis;
using layout::AxisBits;
using layout::LinearLayout;

namespace {

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

using OptionalStep = std::optional<Step>;

/// a + factor * b within the bounds of a step.
std::optional<int64_t> addScaled(int64_t a, int64_t b, int64_t factor) {
  constexpr int64_t bound = int64_t(1) << 48;
  int64_t sum;
  if (llvm::MulOverflow(b, factor, sum) || llvm::AddOverflow(a, sum, sum) ||
      sum <= -bound || sum >= bound)
    return std::nullopt;
  return sum;
}

OptionalStep addScaled(const OptionalStep &a, const OptionalStep &b,
                       int64_t factor) {
  if (!a || !b)
    return std::nullopt;
  Step sum = *a;
  std::optional<int64_t> total = addScaled(sum.constant, b->constant, factor);
  if (!total)
    return std::nullopt;
  sum.constant = *total;
  for (auto [scalar, count] : b->terms) {
    auto *term = llvm::find_if(
        sum.terms, [&](const auto &entry) { return entry.first == scalar; });
    if (term == sum.terms.end())
      term = &sum.terms.emplace_back(scalar, 0);
    total = addScaled(term->second, count, factor);
    if (!total)
      return std::nullopt;
    term->second = *total;
  }
  llvm::erase_if(sum.terms, [](const auto &term) { return term.second == 0; });
  return sum;
}

OptionalStep scale(const OptionalStep &step, int64_t factor) {
  return addScaled(Step(), step, factor);
}

/// step * scalar: of constants alone, since a product of scalars is no term.
OptionalStep scale(const OptionalStep &step, Value scalar) {
  if (!step || !step->terms.empty())
    return std::nullopt;
  Step result;
  if (step->constant != 0)
    result.terms.emplace_back(scalar, step->constant);
  return result;
}

/// What is known of every tensor of a layout: registers that hold copies of an
/// element hold the same.
RegisterSteps getStepsOfCopies(const LinearLayout &layout) {
  RegisterSteps steps;
  for (unsigned bit = 0; bit < layout.inputBits(Axis::Register); ++bit)
    steps.push_back(layout.column(Axis::Register, bit) == 0
                        ? OptionalStep(Step())
                        : std::nullopt);
  return steps;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

using Operands = ArrayRef<const RegisterSteps *>;

/// Result bit by result bit, from the bits of tensors of the same layout.
template <typename Function>
RegisterSteps combine(const RegisterSteps &a, const RegisterSteps &b,
                      Function function) {
  RegisterSteps steps;
  for (auto [x, y] : llvm::zip_equal(a, b))
    steps.push_back(function(x, y));
  return steps;
}

/// The scalar that all elements of `tensor` equal, or null.
Value getSplatScalar(Value tensor) {
  auto splat = tensor.getDefiningOp<tt::SplatOp>();
  return splat && splat.getSrc().getType().isSignlessInteger() ? splat.getSrc()
                                                               : Value();
}

std::optional<int64_t> getConstant(Value tensor) {
  APInt constant;
  if (!matchPattern(tensor, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 64)
    return std::nullopt;
  return constant.getSExtValue();
}

/// factor * x for one operand of a product.
RegisterSteps getProduct(const RegisterSteps &x, Value factor) {
  RegisterSteps steps;
  std::optional<int64_t> constant = getConstant(factor);
  Value scalar = getSplatScalar(factor);
  for (const OptionalStep &step : x) {
    OptionalStep product;
    if (step && step->isZero() && (constant || scalar))
      product = Step();
    else if (constant)
      product = scale(step, *constant);
    else if (scalar)
      product = scale(step, scalar);
    steps.push_back(product);
  }
  return steps;
}

/// A coordinate's bit that registers alone decide is added by its register bit.
RegisterSteps getRange(const LinearLayout &layout) {
  RegisterSteps steps = getStepsOfCopies(layout);
  Axis dim = Axis::coordinate(0);
  auto reached = [&](Axis input, unsigned except) {
    uint64_t bits = 0;
    for (unsigned bit = 0; bit < layout.inputBits(input); ++bit)
      if (input != Axis(Axis::Register) || bit != except)
        bits |= layout.basis(input, bit, dim);
    return bits;
  };
  for (unsigned bit = 0; bit < steps.size(); ++bit) {
    uint64_t own = layout.basis(Axis::Register, bit, dim);
    uint64_t others = reached(Axis::Register, bit) | reached(Axis::Lane, 0) |
                      reached(Axis::Warp, 0);
    if (!(own & others))
      steps[bit] = Step{static_cast<int64_t>(own), {}};
  }
  return steps;
}

/// An op that gives its source other coordinates: a result bit stands for a set
/// of source bits.
RegisterSteps getRenamed(Operation *op, const RegisterSteps &source) {
  LinearLayout result =
      toLinearLayout(cast<RankedTensorType>(op->getResult(0).getType()));
  RegisterSteps steps = getStepsOfCopies(result);
  std::optional<SmallVector<unsigned>> registers = matchRegisters(
      toLinearLayout(cast<RankedTensorType>(op->getOperand(0).getType())),
      result, cast<CoordinateMapOpInterface>(op).getCoordinateMap());
  if (!registers)
    return steps;
  for (unsigned bit = 0; bit < steps.size(); ++bit) {
    unsigned own = (*registers)[1u << bit], others = 0;
    for (unsigned other = 0; other < steps.size(); ++other)
      if (other != bit)
        others |= (*registers)[1u << other];
    if (own & others)
      continue;
    OptionalStep sum = Step();
    for (unsigned sourceBit = 0; sourceBit < source.size(); ++sourceBit)
      if (own >> sourceBit & 1)
        sum = addScaled(sum, source[sourceBit], 1);
    steps[bit] = sum;
  }
  return steps;
}

/// Any function of each element by itself: the same where its operands are.
RegisterSteps getUniform(const LinearLayout &layout, Operands operands) {
  RegisterSteps steps = getStepsOfCopies(layout);
  for (unsigned bit = 0; bit < steps.size(); ++bit)
    if (llvm::all_of(operands, [&](const RegisterSteps *operand) {
          return operand->empty() ||
                 ((*operand)[bit] && (*operand)[bit]->isZero());
        }))
      steps[bit] = Step();
  return steps;
}

/// Where a special rule says nothing of a bit, the general one may.
RegisterSteps merge(RegisterSteps special, const RegisterSteps &general) {
  for (auto [step, fallback] : llvm::zip_equal(special, general))
    if (!step)
      step = fallback;
  return special;
}

bool isPureElementwise(Operation *op) {
  return isElementwise(op) && isMemoryEffectFree(op) &&
         op->getNumRegions() == 0;
}

/// Sums and products of numbers that do not overflow.
std::optional<RegisterSteps> getArithmetic(Operation *op, Operands operands) {
  if (!axis::isOverflowExcluded(op->getOperand(0).getType()))
    return std::nullopt;
  auto add = [](int64_t factor) {
    return [factor](const OptionalStep &a, const OptionalStep &b) {
      return addScaled(a, b, factor);
    };
  };
  if (isa<arith::AddIOp>(op))
    return combine(*operands[0], *operands[1], add(1));
  if (isa<arith::SubIOp>(op))
    return combine(*operands[0], *operands[1], add(-1));
  if (auto move = dyn_cast<tt::AddPtrOp>(op)) {
    Type pointer = getElementTypeOrSelf(move.getType());
    unsigned bits =
        getMemoryBits(cast<tt::PointerType>(pointer).getPointeeType());
    return combine(*operands[0], *operands[1], add(bits / 8));
  }
  if (isa<arith::MulIOp>(op))
    return merge(getProduct(*operands[0], op->getOperand(1)),
                 getProduct(*operands[1], op->getOperand(0)));
  if (isa<arith::ShLIOp>(op)) {
    std::optional<int64_t> amount = getConstant(op->getOperand(1));
    if (!amount || *amount < 0 || *amount > 62)
      return std::nullopt;
    RegisterSteps steps;
    for (const OptionalStep &step : *operands[0])
      steps.push_back(scale(step, int64_t(1) << *amount));
    return steps;
  }
  if (isa<arith::ExtSIOp>(op))
    return *operands[0];
  return std::nullopt;
}

/// The steps of `type`'s tensor that `op` computes. `operands`: empty steps for
/// scalars.
RegisterSteps getResult(Operation *op, RankedTensorType type,
                        Operands operands) {
  LinearLayout layout = toLinearLayout(type);
  if (isa<tt::MakeRangeOp>(op))
    return getRange(layout);
  SplatElementsAttr constant;
  if (isa<tt::SplatOp>(op) || matchPattern(op, m_Constant(&constant)))
    return RegisterSteps(layout.inputBits(Axis::Register), Step());
  if (isView(op))
    return getRenamed(op, *operands[0]);
  if (!isPureElementwise(op))
    return getStepsOfCopies(layout);
  RegisterSteps uniform = getUniform(layout, operands);
  std::optional<RegisterSteps> arithmetic = getArithmetic(op, operands);
  return arithmetic ? merge(std::move(*arithmetic), uniform) : uniform;
}

//===----------------------------------------------------------------------===//
// Data flow
//===----------------------------------------------------------------------===//

/// No steps yet (the optimistic start), or those of a value; a value that is no
/// tensor with registers has none.
struct StepState {
  bool known = false;
  RegisterSteps steps;

  static StepState join(const StepState &a, const StepState &b) {
    if (!a.known || !b.known)
      return a.known ? a : b;
    return {true, combine(a.steps, b.steps,
                          [](const OptionalStep &x, const OptionalStep &y) {
                            return x == y ? x : std::nullopt;
                          })};
  }
  bool operator==(const StepState &) const = default;
  void print(raw_ostream &os) const {
    os << (known ? "known" : "uninitialized");
  }
};

using StepLattice = dataflow::Lattice<StepState>;

/// The type of a tensor that is held in registers, or null.
RankedTensorType getRegisterTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && getRegisterLayout(type) ? type : RankedTensorType();
}

struct StepDataFlow : dataflow::SparseForwardDataFlowAnalysis<StepLattice> {
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  LogicalResult visitOperation(Operation *op,
                               ArrayRef<const StepLattice *> operands,
                               ArrayRef<StepLattice *> results) override {
    SmallVector<const RegisterSteps *> known;
    for (const StepLattice *operand : operands) {
      if (!operand->getValue().known)
        return success();
      known.push_back(&operand->getValue().steps);
    }
    for (StepLattice *lattice : results) {
      StepState state = {true, {}};
      if (RankedTensorType type = getRegisterTensor(lattice->getAnchor()))
        state.steps = getResult(op, type, known);
      propagateIfChanged(lattice, lattice->join(state));
    }
    return success();
  }

protected:
  void setToEntryState(StepLattice *lattice) override {
    StepState state = {true, {}};
    if (RankedTensorType type = getRegisterTensor(lattice->getAnchor()))
      state.steps = getStepsOfCopies(toLinearLayout(type));
    propagateIfChanged(lattice, lattice->join(state));
  }
};

} // namespace

std::optional<Step> tilegpu::subtract(const Step &a, const Step &b) {
  return addScaled(a, b, -1);
}

RegisterStepAnalysis::RegisterStepAnalysis(Operation *root) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<StepDataFlow>();
  if (failed(solver.initializeAndRun(root)))
    return;
  auto record = [&](Value value) {
    const auto *lattice = solver.lookupState<StepLattice>(value);
    if (lattice && lattice->getValue().known && getRegisterTensor(value))
      steps[value] = lattice->getValue().steps;
  };
  root->walk([&](Operation *op) {
    llvm::for_each(op->getResults(), record);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        llvm::for_each(block.getArguments(), record);
  });
}

const RegisterSteps *RegisterStepAnalysis::lookup(Value value) const {
  auto it = steps.find(value);
  return it == steps.end() ? nullptr : &it->second;
}
