// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LoopGuards.h"

#include "dialects/Interfaces/TileOpInterfaces.h"
#include "dialects/TileGPU/SharedAccess.h"
#include "dialects/Triton/Triton.h"
#include "mlir/IR/Matchers.h"
#include "passes/TileGPU/LoopSchedule.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// One op
//===----------------------------------------------------------------------===//

/// `predicate` for each element of a tensor of type `type`, if that is one.
static Value spread(RewriterBase &rewriter, Location location, Type type,
                    Value predicate) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tt::SplatOp::create(rewriter, location,
                                      tensor.clone(rewriter.getI1Type()),
                                      predicate)
                : predicate;
}

/// `mask` where `predicate` holds too, for pointers of type `pointers`.
static Value restrictMask(RewriterBase &rewriter, Location location,
                          Type pointers, Value mask, Value predicate) {
  predicate = spread(rewriter, location, pointers, predicate);
  return mask ? arith::AndIOp::create(rewriter, location, mask, predicate)
              : predicate;
}

/// Has it divide by 1 where `predicate` does not hold: a branch would keep
/// whatever else the iteration computes from running beside it.
static void guardDivision(RewriterBase &rewriter, Operation *op,
                          Value predicate) {
  rewriter.setInsertionPoint(op);
  Location location = op->getLoc();
  Value divisor = op->getOperand(1);
  Type type = divisor.getType();
  Value one =
      arith::ConstantOp::create(rewriter, location, rewriter.getOneAttr(type));
  op->setOperand(
      1, arith::SelectOp::create(rewriter, location,
                                 spread(rewriter, location, type, predicate),
                                 divisor, one));
}

static bool isHarmlessArithmetic(Operation *op) {
  return isPure(op) && !mayDivideByZero(op);
}

/// `op`, which has no effects but whose operands may be none that it can take,
/// where `predicate` holds; zeros elsewhere. Null where there is no zero of a
/// type.
static Operation *makeConditional(RewriterBase &rewriter, Operation *op,
                                  Value predicate) {
  SmallVector<TypedAttr> zeros;
  for (Type type : op->getResultTypes())
    zeros.push_back(rewriter.getZeroAttr(type));
  if (llvm::is_contained(zeros, TypedAttr()))
    return nullptr;
  auto branch = scf::IfOp::create(rewriter, op->getLoc(), op->getResultTypes(),
                                  predicate, /*withElseRegion=*/true);
  rewriter.replaceAllUsesWith(op->getResults(), branch.getResults());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  SmallVector<Value> others =
      llvm::map_to_vector(zeros, [&](TypedAttr zero) -> Value {
        return arith::ConstantOp::create(rewriter, op->getLoc(), zero);
      });
  scf::YieldOp::create(rewriter, op->getLoc(), others);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  auto yield = scf::YieldOp::create(rewriter, op->getLoc(), op->getResults());
  rewriter.moveOpBefore(op, yield);
  return branch;
}

/// Whether the way of a branch does no harm where it is not to be taken.
static bool isHarmlessWay(Region &region) {
  return region.empty() || llvm::all_of(region.front(), [](Operation &op) {
           return op.hasTrait<OpTrait::IsTerminator>() ||
                  isHarmlessArithmetic(&op);
         });
}

static bool hasHarmlessWay(scf::IfOp branch) {
  return isMemoryEffectFree(branch) && (isHarmlessWay(branch.getThenRegion()) ||
                                        isHarmlessWay(branch.getElseRegion()));
}

/// Has a branch that has one take a harmless way where `predicate` does not
/// hold. What it gives then is as contiguous as ever, which zeros are not:
/// copies by addresses that it chooses between would move single elements.
static void guardBranch(RewriterBase &rewriter, scf::IfOp branch,
                        Value predicate) {
  Location location = branch.getLoc();
  rewriter.setInsertionPoint(branch);
  Value condition = branch.getCondition();
  if (isHarmlessWay(branch.getElseRegion())) {
    condition = arith::AndIOp::create(rewriter, location, condition, predicate);
  } else {
    Value yes = arith::ConstantIntOp::create(rewriter, location, 1, 1);
    Value isNot = arith::XOrIOp::create(rewriter, location, predicate, yes);
    condition = arith::OrIOp::create(rewriter, location, condition, isNot);
  }
  branch.getConditionMutable().assign(condition);
}

/// Whether the op accesses shared memory alone, in buffers of the pipeline: of
/// an iteration that is not, nobody reads them.
static bool staysInBuffers(Operation *op,
                           const llvm::SmallDenseSet<Value> &buffers) {
  auto access = dyn_cast<SharedAccessOpInterface>(op);
  if (!access || getGlobalAccess(op))
    return false;
  return llvm::all_of(access.getSharedOperands(), [&](const SharedOperand &of) {
    auto view = of.descriptor.getDefiningOp<MemDescIndexOp>();
    return buffers.contains(view ? view.getSource() : of.descriptor);
  });
}

