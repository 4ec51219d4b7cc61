// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The run of a grid: arguments, frames, blocks, and accesses to memory. What
// operations mean is in the files of the families.

#include "lib/Judges/Reference/Interpreter.h"
#include "lib/Judges/Reference/Numbers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::reference;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Shape reference::getShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? Shape(tensor.getShape()) : Shape();
}

Shape reference::getCoordinates(ArrayRef<int64_t> shape, int64_t index) {
  Shape coordinates(shape.size());
  for (size_t dim = shape.size(); dim-- > 0; index /= shape[dim])
    coordinates[dim] = index % shape[dim];
  return coordinates;
}

int64_t reference::getIndex(ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> coordinates) {
  int64_t index = 0;
  for (auto [size, coordinate] : llvm::zip_equal(shape, coordinates))
    index = index * size + coordinate;
  return index;
}

const RuntimeValue &Interpreter::get(Value value) const {
  auto found = frame->find(value);
  assert(found != frame->end() && "expects definitions to dominate uses");
  return found->second;
}

void Interpreter::set(Value value, RuntimeValue runtimeValue) {
  (*frame)[value] = std::move(runtimeValue);
}

RuntimeValues Interpreter::getAll(ValueRange values) const {
  RuntimeValues result;
  for (Value value : values)
    result.push_back(get(value));
  return result;
}

void Interpreter::setAll(ValueRange values, RuntimeValues runtimeValues) {
  for (auto [value, runtimeValue] : llvm::zip_equal(values, runtimeValues))
    set(value, std::move(runtimeValue));
}

Element Interpreter::getUndefined(Type type) const {
  if (auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type)))
    return Element::fromReal(decodeReal(real, options.undefinedBits));
  return {wrapInteger(options.undefinedBits, getWidth(type))};
}

RuntimeValue Interpreter::makeUndefined(Type type) const {
  RuntimeValue result = RuntimeValue::uninitialized(getShape(type));
  llvm::fill(result.elements, getUndefined(type));
  return result;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

InFlightDiagnostic Interpreter::emitError(Operation *op) {
  InFlightDiagnostic diagnostic = op->emitError();
  diagnostic.attachNote() << "in program (" << place[0] << ", " << place[1]
                          << ", " << place[2] << ")";
  return diagnostic;
}

uint8_t *Interpreter::access(Operation *op, uint64_t address, unsigned bytes,
                             StringRef verb) {
  std::string where = llvm::formatv("{0:x}", address).str();
  uint8_t *found = memory.find(address, bytes);
  if (found && address % bytes == 0)
    return found;
  if (!found)
    emitError(op) << "expects to " << verb << " " << bytes
                  << " bytes inside a buffer, but got address " << where << ", "
                  << memory.describe(address);
  else
    emitError(op) << "expects to " << verb << " at a multiple of " << bytes
                  << " bytes, but got address " << where << ", "
                  << memory.describe(address);
  return nullptr;
}

FailureOr<uint64_t> Interpreter::loadBits(Operation *op, Type elementType,
                                          uint64_t address) {
  unsigned bytes = getElementBytes(elementType);
  const uint8_t *found = access(op, address, bytes, "read");
  if (!found)
    return failure();
  uint64_t bits = readBytes(found, bytes);
  // An i1 is a byte in memory, true unless it is 0.
  return getWidth(elementType) == 1 ? uint64_t(bits != 0)
                                    : wrapInteger(bits, getWidth(elementType));
}

LogicalResult Interpreter::storeBits(Operation *op, Type elementType,
                                     uint64_t address, uint64_t bits) {
  unsigned bytes = getElementBytes(elementType);
  uint8_t *found = access(op, address, bytes, "write");
  if (!found)
    return failure();
  writeBytes(found, bytes, bits);
  memory.markWritten(address, bytes);
  return success();
}

FailureOr<Element> Interpreter::load(Operation *op, Type elementType,
                                     uint64_t address) {
  FailureOr<uint64_t> bits = loadBits(op, elementType, address);
  if (failed(bits))
    return failure();
  if (auto real = dyn_cast<FloatType>(elementType))
    return Element::fromReal(decodeReal(real, *bits));
  return Element{*bits};
}

LogicalResult Interpreter::store(Operation *op, Type elementType,
                                 uint64_t address, Element element) {
  if (auto real = dyn_cast<FloatType>(elementType))
    element.bits = encodeReal(real, element.toReal());
  return storeBits(op, elementType, address, element.bits);
}

//===----------------------------------------------------------------------===//
// Operations and blocks
//===----------------------------------------------------------------------===//

LogicalResult Interpreter::countStep(Operation *op) {
  if (++steps <= options.maximumSteps)
    return success();
  return emitError(op) << "expects the grid to end within "
                       << options.maximumSteps << " operations";
}

static bool hasSupportedType(Value value) {
  return isSupported(value.getType()) ||
         isa<tt::TensorDescriptorType>(value.getType());
}

void Interpreter::roundResults(Operation *op, Accuracy accuracy) {
  for (Value result : op->getResults())
    if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(result)))
      for (Element &element : (*frame)[result].elements)
        element = Element::fromReal(
            rounding.disturb(element.toReal(), type, accuracy));
}

