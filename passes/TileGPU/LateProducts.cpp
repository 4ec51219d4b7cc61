// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/LateProducts.h"

#include "dialects/TileGPU/SharedAccess.h"
#include "passes/Analysis/LiveRanges.h"
#include "passes/Analysis/RegisterPressure.h"
#include "passes/TileGPU/LoopGuards.h"
#include "passes/TileGPU/LoopSchedule.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

//===----------------------------------------------------------------------===//
// Which products may be late
//===----------------------------------------------------------------------===//

LateProducts::LateProducts(scf::ForOp loop, const EarlyOps &early)
    : loop(loop), body(loop.getBody()), early(early) {
  for (Operation &op : body->without_terminator())
    if (!early.getStage(&op) && !mayRunAhead(&op))
      return;
  for (auto wgmma : body->getOps<WgmmaOp>())
    if (std::optional<Product> product = match(wgmma))
      products.push_back(std::move(*product));
  keepIndependent();
  // Something must be made under them.
  if (llvm::none_of(products,
                    [](const Product &product) { return product.operand; }))
    products.clear();
}

/// Whether the op, of the arithmetic, does no harm in an iteration that is not,
/// and may change places with others whose values it does not need. Mbarriers
/// of the body are made before the loop.
bool LateProducts::mayRunAhead(Operation *op) const {
  if (isa<AsyncStepOpInterface, MbarrierInitOp, MbarrierInvalOp>(op))
    return true;
  bool hasSteps = false;
  op->walk([&](AsyncStepOpInterface) { hasSteps = true; });
  return !hasSteps && mayBeGuarded(op);
}

/// The product, if all that takes its sums in the iteration may follow its wait
/// a stage later, and what it reads is there until then.
std::optional<LateProducts::Product> LateProducts::match(WgmmaOp wgmma) const {
  Product product{wgmma};
  if (!findIssued(product) || !findBehind(product))
    return std::nullopt;
  return product;
}

bool LateProducts::findIssued(Product &product) const {
  WgmmaOp wgmma = product.wgmma;
  if (isa<RankedTensorType>(wgmma.getLhs().getType()))
    product.operand = wgmma.getLhs();
  for (const SharedOperand &operand : wgmma.getSharedOperands())
    if (!findMemory(operand.descriptor, product))
      return false;
  auto pend = wgmma.getAccumulator().getDefiningOp<PendOp>();
  if (pend && pend->getBlock() == body)
    product.issued.insert(pend);
  product.issued.insert(wgmma);
  // What does not change, and what is copied, is not made by the iteration.
  if (product.operand) {
    Operation *source = findSource(product.operand, loop).first;
    if (!source || early.getStage(source))
      product.operand = {};
  }
  return pend && (!product.operand || findNarrowing(product));
}

/// Finds the ops that make the product's operand from a value of more
/// registers. They follow the wait for the product before, since its registers
/// are free then: what defined them earlier would have CUDA's assembler wait
/// for each instruction by itself (C7513). Whether there are any.
bool LateProducts::findNarrowing(Product &product) const {
  TileRegisters registers;
  bool isNarrowed = false;
  Value made = product.operand;
  while (Operation *op = made.getDefiningOp()) {
    bool isRenamed = registers.getRenamed(op) != nullptr;
    if (op->getBlock() != body || !made.hasOneUse() || !isPure(op) ||
        op->getNumOperands() != 1 ||
        (!isRenamed &&
         registers.count(made) >= registers.count(op->getOperand(0))))
      break;
    isNarrowed |= !isRenamed;
    product.narrowing.insert(op);
    made = op->getOperand(0);
  }
  return isNarrowed;
}

