// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileToTileGPU/OwnCopies.h"

#include "dialects/Layout/Conversion.h"
#include "dialects/Layout/WarpLocal.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "passes/Analysis/StridedBoxes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {

/// The copies of a loop.
struct LoopCopies {
  /// Who reads those that are not their readers' own yet.
  PlacementContext::OwnReaders readers;
  /// Whether warps meet in the loop whoever copies.
  bool hasBarriers = false;
};

class OwnCopies {
public:
  OwnCopies(tt::FuncOp function, LayoutAssignment &assignment,
            const AxisAnalysis &axes)
      : function(function), assignment(assignment), boxes(axes) {}
  PlacementContext::OwnReaders find();

private:
  void addExchange(Operation *op, Value value);
  void visit(OpOperand &operand);
  std::optional<SharedPlacement> getTile(tt::LoadOp load) const;
  std::optional<Implementation> implementOwn(tt::LoadOp load,
                                             RegisterLayoutInterface layout);
  bool isBox(tt::LoadOp load);
  void add(tt::LoadOp load, LoopCopies &to);

  tt::FuncOp function;
  LayoutAssignment &assignment;
  StridedBoxes boxes;
  llvm::MapVector<Operation *, LoopCopies> loops;
  /// Of what is copied, the layouts in which it is wanted.
  llvm::DenseMap<Value, llvm::SetVector<RegisterLayoutInterface>> readers;
};

} // namespace

/// The tile that the load is copied to; none where it is no copy.
std::optional<SharedPlacement> OwnCopies::getTile(tt::LoadOp load) const {
  const Implementation *taken = assignment.getImplementation(load);
  return taken && taken->replacesOp() ? taken->results[0].getTile()
                                      : std::nullopt;
}

/// Notes that in the loops around `op` that compute `value` it goes from warp
/// to warp.
void OwnCopies::addExchange(Operation *op, Value value) {
  while ((op = op->getParentOfType<LoopLikeOpInterface>()))
    if (op->isAncestor(value.getParentBlock()->getParentOp()))
      loops[op].hasBarriers = true;
}

/// Notes who wants what in which layout, and where it goes from warp to warp:
/// what threads store for others, and what they hold in other warps.
void OwnCopies::visit(OpOperand &operand) {
  Placement wanted = assignment.getOperandPlacement(operand);
  Value value = operand.get();
  if (wanted.getTile() && !assignment.getPlacement(value).getTile())
    addExchange(operand.getOwner(), value);
  auto visitSource = [&](Value source, RegisterLayoutInterface layout) {
    readers[source].insert(layout);
    RegisterLayoutInterface held = assignment.lookup(source);
    if (!held)
      return;
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(source.getType()).getShape();
    std::optional<layout::Conversion> conversion = layout::classifyConversion(
        held.toLinearLayout(shape), layout.toLinearLayout(shape));
    if (!conversion || conversion->movement == layout::Movement::Warps)
      addExchange(operand.getOwner(), source);
  };
  if (RegisterLayoutInterface layout = wanted.getRegisters())
    assignment.getDecisions().visitSources(
        value, layout, visitSource,
        [](Operation *, RegisterLayoutInterface) {});
}

/// How the load would be carried out if warps were to copy for themselves.
std::optional<Implementation>
OwnCopies::implementOwn(tt::LoadOp load, RegisterLayoutInterface layout) {
  PlacementContext context = assignment.getDecisions().getContext();
  context.ownReaders.insert({load, layout});
  return cast<PlacementOpInterface>(load.getOperation())
      .implementInSharedMemory(/*result=*/0,
                               {layout, /*isForMatrixLoads=*/true}, context);
}

/// Whether a bulk copy may bring a tile that a descriptor reads.
bool OwnCopies::isBox(tt::LoadOp load) {
  auto layout =
      dyn_cast<BlockedAttr>(assignment.getImplementation(load)->layout);
  return layout && boxes.find(load.getPtr(), load.getMask(), layout.getOrder());
}

void OwnCopies::add(tt::LoadOp load, LoopCopies &to) {
  const llvm::SetVector<RegisterLayoutInterface> &layouts = readers[load];
  if (layouts.size() != 1 || !implementOwn(load, layouts.front())) {
    to.hasBarriers = true;
    return;
  }
  ArrayRef<int64_t> shape = getFirstTensor(load).getShape();
  if (!layout::staysWithinWarps(
          assignment.getImplementation(load)->layout.toLinearLayout(shape),
          layouts.front().toLinearLayout(shape)))
    to.readers.insert({load, layouts.front()});
}

PlacementContext::OwnReaders OwnCopies::find() {
  SmallVector<tt::LoadOp> copies;
  function.walk([&](tt::LoadOp load) {
    if (load->getParentOfType<LoopLikeOpInterface>() && getTile(load))
      copies.push_back(load);
  });
  PlacementContext::OwnReaders found;
  auto isForDescriptor = [&](tt::LoadOp copy) {
    return getTile(copy)->descriptor.has_value();
  };
  if (llvm::all_of(copies, isForDescriptor))
    return found;
  for (const LayoutDecision &decision : assignment.getDecisions().get())
    for (OpOperand *operand : decision.operands)
      visit(*operand);
  for (tt::LoadOp copy : copies) {
    LoopCopies &loop = loops[copy->getParentOfType<LoopLikeOpInterface>()];
    if (!isForDescriptor(copy))
      add(copy, loop);
    else if (!isBox(copy))
      loop.hasBarriers = true;
  }
  for (const auto &[loop, copies] : loops)
    if (!copies.hasBarriers)
      found.insert(copies.readers.begin(), copies.readers.end());
  return found;
}

PlacementContext::OwnReaders
tilegpu::findOwnReaders(tt::FuncOp function, LayoutAssignment &assignment,
                        const AxisAnalysis &axes) {
  return OwnCopies(function, assignment, axes).find();
}
