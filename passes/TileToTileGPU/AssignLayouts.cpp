// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Applies a layout assignment: tensors get their encodings, conversions stand
// where layouts meet, and free values are computed in each layout that is asked
// for.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/ControlFlowSinkUtils.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "passes/TileToTileGPU/LayoutAssignment.h"
#include "passes/TileToTileGPU/OwnCopies.h"
#include "passes/TileToTileGPU/Passes.h"

namespace tilewright::tilegpu {
#define GEN_PASS_DEF_ASSIGNLAYOUTS
#include "passes/TileToTileGPU/Passes.h.inc"
} // namespace tilewright::tilegpu

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

static bool hasProducts(tt::FuncOp function) {
  return function.walk([](tt::DotOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {

class LayoutApplier {
public:
  LayoutApplier(tt::FuncOp function, LayoutAssignment &assignment)
      : function(function), assignment(assignment) {}

  LogicalResult apply() {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { ops.push_back(op); });
    setTypes(ops);
    for (Operation *op : ops)
      if (failed(rewrite(op)))
        return failure();
    for (auto [operand, placed] : placedOperands)
      operand->set(placed);
    realizeReaders();
    for (Operation *op : ops)
      arrangeForReaders(op);
    placeWaits();
    return eraseOps(ops);
  }

private:
  static RankedTensorType tensorType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  static bool isTensor(Value value) {
    return isa<RankedTensorType>(value.getType());
  }

  /// Gives every value that has a layout its encoding.
  void setTypes(ArrayRef<Operation *> ops) {
    auto set = [&](Value value) {
      if (isTensor(value))
        if (RegisterLayoutInterface layout = assignment.lookup(value))
          value.setType(withEncoding(tensorType(value), layout));
    };
    for (Operation *op : ops) {
      llvm::for_each(op->getResults(), set);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), set);
    }
  }

  /// `value` under `layout`, for `user`.
  Value materialize(Value value, RegisterLayoutInterface layout,
                    Operation *user) {
    if (assignment.lookup(value) == layout)
      return value;
    if (Value tile = tiles.lookup(value))
      return loadTile(value, tile, layout, user);
    Value &known = made[{value, layout}];
    if (known)
      return known;
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Value result = assignment.isRematerialized(value, layout)
                       ? rematerialize(value, layout, builder)
                       : ConvertLayoutOp::create(
                             builder, value.getLoc(),
                             withEncoding(tensorType(value), layout), value);
    // Not through `known`: rematerializing operands may have moved it.
    made[{value, layout}] = result;
    return result;
  }

  /// `value`, which is in shared memory as `tile`, under `layout`: loaded where
  /// it is used first, so that copies to other tiles are started before.
  Value loadTile(Value value, Value tile, RegisterLayoutInterface layout,
                 Operation *user) {
    Operation *place = value.getParentBlock()->findAncestorOpInBlock(*user);
    Value &known = made[{value, layout}];
    if (known) {
      // What is rematerialized stands before the op whose place it takes.
      if (place->isBeforeInBlock(known.getDefiningOp()))
        known.getDefiningOp()->moveBefore(place);
      return known;
    }
    OpBuilder builder(place);
    known = LocalLoadOp::create(builder, value.getLoc(),
                                withEncoding(tensorType(value), layout), tile,
                                /*token=*/Value());
    return known;
  }

  /// Clones the op behind a free value, with operands and results under the
  /// layouts that `layout` asks for.
  Value rematerialize(Value value, RegisterLayoutInterface layout,
                      OpBuilder &builder) {
    Operation *op = value.getDefiningOp();
    IRMapping mapping;
    const Implementation &taken =
        *assignment.getDecisions().implement(op, layout);
    for (OpOperand &operand : op->getOpOperands())
      if (isTensor(operand.get()) && !mapping.contains(operand.get()))
        mapping.map(
            operand.get(),
            materialize(
                operand.get(),
                taken.operands[operand.getOperandNumber()].getRegisters(), op));
    // Behind what the operands took: a load that stood right behind the op may
    // have been moved in front of it.
    builder.setInsertionPointAfter(op);
    Operation *clone = builder.clone(*op, mapping);
    for (Value result : clone->getResults())
      if (isTensor(result))
        result.setType(withEncoding(tensorType(result), layout));
    if (auto constant = dyn_cast<arith::ConstantOp>(clone))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(
            elements.reshape(cast<ShapedType>(constant.getType())));
    return clone->getResult(cast<OpResult>(value).getResultNumber());
  }

  /// The layout that `value` has, or a default where it is free.
  RegisterLayoutInterface ownLayout(Value value) {
    RegisterLayoutInterface layout = assignment.lookup(value);
    return layout ? layout : assignment.getDecisions().getDefaultLayout(value);
  }

  LogicalResult rewrite(Operation *op) {
    if (auto barrier = dyn_cast<gpu::BarrierOp>(op)) {
      OpBuilder builder(op);
      BarrierOp::create(builder, op->getLoc(), /*warp=*/false);
      dead.insert(op);
      return success();
    }
    if (op->getNumResults() && assignment.isFree(op->getResult(0)))
      return success(); // cloned where it is wanted
    const Implementation *taken = assignment.getImplementation(op);
    bool isReplaced = taken && taken->replacesOp();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isTensor(operand.get()) || tiles.contains(getTileOf(operand)))
        continue;
      Value placed = materialize(operand.get(), getWantedLayout(operand), op);
      if (isReplaced)
        operand.set(placed);
      else
        placedOperands.emplace_back(&operand, placed);
    }
    if (!isReplaced)
      return success();
    auto isTile = [](const Placement &placement) {
      return placement.getTile().has_value();
    };
    // A view of a tile is there for the ops behind it.
    if (llvm::any_of(taken->operands, isTile) &&
        llvm::none_of(taken->results, isTile))
      readers.push_back(op);
    else
      realize(op, *taken, placeOperands(op, *taken));
    return success();
  }

  /// The operands of `op`, those in shared memory that it asks for there.
  SmallVector<Value> placeOperands(Operation *op, const Implementation &taken) {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<SharedPlacement> demand =
          taken.operands[operand.getOperandNumber()].getTile();
      Value tile = tiles.lookup(operand.get());
      operands.push_back(!demand ? operand.get()
                         : tile  ? tile
                                 : store(operand.get(), *demand, op));
    }
    return operands;
  }

  /// The value whose tile in shared memory `operand` takes as it is; null where
  /// it takes none.
  Value getTileOf(OpOperand &operand) {
    Placement wanted = assignment.getOperandPlacement(operand);
    Placement held = assignment.getPlacement(operand.get());
    bool isServed =
        wanted.getTile() && held.getTile() &&
        held.getTile()->serves(*wanted.getTile(),
                               tensorType(operand.get()).getShape());
    return isServed ? operand.get() : Value();
  }

  RegisterLayoutInterface getWantedLayout(OpOperand &operand) {
    if (RegisterLayoutInterface merge = assignment.getMergeLayout(operand))
      return merge;
    Placement wanted = assignment.getOperandPlacement(operand);
    return wanted.getRegisters() ? wanted.getRegisters()
                                 : ownLayout(operand.get());
  }

  /// Makes what stands in the place of `op`.
  void realize(Operation *op, const Implementation &taken,
               ValueRange operands) {
    SmallVector<Value> results =
        cast<PlacementOpInterface>(op).realize(operands, taken, getContext());
    dead.insert(op);
    for (auto [result, made] : llvm::zip_equal(op->getResults(), results))
      if (isa<MemDescType>(made.getType()))
        tiles[result] = made;
      else
        replaced.emplace_back(result, made);
  }

  const PlacementContext &getContext() {
    return assignment.getDecisions().getContext();
  }

  //===--------------------------------------------------------------------===//
  // Readers of shared memory
  //===--------------------------------------------------------------------===//

  /// Puts operands that are read from shared memory there, and realizes their
  /// ops. Before that, what loops leave as it is leaves the loops, so that it
  /// is stored once.
  void realizeReaders() {
    if (readers.empty())
      return;
    function.walk(
        [](LoopLikeOpInterface loop) { moveLoopInvariantCode(loop); });
    for (Operation *op : readers) {
      const Implementation &taken = *assignment.getImplementation(op);
      realize(op, taken, placeOperands(op, taken));
    }
  }

  /// The layout under which all loads of `tile`, which ops copy to, have it;
  /// null where these differ, or others read it.
  static RegisterLayoutInterface findReaders(Value tile) {
    RegisterLayoutInterface readers;
    for (Operation *user : tile.getUsers()) {
      if (isa<AsyncCopyOp>(user))
        continue;
      auto load = dyn_cast<LocalLoadOp>(user);
      RegisterLayoutInterface own =
          load ? getRegisterLayout(load.getType()) : RegisterLayoutInterface();
      if (!own || (readers && readers != own))
        return {};
      readers = own;
    }
    return readers;
  }

  /// Arranges what `op` has been made to copy for those who read it in the end:
  /// whom it was copied for, others may serve better.
  void arrangeForReaders(Operation *op) {
    Value tile =
        op->getNumResults() == 1 ? tiles.lookup(op->getResult(0)) : Value();
    auto load = dyn_cast<PlacementOpInterface>(op);
    RegisterLayoutInterface readers = tile && load && isa<tt::LoadOp>(op)
                                          ? findReaders(tile)
                                          : RegisterLayoutInterface();
    if (!readers)
      return;
    Implementation taken = *assignment.getImplementation(op);
    SharedPlacement demand = *taken.results[0].getTile();
    if (demand.descriptor || demand.readers == readers)
      return;
    demand.readers = readers;
    taken.results[0] = demand;
    // Another tile says what its type is.
    Value other =
        load.realize(placeOperands(op, taken), taken, getContext()).front();
    tile.setType(other.getType());
    for (Operation *user : llvm::make_early_inc_range(other.getUsers()))
      user->erase();
    other.getDefiningOp()->erase();
  }

  /// Copies that are read first at one place are one group. It is committed
  /// after the last of them, and waited for where they are read; groups that
  /// were committed in between may still be on their way.
  void placeWaits() {
    llvm::MapVector<Operation *, SmallVector<AsyncCopyOp>> readBy;
    function.walk([&](AsyncCopyOp copy) {
      readBy[findFirstReader(copy)].push_back(copy);
    });
    SmallVector<std::pair<AsyncCommitOp, Operation *>> groups;
    for (auto &[reader, copies] : readBy) {
      SmallVector<Value> tokens = llvm::map_to_vector(
          copies, [](AsyncCopyOp copy) -> Value { return copy.getToken(); });
      OpBuilder builder(reader->getContext());
      builder.setInsertionPointAfter(copies.back());
      groups.emplace_back(
          AsyncCommitOp::create(builder, copies.front().getLoc(), tokens),
          reader);
    }
    for (auto [group, reader] : groups) {
      unsigned pending = llvm::count_if(groups, [&](auto &other) {
        AsyncCommitOp later = other.first;
        return later->getBlock() == group->getBlock() &&
               group->isBeforeInBlock(later) && later->isBeforeInBlock(reader);
      });
      OpBuilder builder(reader);
      AsyncWaitOp::create(builder, group.getLoc(), group->getResults(),
                          pending);
    }
  }

  /// The first op of the copy's block that reads its tile, itself or in a
  /// region; the terminator where other blocks alone do. Of loads in a row, the
  /// first: one wait serves them all.
  static Operation *findFirstReader(AsyncCopyOp copy) {
    Block *block = copy->getBlock();
    Operation *first = block->getTerminator();
    SmallVector<Value> views = {copy.getDestination()};
    for (size_t next = 0; next < views.size(); ++next)
      for (Operation *user : views[next].getUsers()) {
        if (isa<MemDescTransOp>(user))
          views.push_back(user->getResult(0));
        else if (Operation *here = block->findAncestorOpInBlock(*user);
                 here && here != copy && here->isBeforeInBlock(first))
          first = here;
      }
    while (isa<LocalLoadOp>(first) &&
           isa_and_present<LocalLoadOp>(first->getPrevNode()))
      first = first->getPrevNode();
    return first;
  }

  /// `value`, in registers, as a tile in shared memory as `demand` asks for it:
  /// stored before `user`, outside the loops that leave it as it is.
  Value store(Value value, const SharedPlacement &demand, Operation *user) {
    RankedTensorType type = tensorType(value);
    auto descriptor = MemDescType::get(
        user->getContext(), type.getShape(), type.getElementType(),
        planSharedTile(type, getRegisterLayout(type), demand,
                       getContext().target),
        /*buffers=*/1, /*isMutable=*/false);
    Operation *place = user;
    while (auto loop = dyn_cast<LoopLikeOpInterface>(place->getParentOp())) {
      if (!loop.isDefinedOutsideOfLoop(value))
        break;
      place = loop;
    }
    // Two products in a row read one tile; where another was stored in between,
    // both would need room at a time.
    auto &[held, tile] = lastStored[place->getBlock()];
    if (held == value && tile.getType() == descriptor &&
        tile.getDefiningOp()->isBeforeInBlock(place))
      return tile;
    OpBuilder builder(place);
    held = value;
    tile = LocalAllocOp::create(builder, user->getLoc(), descriptor, value,
                                /*offset=*/IntegerAttr());
    return tile;
  }

  /// Erases what was replaced, and the free ops, which were cloned.
  LogicalResult eraseOps(ArrayRef<Operation *> ops) {
    // Ops that come later look results up by their old values until here.
    for (auto [result, made] : replaced)
      result.replaceAllUsesWith(made);
    for (Operation *op : llvm::reverse(ops)) {
      if (dead.contains(op)) {
        op->erase();
        continue;
      }
      bool isUnplaced = op->getNumResults() != 0 &&
                        isTensor(op->getResult(0)) &&
                        !tensorType(op->getResult(0)).getEncoding();
      if (!isUnplaced)
        continue;
      if (!op->use_empty())
        return op->emitOpError("has no layout after assignment");
      op->erase();
    }
    return success();
  }

  tt::FuncOp function;
  LayoutAssignment &assignment;
  /// Values made in other layouts than their own.
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
  llvm::SmallVector<std::pair<Value, Value>> replaced;
  /// What ops that stay take in the end. Until then they have the operands for
  /// which rematerializing them has a price, and is done.
  llvm::SmallVector<std::pair<OpOperand *, Value>> placedOperands;
  /// Values that are in shared memory, and their tiles.
  llvm::DenseMap<Value, Value> tiles;
  /// Of each block, the value that was stored to shared memory last, and its
  /// tile.
  llvm::DenseMap<Block *, std::pair<Value, Value>> lastStored;
  /// Ops that read operands from shared memory.
  SmallVector<Operation *> readers;
  /// Not erased before the end: `apply` comes by them again.
  llvm::SmallPtrSet<Operation *, 16> dead;
};