/// The operations of tile IR.
static const OpTable &getTileOps() {
  static const OpTable table = [] {
    OpTable table;
    for (auto addFamily :
         {addIntegerOps, addFloatOps, addLibraryOps, addConversionOps,
          addShapeOps, addMemoryOps, addControlFlowOps, addDotOps,
          addReductionOps, addAtomicOps, addBlockOps, addDescriptorOps,
          addTileOps})
      addFamily(table);
    return table;
  }();
  return table;
}

bool Interpreter::knows(OperationName name) {
  if (getTileOps().lookup(name))
    return true;
  // runRegion's: a terminator without successors gives its operands.
  TypeID type = name.getTypeID();
  return type == TypeID::get<cf::BranchOp>() ||
         type == TypeID::get<cf::CondBranchOp>() ||
         type == TypeID::get<cf::SwitchOp>() ||
         (name.hasTrait<OpTrait::IsTerminator>() &&
          name.hasTrait<OpTrait::ZeroSuccessors>());
}

LogicalResult Interpreter::evaluate(Operation *op) {
  if (failed(countStep(op)))
    return failure();
  if (options.extension)
    if (const OpTable::Entry *entry =
            options.extension->getOps().lookup(op->getName()))
      return entry->evaluate(*this, op);
  for (Value result : op->getResults())
    if (!hasSupportedType(result))
      return emitError(op) << "expects scalars of at most 64 bits, and tiles "
                              "of at most "
                           << tt::maxTileElements << " of them, but got "
                           << result.getType();
  const OpTable::Entry *entry = getTileOps().lookup(op->getName());
  if (!entry)
    return emitError(op) << "expects an operation that the reference knows, "
                            "but got '"
                         << op->getName() << "'";
  if (failed(entry->evaluate(*this, op)))
    return failure();
  if (rounding.isOn() && entry->accuracy != Accuracy::Exact)
    roundResults(op, entry->accuracy);
  return success();
}

Block *Interpreter::takeBranch(Operation *terminator,
                               RuntimeValues &arguments) {
  if (auto branch = dyn_cast<cf::BranchOp>(terminator)) {
    arguments = getAll(branch.getDestOperands());
    return branch.getDest();
  }
  if (auto branch = dyn_cast<cf::CondBranchOp>(terminator)) {
    bool isTrue = get(branch.getCondition()).getBits();
    arguments = getAll(isTrue ? branch.getTrueDestOperands()
                              : branch.getFalseDestOperands());
    return isTrue ? branch.getTrueDest() : branch.getFalseDest();
  }
  auto branch = dyn_cast<cf::SwitchOp>(terminator);
  if (!branch)
    return nullptr;
  uint64_t flag = get(branch.getFlag()).getBits();
  if (std::optional<DenseIntElementsAttr> values = branch.getCaseValues())
    for (auto [index, value] : llvm::enumerate(values->getValues<APInt>()))
      if (value == flag) {
        arguments = getAll(branch.getCaseOperands(index));
        return branch.getCaseDestinations()[index];
      }
  arguments = getAll(branch.getDefaultOperands());
  return branch.getDefaultDestination();
}

FailureOr<RuntimeValues> Interpreter::runRegion(Region &region,
                                                RuntimeValues arguments) {
  Block *block = &region.front();
  while (true) {
    setAll(block->getArguments(), std::move(arguments));
    for (Operation &op : block->without_terminator())
      if (failed(evaluate(&op)))
        return failure();
    Operation *terminator = block->getTerminator();
    if (failed(countStep(terminator)))
      return failure();
    if (isa<ub::UnreachableOp>(terminator)) {
      emitError(terminator) << "expects never to get here";
      return failure();
    }
    arguments.clear();
    block = takeBranch(terminator, arguments);
    if (!block)
      return getAll(terminator->getOperands());
  }
}

