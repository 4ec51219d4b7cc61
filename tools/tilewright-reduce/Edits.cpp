// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tools/tilewright-reduce/Edits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reduce;

//===----------------------------------------------------------------------===//
// Any operation
//===----------------------------------------------------------------------===//

static bool isFixed(Operation *operation) {
  return operation->hasTrait<OpTrait::IsTerminator>() ||
         operation->hasTrait<OpTrait::ConstantLike>() ||
         isa<FunctionOpInterface, ModuleOp>(operation);
}

/// Removes stores and whatever else gives no value.
static LogicalResult eraseWithoutResults(Operation *operation,
                                         RewriterBase &rewriter) {
  if (isFixed(operation) || operation->getNumResults())
    return failure();
  rewriter.eraseOp(operation);
  return success();
}

/// Puts zeros in the place of all results, which must be of numbers.
static LogicalResult replaceByZeros(Operation *operation,
                                    RewriterBase &rewriter) {
  if (isFixed(operation) || !operation->getNumResults())
    return failure();
  SmallVector<TypedAttr> zeros;
  for (Type type : operation->getResultTypes()) {
    TypedAttr zero = rewriter.getZeroAttr(type);
    if (!zero)
      return failure();
    zeros.push_back(zero);
  }
  rewriter.setInsertionPoint(operation);
  SmallVector<Value> values;
  for (TypedAttr zero : zeros)
    values.push_back(
        arith::ConstantOp::create(rewriter, operation->getLoc(), zero));
  rewriter.replaceOp(operation, values);
  return success();
}

/// Puts an operand in the place of the only result.
static LogicalResult replaceByOperand(Operation *operation, unsigned index,
                                      RewriterBase &rewriter) {
  if (isFixed(operation) || operation->getNumResults() != 1)
    return failure();
  Value operand = operation->getOperand(index);
  if (operand.getType() != operation->getResult(0).getType())
    return failure();
  rewriter.replaceOp(operation, operand);
  return success();
}

static LogicalResult dropAttributes(Operation *operation,
                                    RewriterBase &rewriter) {
  if (operation->getDiscardableAttrDictionary().empty())
    return failure();
  rewriter.modifyOpInPlace(operation, [&] {
    operation->setDiscardableAttrs(rewriter.getDictionaryAttr({}));
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// Puts the values that a loop begins with in the place of its results.
static LogicalResult removeLoop(Operation *operation, RewriterBase &rewriter) {
  auto loop = dyn_cast<LoopLikeOpInterface>(operation);
  if (!loop ||
      !llvm::equal(loop.getInits().getTypes(), operation->getResultTypes()))
    return failure();
  rewriter.replaceOp(operation, SmallVector<Value>(loop.getInits()));
  return success();
}

/// Puts the operations of a block before `operation`, and what the block yields
/// in the place of its results.
static LogicalResult inlineBlock(Operation *operation, Block *block,
                                 ValueRange arguments, RewriterBase &rewriter) {
  if (!block || !block->back().hasTrait<OpTrait::ReturnLike>())
    return failure();
  Operation *yield = &block->back();
  SmallVector<Value> results(yield->getOperands());
  for (auto [argument, value] :
       llvm::zip_equal(block->getArguments(), arguments)) {
    llvm::replace(results, Value(argument), value);
  }
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(block, operation, arguments);
  rewriter.replaceOp(operation, results);
  return success();
}

/// Leaves one iteration of a loop, its first.
static LogicalResult inlineIteration(Operation *operation,
                                     RewriterBase &rewriter) {
  auto loop = dyn_cast<scf::ForOp>(operation);
  if (!loop)
    return failure();
  SmallVector<Value> arguments{loop.getLowerBound()};
  llvm::append_range(arguments, loop.getInitArgs());
  return inlineBlock(loop, loop.getBody(), arguments, rewriter);
}

/// Leaves one branch.
static LogicalResult inlineBranch(Operation *operation, bool first,
                                  RewriterBase &rewriter) {
  auto branch = dyn_cast<scf::IfOp>(operation);
  if (!branch)
    return failure();
  return inlineBlock(branch, first ? branch.thenBlock() : branch.elseBlock(),
                     {}, rewriter);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static LogicalResult dropUnusedArguments(Operation *operation,
                                         RewriterBase &rewriter) {
  auto function = dyn_cast<FunctionOpInterface>(operation);
  if (!function || function.isExternal())
    return failure();
  BitVector unused(function.getNumArguments());
  for (BlockArgument argument : function.getArguments())
    if (argument.use_empty())
      unused.set(argument.getArgNumber());
  LogicalResult erased = failure();
  if (unused.any())
    rewriter.modifyOpInPlace(function,
                             [&] { erased = function.eraseArguments(unused); });
  return erased;
}

/// Forgets what callers promise of the arguments.
static LogicalResult dropArgumentAttributes(Operation *operation,
                                            RewriterBase &rewriter) {
  auto function = dyn_cast<FunctionOpInterface>(operation);
  if (!function || !function.getArgAttrsAttr())
    return failure();
  rewriter.modifyOpInPlace(function, [&] { function.removeArgAttrsAttr(); });
  return success();
}

//===----------------------------------------------------------------------===//
// All of them
//===----------------------------------------------------------------------===//

using PlainEdit = LogicalResult (*)(Operation *, RewriterBase &);

static LogicalResult inlineFirstBranch(Operation *operation,
                                       RewriterBase &rewriter) {
  return inlineBranch(operation, /*first=*/true, rewriter);
}

static LogicalResult inlineSecondBranch(Operation *operation,
                                        RewriterBase &rewriter) {
  return inlineBranch(operation, /*first=*/false, rewriter);
}

/// Those that remove the most come first.
static constexpr PlainEdit plainEdits[] = {
    removeLoop,          eraseWithoutResults,    inlineIteration,
    replaceByZeros,      inlineFirstBranch,      inlineSecondBranch,
    dropUnusedArguments, dropArgumentAttributes, dropAttributes};

unsigned reduce::countEdits(Operation *operation) {
  return std::size(plainEdits) + operation->getNumOperands();
}

LogicalResult reduce::applyEdit(unsigned number, Operation *operation,
                                RewriterBase &rewriter) {
  if (number < std::size(plainEdits))
    return plainEdits[number](operation, rewriter);
  return replaceByOperand(operation, number - std::size(plainEdits), rewriter);
}
