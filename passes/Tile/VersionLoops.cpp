// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop versioning: loops over one row, tile by tile, each of which reads the
// row again (layer norm: for its mean, its variance and the result), are
// versioned for rows that one tile holds. There each loop is its body, and a
// load is that of a loop before.

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/Target/Target.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Tile/LoopUtils.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_VERSIONLOOPS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Ops that may be doubled.
static constexpr unsigned mostOps = 256;

/// Elements that a thread may hold from one loop to the next. With more the
/// registers are better spent on occupancy, and the row is read from the L1 or
/// L2 again.
static constexpr int64_t mostElementsPerThread = 64;

/// Values that two loads' addresses are compared by.
static constexpr unsigned mostComparisons = 1000;

static scf::ForOp getLoop(Operation *op) { return dyn_cast<scf::ForOp>(op); }

namespace {

/// Loops of one block with the same bounds and step, and what stands behind the
/// first of them.
class LoopsOverRow {
public:
  /// Those with the bounds of `first`, up to the end of its block.
  explicit LoopsOverRow(scf::ForOp first);

  /// Whether they are worth a version for a single iteration: the bounds allow
  /// one to be told, and a load is then one of a loop before.
  bool isWorthVersion(int64_t threads);

  /// Has the version where there is a single iteration done under that
  /// condition.
  void version(IRRewriter &rewriter);

private:
  bool hasEqualBounds(scf::ForOp loop);
  /// Elements of the loads that others repeat in a single iteration.
  int64_t countRepeated();
  /// Whether `left` and `right` are known to be the same in the first iteration
  /// of their loops. Takes what it compares off `comparisons`.
  bool isEqual(Value left, Value right, unsigned &comparisons);
  bool isEqual(Value left, Value right);
  bool computeEqual(Operation *left, Operation *right, unsigned &comparisons);
  /// What `value`, which a loop of these defines for its body, is at first;
  /// any other is itself.
  Value getFirst(Value value);
  Value buildCondition(OpBuilder &builder);

  SmallVector<scf::ForOp, 4> loops;
  /// From the first loop to the last op before the terminator.
  SmallVector<Operation *> tail;
};

} // namespace

LoopsOverRow::LoopsOverRow(scf::ForOp first) {
  loops.push_back(first);
  for (Operation &op :
       llvm::make_range(first->getIterator(),
                        first->getBlock()->getTerminator()->getIterator())) {
    tail.push_back(&op);
    scf::ForOp loop = getLoop(&op);
    if (loop && loop != first && hasEqualBounds(loop))
      loops.push_back(loop);
  }
}

bool LoopsOverRow::hasEqualBounds(scf::ForOp loop) {
  scf::ForOp first = loops.front();
  return loop.getUnsignedCmp() == first.getUnsignedCmp() &&
         isEqual(loop.getLowerBound(), first.getLowerBound()) &&
         isEqual(loop.getUpperBound(), first.getUpperBound()) &&
         isEqual(loop.getStep(), first.getStep());
}

Value LoopsOverRow::getFirst(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return value;
  for (scf::ForOp loop : loops)
    if (loop.getBody() == argument.getOwner())
      return argument == loop.getInductionVar()
                 ? loops.front().getLowerBound()
                 : loop.getTiedLoopInit(argument)->get();
  return value;
}

bool LoopsOverRow::computeEqual(Operation *left, Operation *right,
                                unsigned &comparisons) {
  return OperationEquivalence::isEquivalentTo(
      left, right,
      [&](Value one, Value other) {
        return success(isEqual(one, other, comparisons));
      },
      /*markEquivalent=*/nullptr, OperationEquivalence::IgnoreLocations);
}

bool LoopsOverRow::isEqual(Value left, Value right, unsigned &comparisons) {
  left = getFirst(left);
  right = getFirst(right);
  if (left == right)
    return true;
  auto one = dyn_cast<OpResult>(left);
  auto other = dyn_cast<OpResult>(right);
  return comparisons && comparisons-- && one && other &&
         one.getResultNumber() == other.getResultNumber() &&
         isMemoryEffectFree(one.getOwner()) &&
         one.getOwner()->getNumRegions() == 0 &&
         computeEqual(one.getOwner(), other.getOwner(), comparisons);
}

bool LoopsOverRow::isEqual(Value left, Value right) {
  unsigned comparisons = mostComparisons;
  return isEqual(left, right, comparisons);
}