/// Diagnoses ops on tensors that say neither where these may be nor that they
/// only pass them on.
LogicalResult verifyPlaceable(tt::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) -> WalkResult {
    if (op->hasTrait<ExpandedBeforePlacement>())
      return op->emitOpError("expects to be expanded before layouts are "
                             "assigned, by the passes of tilewright-tile "
                             "and tilewright-tile-to-tilegpu");
    if (llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>) &&
        !isa<PlacementOpInterface, ValueMergeOpInterface>(op))
      return op->emitOpError("expects an op that says where its tensors may be "
                             "(PlacementOpInterface), but got one that does "
                             "not");
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Moves conversions that one branch alone needs into it.
void sinkConversions(tt::FuncOp function) {
  DominanceInfo dominance(function);
  function.walk<WalkOrder::PreOrder>([&](scf::IfOp branch) {
    SmallVector<Region *> regions = {&branch.getThenRegion(),
                                     &branch.getElseRegion()};
    controlFlowSink(
        regions, dominance,
        [](Operation *op, Region *) { return isa<ConvertLayoutOp>(op); },
        [](Operation *op, Region *region) {
          op->moveBefore(&region->front(), region->front().begin());
        });
  });
}

struct AssignLayouts : tilegpu::impl::AssignLayoutsBase<AssignLayouts> {
  using AssignLayoutsBase::AssignLayoutsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    const target::Target *target = target::lookup(targetName.getValue());
    if (!target) {
      module.emitError(target::unknownTargetMessage(targetName.getValue()));
      return signalPassFailure();
    }
    if (numWarps == 0 || numWarps > target->maxWarpsPerCta ||
        !layout::isPowerOfTwo(numWarps)) {
      module.emitError("expects a number of warps that is a power of two from "
                       "1 to ")
          << target->maxWarpsPerCta << ", but got " << numWarps.getValue();
      return signalPassFailure();
    }
    Builder builder(&getContext());
    module->setAttr(TileGPUDialect::targetAttrName,
                    builder.getStringAttr(StringRef(target->name)));
    AxisAnalysis axes(module);
    for (auto function : module.getOps<tt::FuncOp>())
      if (!function.isExternal() &&
          failed(assign(function, axes, *target, builder)))
        return signalPassFailure();
  }

