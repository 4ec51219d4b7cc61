// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structured control flow, calls, assertions, and the program's place in the
// grid. Branches between blocks are Interpreter::runRegion's.

#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Reference/Numbers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

/// Sets the results to what a region gave.
static LogicalResult setResults(Interpreter &interpreter, Operation *op,
                                FailureOr<RuntimeValues> values) {
  if (failed(values))
    return failure();
  interpreter.setAll(op->getResults(), std::move(*values));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops and branches
//===----------------------------------------------------------------------===//

/// A loop bound as a number that can be compared and added without overflow.
static __int128 getBound(Interpreter &interpreter, scf::ForOp loop,
                         Value bound) {
  uint64_t bits = interpreter.get(bound).getBits();
  if (loop.getUnsignedCmp())
    return bits;
  return signExtend(bits, getWidth(bound.getType()));
}

static LogicalResult evaluateFor(Interpreter &interpreter, scf::ForOp loop) {
  __int128 index = getBound(interpreter, loop, loop.getLowerBound());
  __int128 upper = getBound(interpreter, loop, loop.getUpperBound());
  __int128 step = getBound(interpreter, loop, loop.getStep());
  if (step <= 0)
    return interpreter.emitError(loop)
           << "expects a positive step, but got " << static_cast<int64_t>(step);
  unsigned width = getWidth(loop.getInductionVar().getType());
  RuntimeValues carried = interpreter.getAll(loop.getInitArgs());
  for (; index < upper; index += step) {
    RuntimeValues arguments;
    arguments.push_back(
        RuntimeValue::scalar(wrapInteger(static_cast<uint64_t>(index), width)));
    llvm::append_range(arguments, carried);
    FailureOr<RuntimeValues> yielded =
        interpreter.runRegion(loop.getRegion(), std::move(arguments));
    if (failed(yielded))
      return failure();
    carried = std::move(*yielded);
  }
  interpreter.setAll(loop.getResults(), std::move(carried));
  return success();
}

static LogicalResult evaluateWhile(Interpreter &interpreter,
                                   scf::WhileOp loop) {
  RuntimeValues carried = interpreter.getAll(loop.getInits());
  while (true) {
    // scf.condition has the condition first.
    FailureOr<RuntimeValues> before =
        interpreter.runRegion(loop.getBefore(), std::move(carried));
    if (failed(before))
      return failure();
    bool isTrue = before->front().getBits();
    before->erase(before->begin());
    if (!isTrue)
      return setResults(interpreter, loop, std::move(before));
    FailureOr<RuntimeValues> after =
        interpreter.runRegion(loop.getAfter(), std::move(*before));
    if (failed(after))
      return failure();
    carried = std::move(*after);
  }
}

static LogicalResult evaluateIf(Interpreter &interpreter, scf::IfOp op) {
  bool isTrue = interpreter.get(op.getCondition()).getBits();
  Region &region = isTrue ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return success();
  return setResults(interpreter, op, interpreter.runRegion(region, {}));
}

static LogicalResult evaluateSwitch(Interpreter &interpreter,
                                    scf::IndexSwitchOp op) {
  int64_t value = interpreter.get(op.getArg()).getBits();
  Region *region = &op.getDefaultRegion();
  for (auto [index, candidate] : llvm::enumerate(op.getCases()))
    if (candidate == value)
      region = &op.getCaseRegions()[index];
  return setResults(interpreter, op, interpreter.runRegion(*region, {}));
}

//===----------------------------------------------------------------------===//
// Calls and the program
//===----------------------------------------------------------------------===//

static LogicalResult evaluateCall(Interpreter &interpreter, tt::CallOp call) {
  tt::FuncOp function = interpreter.lookUp(call);
  if (!function)
    return interpreter.emitError(call)
           << "expects a function named '" << call.getCallee() << "'";
  return setResults(
      interpreter, call,
      interpreter.callFunction(call, function,
                               interpreter.getAll(call.getArguments())));
}

/// Diagnoses the first element of a condition that does not hold.
static LogicalResult check(Interpreter &interpreter, Operation *op,
                           Value condition, StringRef message) {
  const RuntimeValue &value = interpreter.get(condition);
  auto isFalse = [](Element element) { return !element.bits; };
  auto first = llvm::find_if(value.elements, isFalse);
  if (first == value.elements.end())
    return success();
  return interpreter.emitError(op)
         << "expects '" << message << "' to hold, but element "
         << int64_t(first - value.elements.begin()) << " is false";
}

static LogicalResult setPlace(Interpreter &interpreter, Operation *op,
                              uint32_t value) {
  interpreter.set(op->getResult(0), RuntimeValue::scalar(value));
  return success();
}

static LogicalResult evaluateProgramId(Interpreter &interpreter,
                                       tt::GetProgramIdOp op) {
  return setPlace(interpreter, op,
                  interpreter.getPlace()[unsigned(op.getAxis())]);
}

static LogicalResult evaluateNumPrograms(Interpreter &interpreter,
                                         tt::GetNumProgramsOp op) {
  return setPlace(interpreter, op,
                  interpreter.getGridSizes()[unsigned(op.getAxis())]);
}

void reference::addControlFlowOps(OpTable &table) {
  table.add<scf::ForOp>(evaluateFor);
  table.add<scf::WhileOp>(evaluateWhile);
  table.add<scf::IfOp>(evaluateIf);
  table.add<scf::IndexSwitchOp>(evaluateSwitch);
  table.add<scf::ExecuteRegionOp>(
      [](Interpreter &interpreter, scf::ExecuteRegionOp op) {
        return setResults(interpreter, op,
                          interpreter.runRegion(op.getRegion(), {}));
      });
  table.add<tt::CallOp>(evaluateCall);
  table.add<tt::AssertOp>([](Interpreter &interpreter, tt::AssertOp op) {
    return check(interpreter, op, op.getCondition(), op.getMessage());
  });
  table.add<cf::AssertOp>([](Interpreter &interpreter, cf::AssertOp op) {
    return check(interpreter, op, op.getArg(), op.getMsg());
  });
  table.add<tt::PrintOp>([](Interpreter &, tt::PrintOp) { return success(); });
  table.add<tt::GetProgramIdOp>(evaluateProgramId);
  table.add<tt::GetNumProgramsOp>(evaluateNumPrograms);
}