FailureOr<RuntimeValues> Interpreter::callFunction(Operation *caller,
                                                   tt::FuncOp function,
                                                   RuntimeValues arguments) {
  if (function.isExternal()) {
    emitError(caller) << "expects a function with a body, but '"
                      << function.getSymName() << "' has none";
    return failure();
  }
  if (callDepth == options.maximumCallDepth) {
    emitError(caller) << "expects at most " << options.maximumCallDepth
                      << " calls within each other";
    return failure();
  }
  Frame calleeFrame;
  Frame *callerFrame = std::exchange(frame, &calleeFrame);
  ++callDepth;
  FailureOr<RuntimeValues> results =
      runRegion(function.getBody(), std::move(arguments));
  --callDepth;
  frame = callerFrame;
  return results;
}

tt::FuncOp Interpreter::lookUp(tt::CallOp call) {
  return symbolTables.lookupNearestSymbolFrom<tt::FuncOp>(call,
                                                          call.getCalleeAttr());
}

LogicalResult Interpreter::runProgram(tt::FuncOp function,
                                      const RuntimeValues &arguments,
                                      std::array<uint32_t, 3> where) {
  place = where;
  if (options.extension)
    options.extension->beginProgram();
  return success(succeeded(callFunction(function, function, arguments)));
}

//===----------------------------------------------------------------------===//
// The grid
//===----------------------------------------------------------------------===//

static StringRef getKindName(Argument::Kind kind) {
  switch (kind) {
  case Argument::Kind::Integer:
    return "an integer";
  case Argument::Kind::Real:
    return "a float";
  case Argument::Kind::Pointer:
    return "a pointer";
  }
  llvm_unreachable("all kinds are listed");
}

static bool isOfKind(Type type, Argument::Kind kind) {
  switch (kind) {
  case Argument::Kind::Integer:
    return isa<IntegerType>(type) && isSupported(type);
  case Argument::Kind::Real:
    return isa<FloatType>(type) && isSupported(type);
  case Argument::Kind::Pointer:
    return isa<tt::PointerType>(type) && !tt::getBlock(type);
  }
  llvm_unreachable("all kinds are listed");
}

/// The value of one argument, whose promise is checked.
static FailureOr<RuntimeValue> makeArgument(tt::FuncOp function, unsigned index,
                                            const Argument &argument) {
  Type type = function.getArgumentTypes()[index];
  if (!isOfKind(type, argument.kind))
    return function.emitError("expects a value of type ")
           << type << " as argument " << index << ", but got "
           << getKindName(argument.kind);
  if (argument.kind == Argument::Kind::Real) {
    RuntimeValue result = RuntimeValue::uninitialized({});
    result.elements[0] =
        Element::fromReal(roundReal(cast<FloatType>(type), argument.realValue));
    return result;
  }
  auto promise =
      function.getArgAttrOfType<IntegerAttr>(index, "tt.divisibility");
  int64_t divisor = promise ? promise.getValue().trySExtValue().value_or(0) : 0;
  uint64_t bits = wrapInteger(argument.bits, getWidth(type));
  int64_t value = signExtend(bits, getWidth(type));
  if (divisor > 0 && value % divisor != 0)
    return function.emitError("expects a multiple of ")
           << divisor << " as argument " << index << ", but got " << value;
  return RuntimeValue::scalar(bits);
}

LogicalResult reference::interpret(tt::FuncOp function,
                                   ArrayRef<Argument> arguments, Grid grid,
                                   ReferenceMemory &memory,
                                   const Options &options) {
  if (function.isExternal())
    return function.emitError("expects a function with a body");
  size_t count = function.getArgumentTypes().size();
  if (arguments.size() != count)
    return function.emitError("expects ")
           << count << " arguments, but got " << arguments.size();
  RuntimeValues values;
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    FailureOr<RuntimeValue> value = makeArgument(function, index, argument);
    if (failed(value))
      return failure();
    values.push_back(std::move(*value));
  }
  Interpreter interpreter(memory, options, grid);
  for (uint32_t z = 0; z < grid.z; ++z)
    for (uint32_t y = 0; y < grid.y; ++y)
      for (uint32_t x = 0; x < grid.x; ++x)
        if (failed(interpreter.runProgram(function, values, {x, y, z})))
          return failure();
  return success();
}