private:
  LogicalResult assign(tt::FuncOp function, const AxisAnalysis &axes,
                       const target::Target &target, Builder &builder) {
    for (Type type : function.getFunctionType().getInputs())
      if (isa<RankedTensorType>(type))
        return function.emitOpError("expects no tensors as arguments of a "
                                    "kernel, but got ")
               << type;
    if (failed(verifyPlaceable(function)))
      return failure();
    std::optional<uint64_t> seed;
    if (auto attribute =
            function->getParentOfType<ModuleOp>()->getAttrOfType<IntegerAttr>(
                TileGPUDialect::layoutSeedAttrName))
      seed = attribute.getInt();
    PlacementContext context = {
        target, numWarps, numStages, hasProducts(function),
        [&axes](Value value) { return axes.lookup(value); }};
    auto assignment =
        std::make_unique<LayoutAssignment>(function, context, seed);
    // Who reads a copy is known once all has a layout.
    if (!seed)
      context.ownReaders = findOwnReaders(function, *assignment, axes);
    if (!context.ownReaders.empty())
      assignment = std::make_unique<LayoutAssignment>(function, context);
    if (failed(LayoutApplier(function, *assignment).apply()))
      return failure();
    sinkConversions(function);
    function->setAttr(TileGPUDialect::numWarpsAttrName,
                      builder.getI32IntegerAttr(numWarps));
    return success();
  }
};

} // namespace
