// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop fusion: of loops that wait for a reduction in each iteration (forward
// substitution: each row is the sum of those above), several that do not depend
// on each other wait for theirs together.

#include "dialects/Interfaces/LoopCarried.h"
#include "dialects/Target/Target.h"
#include "dialects/Triton/Triton.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "passes/Tile/LoopUtils.h"
#include "passes/Tile/Passes.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_FUSELOOPS
#include "passes/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

/// Elements of a loop's largest tile that a thread may hold: with more it has
/// work while it waits. (16 x 16 by 32 threads are 8.)
static constexpr int64_t mostElementsPerThread = 16;

/// Elements that the fused loop may carry for a thread, all its loops'
/// together.
static constexpr int64_t mostCarriedPerThread = 64;

/// Ops of a loop that may be doubled.
static constexpr size_t mostOps = 64;

static int64_t countElements(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? tile.getNumElements() : 0;
}

static int64_t countElements(TypeRange types) {
  int64_t elements = 0;
  for (Type type : types)
    elements += countElements(type);
  return elements;
}

/// Whether an iteration reduces what it got from the one before.
static bool reducesCarried(scf::ForOp loop) {
  return llvm::any_of(loop.getBody()->getOps<tt::ReduceOp>(),
                      usesLoopCarriedFloats);
}

/// Whether `op` is quick, such as most ops on tiles of a few elements a thread.
static bool isQuick(Operation *op, int64_t threads) {
  auto isSmall = [&](Type type) {
    return countElements(type) <= mostElementsPerThread * threads;
  };
  return !isa<tt::DotOp, LoopLikeOpInterface>(op) &&
         llvm::all_of(op->getResultTypes(), isSmall) &&
         llvm::all_of(op->getOperandTypes(), isSmall);
}

/// Whether a thread waits in each iteration of `loop` for most of its time.
static bool awaitsReductions(scf::ForOp loop, int64_t threads) {
  APInt step;
  Block *body = loop.getBody();
  return !loop.getUnsignedCmp() &&
         matchPattern(loop.getStep(), m_ConstantInt(&step)) &&
         step.isStrictlyPositive() && body->getOperations().size() <= mostOps &&
         !writesMemory(loop) && reducesCarried(loop) &&
         llvm::all_of(*body,
                      [&](Operation &op) { return isQuick(&op, threads); });
}

namespace {

/// Loops of one block that wait for reductions, do not depend on each other,
/// and may run at the place of the last.
class LoopGroup {
public:
  LoopGroup(scf::ForOp first, int64_t threads);

  bool hasSeveral() const { return loops.size() > 1; }

  ArrayRef<scf::ForOp> getLoops() const { return loops; }

  /// Fuses them where they have as many iterations.
  void fuse(RewriterBase &rewriter);

private:
  bool dependsOnGroup(Operation *op) const;
  void add(scf::ForOp loop);
  Value buildCondition(OpBuilder &builder);
  scf::ForOp buildFused(RewriterBase &rewriter);
  Operation *buildVersions(RewriterBase &rewriter, Value condition,
                           ValueRange results);

  SmallVector<scf::ForOp, 4> loops;
  /// What stands between the loops and needs one of them, in order.
  SmallVector<Operation *> users;
  llvm::DenseSet<Operation *> inGroup;
};

} // namespace

LoopGroup::LoopGroup(scf::ForOp first, int64_t threads) {
  add(first);
  int64_t carried = countElements(first.getResultTypes());
  size_t usersBetween = 0;
  for (Operation *op = first->getNextNode();
       op && !op->hasTrait<OpTrait::IsTerminator>() && !writesMemory(op);
       op = op->getNextNode()) {
    if (dependsOnGroup(op)) {
      users.push_back(op);
      inGroup.insert(op);
      continue;
    }
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || loop.getStep() != first.getStep() ||
        !awaitsReductions(loop, threads))
      continue;
    carried += countElements(loop.getResultTypes());
    if (carried > mostCarriedPerThread * threads)
      break;
    add(loop);
    usersBetween = users.size();
  }
  users.truncate(usersBetween);
}

void LoopGroup::add(scf::ForOp loop) {
  loops.push_back(loop);
  inGroup.insert(loop);
}