int64_t LoopsOverRow::countRepeated() {
  int64_t elements = 0;
  // Loads since the last write, of loops alone, in the order of a single
  // iteration, and whether their elements are counted.
  SmallVector<std::pair<Operation *, bool>> known;
  auto visit = [&](Operation *op) {
    if (writesMemory(op))
      return known.clear();
    auto type = op->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(op->getResult(0).getType())
                    : nullptr;
    if (!type || !getGlobalAccess(op) ||
        op->getBlock() == loops.front()->getBlock())
      return;
    auto *equal = llvm::find_if(known, [&](auto &before) {
      unsigned comparisons = mostComparisons;
      return computeEqual(before.first, op, comparisons);
    });
    if (equal == known.end())
      known.push_back({op, false});
    else if (!std::exchange(equal->second, true))
      elements += type.getNumElements();
  };
  for (Operation *op : tail) {
    if (!llvm::is_contained(loops, op))
      visit(op);
    else
      for (Operation &inner : op->getRegion(0).front())
        visit(&inner);
  }
  return elements;
}

bool LoopsOverRow::isWorthVersion(int64_t threads) {
  scf::ForOp loop = loops.front();
  APInt begin, step, end;
  // A constant number of iterations is known without a version.
  if (loops.size() < 2 || loop.getUnsignedCmp() ||
      !matchPattern(loop.getLowerBound(), m_ConstantInt(&begin)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) ||
      matchPattern(loop.getUpperBound(), m_ConstantInt(&end)))
    return false;
  // The sum is computed.
  bool overflows = false;
  (void)begin.sadd_ov(step, overflows);
  if (overflows || !step.isStrictlyPositive())
    return false;
  unsigned ops = 0;
  for (Operation *op : tail)
    op->walk([&](Operation *) { ++ops; });
  if (ops > mostOps)
    return false;
  int64_t elements = countRepeated();
  return elements && elements <= mostElementsPerThread * threads;
}

Value LoopsOverRow::buildCondition(OpBuilder &builder) {
  scf::ForOp loop = loops.front();
  Location location = loop.getLoc();
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  Value second =
      arith::AddIOp::create(builder, location, begin, loop.getStep());
  Value any = arith::CmpIOp::create(builder, location,
                                    arith::CmpIPredicate::sgt, end, begin);
  Value single = arith::CmpIOp::create(builder, location,
                                       arith::CmpIPredicate::sle, end, second);
  return arith::AndIOp::create(builder, location, any, single);
}

void LoopsOverRow::version(IRRewriter &rewriter) {
  Operation *terminator = tail.front()->getBlock()->getTerminator();
  Location location = loops.front().getLoc();
  // Nothing but the terminator stands behind the tail.
  llvm::SetVector<Value> leaving;
  for (Value operand : terminator->getOperands())
    if (llvm::is_contained(tail, operand.getDefiningOp()))
      leaving.insert(operand);

  rewriter.setInsertionPoint(tail.front());
  Value condition = buildCondition(rewriter);
  auto branch = scf::IfOp::create(rewriter, location,
                                  ValueRange(leaving.getArrayRef()).getTypes(),
                                  condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  IRMapping single;
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  for (Operation *op : tail)
    rewriter.clone(*op, single);
  SmallVector<Value> results;
  for (Value value : leaving)
    results.push_back(single.lookup(value));
  scf::YieldOp::create(rewriter, location, results);
  for (scf::ForOp loop : loops)
    inlineIteration(getLoop(single.lookup(loop.getOperation())), rewriter);

  for (auto [value, result] : llvm::zip_equal(leaving, branch.getResults()))
    terminator->replaceUsesOfWith(value, result);
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  auto yield = scf::YieldOp::create(rewriter, location, leaving.getArrayRef());
  for (Operation *op : tail)
    rewriter.moveOpBefore(op, yield);
}

namespace {

struct VersionLoops : tile::impl::VersionLoopsBase<VersionLoops> {
  using VersionLoopsBase::VersionLoopsBase;

  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](Operation *op) {
      if (scf::ForOp loop = getLoop(op))
        loops.push_back(loop);
    });
    llvm::DenseSet<Block *> versioned;
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      if (versioned.contains(loop->getBlock()))
        continue;
      LoopsOverRow row(loop);
      if (!row.isWorthVersion(int64_t(numWarps) * target::Target::warpSize))
        continue;
      row.version(rewriter);
      // The loops stand in a block of their own now.
      versioned.insert(loop->getBlock());
    }
  }
};

} // namespace
