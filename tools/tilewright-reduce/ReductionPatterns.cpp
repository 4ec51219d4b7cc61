// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each edit is tried on a copy of the module first, and made where the tester
// finds the copy interesting. What was decided for an operation of a module is
// remembered: the reducer offers the same ones again and again, replays what it
// did on the original, and a test costs a process.

#include "tools/tilewright-reduce/ReductionPatterns.h"

#include "tools/tilewright-reduce/Edits.h"

#include "mlir/IR/Dialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Reducer/ReductionPatternInterface.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reduce;

namespace {

/// An operation of a module, by the module's content and its place in there.
struct Place {
  uint64_t content = 0;
  uint64_t position = 0;
};

/// Numbers the operations and values of a module as they come.
class Fingerprint {
public:
  Fingerprint(ModuleOp module, Operation *sought) {
    module->walk<WalkOrder::PreOrder>([&](Operation *operation) {
      if (operation == sought)
        place.position = count;
      ++count;
      add(operation);
    });
  }

  Place get() const { return place; }

private:
  void add(Operation *operation) {
    mix(operation->getName().getAsOpaquePointer());
    mix(operation->getAttrDictionary().getAsOpaquePointer());
    for (Value operand : operation->getOperands())
      mix(numbers.lookup(operand));
    for (Value result : operation->getResults())
      number(result);
    for (Region &region : operation->getRegions())
      for (Block &block : region) {
        mix(region.getRegionNumber());
        for (BlockArgument argument : block.getArguments())
          number(argument);
      }
    // Branches: the order of blocks is that of the walk.
    for (Block *successor : operation->getSuccessors())
      mix(std::distance(successor->getParent()->begin(),
                        successor->getIterator()));
  }
  void number(Value value) {
    mix(value.getType().getAsOpaquePointer());
    numbers[value] = numbers.size() + 1;
  }
  template <typename T>
  void mix(T part) {
    place.content = llvm::hash_combine(place.content, part);
  }

  Place place;
  uint64_t count = 0;
  DenseMap<Value, unsigned> numbers;
};

/// Removes what nobody uses any more, as the reducer would.
void eraseDeadOperations(ModuleOp module, RewriterBase &rewriter) {
  bool changed = true;
  while (changed) {
    changed = false;
    module->walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](Operation *operation) {
          if (!isOpTriviallyDead(operation))
            return;
          rewriter.eraseOp(operation);
          changed = true;
        });
  }
}

/// Simplifies any operation by the first edit that keeps the module
/// interesting.
class SimplifyOperation : public RewritePattern {
public:
  SimplifyOperation(MLIRContext *context, Tester &tester)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context),
        tester(tester) {}

  LogicalResult matchAndRewrite(Operation *operation,
                                PatternRewriter &rewriter) const override {
    auto module = operation->getParentOfType<ModuleOp>();
    if (!module)
      return failure();
    Place place = Fingerprint(module, operation).get();
    auto [entry, isNew] =
        decisions.insert({{place.content, place.position}, std::nullopt});
    if (isNew)
      entry->second = decide(module, operation);
    if (!entry->second)
      return failure();
    return applyEdit(*entry->second, operation, rewriter);
  }

private:
  /// The first edit that keeps the module interesting.
  std::optional<unsigned> decide(ModuleOp module, Operation *operation) const {
    for (unsigned edit = 0; edit < countEdits(operation); ++edit)
      if (keepsInterest(module, operation, edit))
        return edit;
    return std::nullopt;
  }

  /// Whether the tester finds a copy of `module` interesting after `edit`.
  bool keepsInterest(ModuleOp module, Operation *operation,
                     unsigned edit) const {
    IRMapping mapping;
    OwningOpRef<ModuleOp> copy = cast<ModuleOp>(module->clone(mapping));
    IRRewriter rewriter(copy->getContext());
    if (failed(applyEdit(edit, mapping.lookup(operation), rewriter)))
      return false;
    eraseDeadOperations(*copy, rewriter);
    return succeeded(verify(*copy)) &&
           tester.isInteresting(*copy).first == Tester::Interestingness::True;
  }

  Tester &tester;
  mutable DenseMap<std::pair<uint64_t, uint64_t>, std::optional<unsigned>>
      decisions;
};

class TileReductionPatterns : public DialectReductionPatternInterface {
public:
  explicit TileReductionPatterns(Dialect *dialect)
      : DialectReductionPatternInterface(dialect) {}

  void populateReductionPatterns(RewritePatternSet &) const override {}
  void populateReductionPatternsWithTester(RewritePatternSet &patterns,
                                           Tester &tester) const override {
    patterns.add<SimplifyOperation>(patterns.getContext(), tester);
  }
};

} // namespace

void reduce::addReductionPatterns(Dialect *dialect) {
  dialect->addInterfaces<TileReductionPatterns>();
}