/// Whether the op does no harm where it is not to run: groups are counted,
/// whether there is anything in them or not; a copy of nothing leaves something
/// to read; tiles of their own are written for nobody.
static bool isHarmless(Operation *op) {
  return isHarmlessArithmetic(op) ||
         isa<AsyncCommitOp, AsyncWaitOp, LocalLoadOp, LocalAllocOp, WgmmaOp,
             WgmmaWaitOp>(op);
}

bool tilegpu::isComputation(Operation *op) {
  return isMemoryEffectFree(op) &&
         (op->getNumRegions() == 0 || isa<scf::IfOp>(op));
}

bool tilegpu::mayBeGuarded(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (isHarmless(op) || (branch && hasHarmlessWay(branch)))
    return true;
  if (isComputation(op))
    return llvm::all_of(op->getResultTypes(), [](Type type) {
      return Builder(type.getContext()).getZeroAttr(type) != TypedAttr();
    });
  return getGlobalAccess(op) && hasSingleEffect<MemoryEffects::Read>(op);
}

/// Has an op with a predicate, where it has one, do nothing elsewhere.
template <typename Op>
static Operation *restrictPredicate(RewriterBase &rewriter, Op op,
                                    Value isThere) {
  rewriter.setInsertionPoint(op);
  Value before = op.getPredicate();
  op.getPredicateMutable().assign(
      before ? arith::AndIOp::create(rewriter, op->getLoc(), before, isThere)
             : isThere);
  return op;
}

Operation *tilegpu::guardOp(RewriterBase &rewriter, Operation *op,
                            Value isThere,
                            const llvm::SmallDenseSet<Value> &buffers) {
  if (auto copy = dyn_cast<BulkCopyOp>(op))
    return restrictPredicate(rewriter, copy, isThere);
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    return restrictPredicate(rewriter, wait, isThere);
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    return restrictPredicate(rewriter, arrive, isThere);
  if (isHarmless(op) || staysInBuffers(op, buffers))
    return op;
  if (mayDivideByZero(op)) {
    guardDivision(rewriter, op, isThere);
    return op;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op); branch && hasHarmlessWay(branch)) {
    guardBranch(rewriter, branch, isThere);
    return op;
  }
  rewriter.setInsertionPoint(op);
  if (isComputation(op))
    return makeConditional(rewriter, op, isThere);
  auto access = dyn_cast<GlobalAccessOpInterface>(op);
  if (!access)
    return nullptr;
  GlobalAccess from = access.getGlobalAccess();
  Value mask = restrictMask(rewriter, op->getLoc(), from.pointers.getType(),
                            from.mask, isThere);
  return access.setAccessMask(mask) ? op : nullptr;
}

//===----------------------------------------------------------------------===//
// A whole loop
//===----------------------------------------------------------------------===//

bool tilegpu::mayOverflow(scf::ForOp loop, int stages) {
  APInt begin, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&begin)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)))
    return true;
  // Of an index the narrowest that it may become.
  bool isIndex = loop.getInductionVar().getType().isIndex();
  unsigned bits = isIndex ? 32 : begin.getBitWidth();
  // Wide enough for the product and the sum.
  unsigned wide = 2 * begin.getBitWidth() + 2;
  APInt ahead = step.sext(wide) * APInt(wide, stages);
  APInt first = begin.sext(wide) - ahead, last = begin.sext(wide) + ahead;
  return !first.isSignedIntN(bits) || !last.isSignedIntN(bits);
}

/// Carries whether the iteration is there, which is said in the first stage by
/// a distance that no bounds make overflow.
static Value addFlag(scf::ForOp &loop, IRRewriter &rewriter) {
  Location location = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  Value any =
      arith::CmpIOp::create(rewriter, location, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto goOn = [&](OpBuilder &builder, Value isThere) -> Value {
    // From a number below the end it is one without a sign.
    Value left = arith::SubIOp::create(builder, location, loop.getUpperBound(),
                                       loop.getInductionVar());
    Value isMore = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::ugt, left, loop.getStep());
    Value next = arith::AndIOp::create(builder, location, isThere, isMore);
    for (Value value : {left, isMore, next})
      setScheduledTime(value.getDefiningOp(), ScheduledTime());
    return next;
  };
  return loop.getRegionIterArg(addCarried(loop, rewriter, any, goOn));
}

LogicalResult tilegpu::guardByFlag(scf::ForOp &loop,
                                   const llvm::SmallDenseSet<Value> &buffers,
                                   IRRewriter &rewriter) {
  int last = getLastStage(loop);
  Value isThere = addFlag(loop, rewriter);
  SmallVector<Operation *> early;
  for (Operation &op : loop.getBody()->without_terminator())
    if (getScheduledTime(&op)->stage < last)
      early.push_back(&op);
  for (Operation *op : early) {
    ScheduledTime time = *getScheduledTime(op);
    Operation *guarded = guardOp(rewriter, op, isThere, buffers);
    if (!guarded)
      return failure();
    op->removeAttr(TileGPUDialect::scheduleAttrName);
    setScheduledTime(guarded, time);
    for (Operation *made = guarded->getPrevNode();
         made && !getScheduledTime(made); made = made->getPrevNode())
      setScheduledTime(made, time);
  }
  return success();
}