/// Whether `op`, or an op within it, needs a loop's result, be it through
/// others.
bool LoopGroup::dependsOnGroup(Operation *op) const {
  return op
      ->walk([&](Operation *inner) {
        bool depends = llvm::any_of(inner->getOperands(), [&](Value operand) {
          Operation *definition = operand.getDefiningOp();
          return definition && inGroup.contains(definition);
        });
        return depends ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether all run as often as the first; of one step. Null where that is sure.
Value LoopGroup::buildCondition(OpBuilder &builder) {
  scf::ForOp first = loops.front();
  Location location = first.getLoc();
  auto getExtent = [&](scf::ForOp loop) -> Value {
    return arith::SubIOp::create(builder, location, loop.getUpperBound(),
                                 loop.getLowerBound());
  };
  Value extent, condition;
  for (scf::ForOp loop : ArrayRef(loops).drop_front()) {
    if (loop.getLowerBound() == first.getLowerBound() &&
        loop.getUpperBound() == first.getUpperBound())
      continue;
    if (!extent)
      extent = getExtent(first);
    Value isEqual = arith::CmpIOp::create(
        builder, location, arith::CmpIPredicate::eq, extent, getExtent(loop));
    condition =
        condition ? arith::AndIOp::create(builder, location, condition, isEqual)
                  : isEqual;
  }
  return condition;
}

/// One loop that does an op of each in turn, so that their waits overlap.
scf::ForOp LoopGroup::buildFused(RewriterBase &rewriter) {
  scf::ForOp first = loops.front();
  Location location = first.getLoc();
  SmallVector<Value> inits;
  for (scf::ForOp loop : loops)
    llvm::append_range(inits, loop.getInitArgs());
  auto fused =
      scf::ForOp::create(rewriter, location, first.getLowerBound(),
                         first.getUpperBound(), first.getStep(), inits);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(fused.getBody());
  struct Part {
    IRMapping mapping;
    Block::iterator next;
    Operation *yield;
  };
  SmallVector<Part, 4> parts;
  ArrayRef<BlockArgument> carried(fused.getRegionIterArgs());
  for (scf::ForOp loop : loops) {
    Block *body = loop.getBody();
    Part &part = parts.emplace_back(
        Part{IRMapping(), body->begin(), body->getTerminator()});
    Value offset = rewriter.createOrFold<arith::SubIOp>(
        location, loop.getLowerBound(), first.getLowerBound());
    part.mapping.map(loop.getInductionVar(),
                     rewriter.createOrFold<arith::AddIOp>(
                         location, fused.getInductionVar(), offset));
    size_t count = loop.getNumRegionIterArgs();
    part.mapping.map(loop.getRegionIterArgs(), carried.take_front(count));
    carried = carried.drop_front(count);
  }
  auto isAtEnd = [](Part &part) { return &*part.next == part.yield; };
  while (!llvm::all_of(parts, isAtEnd))
    for (Part &part : parts)
      if (!isAtEnd(part))
        rewriter.clone(*part.next++, part.mapping);
  SmallVector<Value> results;
  for (Part &part : parts)
    for (Value result : part.yield->getOperands())
      results.push_back(part.mapping.lookupOrDefault(result));
  scf::YieldOp::create(rewriter, location, results);
  return fused;
}

void LoopGroup::fuse(RewriterBase &rewriter) {
  SmallVector<Value> results;
  for (scf::ForOp loop : loops)
    llvm::append_range(results, loop.getResults());
  rewriter.setInsertionPointAfter(loops.back());
  Value condition = buildCondition(rewriter);
  Operation *last = nullptr;
  if (!condition) {
    last = buildFused(rewriter);
    rewriter.replaceAllUsesWith(results, last->getResults());
    for (scf::ForOp loop : loops)
      rewriter.eraseOp(loop);
  } else {
    last = buildVersions(rewriter, condition, results);
  }
  for (Operation *user : users) {
    rewriter.moveOpAfter(user, last);
    last = user;
  }
}

/// The fused loop where `condition` holds, and the loops as they are elsewhere,
/// in the place of their `results`.
Operation *LoopGroup::buildVersions(RewriterBase &rewriter, Value condition,
                                    ValueRange results) {
  Location location = loops.front().getLoc();
  auto branch =
      scf::IfOp::create(rewriter, location, results.getTypes(), condition,
                        /*addThenBlock=*/true, /*addElseBlock=*/true);
  rewriter.replaceAllUsesWith(results, branch.getResults());
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  scf::ForOp fused = buildFused(rewriter);
  scf::YieldOp::create(rewriter, location, fused.getResults());
  rewriter.setInsertionPointToEnd(branch.elseBlock());
  auto yield = scf::YieldOp::create(rewriter, location, results);
  for (scf::ForOp loop : loops)
    rewriter.moveOpBefore(loop, yield);
  return branch;
}

namespace {

struct FuseLoops : tile::impl::FuseLoopsBase<FuseLoops> {
  using FuseLoopsBase::FuseLoopsBase;

  void runOnOperation() override {
    int64_t threads = int64_t(numWarps) * target::Target::warpSize;
    SmallVector<scf::ForOp> loops;
    getOperation().walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
      if (awaitsReductions(loop, threads))
        loops.push_back(loop);
    });
    llvm::DenseSet<Operation *> fused;
    IRRewriter rewriter(&getContext());
    for (scf::ForOp loop : loops) {
      if (fused.contains(loop))
        continue;
      LoopGroup group(loop, threads);
      if (!group.hasSeveral())
        continue;
      fused.insert_range(group.getLoops());
      group.fuse(rewriter);
    }
  }
};

} // namespace
