// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Random/Reduce.h"
#include "dialects/Triton/Triton.h"
#include "lib/Compiler/Compilation.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::fuzz;

/// Erases what has neither effects nor uses.
static void eraseDead(ModuleOp module) {
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    SmallVector<Operation *> dead;
    module.walk([&](Operation *op) {
      if (isOpTriviallyDead(op))
        dead.push_back(op);
    });
    for (Operation *op : llvm::reverse(dead))
      if (op->use_empty()) {
        op->erase();
        isChanged = true;
        // What was inside is gone with it.
        break;
      }
  }
}

/// A constant of the type, or null.
static Value makeConstant(OpBuilder &builder, Location location, Type type,
                          int64_t number) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute;
  if (auto real = dyn_cast<FloatType>(element))
    attribute = builder.getFloatAttr(real, number);
  else if (isa<IntegerType>(element))
    attribute = builder.getIntegerAttr(element, number);
  else
    return {};
  if (auto tile = dyn_cast<RankedTensorType>(type))
    attribute = DenseElementsAttr::get(tile, Attribute(attribute));
  return arith::ConstantOp::create(builder, location, attribute);
}

/// Changes one operation in the way of this number; whether it could.
static bool change(Operation *op, unsigned way) {
  if (op->hasTrait<OpTrait::IsTerminator>() || isa<tt::FuncOp, ModuleOp>(op))
    return false;
  if (op->getNumResults() == 0) {
    if (way == 0)
      op->erase();
    return way == 0;
  }
  if (isa<arith::ConstantOp>(op))
    return false;
  OpBuilder builder(op);
  bool isChanged = false;
  for (OpResult result : op->getResults()) {
    if (result.use_empty())
      continue;
    Value other;
    if (way == 0) {
      // Loops: what enters them.
      for (Value operand : op->getOperands())
        if (operand.getType() == result.getType() && !other)
          other = operand;
    } else {
      other = makeConstant(builder, op->getLoc(), result.getType(), way);
    }
    if (!other)
      return false;
    result.replaceAllUsesWith(other);
    isChanged = true;
  }
  return isChanged;
}

static std::string print(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, OpPrintingFlags().useLocalScope());
  return text;
}

KernelCase
fuzz::reduceCase(const KernelCase &kernel,
                 const std::function<bool(const KernelCase &)> &stillFails) {
  compiler::CompilerContext owner(/*threads=*/1);
  ScopedDiagnosticHandler quiet(&owner.get(),
                                [](mlir::Diagnostic &) { return success(); });
  KernelCase smallest = kernel;
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(kernel.text, &owner.get());
  if (!module)
    return smallest;
  auto collect = [](ModuleOp module) {
    SmallVector<Operation *> ops;
    module.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    return ops;
  };
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (size_t index = collect(*module).size(); index-- > 0;)
      for (unsigned way = 0; way < 2; ++way) {
        OwningOpRef<ModuleOp> next = module->clone();
        SmallVector<Operation *> ops = collect(*next);
        if (index >= ops.size() || !change(ops[index], way))
          continue;
        eraseDead(*next);
        if (failed(verify(*next)))
          continue;
        KernelCase candidate = smallest;
        candidate.text = print(*next);
        if (candidate.text == smallest.text || !stillFails(candidate))
          continue;
        smallest = candidate;
        module = std::move(next);
        isChanged = true;
        break;
      }
  }
  return smallest;
}
