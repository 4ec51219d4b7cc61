// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a run, and what the families of operations share. Each family
// enters its operations in a table.

#ifndef TILEWRIGHT_LIB_JUDGES_REFERENCE_INTERPRETER_H
#define TILEWRIGHT_LIB_JUDGES_REFERENCE_INTERPRETER_H

#include "lib/Judges/Reference/RandomRounding.h"
#include "lib/Judges/Reference/Reference.h"
#include "lib/Judges/Reference/Value.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <array>

namespace tilewright::reference {

using RuntimeValues = mlir::SmallVector<RuntimeValue, 2>;

/// A value, and the type that it or its elements are of.
struct TypedTile {
  const RuntimeValue &value;
  mlir::Type type;
};

class Interpreter {
public:
  Interpreter(ReferenceMemory &memory, const Options &options, Grid grid)
      : memory(memory), options(options), rounding(options.roundingSeed),
        gridSizes{grid.x, grid.y, grid.z} {}

  /// Runs the program at `place` of the grid.
  mlir::LogicalResult runProgram(tt::FuncOp function,
                                 const RuntimeValues &arguments,
                                 std::array<uint32_t, 3> place);

  const RuntimeValue &get(mlir::Value value) const;
  /// The same with its type. It is valid until a value is set.
  TypedTile getTyped(mlir::Value value) const {
    return {get(value), value.getType()};
  }
  void set(mlir::Value value, RuntimeValue runtimeValue);
  /// A copy of each value.
  RuntimeValues getAll(mlir::ValueRange values) const;
  void setAll(mlir::ValueRange values, RuntimeValues runtimeValues);

  /// Runs a region from its first block on, which gets `arguments`, to a
  /// terminator that leaves it; gives that one's operands.
  mlir::FailureOr<RuntimeValues> runRegion(mlir::Region &region,
                                           RuntimeValues arguments);
  /// Runs a function's body with values of its own.
  mlir::FailureOr<RuntimeValues> callFunction(mlir::Operation *caller,
                                              tt::FuncOp function,
                                              RuntimeValues arguments);
  mlir::LogicalResult evaluate(mlir::Operation *op);
  /// Whether operations of a name have a meaning here, be it an error: those
  /// that are evaluated, and those that end blocks.
  static bool knows(mlir::OperationName name);

  /// An undefined element of a type, and a value of them.
  Element getUndefined(mlir::Type type) const;
  RuntimeValue makeUndefined(mlir::Type type) const;

  /// Reads and writes an element in memory. Errors are emitted at `op`.
  mlir::FailureOr<Element> load(mlir::Operation *op, mlir::Type elementType,
                                uint64_t address);
  mlir::LogicalResult store(mlir::Operation *op, mlir::Type elementType,
                            uint64_t address, Element element);
  /// The same for the bits of the element's type.
  mlir::FailureOr<uint64_t> loadBits(mlir::Operation *op,
                                     mlir::Type elementType, uint64_t address);
  mlir::LogicalResult storeBits(mlir::Operation *op, mlir::Type elementType,
                                uint64_t address, uint64_t bits);

  /// An error at the op, with a note that names the program.
  mlir::InFlightDiagnostic emitError(mlir::Operation *op);

  /// Rounds where Options::roundingSeed asks for it.
  RandomRounding &getRounding() { return rounding; }
  std::array<uint32_t, 3> getGridSizes() const { return gridSizes; }
  std::array<uint32_t, 3> getPlace() const { return place; }
  /// The function that a call names, or null.
  tt::FuncOp lookUp(tt::CallOp call);

private:
  using Frame = llvm::DenseMap<mlir::Value, RuntimeValue>;

  /// Counts an operation; fails at the op when too many have run.
  mlir::LogicalResult countStep(mlir::Operation *op);
  /// Rounds what an operation has calculated.
  void roundResults(mlir::Operation *op, Accuracy accuracy);
  /// Where a branch goes, with the values of the arguments there; null for a
  /// terminator that is no branch.
  mlir::Block *takeBranch(mlir::Operation *terminator,
                          RuntimeValues &arguments);
  uint8_t *access(mlir::Operation *op, uint64_t address, unsigned bytes,
                  mlir::StringRef verb);

  ReferenceMemory &memory;
  const Options &options;
  RandomRounding rounding;
  std::array<uint32_t, 3> gridSizes;
  std::array<uint32_t, 3> place = {0, 0, 0};
  mlir::SymbolTableCollection symbolTables;
  Frame *frame = nullptr;
  unsigned callDepth = 0;
  uint64_t steps = 0;
};

// The families. IntegerOps: arith on integers, and constants. FloatOps: arith
// and math on floats. LibraryOps: libdevice's functions. ConversionOps: between
// element types. ShapeOps: making and rearranging tiles. MemoryOps, AtomicOps,
// BlockOps: memory. DotOps, ReductionOps: across elements. TileOps: the dialect
// `tile`. ControlFlow: scf and calls, and the program's place.
void addIntegerOps(OpTable &table);
void addFloatOps(OpTable &table);
void addLibraryOps(OpTable &table);
void addConversionOps(OpTable &table);
void addShapeOps(OpTable &table);
void addMemoryOps(OpTable &table);
void addAtomicOps(OpTable &table);
void addBlockOps(OpTable &table);
void addDescriptorOps(OpTable &table);
void addDotOps(OpTable &table);
void addReductionOps(OpTable &table);
void addTileOps(OpTable &table);
void addControlFlowOps(OpTable &table);

/// What an atomic operation writes where `old` was.
Element combineAtomically(Interpreter &interpreter,
                          tt::AtomicOperation operation, mlir::Type elementType,
                          Element old, Element value);

/// Loads and stores through block pointers.
mlir::LogicalResult loadBlock(Interpreter &interpreter, tt::LoadOp op);
mlir::LogicalResult storeBlock(Interpreter &interpreter, tt::StoreOp op);

/// Sets `result` to `accumulator + lhs * rhs`, matrices or batches of them, of
/// the accumulator's type.
/// Where the interpreter rounds, floats that do not have `operandPrecision`
/// bits are rounded to them first.
void evaluateProduct(Interpreter &interpreter, const TypedTile &lhs,
                     const TypedTile &rhs, const TypedTile &accumulator,
                     mlir::Value result, unsigned operandPrecision = 53);

/// Sets the first result of `op` to the elements of `source` that `indices`
/// pick along `axis`; those outside are undefined.
mlir::LogicalResult gatherElements(Interpreter &interpreter,
                                   mlir::Operation *op,
                                   const RuntimeValue &source,
                                   const TypedTile &indices, unsigned axis);

/// `bins` with 1 added to number e for each element e that is one and whose
/// mask, if there is one, is true.
RuntimeValue countElements(const RuntimeValue &elements,
                           const RuntimeValue *mask, RuntimeValue bins);

/// Combines the elements along `axis` of tiles of one shape, in order, by a
/// region of two values for each tile. The axis is cut into `parts` equal
/// pieces, each with a result of its own: the results have the sources' shape
/// but `parts` along the axis. Nothing where the region fails.
mlir::FailureOr<RuntimeValues> reduceParts(Interpreter &interpreter,
                                           const RuntimeValues &sources,
                                           unsigned axis, int64_t parts,
                                           mlir::Region &region);

} // namespace tilewright::reference

#endif // TILEWRIGHT_LIB_JUDGES_REFERENCE_INTERPRETER_H