/// Whether what the product reads through `descriptor` is there a stage later:
/// in a tile of the body's copies, or in one that the loop leaves as it is.
bool LateProducts::findMemory(Value descriptor, Product &product) const {
  Operation *op = descriptor.getDefiningOp();
  for (; op && loop->isAncestor(op) && !isa<LocalAllocOp>(op);
       op = op->getOperand(0).getDefiningOp()) {
    if (op->getBlock() != body || !isPure(op) || op->getNumOperands() != 1)
      return false;
    product.issued.insert(op);
  }
  auto allocation = dyn_cast_or_null<LocalAllocOp>(op);
  if (!allocation)
    return false;
  SmallVector<Operation *> users = listUsers(allocation);
  if (allocation->getBlock() == body)
    return !allocation.getSource() && llvm::any_of(users, [&](Operation *user) {
      return early.getStage(user).has_value();
    });
  return llvm::all_of(users, [&](Operation *user) {
    return !loop->isAncestor(user) || isMemoryEffectFree(user) ||
           hasSingleEffect<MemoryEffects::Read>(user);
  });
}

/// Finds all that takes the product's sums, up to the next iteration; whether
/// it may follow a stage later.
bool LateProducts::findBehind(Product &product) const {
  OpSet &behind = product.behind;
  bool isCarried = false;
  auto addUsers = [&](Operation *op) {
    for (Operation *user : op->getUsers())
      if (user == body->getTerminator())
        isCarried = true;
      else
        behind.insert(body->findAncestorOpInBlock(*user));
  };
  addUsers(product.wgmma);
  for (size_t next = 0; next < behind.size(); ++next) {
    if (!isa<WgmmaWaitOp>(behind[next]) && !isPure(behind[next]))
      return false;
    addUsers(behind[next]);
  }
  return isCarried;
}

bool LateProducts::isLate(Operation *op) const {
  return llvm::any_of(products, [&](const Product &product) {
    return product.issued.contains(op) || product.behind.contains(op);
  });
}

/// The ops that are not late and need the product's sums of the iteration
/// before.
LateProducts::OpSet LateProducts::findNeeding(const Product &product) const {
  OpSet needing;
  for (Operation &op : body->without_terminator())
    forEachUse(&op, [&](Value value) {
      auto [source, distance] = findSource(value, loop);
      if (source && !isLate(&op) &&
          (needing.contains(source) ||
           (distance != 0 && product.behind.contains(source))))
        needing.insert(&op);
    });
  return needing;
}

/// Whether no product that is not late waits for its sums, and no operand takes
/// them, which would not be made meanwhile then.
bool LateProducts::isIndependent(const Product &product) const {
  OpSet needing = findNeeding(product);
  return llvm::none_of(needing,
                       [](Operation *op) { return isa<WgmmaOp>(op); }) &&
         llvm::none_of(products, [&](const Product &other) {
           return other.operand &&
                  needing.contains(findSource(other.operand, loop).first);
         });
}

/// Leaves out products that are not independent. What becomes of the others'
/// sums then may be for one of those.
void LateProducts::keepIndependent() {
  SmallVector<Product> all;
  do {
    all = products;
    SmallVector<bool> isKept = llvm::map_to_vector(
        all, [&](const Product &product) { return isIndependent(product); });
    products.clear();
    for (auto [product, isOne] : llvm::zip_equal(all, isKept))
      if (isOne)
        products.push_back(product);
  } while (products.size() != all.size());
}

//===----------------------------------------------------------------------===//
// What they hold
//===----------------------------------------------------------------------===//

llvm::SetVector<Value> LateProducts::findTiles() const {
  llvm::SetVector<Value> tiles;
  for (const Product &product : products) {
    WgmmaOp wgmma = product.wgmma;
    for (const SharedOperand &operand : wgmma.getSharedOperands()) {
      Value tile = operand.descriptor;
      while (!isa<LocalAllocOp>(tile.getDefiningOp()))
        tile = tile.getDefiningOp()->getOperand(0);
      if (tile.getDefiningOp()->getBlock() == body)
        tiles.insert(tile);
    }
  }
  return tiles;
}

