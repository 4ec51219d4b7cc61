// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "passes/TileGPU/DeferredProducts.h"

#include "dialects/Interfaces/Permutation.h"
#include "dialects/TileGPU/SharedAccess.h"
#include "mlir/IR/IRMapping.h"
#include "passes/TileGPU/LoopSchedule.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tilegpu;

namespace {
/// A product and the ops around it: pend -> wgmma -> wgmma_wait.
struct Product {
  PendOp pend;
  WgmmaOp wgmma;
  WgmmaWaitOp wait;
  /// Which of the loop's carried values has the sums.
  unsigned carried;
  /// What leads from there to the product, and back from it: the same registers
  /// by other names, the last one first.
  SmallVector<Operation *> before, behind;
};
} // namespace

/// Whether the op exchanges two dimensions.
static bool isExchange(Operation *op) {
  return getPermutation(op) == SmallVector<int32_t>{1, 0};
}

/// Whether the op gives the same registers another name: a conversion between
/// two encodings of one layout, or the exchange of two dimensions.
static bool keepsRegisters(Operation *op) {
  auto conversion = dyn_cast<ConvertLayoutOp>(op);
  if (!conversion)
    return isExchange(op);
  return toLinearLayout(
             cast<RankedTensorType>(conversion.getSource().getType())) ==
         toLinearLayout(cast<RankedTensorType>(conversion.getType()));
}

/// The one user of `value`, of its other names; null where there are several.
static Operation *findOnlyUser(Value value) {
  while (value.hasOneUse()) {
    Operation *user = *value.user_begin();
    if (!keepsRegisters(user))
      return user;
    value = user->getResult(0);
  }
  return nullptr;
}

/// The first name of `value`; adds the ops that give it later ones to `names`.
static Value findOrigin(Value value, SmallVectorImpl<Operation *> &names) {
  while (Operation *op = value.getDefiningOp()) {
    if (!keepsRegisters(op))
      break;
    names.push_back(op);
    value = op->getOperand(0);
  }
  return value;
}

/// Another name of `value`, by clones of `ops`, the last one first.
static Value rename(OpBuilder &builder, Value value,
                    ArrayRef<Operation *> ops) {
  for (Operation *op : llvm::reverse(ops)) {
    IRMapping mapping;
    mapping.map(op->getOperand(0), value);
    value = builder.clone(*op, mapping)->getResult(0);
  }
  return value;
}

/// Whether what is renamed so, and then so, has its own name again.
static bool areInverse(ArrayRef<Operation *> a, ArrayRef<Operation *> b) {
  auto countExchanges = [](ArrayRef<Operation *> ops) {
    return llvm::count_if(ops, isExchange);
  };
  return (countExchanges(a) + countExchanges(b)) % 2 == 0;
}

/// The product whose sums the loop carries from one iteration to the next; none
/// where something else reads or makes them.
static std::optional<Product> matchProduct(WgmmaOp wgmma, scf::ForOp loop) {
  auto pend = wgmma.getAccumulator().getDefiningOp<PendOp>();
  if (!pend || !pend->hasOneUse() || !wgmma->hasOneUse())
    return std::nullopt;
  auto wait = dyn_cast<WgmmaWaitOp>(*wgmma->user_begin());
  SmallVector<Operation *> before, behind;
  auto sums = dyn_cast<BlockArgument>(findOrigin(pend.getTensor(), before));
  if (!wait || wait->getBlock() != loop.getBody() ||
      !isa<RankedTensorType>(wait.getType()) || !sums ||
      sums.getOwner() != loop.getBody() || findOnlyUser(sums) != pend)
    return std::nullopt;
  Value yielded = loop.getTiedLoopYieldedValue(sums)->get();
  if (findOrigin(yielded, behind) != wait.getResult() ||
      !areInverse(before, behind) ||
      findOnlyUser(wait.getResult()) != loop.getBody()->getTerminator())
    return std::nullopt;
  return Product{pend,
                 wgmma,
                 wait,
                 sums.getArgNumber() - loop.getNumInductionVars(),
                 std::move(before),
                 std::move(behind)};
}

/// Whether a tile that a product reads is not written meanwhile.
static bool staysAsItIs(Value tile, scf::ForOp loop, ArrayRef<Value> copied) {
  tile = findMemory(tile);
  if (llvm::is_contained(copied, tile))
    return true;
  // Of a tile from outside: nothing in the loop has effects on it but reads.
  return loop.isDefinedOutsideOfLoop(tile) &&
         tile.getDefiningOp<LocalAllocOp>() &&
         llvm::all_of(tile.getUsers(), [&](Operation *user) {
           return !loop->isProperAncestor(user) ||
                  isa<WgmmaOp, LocalLoadOp>(user);
         });
}

bool tilegpu::canDeferProducts(scf::ForOp loop, ArrayRef<Value> copied) {
  bool hasProducts = false, canDefer = true;
  loop->walk([&](AsyncStepOpInterface op) {
    auto wgmma = dyn_cast<WgmmaOp>(op.getOperation());
    if (!wgmma)
      return;
    hasProducts = true;
    canDefer &=
        wgmma->getBlock() == loop.getBody() && matchProduct(wgmma, loop) &&
        llvm::all_of(wgmma.getSharedOperands(),
                     [&](const SharedOperand &operand) {
                       return staysAsItIs(operand.descriptor, loop, copied);
                     }) &&
        isa<MemDescType>(wgmma.getLhs().getType());
  });
  return hasProducts && canDefer;
}

/// The same loop with other initial values, whose types its carried values
/// take.
static scf::ForOp rebuild(scf::ForOp loop, ValueRange inits) {
  scf::ForOp made = takeLoop(loop, inits);
  for (auto [argument, init] : llvm::zip_equal(made.getRegionIterArgs(), inits))
    argument.setType(init.getType());
  return made;
}

scf::ForOp tilegpu::deferProducts(scf::ForOp loop) {
  SmallVector<Product> products;
  for (auto wgmma : loop.getBody()->getOps<WgmmaOp>())
    products.push_back(*matchProduct(wgmma, loop));
  OpBuilder builder(loop);
  SmallVector<Value> inits(loop.getInitArgs());
  for (Product &product : products) {
    Value &init = inits[product.carried];
    PendingType type = product.wgmma.getType();
    init = PendOp::create(builder, loop.getLoc(), type,
                          rename(builder, init, product.before));
  }
  scf::ForOp made = rebuild(loop, inits);
  SmallVector<Value> results(made.getResults());
  Operation *yield = made.getBody()->getTerminator();
  for (Product &product : products) {
    product.pend.replaceAllUsesWith(
        Value(made.getRegionIterArg(product.carried)));
    product.pend.erase();
    // Behind all products of the iteration: those are in flight then.
    product.wait->moveBefore(yield);
    product.wait.setPending(products.size());
    product.wait.getResult().setType(product.wgmma.getType());
    yield->setOperand(product.carried, product.wait.getResult());
    builder.setInsertionPointAfter(made);
    Value sums = WgmmaWaitOp::create(
        builder, product.wait.getLoc(), product.wgmma.getType().getTensor(),
        made.getResult(product.carried), /*pending=*/0);
    results[product.carried] = rename(builder, sums, product.behind);
    for (Operation *name :
         llvm::concat<Operation *>(product.behind, product.before))
      name->erase();
  }
  loop.replaceAllUsesWith(results);
  loop.erase();
  return made;
}