bool LateProducts::isAllThatReads(Value tile) const {
  return llvm::all_of(listUsers(tile), [&](Operation *user) {
    return early.getStage(user) || isLate(user);
  });
}

unsigned LateProducts::countHeldRegisters() const {
  TileRegisters registers;
  llvm::SetVector<Value> holders;
  for (const Product &product : products)
    if (product.operand)
      holders.insert(registers.findHolder(product.operand));
  unsigned held = 0;
  for (Value holder : holders)
    held += registers.count(holder);
  return held;
}

//===----------------------------------------------------------------------===//
// The schedule
//===----------------------------------------------------------------------===//

/// The products that wait for no other of their iteration, and what they need
/// of it.
LateProducts::OpSet LateProducts::findFirst() const {
  OpSet first;
  for (auto wgmma : body->getOps<WgmmaOp>()) {
    if (isLate(wgmma))
      continue;
    OpSet needed;
    needed.insert(wgmma);
    for (size_t next = 0; next < needed.size(); ++next)
      forEachUse(needed[next], [&](Value value) {
        if (auto [source, distance] = findSource(value, loop);
            source && distance == 0)
          needed.insert(source);
      });
    if (llvm::none_of(needed,
                      [](Operation *op) { return isa<WgmmaWaitOp>(op); }))
      first.insert_range(needed);
  }
  return first;
}

/// Gives late products views of their own of tiles that others read too.
void LateProducts::separateIssued() {
  for (Product &product : products) {
    OpSet own;
    for (Operation *op : llvm::reverse(product.issued)) {
      bool isShared = llvm::any_of(op->getUsers(), [&](Operation *user) {
        return !isLate(user) && !own.contains(user);
      });
      if (isShared && op != product.wgmma) {
        Operation *clone = OpBuilder(op).clone(*op);
        op->replaceUsesWithIf(clone, [&](OpOperand &use) {
          return isLate(use.getOwner()) || own.contains(use.getOwner());
        });
        op = clone;
      }
      own.insert(op);
    }
    product.issued = std::move(own);
  }
}

/// Adds to `issued` what makes sums and operands of late products, and of
/// nothing else, from sums of the iteration before (`needing`) or by other
/// names: so a tile of sums goes to the next step once, for it and for behind
/// the loop, and a factor of rows as one for each row.
void LateProducts::addFeeding(const OpSet &needing, OpSet &issued) const {
  TileRegisters registers;
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    bool isFree = registers.getRenamed(&op) != nullptr;
    if (!op.use_empty() && isPure(&op) && !early.getStage(&op) &&
        (isFree || needing.contains(&op)) &&
        llvm::all_of(op.getUsers(),
                     [&](Operation *user) { return issued.contains(user); }))
      issued.insert(&op);
  }
}

void LateProducts::schedule(int last, int &order,
                            llvm::function_ref<void()> scheduleCopies) {
  separateIssued();
  OpSet first = findFirst(), needing, issued, behind, behindWait;
  for (const Product &product : products) {
    needing.insert_range(findNeeding(product));
    issued.insert_range(product.issued);
    behind.insert_range(product.behind);
    behindWait.insert_range(product.narrowing);
  }
  addFeeding(needing, issued);
  behindWait.insert_range(needing);
  auto place = [&](int stage, llvm::function_ref<bool(Operation *)> isMeant) {
    for (Operation &op : body->without_terminator())
      if (!getScheduledTime(&op) && !early.getStage(&op) && isMeant(&op))
        setScheduledTime(&op, {stage, order++});
  };
  auto among = [](const OpSet &ops) {
    return [&ops](Operation *op) { return ops.contains(op); };
  };
  place(last - 1, among(first));
  place(last, among(issued));
  scheduleCopies();
  place(last - 1, [&](Operation *op) {
    return !behindWait.contains(op) && !behind.contains(op);
  });
  place(last, among(behind));
  place(last - 1, among(behindWait));
}
